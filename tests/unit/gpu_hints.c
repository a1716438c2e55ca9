/* gpu/sanitizer/hints.c: an address's hint names the object that holds it, and few others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gpu/sanitizer/hints.c"

#define OBJECTS 3000
#define MIB (UINT64_C(1) << 20)

static struct device_entry entries[OBJECTS];
static struct device_hint hints[HINTS_MAX];
static uint32_t made, bits;

static uint64_t below(uint64_t limit)
{
	static uint64_t seed = 1;

	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 20) % limit;
}

/* As a patch computes it. */
static const struct device_hint *hint_of(uint64_t address)
{
	return &hints[(uint32_t)(address >> bits) & (made - 1)];
}

static void make(uint32_t count)
{
	made = hints_make(hints, &bits, entries, count);
	assert_true(made && made <= HINTS_MAX && !(made & (made - 1)));
}

/* The objects that hold the address must be among those that its hint names. */
static void check(uint64_t address, uint32_t count)
{
	const struct device_hint *hint = hint_of(address);

	assert_true(hint->first + hint->count <= count);
	for (uint32_t i = 0; i < count; i++)
		if (address - entries[i].start < entries[i].size)
			assert_true(i >= hint->first && i - hint->first < hint->count);
}

static void test_every_object_is_named(void **unused)
{
	(void)unused;
	for (int round = 0; round < 60; round++) {
		uint32_t count = (uint32_t)below(round % 3 ? 40 : OBJECTS);
		uint64_t at = below(UINT64_C(1) << 46), most = UINT64_C(1) << below(36);

		for (uint32_t i = 0; i < count; i++) {
			entries[i] = (struct device_entry){.start = at, .size = 1 + below(most)};
			at += entries[i].size + below(4) * below(most);
			if (!below(20))
				at += below(UINT64_C(1) << (20 + below(20)));
		}
		make(count);
		for (uint32_t k = 0; k < 2000 && count; k++) {
			const struct device_entry *entry = &entries[below(count)];

			check(entry->start + below(entry->size), count);
			check(entry->start, count);
			check(entry->start + entry->size - 1, count);
		}
	}
}

static void test_no_objects(void **unused)
{
	(void)unused;
	make(0);
	assert_int_equal(hint_of(0x7f0000000000)->count, 0);
	assert_int_equal(hint_of(~UINT64_C(0))->count, 0);
}

/*
 * As PyTorch allocates: 4000 MiB in 500 granules of 8 MiB, since there are at most 512; of objects
 * of 20 MiB, every other begins in the middle of one.
 */
static void test_large_objects_share_few_granules(void **unused)
{
	(void)unused;
	for (uint32_t i = 0; i < 200; i++)
		entries[i] = (struct device_entry){.start = 0x7f1200000000 + i * 20 * MIB,
						   .size = 20 * MIB};
	make(200);
	for (uint64_t at = 0; at < 200 * 20; at += 2)
		assert_int_equal(hint_of(entries[0].start + at * MIB)->count,
				 (at / 8 * 8 + 4) % 40 == 20 ? 2 : 1);
}

/* Managed memory is far from that of the device: both have hints of their own. */
static void test_places_that_meet_are_parted(void **unused)
{
	(void)unused;
	entries[0] = (struct device_entry){.start = 0x7e0000000000, .size = 64 * MIB};
	entries[1] = (struct device_entry){.start = 0x7f0004000000, .size = 64 * MIB};
	make(2);
	for (uint64_t at = 0; at < 64; at++) {
		assert_int_equal(hint_of(entries[0].start + at * MIB)->count, 1);
		assert_int_equal(hint_of(entries[1].start + at * MIB)->count, 1);
	}
}

/* More small objects than granules: a few for each hint. */
static void test_many_small_objects(void **unused)
{
	(void)unused;
	for (uint32_t i = 0; i < OBJECTS; i++)
		entries[i] = (struct device_entry){.start = 0x7f0000000000 + i * 65536, .size = 4};
	make(OBJECTS);
	for (uint32_t i = 0; i < OBJECTS; i++)
		assert_in_range(hint_of(entries[i].start)->count, 1, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_object_is_named),
		cmocka_unit_test(test_no_objects),
		cmocka_unit_test(test_large_objects_share_few_granules),
		cmocka_unit_test(test_places_that_meet_are_parted),
		cmocka_unit_test(test_many_small_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
