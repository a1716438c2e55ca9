/* render/select.c: see select.h. */
#include "render/select.h"

#include <stdlib.h>
#include <string.h>

#include "render/style.h"
#include "util/memory.h"

struct candidate {
	uint32_t index;
	uint32_t finding; /* its number in the report; UNNUMBERED, NO_FINDING */
	bool neighbour;
	uint64_t unchanged, bytes;
};

#define UNNUMBERED (UINT32_MAX - 1)
#define NO_FINDING UINT32_MAX

static uint32_t finding_of(const struct graph_vertex *vertex)
{
	uint32_t number = render_finding(vertex);
	enum render_change change = render_change(&vertex->attributes);

	/* of two runs: what went and what came, then what changed */
	if (change)
		return change > CHANGE_CHANGED ? 1 : change == CHANGE_CHANGED ? 2 : NO_FINDING;
	return !vertex->patterns || !*vertex->patterns ? NO_FINDING : number ? number : UNNUMBERED;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* Most important first; equal ones in the order of the graph, so that the result is always the
 * same. */
static int compare(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->finding != b->finding)
		return a->finding < b->finding ? -1 : 1;
	if (a->unchanged != b->unchanged)
		return a->unchanged > b->unchanged ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static uint32_t keep_best(struct candidate *candidates, uint32_t count, uint32_t limit, bool *keep)
{
	uint32_t kept = 0;

	qsort(candidates, count, sizeof(*candidates), compare);
	for (uint32_t i = 0; i < count && kept < limit; i++) {
		kept += !keep[candidates[i].index];
		keep[candidates[i].index] = true;
	}
	return kept;
}

/* The vertices that are not kept and have an edge with one that is; returns how many. */
static uint32_t find_neighbours(const struct graph *graph, const bool *keep, uint32_t host,
				struct candidate *candidates)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < graph->vertex_count; i++)
		candidates[i] = (struct candidate){.index = i};
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct graph_edge *edge = &graph->edges[i];
		struct candidate *new = &candidates[keep[edge->from] ? edge->to : edge->from];

		/* host knows everybody, and says nothing about who matters */
		if (keep[edge->from] == keep[edge->to] || edge->from == host || edge->to == host)
			continue;
		new->neighbour = true;
		new->unchanged = add(new->unchanged, graph_edge_unchanged(edge));
		new->bytes = add(new->bytes, edge->bytes);
	}
	for (uint32_t i = 0; i < graph->vertex_count; i++)
		if (candidates[i].neighbour)
			candidates[count++] = candidates[i];
	return count;
}

/* Keeps neighbours of what is kept, until only `rest` are left; returns how many are. */
static uint32_t grow(const struct graph *graph, uint32_t host, uint32_t left, uint32_t rest,
		     uint32_t step, bool *keep)
{
	struct candidate *neighbours = xcalloc(graph->vertex_count, sizeof(*neighbours));
	uint32_t found;

	/* a few at a time, so that the neighbours of new ones have their chance */
	while (left > rest && (found = find_neighbours(graph, keep, host, neighbours)) > 0)
		left -= keep_best(neighbours, found, left - rest < step ? left - rest : step, keep);
	free(neighbours);
	return left;
}

static void select_vertices(const struct graph *graph, uint32_t some, bool *keep)
{
	uint32_t count = graph->vertex_count, host = UINT32_MAX, left = some;
	struct candidate *candidates = xcalloc(count, sizeof(*candidates));
	uint32_t findings = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct graph_vertex *vertex = &graph->vertices[i];

		candidates[i] = (struct candidate){.index = i, .finding = finding_of(vertex)};
		findings += candidates[i].finding != NO_FINDING;
		if (host == UINT32_MAX && graph_vertex_is(vertex, "host")) {
			keep[host = i] = true;
			left--;
		}
	}
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct graph_edge *edge = &graph->edges[i];
		struct candidate *to = &candidates[edge->to], *from = &candidates[edge->from];

		to->unchanged = add(to->unchanged, graph_edge_unchanged(edge));
		to->bytes = add(to->bytes, edge->bytes);
		from->bytes = add(from->bytes, edge->bytes);
	}
	/* three quarters around the findings, the worst first; where there are few or none, what
	 * moves most */
	if (findings) {
		left -= keep_best(candidates, count, findings < some / 4 ? findings : some / 4,
				  keep);
		left = grow(graph, host, left, some / 4, some / 10, keep);
	}
	if (findings < some / 4)
		left -= keep_best(candidates, count, findings ? some / 40 : some / 4, keep);
	left = grow(graph, host, left, 0, some / 10, keep);
	keep_best(candidates, count, left, keep);
	free(candidates);
}

static void select_edges(const struct graph *graph, const bool *vertices, uint32_t limit,
			 bool *keep)
{
	struct candidate *candidates = xcalloc(graph->edge_count, sizeof(*candidates));
	uint32_t count = 0;

	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct graph_edge *edge = &graph->edges[i];

		if (vertices[edge->from] && vertices[edge->to])
			candidates[count++] =
				(struct candidate){.index = i,
						   .unchanged = graph_edge_unchanged(edge),
						   .bytes = edge->bytes};
	}
	keep_best(candidates, count, limit, keep);
	free(candidates);
}

bool render_fits(const struct graph *graph, struct render_limits limits)
{
	return graph->vertex_count <= limits.all_vertices && graph->edge_count <= limits.all_edges;
}

void render_select(const struct graph *graph, struct render_limits limits, bool *vertices,
		   bool *edges)
{
	bool large = !render_fits(graph, limits);

	memset(vertices, !large, graph->vertex_count * sizeof(*vertices));
	memset(edges, !large, graph->edge_count * sizeof(*edges));
	if (!large)
		return;
	if (graph->vertex_count > limits.some_vertices)
		select_vertices(graph, limits.some_vertices, vertices);
	else
		memset(vertices, true, graph->vertex_count * sizeof(*vertices));
	select_edges(graph, vertices, limits.all_edges, edges);
}
