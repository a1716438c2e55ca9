#include "query/filter/flow.h"

#include <stdlib.h>
#include <string.h>

#include "graph/fields.h"
#include "util/memory.h"

struct flows {
	const struct engine *engine;
	uint64_t *objects; /* per edge */
	uint32_t *edges;   /* by object, else in their order */
	uint32_t edge_count;
	uint32_t *local; /* per vertex: its number in the flow, if flow.vertices agrees */
	uint32_t at;
	struct flow flow;
};

/* Stable, one byte of the key at a time; bytes that are equal everywhere cost one pass. */
static void radix_sort(uint32_t *order, uint32_t count, const uint64_t *keys)
{
	uint32_t *other = xcalloc((size_t)count + 1, sizeof(*other));
	uint64_t differ = 0;

	for (uint32_t i = 1; i < count; i++)
		differ |= keys[order[i]] ^ keys[order[0]];
	for (unsigned shift = 0; shift < 64; shift += 8) {
		uint32_t start[257] = {0};

		if (!(differ >> shift & 0xff))
			continue;
		for (uint32_t i = 0; i < count; i++)
			start[(keys[order[i]] >> shift & 0xff) + 1]++;
		for (unsigned digit = 0; digit < 256; digit++)
			start[digit + 1] += start[digit];
		for (uint32_t i = 0; i < count; i++)
			other[start[keys[order[i]] >> shift & 0xff]++] = order[i];
		memcpy(order, other, count * sizeof(*order));
	}
	free(other);
}

static int by_number(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* The edges whose object an edge at one of the vertices has. */
static void find_edges(struct flows *flows, const bool *at)
{
	const struct engine *engine = flows->engine;
	uint64_t *touched = xcalloc((size_t)engine->edge_count + 1, sizeof(*touched));
	uint32_t count = 0, different = 0;

	for (uint32_t e = 0; e < engine->edge_count; e++)
		if (!at || at[engine->from[e]] || at[engine->to[e]])
			touched[count++] = flows->objects[e];
	if (at)
		qsort(touched, count, sizeof(*touched), by_number);
	for (uint32_t i = 0; at && i < count; i++)
		if (!different || touched[different - 1] != touched[i])
			touched[different++] = touched[i];
	for (uint32_t e = 0; e < engine->edge_count; e++)
		if (!at ||
		    bsearch(&flows->objects[e], touched, different, sizeof(*touched), by_number))
			flows->edges[flows->edge_count++] = e;
	free(touched);
}

struct flows *flows_begin(struct engine *engine, const bool *at)
{
	const struct column *column = engine_column(engine, true, EDGE_NAME(OBJECT));
	struct flows *flows = xcalloc(1, sizeof(*flows));
	size_t edges = (size_t)engine->edge_count + 1, vertices = (size_t)engine->vertex_count + 2;

	flows->engine = engine;
	flows->objects = xcalloc(edges, sizeof(*flows->objects));
	flows->edges = xcalloc(edges, sizeof(*flows->edges));
	flows->local = xcalloc(vertices, sizeof(*flows->local));
	flows->flow.vertices = xcalloc(vertices, sizeof(uint32_t));
	flows->flow.out_first = xcalloc(vertices, sizeof(uint32_t));
	flows->flow.in_first = xcalloc(vertices, sizeof(uint32_t));
	flows->flow.from = xcalloc(edges, sizeof(uint32_t));
	flows->flow.to = xcalloc(edges, sizeof(uint32_t));
	flows->flow.out = xcalloc(edges, sizeof(uint32_t));
	flows->flow.in = xcalloc(edges, sizeof(uint32_t));
	for (uint32_t e = 0; e < engine->edge_count; e++)
		flows->objects[e] = column && column->present[e] ? (uint64_t)column->integers[e]
								 : FLOW_NO_OBJECT;
	find_edges(flows, at);
	radix_sort(flows->edges, flows->edge_count, flows->objects);
	return flows;
}

void flows_end(struct flows *flows)
{
	free(flows->objects);
	free(flows->edges);
	free(flows->local);
	free(flows->flow.vertices);
	free(flows->flow.out_first);
	free(flows->flow.in_first);
	free(flows->flow.from);
	free(flows->flow.to);
	free(flows->flow.out);
	free(flows->flow.in);
	free(flows);
}

static uint32_t number_of(struct flows *flows, uint32_t vertex)
{
	struct flow *flow = &flows->flow;
	uint32_t local = flows->local[vertex];

	if (local < flow->vertex_count && flow->vertices[local] == vertex)
		return local;
	flow->vertices[flow->vertex_count] = vertex;
	return flows->local[vertex] = flow->vertex_count++;
}

static void sort_by(const struct flow *flow, const uint32_t *ends, uint32_t *first, uint32_t *edges)
{
	memset(first, 0, ((size_t)flow->vertex_count + 2) * sizeof(*first));
	for (uint32_t e = 0; e < flow->edge_count; e++)
		first[ends[e] + 2]++;
	for (uint32_t v = 0; v < flow->vertex_count; v++)
		first[v + 2] += first[v + 1];
	for (uint32_t e = 0; e < flow->edge_count; e++)
		edges[first[ends[e] + 1]++] = e;
}

const struct flow *flows_next(struct flows *flows)
{
	const struct engine *engine = flows->engine;
	struct flow *flow = &flows->flow;
	uint32_t end = flows->at;

	if (flows->at == flows->edge_count)
		return NULL;
	flow->object = flows->objects[flows->edges[flows->at]];
	flow->edges = flows->edges + flows->at;
	flow->vertex_count = 0;
	while (end < flows->edge_count && flows->objects[flows->edges[end]] == flow->object)
		end++;
	flow->edge_count = end - flows->at;
	flows->at = end;
	for (uint32_t e = 0; e < flow->edge_count; e++) {
		flow->from[e] = number_of(flows, engine->from[flow->edges[e]]);
		flow->to[e] = number_of(flows, engine->to[flow->edges[e]]);
	}
	sort_by(flow, flow->from, flow->out_first, flow->out);
	sort_by(flow, flow->to, flow->in_first, flow->in);
	return flow;
}

void flow_reach(const struct flow *flow, bool forwards, const bool *start, const bool *closed,
		uint32_t steps, bool *reached)
{
	const uint32_t *first = forwards ? flow->out_first : flow->in_first;
	const uint32_t *edges = forwards ? flow->out : flow->in;
	const uint32_t *ends = forwards ? flow->to : flow->from;
	uint32_t *queue = xcalloc((size_t)flow->vertex_count + 1, sizeof(*queue));
	uint32_t head = 0, tail = 0, level;

	for (uint32_t v = 0; v < flow->vertex_count; v++) {
		reached[v] = start[v] && !(closed && closed[v]);
		if (reached[v])
			queue[tail++] = v;
	}
	for (; head < tail && steps; steps--)
		for (level = tail; head < level; head++)
			for (uint32_t i = first[queue[head]]; i < first[queue[head] + 1]; i++) {
				uint32_t next = ends[edges[i]];

				if (reached[next] || (closed && closed[next]))
					continue;
				reached[next] = true;
				queue[tail++] = next;
			}
	free(queue);
}

/* Tarjan's strongly connected parts, with a stack of its own instead of the process's. */
struct parts {
	const struct flow *flow;
	uint32_t *part;        /* number of the part; 0: not known yet */
	uint32_t *order;       /* in which the vertex was met, from 1 */
	uint32_t *low;         /* least order that it leads back to */
	uint32_t *next;        /* its next edge to look at */
	uint32_t *path, *open; /* stacks: of the search, of vertices without a part */
	uint32_t path_count, open_count, met, count;
};

static void enter(struct parts *parts, uint32_t vertex)
{
	parts->order[vertex] = parts->low[vertex] = ++parts->met;
	parts->next[vertex] = parts->flow->out_first[vertex];
	parts->path[parts->path_count++] = vertex;
	parts->open[parts->open_count++] = vertex;
}

static void leave(struct parts *parts, uint32_t vertex)
{
	uint32_t below;

	if (parts->low[vertex] == parts->order[vertex]) {
		parts->count++;
		do {
			below = parts->open[--parts->open_count];
			parts->part[below] = parts->count;
		} while (below != vertex);
	}
	parts->path_count--;
	if (!parts->path_count)
		return;
	below = parts->path[parts->path_count - 1];
	if (parts->low[vertex] < parts->low[below])
		parts->low[below] = parts->low[vertex];
}

static void find_parts(struct parts *parts, uint32_t start)
{
	enter(parts, start);
	while (parts->path_count) {
		uint32_t vertex = parts->path[parts->path_count - 1], other;

		if (parts->next[vertex] == parts->flow->out_first[vertex + 1]) {
			leave(parts, vertex);
			continue;
		}
		other = parts->flow->to[parts->flow->out[parts->next[vertex]++]];
		if (!parts->order[other])
			enter(parts, other);
		else if (!parts->part[other] && parts->order[other] < parts->low[vertex])
			parts->low[vertex] = parts->order[other];
	}
}

void flow_ends(const struct flow *flow, bool forwards, bool *is_end)
{
	size_t count = (size_t)flow->vertex_count + 1;
	uint32_t *room = xcalloc(6 * count, sizeof(*room));
	struct parts parts = {flow,
			      room,
			      room + count,
			      room + 2 * count,
			      room + 3 * count,
			      room + 4 * count,
			      room + 5 * count,
			      0,
			      0,
			      0,
			      0};
	bool *inner;

	for (uint32_t v = 0; v < flow->vertex_count; v++)
		if (!parts.order[v])
			find_parts(&parts, v);
	inner = xcalloc((size_t)parts.count + 1, sizeof(*inner));
	for (uint32_t e = 0; e < flow->edge_count; e++)
		if (parts.part[flow->from[e]] != parts.part[flow->to[e]])
			inner[parts.part[forwards ? flow->to[e] : flow->from[e]]] = true;
	for (uint32_t v = 0; v < flow->vertex_count; v++)
		is_end[v] = !inner[parts.part[v]];
	free(inner);
	free(room);
}
