/*
 * graph/fields.def: its rows make sense, and every field of it, whichever they are, goes through
 * DOT, JSON, queries and a profile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/dot.h"
#include "graph/fields.h"
#include "graph/json_fields.h"
#include "graph/profile/profile.h"
#include "query/engine.h"
#include "util/memory.h"

static const struct graph_field *const lists[] = {graph_vertex_fields, graph_edge_fields};

static void test_rows(void **state)
{
	static const char *const taken[] = {"id",     "position", "source",
					    "target", "key",      "callpath"};

	(void)state;
	for (int l = 0; l < 2; l++) {
		uint32_t flags = l ? EDGE_KEY : 0;

		for (const struct graph_field *f = lists[l]; f->name; f++) {
			const char *column = f->column ? f->column : f->name;

			assert_int_equal(strspn(f->name, "abcdefghijklmnopqrstuvwxyz_"),
					 strlen(f->name));
			assert_true(f->flag && !(f->flag & (f->flag - 1)) && !(flags & f->flag));
			flags |= f->flag;
			assert_true(f->title && *f->title);
			assert_int_equal(f->merge == MERGE_JOIN, f->separator != NULL);
			if (f->merge == MERGE_SUM || f->merge == MERGE_MAX || f->part_of_bytes)
				assert_int_equal(f->type, FIELD_COUNT);
			if (f->merge == MERGE_JOIN)
				assert_int_equal(f->type, FIELD_TEXT);
			if (f->unit != UNIT_NONE)
				assert_int_equal(f->type, FIELD_COUNT);
			if (f->sum_of) {
				assert_ptr_equal(lists[l], graph_vertex_fields);
				assert_int_equal(f->type, FIELD_COUNT);
				assert_int_equal(f->unit, f->sum_of->unit);
			}
			for (const struct graph_field *g = lists[l]; g < f; g++)
				assert_string_not_equal(column, g->column ? g->column : g->name);
			for (size_t i = 0;
			     f->store != STORE_NEVER && i < sizeof(taken) / sizeof(*taken); i++)
				assert_string_not_equal(column, taken[i]);
			assert_ptr_equal(field_find(lists[l], f->name), f->profile_only ? NULL : f);
		}
		assert_null(field_find(lists[l], "nothing"));
	}
}

/* -- a value for each field, another one for each row -- */

static uint64_t number_of(const struct graph_field *field, uint32_t row)
{
	return 1000 * (row + UINT64_C(1)) + (uint64_t)__builtin_ctz(field->flag);
}

static char *text_of(const struct graph_field *field, uint32_t row)
{
	return xasprintf("%s \"%u\" \\ %s", field->name, row, "\xc3\xa4");
}

static void fill(const struct graph_field *list, void *of, uint32_t row, bool sparse)
{
	for (const struct graph_field *f = list; f->name; f++) {
		if (sparse && f->store != STORE_ALWAYS)
			continue;
		if (f->type == FIELD_TEXT)
			field_set_text(f, of, text_of(f, row));
		else if (f->type == FIELD_FRACTION)
			field_set_fraction(f, of, 0.25 * (row + 1));
		else if (f->type == FIELD_ACCESS)
			field_set_access(f, of, row ? GRAPH_READ : GRAPH_WRITE);
		else if (f->type == FIELD_ID)
			field_set_number(f, of, row);
		else
			field_set_number(f, of, f->part_of_bytes ? 7 : number_of(f, row));
	}
}

static void assert_filled(const struct graph_field *f, const void *of, uint32_t row)
{
	char *text;

	if (!field_is_there(f, of))
		fail_msg("%s is not there", f->name);
	if (f->type == FIELD_TEXT) {
		text = text_of(f, row);
		assert_string_equal(field_text(f, of), text);
		free(text);
	} else if (f->type == FIELD_FRACTION) {
		assert_true(field_fraction(f, of) == 0.25 * (row + 1));
	} else if (f->type == FIELD_ACCESS) {
		assert_int_equal(field_access(f, of), row ? GRAPH_READ : GRAPH_WRITE);
	} else if (f->type == FIELD_ID) {
		assert_int_equal(field_number(f, of), row);
	} else {
		assert_int_equal(field_number(f, of), f->part_of_bytes ? 7 : number_of(f, row));
	}
}

/* Two vertices and two edges; the second of each has only what none may lack, when `sparse`. */
static void fill_graph(struct graph *graph, bool sparse)
{
	for (uint32_t v = 0; v < 2; v++)
		fill(graph_vertex_fields, graph_add_vertex(graph, v), v, sparse && v);
	for (uint32_t e = 0; e < 2; e++)
		fill(graph_edge_fields, graph_add_edge(graph, e, 0), e, sparse && e);
}

/* -- DOT -- */

static void check_dot(const char *dot)
{
	FILE *file = fmemopen((void *)dot, strlen(dot), "r");
	struct graph *graph;
	struct error error;

	assert_int_equal(dot_read(file, "test", &graph, &error), 1);
	assert_int_equal(graph->vertex_count, 2);
	assert_int_equal(graph->edge_count, 2);
	for (uint32_t row = 0; row < 2; row++) {
		const void *of[] = {&graph->vertices[row], &graph->edges[row]};

		for (int l = 0; l < 2; l++)
			for (const struct graph_field *f = lists[l]; f->name; f++)
				if (f->profile_only)
					assert_false(field_is_there(f, of[l]));
				else
					assert_filled(f, of[l], row);
		assert_int_equal(graph->vertices[row].attributes.count, 0);
		assert_int_equal(graph->edges[row].attributes.count, 0);
	}
	graph_free(graph);
	dot_read_end();
	fclose(file);
}

static void test_dot(void **state)
{
	struct graph *graph = graph_new();
	char *text, *commented;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct error error;

	(void)state;
	fill_graph(graph, false);
	assert_int_equal(dot_write(graph, file, &error), 0);
	fclose(file);
	graph_free(graph);
	check_dot(text);
	commented = xasprintf("/* for cgraph */ %s", text);
	check_dot(commented);
	free(commented);
	free(text);
}

/* What only a profile has is an attribute like those of others in DOT, also right behind `advice`,
 * where the plain reader expects the next field. */
static void test_profile_only(void **state)
{
	char dot[] = "digraph { v1 [advice=x, host_ns=5]; }";
	FILE *file = fmemopen(dot, strlen(dot), "r");
	struct graph *graph;
	struct error error;

	(void)state;
	assert_int_equal(dot_read(file, "test", &graph, &error), 1);
	assert_false(graph->vertices[0].fields & VERTEX_HOST_NS);
	assert_string_equal(graph_attribute(&graph->vertices[0].attributes, "host_ns"), "5");
	graph_free(graph);
	dot_read_end();
	fclose(file);
}

/* -- JSON and queries -- */

static void test_json(void **state)
{
	struct graph *graph = graph_new();
	sqlite3_stmt *statement;
	sqlite3 *db;
	char *text, *sql;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct json json = {.file = file, .style = JSON_IN_HTML};
	uint32_t count = 0;

	(void)state;
	fill_graph(graph, false);
	json_begin(&json, '{');
	json_fields(&json, graph_vertex_fields, &graph->vertices[1], FIELD_ALL);
	json_end(&json, '}');
	fclose(file);
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	for (const struct graph_field *f = graph_vertex_fields; f->name; f++) {
		char *expected = text_of(f, 1);

		if (f->profile_only) {
			free(expected);
			continue;
		}
		count++;
		sql = sqlite3_mprintf("SELECT value, (SELECT count(*) FROM json_each(%Q)) "
				      "FROM json_each(%Q) WHERE key = %Q",
				      text, text, f->name);
		assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
		assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
		if (f->type == FIELD_TEXT)
			assert_string_equal(sqlite3_column_text(statement, 0), expected);
		else
			assert_int_equal(sqlite3_column_int64(statement, 0), number_of(f, 1));
		assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
		sqlite3_finalize(statement);
		sqlite3_free(sql);
		free(expected);
	}
	sql = sqlite3_mprintf("SELECT count(*) FROM json_each(%Q)", text);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int(statement, 0), count);
	sqlite3_finalize(statement);
	sqlite3_free(sql);
	sqlite3_close(db);
	graph_free(graph);
	free(text);
}

static void check_column(struct engine *engine, int l, const struct graph_field *f)
{
	const struct column *column = engine_column(engine, l, f->name);
	struct value value = engine_value(column, 1);

	if (f->profile_only) {
		assert_null(column);
	} else if (f->type == FIELD_TEXT) {
		char *text = text_of(f, 1);

		assert_string_equal(value.text, text);
		free(text);
	} else if (f->type == FIELD_ACCESS) {
		assert_string_equal(value.text, "READ");
	} else if (f->type == FIELD_FRACTION) {
		assert_true(value.number == 0.5);
	} else {
		assert_int_equal(value.type, VALUE_INTEGER);
		assert_int_equal(value.integer, f->type == FIELD_ID ? 1
						: f->part_of_bytes  ? 7
								    : number_of(f, 1));
	}
	if (column)
		assert_int_equal(column->hidden, f->label);
}

static void test_queries(void **state)
{
	struct graph *graph = graph_new();
	struct engine *engine;
	uint32_t count;

	(void)state;
	fill_graph(graph, false);
	engine = engine_from_graph(graph);
	for (int l = 0; l < 2; l++) {
		count = 1; /* id, or key */
		for (const struct graph_field *f = lists[l]; f->name; f++) {
			check_column(engine, l, f);
			count += !f->profile_only;
		}
		assert_int_equal(engine_columns(engine, l)->count, count);
	}
	engine_free(engine);
	graph_free(graph);
}

/* -- a profile -- */

static void check_rows(const struct graph *graph)
{
	for (uint32_t row = 0; row < 2; row++) {
		const void *of[] = {&graph->vertices[row], &graph->edges[row]};

		for (int l = 0; l < 2; l++)
			for (const struct graph_field *f = lists[l]; f->name; f++) {
				if (f->store == STORE_NEVER)
					continue;
				if (!row || f->store == STORE_ALWAYS)
					assert_filled(f, of[l], row);
				else
					assert_false(field_is_there(f, of[l]));
			}
	}
}

static void test_profile(void **state)
{
	struct profile *profile = profile_new();
	char path[] = "/tmp/vflow-fields-XXXXXX";
	struct error error;

	(void)state;
	assert_true(mkstemp(path) >= 0);
	unlink(path);
	fill_graph(profile->graph, true);
	profile->command = xstrdup("test");
	profile->vertices = xcalloc(2, sizeof(*profile->vertices));
	profile->vertices[1].callpath = 1;
	profile->callpaths = xcalloc(2, sizeof(*profile->callpaths));
	profile->callpath_count = 2;
	if (profile_write(profile, path, &error) != 0)
		fail_msg("%s", error.text);
	profile_free(profile);
	profile = profile_read(path, &error);
	if (!profile)
		fail_msg("%s", error.text);
	check_rows(profile->graph);
	assert_true(profile->graph->edges[0].redundancy ==
		    7 / (double)profile->graph->edges[0].bytes);
	profile_free(profile);
	unlink(path);
}

/* -- several as one -- */

static void test_merge(void **state)
{
	struct graph_vertex into = {0}, more = {0};
	struct graph_edge sum = {0}, edge = {0};

	(void)state;
	into.fields = more.fields = VERTEX_KIND | VERTEX_NAME | VERTEX_CONTEXT | VERTEX_INVOCATIONS;
	into.kind = xstrdup("kernel");
	into.name = xstrdup("a");
	into.context = xstrdup("0123");
	more.kind = xstrdup("memset");
	more.name = xstrdup("b");
	more.context = xstrdup("0123");
	into.invocations = 3;
	more.invocations = 4;
	into.fields |= VERTEX_PATTERNS;
	into.patterns = xstrdup("late,early");
	more.fields |= VERTEX_PATTERNS | VERTEX_READ_BYTES | VERTEX_ADVICE;
	more.patterns = xstrdup("early,never");
	more.advice = xstrdup("Do it. | Or not.");
	more.read_bytes = 5;
	more.written_bytes = 9; /* not there */
	fields_merge(graph_vertex_fields, &into, &more);
	assert_string_equal(into.kind, "kernel");
	assert_string_equal(into.name, "a");
	assert_null(into.context);
	assert_false(into.fields & VERTEX_CONTEXT);
	assert_int_equal(into.invocations, 7);
	assert_string_equal(into.patterns, "late,early,never");
	assert_string_equal(into.advice, "Do it. | Or not.");
	assert_int_equal(into.read_bytes, 5);
	assert_int_equal(into.fields, VERTEX_KIND | VERTEX_NAME | VERTEX_INVOCATIONS |
					      VERTEX_PATTERNS | VERTEX_ADVICE | VERTEX_READ_BYTES);
	fields_free(graph_vertex_fields, &into);
	fields_free(graph_vertex_fields, &more);

	sum.fields = EDGE_OBJECT | EDGE_ACCESS | EDGE_BYTES | EDGE_REDUNDANCY | EDGE_OBJECT_BYTES;
	sum.object = 3;
	sum.access = GRAPH_WRITE;
	sum.bytes = UINT64_MAX - 1;
	sum.object_bytes = 10;
	edge = sum;
	edge.object_bytes = 20;
	fields_merge(graph_edge_fields, &sum, &edge);
	assert_int_equal(sum.fields, EDGE_OBJECT | EDGE_ACCESS | EDGE_BYTES | EDGE_OBJECT_BYTES);
	assert_true(sum.bytes == UINT64_MAX);
	assert_int_equal(sum.object_bytes, 20);
	edge.object = 4;
	fields_merge(graph_edge_fields, &sum, &edge);
	edge.object = 3;
	fields_merge(graph_edge_fields, &sum, &edge); /* once different, always different */
	assert_int_equal(sum.fields, EDGE_ACCESS | EDGE_BYTES | EDGE_OBJECT_BYTES);
}

static void test_sums(void **state)
{
	static const struct {
		uint32_t from, to;
		enum graph_access access;
		uint64_t bytes, redundant;
	} edges[] = {
		{0, 1, GRAPH_READ, 10, 0}, {0, 1, GRAPH_WRITE, 20, 5}, {1, 1, GRAPH_WRITE, 7, 7},
		{1, 2, GRAPH_READ, 1, 0},  {2, 0, GRAPH_WRITE, 90, 0}, {1, 2, GRAPH_WRITE, 95, 0},
	};
	struct graph *graph = graph_new();

	(void)state;
	for (uint32_t v = 0; v < 3; v++)
		graph_add_vertex(graph, v);
	for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++) {
		struct graph_edge *edge = graph_add_edge(graph, edges[i].from, edges[i].to);

		edge->fields = EDGE_ACCESS | EDGE_BYTES;
		edge->access = edges[i].access;
		edge->bytes = edges[i].bytes;
		edge->redundant_bytes = edges[i].redundant;
	}
	fields_sum_edges(graph, 96);
	assert_int_equal(graph->vertices[0].read_bytes, 0);
	assert_int_equal(graph->vertices[0].written_bytes, 90);
	assert_int_equal(graph->vertices[1].read_bytes, 10);
	assert_int_equal(graph->vertices[1].written_bytes, 27);
	assert_int_equal(graph->vertices[1].redundant_bytes, 12);
	assert_int_equal(graph->vertices[2].read_bytes, 1);
	assert_int_equal(graph->vertices[2].written_bytes, 95);
	for (uint32_t v = 0; v < 3; v++)
		assert_int_equal(
			graph->vertices[v].fields &
				(VERTEX_READ_BYTES | VERTEX_WRITTEN_BYTES | VERTEX_REDUNDANT_BYTES),
			VERTEX_READ_BYTES | VERTEX_WRITTEN_BYTES | VERTEX_REDUNDANT_BYTES);
	graph_add_edge(graph, 0, 2);
	graph->edges[6].access = GRAPH_WRITE;
	graph->edges[6].bytes = 2;
	fields_sum_edges(graph, 96); /* anew, and no further */
	assert_int_equal(graph->vertices[2].written_bytes, 96);
	assert_int_equal(graph->vertices[1].written_bytes, 27);
	graph_free(graph);
}

static void test_names(void **state)
{
	char text[100];

	(void)state;
	assert_string_equal(
		fields_names(graph_edge_fields, FIELD_ID | FIELD_ACCESS, "; ", text, sizeof(text)),
		"object; access");
	assert_string_equal(fields_names(graph_edge_fields, FIELD_ID | FIELD_ACCESS, "; ", text, 8),
			    "object");
	assert_string_equal(fields_names(graph_edge_fields, 0, "; ", text, sizeof(text)), "");
	assert_string_equal(EDGE_NAME(REDUNDANT_BYTES), "redundant_bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),    cmocka_unit_test(test_dot),
		cmocka_unit_test(test_json),    cmocka_unit_test(test_profile_only),
		cmocka_unit_test(test_queries), cmocka_unit_test(test_profile),
		cmocka_unit_test(test_merge),   cmocka_unit_test(test_sums),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
