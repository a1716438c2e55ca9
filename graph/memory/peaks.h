/*
 * graph/memory/peaks.h: how much of the device's memory a process had allocated, in the run and
 * had it allocated and freed otherwise: its allocations are replayed.
 *
 * Bytes are those that the program asked for, of objects in memory of the device, arrays among
 * them (not managed or mapped memory, nor variables of modules).
 */
#ifndef VFLOW_GRAPH_MEMORY_PEAKS_H
#define VFLOW_GRAPH_MEMORY_PEAKS_H

#include "graph/profile/profile.h"

/*
 * When the bytes of an object are there: from a place to another one, but for a gap in between.  A
 * place 2 * n is during the n-th GPU API call of the process, 2 * n + 1 between it and the next.
 */
struct peaks_span {
	uint64_t from, to;         /* from <= to */
	uint64_t gap_from, gap_to; /* equal: none */
	uint64_t bytes;
};

struct peaks; /* of one process */

/* The process (index) that has had most allocated; -1: none has anything, or nothing is known. */
int peaks_process(const struct profile *profile);
/* It refers to the profile. */
struct peaks *peaks_new(const struct profile *profile, uint32_t process);
void peaks_free(struct peaks *peaks);

/* Rows of profile->lifetimes that are the process's: their number, and the one of this index. */
uint32_t peaks_count(const struct peaks *peaks);
const struct profile_lifetime *peaks_lifetime(const struct peaks *peaks, uint32_t index);
/* How it was: caller may change the copy for peaks_most(). */
struct peaks_span peaks_span(const struct peaks *peaks, uint32_t index);

/* The most bytes at a time, of these spans by index; *place: the first at which they were. */
uint64_t peaks_most(const struct peaks *peaks, const struct peaks_span *spans, uint64_t *place);

/* A time at which more was allocated than before and after. */
struct peaks_peak {
	uint64_t place, bytes;
};
/* The highest ones of the run, highest first, at most so many.  Returns how many. */
uint32_t peaks_highest(const struct peaks *peaks, struct peaks_peak *highest, uint32_t most);
/* Whether the object was there. */
bool peaks_holds(const struct peaks_span *span, uint64_t place);

#endif
