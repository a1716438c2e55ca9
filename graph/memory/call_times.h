/*
 * graph/memory/call_times.h: when the GPU API calls of a process were made, in the run of the pass
 * `time`, by the numbers that struct profile_moment gives them.
 *
 * That run is another one than that of the flow: a number is believed only where both runs made the
 * same call there.
 */
#ifndef VFLOW_GRAPH_MEMORY_CALL_TIMES_H
#define VFLOW_GRAPH_MEMORY_CALL_TIMES_H

#include "graph/profile/profile.h"

struct call_times;

/* NULL: the profile has no timeline, as from profile_read_events(), with calls of the process. */
struct call_times *call_times_new(const struct profile *profile, uint32_t process);
void call_times_free(struct call_times *times); /* or NULL */

/* From one call to another one.  A vertex is that of the call; PROFILE_NO_VERTEX: a release. */
struct call_stretch {
	uint64_t from, to; /* `to` PROFILE_UNKNOWN: the end of the process */
	uint32_t from_vertex, to_vertex;
};

/*
 * Nanoseconds from where a call is over, its operations on the device among it, to where the other
 * one or its operations begin, at least 0.  PROFILE_UNKNOWN: not known.
 */
uint64_t call_times_between(const struct call_times *times, const struct call_stretch *stretch);

#endif
