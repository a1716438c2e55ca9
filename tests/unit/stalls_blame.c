/*
 * tests/unit/stalls_blame.c: whom samples blame.
 *
 * The samples are made up; who is to blame was found by hand in tests/gpu/sass/flow.sm_90.txt, and
 * the shares were worked out by hand from GPA's equation 1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/stalls/blame.h"
#include "gpu/stalls/loops.h"
#include "gpu/stalls/opcodes.h"
#include "tests/unit/sass_fixture.h"

struct loaded {
	struct sass_listing *listing;
	struct flow *flow;
};

static struct loaded load(const char *function)
{
	struct loaded loaded = {.listing = read_listing("flow.sm_90")};
	struct error error;

	loaded.flow = flow_build(sass_find(loaded.listing, function), &error);
	assert_non_null(loaded.flow);
	return loaded;
}

static void unload(struct loaded *loaded)
{
	flow_free(loaded->flow);
	sass_free(loaded->listing);
}

static struct stall_count sampled(uint32_t offset, enum stall_reason reason, uint64_t samples,
				  uint64_t latency)
{
	return (struct stall_count){offset / 16, reason, samples, latency};
}

#define BLAME(flow, ...)                                                                           \
	blame((flow), (const struct stall_count[]){__VA_ARGS__},                                   \
	      sizeof((const struct stall_count[]){__VA_ARGS__}) / sizeof(struct stall_count))

/* "STALLED REASON<-SOURCE SAMPLES/LATENCY DISTANCE", by the order of stall_blame(). */
static struct stall_blames blame(const struct flow *flow, const struct stall_count *counts,
				 size_t count)
{
	return stall_blame(flow, counts, count);
}

static void assert_blames(const struct stall_blames *blames, const char *wanted)
{
	static const char dependencies[] = {[STALL_NO_DEPENDENCY] = '-',
					    [STALL_AFTER_WRITE] = 'w',
					    [STALL_AFTER_READ] = 'r',
					    [STALL_ORDER] = 'o'};
	char text[1024] = "";

	for (size_t i = 0; i < blames->count; i++) {
		const struct stall_blame *at = &blames->all[i];

		sprintf(text + strlen(text), "%x %s <-%c %x %.0f/%.0f d%u\n", at->stalled * 16,
			stall_reason_name(at->reason), dependencies[at->dependency],
			at->source * 16, at->samples, at->latency, at->distance);
	}
	assert_string_equal(text, wanted);
}

/* Both loads set barrier 3; the first was seen issuing three times as often, twice as far away. */
static void test_shared_barrier(void **state)
{
	struct loaded triad = load("triad");
	struct stall_blames blames =
		BLAME(triad.flow, sampled(0xf0, STALL_LONG_SCOREBOARD, 300, 150),
		      sampled(0xb0, STALL_SELECTED, 30, 0), sampled(0xd0, STALL_SELECTED, 10, 0));

	(void)state;
	/* 30 / 4 to 10 / 2 */
	assert_blames(&blames, "f0 long_scoreboard <-w b0 180/90 d4\n"
			       "f0 long_scoreboard <-w d0 120/60 d2\n");
	assert_int_equal(blames.nodes, 1);
	assert_int_equal(blames.single, 0);
	free(blames.all);
	/* STG waits for LDC's R6 by barrier 0, FFMA's R9 comes by its stall count */
	blames = BLAME(triad.flow, sampled(0x100, STALL_WAIT, 4, 4),
		       sampled(0xe0, STALL_SHORT_SCOREBOARD, 8, 2));
	assert_blames(&blames, "e0 short_scoreboard <-w 90 8/2 d5\n"
			       "100 wait <-o f0 4/4 d1\n");
	assert_int_equal(blames.single, 2);
	assert_true(blames.single_samples == 12 && blames.node_samples == 12);
	free(blames.all);
	unload(&triad);
}

static void test_loop(void **state)
{
	struct loaded choose = load("choose");
	struct stall_blames blames = BLAME(
		/* STG in front of the exit; what is behind that is never executed */
		choose.flow, sampled(0x1d0, STALL_DRAIN, 5, 5),
		/* LDC, before the loop, and LDG, in it, set barrier 0: the reason says which */
		sampled(0x100, STALL_LONG_SCOREBOARD, 400, 300),
		sampled(0x100, STALL_SHORT_SCOREBOARD, 10, 1),
		sampled(0x190, STALL_LONG_SCOREBOARD, 50, 40),
		/* booked behind the barrier */
		sampled(0x170, STALL_BARRIER, 70, 60), sampled(0x1b0, STALL_BARRIER, 7, 6),
		/* the loop's end, seen ten times, or what is before the loop, never seen */
		sampled(0xd0, STALL_WAIT, 110, 0), sampled(0x1a0, STALL_SELECTED, 10, 0),
		/* 10 / 1 to 1 / 19: the branch at 80 can also come here through the loop */
		sampled(0x1b0, STALL_BRANCH_RESOLVING, 191, 0),
		sampled(0x130, STALL_MIO_THROTTLE, 9, 8));

	(void)state;
	assert_blames(&blames, "d0 wait <-o c0 10/0 d1\n"
			       "d0 wait <-o 1a0 100/0 d1\n"
			       "100 long_scoreboard <-w f0 400/300 d1\n"
			       "100 short_scoreboard <-w 90 10/1 d7\n"
			       "130 mio_throttle <-- 130 9/8 d0\n"
			       "170 barrier <-o 160 70/60 d1\n"
			       "190 long_scoreboard <-w 130 50/40 d6\n"
			       "1b0 barrier <-o 160 7/6 d5\n"
			       "1b0 branch_resolving <-o 80 1/0 d19\n"
			       "1b0 branch_resolving <-o 1a0 190/0 d1\n"
			       "1d0 drain <-o 1b0 5/5 d1\n");
	/* six wait for others; only that of d0 has two causes */
	assert_int_equal(blames.nodes, 6);
	assert_int_equal(blames.single, 5);
	assert_int_equal(blames.unknown, 0);
	/* a[a[k]]: the second load could not go before the first had come: by ISETP's P0, and LDC
	 */
	assert_int_equal(stall_cause_before(choose.flow, &blames, 0x130 / 16), 0xf0 / 16);
	assert_int_equal(stall_cause_before(choose.flow, &blames, 0xf0 / 16), SASS_NONE);
	free(blames.all);
	unload(&choose);
}

static void test_distance(void **state)
{
	struct loaded choose = load("choose");

	(void)state;
	assert_int_equal(stall_distance(choose.flow, 0x80 / 16, 0x1b0 / 16), 19);
	assert_int_equal(stall_distance(choose.flow, 0x190 / 16, 0xd0 / 16), 2);
	assert_int_equal(stall_distance(choose.flow, 0x0, 0x10 / 16), 1);
	/* never executed */
	assert_int_equal(stall_distance(choose.flow, 0x1c0 / 16, 0x1d0 / 16), 0);
	unload(&choose);
}

static void test_unknown(void **state)
{
	struct loaded triad = load("triad");
	/* the first instruction waits for nobody here */
	struct stall_blames blames =
		BLAME(triad.flow, sampled(0x0, STALL_LONG_SCOREBOARD, 3, 3),
		      sampled(0x0, STALL_BARRIER, 2, 2), sampled(0x0, STALL_OTHER, 1, 0),
		      sampled(0x10000, STALL_WAIT, 9, 9), sampled(0x10, STALL_SELECTED, 9, 0));

	(void)state;
	assert_blames(&blames, "0 other <-- 0 1/0 d0\n"
			       "0 long_scoreboard <-- 0 3/3 d0\n"
			       "0 barrier <-- 0 2/2 d0\n");
	assert_int_equal(blames.nodes, 2);
	assert_int_equal(blames.unknown, 2);
	free(blames.all);
	unload(&triad);
}

/* What is waited for is a read barrier: an address that is not free yet. */
static void test_drain(void **state)
{
	/* two writes to global memory, one to shared memory; a warp waits at the exit */
	static const char code[] = "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R7||237\n"
				   "STG.E desc[UR4][R2.64], R7||237\n"
				   "STS [R3], R7||37\n"
				   "EXIT||";
	struct sass_listing *listing;
	struct flow *flow = make_flow(code, &listing);
	/* 30 / 3 to 20 / 2 */
	struct stall_blames blames =
		BLAME(flow, sampled(0x30, STALL_DRAIN, 50, 40), sampled(0, STALL_SELECTED, 30, 0),
		      sampled(0x10, STALL_SELECTED, 20, 0), sampled(0x20, STALL_SELECTED, 90, 0));

	(void)state;
	assert_blames(&blames, "30 drain <-o 0 25/20 d3\n"
			       "30 drain <-o 10 25/20 d2\n");
	/* it is no wait for an instruction's result */
	assert_int_equal(blames.nodes, 0);
	free(blames.all);
	flow_free(flow);
	sass_free(listing);
}

static void test_war(void **state)
{
	/* STG sets read barrier 0 (bits 8 to 10 of the control bits, from bit 41 of the second
	 * word), IADD3 waits for it (bit 11); stall counts are those of made() */
	static const char text[] =
		"\t.section\t.text.k,\"ax\",@progbits\nk:\n"
		"  /*0000*/  STG.E desc[UR4][R6.64], R9 ;  /* 0x0000000906007986 */\n"
		"                                          /* 0x0000e20000000000 */\n"
		"  /*0010*/  IADD3 R6, R6, R7, RZ ;        /* 0x0000000706067210 */\n"
		"                                          /* 0x001fe20000000000 */\n"
		"  /*0020*/  EXIT ;                        /* 0x000000000000794d */\n"
		"                                          /* 0x000fea0003800000 */\n";
	struct error error;
	struct sass_listing *listing = sass_parse(text, sizeof(text) - 1, &error);
	struct flow *flow = flow_build(&listing->functions[0], &error);
	struct stall_blames blames = BLAME(flow, sampled(0x10, STALL_SHORT_SCOREBOARD, 6, 6));

	(void)state;
	/* a store's latency is a long one, but nothing else sets the barrier */
	assert_blames(&blames, "10 short_scoreboard <-r 0 6/6 d1\n");
	free(blames.all);
	flow_free(flow);
	sass_free(listing);
}

static void assert_loops(struct flow *flow, const char *wanted)
{
	struct stall_loops loops = stall_loops_find(flow);
	char text[512] = "";

	for (uint32_t i = 0; i < loops.count; i++)
		sprintf(text + strlen(text), "%x in %x, %u blocks\n",
			flow->blocks[loops.all[i].header].first * 16,
			loops.all[i].parent == SASS_NONE
				? 0xfff
				: flow->blocks[loops.all[loops.all[i].parent].header].first * 16,
			loops.all[i].blocks);
	assert_string_equal(text, wanted);
	stall_loops_free(&loops);
}

static void test_loops(void **state)
{
	struct loaded choose = load("choose");
	struct sass_listing *listing;
	struct stall_loops loops;
	struct error error;
	struct flow *flow;

	(void)state;
	/* not the trap behind EXIT, which nothing leads to */
	assert_loops(choose.flow, "d0 in fff, 1 blocks\n");
	unload(&choose);
	/* two inside of one, and a jump out of both */
	listing = made("NOP\n.L_a:\nNOP\n.L_b:\n@P0 BRA `(.L_b)\n@P1 BRA `(.L_d)\n.L_c:\nNOP\n"
		       "@P2 BRA `(.L_c)\n@P3 BRA `(.L_a)\n.L_d:\nEXIT");
	flow = flow_build(&listing->functions[0], &error);
	assert_loops(flow, "10 in fff, 5 blocks\n20 in 10, 1 blocks\n40 in 10, 1 blocks\n");
	loops = stall_loops_find(flow);
	assert_int_equal(stall_loops_common(&loops, flow, 2, 4), 0); /* the outer one */
	assert_int_equal(stall_loops_common(&loops, flow, 4, 5), 2);
	assert_int_equal(stall_loops_common(&loops, flow, 0, 4), SASS_NONE);
	stall_loops_free(&loops);
	flow_free(flow);
	sass_free(listing);
	/* a jump into the middle: of neither block does one come first */
	listing = made("@P0 BRA `(.L_b)\n.L_a:\nNOP\n.L_b:\n@P1 BRA `(.L_a)\nEXIT");
	flow = flow_build(&listing->functions[0], &error);
	assert_loops(flow, "");
	flow_free(flow);
	sass_free(listing);
}

static void test_opcodes(void **state)
{
	struct loaded triad = load("triad");
	const struct sass_instruction *code = triad.flow->function->instructions;

	(void)state;
	assert_int_equal(stall_opcode_of(&code[0xb0 / 16]), OPCODE_GLOBAL);
	assert_int_equal(stall_opcode_of(&code[0x100 / 16]), OPCODE_GLOBAL_STORE);
	assert_int_equal(stall_opcode_of(&code[0x30 / 16]), OPCODE_FIXED); /* ULDC is no LDC */
	assert_int_equal(stall_opcode_of(&code[0x40 / 16]), OPCODE_CONSTANT);
	assert_int_equal(stall_opcode_of(&code[0xf0 / 16]), OPCODE_FIXED);
	assert_string_equal(stall_opcode_words(&code[0x100 / 16]), "a store to global memory");
	unload(&triad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared_barrier), cmocka_unit_test(test_loop),
		cmocka_unit_test(test_distance),       cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_drain),          cmocka_unit_test(test_war),
		cmocka_unit_test(test_loops),          cmocka_unit_test(test_opcodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
