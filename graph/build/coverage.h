/*
 * graph/build/coverage.h: what one process says that was not seen.  It repeats its rows with newer
 * sums; the last of equal texts counts.  Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_COVERAGE_H
#define VFLOW_GRAPH_BUILD_COVERAGE_H

#include "collect/trace.h"
#include "graph/profile/profile.h"
#include "util/error.h"

struct coverage;

struct coverage *coverage_new(void);
/* A record with two texts, of TRACE_COVERAGE or TRACE_COVERAGE_TEXTS; -1: too many kinds of them.
 */
int coverage_take(struct coverage *coverage, const struct trace_coverage *record,
		  struct error *error);
/* Adds all rows to the profile. */
void coverage_free(struct coverage *coverage, struct profile *profile);

/* A trace that cannot be read, or not to its end: why may be any text. */
void coverage_damaged(struct profile *profile, const struct error *why);

#endif
