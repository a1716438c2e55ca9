/* graph/build/edges.c: see build/edges.h. */
#include "graph/build/edges.h"

#include <stdlib.h>

#include "util/memory.h"

struct edge_key {
	uint32_t from, to, site, access;
};

struct edges {
	struct graph *graph;
	uint32_t *slots; /* open addressing: index of the edge + 1 */
	uint32_t slot_count;
	uint64_t *last_event; /* by edge */
	uint32_t last_event_capacity;
};

struct edges *edges_new(struct graph *graph)
{
	struct edges *edges = xcalloc(1, sizeof(*edges));

	edges->graph = graph;
	return edges;
}

void edges_free(struct edges *edges)
{
	free(edges->slots);
	free(edges->last_event);
	free(edges);
}

static uint64_t hash_edge(const struct edge_key *key)
{
	uint64_t hash = ((uint64_t)key->from << 32 | key->to) * UINT64_C(0x9e3779b97f4a7c15);

	hash = (hash ^ hash >> 29 ^ ((uint64_t)key->site << 2 | key->access)) *
	       UINT64_C(0xbf58476d1ce4e5b9);
	return hash ^ hash >> 32;
}

/* While the graph is built, an edge's object is an index of a vertex, which is its id as well. */
static uint32_t *slot_of(struct edges *edges, const struct edge_key *key)
{
	const struct graph_edge *all = edges->graph->edges;
	uint32_t mask = edges->slot_count - 1;

	for (uint32_t i = (uint32_t)hash_edge(key) & mask;; i = (i + 1) & mask) {
		const struct graph_edge *edge;

		if (!edges->slots[i])
			return &edges->slots[i];
		edge = &all[edges->slots[i] - 1];
		if (edge->from == key->from && edge->to == key->to && edge->object == key->site &&
		    edge->access == key->access)
			return &edges->slots[i];
	}
}

static void grow(struct edges *edges)
{
	const struct graph *graph = edges->graph;

	if (edges->slot_count > 2 * (size_t)graph->edge_count)
		return;
	free(edges->slots);
	edges->slot_count = edges->slot_count ? 2 * edges->slot_count : 256;
	edges->slots = xcalloc(edges->slot_count, sizeof(*edges->slots));
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];

		*slot_of(edges, &(struct edge_key){edge->from, edge->to, edge->object,
						   edge->access}) = e + 1;
	}
}

#define EDGE_METRIC(member, FLAG, access) | EDGE_##FLAG
#define ROW_METRIC(member, FLAG, access, aggregate)
enum {
	METRIC_FIELDS = 0
#include "gpu/rows.def"
};

static uint32_t add_edge(struct edges *edges, const struct edge_key *key)
{
	struct graph *graph = edges->graph;
	struct graph_edge *edge = graph_add_edge(graph, key->from, key->to);

	edge->fields = EDGE_OBJECT | EDGE_ACCESS | EDGE_BYTES | EDGE_COUNT | EDGE_OBJECT_BYTES |
		       METRIC_FIELDS;
	edge->object = key->site;
	edge->access = (enum graph_access)key->access;
	if (edges->last_event_capacity < graph->edge_capacity) {
		edges->last_event_capacity = graph->edge_capacity;
		edges->last_event = xreallocarray(edges->last_event, edges->last_event_capacity,
						  sizeof(*edges->last_event));
	}
	edges->last_event[graph->edge_count - 1] = UINT64_MAX;
	return graph->edge_count - 1;
}

/* A sum over rows some of which lack the metric would be less than it seems: there is none. */
static void add_metrics(struct graph_edge *edge, const struct build_row *row)
{
#define ROW_METRIC(member, FLAG, of, aggregate)
#define EDGE_METRIC(member, FLAG, of)                                                              \
	if (!build_row_has(row, TRACE_METRIC_##FLAG))                                              \
		edge->fields &= ~(uint32_t)EDGE_##FLAG;                                            \
	if (edge->fields & EDGE_##FLAG)                                                            \
		profile_add(&edge->member, row->member);                                           \
	else                                                                                       \
		edge->member = 0;
#include "gpu/rows.def"
}

void edges_add(struct edges *edges, uint32_t from, uint32_t to, uint32_t site, uint64_t event,
	       const struct build_row *row)
{
	bool reads = row->access == TRACE_READ || row->access == TRACE_FROM_HOST;
	const struct edge_key key = {
		.from = from,
		.to = to,
		.site = site,
		.access = reads ? GRAPH_READ : GRAPH_WRITE,
	};
	struct graph_edge *edge;
	uint32_t *slot, index;

	grow(edges);
	slot = slot_of(edges, &key);
	if (!*slot)
		*slot = add_edge(edges, &key) + 1;
	index = *slot - 1;
	edge = &edges->graph->edges[index];
	profile_add(&edge->bytes, row->bytes);
	add_metrics(edge, row);
	/* several objects of one site may add to it in one invocation */
	edge->count += edges->last_event[index] != event;
	edges->last_event[index] = event;
}
