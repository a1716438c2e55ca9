/*
 * query/filter/query.h: subgraphs that answer questions (ValueExpert 5.2).
 *
 * Each function marks what stays of an engine's graph; `host` always stays, even without edges.
 *
 * Words: a flow is the graph of the edges of one object (flow.h); an engine the graph in columns,
 * as queries need it (query/engine.h); a part a restriction of a slice; a bridge an edge that
 * stands for paths through hidden vertices; a path has edges of any objects, unless one is named.
 */
#ifndef VFLOW_QUERY_FILTER_QUERY_H
#define VFLOW_QUERY_FILTER_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "query/engine.h"
#include "util/error.h"

/* What stays: an entry per vertex and edge. */
struct selection {
	bool *vertex, *edge;
};

/* Only host. */
struct selection selection_new(const struct engine *engine);
void selection_free(struct selection *selection);

/* Objects by their ids, those of the edges; none: any. */
struct query_objects {
	uint32_t *ids;
	uint32_t count;
};

/* `object`: also what is no id, FLOW_NO_OBJECT. */
bool query_objects_have(const struct query_objects *objects, uint64_t object);

/*
 * Vertex slice, Def. 5.2, for vertex u.  e(i,j,k) stays iff an edge at u has object k and, over
 * edges of object k only, j = u or j reaches u, or i = u or u reaches i.  host is a vertex like any
 * other on such a path.  Edges without an object count as edges of one object more.
 */
struct query_part {                   /* less than the whole slice; all zero: the whole */
	bool up, down;                /* only what leads there; only what follows; not both */
	uint32_t depth;               /* edges at most this many steps away, 0: any number */
	struct query_objects objects; /* only along these */
};

/* The union of the slices of all vertices with of[index].  O(V + E). */
void query_slice(struct engine *engine, const bool *of, const struct query_part *part,
		 struct selection *keep);

/*
 * What is left without the flows through vertices with of[index]: an edge stays iff along its
 * object a walk from where the flow begins to where it ends (flow_ends()) goes over it and comes to
 * none of them; a vertex with edges stays with one of them.  O(V + E).
 */
void query_ignore(struct engine *engine, const bool *of, struct selection *keep);

/*
 * Takes vertices with hidden[index] (never host) out of the graph and bridges them: an edge i -> j
 * of object k, with the attribute `bridged`, for each walk along k from i to j that has one or more
 * vertices between and all of them hidden; its access is that of the walk's last edge.  One for
 * each i, j, k and access; none that is there already.  It has neither bytes nor count.
 * -1: there are too many.
 */
int query_bridge(struct graph *graph, const bool *hidden, struct error *error);

/* The paths from vertices with from[index] to vertices with to[index]. */
struct query_paths {
	const bool *from, *to;
	struct query_objects objects; /* only along these */
	bool shortest;                /* one of the shortest */
	uint64_t limit; /* 0: no limit; else so many paths without an edge twice, shortest first */
};

/*
 * Keeps every edge on some walk of at least one edge, or those of one shortest, or of `limit`
 * paths.  Returns how many paths with a limit, else 1; 0: there is none; -1: the search takes too
 * long, which only a limit makes possible: O(V + E) else.
 */
int64_t query_path(struct engine *engine, const struct query_paths *paths, struct selection *keep,
		   struct error *error);

/* A metric is any numeric attribute: a column of the engine. */
struct query_threshold {
	const char *metric; /* NULL: no threshold */
	double least;
};

/*
 * Important graph, Def. 5.3, as doc/definitions.md settles the cases with one threshold only.  What
 * lacks the attribute (null) does not meet a threshold on it: READ edges have no redundancy.  Edges
 * that query_bridge() made have no metrics: they stay with their ends.  -1: no such metric.
 */
int query_prune(struct engine *engine, const struct query_threshold *edge,
		const struct query_threshold *vertex, struct selection *keep, struct error *error);

/* Bytes of all edges. */
double query_bytes(struct engine *engine);

/* The vertices with at least `least` bytes at their edges, and the edges between them. */
void query_keep_large(struct engine *engine, double least, struct selection *keep);
/* The `count` vertices with the most bytes, of equal ones those with the lower id; likewise. */
void query_keep_most(struct engine *engine, uint64_t count, struct selection *keep);

#endif
