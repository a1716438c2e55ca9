/* tests/unit/gpu_may_write.c: what an unanalysed launch may have written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/analysis/may_write.h"

struct seen {
	uint64_t addresses[64];
	uint32_t ids[64];
	unsigned count;
};

static void see(void *data, uint64_t address, uint32_t id)
{
	struct seen *seen = data;

	assert_true(seen->count < 64);
	seen->addresses[seen->count] = address;
	seen->ids[seen->count++] = id;
}

static struct seen ask(struct may_write *m, const char *kernel, const void *bytes, size_t size)
{
	struct seen seen = {0};

	assert_int_equal(may_write_each(m, kernel, bytes, size, see, &seen), 0);
	return seen;
}

static void test_parameters(void **state)
{
	/* two whole words, a zero between them, and half a word at the end */
	const uint64_t words[4] = {0x1000, 0, 0xdeadbeef, 0x3000};
	struct may_write *m = may_write_create();
	struct seen seen = ask(m, "k", words, 28);

	(void)state;
	assert_int_equal(seen.count, 2);
	assert_true(seen.addresses[0] == 0x1000 && seen.addresses[1] == 0xdeadbeef);
	assert_true(!seen.ids[0] && !seen.ids[1]);
	assert_int_equal(ask(m, "k", NULL, 0).count, 0);
	may_write_destroy(m);
}

static struct gpu_row row_of(uint32_t object, uint32_t writer, enum gpu_access access)
{
	return (struct gpu_row){.object = object, .writer = writer, .access = access, .bytes = 4};
}

static void test_history(void **state)
{
	const struct gpu_row rows[] = {row_of(1, 9, GPU_READ), row_of(2, 9, GPU_WRITE),
				       row_of(2, 8, GPU_WRITE), row_of(3, 9, GPU_FROM_HOST),
				       row_of(5, 9, GPU_WRITE)};
	struct may_write *m = may_write_create();
	struct seen seen;

	(void)state;
	for (uint32_t id = 1; id <= 5; id++)
		may_write_object(m, id, 0x1000 * id);
	may_write_note(m, "k", rows, 5);
	may_write_note(m, "k", rows, 5);
	assert_int_equal(ask(m, "other", NULL, 0).count, 0);
	seen = ask(m, "k", NULL, 0);
	assert_int_equal(seen.count, 2);
	assert_true(seen.ids[0] == 2 && seen.addresses[0] == 0x2000);
	assert_true(seen.ids[1] == 5 && seen.addresses[1] == 0x5000);
	may_write_released(m, 2);
	may_write_released(m, 2);
	seen = ask(m, "k", NULL, 0);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.ids[0], 5);
	may_write_destroy(m);
}

/* A kernel writes a million objects that live one after the other: only the live ones remain. */
static void test_many(void **state)
{
	struct may_write *m = may_write_create();
	struct seen seen;

	(void)state;
	for (uint32_t id = 1; id <= 1000000; id++) {
		const struct gpu_row row = row_of(id, 9, GPU_WRITE);

		may_write_object(m, id, 0x1000);
		may_write_note(m, "k", &row, 1);
		if (id > 3)
			may_write_released(m, id - 3);
	}
	seen = ask(m, "k", NULL, 0);
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.ids[0], 999998);
	assert_int_equal(seen.ids[2], 1000000);
	may_write_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
