/*
 * graph/build/merge.h: what the processes of a run have in common: frames, contexts, vertices and
 * edges.  Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_MERGE_H
#define VFLOW_GRAPH_BUILD_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/trace.h"
#include "graph/build/analysis.h"
#include "graph/profile/profile.h"

#define NO_VERTEX PROFILE_NO_VERTEX

struct merge;

struct merge *merge_new(struct profile *profile);
void merge_free(struct merge *merge);

/* Each returns a number that is equal for equal things in all processes. */
uint32_t merge_module(struct merge *merge, const char *path, const uint8_t *build_id,
		      uint32_t build_id_size);
#define NO_FRAME UINT32_MAX
/* `parent`: NO_FRAME for the outermost. */
uint32_t merge_frame(struct merge *merge, uint32_t parent, uint32_t module, uint64_t offset);
/* TRACE_FRAME_REPLAY. */
uint32_t merge_replay(struct merge *merge, uint32_t parent);
/* `ordinal`: of a node of a CUDA graph among equal ones, else 0. */
uint32_t merge_context(struct merge *merge, enum trace_kind kind, const char *name, uint32_t frame,
		       uint32_t ordinal);

/* As the trace gave it; valid as long as the merge. */
const char *merge_context_name(const struct merge *merge, uint32_t context);
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

/*
 * The frames of a path of no vertex, from which `function` of CUDA was called.  The caller frees
 * path->frames.
 */
void merge_path(struct merge *merge, const char *function, uint32_t frame,
		struct profile_callpath *path);

/* Call paths, contexts and sums of all vertices; the largest object of each edge's site. */
void merge_finish(struct merge *merge);

#endif
