/*
 * render/select.h: what of a large graph is drawn.
 */
#ifndef VFLOW_RENDER_SELECT_H
#define VFLOW_RENDER_SELECT_H

#include <stdbool.h>

#include "graph/graph.h"

/* Up to `all_*` everything is drawn, of a larger graph `some_vertices` and `all_edges` at most. */
struct render_limits {
	uint32_t all_vertices, all_edges, some_vertices;
};

#define RENDER_STILL ((struct render_limits){300, 600, 80})
#define RENDER_EXPLORABLE ((struct render_limits){5000, 20000, 1000})

/* Whether everything is drawn. */
bool render_fits(const struct graph *graph, struct render_limits limits);

/*
 * Marks what to draw; both arrays have one entry per vertex / edge.  A graph above one of the
 * limits is cut down to the vertices that matter most and their edges: host, then for
 * a quarter of the places those with findings, most redundant bytes, most bytes; then, step by
 * step, those that exchange most redundant bytes, then bytes, with the ones that are there.
 */
void render_select(const struct graph *graph, struct render_limits limits, bool *vertices,
		   bool *edges);

#endif
