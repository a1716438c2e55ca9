/*
 * query/columns.c: attributes of the graph as typed columns.
 *
 * Known attributes have their types; vflow_types says those of others, "num:int,ok:bool"; what is
 * left is text.  A value that is not of its declared type, or empty, is null.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dot_names.h"
#include "query/engine.h"
#include "util/memory.h"

#define DOT_TYPES "vflow_types"

struct known {
	const char *name;
	enum value_type type;
	uint32_t field; /* 0: always there */
	size_t offset;
	bool hidden;
};

/* clang-format off */
#define VERTEX(name, type, field, member)                                                          \
	{                                                                                          \
		name, type, field, offsetof(struct graph_vertex, member), false                    \
	}
#define EDGE(name, type, field, member)                                                            \
	{                                                                                          \
		name, type, field, offsetof(struct graph_edge, member), false                      \
	}

/* clang-format on */
static const struct known known_vertex[] = {
	{"id", VALUE_INTEGER, 0, 0, true},
	{DOT_KIND, VALUE_STRING, VERTEX_KIND, offsetof(struct graph_vertex, kind), true},
	VERTEX(DOT_NAME, VALUE_STRING, VERTEX_NAME, name),
	VERTEX(DOT_INVOCATIONS, VALUE_INTEGER, VERTEX_INVOCATIONS, invocations),
	VERTEX(DOT_READ_BYTES, VALUE_INTEGER, VERTEX_READ_BYTES, read_bytes),
	VERTEX(DOT_WRITTEN_BYTES, VALUE_INTEGER, VERTEX_WRITTEN_BYTES, written_bytes),
	VERTEX(DOT_REDUNDANT_BYTES, VALUE_INTEGER, VERTEX_REDUNDANT_BYTES, redundant_bytes),
	VERTEX(DOT_TIME_NS, VALUE_INTEGER, VERTEX_TIME_NS, time_ns),
	VERTEX(DOT_CONTEXT, VALUE_STRING, VERTEX_CONTEXT, context),
	VERTEX(DOT_CALLPATH, VALUE_STRING, VERTEX_CALLPATH, callpath),
	VERTEX(DOT_PATTERNS, VALUE_STRING, VERTEX_PATTERNS, patterns),
	VERTEX(DOT_ADVICE, VALUE_STRING, VERTEX_ADVICE, advice),
	{0},
};

static const struct known known_edge[] = {
	{DOT_ACCESS, VALUE_STRING, EDGE_ACCESS, 0, true},
	{DOT_KEY, VALUE_STRING, EDGE_KEY, 0, true},
	EDGE(DOT_OBJECT, VALUE_INTEGER, EDGE_OBJECT, object),
	EDGE(DOT_BYTES, VALUE_INTEGER, EDGE_BYTES, bytes),
	EDGE(DOT_REDUNDANT_BYTES, VALUE_INTEGER, EDGE_REDUNDANT_BYTES, redundant_bytes),
	EDGE(DOT_REDUNDANCY, VALUE_FLOAT, EDGE_REDUNDANCY, redundancy),
	EDGE(DOT_COUNT, VALUE_INTEGER, EDGE_COUNT, count),
	EDGE(DOT_OBJECT_BYTES, VALUE_INTEGER, EDGE_OBJECT_BYTES, object_bytes),
	{0},
};

static size_t size_of(enum value_type type)
{
	switch (type) {
	case VALUE_BOOLEAN:
		return sizeof(bool);
	case VALUE_INTEGER:
		return sizeof(int64_t);
	case VALUE_FLOAT:
		return sizeof(double);
	case VALUE_STRING:
		return sizeof(const char *);
	default:
		return sizeof(struct value);
	}
}

static struct column *add_column(struct engine *engine, bool of_edge, const char *name,
				 enum value_type type, uint32_t rows)
{
	struct columns *columns = of_edge ? &engine->edge_columns : &engine->vertex_columns;
	struct column *column = xcalloc(1, sizeof(*column));

	column->name = engine_intern(engine, name, strlen(name));
	column->type = type;
	column->capacity = rows;
	column->present = xcalloc((size_t)rows + 1, sizeof(*column->present));
	column->values = xcalloc((size_t)rows + 1, size_of(type));
	ARRAY_RESERVE(columns->items, columns->count, columns->capacity);
	columns->items[columns->count++] = column;
	return column;
}

static struct column *find_column(const struct engine *engine, bool of_edge, const char *name)
{
	const struct columns *columns = of_edge ? &engine->edge_columns : &engine->vertex_columns;

	for (uint32_t i = 0; i < columns->count; i++)
		if (!strcmp(columns->items[i]->name, name))
			return columns->items[i];
	return NULL;
}

/* -- known attributes -- */

/* Numbers that the graph holds have 64 bits without a sign; the language's have one. */
static int64_t saturate(uint64_t number)
{
	return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

static void read_known(const struct known *known, const void *object, struct column *column,
		       uint32_t row)
{
	const char *at = (const char *)object + known->offset;

	column->present[row] = true;
	if (known->type == VALUE_STRING) {
		column->texts[row] = *(char *const *)at;
		column->present[row] = column->texts[row] && *column->texts[row];
	} else if (known->type == VALUE_FLOAT) {
		column->numbers[row] = *(const double *)at;
	} else {
		column->integers[row] = saturate(*(const uint64_t *)at);
	}
}

static void fill_known_vertex(const struct engine *engine, const struct known *known,
			      struct column *column)
{
	for (uint32_t v = 0; v < engine->vertex_count; v++) {
		const struct graph_vertex *vertex = &engine->graph->vertices[v];

		if (!strcmp(known->name, "id")) {
			column->integers[v] = vertex->id;
			column->present[v] = true;
		} else if (vertex->fields & known->field) {
			read_known(known, vertex, column, v);
		}
	}
}

static void fill_key(struct engine *engine, struct column *column)
{
	char buffer[GRAPH_KEY_SIZE];

	for (uint32_t e = 0; e < engine->edge_count; e++) {
		const char *key = graph_edge_key(&engine->graph->edges[e], buffer);

		column->texts[e] =
			key == buffer ? arena_text(&engine->arena, key, strlen(key)) : key;
		column->present[e] = key && *key;
	}
}

static void fill_known_edge(const struct engine *engine, const struct known *known,
			    struct column *column)
{
	for (uint32_t e = 0; e < engine->edge_count; e++) {
		const struct graph_edge *edge = &engine->graph->edges[e];

		if (known->field == EDGE_ACCESS) {
			column->texts[e] = engine->types[e];
			column->present[e] = engine->types[e];
		} else if (known->field == EDGE_OBJECT) { /* 32 bits */
			column->integers[e] = edge->object;
			column->present[e] = edge->fields & EDGE_OBJECT;
		} else if (edge->fields & known->field) {
			read_known(known, edge, column, e);
		}
	}
}

/*
 * Equal texts in one place, when there are few of them (kinds): grouping by them then finds them in
 * the cache.
 */
static void share_texts(struct column *column, uint32_t count)
{
	const char *texts[16];
	uint32_t known = 0, i;

	for (uint32_t row = 0; row < count; row++) {
		if (!column->present[row])
			continue;
		for (i = 0; i < known && strcmp(texts[i], column->texts[row]) != 0; i++)
			;
		if (i == sizeof(texts) / sizeof(*texts))
			return;
		if (i == known)
			texts[known++] = column->texts[row];
		column->texts[row] = texts[i];
	}
}

static struct column *known_column(struct engine *engine, bool of_edge, const struct known *known)
{
	struct column *column = add_column(engine, of_edge, known->name, known->type,
					   of_edge ? engine->edge_count : engine->vertex_count);

	column->hidden = known->hidden;
	if (of_edge && known->field == EDGE_KEY)
		fill_key(engine, column);
	else if (of_edge)
		fill_known_edge(engine, known, column);
	else
		fill_known_vertex(engine, known, column);
	if (column->type == VALUE_STRING)
		share_texts(column, of_edge ? engine->edge_count : engine->vertex_count);
	return column;
}

/* -- attributes of foreign DOT -- */

static const struct graph_attributes *attributes_of(const struct engine *engine, bool of_edge,
						    uint32_t row)
{
	return of_edge ? &engine->graph->edges[row].attributes
		       : &engine->graph->vertices[row].attributes;
}

static const char *default_of(const struct graph *graph, bool of_edge, const char *name)
{
	for (uint32_t i = 0; i < graph->default_count; i++)
		if ((graph->defaults[i].of == DEFAULT_EDGE) == of_edge &&
		    !strcmp(graph->defaults[i].name, name))
			return graph->defaults[i].value;
	return NULL;
}

/* As vflow_types says. */
static enum value_type declared_type(const struct graph *graph, const char *name)
{
	static const struct {
		const char *name;
		enum value_type type;
	} types[] = {{"int", VALUE_INTEGER}, {"float", VALUE_FLOAT}, {"bool", VALUE_BOOLEAN}};
	const char *at = graph_attribute(&graph->attributes, DOT_TYPES);
	size_t length = strlen(name);

	while (at && *at) {
		at += strspn(at, ", ");
		if (!strncmp(at, name, length) && at[length] == ':')
			for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
				size_t size = strlen(types[i].name);

				if (!strncmp(at + length + 1, types[i].name, size) &&
				    !at[length + 1 + size + strspn(at + length + 1 + size, " ")])
					return types[i].type;
				if (!strncmp(at + length + 1, types[i].name, size) &&
				    at[length + 1 + size] == ',')
					return types[i].type;
			}
		at += strcspn(at, ",");
	}
	return VALUE_STRING;
}

static bool read_text(struct column *column, uint32_t row, const char *text)
{
	char *end = NULL;

	errno = 0;
	switch (column->type) {
	case VALUE_INTEGER:
		column->integers[row] = strtoll(text, &end, 10);
		return !*end && !errno && text[strspn(text, "+-")] >= '0';
	case VALUE_FLOAT:
		column->numbers[row] = strtod(text, &end);
		return !*end && isfinite(column->numbers[row]);
	case VALUE_BOOLEAN:
		column->booleans[row] = !strcmp(text, "true");
		return column->booleans[row] || !strcmp(text, "false");
	default:
		column->texts[row] = text;
		return true;
	}
}

static struct column *foreign_column(struct engine *engine, bool of_edge, const char *name)
{
	uint32_t rows = of_edge ? engine->edge_count : engine->vertex_count;
	const char *standard = default_of(engine->graph, of_edge, name);
	struct column *column = NULL;

	for (uint32_t row = 0; row < rows; row++) {
		const char *text = graph_attribute(attributes_of(engine, of_edge, row), name);

		text = text ? text : standard;
		if (!text)
			continue;
		if (!column)
			column = add_column(engine, of_edge, name,
					    declared_type(engine->graph, name), rows);
		if (!*text)
			continue;
		column->present[row] = read_text(column, row, text);
	}
	return column;
}

const struct column *engine_column(struct engine *engine, bool of_edge, const char *name)
{
	struct column *column = find_column(engine, of_edge, name);

	if (column || !engine->graph)
		return column;
	for (const struct known *known = of_edge ? known_edge : known_vertex; known->name; known++)
		if (!strcmp(known->name, name))
			return known_column(engine, of_edge, known);
	return foreign_column(engine, of_edge, name);
}

const struct columns *engine_columns(struct engine *engine, bool of_edge)
{
	struct columns *columns = of_edge ? &engine->edge_columns : &engine->vertex_columns;
	uint32_t rows = of_edge ? engine->edge_count : engine->vertex_count;

	if (columns->complete || !engine->graph)
		return columns;
	for (const struct known *known = of_edge ? known_edge : known_vertex; known->name; known++)
		engine_column(engine, of_edge, known->name);
	for (uint32_t row = 0; row < rows; row++) {
		const struct graph_attributes *attributes = attributes_of(engine, of_edge, row);

		for (uint32_t i = 0; i < attributes->count; i++)
			engine_column(engine, of_edge, attributes->items[i].name);
	}
	for (uint32_t i = 0; i < engine->graph->default_count; i++)
		if ((engine->graph->defaults[i].of == DEFAULT_EDGE) == of_edge)
			engine_column(engine, of_edge, engine->graph->defaults[i].name);
	columns->complete = true;
	return columns;
}

/* -- values -- */

struct value engine_value(const struct column *column, uint32_t index)
{
	if (!column || index >= column->capacity || !column->present[index])
		return (struct value){0};
	switch (column->type) {
	case VALUE_BOOLEAN:
		return value_boolean(column->booleans[index]);
	case VALUE_INTEGER:
		return value_integer(column->integers[index]);
	case VALUE_FLOAT:
		return value_number(column->numbers[index]);
	case VALUE_STRING:
		return value_text(column->texts[index]);
	default:
		return column->values[index];
	}
}

void engine_set(struct engine *engine, bool of_edge, uint32_t index, const char *name,
		struct value value)
{
	struct column *column = find_column(engine, of_edge, name);

	if (!column)
		column = add_column(engine, of_edge, name, VALUE_NULL, 0);
	if (index >= column->capacity) {
		uint32_t capacity = 2 * index + 8;

		column->present = xreallocarray(column->present, capacity, sizeof(bool));
		column->values = xreallocarray(column->values, capacity, sizeof(struct value));
		memset(column->present + column->capacity, 0, capacity - column->capacity);
		column->capacity = capacity;
	}
	column->values[index] = value_copy(&engine->arena, value);
	column->present[index] = value.type != VALUE_NULL;
}
