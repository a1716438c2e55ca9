/*
 * query/query.h: subgraphs that answer questions (ValueExpert 5.2).
 *
 * Each function filters the graph in place; `host` always stays, even without edges.
 */
#ifndef VFLOW_QUERY_QUERY_H
#define VFLOW_QUERY_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"

/*
 * Vertex slice, Def. 5.2, for vertex index u.  e(i,j,k) stays iff an edge at u has object k and,
 * over edges of object k only, j = u or j reaches u, or i = u or u reaches i.  host is a vertex
 * like any other on such a path.  Edges without an object count as edges of one object more.
 * O(V + E), no recursion.
 */
void query_slice(struct graph *graph, uint32_t u);

/* The union of the slices of all vertices with of[index]; also O(V + E). */
void query_slice_union(struct graph *graph, const bool *of);

/* Less than the whole slice. */
struct query_part {
	bool up, down;   /* only what leads there; only what follows; not both */
	uint32_t depth;  /* edges at most this many steps away, 0: any number */
	bool one_object; /* only along `object` */
	uint32_t object;
};

void query_slice_part(struct graph *graph, const bool *of, const struct query_part *part);

/*
 * The ways from vertices with from[index] to vertices with to[index], over edges of any object or
 * (one_object) of one: every edge on some walk of at least one edge, or one shortest path.  False,
 * and the graph is as it was, when there is none.  O(V + E).
 */
bool query_path(struct graph *graph, const bool *from, const bool *to, bool shortest,
		bool one_object, uint32_t object);

enum query_edge_metric {
	EDGE_METRIC_NONE,
	EDGE_METRIC_BYTES,
	EDGE_METRIC_REDUNDANT_BYTES,
	EDGE_METRIC_REDUNDANCY,
	EDGE_METRIC_COUNT,
	EDGE_METRIC_OBJECT_BYTES,
};

enum query_vertex_metric {
	VERTEX_METRIC_NONE,
	VERTEX_METRIC_INVOCATIONS,
	VERTEX_METRIC_READ_BYTES,
	VERTEX_METRIC_WRITTEN_BYTES,
	VERTEX_METRIC_REDUNDANT_BYTES,
	VERTEX_METRIC_TIME_NS,
};

/* I(e) >= Ie and I(v) >= Iv; NONE: no threshold of that kind. */
struct query_importance {
	enum query_edge_metric edge_metric;
	double edge_threshold;
	enum query_vertex_metric vertex_metric;
	double vertex_threshold;
};

/*
 * Important graph, Def. 5.3, as DESIGN 4 settles the cases with one threshold only.  What lacks
 * the attribute (null) does not meet a threshold on it: READ edges have no redundancy.
 */
void query_prune(struct graph *graph, const struct query_importance *importance);

#endif
