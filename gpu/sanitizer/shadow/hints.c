/* gpu/sanitizer/shadow/hints.c: see hints.h. */
#include "gpu/sanitizer/shadow/hints.h"

#include <stdlib.h>
#include <string.h>

/*
 * Granules are as small as they can be with at most so many of them: the accesses of a warp should
 * find their hints in a few lines of the cache.  Of many objects it matters more that few of them
 * share a granule, since every access searches among those.
 */
#define GRANULES 512
#define GRANULES_EACH 2 /* of many objects; HINTS_MAX in all */
#define SMALLEST 16     /* bits */
#define SMALLEST_OF_MANY 9
#define LARGEST 31
/* With fewer entries hints are made anew at each change, as good as they can be. */
#define FEW_ENTRIES 256
#define ARENA_LEAST 65536 /* bytes */

static uint64_t last_byte(const struct device_entry *entry)
{
	return entry->start + entry->size - 1;
}

/* -- granules ----------------------------------------------------------------------------- */

static bool are_many(uint32_t count)
{
	return count > FEW_ENTRIES;
}

/* At most so many granules for many entries. */
static uint64_t most_granules(uint32_t count)
{
	const uint64_t wanted = (uint64_t)GRANULES_EACH * count;

	return wanted < HINTS_MAX ? wanted : HINTS_MAX;
}

/* How many granules the objects lie in; what is far beyond HINTS_MAX is not counted. */
static uint64_t count_granules(const struct device_entry *entries, uint32_t count, uint32_t bits)
{
	uint64_t granules = 0, next = 0;

	for (uint32_t i = 0; i < count && granules <= HINTS_MAX; i++) {
		uint64_t first = entries[i].start >> bits, last = last_byte(&entries[i]) >> bits;

		first = first > next ? first : next;
		if (first <= last) {
			granules += last + 1 - first;
			next = last + 1;
		}
	}
	return granules;
}

/* Whether no two granules with objects share a hint.  `granules`: room for `hint_count` numbers. */
static bool are_distinct(uint64_t *granules, uint32_t hint_count, uint32_t bits,
			 const struct device_entry *entries, uint32_t count)
{
	memset(granules, 0xff, hint_count * sizeof(*granules));
	for (uint32_t i = 0; i < count; i++)
		for (uint64_t granule = entries[i].start >> bits;
		     granule <= last_byte(&entries[i]) >> bits; granule++) {
			uint64_t *found = &granules[granule & (hint_count - 1)];

			if (*found != UINT64_MAX && *found != granule)
				return false;
			*found = granule;
		}
	return true;
}

/*
 * How many entries a hint has that an access finds, on average over granules, in 64ths, if there
 * are as many hints as can be.  `counts`: room for HINTS_MAX numbers.
 */
static uint64_t sharing(uint64_t *counts, uint32_t bits, const struct device_entry *entries,
			uint32_t count)
{
	uint64_t references = 0, found = 0;

	memset(counts, 0, HINTS_MAX * sizeof(*counts));
	for (uint32_t i = 0; i < count; i++)
		for (uint64_t granule = entries[i].start >> bits;
		     granule <= last_byte(&entries[i]) >> bits; granule++)
			counts[granule & (HINTS_MAX - 1)]++;
	for (uint32_t i = 0; i < HINTS_MAX; i++) {
		references += counts[i];
		found += counts[i] * counts[i];
	}
	return references ? 64 * found / references : 0;
}

/*
 * Of many objects small granules hold few each, but those of objects that are far from each other
 * share hints: the largest that are nearly as good as the best.  `room`: see sharing().
 */
static uint32_t choose_bits_of_many(uint64_t *room, const struct device_entry *entries,
				    uint32_t count)
{
	uint64_t shared[LARGEST + 1], best = UINT64_MAX;
	uint32_t bits = LARGEST;

	for (uint32_t i = SMALLEST_OF_MANY; i <= LARGEST; i++) {
		shared[i] = count_granules(entries, count, i) <= most_granules(count)
				    ? sharing(room, i, entries, count)
				    : UINT64_MAX;
		best = shared[i] < best ? shared[i] : best;
	}
	while (bits > SMALLEST_OF_MANY && best != UINT64_MAX && shared[bits] > best + best / 8)
		bits--;
	return bits;
}

static uint32_t choose_bits(uint64_t *room, const struct device_entry *entries, uint32_t count)
{
	uint32_t bits = SMALLEST;

	if (are_many(count))
		return choose_bits_of_many(room, entries, count);
	while (count_granules(entries, count, bits) > GRANULES && bits < LARGEST)
		bits++;
	return bits;
}

static bool choose(struct hints *hints, const struct device_entry *entries, uint32_t count)
{
	uint64_t *granules = malloc(HINTS_MAX * sizeof(*granules)), wanted;
	uint32_t bits, hint_count = 1;

	if (!granules)
		return false;
	bits = choose_bits(granules, entries, count);
	wanted = count_granules(entries, count, bits);
	while (hint_count < wanted && hint_count < HINTS_MAX)
		hint_count *= 2;
	/* more hints keep granules apart that are far from each other */
	while (hint_count < HINTS_MAX && !are_distinct(granules, hint_count, bits, entries, count))
		hint_count *= 2;
	free(granules);
	hints->bits = bits;
	hints->hint_count = hint_count;
	return true;
}

/* -- entries ------------------------------------------------------------------------------ */

/* The hints of an entry: `count` of them from `first` on, modulo their number. */
struct range {
	uint32_t first, count;
};

static struct range range_of(const struct hints *hints, const struct device_entry *entry)
{
	uint64_t first = entry->start >> hints->bits, last = last_byte(entry) >> hints->bits;

	return (struct range){(uint32_t)first & (hints->hint_count - 1),
			      last - first < hints->hint_count ? (uint32_t)(last - first) + 1
							       : hints->hint_count};
}

static struct hint *hint_at(struct hints *hints, struct range range, uint32_t i)
{
	return &hints->hints[(range.first + i) & (hints->hint_count - 1)];
}

static void note_change(struct hints *hints, struct hint *hint)
{
	if (!hint->changed)
		hints->changed[hints->changed_count++] = (uint16_t)(hint - hints->hints);
	hint->changed = true;
}

/* Gives a hint a place with room for so many entries.  False: the arena is full. */
static bool make_room(struct hints *hints, struct hint *hint, uint32_t capacity)
{
	const uint64_t bytes = HINT_HEADER + (uint64_t)capacity * sizeof(struct device_entry);
	struct device_entry *entries;

	if (bytes > hints->size - hints->used)
		return false;
	entries = (struct device_entry *)(hints->arena + hints->used + HINT_HEADER);
	memcpy(entries, hint_entries(hints, hint), hint->count * sizeof(*entries));
	hint->place = hints->used;
	hint->capacity = capacity;
	hints->used += (uint32_t)bytes;
	return true;
}

static bool make_arena(struct hints *hints, uint64_t wanted)
{
	uint64_t size = ARENA_LEAST;
	unsigned char *arena;

	while (size < wanted)
		size *= 2;
	hints->used = 0;
	if (size == hints->size)
		return true;
	arena = size < UINT32_MAX ? aligned_alloc(64, size) : NULL;
	if (!arena)
		return false;
	free(hints->arena);
	hints->arena = arena;
	hints->size = (uint32_t)size;
	return true;
}

/* How much room a hint gets for so many entries; `growable`: more than they need. */
static uint32_t capacity_for(uint32_t count, bool growable)
{
	return growable ? count + count / 2 + 2 : count;
}

int hints_make(struct hints *hints, const struct device_entry *entries, uint32_t count,
	       uint64_t own, uint64_t own_size)
{
	const bool growable = are_many(count);
	uint64_t bytes = growable ? (uint64_t)HINTS_MAX * HINT_HEADER : 0;

	hints->count = hints->built = hints->hint_count = 0;
	hints->references = 0;
	hints->changed_count = 0;
	if (!choose(hints, entries, count))
		return -1;
	memset(hints->hints, 0, hints->hint_count * sizeof(*hints->hints));
	for (uint32_t i = 0; i < count; i++) {
		struct range range = range_of(hints, &entries[i]);

		hints->references += range.count;
		for (uint32_t k = 0; k < range.count; k++)
			hint_at(hints, range, k)->capacity++;
	}
	for (uint32_t i = 0; i < hints->hint_count; i++)
		if (hints->hints[i].capacity)
			bytes += HINT_HEADER +
				 (uint64_t)capacity_for(hints->hints[i].capacity, growable) *
					 sizeof(struct device_entry);
	if (!make_arena(hints, growable ? 2 * bytes : bytes)) {
		hints->hint_count = 0;
		return -1;
	}
	for (uint32_t i = 0; i < hints->hint_count; i++) {
		uint32_t wanted = hints->hints[i].capacity;

		hints->hints[i].capacity = 0;
		if (wanted > 1)
			make_room(hints, &hints->hints[i], capacity_for(wanted, growable));
	}
	for (uint32_t i = 0; i < count; i++) {
		struct range range = range_of(hints, &entries[i]);
		bool is_own = hint_is_own(&entries[i], own, own_size);

		for (uint32_t k = 0; k < range.count; k++) {
			struct hint *hint = hint_at(hints, range, k);

			if (!hint->capacity && !is_own)
				make_room(hints, hint, capacity_for(1, growable));
			hint_entries(hints, hint)[hint->count++] = entries[i];
		}
	}
	hints->count = hints->built = count;
	hints->references_built = hints->references;
	return 0;
}

/* -- changes ------------------------------------------------------------------------------ */

/* The index of the entry with this address, or of the first behind it. */
static uint32_t find(const struct device_entry *entries, uint32_t count, uint64_t start)
{
	uint32_t low = 0;

	while (low < count) {
		uint32_t middle = low + (count - low) / 2;

		if (entries[middle].start < start)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* Whether granules and the number of hints still suit the entries. */
static bool still_fits(const struct hints *hints)
{
	return are_many(hints->count) && hints->count <= 2 * hints->built &&
	       hints->count >= hints->built / 4 &&
	       hints->references <= 2 * hints->references_built + HINTS_MAX;
}

bool hints_add(struct hints *hints, const struct device_entry *entry)
{
	struct range range = range_of(hints, entry);

	hints->count++;
	hints->references += range.count;
	if (!still_fits(hints))
		return false;
	for (uint32_t i = 0; i < range.count; i++) {
		struct hint *hint = hint_at(hints, range, i);
		struct device_entry *entries;
		uint32_t at;

		if (hint->count >= (hint->capacity ? hint->capacity : 1) &&
		    !make_room(hints, hint, capacity_for(2 * hint->count, true)))
			return false;
		entries = hint_entries(hints, hint);
		at = find(entries, hint->count, entry->start);
		memmove(&entries[at + 1], &entries[at], (hint->count - at) * sizeof(*entries));
		entries[at] = *entry;
		hint->count++;
		note_change(hints, hint);
	}
	return true;
}

bool hints_remove(struct hints *hints, const struct device_entry *entry)
{
	struct range range = range_of(hints, entry);

	hints->count--;
	hints->references -= range.count;
	if (!still_fits(hints))
		return false;
	for (uint32_t i = 0; i < range.count; i++) {
		struct hint *hint = hint_at(hints, range, i);
		struct device_entry *entries = hint_entries(hints, hint);
		uint32_t at = find(entries, hint->count, entry->start);

		if (at == hint->count || entries[at].start != entry->start)
			return false;
		hint->count--;
		memmove(&entries[at], &entries[at + 1], (hint->count - at) * sizeof(*entries));
		note_change(hints, hint);
	}
	return true;
}

void hints_clear_changes(struct hints *hints)
{
	for (uint32_t i = 0; i < hints->changed_count; i++)
		hints->hints[hints->changed[i]].changed = false;
	hints->changed_count = 0;
}

void hints_free(struct hints *hints)
{
	if (hints)
		free(hints->arena);
	free(hints);
}
