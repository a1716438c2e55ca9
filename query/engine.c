#include "query/engine.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "query/calls.h"
#include "util/memory.h"

struct engine_name {
	UT_hash_handle hh;
	char *text;                         /* in the arena */
	bool used;                          /* as a label or type */
	const struct engine_labels *labels; /* when the text is a kind: what it is made of */
};

static struct engine_name *name_of(struct engine *engine, const char *text, size_t length)
{
	struct engine_name *name;

	HASH_FIND(hh, engine->names, text, length, name);
	if (name)
		return name;
	name = xcalloc(1, sizeof(*name));
	name->text = arena_text(&engine->arena, text, length);
	HASH_ADD_KEYPTR(hh, engine->names, name->text, length, name);
	return name;
}

const char *engine_intern(struct engine *engine, const char *text, size_t length)
{
	return name_of(engine, text, length)->text;
}

static const char *use_name(struct engine *engine, const char *text, size_t length)
{
	struct engine_name *name = name_of(engine, text, length);

	name->used = true;
	return name->text;
}

const char *engine_find_name(const struct engine *engine, const char *text)
{
	struct engine_name *name;

	HASH_FIND(hh, engine->names, text, strlen(text), name);
	return name && name->used ? name->text : NULL;
}

const char **engine_names(const struct engine *engine, uint32_t *count)
{
	const char **names = xcalloc(HASH_COUNT(engine->names) + 1, sizeof(*names));

	*count = 0;
	for (struct engine_name *name = engine->names; name; name = name->hh.next)
		if (name->used)
			names[(*count)++] = name->text;
	return names;
}

/* "A:B" -> A, B; each kind is taken apart once. */
static const struct engine_labels *labels_of_kind(struct engine *engine, const char *kind)
{
	struct engine_name *name = name_of(engine, kind, strlen(kind));
	struct engine_labels *labels;
	uint32_t parts = 1;

	if (name->labels)
		return name->labels;
	for (const char *c = kind; *c; c++)
		parts += *c == ':';
	labels = arena_alloc(&engine->arena, sizeof(*labels) + parts * sizeof(*labels->names));
	while (*kind) {
		size_t length = strcspn(kind, ":");

		if (length)
			labels->names[labels->count++] = use_name(engine, kind, length);
		kind += length + (kind[length] == ':');
	}
	name->labels = labels;
	return labels;
}

/* -- edges by their ends -- */

static void sort_by(const uint32_t *ends, uint32_t edge_count, uint32_t vertex_count,
		    uint32_t **first, uint32_t **edges)
{
	free(*first);
	free(*edges);
	*first = xcalloc((size_t)vertex_count + 2, sizeof(**first));
	*edges = xcalloc((size_t)edge_count + 1, sizeof(**edges));
	for (uint32_t e = 0; e < edge_count; e++)
		(*first)[ends[e] + 2]++;
	for (uint32_t v = 0; v < vertex_count; v++)
		(*first)[v + 2] += (*first)[v + 1];
	for (uint32_t e = 0; e < edge_count; e++)
		(*edges)[(*first)[ends[e] + 1]++] = e;
}

void engine_finish(struct engine *engine)
{
	if (!engine->profile) {
		engine->flow_vertices = engine->vertex_count;
		engine->flow_edges = engine->edge_count;
	}
	sort_by(engine->from, engine->edge_count, engine->vertex_count, &engine->out_first,
		&engine->out);
	sort_by(engine->to, engine->edge_count, engine->vertex_count, &engine->in_first,
		&engine->in);
}

/* -- making -- */

struct engine *engine_new(void)
{
	return xcalloc(1, sizeof(struct engine));
}

struct engine *engine_from_graph(const struct graph *graph)
{
	struct engine *engine = engine_new();
	const char *types[] = {
		[GRAPH_READ] = use_name(engine, "READ", 4),
		[GRAPH_WRITE] = use_name(engine, "WRITE", 5),
	};

	engine->graph = graph;
	engine->vertex_count = engine->vertex_capacity = graph->vertex_count;
	engine->edge_count = engine->edge_capacity = graph->edge_count;
	engine->labels = xcalloc((size_t)graph->vertex_count + 1, sizeof(*engine->labels));
	engine->from = xcalloc((size_t)graph->edge_count + 1, sizeof(*engine->from));
	engine->to = xcalloc((size_t)graph->edge_count + 1, sizeof(*engine->to));
	engine->types = xcalloc((size_t)graph->edge_count + 1, sizeof(*engine->types));
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		const struct graph_vertex *vertex = &graph->vertices[v];
		bool known = vertex->fields & VERTEX_KIND && vertex->kind;

		engine->labels[v] = labels_of_kind(engine, known ? vertex->kind : "");
	}
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		engine->from[e] = graph->edges[e].from;
		engine->to[e] = graph->edges[e].to;
		if (graph->edges[e].fields & EDGE_ACCESS)
			engine->types[e] = types[graph->edges[e].access];
	}
	engine_finish(engine);
	return engine;
}

uint32_t engine_add_vertex(struct engine *engine, const char *const *labels, uint32_t count)
{
	struct engine_labels *own =
		arena_alloc(&engine->arena, sizeof(*own) + count * sizeof(*own->names));

	for (uint32_t i = 0; i < count; i++) {
		const char *name = use_name(engine, labels[i], strlen(labels[i]));
		bool known = false;

		for (uint32_t k = 0; k < own->count; k++)
			known |= own->names[k] == name;
		if (!known)
			own->names[own->count++] = name;
	}
	ARRAY_RESERVE(engine->labels, engine->vertex_count, engine->vertex_capacity);
	engine->labels[engine->vertex_count] = own;
	return engine->vertex_count++;
}

uint32_t engine_add_edge(struct engine *engine, uint32_t from, uint32_t to, const char *type)
{
	uint32_t capacity = engine->edge_capacity, same = capacity;

	ARRAY_RESERVE(engine->from, engine->edge_count, capacity);
	capacity = same;
	ARRAY_RESERVE(engine->to, engine->edge_count, capacity);
	ARRAY_RESERVE(engine->types, engine->edge_count, engine->edge_capacity);
	engine->from[engine->edge_count] = from;
	engine->to[engine->edge_count] = to;
	engine->types[engine->edge_count] = type ? use_name(engine, type, strlen(type)) : NULL;
	return engine->edge_count++;
}

static void free_columns(struct columns *columns)
{
	for (uint32_t i = 0; i < columns->count; i++) {
		free(columns->items[i]->present);
		free(columns->items[i]->values);
		free(columns->items[i]);
	}
	free(columns->items);
}

void engine_free(struct engine *engine)
{
	struct engine_name *name, *next;

	if (!engine)
		return;
	HASH_ITER(hh, engine->names, name, next)
	{
		HASH_DELETE(hh, engine->names, name);
		free(name);
	}
	free_columns(&engine->vertex_columns);
	free_columns(&engine->edge_columns);
	free(engine->from);
	free(engine->to);
	free(engine->types);
	free(engine->labels);
	free(engine->out_first);
	free(engine->out);
	free(engine->in_first);
	free(engine->in);
	arena_free(&engine->arena);
	free(engine);
}

/* -- ids and labels -- */

uint32_t engine_id(const struct engine *engine, uint32_t vertex)
{
	if (vertex >= engine->flow_vertices)
		return calls_id(engine, vertex);
	return engine->graph ? engine->graph->vertices[vertex].id : vertex;
}

uint32_t engine_find(const struct engine *engine, int64_t id)
{
	if (id < 0 || id >= UINT32_MAX)
		return UINT32_MAX;
	if (engine->graph)
		return graph_find(engine->graph, (uint32_t)id);
	return id < engine->vertex_count ? (uint32_t)id : UINT32_MAX;
}

bool engine_has_label(const struct engine *engine, uint32_t vertex, const char *interned)
{
	const struct engine_labels *labels = engine->labels[vertex];

	for (uint32_t i = 0; i < labels->count; i++)
		if (labels->names[i] == interned)
			return true;
	return false;
}
