/*
 * graph/build/failed_calls.h: calls that returned an error, of all processes of the run that makes
 * the graph.  They are no events: no vertex stands for them.  Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_FAILED_CALLS_H
#define VFLOW_GRAPH_BUILD_FAILED_CALLS_H

#include "collect/trace.h"
#include "graph/build/merge.h"
#include "util/error.h"

struct failed_calls;

struct failed_calls *failed_calls_new(void);
/*
 * A sum of a process (its index in the profile); the last one of the same counts.  `frame`: of the
 * merge, or NO_FRAME.  -1: too many, or a number that cannot be.
 */
int failed_calls_take(struct failed_calls *calls, const struct trace_failed_call *record,
		      uint32_t process, uint32_t frame, struct error *error);
/* Adds the rows to the profile, with the first ones' paths from the merge. */
void failed_calls_finish(struct failed_calls *calls, struct profile *profile, struct merge *merge);
void failed_calls_free(struct failed_calls *calls);

#endif
