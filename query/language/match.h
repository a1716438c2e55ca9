/*
 * query/language/match.h: finding the places where the patterns of one MATCH fit.
 *
 * Within one MATCH an edge is used once.  The search goes step by step: a vertex to start from,
 * then edge after edge; every condition is looked at as soon as its variables are bound.
 */
#ifndef VFLOW_QUERY_LANGUAGE_MATCH_H
#define VFLOW_QUERY_LANGUAGE_MATCH_H

#include "query/language/eval.h"

enum step_type { STEP_VERTEX, STEP_EDGE, STEP_PATH, STEP_CHOOSE };

/* WHERE x.key = value, for the vertex that a step comes to (query/language/lookup.c). */
struct lookup {
	const struct expr *key, *value; /* the latter of what is bound before the step */
	uint32_t *vertices,
		vertex_count; /* those with the key, by its value, once they are sorted */
};

struct step {
	enum step_type type;
	struct path_pattern *path;
	struct edge_pattern *edge;
	struct element *from, *to; /* STEP_VERTEX: to only */
	bool backwards;            /* from the right end of the edge to its left */
	bool to_bound, edge_bound;
	uint32_t choose;        /* STEP_VERTEX: the STEP_CHOOSE at the end of its path, 0: none */
	struct choice *choice;  /* STEP_CHOOSE, while it is under way */
	struct expr *seek;      /* STEP_VERTEX: the id that it has to have */
	uint32_t *queue, *seen; /* reachability: room for all vertices; seen in which round */
	uint32_t round;
	bool scan;             /* STEP_VERTEX: any will do; the step after it looks at all edges */
	struct expr **filters; /* conditions */
	uint32_t filter_count, filter_capacity;
	struct expr **edge_filters; /* of every single edge of a range */
	uint32_t edge_filter_count, edge_filter_capacity;
	struct lookup *lookups; /* of the conditions */
	uint32_t lookup_count, lookup_capacity;
	uint64_t looked; /* at so many vertices, while there were look-ups that could save it */
};

/* Makes the steps; bound[slot] says what is there before, and after it what is there then. */
int match_plan(struct query *query, struct match *match, bool *bound, struct error *error);

/*
 * Calls emit for every fit, with its variables in run->row.  Ends when emit returns false, or the
 * run fails.  Returns false then.
 */
bool match_run(struct run *run, struct match *match, bool (*emit)(void *data), void *data);
bool match_exists(struct run *run, struct match *match);

/* The edges at a vertex, in the direction that a pattern goes from there. */
struct cursor {
	const struct engine *engine;
	uint32_t vertex, at, end;
	bool incoming, both;
};

struct cursor cursor_start(const struct engine *engine, uint32_t vertex,
			   const struct edge_pattern *edge, bool backwards);
bool cursor_next(struct cursor *cursor, uint32_t *edge, uint32_t *other);

/* The vertices where a pattern may begin: up to this one. */
static inline uint32_t match_vertices(const struct engine *engine, const struct element *vertex)
{
	return vertex->calls ? engine->vertex_count : engine->flow_vertices;
}

/* Where each edge is looked at: up to this one. */
static inline uint32_t match_edges(const struct engine *engine, const struct step *step)
{
	return step->edge->element.calls ? engine->edge_count : engine->flow_edges;
}

/* Whether a vertex in the group of a range has a name. */
static inline bool match_names_group(const struct edge_pattern *edge)
{
	return edge->group && (edge->group->left.name || edge->group->right.name);
}

/* The lists of vertices that a group's names stand for, when that of its edges is there. */
void match_bind_group(struct run *run, const struct edge_pattern *edge);

/* Whether the edge is of the type; without any, it is a flow. */
bool match_type(const struct engine *engine, const struct step *step, uint32_t edge);
/* Whether one edge has the type and, for ranges, meets the conditions of the pattern. */
bool match_edge(struct run *run, const struct step *step, uint32_t edge);
bool match_filters(struct run *run, struct expr **filters, uint32_t count);

/*
 * query/language/lookup.c: the vertices that alone can meet a condition of the step, in the order
 * of their numbers.  False: look at all, of which there are `others`.
 */
bool lookup_find(struct run *run, struct step *step, uint32_t others, const uint32_t **vertices,
		 uint32_t *count);
/*
 * The edges that the cursor gives to such vertices, in its order and in run->scratch; they are
 * looked for at the latter.  NULL: look at all that the cursor gives, which is less work.
 */
uint32_t *lookup_edges(struct run *run, struct step *step, struct cursor *cursor, uint32_t *found);

/* query/language/shortest.c: the search of a step with ANY SHORTEST or ALL SHORTEST. */
bool shortest_run(struct run *run, const struct step *step, uint32_t start, uint32_t target,
		  bool (*arrive)(void *data, uint32_t vertex, const uint32_t *edges,
				 uint32_t count),
		  void *data);

/* query/language/shortest_k.c: SHORTEST k, the same arguments; the target is known. */
bool shortest_k_run(struct run *run, const struct step *step, uint32_t start, uint32_t target,
		    bool (*arrive)(void *data, uint32_t vertex, const uint32_t *edges,
				   uint32_t count),
		    void *data);

#endif
