/*
 * tests/unit/gpu_contract.c: which products and sums are rounded once, as in the code of ptxas.
 *
 * a = 1 + 2^-12, so a * a = 1 + 2^-11 + 2^-24, which rounds to c = 1 + 2^-11: a * a - c is 2^-24
 * where it is rounded once, else 0.
 */
#include "tests/unit/gpu_run.h"

#define ONCE 0x33800000u
#define MINUS_ONCE 0xb3800000u

static uint32_t run(const char *body)
{
	static const char start[] = GPU_HEADER GPU_KERNEL
		"mov.b32 %r4, 0x3f800800; mov.b32 %r5, 0x3f801000; mov.b32 %r6, 0x3f800000; "
		"mov.b32 %r9, 0;\n"; /* a, c, 1 */
	static const char end[] = "\nst.global.b32 [%d3], %r9; ret; }\n";
	char text[sizeof(start) + sizeof(end) + 1024];
	uint32_t out[1] = {0};
	const char *fault;

	assert_true(strlen(body) < 1024);
	snprintf(text, sizeof(text), "%s%s%s", start, body, end);
	fault = gpu_run(text, 1, 1, 1, out, 1);
	if (*fault)
		fail_msg("%s in:\n%s", fault, text);
	return out[0];
}

static void test_sums(void **state)
{
	(void)state;
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; sub.f32 %r9, %r7, %r5;"), ONCE);
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; sub.f32 %r9, %r5, %r7;"), MINUS_ONCE);
	assert_int_equal(run("neg.f32 %r8, %r5; mul.f32 %r7, %r4, %r4; add.f32 %r9, %r7, %r8;"),
			 ONCE);
	assert_int_equal(run("neg.f32 %r8, %r5; mul.f32 %r7, %r4, %r4; add.f32 %r9, %r8, %r7;"),
			 ONCE);
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; sub.f32 %r9, %r7, 0f3F801000;"), ONCE);
	assert_int_equal(run("mul.ftz.f32 %r7, %r4, %r4; sub.ftz.f32 %r9, %r7, %r5;"), ONCE);
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; sub.sat.f32 %r9, %r7, %r5;"), ONCE);
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; sub.sat.f32 %r9, %r5, %r7;"), 0);
	/* a barrier, an access and a guard are no ends of a block, nor is a label without a branch
	 */
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; bar.sync 0; st.global.b32 [%d3], %r4;\n"
			     "L: setp.ne.b32 %p1, %r4, 0; @%p1 sub.f32 %r9, %r7, %r5;"),
			 ONCE);
}

static void test_rounded_twice(void **state)
{
	(void)state;
	assert_int_equal(run("mul.rn.f32 %r7, %r4, %r4; sub.f32 %r9, %r7, %r5;"), 0);
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; sub.rn.f32 %r9, %r7, %r5;"), 0);
	assert_int_equal(run("mul.ftz.f32 %r7, %r4, %r4; sub.f32 %r9, %r7, %r5;"), 0);
	assert_int_equal(run("mul.sat.f32 %r7, %r6, %r6; sub.f32 %r9, %r7, %r6;"), 0);
	/* the product is read elsewhere, too */
	assert_int_equal(
		run("mul.f32 %r7, %r4, %r4; sub.f32 %r9, %r7, %r5; st.global.b32 [%d3], %r7;"), 0);
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; sub.f32 %r9, %r7, %r5; fma.rn.f32 %r10, %r7, "
			     "%r4, %r4;"),
			 0);
	/* in another block */
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; setp.ne.b32 %p1, %r4, 0; @!%p1 bra L; sub.f32 "
			     "%r9, %r7, %r5; L:"),
			 0);
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; bra.uni L; L: sub.f32 %r9, %r7, %r5;"), 0);
	/* with a guard */
	assert_int_equal(run("setp.ne.b32 %p1, %r4, 0; mov.b32 %r7, %r5; @%p1 mul.f32 %r7, %r4, "
			     "%r4; sub.f32 %r9, %r7, %r5;"),
			 0);
	/* both sources of the sum */
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; sub.f32 %r9, %r7, %r7;"), 0);
}

static void test_several(void **state)
{
	(void)state;
	/* two sums of a product: 2^-24 each; -2^-24 and twice that */
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; sub.f32 %r10, %r7, %r5; sub.f32 %r11, %r5, "
			     "%r7; sub.f32 %r9, %r10, %r11;"),
			 0x34000000);
	/* of two products the first is not rounded: a * a - c * 1, c * 1 - a * a */
	assert_int_equal(
		run("mul.f32 %r7, %r4, %r4; mul.f32 %r8, %r5, %r6; sub.f32 %r9, %r7, %r8;"), ONCE);
	assert_int_equal(
		run("mul.f32 %r7, %r4, %r4; mul.f32 %r8, %r5, %r6; sub.f32 %r9, %r8, %r7;"), 0);
	assert_int_equal(
		run("mul.f32 %r8, %r5, %r6; mul.f32 %r7, %r4, %r4; sub.f32 %r9, %r7, %r8;"), ONCE);
	/* unless it is used twice and the second is not; then it is rounded everywhere */
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; mul.f32 %r8, %r5, %r6; sub.f32 %r10, %r7, "
			     "%r8; sub.f32 %r9, %r7, %r5;"),
			 0);
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; mul.f32 %r8, %r5, %r6; sub.f32 %r9, %r7, %r8; "
			     "sub.f32 %r10, %r7, %r5;"),
			 0);
	/* a product of a sum that was made of one */
	assert_int_equal(run("mul.f32 %r7, %r4, %r4; sub.f32 %r8, %r7, %r5; mul.f32 %r10, %r8, "
			     "%r6; add.f32 %r9, %r10, 0f00000000;"),
			 ONCE);
	/* what the product was made of is gone by then: never wrong */
	assert_int_equal(run("mul.f32 %r7, %r5, %r6; mov.b32 %r5, 0; sub.f32 %r9, %r7, %r5;"),
			 0x3f801000);
	assert_int_equal(run("mul.f32 %r4, %r4, %r6; sub.f32 %r9, %r4, 0f00000000;"), 0x3f800800);
}

/* a = 1 + 2^-27, c = 1 + 2^-26: 2^-54, whose upper half is stored. */
static void test_double(void **state)
{
	static const char start[] = ".reg .f64 %x<8>; .reg .b32 %y; mov.f64 %x1, "
				    "0d3FF0000002000000; mov.f64 %x2, 0d3FF0000004000000;";
	static const struct {
		const char *body;
		uint32_t high;
	} cases[] = {
		{"mul.f64 %x3, %x1, %x1; sub.f64 %x4, %x3, %x2;", 0x3c900000},
		{"mul.f64 %x3, %x1, %x1; sub.f64 %x4, %x2, %x3;", 0xbc900000},
		{"mul.rn.f64 %x3, %x1, %x1; sub.f64 %x4, %x3, %x2;", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char body[512];

		snprintf(body, sizeof(body), "%s %s mov.b64 {%%y, %%r9}, %%x4;", start,
			 cases[i].body);
		assert_int_equal(run(body), cases[i].high);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_rounded_twice),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_double),
	};

	return cmocka_run_group_tests_name("gpu_contract", tests, NULL, NULL);
}
