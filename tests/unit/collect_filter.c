/* tests/unit/collect_filter.c: the regular expression of --kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collect/kernel_filter.h"
#include "util/mangled.h"

static int found(const char *expression, const char *mangled)
{
	struct error error;
	struct kernel_filter *filter = kernel_filter_new(expression, &error);
	int result;

	assert_non_null(filter);
	result = kernel_filter_matches(filter, mangled);
	kernel_filter_free(filter);
	return result;
}

/* void gemm<float>(float const*, int) */
static const char gemm[] = "_Z4gemmIfEvPKT_i";

static void test_names(void **state)
{
	(void)state;
	assert_int_equal(found("gemm", gemm), 1);
	assert_int_equal(found("^_Z4gemm", gemm), 1);          /* mangled */
	assert_int_equal(found("^void gemm<float>", gemm), 1); /* demangled */
	assert_int_equal(found("float const\\*, int\\)$", gemm), 1);
	assert_int_equal(found("double", gemm), 0);
	assert_int_equal(found("^gemm$", "gemm"), 1); /* of C */
	assert_int_equal(found("void", "gemm"), 0);
	assert_int_equal(found("", "gemm"), 1);
	assert_int_equal(found("GEMM", "gemm"), 0);
	assert_int_equal(found("(?i)GEMM", "gemm"), 1);
	assert_int_equal(found("a", "\xff\xfe"), 0); /* not UTF-8 */
	assert_int_equal(found("^gemm\\(", "__nv_static_21__00c0ffee_4_a_cu_main__Z4gemmPKfi"), 1);
	assert_int_equal(found("^gemm$", "__nv_static_21__00c0ffee_4_a_cu_main_gemm"), 1);
}

static void test_invalid(void **state)
{
	struct error error;

	(void)state;
	assert_null(kernel_filter_new("a(b", &error));
	assert_non_null(strstr(error.text, "'a(b' is no regular expression"));
	assert_non_null(strstr(error.text, "at byte 3"));
	assert_null(kernel_filter_new("*", &error));
	kernel_filter_free(NULL);
}

/* Searches and names that would take for ever. */
static void test_limits(void **state)
{
	char name[200] = "", references[2000] = "_Z1fIiE";

	(void)state;
	memset(name, 'a', 60);
	assert_int_equal(found("^(a+)+$", strcat(name, "!")), -1);
	for (int i = 0; i < 100; i++)
		strcat(references, "S0_T0_");
	assert_false(mangled_is_short(references));
	assert_int_equal(found("^_Z1f", references), 1);
	assert_int_equal(found("nothing", references), 0);
	assert_true(mangled_is_short(gemm));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_invalid),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
