/* tests/unit/gpu_wide.c: registers of 128 bits. */
#include "tests/unit/gpu_run.h"

static void test_moves(void **state)
{
	uint32_t out[12];

	(void)state;
	/* halves swap through a register; a family %q<8> has two rows each */
	assert_string_equal(
		gpu_run(GPU_HEADER GPU_KERNEL
			"mov.b64 %d4, 0x1111111122222222; mov.b64 %d5, 0x3333333344444444;\n"
			"mov.b128 %q2, {%d4, %d5}; mov.b128 %q3, {%d5, 7}; mov.b128 %q7, %q2;\n"
			"mov.b128 {%d4, %d5}, %q3; mov.b128 {%d6, _}, %q7;\n"
			"st.global.u64 [%d1], %d4; st.global.u64 [%d1+8], %d5; st.global.u64 "
			"[%d1+16], %d6;\n"
			"st.global.b128 [%d1+32], %q7; ret; }",
			1, 1, 1, out, 12),
		"");
	const uint32_t expected[] = {0x44444444, 0x33333333, 7,          0,
				     0x22222222, 0x11111111, 0,          0,
				     0x22222222, 0x11111111, 0x44444444, 0x33333333};
	assert_memory_equal(out, expected, sizeof(expected));
}

static void test_memory(void **state)
{
	uint32_t out[8];

	(void)state;
	assert_string_equal(gpu_run(GPU_HEADER GPU_KERNEL
				    ".shared .align 16 .b8 cell[16];\nst.global.v4.b32 [%d1+16], "
				    "{1, 2, 3, 4};\n"
				    "ld.global.b128 %q1, [%d1+16]; st.shared.b128 [cell], %q1; "
				    "ld.shared.relaxed.cta.b128 %q2, [cell]; "
				    "st.global.relaxed.gpu.b128 [%d1], %q2; ret; }",
				    1, 1, 1, out, 8),
			    "");
	for (unsigned n = 0; n < 4; n++)
		assert_int_equal(out[n], n + 1);
	assert_non_null(strstr(gpu_run(GPU_HEADER GPU_KERNEL "ld.global.b128 %q1, [%d1+8]; ret; }",
				       1, 1, 1, out, 8),
			       "16-byte load at"));
}

/* 32 lanes add 1 to the lower and 2 to the upper half, by compare and swap. */
static void test_atomics(void **state)
{
	uint32_t out[8];

	(void)state;
	assert_string_equal(
		gpu_run(GPU_HEADER GPU_KERNEL
			"ld.global.b128 %q1, [%d1];\nAGAIN: mov.b128 {%d4, %d5}, %q1; add.u64 %d4, "
			"%d4, 1; "
			"add.u64 %d5, %d5, 2; mov.b128 %q2, {%d4, %d5};\n"
			"atom.global.cas.b128 %q3, [%d1], %q1, %q2;\n"
			"mov.b128 {%d4, %d5}, %q1; mov.b128 {%d6, %d7}, %q3; setp.eq.u64 %p1, %d4, "
			"%d6; "
			"setp.eq.and.u64 %p1, %d5, %d7, %p1; mov.b128 %q1, %q3; @!%p1 bra AGAIN;\n"
			"mov.b128 %q4, {5, 6}; atom.exch.relaxed.gpu.b128 %q5, [%d1+16], %q4; ret; "
			"}",
			1, 32, 1, out, 8),
		"");
	const uint32_t expected[] = {32, 0, 64, 0, 5, 0, 6, 0};
	assert_memory_equal(out, expected, sizeof(expected));
}

/* What has fewer bits is no such register: found when it runs, never by reading past a row. */
static void test_refused(void **state)
{
	static const char *const forms[] = {
		"mov.b128 %d4, {%d5, %d6};",
		"mov.b128 %q1, {%d5};",
		"mov.b128 {%q1, %d4}, %d5;",
		"mov.b128 %q1;",
		"ld.global.b128 %d4, [%d1];",
		"st.global.b128 [%d1], 7;",
		"ld.global.b128 _, [%d1];",
		"ld.global.v2.b128 {%q1, %q2}, [%d1];",
		"atom.global.exch.b128 _, [%d1], %q1;",
		"atom.global.cas.b128 %q1, [%d1], %d4, %q1;",
	};
	char text[1024];
	uint32_t out[8];

	(void)state;
	for (size_t n = 0; n < sizeof(forms) / sizeof(*forms); n++) {
		snprintf(text, sizeof(text), "%s%s ret; }", GPU_HEADER GPU_KERNEL, forms[n]);
		if (!strstr(gpu_run(text, 1, 32, 1, out, 8), "is not supported by the emulator"))
			fail_msg("taken: %s", forms[n]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moves),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
