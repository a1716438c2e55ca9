/*
 * tests/unit/gpu_threads.c: blocks on several host threads: the same results, faults and rows as on
 * one, and only for kernels that cannot tell.
 */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/analysis/shadow.h"
#include "gpu/emulator/interpreter/interpreter.h"
#include "gpu/emulator/state/memory.h"

#define BLOCKS 512u
#define THREADS 64u
#define COUNT (BLOCKS * THREADS)
#define HEADER ".version 8.3\n.target sm_90\n.address_size 64\n.extern .func vprintf;\n"
#define REGISTERS ".reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<4>; .reg .pred %p<4>;\n"
/* %d1: an element of `out` per thread; %r1: its number; %r2: its block */
#define KERNEL                                                                                     \
	HEADER ".visible .entry k(.param .u64 out, .param .u64 in) {\n" REGISTERS                  \
	       "ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in];\n"                                \
	       "mov.u32 %r2, %ctaid.x; mad.lo.s32 %r1, %r2, 64, 0;\n"                              \
	       "mov.u32 %r3, %tid.x; add.s32 %r1, %r1, %r3;\n"                                     \
	       "mad.wide.u32 %d1, %r1, 4, %d1;\n"
/* %r4: the sum over i < 400 of (i ^ number) mod 2^32: long enough for helpers to come */
#define LONG                                                                                       \
	"mov.u32 %r4, 0; mov.u32 %r5, 0;\n"                                                        \
	"again: xor.b32 %r6, %r5, %r1; add.u32 %r4, %r4, %r6;\n"                                   \
	"add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 400;\n@%p1 bra again;\n"

static struct allocation *out, *in;
static uint32_t host_threads;

static int create(void **state)
{
	(void)state;
	out = memory_allocate(COUNT * 4, 512);
	in = memory_allocate(COUNT * 4, 512);
	return !out || !in;
}

static int destroy(void **state)
{
	(void)state;
	memory_release(out);
	memory_release(in);
	unsetenv("VFLOW_EMULATOR_THREADS");
	return 0;
}

static uint32_t *words(const struct allocation *allocation)
{
	return (uint32_t *)(uintptr_t)allocation->address;
}

static struct ptx_module *parse(const char *text)
{
	struct error error;
	struct ptx_module *module = ptx_parse(interpreter_machine(), text, strlen(text), &error);

	if (!module)
		fail_msg("%s in:\n%s", error.text, text);
	return module;
}

static int run(const char *text, const char *threads, bool observed, struct fault *fault)
{
	struct ptx_module *module = parse(text);
	uint64_t parameters[] = {out->address, in->address};
	struct launch launch = {.module = module,
				.grid = {BLOCKS, 1, 1},
				.block = {THREADS, 1, 1},
				.kernel = ptx_find_kernel(module, "k"),
				.observed = observed,
				.host_threads = &host_threads,
				.parameters = (const uint8_t *)parameters};
	int result;

	setenv("VFLOW_EMULATOR_THREADS", threads, 1);
	memset(words(out), 0, COUNT * 4);
	for (uint32_t n = 0; n < COUNT; n++)
		words(in)[n] = n * 2654435761u;
	result = interpreter_run(&launch, fault);
	ptx_free(module);
	return result;
}

static void must_run(const char *text, const char *threads, bool observed)
{
	struct fault fault;

	if (run(text, threads, observed, &fault))
		fail_msg("%s", fault.text);
}

static void test_results(void **state)
{
	(void)state;
	must_run(KERNEL LONG "st.global.u32 [%d1], %r4; ret; }", "4", false);
	assert_true(host_threads > 1 && host_threads <= 4);
	for (uint32_t n = 0; n < COUNT; n++) {
		uint32_t sum = 0;

		for (uint32_t i = 0; i < 400; i++)
			sum += i ^ n;
		assert_int_equal(words(out)[n], sum);
	}
	must_run(KERNEL LONG "st.global.u32 [%d1], %r4; ret; }", "1", false);
	assert_int_equal(host_threads, 1);
}

/* Shared memory, barriers and atomics there are the block's own. */
static void test_shared(void **state)
{
	(void)state;
	must_run(KERNEL LONG ".shared .b32 sum; mov.u32 %r7, sum;\n"
			     "red.shared.add.u32 [%r7], %r3; fence.acq_rel.cta; bar.sync 0;\n"
			     "ld.volatile.shared.u32 %r8, [%r7]; st.global.u32 [%d1], %r8; ret; }",
		 "4", false);
	assert_true(host_threads > 1);
	for (uint32_t n = 0; n < COUNT; n++)
		assert_int_equal(words(out)[n], 63 * 64 / 2);
}

/* The program's own rounding, flushing and traps are not the device's, and stay the program's. */
static void test_environment(void **state)
{
	/* 1/100, to nearest downwards; 2^-149 + 0; 1/0: infinity */
	static const char text[] =
		KERNEL LONG "mov.f32 %f1, 0f3F800000; div.rn.f32 %f2, %f1, 0f42C80000;\n"
			    "mov.b32 %r7, %f2; add.f32 %f3, 0f00000001, 0f00000000;\n"
			    "mov.b32 %r8, %f3; add.u32 %r7, %r7, %r8;\n"
			    "div.rn.f32 %f2, %f1, 0f00000000; mov.b32 %r8, %f2;\n"
			    "add.u32 %r7, %r7, %r8; st.global.u32 [%d1], %r7; ret; }";

	(void)state;
	fesetround(FE_UPWARD);
	feenableexcept(FE_DIVBYZERO);
#ifdef __SSE__
	__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); /* as -ffast-math does */
#endif
	must_run(text, "4", false);
	assert_true(host_threads > 1);
	assert_int_equal(fegetround(), FE_UPWARD);
	assert_int_equal(fegetexcept(), FE_DIVBYZERO);
#ifdef __SSE__
	assert_int_equal(__builtin_ia32_stmxcsr() & 0x8040, 0x8040);
#endif
	fesetenv(FE_DFL_ENV);
	for (uint32_t n = 0; n < COUNT; n++)
		assert_int_equal(words(out)[n], 0x3c23d70au + 1 + 0x7f800000u);
}

/* Tickets are given in the order of blocks, as on one thread. */
static void test_order(void **state)
{
	(void)state;
	must_run(KERNEL LONG "setp.ne.u32 %p2, %r3, 0;\n@%p2 ret;\n"
			     "ld.param.u64 %d3, [in]; mov.u32 %r9, 0;\n"
			     "atom.global.add.u32 %r9, [%d3], 1; st.global.u32 [%d1], %r9; ret; }",
		 "4", false);
	assert_int_equal(host_threads, 1);
	for (uint32_t block = 0; block < BLOCKS; block++)
		assert_int_equal(words(out)[block * THREADS], block);
}

/* All blocks from 300 on fault: the first of them is told, however the threads meet. */
static void test_fault(void **state)
{
	const char *text =
		KERNEL LONG "setp.lt.u32 %p2, %r2, 300;\n@%p2 ret;\n"
			    "mad.wide.u32 %d4, %r2, 4096, 0; st.global.u32 [%d4], %r4; ret; }";
	struct fault one, more;

	(void)state;
	assert_int_equal(run(text, "1", false, &one), -1);
	for (unsigned n = 0; n < 5; n++) {
		assert_int_equal(run(text, "4", false, &more), -1);
		assert_true(host_threads > 1);
		assert_int_equal(more.kind, FAULT_ILLEGAL_ADDRESS);
		assert_int_equal(more.block[0], 300);
		assert_int_equal(more.address, 300 * 4096);
		assert_string_equal(more.text, one.text);
	}
}

/* Blocks that never end do not keep the others' fault from being told, nor each other alive. */
static void test_endless(void **state)
{
	struct fault fault;

	(void)state;
	assert_int_equal(run(KERNEL LONG
			     "setp.lt.u32 %p2, %r2, 100;\n@%p2 ret;\n"
			     "setp.gt.u32 %p3, %r2, 100;\nspin: @%p3 bra spin;\ntrap; }",
			     "4", false, &fault),
			 -1);
	assert_int_equal(fault.kind, FAULT_TRAP);
	assert_int_equal(fault.block[0], 100);
	setenv("VFLOW_EMULATOR_TIMEOUT", "0.05", 1);
	assert_int_equal(run(KERNEL "spin: bra spin; }", "4", false, &fault), -1);
	unsetenv("VFLOW_EMULATOR_TIMEOUT");
	assert_int_equal(fault.kind, FAULT_TIMEOUT);
}

static size_t rows_of(const char *threads, struct gpu_row *rows, size_t room)
{
	/* each thread reads its element of `in` and the mirrored one, and writes every second */
	static const char text[] = KERNEL LONG
		"mad.wide.u32 %d3, %r1, 4, %d2; ld.global.u32 %r7, [%d3];\n"
		"sub.u32 %r8, 32767, %r1; mad.wide.u32 %d3, %r8, 4, %d2;\n"
		"ld.global.u16 %r9, [%d3]; and.b32 %r9, %r1, 1; setp.eq.u32 %p2, %r9, 0;\n"
		"and.b32 %r10, %r1, 64; @%p2 st.global.u32 [%d1], %r10; ret; }";
	struct shadow *shadow = shadow_create(false);
	const struct gpu_row *found;
	size_t count;

	assert_non_null(shadow);
	out->shadow = shadow_object_create(shadow, 1, 11, words(out), out->size);
	in->shadow = shadow_object_create(shadow, 2, 12, words(in), in->size);
	memset(words(out), 0, COUNT * 4);
	shadow_initialised(out->shadow, 0, out->size);
	must_run(text, threads, true);
	assert_int_equal(shadow_settle(shadow, 3, &found, &count), 0);
	assert_true(count <= room);
	memcpy(rows, found, count * sizeof(*rows));
	shadow_object_destroy(out->shadow);
	shadow_object_destroy(in->shadow);
	shadow_destroy(shadow);
	out->shadow = in->shadow = NULL;
	return count;
}

static void test_observed(void **state)
{
	struct gpu_row one[4], more[4];

	(void)state;
	assert_int_equal(rows_of("1", one, 4), 2);
	assert_int_equal(host_threads, 1);
	assert_int_equal(rows_of("4", more, 4), 2);
	assert_true(host_threads > 1);
	for (unsigned n = 0; n < 2; n++) {
		const bool write = more[n].object == 1;

		assert_int_equal(more[n].object, one[n].object);
		assert_int_equal(more[n].writer, write ? 11 : 12);
		assert_int_equal(more[n].access, write ? GPU_WRITE : GPU_READ);
		assert_int_equal(more[n].bytes, write ? COUNT * 2 : COUNT * 4);
		/* half of what was stored is zero, as it was; of the other half three bytes of four
		 */
		assert_int_equal(more[n].redundant_bytes, write ? COUNT + COUNT * 3 / 4 : 0);
		assert_int_equal(more[n].redundant_bytes, one[n].redundant_bytes);
	}
}

/* Which instructions tell a block about others. */
static void test_observes_order(void **state)
{
	static const struct {
		const char *instruction;
		bool observes;
	} cases[] = {
		{"ld.global.u32 %r4, [%d2];", false},
		{"ld.global.nc.u32 %r4, [%d2];", false},
		{"st.global.u32 [%d1], %r4;", false},
		{"ld.volatile.global.u32 %r4, [%d2];", true},
		{"ld.volatile.u32 %r4, [%d2];", true},
		{"ld.volatile.shared.u32 %r4, [%r3];", false},
		{"ld.acquire.cta.u32 %r4, [%d2];", false},
		{"ld.acquire.gpu.global.u32 %r4, [%d2];", true},
		{"ld.relaxed.gpu.v2.u32 {%r4, %r5}, [%d2];", true},
		{"ld.global.cv.u32 %r4, [%d2];", true},
		{"st.release.sys.global.u32 [%d2], %r4;", true},
		{"atom.global.add.u32 %r4, [%d2], 1;", true},
		{"atom.add.u32 %r4, [%d2], 1;", true},
		{"atom.shared.add.u32 %r4, [%r3], 1;", false},
		{"red.global.add.f32 [%d2], %f1;", true},
		{"red.relaxed.gpu.global.add.u32 [%d2], 1;", true},
		{"redux.sync.add.s32 %r4, %r3, 0xffffffff;", false},
		{"membar.gl;", true},
		{"membar.cta;", false},
		{"fence.sc.sys;", true},
		{"fence.acq_rel.gpu;", true},
		{"fence.acq_rel.cta;", false},
		{"bar.sync 0;", false},
		{"mov.u32 %r4, %clock;", true},
		{"mov.u64 %d3, %clock64;", true},
		{"mov.u64 %d3, %globaltimer;", true},
		{"mov.u32 %r4, %laneid;", false},
		{"{ .param .b64 a; .param .b64 b; .param .b32 c; call (c), vprintf, (a, b); }",
		 true},
		{"call __assertfail;", false},
		{"call quiet;", true}, /* another function of the module looks: not told apart */
		{"call %d3, ();", true},
	};
	char text[4096];

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(*cases); n++) {
		struct ptx_module *module;

		snprintf(text, sizeof(text),
			 HEADER ".func quiet { ret; }\n"
				".func looks { .reg .b32 %%c; mov.u32 %%c, %%clock; ret; }\n"
				"%.*s%s\n ret; }",
			 (int)(sizeof(KERNEL) - sizeof(HEADER)), &KERNEL[sizeof(HEADER) - 1],
			 cases[n].instruction);
		module = parse(text);
		if (ptx_observes_order(module, ptx_find_kernel(module, "k")) != cases[n].observes)
			fail_msg("%s: %d", cases[n].instruction, !cases[n].observes);
		ptx_free(module);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),     cmocka_unit_test(test_shared),
		cmocka_unit_test(test_environment), cmocka_unit_test(test_order),
		cmocka_unit_test(test_fault),       cmocka_unit_test(test_endless),
		cmocka_unit_test(test_observed),    cmocka_unit_test(test_observes_order),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, create, destroy);
}
