/* advice/memory/accesses.c: see accesses.h. */
#include "advice/memory/accesses.h"

#include <stddef.h>
#include <string.h>

_Static_assert(offsetof(struct profile_accessed, object) == 0 &&
		       offsetof(struct profile_slices, object) == 0 &&
		       offsetof(struct profile_frequency, object) == 0,
	       "first_of() reads it there");

bool access_is_known(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->pass_count; i++)
		if (!strcmp(profile->passes[i].name, "access"))
			return true;
	return false;
}

/* Index of the first row of this object, or behind those of objects before it. */
static uint32_t first_of(const void *rows, size_t size, uint32_t count, uint32_t object)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		/* the object is the first member of all */
		if (*(const uint32_t *)((const char *)rows + middle * size) < object)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct access_facts access_facts(const struct profile *profile, uint32_t object)
{
	const struct profile_accessed *accessed = profile->accessed;
	const struct profile_slices *slices = profile->slices;
	const struct profile_frequency *frequencies = profile->frequencies;
	uint32_t i = first_of(accessed, sizeof(*accessed), profile->accessed_count, object);
	struct access_facts facts = {0};

	if (i < profile->accessed_count && accessed[i].object == object)
		facts.accessed = &accessed[i];
	for (i = first_of(slices, sizeof(*slices), profile->slice_count, object);
	     i < profile->slice_count && slices[i].object == object; i++) {
		if (slices[i].launches > 1 &&
		    (!facts.slices || slices[i].largest_bytes > facts.slices->largest_bytes))
			facts.slices = &slices[i];
		profile_add(&facts.slice_bytes, slices[i].largest_bytes);
	}
	i = first_of(frequencies, sizeof(*frequencies), profile->frequency_count, object);
	if (i < profile->frequency_count && frequencies[i].object == object)
		facts.frequency = &frequencies[i];
	return facts;
}

uint64_t access_unused(const struct profile *profile, const struct profile_accessed *accessed)
{
	return profile->objects[accessed->object].size - accessed->bytes;
}

double access_fragmentation(const struct profile *profile, const struct profile_accessed *accessed)
{
	const uint64_t unused = access_unused(profile, accessed);

	return unused ? 1 - (double)accessed->largest_bytes / (double)unused : 0;
}
