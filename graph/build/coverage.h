/*
 * graph/build/coverage.h: what one process says that was not seen.  It repeats its rows with newer
 * sums; the last of equal texts counts.  Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_COVERAGE_H
#define VFLOW_GRAPH_BUILD_COVERAGE_H

#include "graph/profile/profile.h"
#include "util/error.h"

struct coverage;

struct coverage *coverage_new(void);
/* Texts may be any; -1: too many kinds of them. */
int coverage_take(struct coverage *coverage, const char *what, const char *reason, uint64_t count,
		  uint64_t bytes, struct error *error);
/* Adds all rows to the profile. */
void coverage_free(struct coverage *coverage, struct profile *profile);

/* A trace that is not whole; `reason` may be any text. */
void coverage_cut(struct profile *profile, const char *reason);

#endif
