/*
 * query/walk.h: MATCH with ranges before RETURN GRAPH, without looking at single paths.
 *
 * Every edge and vertex that lies on some walk that fits the pattern is kept; edges may be used
 * more than once in a walk.  Sets of vertices go along the pattern, forwards and back, so that the
 * time is linear in the graph for each edge of the pattern.
 */
#ifndef VFLOW_QUERY_WALK_H
#define VFLOW_QUERY_WALK_H

#include "query/eval.h"

/*
 * Whether the MATCH can be taken so: it has a range, and no condition compares what two of its
 * parts bind.  Slots from `first_slot` on belong to this MATCH.
 */
bool walk_fits(const struct match *match, uint32_t first_slot, uint32_t slot_count);

/* Keeps (run->keep_vertex, keep_edge) what the RETURN GRAPH names.  False when the run failed. */
bool walk_run(struct run *run, struct match *match, const struct clause *graph);

#endif
