/*
 * graph/build/merge.h: what the processes of a run have in common: call paths, contexts, vertices
 * and edges.  Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_MERGE_H
#define VFLOW_GRAPH_BUILD_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/trace.h"
#include "graph/build/analysis.h"
#include "graph/build/callpaths.h"
#include "graph/build/ranges.h"
#include "graph/profile/profile.h"

#define NO_VERTEX PROFILE_NO_VERTEX

struct merge;

struct merge *merge_new(struct profile *profile);
void merge_free(struct merge *merge);

/* Of the merge. */
struct callpaths *merge_paths(const struct merge *merge);
struct ranges *merge_ranges(const struct merge *merge);

/*
 * A number that is equal for equal contexts in all processes.  `ordinal`: of a node of a CUDA graph
 * among equal ones, else 0.
 */
uint32_t merge_context(struct merge *merge, enum trace_kind kind, const char *name, uint32_t frame,
		       uint32_t ordinal);

/* Of the vertex: "kernel"; "free", "sync" where there is none. */
const char *merge_context_kind(const struct merge *merge, uint32_t context);
/* The innermost frame of its call path, or NO_FRAME. */
uint32_t merge_context_frame(const struct merge *merge, uint32_t context);
/* As the trace gave it; valid as long as the merge. */
const char *merge_context_name(const struct merge *merge, uint32_t context);
/* By what a context came about; not every provider sees all but calls. */
enum merge_origin {
	MERGE_CALL,
	MERGE_NODE,     /* of a CUDA graph that was launched */
	MERGE_VARIABLE, /* of a module, which no call allocates */
	MERGE_WAIT,     /* a call that only waits */
	MERGE_ORIGINS
};
enum merge_origin merge_origin(const struct merge *merge, uint32_t context);
/* Index of the context's vertex; NO_VERTEX: it had no event yet. */
uint32_t merge_vertex(const struct merge *merge, uint32_t context);
/* One more invocation, of `host_ns`; makes the vertex at the first.  NO_VERTEX for kinds without
 * one. */
uint32_t merge_invoke(struct merge *merge, uint32_t context, uint64_t host_ns);
uint32_t merge_host(const struct merge *merge);
uint32_t merge_unknown(struct merge *merge); /* makes it when it is not there */

void merge_object_size(struct merge *merge, uint32_t site, uint64_t size);

/* Adds the row of the event to its edge. */
void merge_flow(struct merge *merge, const struct build_event *event, const struct build_row *row);

/* Call paths, contexts and sums of all vertices; the largest object of each edge's site. */
void merge_finish(struct merge *merge);

#endif
