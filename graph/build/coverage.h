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
/*
 * `passes`: NULL, or the names of those whose run joins the graph.  What that says did not hide
 * anything from the graph: it becomes rows of COVERAGE_PASS_SAYS.
 */

/* Adds all rows to the profile. */
void coverage_free(struct coverage *coverage, struct profile *profile, const char *passes);

/* Adds to a row, as profile_add_coverage() does. */
void coverage_say(struct profile *profile, const char *passes, enum coverage_id id,
		  const char *detail, uint64_t count, uint64_t bytes);

/* A trace that cannot be read, or not to its end: why may be any text. */
void coverage_damaged(struct profile *profile, const char *passes, const struct error *why);

#endif
