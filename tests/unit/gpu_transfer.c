/* Unit tests of gpu/analysis/transfer.c: digests of what copies move. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "gpu/analysis/shadow.h"
#include "gpu/analysis/transfer.h"

static uint8_t memory[5000];

static void fill(unsigned seed)
{
	for (size_t i = 0; i < sizeof(memory); i++)
		memory[i] = (uint8_t)((i * 2654435761u + seed) >> 7);
}

static void keep(void *data, uint32_t object, const uint8_t digest[GPU_DIGEST_SIZE], bool zero)
{
	(void)object, (void)zero;
	memcpy(data, digest, GPU_DIGEST_SIZE);
}

static void digest_of(const void *bytes, size_t size, uint8_t digest[LEAF_DIGEST])
{
	struct transfer_sum sum = {.nonzero = 0};

	transfer_add(&sum, 0, bytes, size);
	transfer_digest(&sum, size, digest);
}

/* A copy that fills an object has the digest of the object's content. */
static void test_objects(void **state)
{
	(void)state;
	fill(1);
	for (size_t size = 1; size <= sizeof(memory); size += size < 2100 ? 1 : 97) {
		struct shadow *shadow = shadow_create(true);
		struct shadow_object *object = shadow_object_create(shadow, 1, 1, memory, size);
		uint8_t content[LEAF_DIGEST] = {0}, digest[LEAF_DIGEST];
		const struct gpu_row *rows;
		size_t count;

		shadow_touch(object, 0, size, GPU_WRITE);
		shadow_settle(shadow, 2, &rows, &count);
		shadow_digests(shadow, keep, content);
		digest_of(memory, size, digest);
		assert_memory_equal(digest, content, LEAF_DIGEST);
		shadow_object_destroy(object);
		shadow_destroy(shadow);
	}
}

static void test_different(void **state)
{
	uint8_t before[LEAF_DIGEST], after[LEAF_DIGEST];

	(void)state;
	fill(2);
	digest_of(memory, 4999, before);
	digest_of(memory, 5000, after);
	assert_memory_not_equal(before, after, LEAF_DIGEST);
	memory[4998] ^= 1;
	digest_of(memory, 4999, after);
	assert_memory_not_equal(before, after, LEAF_DIGEST);
	memory[4998] ^= 1;
	digest_of(memory, 4999, after);
	assert_memory_equal(before, after, LEAF_DIGEST);
}

/* In pieces of whole leaves, in any order. */
static void test_pieces(void **state)
{
	struct transfer_sum sum = {.nonzero = 0};
	uint8_t whole[LEAF_DIGEST], pieces[LEAF_DIGEST];

	(void)state;
	fill(3);
	digest_of(memory, 5000, whole);
	transfer_add(&sum, 3, memory + 3 * 1024, 5000 - 3 * 1024);
	transfer_add(&sum, 0, memory, 3 * 1024);
	transfer_digest(&sum, 5000, pieces);
	assert_memory_equal(pieces, whole, LEAF_DIGEST);
	assert_int_not_equal(sum.nonzero, 0);
}

static void test_zero(void **state)
{
	static const uint8_t zeros[3000], last[3000] = {[2999] = 1};
	struct transfer_sum sum = {.nonzero = 0};

	(void)state;
	transfer_add(&sum, 0, zeros, sizeof(zeros));
	assert_int_equal(sum.nonzero, 0);
	transfer_add(&sum, 0, last, sizeof(last));
	assert_int_not_equal(sum.nonzero, 0);
}

static void test_rows(void **state)
{
	struct transfer_box box = {1000, 2000, 8000, 1025, 4, 2}, from = box;
	uint64_t size;

	(void)state;
	/* a row has two leaves, the second of one byte */
	assert_int_equal(transfer_leaves(&box), 16);
	assert_int_equal(transfer_leaf(&box, 0, &size), 1000);
	assert_int_equal(size, 1024);
	assert_int_equal(transfer_leaf(&box, 3, &size), 1000 + 2000 + 1024);
	assert_int_equal(size, 1);
	assert_int_equal(transfer_leaf(&box, 8, &size), 1000 + 8000);
	transfer_join(&box, &from);
	assert_int_equal(box.height, 4);
	/* only where they lie side by side at both ends */
	box.pitch = 1025;
	transfer_join(&box, &from);
	assert_int_equal(box.height, 4);
	from.pitch = 1025;
	transfer_join(&box, &from);
	assert_int_equal(box.width, 4100);
	assert_int_equal(box.height, 1);
	assert_int_equal(box.depth, 2);
	box.slice = from.slice = 4100;
	transfer_join(&box, &from);
	assert_int_equal(from.width, 8200);
	assert_int_equal(from.depth, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects), cmocka_unit_test(test_different),
		cmocka_unit_test(test_pieces),  cmocka_unit_test(test_zero),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
