/*
 * query/language/walk.h: MATCH with ranges before RETURN GRAPH, without looking at single paths.
 *
 * Every edge and vertex that lies on some walk that fits the pattern is kept; edges may be used
 * more than once in a walk.  Sets of vertices go along the pattern, forwards and back, so that the
 * time is linear in the graph for each edge of the pattern.
 */
#ifndef VFLOW_QUERY_LANGUAGE_WALK_H
#define VFLOW_QUERY_LANGUAGE_WALK_H

#include "query/language/eval.h"

/*
 * Whether the MATCH can be taken so: it has a range, and no condition compares what two of its
 * parts bind.  Slots from `first_slot` on belong to this MATCH.
 */
bool walk_fits(const struct match *match, uint32_t first_slot, uint32_t slot_count);

/* A vertex that rows from before bind: walks begin at any of them. */
struct walk_source {
	uint32_t slot;
	bool *vertices; /* walk_run() leaves those that the pattern fits at */
};

/*
 * Whether the pattern says nothing of the slot but that paths begin at the vertex in it: then what
 * fits for several vertices is found together.
 */
bool walk_begins_at(const struct match *match, uint32_t slot);

/* Whether anything that the MATCH says depends on the slot, which is from before. */
bool walk_depends_on(const struct match *match, uint32_t slot);

/*
 * Keeps (run->keep_vertex, keep_edge) what the RETURN GRAPH names of the MATCH's own, for the
 * values that are in the slots from before, but for that of `source` (or NULL).  Whether it fits
 * anywhere.
 */
bool walk_run(struct run *run, const struct match *match, const struct clause *graph,
	      const struct walk_source *source);

#endif
