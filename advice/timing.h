/* advice/timing.h: the calls of a run in time, with what the device did and waited for in each. */
#ifndef VFLOW_ADVICE_TIMING_H
#define VFLOW_ADVICE_TIMING_H

#include "graph/profile/profile.h"

/* All calls of a function of CUDA from one call path. */
struct timing_api {
	uint64_t calls, waits; /* waits: calls that did wait */
	uint64_t host_ns;      /* from their starts to their returns */
	uint64_t wait_ns;
};

/* Rows of the profile by the index of their call: those of call c are [c] to [c + 1] - 1. */
struct timing {
	const struct profile *profile;
	uint64_t span_ns; /* from the first operation to the last; 0: there are none */
	uint32_t *operations, *waits, *orders;
	uint64_t *once; /* by call: what it pays for all, see replay/once.h */
	struct timing_api *apis;
};

/* NULL: the profile has no timeline.  It refers to the profile. */
struct timing *timing_new(const struct profile *profile);
void timing_free(struct timing *timing);

/* How long the call waited. */
uint64_t timing_wait_ns(const struct timing *timing, uint32_t call);

#endif
