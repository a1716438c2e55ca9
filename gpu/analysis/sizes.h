/*
 * gpu/analysis/sizes.h: which GPU_RECORD_SIZES are worth a record.
 *
 * A kernel that touches an object with atomics mostly does so in every launch: only the first
 * record of the context and object says something.  What was said is remembered in a table of fixed
 * size, where a newcomer takes the place of another: some records come twice.
 */
#ifndef VFLOW_GPU_ANALYSIS_SIZES_H
#define VFLOW_GPU_ANALYSIS_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/analysis/values.h"
#include "gpu/provider.h"

#define SIZES_PLACES 4096u

struct sizes_said { /* all zero: nothing yet */
	struct {
		uint32_t context, object, sizes;
	} places[SIZES_PLACES];
};

/* The record's payload; `sizes` as in values.h. */
static inline struct gpu_sizes sizes_payload(uint32_t sizes)
{
	return (struct gpu_sizes){
		.loads = values_of_kind(sizes, VALUES_LOAD),
		.stores = values_of_kind(sizes, VALUES_STORE) | values_of_kind(sizes, VALUES_BULK),
		.atomics = values_of_kind(sizes, VALUES_ATOMIC),
	};
}

/* Whether they say something new of a call of `context` and the object; ids are not 0. */
static inline bool sizes_are_new(struct sizes_said *said, uint32_t context, uint32_t object,
				 uint32_t sizes)
{
	const uint64_t hash =
		((uint64_t)context << 32 | object) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
	const uint32_t place = (uint32_t)hash % SIZES_PLACES;

	if (said->places[place].context != context || said->places[place].object != object) {
		said->places[place].context = context;
		said->places[place].object = object;
		said->places[place].sizes = 0;
	}
	if (!(sizes & ~said->places[place].sizes))
		return false;
	said->places[place].sizes |= sizes;
	return true;
}

#endif
