/*
 * graph/build/merge.h: what the processes of a run have in common: frames, contexts, vertices,
 * edges and groups of duplicates.  Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_MERGE_H
#define VFLOW_GRAPH_BUILD_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/trace.h"
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
uint32_t merge_context(struct merge *merge, enum trace_kind kind, const char *name, uint32_t frame);

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

/* Adds to the edge; `event` tells invocations apart.  All three are indices of vertices. */
struct merge_flow {
	uint32_t from, to, site;
	enum graph_access access;
	uint64_t bytes, redundant_bytes;
	uint64_t event;
};
void merge_flow(struct merge *merge, const struct merge_flow *flow);

/* A role that objects played in an episode of equal content; both are indices of vertices. */
struct merge_role {
	uint32_t site, cause;
	uint64_t objects;
};
/* Adds an episode to the group with these roles, which are sorted and each there once. */
void merge_episode(struct merge *merge, const struct merge_role *roles, uint32_t count,
		   uint64_t bytes, uint64_t events, bool zero);

/* Call paths, contexts and sums of all vertices; the largest object of each edge's site. */
void merge_finish(struct merge *merge);

#endif
