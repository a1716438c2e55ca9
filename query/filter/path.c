/* query/filter/path.c: the paths between operations. */
#include <stdlib.h>
#include <string.h>

#include "graph/fields.h"
#include "query/filter/query.h"
#include "util/memory.h"

#define NONE UINT32_MAX
#define TRAILS_MAX 4000000 /* beginnings of paths that are looked at */

struct search {
	const struct engine *engine;
	const struct query_paths *paths;
	bool *may_use; /* per edge */
	uint32_t *queue;
};

/*
 * distance[v]: the fewest edges from one of `start`, or backwards to one; NONE: it cannot be
 * reached.  by[] (unless NULL): the edge that came to a vertex first, also to those of `start`.
 */
static void spread(const struct search *search, const bool *start, bool forwards,
		   uint32_t *distance, uint32_t *by)
{
	const struct engine *engine = search->engine;
	const uint32_t *first = forwards ? engine->out_first : engine->in_first;
	const uint32_t *edges = forwards ? engine->out : engine->in;
	const uint32_t *ends = forwards ? engine->to : engine->from;
	uint32_t tail = 0;

	for (uint32_t v = 0; v < engine->vertex_count; v++) {
		distance[v] = start[v] ? 0 : NONE;
		if (by)
			by[v] = NONE;
		if (start[v])
			search->queue[tail++] = v;
	}
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t v = search->queue[head];

		for (uint32_t i = first[v]; i < first[v + 1]; i++) {
			uint32_t next = ends[edges[i]];

			if (!search->may_use[edges[i]])
				continue;
			if (by && by[next] == NONE)
				by[next] = edges[i];
			if (distance[next] != NONE)
				continue;
			distance[next] = distance[v] + 1;
			search->queue[tail++] = next;
		}
	}
}

static void keep_edge(const struct search *search, uint32_t edge, struct selection *keep)
{
	keep->edge[edge] = true;
	keep->vertex[search->engine->from[edge]] = true;
	keep->vertex[search->engine->to[edge]] = true;
}

static bool keep_shortest(const struct search *search, uint32_t *distance, uint32_t *by,
			  struct selection *keep)
{
	const struct engine *engine = search->engine;
	uint32_t best = NONE, end = 0;

	spread(search, search->paths->from, true, distance, by);
	/* by[] leads back to the start, also from a vertex of the start itself */
	for (uint32_t v = 0; v < engine->vertex_count; v++)
		if (search->paths->to[v] && by[v] != NONE && distance[engine->from[by[v]]] < best) {
			best = distance[engine->from[by[v]]];
			end = v;
		}
	if (best == NONE)
		return false;
	do {
		keep_edge(search, by[end], keep);
		end = engine->from[by[end]];
	} while (best--);
	return true;
}

static bool keep_all(const struct search *search, uint32_t *forth, uint32_t *back,
		     struct selection *keep)
{
	const struct engine *engine = search->engine;
	bool found = false;

	spread(search, search->paths->from, true, forth, NULL);
	spread(search, search->paths->to, false, back, NULL);
	for (uint32_t e = 0; e < engine->edge_count; e++) {
		if (forth[engine->from[e]] == NONE || back[engine->to[e]] == NONE ||
		    !search->may_use[e])
			continue;
		keep_edge(search, e, keep);
		found = true;
	}
	return found;
}

/* -- so many of the shortest -- */

/* The beginning of a path: an edge more than another one. */
struct trail {
	uint32_t before; /* NONE: starts here */
	uint32_t edge, vertex, length;
	uint32_t next; /* that can be as short as this one at best */
};

/*
 * Beginnings wait for the length that they can have at best; of one length the last one found is
 * the next to be looked at: it is nearest to the end, and one path is enough to be found.
 */
struct trails {
	struct trail *items;
	uint32_t count, capacity;
	uint32_t *waiting; /* per length of the whole path */
	uint32_t lengths;
};

static void wait_for(struct trails *trails, const struct trail *trail, uint32_t whole)
{
	uint32_t old = trails->lengths;

	if (whole >= trails->lengths) {
		trails->lengths = 2 * whole + 16;
		trails->waiting = xreallocarray(trails->waiting, trails->lengths, sizeof(uint32_t));
		memset(trails->waiting + old, 0xff, (trails->lengths - old) * sizeof(uint32_t));
	}
	ARRAY_RESERVE(trails->items, trails->count, trails->capacity);
	trails->items[trails->count] = *trail;
	trails->items[trails->count].next = trails->waiting[whole];
	trails->waiting[whole] = trails->count++;
}

static bool has_edge(const struct trails *trails, uint32_t at, uint32_t edge)
{
	for (; trails->items[at].before != NONE; at = trails->items[at].before)
		if (trails->items[at].edge == edge)
			return true;
	return false;
}

static void extend(const struct search *search, struct trails *trails, uint32_t at,
		   const uint32_t *distance)
{
	const struct engine *engine = search->engine;
	struct trail trail = trails->items[at];

	for (uint32_t i = engine->out_first[trail.vertex]; i < engine->out_first[trail.vertex + 1];
	     i++) {
		uint32_t edge = engine->out[i], next = engine->to[edge];

		if (!search->may_use[edge] || distance[next] == NONE || has_edge(trails, at, edge))
			continue;
		wait_for(trails, &(struct trail){at, edge, next, trail.length + 1, NONE},
			 trail.length + 1 + distance[next]);
	}
}

/* The number of paths, or -1. */
static int64_t keep_some(const struct search *search, uint32_t *distance, struct selection *keep)
{
	const struct query_paths *paths = search->paths;
	struct trails trails = {0};
	uint64_t found = 0;

	spread(search, paths->to, false, distance, NULL);
	for (uint32_t v = 0; v < search->engine->vertex_count; v++)
		if (paths->from[v] && distance[v] != NONE)
			wait_for(&trails, &(struct trail){NONE, NONE, v, 0, NONE}, distance[v]);
	for (uint32_t length = 0; length < trails.lengths; length++)
		while (trails.waiting[length] != NONE && found < paths->limit) {
			uint32_t at = trails.waiting[length];

			trails.waiting[length] = trails.items[at].next;
			if (trails.count > TRAILS_MAX) {
				found = UINT64_MAX;
				break;
			}
			extend(search, &trails, at, distance);
			if (!paths->to[trails.items[at].vertex] || !trails.items[at].length)
				continue;
			found++;
			for (uint32_t i = at; trails.items[i].before != NONE;
			     i = trails.items[i].before)
				keep_edge(search, trails.items[i].edge, keep);
		}
	free(trails.items);
	free(trails.waiting);
	return (int64_t)found;
}

int64_t query_path(struct engine *engine, const struct query_paths *paths, struct selection *keep,
		   struct error *error)
{
	size_t vertices = (size_t)engine->vertex_count + 1;
	const struct column *object = engine_column(engine, true, EDGE_NAME(OBJECT));
	uint32_t *one = xcalloc(vertices, sizeof(*one)), *other = xcalloc(vertices, sizeof(*other));
	struct search search = {engine, paths,
				xcalloc((size_t)engine->edge_count + 1, sizeof(bool)),
				xcalloc(vertices, sizeof(uint32_t))};
	int64_t found;

	for (uint32_t e = 0; e < engine->edge_count; e++)
		search.may_use[e] =
			!paths->objects.count ||
			(object && object->present[e] &&
			 query_objects_have(&paths->objects, (uint64_t)object->integers[e]));
	if (paths->limit)
		found = keep_some(&search, one, keep);
	else if (paths->shortest)
		found = keep_shortest(&search, one, other, keep);
	else
		found = keep_all(&search, one, other, keep);
	if (found < 0)
		error_set(
			error,
			"there are too many paths to look at: more than %d beginnings; --object ID "
			"or a lower --limit has fewer, without --limit all edges are kept",
			TRAILS_MAX);
	free(search.may_use);
	free(search.queue);
	free(one);
	free(other);
	return found;
}
