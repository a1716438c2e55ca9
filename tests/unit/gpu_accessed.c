/*
 * What of an object is accessed: figures worked out by hand, and those of random masks and APIs by
 * a model that has a flag per byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/analysis/shadow.h"

enum { ALLOC = 1, K };

static void is(struct gpu_accessed figures, uint64_t bytes, uint64_t chunks, uint64_t largest,
	       uint64_t offset)
{
	assert_int_equal(figures.bytes, bytes);
	assert_int_equal(figures.chunks, chunks);
	assert_int_equal(figures.largest_bytes, largest);
	assert_int_equal(figures.largest_offset, offset);
}

static void test_by_hand(void **state)
{
	uint64_t units[4] = {0};

	(void)state;
	is(accessed_figures(units, 1024), 0, 1, 1024, 0);
	is(accessed_figures(units, 3), 0, 1, 3, 0);
	units[0] = 1;
	is(accessed_figures(units, 1024), 4, 1, 1020, 4);
	is(accessed_figures(units, 3), 3, 0, 0, 0);
	units[1] = 2; /* unit 65 */
	is(accessed_figures(units, 1024), 8, 2, 1024 - 4 * 66, 4 * 66);
	is(accessed_figures(units, 4 * 66), 8, 1, 4 * 64, 4);
	is(accessed_figures(units, 4 * 66 + 1), 8, 2, 4 * 64, 4);
	/* two of a size: the first counts */
	units[0] = 1 << 10, units[1] = 0;
	is(accessed_figures(units, 4 * 21), 4, 2, 40, 0);
	memset(units, 0xff, sizeof(units));
	is(accessed_figures(units, 1024), 1024, 0, 0, 0);
	units[1] = ~(UINT64_C(3) << 62), units[2] = ~UINT64_C(1); /* across words */
	is(accessed_figures(units, 1024), 1012, 1, 12, 4 * 126);
}

static void test_units(void **state)
{
	(void)state;
	assert_int_equal(accessed_units(0), 0);
	assert_int_equal(accessed_units(UINT64_MAX), 0xffff);
	for (unsigned bit = 0; bit < 64; bit++)
		assert_int_equal(accessed_units(UINT64_C(1) << bit), 1 << bit / 4);
	assert_int_equal(accessed_units(UINT64_C(0x8000f00000000012)), 1 << 15 | 1 << 11 | 3);
}

static uint64_t slices[8][3];
static size_t slice_count;

static void note(void *data, uint32_t object, const struct gpu_slice *slice)
{
	(void)data;
	assert_true(slice_count < 8);
	slices[slice_count][0] = object;
	slices[slice_count][1] = slice->offset;
	slices[slice_count++][2] = slice->end;
}

static void settle(struct shadow *shadow)
{
	const struct gpu_row *rows;
	size_t count;

	assert_int_equal(shadow_settle(shadow, K, &rows, &count), 0);
	slice_count = 0;
	shadow_slices(shadow, note, NULL);
}

static void test_apis(void **state)
{
	static uint8_t memory[5003];
	struct shadow *shadow = shadow_create(false);
	struct shadow_object *object, *other, *unfollowed;
	struct gpu_accessed accessed;

	(void)state;
	unfollowed = shadow_object_create(shadow, 5, ALLOC, memory, 64);
	assert_false(shadow_accessed(unfollowed, &accessed));
	shadow_follow_accesses(shadow);
	object = shadow_object_create(shadow, 7, ALLOC, memory, sizeof(memory));
	other = shadow_object_create(shadow, 3, ALLOC, memory, 100);
	shadow_touch(object, 1030, 1, GPU_READ);
	shadow_touch(object, 4000, 1003, GPU_WRITE);
	shadow_touch(other, 0, 100, GPU_READ);
	settle(shadow);
	assert_int_equal(slice_count, 2);
	assert_memory_equal(slices[0], ((uint64_t[]){3, 0, 100}), sizeof(slices[0]));
	assert_memory_equal(slices[1], ((uint64_t[]){7, 1028, 5003}), sizeof(slices[1]));
	/* what failed accessed nothing; a copy of what was not initialised accesses both */
	shadow_touch(object, 0, 1000, GPU_READ);
	shadow_abandon(shadow);
	shadow_touch_copy(object, 1032, other, 8, 20);
	settle(shadow);
	assert_int_equal(slice_count, 2);
	assert_memory_equal(slices[0], ((uint64_t[]){3, 8, 28}), sizeof(slices[0]));
	assert_memory_equal(slices[1], ((uint64_t[]){7, 1032, 1052}), sizeof(slices[1]));
	settle(shadow);
	assert_int_equal(slice_count, 0);
	assert_true(shadow_accessed(object, &accessed));
	is(accessed, 24 + 1003, 2, 4000 - 1052, 1052);
	/* what was not analysed may have accessed what there was */
	shadow_object_exposed(other);
	assert_false(shadow_accessed(other, &accessed));
	shadow_object_destroy(other);
	shadow_all_seen(shadow);
	assert_false(shadow_accessed(object, &accessed));
	other = shadow_object_create(shadow, 8, ALLOC, memory, 100);
	assert_true(shadow_accessed(other, &accessed));
	is(accessed, 0, 1, 100, 0);
	shadow_forget(other, 0, 1);
	assert_false(shadow_accessed(other, &accessed));
	shadow_object_destroy(object);
	shadow_object_destroy(other);
	shadow_object_destroy(unfollowed);
	shadow_destroy(shadow);
}

static struct gpu_accessed model(const bool *touched, uint64_t size)
{
	struct gpu_accessed figures = {.bytes = size};
	uint64_t chunk = 0;

	for (uint64_t i = 0; i <= size; i++) {
		if (i < size && !touched[i / 4]) {
			chunk++;
			continue;
		}
		if (!chunk)
			continue;
		figures.bytes -= chunk;
		figures.chunks++;
		if (chunk > figures.largest_bytes) {
			figures.largest_bytes = chunk;
			figures.largest_offset = i - chunk;
		}
		chunk = 0;
	}
	return figures;
}

static void test_random(void **state)
{
	static uint8_t memory[4096];

	(void)state;
	srand(17);
	for (int round = 0; round < 300; round++) {
		const uint64_t size = 1 + (uint64_t)rand() % sizeof(memory);
		bool touched[sizeof(memory) / 4] = {false};
		struct shadow *shadow = shadow_create(false);
		struct shadow_object *object;
		struct gpu_accessed accessed, figures;

		shadow_follow_accesses(shadow);
		object = shadow_object_create(shadow, 1, ALLOC, memory, size);
		for (int api = rand() % 5; api > 0; api--) {
			uint64_t first = UINT64_MAX, end = 0;

			for (int access = rand() % 8; access > 0; access--) {
				uint64_t from = (uint64_t)rand() % size;
				uint64_t bytes = 1 + (uint64_t)rand() % (rand() % 2 ? 9 : size);

				bytes = bytes < size - from ? bytes : size - from;
				shadow_touch(object, from, bytes,
					     rand() % 2 ? GPU_WRITE : GPU_TO_HOST);
				for (uint64_t i = from; i < from + bytes; i++)
					touched[i / 4] = true;
				first = from / 4 * 4 < first ? from / 4 * 4 : first;
				end = from + bytes > end ? from + bytes : end;
			}
			end = (end + 3) / 4 * 4 < size ? (end + 3) / 4 * 4 : size;
			settle(shadow);
			assert_int_equal(slice_count, first != UINT64_MAX);
			if (slice_count)
				assert_memory_equal(slices[0], ((uint64_t[]){1, first, end}),
						    sizeof(slices[0]));
		}
		figures = model(touched, size);
		assert_true(shadow_accessed(object, &accessed));
		assert_memory_equal(&accessed, &figures, sizeof(accessed));
		shadow_object_destroy(object);
		shadow_destroy(shadow);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_apis),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
