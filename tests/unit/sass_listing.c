/*
 * tests/unit/sass_listing.c: nvdisasm's text, as it is and damaged.
 *
 * What control bits say was decoded by hand from the hexadecimal words of
 * tests/gpu/sass/flow.*.txt.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/sass/disassemble.h"
#include "gpu/sass/listing.h"
#include "tests/unit/sass_fixture.h"

struct decoded {
	uint32_t offset;
	const char *opcode;
	struct sass_control control;
};

static void assert_decoded(const struct sass_function *function, const struct decoded *decoded,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct sass_instruction *at = sass_at(function, decoded[i].offset);
		const struct sass_control *got, *wanted = &decoded[i].control;

		assert_non_null(at);
		assert_string_equal(at->opcode, decoded[i].opcode);
		got = &at->control;
		assert_int_equal(got->stall, wanted->stall);
		assert_int_equal(got->yield, wanted->yield);
		assert_int_equal(got->write_barrier, wanted->write_barrier);
		assert_int_equal(got->read_barrier, wanted->read_barrier);
		assert_int_equal(got->wait, wanted->wait);
		assert_int_equal(got->reuse, wanted->reuse);
	}
}

static void test_control_sm_90(void **state)
{
	/* 0x000fe200 >> 9 = 0x7f1, ..711, ..ff1, 0x002fcc00 >> 9 = 0x17e6, ..771, 0x47e5 */
	static const struct decoded triad[] = {
		{0x00, "LDC", {1, true, 7, 7, 0, 0}},
		{0x20, "S2UR", {1, true, 0, 7, 0, 0}},
		{0x70, "IMAD", {1, true, 7, 7, 1, 0}},
		{0xa0, "IMAD.WIDE", {6, 0, 7, 7, 2, 0}},
		{0xb0, "LDG.E", {1, true, 3, 7, 0, 0}},
		{0xd0, "LDG.E", {1, true, 3, 7, 0, 0}},
		{0xf0, "FFMA", {5, false, 7, 7, 1 << 3, 0}},
	};
	struct sass_listing *listing = read_listing("flow.sm_90");

	(void)state;
	assert_decoded(sass_find(listing, "triad"), triad, 7);
	sass_free(listing);
}

static void test_control_sm_75(void **state)
{
	static const struct decoded triad[] = {
		{0x10, "S2R", {1, true, 0, 7, 0, 0}},
		{0x40, "IMAD", {4, false, 7, 7, 1, 0}},
		{0x70, "LDG.E.SYS", {4, true, 2, 7, 0, 0}},
		{0x80, "LDG.E.SYS", {1, true, 2, 7, 0, 0}},
		{0xa0, "FFMA", {8, false, 7, 7, 1 << 2, 0}},
	};
	struct sass_listing *listing = read_listing("flow.sm_75");

	(void)state;
	assert_decoded(sass_find(listing, "triad"), triad, 5);
	sass_free(listing);
}

/* IADD3 R8, -R0.reuse, 0x3f, RZ, and a read barrier: STG.E 0x0011e8000c101b0c */
static void test_control_bits(void **state)
{
	const uint64_t reuses[2] = {0x0000003f00087810, 0x040fe20007ffe1ff};
	const uint64_t stores[2] = {0x0000000406007986, 0x0011e8000c101b0c};

	(void)state;
	assert_int_equal(sass_control_of(reuses).reuse, 1);
	assert_int_equal(sass_control_of(stores).read_barrier, 0);
	assert_int_equal(sass_control_of(stores).write_barrier, 7);
	assert_int_equal(sass_control_of(stores).wait, 1);
	assert_int_equal(sass_control_of(stores).stall, 4);
}

static void assert_registers(const uint16_t *registers, unsigned count, const char *wanted)
{
	char text[128] = "";

	for (unsigned i = 0; i < count; i++)
		sprintf(text + strlen(text), "%s%u", i ? " " : "", registers[i]);
	assert_string_equal(text, wanted);
}

static void test_instructions(void **state)
{
	struct sass_listing *listing = read_listing("flow.sm_90");
	const struct sass_function *function = sass_find(listing, "choose");
	const struct sass_instruction *at;

	(void)state;
	assert_int_equal(listing->function_count, 2);
	assert_int_equal(listing->unread, 0);
	assert_int_equal(function->instruction_count, 0x1e0 / 16);
	assert_int_equal(sass_find(listing, "triad")->instruction_count, 0x130 / 16);
	assert_null(sass_at(function, 0x1e0));
	assert_null(sass_at(function, 8));

	/* @P0 IMAD.WIDE R2, R6, 0x4, R2 */
	at = sass_at(function, 0x120);
	assert_true(sass_is(at, "IMAD") && sass_has(at, "WIDE") && !sass_has(at, "WID"));
	assert_false(sass_is(at, "IMA"));
	assert_int_equal(at->guard, 0);
	assert_false(at->guard_negated);
	assert_int_equal(at->operand_count, 4);
	assert_int_equal(at->operands[1].kind, SASS_REGISTER);
	assert_int_equal(at->operands[1].number, 6);
	assert_int_equal(at->operands[2].kind, SASS_IMMEDIATE);
	assert_int_equal(at->operands[2].value, 4);
	assert_registers(at->written, at->written_count, "2 3");
	assert_registers(at->read, at->read_count, "2 3 6 512");

	/* LDG.E R6, desc[UR6][R6.64] */
	at = sass_at(function, 0xf0);
	assert_int_equal(at->operands[1].kind, SASS_ADDRESS);
	assert_int_equal(at->operands[1].number, 6);
	assert_true(at->operands[1].wide);
	assert_int_equal(at->operands[1].uniform, SASS_ZERO);
	assert_int_equal(at->operands[1].descriptor, 6);
	assert_registers(at->written, at->written_count, "6");
	assert_registers(at->read, at->read_count, "6 7 262 263");

	/* UIADD3.X UR9, URZ, UR9, URZ, UP0, !UPT */
	at = sass_at(function, 0x180);
	assert_int_equal(at->operands[1].kind, SASS_UNIFORM_REGISTER);
	assert_int_equal(at->operands[1].number, SASS_ZERO);
	assert_int_equal(at->operands[5].kind, SASS_UNIFORM_PREDICATE);
	assert_int_equal(at->operands[5].number, SASS_TRUE);
	assert_true(at->operands[5].inverted);
	assert_registers(at->read, at->read_count, "265 520");

	/* LDC.64 R4, c[0x0][0x210] */
	at = sass_at(function, 0x50);
	assert_int_equal(at->operands[1].kind, SASS_CONSTANT);
	assert_int_equal(at->operands[1].bank, 0);
	assert_int_equal(at->operands[1].value, 0x210);

	/* @!P1 BRA `(.L_x_1) */
	at = sass_at(function, 0x1a0);
	assert_true(at->guard_negated);
	assert_int_equal(at->target_count, 1);
	assert_int_equal(at->targets[0], 0xd0 / 16);
	sass_free(listing);
}

/* One instruction in a section of its own, with the table of registers left out. */
static struct sass_listing *parse_one(const char *body, struct error *error)
{
	char text[1024];
	int size = snprintf(text, sizeof(text),
			    "\t.section\t.text.k,\"ax\",@progbits\n.L_a:\n        /*0000*/  %s "
			    "/* 0x0000000000007919 */\n   /* 0x000e2e0000002100 */\n.L_b:\n"
			    "        /*0010*/  EXIT ;  /* 0x000000000000794d */\n"
			    "  /* 0x000fea0003800000 */\n",
			    body);

	return sass_parse(text, (size_t)size, error);
}

static const struct sass_instruction *one(struct sass_listing *listing)
{
	return &listing->functions[0].instructions[0];
}

static void test_operands(void **state)
{
	struct sass_listing *listing;
	struct error error;

	(void)state;
	listing = parse_one("@!UP1 LDS.U8 R4, [R6.X4+UR4+-0x10] ;", &error);
	assert_true(one(listing)->guard_uniform && one(listing)->guard_negated);
	assert_int_equal(one(listing)->guard, 1);
	assert_int_equal(one(listing)->operands[1].number, 6);
	assert_int_equal(one(listing)->operands[1].uniform, 4);
	assert_int_equal(one(listing)->operands[1].value, -0x10);
	assert_false(listing->functions[0].has_registers);
	sass_free(listing);

	listing = parse_one("DFMA R4, -|R6|, c[0x3][R2+0x8], -1.5e+10 ;", &error);
	assert_true(one(listing)->operands[1].negative && one(listing)->operands[1].absolute);
	assert_int_equal(one(listing)->operands[2].kind, SASS_CONSTANT);
	assert_int_equal(one(listing)->operands[2].bank, 3);
	assert_int_equal(one(listing)->operands[2].number, 2);
	assert_int_equal(one(listing)->operands[3].kind, SASS_FLOAT);
	sass_free(listing);

	listing = parse_one("BRX R2 -0x850  (*\"BRANCH_TARGETS .L_b,.L_a,.L_none\"*);", &error);
	assert_int_equal(one(listing)->operand_count, 2);
	assert_int_equal(one(listing)->operands[1].value, -0x850);
	assert_int_equal(one(listing)->target_count, 2);
	assert_int_equal(one(listing)->targets[0], 1);
	assert_int_equal(one(listing)->targets[1], 0);
	sass_free(listing);

	listing = parse_one("CALL.REL.NOINC R2 `($k$f) ;", &error);
	assert_int_equal(one(listing)->operands[1].kind, SASS_LABEL);
	assert_string_equal(one(listing)->operands[1].text, "$k$f");
	assert_int_equal(one(listing)->target_count, 0);
	sass_free(listing);

	/* no such registers */
	listing = parse_one("MOV R300, P9 ;", &error);
	assert_int_equal(one(listing)->operands[0].kind, SASS_OTHER);
	assert_int_equal(one(listing)->operands[1].kind, SASS_OTHER);
	sass_free(listing);
}

static void test_damaged(void **state)
{
	static const char *const bodies[] = {"MOV R1, [R2 ;",
					     "MOV R1, R2",
					     "@Q0 MOV R1, R2 ;",
					     "mov R1 ;",
					     "M,V R1 ;",
					     ";",
					     "BRX R2 (*\"BRANCH_TARGETS .L_a ;",
					     "X 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17 ;",
					     "MOV R1, R2] ;"};
	struct sass_listing *listing;
	struct error error;

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		listing = parse_one(bodies[i], &error);
		assert_non_null(listing);
		assert_int_equal(listing->unread, 1);
		assert_int_equal(strncmp(listing->first, "/*0000*/", 8), 0);
		/* it keeps its place and its control bits */
		assert_string_equal(one(listing)->opcode, "?");
		assert_int_equal(one(listing)->control.stall, 7);
		assert_string_equal(listing->functions[0].instructions[1].opcode, "EXIT");
		sass_free(listing);
	}
	assert_null(sass_parse("hello\n", 6, &error));
	assert_non_null(strstr(error.text, "no instructions"));
}

/* Cut anywhere, or with a byte changed: no crash, and what is whole is as it was. */
static void test_cut(void **state)
{
	size_t size;
	char *text = read_fixture("flow.sm_90", &size);

	(void)state;
	for (size_t cut = 0; cut < size; cut += 61) {
		struct sass_listing *listing;
		struct error error;
		char *part = malloc(cut + 1);

		memcpy(part, text, cut);
		listing = sass_parse(part, cut, &error);
		if (listing) {
			assert_true(listing->unread <= 1);
			sass_free(listing);
		}
		memcpy(part, text, cut);
		for (size_t i = cut % 97; i < cut; i += 97)
			part[i] ^= (char)(1 << (i & 7));
		listing = sass_parse(part, cut, &error);
		assert_true(!listing || cut < 5000 || listing->unread);
		sass_free(listing);
		free(part);
	}
	free(text);
}

static void test_no_tool(void **state)
{
	struct error error;

	(void)state;
	setenv("PATH", "/nonexistent", 1);
	if (system("exec /usr/bin/test -x /usr/local/cuda/bin/nvdisasm -o -x "
		   "/opt/cuda/bin/nvdisasm "
		   "-o -x /usr/lib/nvidia-cuda-toolkit/bin/nvdisasm") == 0)
		skip();
	unsetenv("CUDA_HOME");
	assert_null(sass_disassemble("x", 1, NULL, 0, &error));
	assert_non_null(strstr(error.text, "cuda-nvdisasm"));
}

static void test_tool_fails(void **state)
{
	char folder[] = "/tmp/vflow-sass-XXXXXX", path[64];
	const char *name = "kernel";
	struct error error;
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	sprintf(path, "%s/nvdisasm", folder);
	file = fopen(path, "w");
	fputs("#!/bin/sh\necho 'nothing at all'\n[ \"$6\" ] && exit ${FAILS:-0}\n", file);
	fclose(file);
	assert_int_equal(system((sprintf(path, "chmod +x %s/nvdisasm", folder), path)), 0);
	setenv("PATH", folder, 1);
	setenv("FAILS", "1", 1);
	assert_null(sass_disassemble("x", 1, NULL, 0, &error));
	assert_non_null(strstr(error.text, "failed on 1 bytes"));
	/* no ELF image: it is not even asked */
	assert_null(sass_disassemble("x", 1, &name, 1, &error));
	assert_non_null(strstr(error.text, "no function kernel"));
	unsetenv("FAILS");
	assert_null(sass_disassemble("x", 1, NULL, 0, &error));
	assert_non_null(strstr(error.text, "no instructions"));
	sprintf(path, "%s/nvdisasm", folder);
	remove(path);
	remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_control_sm_90), cmocka_unit_test(test_control_sm_75),
		cmocka_unit_test(test_control_bits),  cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_operands),      cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_cut),           cmocka_unit_test(test_tool_fails),
		cmocka_unit_test(test_no_tool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
