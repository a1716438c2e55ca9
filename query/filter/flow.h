/*
 * query/filter/flow.h: the edges of one object as a graph of their own.
 *
 * Values of different objects do not mix: what is said of flows (slice, focus, ignore, hide) is
 * said of one object at a time.  Edges without an object count as edges of one object more.
 * All flows together cost O(V + E).
 */
#ifndef VFLOW_QUERY_FILTER_FLOW_H
#define VFLOW_QUERY_FILTER_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "query/engine.h"

#define FLOW_NO_OBJECT ((uint64_t)UINT32_MAX + 1)

/* Vertices and edges are numbered anew; vertices[] and edges[] have their numbers in the engine. */
struct flow {
	uint64_t object; /* FLOW_NO_OBJECT: none */
	uint32_t vertex_count, edge_count;
	uint32_t *vertices, *edges; /* edges in the engine's order */
	uint32_t *from, *to;
	/* vertex v has the edges out[out_first[v]] ... out[out_first[v + 1] - 1] */
	uint32_t *out_first, *out, *in_first, *in;
};

struct flows;

/* `at` (NULL: all flows): only those with an edge at a vertex with at[index]. */
struct flows *flows_begin(struct engine *engine, const bool *at);
/* The flow of the next object, in order of their ids, as long as the next is not asked for. */
const struct flow *flows_next(struct flows *flows);
void flows_end(struct flows *flows);

/*
 * Marks in reached[] (of the flow's vertices) what those with start[] reach over at most `steps`
 * edges, themselves included, without coming to one with closed[] (NULL: none is closed).
 */
void flow_reach(const struct flow *flow, bool forwards, const bool *start, const bool *closed,
		uint32_t steps, bool *reached);

/*
 * Marks where the flow begins (forwards) or ends: the vertices of strongly connected parts that
 * no edge leads into (out of).
 */
void flow_ends(const struct flow *flow, bool forwards, bool *is_end);

#endif
