/*
 * tests/unit/gpu_ptx_stores.c: of which kernels the PTX says that they store to the same places
 * with any input, and where the ways of a branch meet.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/emulator/interpreter/interpreter.h"
#include "gpu/ptx/meetings.h"
#include "gpu/ptx/steady_stores.h"

/* %rd3 is an element of p0, %rd4 of p1; %r1 is the thread's index, %p1: it is beyond n. */
#define START                                                                                      \
	"{\n.reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n"                              \
	".loc 1 5 1, function_name $L__info_string0, inlined_at 1 15 9\n"                          \
	"ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u32 %r9, [n];\n"               \
	"cvta.to.global.u64 %rd1, %rd1;\n"                                                         \
	"mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r1, %r2, 256, %r3;\n"             \
	"mul.wide.s32 %rd5, %r1, 4; add.s64 %rd3, %rd1, %rd5; add.s64 %rd4, %rd2, %rd5;\n"         \
	"setp.ge.s32 %p1, %r1, %r9;\n"
#define END "$L__end: ret;\n}"

static bool is_steady(const char *body)
{
	return ptx_has_steady_stores(body, strlen(body));
}

static void steady(const char *body)
{
	if (!is_steady(body))
		fail_msg("stores alike with any input:\n%s", body);
}

static void not_steady(const char *body)
{
	if (is_steady(body))
		fail_msg("may store elsewhere:\n%.4000s", body);
}

static void test_steady(void **state)
{
	(void)state;
	/* if (i < n) p0[i] = p1[i] */
	steady(START "@%p1 bra $L__end; ld.global.u32 %r4, [%rd4]; st.global.u32 [%rd3], %r4;" END);
	steady(START "@%p1 ret; ld.global.u32 %r4, [%rd4]; st.global.u32 [%rd3], %r4;" END);
	steady(START "@!%p1 st.global.v2.u32 [%rd3+8], {%r4, %r5};" END);
	/* one value or another one */
	steady(START "ld.global.u32 %r4, [%rd4]; setp.eq.s32 %p2, %r4, 0; @%p2 bra $a;"
		     "mov.u32 %r5, 1; bra.uni $b; $a: mov.u32 %r5, 2;\n$b: st.global.u32 [%rd3], "
		     "%r5;" END);
	steady(START "ld.global.u32 %r4, [%rd4]; setp.eq.s32 %p2|%p3, %r4, 0; @%p3 mov.u32 %r5, 1;"
		     "selp.u32 %r6, %r5, %r4, %p2; st.global.u32 [%rd3], %r6;" END);
	/* a loop by the grid's size, with a condition by data in it */
	steady(START
	       "$loop: setp.ge.s32 %p4, %r1, %r9; @%p4 bra $L__end; ld.global.u32 %r4, [%rd4];"
	       "setp.eq.s32 %p2, %r4, 0; @%p2 bra $next; add.s32 %r5, %r5, 1; $next: "
	       "st.global.u32 [%rd3], %r5; add.s64 %rd3, %rd3, 1024; add.s32 %r1, %r1, 256;"
	       "bra.uni $loop;" END);
	/* for as long as data says: the number of turns is in what is stored */
	steady(START "$loop: ld.global.u32 %r4, [%rd4]; add.s64 %rd4, %rd4, 4; setp.ne.s32 %p2, "
		     "%r4, 0; @%p2 bra $loop; st.global.u32 [%rd3], %r4;" END);
	/* p1[p1[i]]: another pointer than that of the store */
	steady(START "ld.global.u32 %r4, [%rd4]; mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd2, "
		     "%rd6; ld.global.u32 %r5, [%rd7]; st.global.u32 [%rd3], %r5;" END);
	/* other memory */
	steady(START "ld.global.u32 %r4, [%rd4]; setp.eq.s32 %p2, %r4, 0; @%p2 st.shared.u32 "
		     "[%r1], %r4; @%p2 st.local.u32 [%r1], 1; st.global.u32 [%rd3], 1;" END);
	/* atomics store nothing that they have not read */
	steady(START "ld.global.u32 %r4, [%rd4]; setp.eq.s32 %p2, %r4, 0; @%p2 red.global.add.u32 "
		     "[%rd4], 1; st.global.u32 [%rd3], 1;" END);
}

static void test_not_steady(void **state)
{
	(void)state;
	/* the condition: of the store, of a branch around it, of a return before it, of a loop */
	not_steady(START "ld.global.u32 %r4, [%rd4]; setp.eq.s32 %p2, %r4, 0; "
			 "@%p2 st.global.u32 [%rd3], 1;" END);
	not_steady(START "ld.global.u32 %r4, [%rd4]; setp.eq.s32 %p2, %r4, 0; @%p2 bra $L__end;"
			 "st.global.u32 [%rd3], 1;" END);
	not_steady(START "ld.global.u32 %r4, [%rd4]; setp.eq.s32 %p2, %r4, 0; @%p2 exit;"
			 "mov.u32 %r5, 1; st.global.u32 [%rd3], %r5;" END);
	not_steady(START "$loop: ld.global.u32 %r4, [%rd4]; st.u32 [%rd3], 1; setp.ne.s32 %p2, "
			 "%r4, 0; @%p2 bra $loop;" END);
	/* in a scope of its own, with names of the program's, by what an atomic has found */
	not_steady(START "{ .reg .pred p; .reg .u32 old; atom.global.cas.b32 old, [%rd4], 0, 1;"
			 "setp.eq.u32 p, old, 0; @p st.global.u32 [%rd3], 1; }" END);
	/* the address: itself, by a condition, by the turns of a loop */
	not_steady(START "ld.shared.u32 %r4, [%r1]; mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd1, "
			 "%rd6; st.global.u32 [%rd7], 1;" END);
	not_steady(START "ld.const.u64 %rd7, [table]; st.global.u32 [%rd7], 1;" END);
	not_steady(START "tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd2, {%r1}]; setp.eq.s32 %p2, "
			 "%r7, 0; @%p2 bra $a; add.s64 %rd3, %rd3, 4; $a: st.global.u32 [%rd3], "
			 "1;" END);
	not_steady(START "$loop: ld.global.u32 %r4, [%rd4]; add.s64 %rd3, %rd3, 4; setp.ne.s32 "
			 "%p2, %r4, 0; @%p2 bra $loop; st.global.u32 [%rd3], 1;" END);
	not_steady(START "mov.u32 %r4, %smid; mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd1, %rd6;"
			 "st.global.u32 [%rd7], 1;" END);
	/* what it stores to it may read, or not: p0[p1[i]], and p0[i] on a condition */
	not_steady(START "ld.global.u32 %r4, [%rd4]; mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, "
			 "%rd1, %rd6; ld.global.u32 %r5, [%rd7]; st.global.u32 [%rd3], %r5;" END);
	not_steady(START "ld.global.u32 %r4, [%rd4]; setp.eq.s32 %p2, %r4, 0; @%p2 ld.global.u32 "
			 "%r5, [%rd3]; st.global.u32 [%rd3], %r5;" END);
	not_steady(START "ld.global.u64 %rd7, [%rd4]; ld.global.u32 %r5, [%rd7]; st.global.u32 "
			 "[%rd3], %r5;" END);
	/* other instructions that store */
	not_steady(START "ld.global.u32 %r4, [%rd4]; cp.async.bulk.global.shared::cta.bulk_group "
			 "[%rd3], [%r1], %r4;" END);
	not_steady(START "ld.global.u32 %r4, [%rd4]; wmma.store.d.sync.aligned.row.m16n16k16."
			 "global.f32 [%rd3], {%r5, %r6}, %r4;" END);
}

/* Nothing is known of what is called, and of where an indirect branch goes. */
static void test_unknown(void **state)
{
	(void)state;
	not_steady(START "call.uni helper, (%rd1); st.global.u32 [%rd3], 1;" END);
	not_steady(START
		   "t: .branchtargets $L__end;\nst.global.u32 [%rd3], 1; brx.idx %r1, t;" END);
	not_steady(START "bra nowhere;" END);
	not_steady(START "{ $x: bra $x; } { $x: ret; }" END); /* which of them? */
	not_steady(START "st.global.u32 [%rd3], 1;");         /* it does not end */
	not_steady(START "st.global.u32 %rd3], 1;" END);
	not_steady(START "mov.u32 {%r1}}, 1;" END);
	not_steady("{ ld.param.u64 %rd1, p0; ld.u32 %r1, [%rd1]; st.u32 [%rd1+%r1], 1; }");
	not_steady("ret; }");
	not_steady("");
	steady("{ ret; }");
	steady("{}");
	steady("{ $x: bra $x; }"); /* it stores nothing */
	steady("{ .reg .b32 %r; bra $a; $b: ret; $a: bra $b; } and what follows");
}

static void check_meetings(const struct ptx_block *blocks, uint32_t count, const uint32_t *expected)
{
	uint32_t meets[8];
	uint64_t steps = 1000;

	assert_true(ptx_meetings(blocks, count, meets, &steps));
	for (uint32_t b = 0; b < count; b++)
		assert_int_equal(meets[b], expected[b]);
	steps = 1;
	assert_false(ptx_meetings(blocks, count, meets, &steps));
}

static void test_meetings(void **state)
{
	/* if (a) { if (b) 2; else 3; 4 } 5 */
	static const struct ptx_block nested[] = {{{1, 5}}, {{2, 3}}, {{4, 4}},
						  {{4, 4}}, {{5, 5}}, {{6, 6}}};
	/* a loop (1, 2) with a return from 2, and a way into its middle from 0 */
	static const struct ptx_block loop[] = {{{1, 2}}, {{2, 2}}, {{1, 4}}, {{4, 4}}};
	/* 1 goes round for ever */
	static const struct ptx_block endless[] = {{{1, 2}}, {{1, 1}}, {{3, 3}}};

	(void)state;
	check_meetings(nested, 6, (const uint32_t[]){5, 4, 4, 4, 5, 6});
	check_meetings(loop, 4, (const uint32_t[]){2, 2, 4, 4});
	check_meetings(endless, 3, (const uint32_t[]){2, UINT32_MAX, 3});
}

/* Kernels have it when they are parsed. */
static void test_kernels(void **state)
{
	static const char text[] =
		".version 8.0\n.target sm_80\n.address_size 64\n"
		".entry all(.param .u64 p) { .reg .b64 %rd1; ld.param.u64 %rd1, [p]; "
		"st.global.u32 [%rd1], 1; ret; }\n"
		".entry some(.param .u64 p) { .reg .b64 %rd1; .reg .pred %p1; .reg .u32 %r1; "
		"ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1+4]; setp.eq.u32 %p1, %r1, 0; "
		"@%p1 st.global.u32 [%rd1], 1; ret; }\n";
	struct error error;
	struct ptx_module *module =
		ptx_parse(interpreter_machine(), text, sizeof(text) - 1, &error);

	(void)state;
	assert_non_null(module);
	assert_true(ptx_find_kernel(module, "all")->steady_stores);
	assert_false(ptx_find_kernel(module, "some")->steady_stores);
	ptx_free(module);
}

/* A kernel with more ways than are worth the time is given up. */
static void test_large(void **state)
{
	enum { TURNS = 200000, ROOM = 64 };
	char *body = malloc((size_t)TURNS * ROOM), *end = body;

	(void)state;
	assert_non_null(body);
	end += sprintf(end, "{ ld.global.u32 %%r1, [%%rd1]; setp.eq.s32 %%p1, %%r1, 0;\n");
	for (int i = 0; i < TURNS; i++)
		end += sprintf(end, "$l%d: @%%p1 bra $l%d;\n", i, TURNS - 1 - i);
	sprintf(end, "ret; }"); /* it stores nothing */
	if (is_steady(body))
		fail_msg("it has been looked at to the end");
	free(body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady),  cmocka_unit_test(test_not_steady),
		cmocka_unit_test(test_unknown), cmocka_unit_test(test_meetings),
		cmocka_unit_test(test_kernels), cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
