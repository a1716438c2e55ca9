#include "graph/profile/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/fields.h"
#include "util/memory.h"

enum { SQL_MAX = 4000, COLUMNS_MAX = 40 };

_Static_assert(VERTEX_FIELD_COUNT + 3 <= COLUMNS_MAX && EDGE_FIELD_COUNT + 3 <= COLUMNS_MAX,
	       "columns");

enum role {
	ROLE_ID,
	ROLE_POSITION, /* of the vertex, in DOT */
	ROLE_PATH,     /* of the vertex: number of a call path */
	ROLE_SOURCE,   /* ids of the edge's vertices */
	ROLE_TARGET,
	ROLE_FIELD,
};

struct column {
	const char *name, *type; /* NULL: no column */
	enum role role;
	const struct graph_field *field; /* of ROLE_FIELD */
};

static const char *type_of(const struct graph_field *field)
{
	bool always = field->store == STORE_ALWAYS;

	switch (field->type) {
	case FIELD_TEXT:
		return "TEXT NOT NULL";
	case FIELD_ID:
		return always ? "INTEGER NOT NULL REFERENCES vertex" : "INTEGER REFERENCES vertex";
	case FIELD_FRACTION:
		return always ? "REAL NOT NULL" : "REAL";
	case FIELD_COUNT:
	case FIELD_ACCESS:
	case FIELD_ALL:
		break;
	}
	return always ? "INTEGER NOT NULL" : "INTEGER";
}

static struct column *add_fields(struct column *next, const struct graph_field *fields,
				 unsigned types)
{
	for (; fields->name; fields++) {
		if (fields->store == STORE_NEVER || !(fields->type & types))
			continue;
		if (fields == &graph_vertex_fields[VERTEX_INDEX_CALLPATH])
			*next++ = (struct column){"callpath", "INTEGER NOT NULL", ROLE_PATH, NULL};
		*next++ = (struct column){fields->column ? fields->column : fields->name,
					  type_of(fields), ROLE_FIELD, fields};
	}
	return next;
}

/* In the order of the file, ended by one without a name: texts come before other fields. */
static const struct column *vertex_columns(void)
{
	static struct column columns[COLUMNS_MAX + 1];
	struct column *next = columns;

	if (columns->name)
		return columns;
	*next++ = (struct column){"id", "INTEGER PRIMARY KEY", ROLE_ID, NULL};
	*next++ = (struct column){"position", "INTEGER NOT NULL", ROLE_POSITION, NULL};
	next = add_fields(next, graph_vertex_fields, FIELD_TEXT);
	add_fields(next, graph_vertex_fields, FIELD_ALL & ~FIELD_TEXT);
	return columns;
}

static const struct column *edge_columns(void)
{
	static const char vertex[] = "INTEGER NOT NULL REFERENCES vertex";
	static struct column columns[COLUMNS_MAX + 1];
	struct column *next = columns;

	if (columns->name)
		return columns;
	*next++ = (struct column){"id", "INTEGER PRIMARY KEY", ROLE_ID, NULL};
	*next++ = (struct column){"source", vertex, ROLE_SOURCE, NULL};
	*next++ = (struct column){"target", vertex, ROLE_TARGET, NULL};
	next = add_fields(next, graph_edge_fields, FIELD_TEXT);
	add_fields(next, graph_edge_fields, FIELD_ALL & ~FIELD_TEXT);
	return columns;
}

static int count(const struct column *columns)
{
	int count = 0;

	while (columns[count].name)
		count++;
	return count;
}

/* -- SQL -- */

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

static const char *create(struct sql *sql, const char *table, const struct column *columns)
{
	if (sql->used)
		return sql->text;
	add(sql, "CREATE TABLE %s (", table);
	for (const struct column *column = columns; column->name; column++)
		add(sql, "%s%s %s", column == columns ? "" : ", ", column->name, column->type);
	add(sql, ")");
	return sql->text;
}

const char *profile_vertex_sql(void)
{
	static struct sql sql;

	return create(&sql, "vertex", vertex_columns());
}

const char *profile_edge_sql(void)
{
	static struct sql sql;

	return create(&sql, "edge", edge_columns());
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

const char *profile_graph_views(void)
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
		  "JOIN vertex o ON o.id = e.object ORDER BY e.id;"
		  "CREATE VIEW vertices AS SELECT id, kind, name, ");
	add_sums(&sql, graph_vertex_fields, UNIT_CALLS, "");
	add_sums(&sql, graph_vertex_fields, UNIT_BYTES, "");
	add(&sql, "round(100.0 * redundant_bytes / nullif(written_bytes, 0), 1) "
		  "AS redundant_percent, round(host_ns / 1e3, 1) AS host_us, "
		  "callpath_text AS callpath FROM vertex ORDER BY id;");
	return sql.text;
}

/* -- writing -- */

static void write_field(struct profile_writer *writer, const struct graph_field *field,
			const void *of)
{
	const char *text;

	if (field->type == FIELD_TEXT) {
		text = field_text(field, of);
		writer_text(writer, text ? text : "");
	} else if (!field_is_there(field, of) && field->store != STORE_ALWAYS) {
		writer_null(writer);
	} else if (field->type == FIELD_FRACTION) {
		writer_double(writer, field_fraction(field, of));
	} else if (field->type == FIELD_ACCESS) {
		writer_number(writer, field_access(field, of));
	} else {
		writer_number(writer, field_number(field, of));
	}
}

static void write_vertices(struct profile_writer *writer, const struct profile *profile)
{
	const struct column *columns = vertex_columns();

	writer_start(writer, "vertex", count(columns));
	for (uint32_t v = 0; v < profile->graph->vertex_count; v++) {
		const struct graph_vertex *vertex = &profile->graph->vertices[v];

		for (const struct column *column = columns; column->name; column++)
			if (column->role == ROLE_FIELD)
				write_field(writer, column->field, vertex);
			else
				writer_number(writer, column->role == ROLE_ID ? vertex->id
						      : column->role == ROLE_POSITION
							      ? v
							      : profile->vertices[v].callpath +
									UINT64_C(1));
		writer_end_row(writer);
	}
}

static void write_edges(struct profile_writer *writer, const struct graph *graph)
{
	const struct column *columns = edge_columns();

	writer_start(writer, "edge", count(columns));
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];

		for (const struct column *column = columns; column->name; column++)
			if (column->role == ROLE_FIELD)
				write_field(writer, column->field, edge);
			else
				writer_number(writer, column->role == ROLE_ID ? e + UINT64_C(1)
						      : column->role == ROLE_SOURCE
							      ? graph->vertices[edge->from].id
							      : graph->vertices[edge->to].id);
		writer_end_row(writer);
	}
}

void profile_write_graph(struct profile_writer *writer, const struct profile *profile)
{
	write_vertices(writer, profile);
	write_edges(writer, profile->graph);
}

/* -- reading -- */

static void read_text(struct profile_rows *rows, int column, const struct graph_field *field,
		      void *of)
{
	char *text = rows_text(rows, column);

	if (*text || field->store == STORE_ALWAYS)
		field_set_text(field, of, text);
	else
		free(text);
}

static void read_field(struct profile_rows *rows, int column, const struct graph_field *field,
		       void *of)
{
	if (field->store != STORE_ALWAYS && rows_is_null(rows, column))
		return;
	switch (field->type) {
	case FIELD_TEXT:
		read_text(rows, column, field, of);
		break;
	case FIELD_COUNT:
		field_set_number(field, of, rows_count(rows, column));
		break;
	case FIELD_ID:
		field_set_number(field, of, rows_32(rows, column, 0));
		break;
	case FIELD_FRACTION:
		field_set_fraction(field, of, rows_double(rows, column));
		break;
	case FIELD_ACCESS:
		field_set_access(
			field, of,
			(enum graph_access)rows_number(rows, column, GRAPH_READ, GRAPH_WRITE));
		break;
	case FIELD_ALL:
		break;
	}
}

static void read_fields(struct profile_rows *rows, const struct column *columns, void *of)
{
	for (int i = 0; columns[i].name; i++)
		if (columns[i].role == ROLE_FIELD)
			read_field(rows, i, columns[i].field, of);
}

static int column_of(const struct column *columns, enum role role)
{
	int i = 0;

	while (columns[i].role != role)
		i++;
	return i;
}

static void start(struct profile_rows *rows, const char *table, const struct column *columns,
		  const char *order)
{
	struct sql sql = {.used = 0};

	add(&sql, "SELECT ");
	for (const struct column *column = columns; column->name; column++)
		add(&sql, "%s%s", column == columns ? "" : ", ", column->name);
	add(&sql, " FROM %s ORDER BY %s", table, order);
	rows_start(rows, table, sql.text);
}

void profile_read_vertices(struct profile_rows *rows, struct profile *profile)
{
	const struct column *columns = vertex_columns();
	int id_column = column_of(columns, ROLE_ID), path_column = column_of(columns, ROLE_PATH);
	int position_column = column_of(columns, ROLE_POSITION);
	struct graph *graph = profile->graph;
	uint32_t capacity = 0, paths = 0;
	bool sorted;

	/* almost always: then nothing has to be sorted */
	rows_start(rows, "vertex", "SELECT 1 FROM vertex WHERE position <> id LIMIT 1");
	sorted = !rows_next(rows);
	start(rows, "vertex", columns, sorted ? "id" : "position");
	while (rows_next(rows)) {
		uint32_t id = rows_32(rows, id_column, 0), path = rows_32(rows, path_column, 1) - 1;

		if (rows_word(rows, position_column) != graph->vertex_count ||
		    graph_find(graph, id) != UINT32_MAX ||
		    /* a profile has at most one path per vertex */
		    path > graph->vertex_count)
			rows_fail_row(rows);
		if (rows->failed)
			return;
		ARRAY_RESERVE(profile->vertices, graph->vertex_count, capacity);
		profile->vertices[graph->vertex_count].callpath = path;
		if (path >= paths)
			paths = path + 1;
		read_fields(rows, columns, graph_add_vertex(graph, id));
	}
	profile->callpaths = xcalloc(paths, sizeof(*profile->callpaths));
	profile->callpath_count = profile->callpath_capacity = paths;
}

void profile_read_edges(struct profile_rows *rows, struct profile *profile)
{
	const struct column *columns = edge_columns();
	int source = column_of(columns, ROLE_SOURCE), target = column_of(columns, ROLE_TARGET);
	struct graph *graph = profile->graph;

	start(rows, "edge", columns, "id");
	while (rows_next(rows)) {
		uint32_t from = graph_find(graph, rows_32(rows, source, 0));
		uint32_t to = graph_find(graph, rows_32(rows, target, 0));
		struct graph_edge *edge;

		rows_expect_id(rows);
		if (from == UINT32_MAX || to == UINT32_MAX)
			rows_fail_row(rows);
		if (rows->failed)
			return;
		edge = graph_add_edge(graph, from, to);
		read_fields(rows, columns, edge);
		profile_finish_edge(edge);
	}
}
