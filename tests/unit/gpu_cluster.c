/* tests/unit/gpu_cluster.c: writes into shared memory of other blocks of a cluster. */
#include "tests/unit/gpu_run.h"

#define BARRIER                                                                                    \
	".shared .align 16 .b8 cell[16]; .shared .align 8 .b64 bar;\n"                             \
	"mov.u32 %r2, %cluster_ctarank; xor.b32 %r3, %r2, 1; mov.u32 %r4, %ctaid.x;\n"             \
	"mul.wide.u32 %d4, %r4, 16; add.u64 %d4, %d1, %d4; setp.ne.u32 %p1, %r1, 0;\n"             \
	"@!%p1 mbarrier.init.shared.b64 [bar], 1; barrier.cluster.arrive; barrier.cluster.wait;\n" \
	"mov.u32 %r5, cell; mov.u32 %r6, bar; mapa.shared::cluster.u32 %r7, %r5, %r3; "            \
	"mapa.shared::cluster.u32 %r8, %r6, %r3;\n"
#define WAIT                                                                                       \
	"WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra WAIT;\n"               \
	"ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [cell]; "                                      \
	"@!%p1 st.global.v4.u32 [%d4], {%r11, %r12, %r13, %r14};\n"                                \
	"barrier.cluster.arrive; barrier.cluster.wait; ret; }"

static void test_store(void **state)
{
	uint32_t out[8];

	(void)state;
	assert_string_equal(gpu_run(GPU_HEADER GPU_KERNEL BARRIER
				    "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"
				    "add.u32 %r9, %r2, 10; @!%p1 "
				    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
				    ".v2.b32 [%r7], {%r9, 3}, [%r8];\n"
				    "mov.b64 %d5, 0x500000004; @!%p1 "
				    "st.async.shared::cluster.mbarrier::complete_tx::bytes"
				    ".b64 [%r7+8], %d5, [%r8];\n" WAIT,
				    2, 32, 2, out, 8),
			    "");
	const uint32_t expected[] = {11, 3, 4, 5, 10, 3, 4, 5};
	assert_memory_equal(out, expected, sizeof(expected));
}

static void test_reduce(void **state)
{
	uint32_t out[8];

	(void)state;
	/* 32 lanes of each block into the other one */
	assert_string_equal(gpu_run(GPU_HEADER GPU_KERNEL BARRIER
				    "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512;\n"
				    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_"
				    "tx::bytes.add.u32 "
				    "[%r7], %r1, [%r8];\n"
				    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_"
				    "tx::bytes.max.s32 "
				    "[%r7+4], %r1, [%r8];\n"
				    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_"
				    "tx::bytes.inc.u32 "
				    "[%r7+8], 9, [%r8];\n"
				    "shl.b32 %r9, 1, %r1; "
				    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_"
				    "tx::bytes.or.b32 "
				    "[%r7+12], %r9, [%r8];\n" WAIT,
				    2, 32, 2, out, 8),
			    "");
	/* 32 increments that wrap after 9: 32 % 10 */
	const uint32_t expected[] = {496, 31, 2, 0xffffffff, 496, 31, 2, 0xffffffff};
	assert_memory_equal(out, expected, sizeof(expected));
}

static void test_multicast(void **state)
{
	uint32_t out[12];

	(void)state;
	/* block 0 copies for both, to the same place in each */
	assert_string_equal(
		gpu_run(GPU_HEADER GPU_KERNEL BARRIER
			"st.global.v4.b32 [%d1+32], {1, 2, 3, 4};\n"
			"@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"
			"barrier.cluster.arrive; barrier.cluster.wait;\n"
			"add.u64 %d6, %d1, 32; mov.u16 %h1, 3; setp.eq.or.u32 %p3, %r2, 1, %p1;\n"
			"@!%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
			".multicast::cluster [%r5], [%d6], 16, [%r6], %h1;\n" WAIT,
			2, 32, 2, out, 12),
		"");
	const uint32_t expected[] = {1, 2, 3, 4, 1, 2, 3, 4};
	assert_memory_equal(out, expected, sizeof(expected));
	assert_non_null(strstr(gpu_run(GPU_HEADER GPU_KERNEL BARRIER
				       "add.u64 %d6, %d1, 32; mov.u16 %h1, 4; @!%p1 "
				       "cp.async.bulk.shared::cluster.global"
				       ".mbarrier::complete_tx::bytes.multicast::cluster [%r5], "
				       "[%d6], 16, [%r6], %h1;\n" WAIT,
				       2, 32, 2, out, 12),
			       "16-byte store at"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_store),
		cmocka_unit_test(test_reduce),
		cmocka_unit_test(test_multicast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
