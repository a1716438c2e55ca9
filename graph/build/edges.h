/*
 * graph/build/edges.h: the edges of the graph that is built: found by what they connect, and added
 * up from rows.  Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_EDGES_H
#define VFLOW_GRAPH_BUILD_EDGES_H

#include <stdint.h>

#include "graph/build/analysis.h"
#include "graph/graph.h"

struct edges;

/* The graph is the caller's, and only this adds edges to it. */
struct edges *edges_new(struct graph *graph);
void edges_free(struct edges *edges);

/*
 * Adds the row of the event of this number to the edge between two vertices that its access and the
 * site make; all three are indices of vertices.
 */
void edges_add(struct edges *edges, uint32_t from, uint32_t to, uint32_t site, uint64_t event,
	       const struct build_row *row);

#endif
