/* advice/memory/shares.h: who has the memory at a time. */
#ifndef VFLOW_ADVICE_MEMORY_SHARES_H
#define VFLOW_ADVICE_MEMORY_SHARES_H

#include "graph/memory/peaks.h"

/* The objects of one site. */
struct memory_share {
	uint32_t site; /* vertex id */
	uint64_t objects, bytes;
};

/* At this place, largest first; the caller frees. */
struct memory_share *memory_shares(const struct profile *profile, const struct peaks *peaks,
				   uint64_t place, uint32_t *count);

#endif
