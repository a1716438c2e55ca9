/* tests/unit/gpu_ptx.c: what the PTX parser takes, lays out and refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/emulator/interpreter/interpreter.h"
#include "gpu/ptx/instruction.h"
#include "gpu/ptx/ptx.h"

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"

static struct ptx_module *parse(const char *text)
{
	struct error error;
	struct ptx_module *module = ptx_parse(interpreter_machine(), text, strlen(text), &error);

	if (!module)
		fail_msg("%s in:\n%s", error.text, text);
	return module;
}

static void refuse(const char *text, const char *message)
{
	struct error error = {""};
	struct ptx_module *module = ptx_parse(interpreter_machine(), text, strlen(text), &error);

	if (module)
		fail_msg("taken, but should say '%s':\n%s", message, text);
	if (!strstr(error.text, message))
		fail_msg("'%s' is not in '%s'", message, error.text);
}

static void test_kernel(void **state)
{
	struct ptx_module *module = parse(
		HEADER
		"// a comment\n/* and\n another */\n.extern .func (.param .b32 r) vprintf (.param "
		".b64 "
		"a, .param .b64 b);\n"
		".visible .entry _Z1kPfi(\n.param .u64 .ptr .global .align 4 p0,\n.param .u8 "
		"p1,\n.param "
		".align 8 .b8 p2[13],\n.param .u16 p3)\n.maxntid 16, 8, 2\n.minnctapersm 2\n{\n"
		".reg.b32 %r<5>; .reg .pred %p<3>; .local.align 8 .b8 d[24];\n"
		".shared .align 4 .b8 a[10]; .shared.f64 b;\nret;\n}\n"
		".entry second() { ret; }\n");
	const struct ptx_kernel *kernel = ptx_find_kernel(module, "_Z1kPfi");

	(void)state;
	assert_int_equal(ptx_kernel_count(module), 2);
	assert_string_equal(ptx_kernel(module, 1)->name, "second");
	assert_null(ptx_find_kernel(module, "k"));
	assert_int_equal(kernel->parameter_count, 4);
	assert_int_equal(kernel->parameters[0].size, 8);
	assert_int_equal(kernel->parameters[1].offset, 8);
	assert_int_equal(kernel->parameters[2].offset, 16);
	assert_int_equal(kernel->parameters[2].size, 13);
	assert_int_equal(kernel->parameters[2].alignment, 8);
	assert_int_equal(kernel->parameters[3].offset, 30);
	assert_int_equal(kernel->parameter_bytes, 32);
	assert_int_equal(kernel->shared_bytes, 24); /* 10, then 8 at 16 */
	assert_int_equal(kernel->local_bytes, 24);
	assert_int_equal(kernel->register_count, 5);
	assert_int_equal(kernel->max_threads, 256);
	assert_int_equal(ptx_function_address(module, "nothing"), 0);
	assert_true(ptx_function_address(module, "vprintf") != 0);
	ptx_free(module);
	ptx_free(NULL);
}

static void check_bytes(const struct ptx_variable *variable, const char *name, const void *bytes,
			size_t size)
{
	assert_string_equal(variable->name, name);
	assert_int_equal(variable->size, size);
	assert_non_null(variable->initial);
	assert_memory_equal(variable->initial, bytes, size);
}

/*
 * As nvcc writes it: a call in a kernel (line 15) of a function that calls another one (8) and one
 * of a header (9).
 */
static void test_inlined(void **state)
{
	struct ptx_module *module =
		parse(HEADER ".entry k() {\n"
			     ".loc 1 15 9\n"
			     ".loc 1 8 2, function_name $L__info_string0, inlined_at 1 15 9\n"
			     ".loc 1 4 2, function_name $L__info_string1, inlined_at 1 8 2\n"
			     "bar.sync 0;\n"
			     ".loc 1 9 9, function_name $L__info_string0, inlined_at 1 15 9\n"
			     "bar.sync 0;\n"
			     ".loc 2 708 1, function_name $L__info_string2+3, inlined_at 1 9 9\n"
			     "bar.sync 0;\n"
			     ".loc 1 16 1\n"
			     "bar.sync 0;\n"
			     ".loc 2 1 1, function_name x, inlined_at\n"
			     "ret;\n}\n"
			     ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n");
	const struct ptx_place *places = module->places;
	const struct ptx_inlined *inlined = module->inlined;

	(void)state;
	assert_int_equal(places[0].source_line, 4);
	assert_int_equal(inlined[places[0].call - 1].line, 8);
	assert_int_equal(inlined[inlined[places[0].call - 1].outer - 1].line, 15);
	assert_int_equal(places[1].source_line, 9);
	assert_int_equal(inlined[places[1].call - 1].line, 15);
	assert_int_equal(inlined[places[1].call - 1].outer, 0);
	assert_int_equal(places[2].source_line, 708);
	assert_int_equal(inlined[places[2].call - 1].line, 9);
	assert_int_equal(inlined[places[2].call - 1].outer, places[1].call);
	assert_int_equal(places[3].source_line, 16);
	assert_int_equal(places[3].call, 0);
	/* nothing after the word */
	assert_int_equal(places[4].source_line, 1);
	assert_int_equal(places[4].call, 0);
	ptx_free(module);
}

static void test_variables(void **state)
{
	struct ptx_module *module = parse(
		HEADER ".global .align 4 .b8 bytes[6] = {1, 0x2, 03, 0b100};\n"
		       ".const .f32 one = 0f3F800000;\n.global .f64 half = 0.5;\n"
		       ".global .s16 grid[2][3] = {{-1, 2}, {3}};\n"
		       ".visible .global .align 8 .u64 table[3] = {f, 0, generic(bytes)+2};\n"
		       ".global .align 8 .u8 split[9] = {0xFF(one), 0xFF00(one), 0xFF0000(one), "
		       "0xFF000000(one), 0xFF00000000(one), 0xFF0000000000(one), "
		       "0xFF000000000000(one), 0xFF00000000000000(one), 7};\n"
		       ".global .u32 unsized[] = {1, 2, 3};\n.extern .global .u32 there;\n"
		       ".weak .global .align 16 .b8 zero[32];\n.func f() { ret; }\n");
	const int16_t grid[] = {-1, 2, 0, 3, 0, 0};
	const uint32_t three[] = {1, 2, 3};
	const struct ptx_variable *variable;
	const float one = 1;
	const double half = 0.5;

	(void)state;
	assert_int_equal(ptx_variable_count(module), 9);
	check_bytes(ptx_variable(module, 0), "bytes", "\1\2\3\4\0\0", 6);
	check_bytes(ptx_variable(module, 1), "one", &one, 4);
	assert_true(ptx_variable(module, 1)->constant);
	assert_false(ptx_variable(module, 0)->constant);
	check_bytes(ptx_variable(module, 2), "half", &half, 8);
	check_bytes(ptx_variable(module, 3), "grid", grid, 12);
	variable = ptx_variable(module, 4);
	assert_int_equal(variable->size, 24);
	assert_int_equal(variable->relocation_count, 2);
	assert_string_equal(variable->relocations[0].symbol, "f");
	assert_int_equal(variable->relocations[0].offset, 0);
	assert_string_equal(variable->relocations[1].symbol, "bytes");
	assert_int_equal(variable->relocations[1].offset, 16);
	assert_int_equal(variable->relocations[1].addend, 2);
	assert_int_equal(variable->relocations[1].width, 8);
	variable = ptx_variable(module, 5);
	assert_int_equal(variable->relocation_count, 1); /* eight bytes of one address */
	assert_int_equal(variable->relocations[0].width, 8);
	assert_int_equal(variable->initial[8], 7);
	check_bytes(ptx_variable(module, 6), "unsized", three, 12);
	assert_true(ptx_variable(module, 7)->external);
	assert_null(ptx_variable(module, 8)->initial);
	assert_int_equal(ptx_variable(module, 8)->alignment, 16);
	ptx_free(module);
	/* declared before it is defined, and again after */
	module = parse(HEADER
		       ".extern .global .u32 v;\n.global .u32 v = 5;\n.extern .global .u32 v;\n");
	assert_int_equal(ptx_variable_count(module), 1);
	assert_false(ptx_variable(module, 0)->external);
	assert_int_equal(ptx_variable(module, 0)->initial[0], 5);
	ptx_free(module);
}

#define BODY(text)                                                                                 \
	HEADER ".entry k(.param .u64 a) {\n.reg .b32 %r<4>; .reg .pred %p<2>;\n" text "\n}\n"

static void test_accepted(void **state)
{
	static const char *good[] = {
		"",
		"// nothing",
		BODY("ret;"),
		BODY(""),
		BODY("bra END; END:"),               /* a label where no instruction follows */
		BODY("{ L: bra L; } { L: bra L; }"), /* labels of scopes of their own */
		BODY("bra OUT; { bra OUT; } OUT: ret;"),
		BODY("{ .reg .b32 %r<9>; mov.u32 %r8, 1; }"),
		BODY(".pragma \"nounroll\"; .loc 1 2 3, function_name $x+10, inlined_at 1 2 "
		     "3\nret;"),
		/* not known: a fault when reached, not before */
		BODY("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1, %r2}, [%r3], %r1;"),
		BODY("tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r1}, [t, {%r1, %r2}];"),
		BODY("@%p1 frobnicate.x::y.z %r1, {1, 2}, [nobody + 4];"),
		BODY("add.s32.f32.b64 %r1, %r1, %r1;"),
		BODY("add.s32 %r1, %r1;"),
		BODY("mov.u32 %r1, %clock; mov.u32 %r2, %envreg3; mov.u32 %r3, WARP_SZ;"),
		HEADER ".section .debug_str {\n$x:\n.b8 1,2,3\n}\n",
		HEADER ".file 1 \"a.cu\"\n.file 2 \"b\", 12, 34\n",
	};

	(void)state;
	for (size_t n = 0; n < sizeof(good) / sizeof(*good); n++)
		ptx_free(parse(good[n]));
}

static void test_refused(void **state)
{
	(void)state;
	refuse("hello", "line 1: expected a directive");
	refuse(".version 8.0\n.target sm_20\n.address_size 32\n", "line 3: expected 64");
	refuse(BODY("bra NOWHERE;"), "line 6: there is no label 'NOWHERE'");
	refuse(BODY("add.s32 %r1, %r1, %r4;"), "line 6: '%r4' is not declared");
	refuse(BODY("@%r1 ret;"), "expected a predicate");
	refuse(BODY("@%q ret;"), "'%q' is not declared");
	refuse(BODY("L: ret; L: ret;"), "'L' is declared twice");
	refuse(BODY(".reg .b32 %r<4>;"), "declared twice");
	refuse(BODY(".reg .b32 %x<999999999>;"), "registers");
	refuse(BODY(".shared .b8 s[1000000];"), "bytes of shared memory");
	refuse(BODY(".local .b8 s[1000000];"), "bytes of local memory");
	refuse(BODY("mov.u32 %r1, 99999999999999999999999;"), "line 6: an integer does not fit");
	refuse(BODY("mov.f32 %r1, 0f3F80;"), "8 hexadecimal digits");
	refuse(BODY("add.s32 %r1, %r1, 1"), "the text ends where ';' should stand");
	refuse(HEADER ".global .u8 v = 1;\n.extern .global .u8 v[99] = {1, 2};",
	       "no initial value");
	refuse(HEADER ".global .u32 v;\n.global .u32 v;", "line 5: 'v' is declared twice");
	refuse(HEADER ".entry k() { ret; } .entry k() { ret; }", "two bodies");
	refuse(HEADER ".entry k(.param .b8 a[99999]) { ret; }", "bytes of parameters");
	refuse(HEADER ".entry k(", "the text ends");
	refuse(HEADER ".entry k() { ret;", "the text ends");
	refuse(HEADER ".global .b8 x[4] = {1,2,3,4,5};", "too many initial values");
	refuse(HEADER ".global .b8 x[99999999999] = {1};", "larger than");
	refuse(HEADER ".global .b8 x[9][9999999999][9999999999];", "too large");
	refuse(HEADER ".global .align 3 .b8 x;", "power of two");
	refuse(HEADER ".global .b16 x = f;", "4 or 8 bytes");
	refuse(HEADER ".global .b32 x = {{1}};", "more braces than dimensions");
	refuse(HEADER ".file 1 \"a.cu", "a string does not end");
	refuse(HEADER ".file 4000000000 \"a.cu\"", "file number");
	refuse(HEADER ".global .u32 \x01;", "found '?'");
}

/* Every cut of a good module is taken or refused, with a reason. */
static void test_truncated(void **state)
{
	const char *text =
		HEADER ".global .u64 t[2] = {generic(t)+8, -1};\n.func (.param .b32 r) f(.param "
		       ".b32 a) { .reg .b32 %r<3>; ld.param.u32 %r1, [a+0]; st.param.b32 [r], %r1; "
		       "ret; }\n" BODY("{ .param .b32 x; .param .b32 y; call (y), f, (x); } @!%p1 "
				       "bra L; L: mov.b32 %r1, {1, 2}; .loc 1 2 3\nret;");
	struct error error;

	(void)state;
	for (size_t size = 0; size <= strlen(text); size++) {
		char *cut = malloc(size + 1); /* its end is its end: ASan watches */
		struct ptx_module *module;

		memcpy(cut, text, size);
		cut = realloc(cut, size ? size : 1);
		error.text[0] = 0;
		module = ptx_parse(interpreter_machine(), cut, size, &error);
		assert_true(module || error.text[0]);
		ptx_free(module);
		free(cut);
	}
	ptx_free(parse(text));
}

static char *repeat(const char *head, const char *part, size_t count, const char *tail)
{
	size_t length = strlen(part), used = strlen(head);
	char *text = malloc(used + length * count + strlen(tail) + 1);

	assert_non_null(text);
	memcpy(text, head, used);
	for (size_t n = 0; n < count; n++, used += length)
		memcpy(text + used, part, length);
	strcpy(text + used, tail);
	return text;
}

static void test_large(void **state)
{
	char *text;

	(void)state;
	text = repeat(HEADER ".entry k() {", "{", 100000, "");
	refuse(text, "nested deeper than");
	free(text);
	text = repeat(HEADER ".global .b8 x = ", "{", 100000, "");
	refuse(text, "more braces");
	free(text);
	/* one line of more than 1 MB: one initialiser, one name, one call */
	text = repeat(HEADER ".global .b8 x[] = {1", ",2", 600000, "};");
	{
		struct ptx_module *module = parse(text);

		assert_int_equal(ptx_variable(module, 0)->size, 600001);
		ptx_free(module);
	}
	free(text);
	text = repeat(HEADER ".global .b8 ", "x", 1200000, ";");
	ptx_free(parse(text));
	free(text);
	text = repeat(HEADER ".entry k() { .reg .b32 %r<3>; ", "add.s32 %r1, %r1, %r2; ", 200000,
		      "ret; }");
	ptx_free(parse(text));
	free(text);
	/* unknown instructions keep a bounded part of their text */
	text = repeat(HEADER ".entry k() { what ", "a, ", 400000, "b; }");
	ptx_free(parse(text));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel),    cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_variables), cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_refused),   cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests_name("gpu_ptx", tests, NULL, NULL);
}
