/*
 * tests/unit/gpu_effects.c: instructions that no GPU was asked about: forms that ptxas takes only
 * for other architectures, barriers in memory, copies, and what changes nothing.
 */
#include "tests/unit/gpu_run.h"

#define START GPU_HEADER GPU_KERNEL

/* The forms without .sync, of architectures before 7.0. */
static void test_votes(void **state)
{
	uint32_t out[32 * 8] = {0};

	(void)state;
	assert_string_equal(
		gpu_run(START "mad.wide.u32 %d3, %r1, 32, %d1; setp.lt.u32 %p1, %r1, 5;\n"
			      "vote.all.pred %p2, %p1; selp.u32 %r2, 1, 0, %p2; st.global.u32 "
			      "[%d3], %r2;\n"
			      "vote.any.pred %p2, %p1; selp.u32 %r2, 1, 0, %p2; st.global.u32 "
			      "[%d3+4], %r2;\n"
			      "vote.ballot.b32 %r2, %p1; st.global.u32 [%d3+8], %r2;\n"
			      "shfl.up.b32 %r2, %r1, 1, 0; st.global.u32 [%d3+12], %r2;\n"
			      "shfl.down.b32 %r2|%p3, %r1, 1, 0x1f; st.global.u32 [%d3+16], %r2;\n"
			      "shfl.bfly.b32 %r2, %r1, 3, 0x1f; st.global.u32 [%d3+20], %r2;\n"
			      "shfl.idx.b32 %r2, %r1, 7, 0x1f; st.global.u32 [%d3+24], %r2;\n"
			      "selp.u32 %r2, 1, 0, %p3; st.global.u32 [%d3+28], %r2; ret; }",
			1, 32, 1, out, 256),
		"");
	for (uint32_t lane = 0; lane < 32; lane++) {
		const uint32_t *got = &out[8 * lane];

		assert_int_equal(got[0], 0);
		assert_int_equal(got[1], 1);
		assert_int_equal(got[2], 0x1f);
		assert_int_equal(got[3], lane ? lane - 1 : 0);
		assert_int_equal(got[4], lane < 31 ? lane + 1 : 31);
		assert_int_equal(got[5], lane ^ 3);
		assert_int_equal(got[6], 7);
		assert_int_equal(got[7], lane < 31);
	}
}

#define ARRIVE(arrival)                                                                            \
	START ".shared .b32 cell[32]; mov.u32 %r4, cell;\n"                                        \
	      "and.b32 %r5, %r1, 31; mad.lo.u32 %r4, %r5, 4, %r4;\n"                               \
	      "setp.lt.u32 %p1, %r1, 32; @!%p1 bra second;\n"                                      \
	      "add.u32 %r6, %r1, 100; st.shared.u32 [%r4], %r6; " arrival " 1, 64; ret;\n"         \
	      "second: barrier.sync 1, 64; ld.shared.u32 %r6, [%r4];\n"                            \
	      "st.global.u32 [%d3], %r6; ret; }"

/* The first warp only arrives; the second one waits for it and sees what it stored. */
static void test_arrive(void **state)
{
	static const char *const texts[] = {ARRIVE("bar.arrive"), ARRIVE("barrier.arrive")};
	uint32_t out[64];

	(void)state;
	for (unsigned n = 0; n < 2; n++) {
		assert_string_equal(gpu_run(texts[n], 1, 64, 1, out, 64), "");
		for (uint32_t t = 0; t < 64; t++)
			assert_int_equal(out[t], t < 32 ? 0 : t + 68);
	}
}

static void test_breakpoint(void **state)
{
	uint32_t out[1];

	(void)state;
	assert_non_null(strstr(gpu_run(START "brkpt; ret; }", 1, 1, 1, out, 1), "trap"));
}

/* 32 bytes at once, of compute capability 10; ldu of 16. */
static void test_wide_vectors(void **state)
{
	uint32_t out[32];

	(void)state;
	assert_string_equal(
		gpu_run(START
			"st.global.v4.u32 [%d1], {1, 2, 3, 4}; st.global.v4.u32 [%d1+16], {5, 6, "
			"7, 8};\n"
			"ld.global.v8.b32 {%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15}, [%d1];\n"
			"st.global.v8.b32 [%d1+32], {%r15, %r14, %r13, %r12, %r11, %r10, %r9, "
			"%r8};\n"
			"ldu.global.b128 %q1, [%d1+16]; st.global.b128 [%d1+64], %q1; ret; }",
			1, 1, 1, out, 32),
		"");
	for (uint32_t n = 0; n < 8; n++) {
		assert_int_equal(out[n], n + 1);
		assert_int_equal(out[8 + n], 8 - n);
		assert_int_equal(out[16 + n], n < 4 ? n + 5 : 0);
	}
}

/* 128 bits in shared memory are exchanged, compared and swapped. */
static void test_wide_atomics(void **state)
{
	uint32_t out[16];

	(void)state;
	assert_string_equal(
		gpu_run(START
			".shared .align 16 .b8 cell[16]; mov.u32 %r3, cell;\n"
			"st.shared.v4.u32 [%r3], {1, 2, 3, 4}; mov.b64 %d4, 0x600000005;\n"
			"mov.b64 %d5, 0x800000007; mov.b128 %q1, {%d4, %d5};\n"
			"atom.exch.shared.b128 %q2, [%r3], %q1; st.global.b128 [%d1], %q2;\n"
			"atom.cas.shared.b128 %q3, [%r3], %q1, %q2; st.global.b128 [%d1+16], %q3;\n"
			"ld.shared.b128 %q3, [%r3]; st.global.b128 [%d1+32], %q3; ret; }",
			1, 1, 1, out, 16),
		"");
	for (uint32_t n = 0; n < 4; n++) {
		assert_int_equal(out[n], n + 1);
		assert_int_equal(out[4 + n], n + 5);
		assert_int_equal(out[8 + n], n + 1);
	}
}

/* Addresses of constant memory and of parameters, there and back. */
static void test_spaces(void **state)
{
	uint32_t out[8];

	(void)state;
	assert_string_equal(
		gpu_run(START
			"mov.u64 %d4, out; cvta.param.u64 %d5, %d4; cvta.to.param.u64 %d6, %d5;\n"
			"ld.u64 %d7, [%d5]; sub.u64 %d7, %d7, %d1; st.global.u64 [%d1], %d7;\n"
			"sub.u64 %d6, %d6, %d4; st.global.u64 [%d1+8], %d6;\n"
			"cvta.const.u64 %d5, %d1; cvta.to.const.u64 %d6, %d5;\n"
			"sub.u64 %d6, %d6, %d1; st.global.u64 [%d1+16], %d6;\n"
			".shared .align 16 .b8 cell[16]; mov.u64 %d4, cell; cvta.shared.u64 %d5, "
			"%d4;\n"
			"getctarank.u64 %r4, %d5; st.global.u32 [%d1+24], %r4; ret; }",
			1, 1, 1, out, 8),
		"");
	for (unsigned n = 0; n < 7; n++)
		assert_int_equal(out[n], 0);
}

/* What only hints, orders or reserves. */
static void test_nothing(void **state)
{
	uint32_t out[64];

	(void)state;
	assert_string_equal(
		gpu_run(START
			"mov.u64 %d4, 77; st.global.u32 [%d1], 5;\n"
			"fence.acquire.sync_restrict::shared::cluster.cluster;\n"
			"fence.release.sync_restrict::shared::cta.cluster;\n"
			"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;"
			"\n"
			"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;\n"
			"fence.proxy.tensormap; fence.proxy.tensormap::generic.release.gpu;\n"
			"fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;\n"
			"prefetch.tensormap [%d1]; prefetch.param.tensormap [out];\n"
			"prefetch.const.tensormap [%d1];\n"
			"setmaxnreg.inc.sync.aligned.u32 64; setmaxnreg.dec.sync.aligned.u32 24;\n"
			"discard.global.L2 [%d1+128], 128;\n"
			"ld.global.u32 %r4, [%d1]; st.global.u32 [%d1+4], %r4; ret; }",
			1, 1, 1, out, 64),
		"");
	assert_int_equal(out[0], 5);
	assert_int_equal(out[1], 5);
}

/*
 * A barrier for five arrivals: four leave it incomplete, the fifth completes it.  Two of them were
 * the last of their threads, so the next phase takes three.
 */
static void test_mbarrier(void **state)
{
	uint32_t out[16];

	(void)state;
	assert_string_equal(
		gpu_run(START ".shared .align 8 .b64 bar; mov.u32 %r3, bar;\n"
			      "mbarrier.init.shared.b64 [%r3], 5; mbarrier.arrive.shared.b64 %d4, "
			      "[%r3];\n"
			      "mbarrier.pending_count.b64 %r4, %d4; st.global.u32 [%d1], %r4;\n"
			      "mbarrier.arrive.noComplete.shared.b64 %d5, [%r3], 1;\n"
			      "mbarrier.pending_count.b64 %r4, %d5; st.global.u32 [%d1+4], %r4;\n"
			      "mbarrier.arrive_drop.noComplete.shared.b64 %d5, [%r3], 1;\n"
			      "mbarrier.arrive_drop.shared.b64 %d5, [%r3];\n"
			      "mbarrier.test_wait.shared.b64 %p1, [%r3], %d4;\n"
			      "selp.u32 %r4, 1, 0, %p1; st.global.u32 [%d1+8], %r4;\n"
			      "mbarrier.arrive.shared.b64 _, [%r3];\n"
			      "mbarrier.test_wait.shared.b64 %p1, [%r3], %d4;\n"
			      "selp.u32 %r4, 1, 0, %p1; st.global.u32 [%d1+12], %r4;\n"
			      "mbarrier.try_wait.shared.b64 %p1, [%r3], %d4;\n"
			      "selp.u32 %r4, 1, 0, %p1; st.global.u32 [%d1+16], %r4;\n"
			      "mbarrier.arrive.shared.b64 %d4, [%r3]; mbarrier.arrive.shared.b64 "
			      "_, [%r3];\n"
			      "mbarrier.pending_count.b64 %r4, %d4; st.global.u32 [%d1+20], %r4;\n"
			      /* now the last one, and bytes that are waited for too */
			      "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r3], 16;\n"
			      "mbarrier.arrive.shared.b64 _, [%r3]; mbarrier.test_wait.shared.b64 "
			      "%p1, [%r3], %d4;\n"
			      "selp.u32 %r4, 1, 0, %p1; st.global.u32 [%d1+24], %r4;\n"
			      "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r3], 16;\n"
			      "mbarrier.test_wait.shared.b64 %p1, [%r3], %d4;\n"
			      "selp.u32 %r4, 1, 0, %p1; st.global.u32 [%d1+28], %r4;\n"
			      "mbarrier.inval.shared.b64 [%r3]; ret; }",
			1, 1, 1, out, 16),
		"");
	/* a state says what was missing before the arrival that gave it */
	assert_int_equal(out[0], 5);
	assert_int_equal(out[1], 4);
	assert_int_equal(out[2], 0);
	assert_int_equal(out[3], 1);
	assert_int_equal(out[4], 1);
	assert_int_equal(out[5], 3);
	assert_int_equal(out[6], 0);
	assert_int_equal(out[7], 1);
}

static void test_copies(void **state)
{
	uint32_t out[16];

	(void)state;
	assert_string_equal(
		gpu_run(START ".shared .align 16 .b8 cells[32]; .shared .align 8 .b64 bar; mov.u32 "
			      "%r3, cells;\n"
			      "mov.u32 %r7, bar; mbarrier.init.shared.b64 [%r7], 1;\n"
			      "st.global.v4.u32 [%d1+32], {1, 2, 3, 4};\n"
			      "cp.async.ca.shared.global [%r3], [%d1+36], 4;\n"
			      "cp.async.cg.shared.global [%r3+16], [%d1+32], 16, 8;\n"
			      "cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;\n"
			      "ld.shared.u32 %r4, [%r3]; st.global.u32 [%d1], %r4;\n"
			      "ld.shared.v4.u32 {%r4, %r5, %r6, %r8}, [%r3+16];\n"
			      "st.global.v4.u32 [%d1+16], {%r4, %r5, %r6, %r8};\n"
			      /* arrivals that the count does not know of change nothing; the other
				 completes it */
			      "cp.async.mbarrier.arrive.shared.b64 [%r7];\n"
			      "mbarrier.test_wait.parity.shared.b64 %p1, [%r7], 0;\n"
			      "selp.u32 %r4, 1, 0, %p1; st.global.u32 [%d1+4], %r4;\n"
			      "cp.async.mbarrier.arrive.noinc.shared.b64 [%r7];\n"
			      "mbarrier.test_wait.parity.shared.b64 %p1, [%r7], 0;\n"
			      "selp.u32 %r4, 1, 0, %p1; st.global.u32 [%d1+8], %r4; ret; }",
			1, 1, 1, out, 16),
		"");
	assert_int_equal(out[0], 2);
	assert_int_equal(out[1], 0);
	assert_int_equal(out[2], 1);
	/* of sixteen bytes eight were copied, the others are zero */
	assert_int_equal(out[4], 1);
	assert_int_equal(out[5], 2);
	assert_int_equal(out[6], 0);
	assert_int_equal(out[7], 0);
}

/* Where the predicate holds nothing is read, and zeros are written: there is no memory at 0. */
static void test_ignored_copies(void **state)
{
	uint32_t out[16];

	(void)state;
	assert_string_equal(
		gpu_run(START
			".shared .align 16 .b8 cells[64]; mov.u32 %r3, cells; mov.u32 %r4, "
			"%tid.x;\n"
			"shl.b32 %r5, %r4, 2; add.u32 %r3, %r3, %r5; cvt.u64.u32 %d2, %r5;\n"
			"add.u64 %d1, %d1, %d2; add.u32 %r6, %r4, 7; st.global.u32 [%d1], %r6;\n"
			"setp.ge.u32 %p1, %r4, 2; mov.u64 %d2, 0;\n"
			"selp.b64 %d3, %d2, %d1, %p1; selp.b64 %d4, %d1, %d2, %p1;\n"
			"st.shared.u32 [%r3], 99; st.shared.u32 [%r3+16], 99;\n"
			"cp.async.ca.shared.global [%r3], [%d3], 4, %p1;\n"
			"cp.async.ca.shared.global [%r3+16], [%d4], 4, !%p1;\n"
			"ld.shared.u32 %r6, [%r3]; st.global.u32 [%d1+16], %r6;\n"
			"ld.shared.u32 %r6, [%r3+16]; st.global.u32 [%d1+32], %r6; ret; }",
			1, 4, 1, out, 16),
		"");
	for (uint32_t lane = 0; lane < 4; lane++) {
		assert_int_equal(out[4 + lane], lane < 2 ? 7 + lane : 0);
		assert_int_equal(out[8 + lane], lane < 2 ? 0 : 7 + lane);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_votes),        cmocka_unit_test(test_arrive),
		cmocka_unit_test(test_breakpoint),   cmocka_unit_test(test_wide_vectors),
		cmocka_unit_test(test_spaces),       cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_wide_atomics), cmocka_unit_test(test_mbarrier),
		cmocka_unit_test(test_copies),       cmocka_unit_test(test_ignored_copies),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
