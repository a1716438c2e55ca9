#include "graph/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/fields.h"
#include "util/memory.h"

struct graph *graph_new(void)
{
	return xcalloc(1, sizeof(struct graph));
}

static void free_attributes(struct graph_attributes *attributes)
{
	for (uint32_t i = 0; i < attributes->count; i++) {
		free(attributes->items[i].name);
		free(attributes->items[i].value);
	}
	free(attributes->items);
}

static void free_vertex(struct graph_vertex *vertex)
{
	free(vertex->node);
	fields_free(graph_vertex_fields, vertex);
	free_attributes(&vertex->attributes);
}

static void free_edge(struct graph_edge *edge)
{
	free(edge->key);
	fields_free(graph_edge_fields, edge);
	free_attributes(&edge->attributes);
}

void graph_free(struct graph *graph)
{
	if (!graph)
		return;
	for (uint32_t v = 0; v < graph->vertex_count; v++)
		free_vertex(&graph->vertices[v]);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		free_edge(&graph->edges[e]);
	for (uint32_t d = 0; d < graph->default_count; d++) {
		free(graph->defaults[d].name);
		free(graph->defaults[d].value);
	}
	free_attributes(&graph->attributes);
	free(graph->name);
	free(graph->vertices);
	free(graph->edges);
	free(graph->defaults);
	free(graph->by_id);
	free(graph);
}

/* -- ids: open addressing, entries are index + 1 -- */

static uint32_t *slot_of(const struct graph *graph, uint32_t id)
{
	uint32_t mask = graph->by_id_size - 1;

	for (uint32_t i = id * UINT32_C(2654435761) & mask;; i = (i + 1) & mask)
		if (!graph->by_id[i] || graph->vertices[graph->by_id[i] - 1].id == id)
			return &graph->by_id[i];
}

static void index_vertices(struct graph *graph)
{
	graph->sparse = false;
	for (uint32_t v = 0; v < graph->vertex_count && !graph->sparse; v++)
		graph->sparse = graph->vertices[v].id != v;
	memset(graph->by_id, 0, graph->by_id_size * sizeof(*graph->by_id));
	for (uint32_t v = 0; v < graph->vertex_count; v++)
		*slot_of(graph, graph->vertices[v].id) = v + 1;
}

struct graph_vertex *graph_add_vertex(struct graph *graph, uint32_t id)
{
	struct graph_vertex *vertex;

	ARRAY_RESERVE(graph->vertices, graph->vertex_count, graph->vertex_capacity);
	vertex = &graph->vertices[graph->vertex_count++];
	*vertex = (struct graph_vertex){.id = id, .node = xasprintf("v%u", id)};
	graph->sparse |= id != graph->vertex_count - 1;
	if (graph->by_id_size < 2 * (size_t)graph->vertex_count) {
		graph->by_id_size = graph->by_id_size ? graph->by_id_size * 2 : 64;
		graph->by_id =
			xreallocarray(graph->by_id, graph->by_id_size, sizeof(*graph->by_id));
		index_vertices(graph);
	} else {
		*slot_of(graph, id) = graph->vertex_count;
	}
	return vertex;
}

uint32_t graph_find(const struct graph *graph, uint32_t id)
{
	if (!graph->sparse)
		return id < graph->vertex_count ? id : UINT32_MAX;
	/* UINT32_MAX when the slot is empty */
	return graph->by_id_size ? *slot_of(graph, id) - 1 : UINT32_MAX;
}

struct graph_edge *graph_add_edge(struct graph *graph, uint32_t from, uint32_t to)
{
	struct graph_edge *edge;

	ARRAY_RESERVE(graph->edges, graph->edge_count, graph->edge_capacity);
	edge = &graph->edges[graph->edge_count++];
	*edge = (struct graph_edge){.from = from, .to = to};
	return edge;
}

const char *graph_access_name(enum graph_access access)
{
	return access == GRAPH_READ ? "READ" : access == GRAPH_WRITE ? "WRITE" : NULL;
}

uint64_t graph_edge_unchanged(const struct graph_edge *edge)
{
	return edge->fields & EDGE_REDUNDANT_VALUE_BYTES ? edge->redundant_value_bytes
							 : edge->redundant_bytes;
}

const char *graph_edge_key(const struct graph_edge *edge, char buffer[GRAPH_KEY_SIZE])
{
	if (edge->key || !(edge->fields & EDGE_KEY))
		return edge->key;
	snprintf(buffer, GRAPH_KEY_SIZE, "%" PRIu32 ":%s", edge->object,
		 graph_access_name(edge->access));
	return buffer;
}

bool graph_vertex_is(const struct graph_vertex *vertex, const char *label)
{
	size_t length = strlen(label);

	for (const char *at = vertex->kind; at; at = strchr(at, ':')) {
		at += *at == ':';
		if (!strncmp(at, label, length) && (!at[length] || at[length] == ':'))
			return true;
	}
	return false;
}

/* Where the attribute is, or would be: they are kept in the order of their names. */
static uint32_t place_of(const struct graph_attributes *attributes, const char *name, bool *found)
{
	uint32_t low = 0, high = attributes->count;

	*found = false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(attributes->items[middle].name, name);

		if (!order) {
			*found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void graph_set_attribute(struct graph_attributes *attributes, const char *name, const char *value)
{
	bool found;
	uint32_t at = place_of(attributes, name, &found);
	char *copy = xstrdup(value); /* `value` may be the old one */

	if (found) {
		free(attributes->items[at].value);
		attributes->items[at].value = copy;
		attributes->items[at].raw = false;
		return;
	}
	ARRAY_RESERVE(attributes->items, attributes->count, attributes->capacity);
	memmove(&attributes->items[at + 1], &attributes->items[at],
		(attributes->count - at) * sizeof(*attributes->items));
	attributes->items[at] = (struct graph_attribute){.name = xstrdup(name), .value = copy};
	attributes->count++;
}

const char *graph_attribute(const struct graph_attributes *attributes, const char *name)
{
	bool found;
	uint32_t at = place_of(attributes, name, &found);

	return found ? attributes->items[at].value : NULL;
}

void graph_filter(struct graph *graph, const bool *keep_vertex, const bool *keep_edge)
{
	uint32_t *moved = xcalloc(graph->vertex_count, sizeof(*moved));
	uint32_t vertices = 0, edges = 0;

	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		moved[v] = vertices;
		if (keep_vertex[v])
			graph->vertices[vertices++] = graph->vertices[v];
		else
			free_vertex(&graph->vertices[v]);
	}
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		struct graph_edge edge = graph->edges[e];

		if (!keep_edge[e] || !keep_vertex[edge.from] || !keep_vertex[edge.to]) {
			free_edge(&graph->edges[e]);
			continue;
		}
		edge.from = moved[edge.from];
		edge.to = moved[edge.to];
		graph->edges[edges++] = edge;
	}
	graph->vertex_count = vertices;
	graph->edge_count = edges;
	if (graph->by_id_size)
		index_vertices(graph);
	free(moved);
}
