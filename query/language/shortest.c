/*
 * query/language/shortest.c: shortest walks from one vertex, breadth first; each end is met once,
 * with one shortest walk or with all of them.
 */
#include <stdlib.h>

#include "query/language/match.h"
#include "util/memory.h"

struct search {
	struct run *run;
	const struct step *step;
	uint32_t start, target; /* UINT32_MAX: every vertex */
	uint32_t *distance;     /* UINT32_MAX: not reached */
	uint32_t *by;           /* the edge that reached it first */
	uint32_t *queue, count;
	bool (*arrive)(void *data, uint32_t vertex, const uint32_t *edges, uint32_t count);
	void *data;
};

static bool fill(struct search *search)
{
	const struct step *step = search->step;
	uint32_t edge, other;

	for (uint32_t head = 0; head < search->count; head++) {
		uint32_t vertex = search->queue[head], depth = search->distance[vertex];
		struct cursor cursor =
			cursor_start(search->run->engine, vertex, step->edge, step->backwards);

		if (depth == step->edge->most ||
		    (search->target != UINT32_MAX && search->distance[search->target] <= depth))
			break;
		while (cursor_next(&cursor, &edge, &other)) {
			if (!run_step(search->run))
				return false;
			if (search->distance[other] != UINT32_MAX ||
			    !match_edge(search->run, step, edge))
				continue;
			search->distance[other] = depth + 1;
			search->by[other] = edge;
			search->queue[search->count++] = other;
		}
	}
	return !search->run->failed;
}

static bool arrive_once(struct search *search, uint32_t vertex, uint32_t *edges)
{
	const struct engine *engine = search->run->engine;
	uint32_t at = vertex;

	for (uint32_t i = search->distance[vertex]; i > 0; i--) {
		uint32_t edge = search->by[at];

		edges[i - 1] = edge;
		at = engine->from[edge] != at ? engine->from[edge] : engine->to[edge];
	}
	return search->arrive(search->data, vertex, edges, search->distance[vertex]);
}

/* Back from the end, over every edge that comes from one step nearer to the start. */
static bool arrive_all(struct search *search, uint32_t vertex, uint32_t *edges)
{
	const struct step *step = search->step;
	uint32_t length = search->distance[vertex], left = length, edge, other;
	struct cursor *cursors = xcalloc((size_t)length + 1, sizeof(*cursors));
	bool more = true;

	cursors[left] = cursor_start(search->run->engine, vertex, step->edge, !step->backwards);
	if (!length)
		more = search->arrive(search->data, vertex, edges, 0);
	while (length && more && left <= length && run_step(search->run)) {
		if (!cursor_next(&cursors[left], &edge, &other)) {
			left++;
			continue;
		}
		if (search->distance[other] != left - 1 || !match_edge(search->run, step, edge))
			continue;
		edges[left - 1] = edge;
		if (left == 1) {
			more = search->arrive(search->data, vertex, edges, length);
			continue;
		}
		cursors[--left] =
			cursor_start(search->run->engine, other, step->edge, !step->backwards);
	}
	free(cursors);
	return more && !search->run->failed;
}

bool shortest_run(struct run *run, const struct step *step, uint32_t start, uint32_t target,
		  bool (*arrive)(void *data, uint32_t vertex, const uint32_t *edges,
				 uint32_t count),
		  void *data)
{
	size_t vertices = run->engine->vertex_count;
	struct search search = {
		.run = run,
		.step = step,
		.start = start,
		.target = target,
		.distance = xmalloc(vertices * sizeof(*search.distance)),
		.by = xcalloc(vertices, sizeof(*search.by)),
		.queue = xcalloc(vertices, sizeof(*search.queue)),
		.arrive = arrive,
		.data = data,
	};
	uint32_t *edges = xcalloc(vertices, sizeof(*edges));
	bool more;

	for (size_t v = 0; v < vertices; v++)
		search.distance[v] = UINT32_MAX;
	search.distance[start] = 0;
	search.queue[search.count++] = start;
	more = fill(&search);
	for (uint32_t i = 0; more && i < search.count; i++) {
		uint32_t vertex = search.queue[i];

		if ((target != UINT32_MAX && vertex != target) ||
		    search.distance[vertex] < step->edge->least)
			continue;
		more = step->path->selector == SELECT_ANY_SHORTEST
			       ? arrive_once(&search, vertex, edges)
			       : arrive_all(&search, vertex, edges);
	}
	free(search.distance);
	free(search.by);
	free(search.queue);
	free(edges);
	return more && !run->failed;
}
