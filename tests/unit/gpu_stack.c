/* tests/unit/gpu_stack.c: alloca, stacksave, stackrestore. */
#include "tests/unit/gpu_run.h"

/* Each lane takes 4 x (number + 1) bytes, calls a function that takes 64 more, and looks again. */
static void test_alloca(void **state)
{
	uint32_t out[32];

	(void)state;
	assert_string_equal(
		gpu_run(GPU_HEADER
			".func (.param .b32 r) f(.param .b32 a) {\n.reg .b32 %r<4>; .reg .b64 "
			"%d<4>;\n"
			"ld.param.b32 %r1, [a]; alloca.u64 %d1, 64, 32; and.b64 %d2, %d1, 31; "
			"cvt.u32.u64 %r3, %d2; st.local.b32 [%d1+60], %r1; mul.lo.u32 %r1, %r1, 3; "
			"st.local.b32 [%d1], %r1; ld.local.b32 %r2, [%d1+60]; add.u32 %r2, %r2, "
			"%r1; "
			"add.u32 %r2, %r2, %r3; st.param.b32 [r], %r2; ret; }\n" GPU_KERNEL
			"add.u32 %r2, %r1, 1; mul.wide.u32 %d4, %r2, 4; alloca.u64 %d5, %d4; "
			"cvta.local.u64 %d6, %d5; add.u64 %d7, %d6, %d4; st.u32 [%d7+-4], %r2; "
			"{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), f, (a); "
			"ld.param.b32 %r3, [r]; }\n"
			"ld.u32 %r4, [%d7+-4]; mad.lo.u32 %r3, %r4, 1000, %r3; st.global.u32 "
			"[%d3], %r3; ret; }",
			1, 32, 1, out, 32),
		"");
	for (uint32_t l = 0; l < 32; l++)
		assert_int_equal(out[l], (l + 1) * 1000 + 4 * l);
}

/* A loop that saves and restores stays in its place; one that does not overflows the stack. */
static void test_restore(void **state)
{
	static const char loop[] = GPU_HEADER GPU_KERNEL
		"mov.u32 %r2, 0; stacksave.u64 %d9; LOOP: stacksave.u64 %d4; alloca.u64 %d5, 1024; "
		"cvt.u32.u64 %r4, %d5; st.local.u32 [%d5+1020], %r2; ";
	char text[2048];
	uint32_t out[32];

	(void)state;
	for (int restores = 0; restores < 2; restores++) {
		snprintf(text, sizeof(text), "%s%s%s", loop,
			 restores ? "stackrestore.u64 %d4; " : "",
			 "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 2000; @%p1 bra LOOP; "
			 "sub.u64 %d6, %d4, %d9; cvt.u32.u64 %r5, %d6; st.global.u32 [%d3], %r5; "
			 "ret; }");
		if (restores)
			assert_string_equal(gpu_run(text, 1, 32, 1, out, 32), "");
		else
			assert_non_null(strstr(gpu_run(text, 1, 32, 1, out, 32),
					       "the stack of a thread overflows in k"));
	}
	for (uint32_t l = 0; l < 32; l++)
		assert_int_equal(out[l], 0);
}

static void test_refused(void **state)
{
	uint32_t out[32];

	(void)state;
	assert_non_null(
		strstr(gpu_run(GPU_HEADER GPU_KERNEL "mov.u64 %d4, -1; alloca.u64 %d5, %d4; ret; }",
			       1, 1, 1, out, 32),
		       "the stack of a thread overflows"));
	assert_non_null(strstr(
		gpu_run(GPU_HEADER GPU_KERNEL "alloca.u64 %d5, 8, 12; ret; }", 1, 1, 1, out, 32),
		"alloca with an alignment of 12"));
	assert_non_null(strstr(gpu_run(GPU_HEADER GPU_KERNEL
				       "mov.u64 %d4, 4096; stackrestore.u64 %d4; ret; }",
				       1, 1, 1, out, 32),
			       "which stacksave did not give"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alloca),
		cmocka_unit_test(test_restore),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
