/*
 * tests/unit/gpu_group.c: wgmma: four warps, matrices in shared memory.
 *
 * a is 64 x 16 and b 16 x 8 of f16, small integers: element (i, k) of a is (i + 3k) % 7 - 3, (k, n)
 * of b is (2k + n) % 5 - 2.  Threads write them where the layout wants them, then multiply.
 */
#include "tests/unit/gpu_run.h"

#define K 16u

static int a_at(unsigned i, unsigned k)
{
	return (int)((i + 3 * k) % 7) - 3;
}

static int b_at(unsigned k, unsigned n)
{
	return (int)((2 * k + n) % 5) - 2;
}

/* Statements that leave in %r12 where element %r10 along m or n, %r11 along k, lies. */
struct layout {
	const char *place_a, *place_b;
	uint64_t descriptor_a, descriptor_b; /* without the address */
	const char *transposes;
};

#define OFFSETS(leading, stride) ((uint64_t)(leading) / 16 << 16 | (uint64_t)(stride) / 16 << 32)

static const struct layout layouts[] = {
	/* no swizzle, along k: cores of 8 rows x 16 bytes; the second half of k 128 bytes on */
	{"shr.u32 %r20, %r10, 3; and.b32 %r21, %r10, 7; shr.u32 %r22, %r11, 3; and.b32 %r23, %r11, "
	 "7; "
	 "shl.b32 %r12, %r20, 8; mad.lo.u32 %r12, %r22, 128, %r12; mad.lo.u32 %r12, %r21, 16, "
	 "%r12; "
	 "mad.lo.u32 %r12, %r23, 2, %r12;",
	 "shr.u32 %r22, %r11, 3; and.b32 %r23, %r11, 7; shl.b32 %r12, %r22, 7; "
	 "mad.lo.u32 %r12, %r10, 16, %r12; mad.lo.u32 %r12, %r23, 2, %r12;",
	 OFFSETS(128, 256), OFFSETS(128, 256), "0, 0"},
	/* 32 bytes, along k: rows of 32 bytes, chunks of rows 4 to 7 change places */
	{"shl.b32 %r12, %r10, 5; mad.lo.u32 %r12, %r11, 2, %r12; shr.u32 %r20, %r10, 2; "
	 "and.b32 %r20, %r20, 1; shl.b32 %r20, %r20, 4; xor.b32 %r12, %r12, %r20;",
	 "shl.b32 %r12, %r10, 5; mad.lo.u32 %r12, %r11, 2, %r12; shr.u32 %r20, %r10, 2; "
	 "and.b32 %r20, %r20, 1; shl.b32 %r20, %r20, 4; xor.b32 %r12, %r12, %r20;",
	 OFFSETS(16, 256) | 3ull << 62, OFFSETS(16, 256) | 3ull << 62, "0, 0"},
	/* a: 128 bytes, along m: 64 elements in a row of 128 bytes, one row for each of k; b: none,
	 * along n: 8 elements in 16 bytes, 8 rows of k, then the others 128 bytes on */
	{"shl.b32 %r12, %r11, 7; mad.lo.u32 %r12, %r10, 2, %r12; and.b32 %r20, %r11, 7; "
	 "shl.b32 %r20, %r20, 4; xor.b32 %r12, %r12, %r20;",
	 "shl.b32 %r12, %r11, 4; mad.lo.u32 %r12, %r10, 2, %r12;", OFFSETS(16, 1024) | 1ull << 62,
	 OFFSETS(128, 256), "1, 1"},
};

static void run(const struct layout *layout, const char *product, uint32_t *out)
{
	char text[8192];

	snprintf(text, sizeof(text),
		 "%s%s.shared .align 1024 .b8 a[4096]; .shared .align 1024 .b8 b[1024];\n"
		 "mov.u32 %%r14, %%r1; FILL_A: shr.u32 %%r10, %%r14, 4; and.b32 %%r11, %%r14, 15; "
		 "mad.lo.u32 %%r13, %%r11, 3, %%r10; rem.u32 %%r13, %%r13, 7; sub.s32 %%r13, "
		 "%%r13, 3; "
		 "cvt.rn.f16.s32 %%h1, %%r13; %s mov.u32 %%r15, a; add.u32 %%r12, %%r12, %%r15; "
		 "st.shared.b16 [%%r12], %%h1; add.u32 %%r14, %%r14, 128; setp.lt.u32 %%p1, %%r14, "
		 "1024; "
		 "@%%p1 bra FILL_A;\n"
		 "shr.u32 %%r10, %%r1, 4; and.b32 %%r11, %%r1, 15; mad.lo.u32 %%r13, %%r11, 2, "
		 "%%r10; "
		 "rem.u32 %%r13, %%r13, 5; sub.s32 %%r13, %%r13, 2; cvt.rn.f16.s32 %%h1, %%r13; %s "
		 "mov.u32 %%r15, b; add.u32 %%r12, %%r12, %%r15; st.shared.b16 [%%r12], %%h1; "
		 "bar.sync 0;\n"
		 "mov.u32 %%r15, a; shr.u32 %%r15, %%r15, 4; cvt.u64.u32 %%d4, %%r15; "
		 "or.b64 %%d4, %%d4, 0x%llx; mov.u32 %%r15, b; shr.u32 %%r15, %%r15, 4; "
		 "cvt.u64.u32 %%d5, %%r15; or.b64 %%d5, %%d5, 0x%llx;\n"
		 "mov.b32 %%r16, 0x41200000; mov.b32 %%r17, %%r16; mov.b32 %%r18, %%r16; "
		 "mov.b32 %%r19, %%r16; setp.ne.u32 %%p2, %%r1, %%r1; not.pred %%p3, %%p2;\n"
		 "wgmma.fence.sync.aligned; %s wgmma.commit_group.sync.aligned; "
		 "wgmma.wait_group.sync.aligned 0;\n"
		 "mul.wide.u32 %%d6, %%r1, 16; add.u64 %%d6, %%d6, %%d1; "
		 "st.global.v4.b32 [%%d6], {%%r16, %%r17, %%r18, %%r19}; ret; }",
		 GPU_HEADER, GPU_KERNEL, layout->place_a, layout->place_b,
		 (unsigned long long)layout->descriptor_a, (unsigned long long)layout->descriptor_b,
		 product);
	assert_string_equal(gpu_run(text, 1, 128, 1, out, 512), "");
}

/* d of m64n8 in f32: lane 4g + t of warp w has row 16w + g + 8 (n / 2), column 2t + n % 2. */
static void check(const uint32_t *out, int sign, int start)
{
	for (unsigned thread = 0; thread < 128; thread++)
		for (unsigned n = 0; n < 4; n++) {
			unsigned i = thread / 32 * 16 + thread % 32 / 4 + n / 2 * 8;
			unsigned j = thread % 4 * 2 + n % 2;
			int sum = 0;
			float expected, got;

			for (unsigned k = 0; k < K; k++)
				sum += a_at(i, k) * b_at(k, j);
			expected = (float)(sign * sum + start);
			memcpy(&got, &out[4 * thread + n], 4);
			if (got != expected)
				fail_msg("thread %u value %u: %g, expected %g", thread, n,
					 (double)got, (double)expected);
		}
}

static void test_layouts(void **state)
{
	uint32_t out[512];
	char product[256];

	(void)state;
	for (size_t n = 0; n < sizeof(layouts) / sizeof(*layouts); n++) {
		snprintf(product, sizeof(product),
			 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%%r16, %%r17, %%r18, "
			 "%%r19}, "
			 "%%d4, %%d5, %%p3, 1, 1, %s;",
			 layouts[n].transposes);
		run(&layouts[n], product, out);
		check(out, 1, 10);
	}
}

static void test_scales(void **state)
{
	uint32_t out[512];

	(void)state;
	/* a false predicate drops what was in d, -1 negates one factor */
	run(&layouts[0],
	    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r16, %r17, %r18, %r19}, %d4, %d5, "
	    "%p2, -1, 1, 0, 0;",
	    out);
	check(out, -1, 0);
	run(&layouts[0],
	    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r16, %r17, %r18, %r19}, %d4, %d5, "
	    "!%p2, -1, -1, 0, 0;",
	    out);
	check(out, 1, 10);
}

static void test_registers(void **state)
{
	uint32_t out[512];

	(void)state;
	/* a in registers: all ones; each sum is that of a column of b */
	run(&layouts[0],
	    "mov.b32 %r20, 0x3c003c00; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
	    "{%r16, %r17, %r18, %r19}, {%r20, %r20, %r20, %r20}, %d5, %p3, 1, 1, 0;",
	    out);
	for (unsigned thread = 0; thread < 128; thread++)
		for (unsigned n = 0; n < 4; n++) {
			int sum = 10;
			float got;

			for (unsigned k = 0; k < K; k++)
				sum += b_at(k, thread % 4 * 2 + n % 2);
			memcpy(&got, &out[4 * thread + n], 4);
			assert_true(got == (float)sum);
		}
}

static void test_refused(void **state)
{
	static const char *const forms[] = {
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1, %r2, %r3}, %d4, %d5, %p1, "
		"1, 1, 0, 0;",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.bf16 {%r1, %r2, %r3, %r4}, %d4, "
		"%d5, %p1, 1, 1, 0, 0;",
		"wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %d4, "
		"%d5, %p1, 1, 1, 0, 0;",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %d4, %d5, "
		"%p1, 2, 1, 0, 0;",
		"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%r1, %r2, %r3, %r4}, %d4, "
		"%d5, %p1, 1, 1, 1, 0;",
		"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%r1, %r2, %r3, %r4}, %d4, "
		"%d5, %r1, 0, %p1, 1, 1;",
	};
	uint32_t out[512];
	char text[2048];

	(void)state;
	for (size_t n = 0; n < sizeof(forms) / sizeof(*forms); n++) {
		snprintf(text, sizeof(text), "%s%s%s ret; }", GPU_HEADER, GPU_KERNEL, forms[n]);
		assert_non_null(strstr(gpu_run(text, 1, 128, 1, out, 512),
				       "is not supported by the emulator"));
	}
	snprintf(text, sizeof(text), "%s%s%s ret; }", GPU_HEADER, GPU_KERNEL,
		 "mov.b64 %d4, 0x3fff; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
		 "{%r5, %r2, %r3, %r4}, %d4, %d4, %p1, 1, 1, 0, 0;");
	assert_non_null(
		strstr(gpu_run(text, 1, 128, 1, out, 512), "wgmma reads at shared address"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_scales),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
