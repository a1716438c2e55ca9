/*
 * query/columns.c: attributes of the graph as typed columns.
 *
 * Fields have their types; vflow_types says those of others, "num:int,ok:bool"; what is
 * left is text.  A value that is not of its declared type, or empty, is null.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dot_names.h"
#include "graph/fields.h"
#include "query/calls.h"
#include "query/engine.h"
#include "util/memory.h"

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

struct column *engine_add_column(struct engine *engine, bool of_edge, const char *name,
				 enum value_type type)
{
	return add_column(engine, of_edge, name, type,
			  of_edge ? engine->edge_count : engine->vertex_count);
}

static struct column *find_column(const struct engine *engine, bool of_edge, const char *name)
{
	const struct columns *columns = of_edge ? &engine->edge_columns : &engine->vertex_columns;

	for (uint32_t i = 0; i < columns->count; i++)
		if (!strcmp(columns->items[i]->name, name))
			return columns->items[i];
	return NULL;
}

/* -- fields -- */

static const struct graph_field *fields_of(bool of_edge)
{
	return of_edge ? graph_edge_fields : graph_vertex_fields;
}

/* Numbers that the graph holds have 64 bits without a sign; the language's have one. */
static int64_t saturate(uint64_t number)
{
	return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

static enum value_type type_of(const struct graph_field *field)
{
	return field->type & (FIELD_TEXT | FIELD_ACCESS) ? VALUE_STRING
	       : field->type == FIELD_FRACTION           ? VALUE_FLOAT
							 : VALUE_INTEGER;
}

static void read_field(const struct graph_field *field, const void *of, struct column *column,
		       uint32_t row)
{
	if (!field_is_there(field, of))
		return;
	column->present[row] = true;
	if (field->type == FIELD_TEXT) {
		column->texts[row] = field_text(field, of);
		column->present[row] = column->texts[row] && *column->texts[row];
	} else if (field->type == FIELD_ACCESS) {
		column->texts[row] = graph_access_name(field_access(field, of));
	} else if (field->type == FIELD_FRACTION) {
		column->numbers[row] = field_fraction(field, of);
	} else {
		column->integers[row] = saturate(field_number(field, of));
	}
}

static void fill_id(const struct engine *engine, struct column *column)
{
	for (uint32_t v = 0; v < engine->flow_vertices; v++) {
		column->integers[v] = engine->graph->vertices[v].id;
		column->present[v] = true;
	}
}

static void fill_key(struct engine *engine, struct column *column)
{
	char buffer[GRAPH_KEY_SIZE];

	for (uint32_t e = 0; e < engine->flow_edges; e++) {
		const char *key = graph_edge_key(&engine->graph->edges[e], buffer);

		column->texts[e] =
			key == buffer ? arena_text(&engine->arena, key, strlen(key)) : key;
		column->present[e] = key && *key;
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

static struct column *field_column(struct engine *engine, bool of_edge,
				   const struct graph_field *field)
{
	uint32_t rows = of_edge ? engine->flow_edges : engine->flow_vertices;
	struct column *column = engine_add_column(engine, of_edge, field->name, type_of(field));

	column->hidden = field->label;
	for (uint32_t row = 0; row < rows; row++)
		read_field(field,
			   of_edge ? (const void *)&engine->graph->edges[row]
				   : (const void *)&engine->graph->vertices[row],
			   column, row);
	if (column->type == VALUE_STRING)
		share_texts(column, rows);
	return column;
}

/* What vertices and edges are called by: id and key, which are no fields. */
static struct column *name_column(struct engine *engine, bool of_edge)
{
	struct column *column = of_edge ? engine_add_column(engine, true, DOT_KEY, VALUE_STRING)
					: engine_add_column(engine, false, "id", VALUE_INTEGER);

	column->hidden = true;
	if (of_edge)
		fill_key(engine, column);
	else
		fill_id(engine, column);
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

/* The type that vflow_types declares. */
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
	uint32_t rows = of_edge ? engine->flow_edges : engine->flow_vertices;
	const char *standard = default_of(engine->graph, of_edge, name);
	struct column *column = NULL;

	for (uint32_t row = 0; row < rows; row++) {
		const char *text = graph_attribute(attributes_of(engine, of_edge, row), name);

		text = text ? text : standard;
		if (!text)
			continue;
		if (!column)
			column = engine_add_column(engine, of_edge, name,
						   declared_type(engine->graph, name));
		if (!*text)
			continue;
		column->present[row] = read_text(column, row, text);
	}
	return column;
}

/* NULL: nothing in the graph has it. */
static struct column *graph_column(struct engine *engine, bool of_edge, const char *name)
{
	const struct graph_field *field;

	if (!strcmp(name, of_edge ? DOT_KEY : "id"))
		return name_column(engine, of_edge);
	field = field_find(fields_of(of_edge), name);
	return field ? field_column(engine, of_edge, field) : foreign_column(engine, of_edge, name);
}

const struct column *engine_column(struct engine *engine, bool of_edge, const char *name)
{
	struct column *column = find_column(engine, of_edge, name);

	if (column || !engine->graph)
		return column;
	column = graph_column(engine, of_edge, name);
	return engine->profile ? calls_column(engine, of_edge, name, column) : column;
}

/* id, or access and key, before the other fields. */
static void add_field_columns(struct engine *engine, bool of_edge)
{
	const struct graph_field *field;

	for (field = fields_of(of_edge); of_edge && field->name; field++)
		if (field->label)
			engine_column(engine, of_edge, field->name);
	engine_column(engine, of_edge, of_edge ? DOT_KEY : "id");
	for (field = fields_of(of_edge); field->name; field++)
		if (!field->profile_only)
			engine_column(engine, of_edge, field->name);
}

const struct columns *engine_columns(struct engine *engine, bool of_edge)
{
	struct columns *columns = of_edge ? &engine->edge_columns : &engine->vertex_columns;
	uint32_t rows = of_edge ? engine->flow_edges : engine->flow_vertices;

	if (columns->complete || !engine->graph)
		return columns;
	add_field_columns(engine, of_edge);
	if (engine->profile)
		calls_columns(engine, of_edge);
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
