/*
 * advice/cause.h: where in the source a finding can be mended.
 *
 * A helper that everybody calls is not to blame for one of its callers.  The cause of a finding is
 * the innermost line of its call path from which all that the operation does there is found alike;
 * that is the line of the operation itself, or one of its callers.  Of a call that makes no vertex
 * (a wait, a release) it is the call's own line if the same is found from all call paths that end
 * there, else the call path.
 */
#ifndef VFLOW_ADVICE_CAUSE_H
#define VFLOW_ADVICE_CAUSE_H

#include "graph/profile/profile.h"

struct cause {
	uint32_t first; /* the first finding of the same cause, index; maybe this one */
	char *caller;   /* "layers.c:40": not the operation's own line; NULL: it is */
	bool shared;    /* what was not found alike has all of the call path in common */
	bool others;    /* other callers of that line do what was not found there */
	/* Where several calls of the operation have all of the call path in common: this is the
	 * `which`th of `of`, in order of first appearance. */
	uint32_t which, of;
};

/* For each finding; freed with causes_free(). */
struct cause *causes_find(const struct profile *profile);

/* Whether both are of a function that makes no vertex, called from the same line. */
bool cause_is_same_call(const struct profile_api *a, const struct profile_api *b);
void causes_free(struct cause *causes, uint32_t count);

#endif
