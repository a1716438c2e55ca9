/*
 * tests/unit/sass_flow.c: blocks, and which instruction wrote what another reads.
 *
 * Blocks and writers of tests/gpu/sass/flow.sm_90.txt were found by hand in the listing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/sass/flow.h"
#include "tests/unit/sass_fixture.h"

static void assert_offsets(const struct flow *flow, const uint32_t *instructions, size_t count,
			   const char *wanted)
{
	char text[256] = "";

	for (size_t i = 0; i < count; i++)
		sprintf(text + strlen(text), "%s%x", i ? " " : "",
			flow->function->instructions[instructions[i]].offset);
	assert_string_equal(text, wanted);
}

static void assert_blocks(const struct flow *flow, const char *wanted)
{
	char text[512] = "";

	for (uint32_t i = 0; i < flow->block_count; i++) {
		const struct flow_block *block = &flow->blocks[i];

		sprintf(text + strlen(text), "%s%x:", i ? " " : "", block->first * 16);
		for (uint32_t k = 0; k < block->successor_count; k++)
			sprintf(text + strlen(text), "%s%x", k ? "," : "",
				flow->blocks[block->successors[k]].first * 16);
	}
	assert_string_equal(text, wanted);
}

/* The writers of what the instruction at an offset reads from a register. */
static void assert_writers(const struct flow *flow, uint32_t offset, unsigned reg,
			   const char *wanted)
{
	uint32_t writers[16], value = flow_read(flow, offset / 16, reg);

	assert_int_not_equal(value, SASS_NONE);
	assert_offsets(flow, writers, flow_writers(flow, value, writers, 16), wanted);
}

static void assert_setters(const struct flow *flow, uint32_t offset, unsigned barrier,
			   const char *wanted)
{
	uint32_t setters[16];

	assert_true(flow_waits(&flow->function->instructions[offset / 16]) >> barrier & 1);
	assert_offsets(flow, setters, flow_setters(flow, offset / 16, barrier, setters, 16),
		       wanted);
}

static void test_straight(void **state)
{
	struct sass_listing *listing = read_listing("flow.sm_90");
	struct error error;
	struct flow *flow = flow_build(sass_find(listing, "triad"), &error);

	(void)state;
	assert_blocks(flow, "0: 120:120");
	assert_false(flow->open);
	assert_writers(flow, 0xf0, 5, "d0"); /* FFMA R9, R5, UR6, R2 */
	assert_writers(flow, 0xf0, 2, "b0");
	assert_writers(flow, 0xf0, SASS_UNIFORM(6), "30");
	assert_writers(flow, 0xb0, SASS_UNIFORM(4), "80"); /* not S2UR's, at 20 */
	assert_writers(flow, 0xa0, 9, "70");
	assert_int_equal(flow_read(flow, 0xf0 / 16, 7), SASS_NONE);
	assert_int_equal(flow_written(flow, 0xf0 / 16, 5), SASS_NONE);
	assert_int_equal(flow->values[flow_written(flow, 0xf0 / 16, 9)].instruction, 0xf0 / 16);
	assert_setters(flow, 0xf0, 3, "b0 d0");
	assert_setters(flow, 0x70, 0, "10 20 40");
	assert_setters(flow, 0xc0, 2, "60");
	assert_setters(flow, 0xe0, 0, "90");
	flow_free(flow);
	sass_free(listing);
}

static void test_loop(void **state)
{
	struct sass_listing *listing = read_listing("flow.sm_90");
	struct error error;
	struct flow *flow = flow_build(sass_find(listing, "choose"), &error);
	uint32_t few[1];

	(void)state;
	assert_blocks(flow, "0:90,1b0 90:d0 d0:d0,1b0 1b0: 1d0:1d0");
	/* the sum that is stored: of no iteration (40), set before the loop (a0), or of one (190)
	 */
	assert_writers(flow, 0x1b0, 9, "40 a0 190");
	assert_writers(flow, 0x190, 9, "a0 190");
	/* @P0 LDG R2 leaves what was there where P0 is false: LDC's and IMAD.WIDE's are under it,
	 * too */
	assert_writers(flow, 0x190, 2, "110 120 130");
	assert_writers(flow, 0x190, SASS_PREDICATE_OF(0), "100");
	assert_writers(flow, 0xd0, SASS_UNIFORM(8), "c0 150");
	assert_writers(flow, 0x180, SASS_UNIFORM_PREDICATE_OF(0), "150");
	assert_setters(flow, 0x190, 2, "130");
	assert_setters(flow, 0x120, 0, "110");
	/* LDC R10 before the loop; LDG in it */
	assert_setters(flow, 0x100, 0, "90 f0");
	/* more of them than there is room for */
	assert_int_equal(flow_writers(flow, flow_read(flow, 0x1b0 / 16, 9), few, 1), 3);
	assert_int_equal(few[0], 4);
	flow_free(flow);
	sass_free(listing);
}

static void assert_flow(const char *lines, bool open, const char *wanted)
{
	struct sass_listing *listing = made(lines);
	struct error error;
	struct flow *flow = flow_build(&listing->functions[0], &error);

	assert_non_null(flow);
	assert_blocks(flow, wanted);
	assert_int_equal(flow->open, open);
	flow_free(flow);
	sass_free(listing);
}

static void test_jumps(void **state)
{
	(void)state;
	/* a predicate as operand, too; what never goes on is no way to what is behind it */
	assert_flow("BRA P1, `(.L_a)\nNOP\n.L_a:\nEXIT\nNOP", false, "0:10,20 10:20 20: 30:");
	assert_flow("BRA `(.L_a)\nNOP\n.L_a:\n@P0 EXIT\nEXIT", false, "0:20 10:20 20:30 30:");
	assert_flow("BRA.DIV UR4, `(.L_a)\nNOP\n.L_a:\n@!PT EXIT\nEXIT", false,
		    "0:10,20 10:20 20:30 30:");
	/* BSSY only says where paths will meet */
	assert_flow("BSSY B0, `(.L_a)\n@P0 BRA `(.L_b)\nNOP\n.L_b:\nBSYNC B0\n.L_a:\nEXIT", false,
		    "0:20,30 20:30 30:40 40:");
	assert_flow("BRX R2 -0x850 (*\"BRANCH_TARGETS .L_a,.L_b\"*)\n.L_a:\nNOP\n.L_b:\nEXIT",
		    false, "0:10,20 10:20 20:");
	assert_flow("BRX R2 -0x850\nEXIT", true, "0: 10:");
	/* a call of what is elsewhere, and of who knows whom */
	assert_flow("CALL.ABS.NOINC `(elsewhere)\nEXIT", false, "0:10 10:");
	assert_flow("CALL.REL.NOINC R2 `(k)\nEXIT", false, "0:10 10:");
	/* f is called twice and returns to both places; k returns to nobody */
	assert_flow("CALL.REL.NOINC `($k$f)\nNOP\nCALL.REL.NOINC `($k$f)\nRET.REL.NODEC R2 `(k)\n"
		    "$k$f:\n@P0 RET.REL.NODEC R4 `(k)\nRET.REL.NODEC R4 `(k)",
		    false, "0:40 10:40 30: 40:10,30,50 50:10,30");
}

static void test_depbar(void **state)
{
	struct sass_listing *listing = made("DEPBAR.LE SB2, 0x1, {5,0}\nEXIT");

	(void)state;
	assert_int_equal(flow_waits(&listing->functions[0].instructions[0]), 1 << 2 | 1 << 5 | 1);
	assert_int_equal(flow_waits(&listing->functions[0].instructions[1]), 0);
	sass_free(listing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_straight),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_depbar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
