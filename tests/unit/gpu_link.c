/* tests/unit/gpu_link.c: several PTX texts as one module, and the fat binaries they come in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/emulator/device/fatbin.h"
#include "gpu/emulator/interpreter/interpreter.h"
#include "gpu/ptx/instruction.h"

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"

static struct ptx_module *join(const char *a, const char *b, struct error *error)
{
	const struct ptx_text texts[] = {{a, strlen(a)}, {b, strlen(b)}};

	return ptx_link(interpreter_machine(), texts, 2, error);
}

static struct ptx_module *linked(const char *a, const char *b)
{
	struct error error;
	struct ptx_module *module = join(a, b, &error);

	if (!module)
		fail_msg("%s", error.text);
	return module;
}

static const struct ptx_variable *variable(struct ptx_module *module, const char *name)
{
	for (uint32_t n = 0; n < ptx_variable_count(module); n++)
		if (!strcmp(ptx_variable(module, n)->name, name))
			return ptx_variable(module, n);
	return NULL;
}

/* Own names stay apart, their addresses too; .extern finds the other text's .visible. */
static void test_variables(void **state)
{
	struct ptx_module *module = linked(
		HEADER
		".extern .global .align 4 .b8 table[8];\n.global .align 1 .b8 $str[2] = {97, 0};\n"
		".global .u64 first = generic($str);\n.weak .global .u32 both = 5;\n",
		HEADER
		".global .align 1 .b8 $str[3] = {98, 98, 0};\n.global .u64 second = "
		"generic($str);\n"
		".visible .global .align 4 .b8 table[8] = {1, 2};\n.weak .global .u32 both = 6;\n");
	const struct ptx_variable *table = variable(module, "table");

	(void)state;
	assert_int_equal(ptx_variable_count(module), 6); /* table $str first both $str second */
	assert_false(table->external);
	assert_int_equal(table->size, 8);
	assert_memory_equal(table->initial, "\1\2\0\0\0\0\0\0", 8);
	assert_int_equal(variable(module, "both")->initial[0], 5);
	assert_int_equal(variable(module, "$str")->size, 2);
	assert_string_equal(variable(module, "first")->relocations[0].symbol, "$str");
	assert_int_equal(variable(module, variable(module, "second")->relocations[0].symbol)->size,
			 3);
	ptx_free(module);
}

/*
 * A kernel has room for the shared variables that it names, and for those of functions if it calls
 * any: 100 + 16 bytes (aligned to 4: 116), 8 alone, and nothing.
 */
static void test_shared(void **state)
{
	struct ptx_module *module = linked(
		HEADER
		".shared .align 4 .b8 a[100];\n.shared .align 4 .b8 b[8];\n.extern .func f ();\n"
		".visible .entry one() { .reg.b32 %r; mov.u32 %r, a; { call.uni f, (); } ret; }\n"
		".visible .entry two() { .reg.b32 %r; mov.u32 %r, b; ret; }\n",
		HEADER ".shared .align 4 .b8 a[16];\n"
		       ".visible .func f () { .reg.b32 %r; mov.u32 %r, a; ret; }\n"
		       ".visible .entry three() { ret; }\n");

	(void)state;
	assert_int_equal(ptx_find_kernel(module, "one")->shared_bytes, 116);
	assert_int_equal(ptx_find_kernel(module, "two")->shared_bytes, 8);
	assert_int_equal(ptx_find_kernel(module, "three")->shared_bytes, 0);
	assert_int_equal(ptx_shared_offset(ptx_find_kernel(module, "one"), 0), 0);
	assert_int_equal(ptx_shared_offset(ptx_find_kernel(module, "one"), 2), 100);
	ptx_free(module);
}

/* Room is given in the order in which they are named, once each: c, a (aligned to 8), b. */
static void test_shared_order(void **state)
{
	struct ptx_module *module =
		linked(HEADER ".shared .align 8 .b8 a[4];\n.shared .b8 b[1];\n.shared .b8 c[3];\n"
			      ".visible .entry one() { .reg.b32 %r; mov.u32 %r, c; mov.u32 %r, a;\n"
			      "mov.u32 %r, c; mov.u32 %r, b; mov.u32 %r, a; ret; }\n"
			      ".visible .entry two() { .reg.b32 %r; mov.u32 %r, b; ret; }\n",
		       HEADER);
	const struct ptx_kernel *one = ptx_find_kernel(module, "one");

	(void)state;
	assert_int_equal(one->shared_bytes, 13);
	assert_int_equal(ptx_shared_offset(one, 0), 8);
	assert_int_equal(ptx_shared_offset(one, 1), 12);
	assert_int_equal(ptx_shared_offset(one, 2), 0);
	assert_int_equal(ptx_find_kernel(module, "two")->shared_bytes, 1);
	assert_int_equal(ptx_shared_offset(ptx_find_kernel(module, "two"), 1), 0);
	ptx_free(module);
}

static void test_functions(void **state)
{
	static const char slow[] = ".func slow () { ret; }\n.weak .func same () { ret; }\n"
				   ".weak .entry kernel() { ret; }\n";
	char one[400] = HEADER, two[400] = HEADER;
	struct ptx_module *module;
	struct error error;

	(void)state;
	strcat(one, slow);
	strcat(two, slow);
	module = linked(one, two);
	assert_int_equal(ptx_kernel_count(module), 1);
	assert_int_equal(module->function_count, 3); /* slow, same, the other slow */
	assert_true(module->functions[0]->defined && module->functions[2]->defined);
	ptx_free(module);
	assert_null(join(HEADER ".visible .func f () { ret; }",
			 HEADER ".visible .func f () { ret; }", &error));
	assert_non_null(strstr(error.text, "two bodies"));
	assert_null(
		join(HEADER ".weak .func f () { ret; }", HEADER ".weak .func f () { ret;", &error));
	assert_null(
		join(HEADER ".visible .global .u32 x;", HEADER ".visible .global .u32 x;", &error));
	assert_non_null(strstr(error.text, "declared twice"));
}

/* Every cut of the second text ends in an error or a module, with nothing read behind it. */
static void test_truncated(void **state)
{
	static const char a[] = HEADER ".weak .global .b8 w[2] = {1, 2};\n.func f () { ret; }\n";
	static const char b[] =
		HEADER ".weak .global .b8 w[4] = {1, 2, 3, 4};\n.weak .func f () { { ret; } }\n"
		       ".weak .entry k() { .shared .b8 s[4]; ret; }\n";

	(void)state;
	for (size_t size = 0; size < sizeof(b); size++) {
		char *cut = malloc(size + 1); /* the sanitizer sees a byte too far */
		const struct ptx_text texts[] = {{a, sizeof(a) - 1}, {cut, size}};
		struct error error;

		memcpy(cut, b, size);
		ptx_free(ptx_link(interpreter_machine(), texts, 2, &error));
		free(cut);
	}
}

/* A wrapper of version 2 names the containers of its units. */
static void test_units(void **state)
{
	static const uint8_t damaged[16] = {0x50, 0xed, 0x55, 0xba, 2};
	uint64_t container[2][11] = {{0}};
	const void *units[3] = {container[0], container[1], NULL};
	struct {
		uint32_t magic, version;
		const void *data;
		const void *const *units;
	} wrapper = {0x466243b1, 2, damaged, units};
	struct fatbin_ptx *list;
	struct error error;
	size_t count;

	(void)state;
	for (int n = 0; n < 2; n++) {
		container[n][0] = 0x0010000100000000 | 0xba55ed50;
		container[n][1] = 72;
		container[n][2] = 0x0000004001010001; /* PTX, header of 64 bytes */
		container[n][3] = 8;
		container[n][5] = (uint64_t)80 << 32; /* architecture */
		memcpy(&container[n][10], n ? "second" : "first", 6);
	}
	assert_int_equal(fatbin_find_all(&wrapper, SIZE_MAX, 90, &list, &count, &error),
			 FATBIN_FOUND);
	assert_int_equal(count, 2);
	assert_int_equal(list[1].size, 6);
	assert_memory_equal(list[1].text, "second", 6);
	fatbin_free(list, count);
	units[1] = damaged;
	assert_int_equal(fatbin_find_all(&wrapper, SIZE_MAX, 90, &list, &count, &error),
			 FATBIN_DAMAGED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables),    cmocka_unit_test(test_shared),
		cmocka_unit_test(test_shared_order), cmocka_unit_test(test_functions),
		cmocka_unit_test(test_truncated),    cmocka_unit_test(test_units),
	};

	return cmocka_run_group_tests_name("gpu_link", tests, NULL, NULL);
}
