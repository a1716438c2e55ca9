/*
 * query/slice.c: the vertex slice graph of ValueExpert Def. 5.2.
 *
 * The definition looks at one object at a time, so the edges are sorted by object and each
 * object's subgraph is walked once, forwards and backwards, from all wanted vertices in it: the
 * union of several slices costs no more than one.  All steps are linear in vertices and edges,
 * but for a search in the list of the objects that the wanted vertices touch.
 */
#include "query/query.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

/* Edges sorted by object, then by one of their ends: an adjacency list for every object. */
struct order {
	uint32_t *edges;
	/* of the current object: vertex v owns edges[first[v]...] when stamp[v] says so */
	uint32_t *first, *stamp;
	uint32_t *reached; /* stamp of the last walk that came to the vertex */
};

struct walk {
	const struct graph *graph;
	uint32_t *edges; /* whose object a wanted vertex touches: no others can be kept */
	uint32_t edge_count;
	const uint64_t *objects; /* per edge */
	uint32_t *queue;         /* each vertex is in it at most once */
};

static uint32_t end_of(const struct graph *graph, uint32_t edge, bool forwards)
{
	return forwards ? graph->edges[edge].from : graph->edges[edge].to;
}

/* Stable, one byte of the key at a time; bytes that are equal everywhere cost one pass. */
static void radix_sort(uint32_t *order, uint32_t count, const uint64_t *keys)
{
	uint32_t *other = xcalloc(count, sizeof(*other));

	for (unsigned shift = 0; count && shift < 64; shift += 8) {
		uint32_t start[257] = {0};

		for (uint32_t i = 0; i < count; i++)
			start[(keys[order[i]] >> shift & 0xff) + 1]++;
		if (start[(keys[order[0]] >> shift & 0xff) + 1] == count)
			continue;
		for (unsigned digit = 0; digit < 256; digit++)
			start[digit + 1] += start[digit];
		for (uint32_t i = 0; i < count; i++)
			other[start[keys[order[i]] >> shift & 0xff]++] = order[i];
		memcpy(order, other, count * sizeof(*order));
	}
	free(other);
}

static struct order order_edges(const struct walk *walk, bool forwards)
{
	const struct graph *graph = walk->graph;
	uint64_t *ends = xcalloc(graph->edge_count, sizeof(*ends));
	struct order order = {
		.edges = xcalloc((size_t)walk->edge_count + 1, sizeof(*order.edges)),
		.first = xcalloc(graph->vertex_count, sizeof(*order.first)),
		.stamp = xcalloc(graph->vertex_count, sizeof(*order.stamp)),
		.reached = xcalloc(graph->vertex_count, sizeof(*order.reached)),
	};

	for (uint32_t i = 0; i < walk->edge_count; i++) {
		order.edges[i] = walk->edges[i];
		ends[walk->edges[i]] = end_of(graph, walk->edges[i], forwards);
	}
	radix_sort(order.edges, walk->edge_count, ends);
	radix_sort(order.edges, walk->edge_count, walk->objects);
	free(ends);
	return order;
}

static void order_free(struct order *order)
{
	free(order->edges);
	free(order->first);
	free(order->stamp);
	free(order->reached);
}

/*
 * Marks in order->reached all that the wanted vertices reach over edges [begin, end), at most
 * `steps` of them.
 */
static void reach(const struct walk *walk, struct order *order, bool forwards, const bool *of,
		  uint32_t begin, uint32_t end, uint32_t steps)
{
	uint32_t stamp = begin + 1, head = 0, tail = 0, level;

	for (uint32_t i = begin; i < end; i++) {
		const struct graph_edge *edge = &walk->graph->edges[order->edges[i]];
		const uint32_t ends[] = {edge->from, edge->to};
		uint32_t v = end_of(walk->graph, order->edges[i], forwards);

		if (order->stamp[v] != stamp) {
			order->stamp[v] = stamp;
			order->first[v] = i;
		}
		for (int k = 0; k < 2; k++)
			if (of[ends[k]] && order->reached[ends[k]] != stamp) {
				order->reached[ends[k]] = stamp;
				walk->queue[tail++] = ends[k];
			}
	}
	for (; head < tail && steps; steps--)
		for (level = tail; head < level; head++) {
			uint32_t v = walk->queue[head];

			if (order->stamp[v] != stamp)
				continue;
			for (uint32_t i = order->first[v]; i < end; i++) {
				uint32_t next = end_of(walk->graph, order->edges[i], !forwards);

				if (end_of(walk->graph, order->edges[i], forwards) != v)
					break;
				if (order->reached[next] == stamp)
					continue;
				order->reached[next] = stamp;
				walk->queue[tail++] = next;
			}
		}
}

static int by_number(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static void find_edges(struct walk *walk, const bool *of)
{
	const struct graph *graph = walk->graph;
	uint64_t *touched = xcalloc((size_t)graph->edge_count + 1, sizeof(*touched));
	uint32_t count = 0, kept = 0;

	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (of[graph->edges[e].from] || of[graph->edges[e].to])
			touched[count++] = walk->objects[e];
	qsort(touched, count, sizeof(*touched), by_number);
	for (uint32_t i = 0; i < count; i++)
		if (!kept || touched[kept - 1] != touched[i])
			touched[kept++] = touched[i];
	walk->edges = xcalloc((size_t)graph->edge_count + 1, sizeof(*walk->edges));
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (bsearch(&walk->objects[e], touched, kept, sizeof(*touched), by_number))
			walk->edges[walk->edge_count++] = e;
	free(touched);
}

void query_slice_part(struct graph *graph, const bool *of, const struct query_part *part)
{
	uint32_t steps = part->depth ? part->depth - 1 : UINT32_MAX;
	uint64_t *objects = xcalloc(graph->edge_count, sizeof(*objects));
	bool *keep_edge = xcalloc(graph->edge_count, sizeof(*keep_edge));
	bool *keep_vertex = xcalloc(graph->vertex_count, sizeof(*keep_vertex));
	struct walk walk = {
		.graph = graph,
		.objects = objects,
		.queue = xcalloc(graph->vertex_count, sizeof(*walk.queue)),
	};
	struct order forth, back;

	for (uint32_t e = 0; e < graph->edge_count; e++)
		objects[e] = graph->edges[e].fields & EDGE_OBJECT ? graph->edges[e].object
								  : (uint64_t)UINT32_MAX + 1;
	find_edges(&walk, of);
	forth = order_edges(&walk, true);
	back = order_edges(&walk, false);
	for (uint32_t begin = 0, end; begin < walk.edge_count; begin = end) {
		uint64_t object = objects[forth.edges[begin]];

		for (end = begin; end < walk.edge_count; end++)
			if (objects[forth.edges[end]] != object)
				break;
		if (part->one_object && object != part->object)
			continue;
		if (!part->up)
			reach(&walk, &forth, true, of, begin, end, steps);
		if (!part->down)
			reach(&walk, &back, false, of, begin, end, steps);
		for (uint32_t i = begin; i < end; i++) {
			const struct graph_edge *edge = &graph->edges[forth.edges[i]];

			if (back.reached[edge->to] != begin + 1 &&
			    forth.reached[edge->from] != begin + 1)
				continue;
			keep_edge[forth.edges[i]] = true;
			keep_vertex[edge->from] = keep_vertex[edge->to] = true;
		}
	}
	for (uint32_t v = 0; v < graph->vertex_count; v++)
		keep_vertex[v] |= graph->vertices[v].id == GRAPH_HOST;
	graph_filter(graph, keep_vertex, keep_edge);
	order_free(&forth);
	order_free(&back);
	free(walk.queue);
	free(walk.edges);
	free(objects);
	free(keep_edge);
	free(keep_vertex);
}

void query_slice_union(struct graph *graph, const bool *of)
{
	query_slice_part(graph, of, &(struct query_part){0});
}

void query_slice(struct graph *graph, uint32_t u)
{
	bool *of = xcalloc(graph->vertex_count, sizeof(*of));

	of[u] = true;
	query_slice_union(graph, of);
	free(of);
}
