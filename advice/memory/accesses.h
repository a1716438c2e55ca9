/*
 * advice/memory/accesses.h: how much of an object is accessed, and by which launches and how often
 * (DrGPUM, Definitions 3.8 to 3.10).
 */
#ifndef VFLOW_ADVICE_MEMORY_ACCESSES_H
#define VFLOW_ADVICE_MEMORY_ACCESSES_H

#include "graph/profile/profile.h"

/* Of one object; they refer to the profile. */
struct access_facts {
	const struct profile_accessed *accessed; /* NULL: not known */
	/* Of the kernel with the largest, of those with two launches; NULL: some launches of a
	 * kernel access the same bytes, or none has two. */
	const struct profile_slices *slices;
	uint64_t slice_bytes; /* the largest slice of each kernel, together */
	/* Of the launch that accesses its elements least evenly; NULL: all do so evenly. */
	const struct profile_frequency *frequency;
};

/* Whether the profile says what was accessed: it has the pass. */
bool access_is_known(const struct profile *profile);
struct access_facts access_facts(const struct profile *profile, uint32_t object);

/* Bytes that no call has accessed. */
uint64_t access_unused(const struct profile *profile, const struct profile_accessed *accessed);
/* Equation 1: how far they are from being one chunk, 0 to less than 1. */
double access_fragmentation(const struct profile *profile, const struct profile_accessed *accessed);

#endif
