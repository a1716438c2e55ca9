/* Which objects could use the memory of others: the paper's pairing, and its Figure 3 (DrGPUM 5.1).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advice/memory/reuse.h"

#define NONE UINT32_MAX

/*
 * The figure: the last call of O1, A5, is the first one of O3, so that O3 cannot use its memory; O4
 * begins with A6, and can.  O2 is in use all the time.
 */
static void test_figure_3(void **state)
{
	struct reuse_object objects[] = {
		{.first = 1, .last = 5, .size = 100},
		{.first = 2, .last = 8, .size = 100},
		{.first = 5, .last = 7, .size = 100},
		{.first = 6, .last = 9, .size = 100},
	};

	(void)state;
	reuse_pair(objects, 4, 0.1);
	assert_int_equal(objects[0].reuses, NONE);
	assert_int_equal(objects[1].reuses, NONE);
	assert_int_equal(objects[2].reuses, NONE);
	assert_int_equal(objects[3].reuses, 0);
}

/* Who is reused may use others' memory, and nobody is used twice. */
static void test_chain(void **state)
{
	struct reuse_object objects[] = {
		{.first = 1, .last = 2, .size = 100},
		{.first = 3, .last = 4, .size = 100},
		{.first = 5, .last = 6, .size = 100},
		{.first = 5, .last = 7, .size = 100},
	};

	(void)state;
	reuse_pair(objects, 4, 0.1);
	assert_int_equal(objects[0].reuses, NONE);
	/* from the tail: the last object takes the closest, the one before it what is left */
	assert_int_equal(objects[3].reuses, 1);
	assert_int_equal(objects[2].reuses, 0);
	assert_int_equal(objects[1].reuses, NONE);
}

/* The closest one, of a size that is a tenth off at most. */
static void test_sizes(void **state)
{
	struct reuse_object objects[] = {
		{.first = 1, .last = 2, .size = 90},
		{.first = 1, .last = 3, .size = 89},
		{.first = 5, .last = 6, .size = 100},
	};

	(void)state;
	reuse_pair(objects, 3, 0.1);
	assert_int_equal(objects[2].reuses, 0);
	objects[1].size = 111;
	reuse_pair(objects, 3, 0.1);
	assert_int_equal(objects[2].reuses, 1);
	objects[1].size = 112;
	reuse_pair(objects, 3, 0.1);
	assert_int_equal(objects[2].reuses, 0);
	reuse_pair(objects, 0, 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_figure_3),
					   cmocka_unit_test(test_chain),
					   cmocka_unit_test(test_sizes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
