/*
 * graph/build/unread.h: from what the analysis of fates has counted to what a profile says of bytes
 * that nobody read: sums of vertices, and where in objects they lie.  Internal to fates.c.
 */
#ifndef VFLOW_GRAPH_BUILD_UNREAD_H
#define VFLOW_GRAPH_BUILD_UNREAD_H

#include "graph/profile/profile.h"

/* Of KiB of an object; first > last: empty. */
struct unread_range {
	uint64_t first, last;
};

#define UNREAD_NOTHING ((struct unread_range){UINT64_MAX, 0})
#define UNREAD_EVERYTHING ((struct unread_range){0, UINT64_MAX})

/*
 * Of a row of profile->fates, beside what that says.  Which bytes are unread is known as far as the
 * blocks of rows tell: nothing of what a vertex wrote is read before the lowest or after the
 * highest block of rows that read bytes of it.
 */
struct unread_total {
	uint64_t freed; /* of its unread bytes: those whose object was freed */
	uint64_t size;  /* of the largest object that was written to */
	struct unread_range written, read;
};

void unread_widen(struct unread_range *range, struct unread_range more);

/* `totals`: one for each of the profile's fates.  Sets the fields of vertices, and adds rows. */
void unread_finish(struct profile *profile, const struct unread_total *totals);

#endif
