/* gpu/sanitizer/shadow/hints.c: an address's hint names the object that holds it, and few others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/sanitizer/shadow/hints.c"

#define OBJECTS 3000
#define MIB (UINT64_C(1) << 20)

static struct device_entry entries[OBJECTS];
static struct hints hints;

static uint64_t below(uint64_t limit)
{
	static uint64_t seed = 1;

	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 20) % limit;
}

/* As a patch computes it. */
static struct hint *hint_of(uint64_t address)
{
	return &hints.hints[(uint32_t)(address >> hints.bits) & (hints.hint_count - 1)];
}

static void make(uint32_t count)
{
	assert_int_equal(hints_make(&hints, entries, count, 0, UINT64_MAX), 0);
	assert_true(hints.hint_count && hints.hint_count <= HINTS_MAX &&
		    !(hints.hint_count & (hints.hint_count - 1)));
}

/* As a patch searches: the entry that holds the address, or NULL. */
static const struct device_entry *search(const struct device_entry *at, uint32_t count,
					 uint64_t address)
{
	if (!count)
		return NULL;
	do {
		uint32_t half = count / 2;

		if (at[half].start <= address)
			at += half;
		count -= half;
	} while (count > 1);
	return address - at->start < at->size ? at : NULL;
}

/* The object that holds the address must be found by its hint, and no other. */
static void check(uint64_t address, uint32_t count)
{
	struct hint *hint = hint_of(address);
	const struct device_entry *found = search(hint_entries(&hints, hint), hint->count, address);
	uint64_t start = 0;

	for (uint32_t i = 0; i < count; i++)
		if (address - entries[i].start < entries[i].size)
			start = entries[i].start;
	assert_int_equal(found ? found->start : 0, start);
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

/* Side by side: an access of any of them searches among three at most, and mostly two. */
static void test_many_objects_side_by_side(void **unused)
{
	enum { EACH = 27 * 512 };
	uint64_t found = 0, hits = 0;

	(void)unused;
	for (uint32_t i = 0; i < OBJECTS; i++)
		entries[i] = (struct device_entry){.start = 0x7f0000000000 + (uint64_t)i * EACH,
						   .size = EACH - 100};
	make(OBJECTS);
	for (uint64_t at = 0; at < (uint64_t)OBJECTS * EACH; at += 512, hits++) {
		uint32_t count = hint_of(entries[0].start + at)->count;

		assert_in_range(count, 1, 3);
		found += count;
	}
	assert_true(found <= 2 * hits + hits / 4);
}

/* -- changes ------------------------------------------------------------------------------ */

enum { PLACES = 20000, CHANGES = 20000, MOST = 80 };

static bool there[PLACES];

/* Objects that may come and go, of up to 64 KiB, some beside each other. */
static struct device_entry object_at(uint32_t place)
{
	return (struct device_entry){.start = 0x7f0000000000 + place * UINT64_C(65536),
				     .size = place % 3 ? 65536 : 1000 + place};
}

static void make_those_there(void)
{
	static struct device_entry sorted[PLACES];
	uint32_t count = 0;

	for (uint32_t i = 0; i < PLACES; i++)
		if (there[i])
			sorted[count++] = object_at(i);
	assert_int_equal(hints_make(&hints, sorted, count, 0, UINT64_MAX), 0);
}

/* What somebody has who looks at changed hints only. */
static struct {
	struct device_entry entries[MOST];
	uint32_t count;
} seen[HINTS_MAX];

static void see(uint32_t i)
{
	struct hint *hint = &hints.hints[i];

	assert_in_range(hint->count, 0, MOST);
	seen[i].count = hint->count;
	memcpy(seen[i].entries, hint_entries(&hints, hint), hint->count * sizeof(*seen[i].entries));
}

static void test_changes(void **unused)
{
	uint32_t made_anew = 0;
	uint64_t looked_at = 0;

	(void)unused;
	for (uint32_t i = 0; i < PLACES / 2; i++)
		there[below(PLACES)] = true;
	make_those_there();
	for (uint32_t i = 0; i < hints.hint_count; i++)
		see(i);
	for (uint32_t round = 0; round < CHANGES; round++) {
		uint32_t place = (uint32_t)below(PLACES), other = (uint32_t)below(PLACES);
		const struct device_entry object = object_at(place), *found;
		uint64_t address = object_at(other).start + below(65536);

		there[place] = !there[place];
		if (!(there[place] ? hints_add : hints_remove)(&hints, &object)) {
			make_those_there();
			for (uint32_t i = 0; i < hints.hint_count; i++)
				see(i);
			made_anew++;
		}
		for (uint32_t i = 0; i < hints.changed_count; i++)
			see(hints.changed[i]);
		looked_at += hints.changed_count;
		hints_clear_changes(&hints);
		found = search(seen[hint_of(address) - hints.hints].entries,
			       seen[hint_of(address) - hints.hints].count, address);
		if (there[other] && address - object_at(other).start < object_at(other).size)
			assert_true(found && found->start == object_at(other).start);
		else
			assert_null(found);
	}
	/* none lies in more than two granules, which are at least as large */
	assert_in_range(looked_at, CHANGES - made_anew, 2 * CHANGES);
	assert_in_range(made_anew, 0, CHANGES / 1000);
}

/* As many as there were at first come behind them, one after the other. */
static void test_growth(void **unused)
{
	uint32_t made_anew = 0;

	(void)unused;
	memset(there, 0, sizeof(there));
	memset(there, 1, 300);
	make_those_there();
	for (uint32_t i = 300; i < PLACES; i++) {
		const struct device_entry object = object_at(i);

		there[i] = true;
		if (hints_add(&hints, &object))
			continue;
		make_those_there();
		made_anew++;
	}
	for (uint32_t i = 0; i < PLACES; i++) {
		uint64_t address = object_at(i).start;
		const struct device_entry *found = search(hint_entries(&hints, hint_of(address)),
							  hint_of(address)->count, address);

		assert_true(found && found->start == address);
	}
	assert_in_range(made_anew, 1, 14); /* each time for twice as many, or for larger granules */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_object_is_named),
		cmocka_unit_test(test_no_objects),
		cmocka_unit_test(test_large_objects_share_few_granules),
		cmocka_unit_test(test_places_that_meet_are_parted),
		cmocka_unit_test(test_many_small_objects),
		cmocka_unit_test(test_many_objects_side_by_side),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
