/*
 * tests/unit/gpu_blocks.c: what threads of a block or a cluster do together: clusters, bulk copies,
 * matrices, and the reports of deadlocks and races.
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
#include "gpu/emulator/state/memory.h"

#define HEADER ".version 8.3\n.target sm_90\n.address_size 64\n"
/* %d1: the first parameter, device memory; %r1: the thread */
#define KERNEL                                                                                     \
	HEADER ".visible .entry k(.param .u64 out) {\n"                                            \
	       ".reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .pred %p<9>;\n"          \
	       ".shared .align 16 .b8 cells[4096];\n"                                              \
	       "ld.param.u64 %d1, [out];\nmov.u32 %r1, %tid.x;\n"

static char said[1024];

static void say(const char *text)
{
	snprintf(said, sizeof(said), "%s", text);
}

/* Runs kernel k; `words` go in and out. */
static int run(const char *text, uint32_t blocks, uint32_t threads, uint32_t cluster,
	       uint32_t *words, unsigned count, struct fault *fault)
{
	struct error error;
	struct ptx_module *module = ptx_parse(interpreter_machine(), text, strlen(text), &error);
	struct allocation *memory = memory_allocate(count * 4, 512);
	struct launch launch = {.module = module,
				.grid = {blocks, 1, 1},
				.block = {threads, 1, 1},
				.cluster = {cluster, cluster != 0, cluster != 0},
				.say = say,
				.parameters = (const uint8_t *)&memory->address};
	int result;

	if (!module)
		fail_msg("%s in:\n%s", error.text, text);
	said[0] = '\0';
	launch.kernel = ptx_find_kernel(module, "k");
	memcpy((void *)(uintptr_t)memory->address, words, count * 4);
	result = interpreter_run(&launch, fault);
	memcpy(words, (void *)(uintptr_t)memory->address, count * 4);
	memory_release(memory);
	ptx_free(module);
	return result;
}

static void must_run(const char *text, uint32_t blocks, uint32_t threads, uint32_t cluster,
		     uint32_t *words, unsigned count)
{
	struct fault fault;

	if (run(text, blocks, threads, cluster, words, count, &fault))
		fail_msg("%s", fault.text);
}

static void must_fail(const char *text, uint32_t threads, enum fault_kind kind, const char *part)
{
	uint32_t words[64] = {0};
	struct fault fault;

	assert_int_equal(run(text, 1, threads, 0, words, 64, &fault), -1);
	assert_int_equal(fault.kind, kind);
	if (!strstr(fault.text, part))
		fail_msg("'%s' is not in '%s'", part, fault.text);
}

/* Each block of a cluster of 4 writes into the shared memory of the next one. */
static void test_cluster(void **state)
{
	uint32_t words[8 * 4] = {0};

	(void)state;
	must_run(KERNEL
		 "mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %cluster_nctarank;\n"
		 "add.u32 %r4, %r2, 1; rem.u32 %r4, %r4, %r3;\n"
		 "mov.u32 %r5, cells; mapa.shared::cluster.u32 %r6, %r5, %r4;\n"
		 "mov.u32 %r7, %ctaid.x; add.u32 %r7, %r7, 100;\n"
		 "barrier.cluster.arrive; barrier.cluster.wait;\n"
		 "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared::cluster.u32 [%r6], %r7;\n"
		 "mov.u64 %d2, cells; cvta.shared.u64 %d2, %d2; mapa.u64 %d3, %d2, 0;\n"
		 "atom.add.u32 %r8, [%d3+8], 1;\n" /* all threads of the cluster count in block 0 */
		 "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n"
		 "@!%p1 ret;\n"
		 "mov.u32 %r9, %ctaid.x; mul.wide.u32 %d4, %r9, 16; add.u64 %d4, %d1, %d4;\n"
		 "ld.shared.u32 %r10, [cells]; st.global.u32 [%d4], %r10;\n"
		 "ld.shared.u32 %r11, [cells+8]; st.global.u32 [%d4+4], %r11;\n"
		 "getctarank.shared::cluster.u32 %r12, %r6; st.global.u32 [%d4+8], %r12;\n"
		 "mov.u32 %r13, %clusterid.x; st.global.u32 [%d4+12], %r13; ret; }",
		 8, 64, 4, words, 32);
	for (uint32_t block = 0; block < 8; block++) {
		uint32_t rank = block % 4;

		assert_int_equal(words[4 * block], 100 + block / 4 * 4 + (rank + 3) % 4);
		assert_int_equal(words[4 * block + 1], rank == 0 ? 256 : 0);
		assert_int_equal(words[4 * block + 2], (rank + 1) % 4);
		assert_int_equal(words[4 * block + 3], block / 4);
	}
}

/* Without a cluster a block is its own; other ranks do not exist. */
static void test_no_cluster(void **state)
{
	uint32_t words[4] = {9, 9, 9, 9};

	(void)state;
	must_run(
		KERNEL
		"mov.u32 %r2, %cluster_nctarank; st.global.u32 [%d1], %r2;\n"
		"mov.u32 %r3, cells; mapa.shared::cluster.u32 %r4, %r3, 0; sub.u32 %r4, %r4, %r3;\n"
		"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
		"st.global.u32 [%d1+4], %r4; ret; }",
		1, 32, 0, words, 4);
	assert_int_equal(words[0], 1);
	assert_int_equal(words[1], 0);
	must_fail(KERNEL "mov.u32 %r3, cells; mapa.shared::cluster.u32 %r4, %r3, 1; ret; }", 32,
		  FAULT_ILLEGAL_ADDRESS, "block 1 of a cluster of 1");
	must_fail(KERNEL "mov.u32 %r3, 0x3000000; ld.shared::cluster.u32 %r4, [%r3]; ret; }", 32,
		  FAULT_ILLEGAL_ADDRESS, "shared");
}

/* A bulk copy may be done before its bytes are expected: the phase ends when both have happened. */
static void test_bulk(void **state)
{
	uint32_t words[64];

	(void)state;
	for (unsigned n = 0; n < 64; n++)
		words[n] = n;
	must_run(KERNEL
		 "setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, cells; add.u32 %r3, %r2, 1024;\n"
		 "@%p1 bra WAIT;\nmbarrier.init.shared.b64 [%r3], 1;\n"
		 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d1], "
		 "64, [%r3];\n"
		 "mbarrier.test_wait.parity.shared.b64 %p2, [%r3], 0; selp.u32 %r4, 1, 0, %p2;\n"
		 "mbarrier.arrive.expect_tx.shared.b64 %d2, [%r3], 64;\n"
		 "mbarrier.test_wait.parity.shared.b64 %p2, [%r3], 0; selp.u32 %r5, 1, 0, %p2;\n"
		 "WAIT: bar.sync 0;\nmul.lo.u32 %r6, %r1, 4; add.u32 %r6, %r6, %r2;\n"
		 "ld.shared.u32 %r7, [%r6]; add.u32 %r7, %r7, 1000; st.shared.u32 [%r6], %r7;\n"
		 "fence.proxy.async.shared::cta; bar.sync 0;\n@%p1 ret;\n"
		 "cp.async.bulk.global.shared::cta.bulk_group [%d1+64], [%r2], 32;\n"
		 "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1+96], [%r2], 32;\n"
		 "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;\n"
		 "st.global.u32 [%d1+200], %r4; st.global.u32 [%d1+204], %r5; ret; }",
		 1, 16, 0, words, 64);
	for (unsigned n = 0; n < 8; n++) {
		assert_int_equal(words[16 + n], 1000 + n);
		assert_int_equal(words[24 + n], 24 + n + 1000 + n);
	}
	assert_int_equal(words[50], 0);
	assert_int_equal(words[51], 1);
	must_fail(KERNEL "mov.u32 %r2, cells; cp.async.bulk.global.shared::cta.bulk_group [%d1], "
			 "[%r2], 24; ret; }",
		  1, FAULT_MISALIGNED, "24 bytes");
	must_fail(KERNEL "mov.u32 %r2, cells; cp.async.bulk.global.shared::cta.bulk_group [%d1], "
			 "[%r2], 512; ret; }",
		  1, FAULT_ILLEGAL_ADDRESS, "past the end");
}

#define R8(name)                                                                                   \
	"{%" name "0, %" name "1, %" name "2, %" name "3, %" name "4, %" name "5, %" name          \
	"6, %" name "7}"

/* d = a b + c with a: f16 with row r, column k holding r - k, b: the identity times 3, c: 0.5. */
static void test_wmma(void **state)
{
	uint32_t words[512] = {0};
	uint16_t *a = (uint16_t *)words, *b = a + 256;
	float *d = (float *)(words + 256);
	static const uint16_t small[] = {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500,
					 0x4600, 0x4700, 0x4800, 0x4880, 0x4900, 0x4980,
					 0x4a00, 0x4a80, 0x4b00, 0x4b80};

	(void)state;
	for (unsigned r = 0; r < 16; r++)
		for (unsigned k = 0; k < 16; k++) {
			a[r * 16 + k] = r >= k ? small[r - k] : small[k - r] | 0x8000;
			b[k * 16 + r] = r == k ? 0x4200 : 0;
		}
	must_run(KERNEL ".reg .b32 %a<8>, %b<8>; .reg .f32 %c<8>;\nadd.u64 %d2, %d1, 512; add.u64 "
			"%d3, %d1, 1024;\n"
			"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " R8(
				"a") ", [%d1], 16;\n"
				     "wmma.load.b.sync.aligned.col.m16n16k16.global.f16 " R8(
					     "b") ", [%d2];\n"
						  "mov.f32 %c0, 0.5; mov.f32 %c1, 0.5; mov.f32 "
						  "%c2, 0.5; mov.f32 %c3, 0.5; mov.f32 %c4, 0.5;"
						  "mov.f32 %c5, 0.5; mov.f32 %c6, 0.5; mov.f32 "
						  "%c7, 0.5;\n"
						  "wmma.mma.sync.aligned.row.col.m16n16k16.f32."
						  "f32 " R8("c") ", " R8("a") ", " R8("b") ", " R8(
							  "c") ";\n"
							       "wmma.store.d.sync.aligned.col."
							       "m16n16k16.global.f32 [%d3], " R8(
								       "c") ", 16; ret; }",
		 1, 32, 0, words, 512);
	for (int r = 0; r < 16; r++)
		for (int k = 0; k < 16; k++)
			if (d[k * 16 + r] != (float)(3 * (r - k)) + 0.5f) /* stored by columns */
				fail_msg("row %d, column %d: %f", r, k, (double)d[k * 16 + r]);
	/* no shape is guessed: what PTX does not have is refused by name */
	must_fail(KERNEL "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%r2, %r3, %r4, %r5}, "
			 "{%r2, %r3, %r4, "
			 "%r5}, {%r2, %r3}, {%r2, %r3, %r4, %r5}; ret; }",
		  32, FAULT_ILLEGAL_INSTRUCTION, "mma.sync.aligned.m16n8k32");
	must_fail(KERNEL "tcgen05.wait::ld.sync.aligned; ret; }", 32, FAULT_ILLEGAL_INSTRUCTION,
		  "kernel k, PTX line 9: 'tcgen05.wait::ld.sync.aligned' is not supported");
}

static void test_deadlock(void **state)
{
	(void)state;
	must_fail(
		KERNEL "setp.lt.u32 %p1, %r1, 40;\n@%p1 bra ONE;\nbar.sync "
		       "1;\nret;\nONE:\nbar.sync 2;\nret; }",
		64, FAULT_TIMEOUT,
		"kernel k, PTX line 14: deadlock: 40 threads of block (0, 0, 0) wait at barrier 2, "
		"which nobody can pass; others wait at PTX line 11");
	must_fail(KERNEL "bar.sync 3, 96;\nret; }", 64, FAULT_TIMEOUT,
		  "64 threads of block (0, 0, 0) wait at barrier 3, which nobody can pass: too few "
		  "threads");
	must_fail(KERNEL "setp.lt.u32 %p1, %r1, 32;\n@%p1 barrier.cluster.arrive;\n@%p1 "
			 "barrier.cluster.wait;\nbar.sync 0; ret; }",
		  64, FAULT_TIMEOUT, "deadlock");
}

static void expect_race(const char *text, const char *part)
{
	uint32_t words[64] = {0};

	must_run(text, 1, 64, 0, words, 64);
	if (!part && said[0])
		fail_msg("no race, but: %s", said);
	if (part && !strstr(said, part))
		fail_msg("'%s' is not in '%s'", part, said);
}

/* Each thread writes its word and reads that of the thread `distance` further on. */
#define NEIGHBOURS(distance, between)                                                              \
	KERNEL "mov.u32 %r2, cells; mad.lo.u32 %r2, %r1, 4, %r2;\nst.shared.u32 [%r2], "           \
	       "%r1;\n" between "\nld.shared.u32 %r3, [%r2+" distance                              \
	       "];\nst.global.u32 [%d1], %r3; ret; }"

static void test_races(void **state)
{
	(void)state;
	expect_race(NEIGHBOURS("128", ""), NULL); /* nobody looks */
	setenv("VFLOW_EMULATOR_RACES", "1", 1);
	expect_race(NEIGHBOURS("128", ""), "race on shared memory at offset 0x");
	expect_race(NEIGHBOURS("128", ""), "PTX line 12");
	expect_race(NEIGHBOURS("128", ""), "PTX line 10");
	expect_race(NEIGHBOURS("128", "bar.sync 0;"), NULL);
	expect_race(NEIGHBOURS("0", ""), NULL); /* one's own word */
	expect_race(KERNEL "st.shared.u32 [cells], %r1; ret; }",
		    "written at PTX line 9 and written");
	expect_race(KERNEL "atom.shared.add.u32 %r2, [cells], 1; ret; }", NULL);
	/* a byte of each thread: neighbours in one word are no race */
	expect_race(KERNEL
		    "mov.u32 %r2, cells; add.u32 %r2, %r2, %r1; st.shared.u8 [%r2+31], %r1; ret; }",
		    NULL);
	/* written for all by one warp, without the barrier behind the loop */
	expect_race(KERNEL "ld.shared.u32 %r2, [cells];\nsetp.ge.u32 %p1, %r1, 32; @%p1 "
			   "st.shared.u32 [cells], %r1;\nret; }",
		    "race on shared memory");
	unsetenv("VFLOW_EMULATOR_RACES");
}

/* Registered memory of the host may begin anywhere; what counts is the address. */
static void test_registered(void **state)
{
	static uint32_t host[300] __attribute__((aligned(64)));
	const char *text = HEADER
		".visible .entry k(.param .u64 p) {\n"
		".reg .b32 %r<3>; .reg .b64 %d<5>;\nld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x;\n"
		"mul.wide.u32 %d2, %r1, 8; add.u64 %d2, %d1, %d2;\n"
		"ld.global.u64 %d3, [%d2]; add.u64 %d3, %d3, 1; st.global.u64 [%d2], %d3;\n"
		"ld.global.u64 %d4, [%d2+4]; ret; }";
	struct error error;
	struct ptx_module *module = ptx_parse(interpreter_machine(), text, strlen(text), &error);
	struct allocation *memory = memory_register((uintptr_t)host + 4, sizeof(host) - 4);
	uint64_t address = (uintptr_t)host + 8;
	struct launch launch = {.module = module,
				.kernel = ptx_find_kernel(module, "k"),
				.grid = {1, 1, 1},
				.block = {32, 1, 1},
				.parameters = (const uint8_t *)&address};
	struct fault fault;

	(void)state;
	assert_non_null(memory);
	assert_int_equal(interpreter_run(&launch, &fault), -1);
	assert_int_equal(fault.kind, FAULT_MISALIGNED);
	for (unsigned n = 0; n < 32; n++)
		assert_int_equal(host[2 + 2 * n], 1);
	memory_release(memory);
	ptx_free(module);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cluster),    cmocka_unit_test(test_no_cluster),
		cmocka_unit_test(test_bulk),       cmocka_unit_test(test_wmma),
		cmocka_unit_test(test_deadlock),   cmocka_unit_test(test_races),
		cmocka_unit_test(test_registered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
