/* graph/profile/graph.c: tables vertex and edge, whose columns follow from graph/fields.def. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/fields.h"
#include "graph/profile/file.h"
#include "graph/profile/table.h"
#include "util/memory.h"

enum { SQL_MAX = 4000 };

_Static_assert(VERTEX_FIELD_COUNT + 3 <= TABLE_COLUMNS_MAX &&
		       EDGE_FIELD_COUNT + 3 <= TABLE_COLUMNS_MAX,
	       "columns");

static struct profile_column *add_fields(struct profile_column *next,
					 const struct graph_field *fields, unsigned types)
{
	for (; fields->name; fields++) {
		if (fields->store == STORE_NEVER || !(fields->type & types))
			continue;
		if (fields == &graph_vertex_fields[VERTEX_INDEX_CALLPATH])
			*next++ = (struct profile_column)KEY("callpath", SECOND);
		*next++ = (struct profile_column){
			.name = fields->column ? fields->column : fields->name,
			.type = COLUMN_FIELD,
			.nullable = fields->store != STORE_ALWAYS && fields->type != FIELD_TEXT,
			.of = fields->type == FIELD_ID ? &profile_table_vertex : NULL,
			.field = fields,
		};
	}
	return next;
}

/* Texts come before other fields. */
static const struct profile_column *vertex_columns(void)
{
	static struct profile_column columns[TABLE_COLUMNS_MAX + 1];
	struct profile_column *next = columns;

	if (columns->name)
		return columns;
	*next++ = (struct profile_column)KEY("id", ID);
	*next++ = (struct profile_column)KEY("position", FIRST); /* in DOT */
	next = add_fields(next, graph_vertex_fields, FIELD_TEXT);
	add_fields(next, graph_vertex_fields, FIELD_ALL & ~FIELD_TEXT);
	return columns;
}

static const struct profile_column *edge_columns(void)
{
	static struct profile_column columns[TABLE_COLUMNS_MAX + 1];
	struct profile_column *next = columns;

	if (columns->name)
		return columns;
	*next++ = (struct profile_column)KEY("id", ID);
	*next++ = (struct profile_column)KEY("source", FIRST, .of = &profile_table_vertex);
	*next++ = (struct profile_column)KEY("target", SECOND, .of = &profile_table_vertex);
	next = add_fields(next, graph_edge_fields, FIELD_TEXT);
	add_fields(next, graph_edge_fields, FIELD_ALL & ~FIELD_TEXT);
	return columns;
}

/* -- views -- */

struct sql {
	char text[SQL_MAX];
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct sql *sql, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	sql->used +=
		(size_t)vsnprintf(sql->text + sql->used, SQL_MAX - sql->used, format, arguments);
	va_end(arguments);
	if (sql->used >= SQL_MAX)
		abort(); /* more fields than there was room planned for */
}

/* Figures that people add up. */
static void add_sums(struct sql *sql, const struct graph_field *fields, enum field_unit unit,
		     const char *prefix)
{
	for (; fields->name; fields++)
		if (fields->store != STORE_NEVER && fields->merge == MERGE_SUM &&
		    fields->unit == unit)
			add(sql, "%s%s, ", prefix, fields->name);
}

static const char *vertex_views(void)
{
	static struct sql sql;

	if (sql.used)
		return sql.text;
	add(&sql, "CREATE VIEW vertices AS SELECT id, kind, name, ");
	add_sums(&sql, graph_vertex_fields, UNIT_CALLS, "");
	add_sums(&sql, graph_vertex_fields, UNIT_BYTES, "");
	add(&sql, "round(100.0 * redundant_bytes / nullif(written_bytes, 0), 1) "
		  "AS redundant_percent, round(host_ns / 1e3, 1) AS host_us, "
		  "callpath_text AS callpath FROM vertex ORDER BY id;");
	return sql.text;
}

static const char *edge_views(void)
{
	static struct sql sql;

	if (sql.used)
		return sql.text;
	add(&sql, "CREATE VIEW flows AS SELECT e.source AS from_id, a.name AS from_name, "
		  "e.target AS to_id, b.name AS to_name, e.object, o.callpath_text AS object_from, "
		  "CASE e.access WHEN 1 THEN 'READ' ELSE 'WRITE' END AS access, ");
	add_sums(&sql, graph_edge_fields, UNIT_CALLS, "e.");
	add_sums(&sql, graph_edge_fields, UNIT_BYTES, "e.");
	add(&sql, "round(100.0 * e.redundant_bytes / nullif(e.bytes, 0), 1) AS redundant_percent "
		  "FROM edge e JOIN vertex a ON a.id = e.source JOIN vertex b ON b.id = e.target "
		  "JOIN vertex o ON o.id = e.object ORDER BY e.id;");
	return sql.text;
}

/* -- vertices -- */

static void write_vertices(struct profile_writer *writer, const struct profile *profile)
{
	for (uint32_t v = 0; v < profile->graph->vertex_count; v++) {
		const struct graph_vertex *vertex = &profile->graph->vertices[v];

		table_write_row(
			writer, &profile_table_vertex, vertex,
			&(struct profile_keys){vertex->id, v,
					       profile->vertices[v].callpath + UINT64_C(1)});
	}
}

static const char *vertex_order(struct profile_rows *rows)
{
	/* almost always by id: then nothing has to be sorted */
	rows_start(rows, "vertex", "SELECT 1 FROM vertex WHERE position <> id LIMIT 1");
	return rows_next(rows) ? "position" : "id";
}

static void *add_vertex(struct profile_rows *rows, struct profile *profile,
			const struct profile_keys *keys)
{
	struct graph *graph = profile->graph;
	uint32_t index = graph->vertex_count;

	(void)rows;
	if (keys->id > UINT32_MAX || keys->first != index ||
	    graph_find(graph, (uint32_t)keys->id) != UINT32_MAX || !keys->second ||
	    /* a profile has at most one path per vertex */
	    keys->second > index + UINT64_C(1))
		return NULL;
	ARRAY_RESERVE(profile->vertices, index, profile->vertex_capacity);
	profile->vertices[index].callpath = (uint32_t)keys->second - 1;
	return graph_add_vertex(graph, (uint32_t)keys->id);
}

static void finish_vertices(struct profile_rows *rows, struct profile *profile)
{
	uint32_t paths = 0;

	(void)rows;
	for (uint32_t v = 0; v < profile->graph->vertex_count; v++)
		if (profile->vertices[v].callpath >= paths)
			paths = profile->vertices[v].callpath + 1;
	profile->callpaths = xcalloc(paths, sizeof(*profile->callpaths));
	profile->callpath_count = profile->callpath_capacity = paths;
}

static bool vertex_holds(const struct profile *profile, const void *row)
{
	const struct graph_vertex *vertex = row;
	uint32_t index = (uint32_t)(vertex - profile->graph->vertices);

	return *vertex->kind && graph_find(profile->graph, vertex->id) == index &&
	       /* reading relies on it */
	       profile->vertices[index].callpath < profile->callpath_count &&
	       profile->vertices[index].callpath <= index;
}

/* No path after the last one that a vertex has. */
static bool last_path_is_used(const struct profile *profile)
{
	for (uint32_t v = 0; v < profile->graph->vertex_count; v++)
		if (profile->vertices[v].callpath + 1 == profile->callpath_count)
			return true;
	return !profile->callpath_count;
}

static int validate_vertices(const struct profile *profile, struct error *error)
{
	for (uint32_t v = 0; v < profile->graph->vertex_count; v++)
		if (!table_row_holds(&profile_table_vertex, profile, &profile->graph->vertices[v]))
			return profile_bad_row(error, "vertex", v + UINT64_C(1));
	return last_path_is_used(profile)
		       ? 0
		       : profile_bad_row(error, "callpath", profile->callpath_count);
}

static void clear_vertices(struct profile *profile)
{
	free(profile->vertices);
}

const struct profile_table profile_table_vertex = {
	.name = "vertex",
	.make_columns = vertex_columns,
	.order = vertex_order,
	.write = write_vertices,
	.add = add_vertex,
	.finish = finish_vertices,
	.holds = vertex_holds,
	.validate = validate_vertices,
	.clear = clear_vertices,
	.make_views = vertex_views,
};

/* -- edges -- */

static void write_edges(struct profile_writer *writer, const struct profile *profile)
{
	const struct graph *graph = profile->graph;

	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];

		table_write_row(writer, &profile_table_edge, edge,
				&(struct profile_keys){e + UINT64_C(1),
						       graph->vertices[edge->from].id,
						       graph->vertices[edge->to].id});
	}
}

static void *add_edge(struct profile_rows *rows, struct profile *profile,
		      const struct profile_keys *keys)
{
	struct graph *graph = profile->graph;
	uint32_t from, to;

	if (keys->id != rows->row || keys->first > UINT32_MAX || keys->second > UINT32_MAX)
		return NULL;
	from = graph_find(graph, (uint32_t)keys->first);
	to = graph_find(graph, (uint32_t)keys->second);
	return from == UINT32_MAX || to == UINT32_MAX ? NULL : graph_add_edge(graph, from, to);
}

void profile_finish_edge(struct graph_edge *edge)
{
	const uint32_t known = edge->fields & (EDGE_REDUNDANT_VALUE_BYTES | EDGE_REDUNDANT_BYTES);

	if (known && edge->bytes) {
		edge->fields |= EDGE_REDUNDANCY;
		edge->redundancy = (double)graph_edge_unchanged(edge) / (double)edge->bytes;
	}
	free(edge->key);
	edge->key = NULL;
	edge->fields |= EDGE_KEY;
}

static void finish_edges(struct profile_rows *rows, struct profile *profile)
{
	(void)rows;
	for (uint32_t e = 0; e < profile->graph->edge_count; e++)
		profile_finish_edge(&profile->graph->edges[e]);
}

static bool edge_holds(const struct profile *profile, const void *row)
{
	const struct graph_edge *edge = row;

	for (const struct graph_field *field = graph_edge_fields; field->name; field++)
		if (field->part_of_bytes && field_number(field, edge) > edge->bytes)
			return false;
	return edge->from < profile->graph->vertex_count && edge->to < profile->graph->vertex_count;
}

static int validate_edges(const struct profile *profile, struct error *error)
{
	for (uint32_t e = 0; e < profile->graph->edge_count; e++)
		if (!table_row_holds(&profile_table_edge, profile, &profile->graph->edges[e]))
			return profile_bad_row(error, "edge", e + UINT64_C(1));
	return 0;
}

const struct profile_table profile_table_edge = {
	.name = "edge",
	.make_columns = edge_columns,
	.write = write_edges,
	.add = add_edge,
	.finish = finish_edges,
	.holds = edge_holds,
	.validate = validate_edges,
	.make_views = edge_views,
};
