/* query/path.c: the ways between operations. */
#include <stdlib.h>
#include <string.h>

#include "query/engine.h"
#include "query/query.h"
#include "util/memory.h"

struct ways {
	const struct engine *engine;
	const struct graph *graph;
	bool one_object;
	uint32_t object;
	uint32_t *queue;
};

static bool may_use(const struct ways *ways, uint32_t edge)
{
	const struct graph_edge *of = &ways->graph->edges[edge];

	return !ways->one_object || (of->fields & EDGE_OBJECT && of->object == ways->object);
}

/*
 * Marks in seen[] what the vertices of `from` reach, themselves included.  by[] (unless NULL) is
 * the edge that came to a vertex first: the walks back from there over by[] are shortest ones, of
 * length[] edges.
 */
static void spread(const struct ways *ways, const bool *from, bool forwards, bool *seen,
		   uint32_t *by, uint32_t *length)
{
	const struct engine *engine = ways->engine;
	const uint32_t *first = forwards ? engine->out_first : engine->in_first;
	const uint32_t *edges = forwards ? engine->out : engine->in;
	const uint32_t *ends = forwards ? engine->to : engine->from;
	uint32_t tail = 0;

	for (uint32_t v = 0; v < engine->vertex_count; v++) {
		seen[v] = from[v];
		if (by)
			by[v] = UINT32_MAX;
		if (from[v])
			ways->queue[tail++] = v;
	}
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t v = ways->queue[head];

		for (uint32_t i = first[v]; i < first[v + 1]; i++) {
			uint32_t next = ends[edges[i]];

			if (!may_use(ways, edges[i]))
				continue;
			/* also for those that it starts from: a way may lead back there */
			if (by && by[next] == UINT32_MAX) {
				by[next] = edges[i];
				length[next] = from[v] ? 1 : length[v] + 1;
			}
			if (seen[next])
				continue;
			seen[next] = true;
			ways->queue[tail++] = next;
		}
	}
}

static bool keep_shortest(const struct ways *ways, const bool *from, const bool *to,
			  bool *keep_edge)
{
	const struct engine *engine = ways->engine;
	bool *seen = xcalloc((size_t)engine->vertex_count + 1, sizeof(*seen));
	uint32_t *by = xcalloc((size_t)engine->vertex_count + 1, sizeof(*by));
	uint32_t *length = xcalloc((size_t)engine->vertex_count + 1, sizeof(*length));
	uint32_t best = UINT32_MAX, end = 0;

	spread(ways, from, true, seen, by, length);
	for (uint32_t v = 0; v < engine->vertex_count; v++)
		if (to[v] && by[v] != UINT32_MAX && length[v] < best) {
			best = length[v];
			end = v;
		}
	for (uint32_t v = end, left = best; best != UINT32_MAX && left > 0; left--) {
		keep_edge[by[v]] = true;
		v = engine->from[by[v]];
	}
	free(seen);
	free(by);
	free(length);
	return best != UINT32_MAX;
}

static bool keep_all(const struct ways *ways, const bool *from, const bool *to, bool *keep_edge)
{
	const struct engine *engine = ways->engine;
	bool *forth = xcalloc((size_t)engine->vertex_count + 1, sizeof(*forth));
	bool *back = xcalloc((size_t)engine->vertex_count + 1, sizeof(*back));
	bool found = false;

	spread(ways, from, true, forth, NULL, NULL);
	spread(ways, to, false, back, NULL, NULL);
	for (uint32_t e = 0; e < engine->edge_count; e++) {
		keep_edge[e] = forth[engine->from[e]] && back[engine->to[e]] && may_use(ways, e);
		found |= keep_edge[e];
	}
	free(forth);
	free(back);
	return found;
}

bool query_path(struct graph *graph, const bool *from, const bool *to, bool shortest,
		bool one_object, uint32_t object)
{
	struct engine *engine = engine_from_graph(graph);
	bool *keep_edge = xcalloc((size_t)graph->edge_count + 1, sizeof(*keep_edge));
	bool *keep_vertex = xcalloc((size_t)graph->vertex_count + 1, sizeof(*keep_vertex));
	struct ways ways = {engine, graph, one_object, object,
			    xcalloc((size_t)graph->vertex_count + 1, sizeof(*ways.queue))};
	bool found = shortest ? keep_shortest(&ways, from, to, keep_edge)
			      : keep_all(&ways, from, to, keep_edge);

	for (uint32_t v = 0; v < graph->vertex_count; v++)
		keep_vertex[v] = graph->vertices[v].id == GRAPH_HOST;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (keep_edge[e])
			keep_vertex[engine->from[e]] = keep_vertex[engine->to[e]] = true;
	engine_free(engine);
	if (found)
		graph_filter(graph, keep_vertex, keep_edge);
	free(ways.queue);
	free(keep_edge);
	free(keep_vertex);
	return found;
}
