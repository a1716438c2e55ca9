/* query/value.c: which values are the same, and which nothing can tell apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "query/arena.h"
#include "query/value.h"

#define DEPTH 1000

static unsigned compared;

/* In place of the C library's, which value.c compares keys with. */
int strcmp(const char *a, const char *b)
{
	compared++;
	for (; *a && *a == *b; a++, b++)
		;
	return (unsigned char)*a - (unsigned char)*b;
}

static struct value list_of(struct arena *arena, struct value item)
{
	struct value_list *list = value_new_list(arena, 1);

	list->items[0] = item;
	return value_of_list(list);
}

static struct value map_of(struct arena *arena, struct value item)
{
	struct value_map *map = value_new_map(arena, 1);

	map->entries[0].key = "key";
	map->entries[0].value = item;
	return value_of_map(map);
}

static void test_identical_is_more_than_same(void **unused)
{
	static const struct {
		double a, b;
		bool identical;
	} pairs[] = {{1, 1, true}, {0.0, -0.0, false}, {-0.0, -0.0, true}, {NAN, NAN, true}};
	struct arena arena = {0};

	(void)unused;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct value a = value_number(pairs[i].a), b = value_number(pairs[i].b);

		for (int level = 0; level < 3; level++) {
			assert_true(value_same(a, b));
			assert_int_equal(value_identical(a, b), pairs[i].identical);
			a = level ? map_of(&arena, a) : list_of(&arena, a);
			b = level ? map_of(&arena, b) : list_of(&arena, b);
		}
	}
	assert_true(value_same(value_integer(1), value_number(1)));
	assert_false(value_identical(value_integer(1), value_number(1)));
	assert_false(value_identical(list_of(&arena, value_integer(1)),
				     list_of(&arena, value_number(1))));
	assert_false(
		value_identical(map_of(&arena, value_integer(1)), map_of(&arena, value_number(1))));
	assert_false(value_identical(map_of(&arena, value_integer(1)),
				     list_of(&arena, value_integer(1))));
	arena_free(&arena);
}

/* Each level's key is compared once, not again for each level above it. */
static void test_nested_values_are_compared_once(void **unused)
{
	struct value a = value_integer(1), b = value_integer(1);
	struct arena arena = {0};

	(void)unused;
	for (int i = 0; i < DEPTH; i++) {
		a = map_of(&arena, a);
		b = map_of(&arena, b);
	}
	compared = 0;
	assert_true(value_identical(a, b));
	assert_int_equal(compared, DEPTH);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identical_is_more_than_same),
		cmocka_unit_test(test_nested_values_are_compared_once),
	};

	return cmocka_run_group_tests_name("query_value", tests, NULL, NULL);
}
