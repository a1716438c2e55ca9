/* tests/unit/gpu_call.c: parameters, arguments and results in registers. */
#include "tests/unit/gpu_run.h"

static const char functions[] = GPU_HEADER
	".func (.reg .b32 %r) mix(.reg .b32 %a, .param .b64 b, .reg .f64 %c, .reg .b16 %h) {\n"
	".reg .b64 %d<3>; .reg .b32 %t<3>; .reg .pred %p; ld.param.b64 %d1, [b]; cvt.u32.u64 %t1, "
	"%d1; "
	"cvt.rzi.u32.f64 %t2, %c; mad.lo.u32 %r, %a, 100, %t1; setp.gt.u32 %p, %a, 20; @%p ret; "
	"mad.lo.u32 %r, %t2, 10000, %r; cvt.u32.u16 %t1, %h; mad.lo.u32 %r, %t1, 1000000, %r; }\n"
	".func (.param .b32 r) plain(.param .b32 a) { .reg .b32 %t; ld.param.b32 %t, [a]; "
	"add.u32 %t, %t, 7; st.param.b32 [r], %t; ret; }\n"
	".func (.reg .b32 %r) down(.reg .b32 %n) { .reg .b32 %t; .reg .pred %p; mov.b32 %r, 0; "
	"setp.eq.u32 %p, %n, 0; @%p ret; sub.u32 %t, %n, 1; call (%r), down, (%t); "
	"add.u32 %r, %r, %n; ret; }\n";

/* `statements` leave the result of a thread in %r9. */
static void run(const char *statements, uint32_t *out)
{
	char text[4096];

	snprintf(text, sizeof(text), "%s%s%s st.global.u32 [%%d3], %%r9; ret; }", functions,
		 GPU_KERNEL, statements);
	assert_string_equal(gpu_run(text, 1, 32, 1, out, 32), "");
}

static void test_registers(void **state)
{
	uint32_t out[32];

	(void)state;
	run("mov.u64 %d4, 42; mov.f64 %d5, 0d4014000000000000; mov.u16 %h1, 3; "
	    "call (%r9), mix, (%r1, %d4, %d5, %h1);",
	    out);
	for (uint32_t l = 0; l < 32; l++)
		assert_int_equal(out[l], l * 100 + 42 + (l > 20 ? 0 : 5 * 10000 + 3 * 1000000));
	run("call.uni (%r9), mix, (5, 42, 0d4014000000000000, 3);", out);
	assert_int_equal(out[0], 3050542);
	/* registers for .param, and lanes that the guard switches off keep their result */
	run("mov.u32 %r9, 1; setp.lt.u32 %p1, %r1, 4; @%p1 call (%r9), plain, (%r1);", out);
	for (uint32_t l = 0; l < 32; l++)
		assert_int_equal(out[l], l < 4 ? l + 7 : 1);
	run("call (%r9), plain, (-3);", out);
	assert_int_equal(out[0], 4);
	run("call (_), plain, (1); mov.u32 %r9, 9;", out);
	assert_int_equal(out[0], 9);
}

static void test_recursion(void **state)
{
	uint32_t out[32];

	(void)state;
	run("call (%r9), down, (%r1);", out);
	for (uint32_t l = 0; l < 32; l++)
		assert_int_equal(out[l], l * (l + 1) / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_recursion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
