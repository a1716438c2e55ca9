/* gpu/sanitizer/hints.c: see hints.h. */
#include "gpu/sanitizer/hints.h"

#include <stdbool.h>
#include <stdlib.h>

/*
 * Granules are as small as they can be with so many of them: the accesses of a warp should find
 * their hints in a few lines of the cache.
 */
#define GRANULES (HINTS_MAX / 8)
#define SMALLEST 16 /* bits */
#define LARGEST 31

static uint64_t last_byte(const struct device_entry *entry)
{
	return entry->start + entry->size - 1;
}

/* How many granules the objects lie in; what is far beyond GRANULES is not counted. */
static uint64_t count_granules(const struct device_entry *entries, uint32_t count, uint32_t bits)
{
	uint64_t granules = 0, next = 0;

	for (uint32_t i = 0; i < count && granules <= GRANULES; i++) {
		uint64_t first = entries[i].start >> bits, last = last_byte(&entries[i]) >> bits;

		first = first > next ? first : next;
		if (first <= last) {
			granules += last + 1 - first;
			next = last + 1;
		}
	}
	return granules;
}

/* With `granules`, room for as many numbers.  Returns whether each hint is that of one granule. */
static bool fill(struct device_hint *hints, uint64_t *granules, uint32_t mask, uint32_t bits,
		 const struct device_entry *entries, uint32_t count)
{
	bool parted = true;

	for (uint32_t i = 0; i <= mask; i++)
		hints[i] = (struct device_hint){0, 0};
	for (uint32_t i = 0; i < count; i++)
		for (uint64_t granule = entries[i].start >> bits;
		     granule <= last_byte(&entries[i]) >> bits; granule++) {
			struct device_hint *hint = &hints[granule & mask];

			if (!hint->count) {
				hint->first = i;
				granules[granule & mask] = granule;
			}
			hint->count = i + 1 - hint->first;
			parted &= granules[granule & mask] == granule;
		}
	return parted;
}

uint32_t hints_make(struct device_hint hints[HINTS_MAX], uint32_t *granule_bits,
		    const struct device_entry *entries, uint32_t count)
{
	uint64_t *granules = malloc(HINTS_MAX * sizeof(*granules)), wanted;
	uint32_t bits = SMALLEST, made = 1;

	if (!granules)
		return 0;
	while ((wanted = count_granules(entries, count, bits)) > GRANULES && bits < LARGEST)
		bits++;
	while (made < wanted && made < HINTS_MAX)
		made *= 2;
	/* there is room to part places that are far from each other */
	while (!fill(hints, granules, made - 1, bits, entries, count) && made < HINTS_MAX)
		made *= 2;
	free(granules);
	*granule_bits = bits;
	return made;
}
