/* DOT both ways: hostile names, foreign attributes, streams, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dot.h"
#include "graph/graph.h"
#include "util/memory.h"
#include "util/text.h"

static char *written(const struct graph *graph)
{
	struct error error;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(dot_write(graph, file, &error), 0);
	fclose(file);
	return text;
}

/* Reads the first graph of the text; NULL when there is none or it is refused. */
static struct graph *reading_of(const char *text, size_t size, int *result, struct error *error)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");
	struct graph *graph;

	error->text[0] = '\0';
	*result = dot_read(file, "test.dot", &graph, error);
	dot_read_end();
	fclose(file);
	return graph;
}

static struct graph *read_good(const char *text)
{
	struct error error;
	int result;
	struct graph *graph = reading_of(text, strlen(text), &result, &error);

	if (result != 1)
		print_message("%s\n", error.text);
	assert_int_equal(result, 1);
	assert_non_null(graph);
	return graph;
}

static void refuses(const char *text, const char *message)
{
	struct error error;
	int result;

	assert_null(reading_of(text, strlen(text), &result, &error));
	assert_int_equal(result, -1);
	if (!strstr(error.text, message))
		print_message("got: %s\n", error.text);
	assert_non_null(strstr(error.text, message));
	assert_int_equal(strncmp(error.text, "test.dot:", 9), 0);
}

/* Writes, reads and writes: the texts must be equal.  Returns what was read. */
static struct graph *round_trip(const struct graph *graph)
{
	char *first = written(graph), *second;
	struct graph *again = read_good(first);

	second = written(again);
	assert_string_equal(first, second);
	free(first);
	free(second);
	return again;
}

static const char *const hostile[] = {
	"q\\",
	"a\\\"b",
	"a\"b",
	"\\\\",
	"\\\"",
	"</script>",
	"-->",
	"]]>",
	"\" onload=\"x",
	"javascript:alert(1)",
	"<b>",
	"<<b>hi</b>>",
	"\\N",
	"\\n\\l",
	"&lt;",
	"%5",
	"%0",
	"node",
	"GRAPH",
	"strict",
	"x:y",
	"{a|b}",
	"a\\",
	"\\",
	"a;b]",
	"/* c",
	"// c",
	"# 1 \"f\"",
	"v7",
	"12",
	"-0.5",
	"1e5",
	"0x10",
	"a b",
	" ",
	"'",
	"\xc3\xa4\xe2\x82\xac",
	"[label=x]",
	"operator<<(std::ostream&, \"x\\n\")",
	"trailing\\\\\\",
};

enum { HOSTILE = sizeof(hostile) / sizeof(*hostile) };

static void test_hostile_names(void **state)
{
	struct graph *graph = graph_new(), *again;

	(void)state;
	for (uint32_t i = 0; i < HOSTILE; i++) {
		struct graph_vertex *vertex = graph_add_vertex(graph, i);

		vertex->fields = VERTEX_KIND | VERTEX_NAME | VERTEX_CALLPATH;
		vertex->kind = xstrdup("kernel");
		vertex->name = xstrdup(hostile[i]);
		vertex->callpath = xstrdup(hostile[HOSTILE - 1 - i]);
		graph_set_attribute(&vertex->attributes, "note", hostile[i]);
	}
	for (uint32_t i = 0; i < HOSTILE; i++) {
		struct graph_edge *edge = graph_add_edge(graph, i, (i + 1) % HOSTILE);

		edge->fields = EDGE_OBJECT | EDGE_ACCESS;
		edge->object = i;
		edge->access = GRAPH_WRITE;
		edge->key = xasprintf("%u:WRITE", i);
		graph_set_attribute(&edge->attributes, "remark", hostile[i]);
	}
	again = round_trip(graph);
	assert_int_equal(again->vertex_count, HOSTILE);
	assert_int_equal(again->edge_count, HOSTILE);
	for (uint32_t i = 0; i < HOSTILE; i++) {
		assert_string_equal(again->vertices[i].name, hostile[i]);
		assert_string_equal(again->vertices[i].callpath, hostile[HOSTILE - 1 - i]);
		assert_string_equal(graph_attribute(&again->vertices[i].attributes, "note"),
				    hostile[i]);
		assert_string_equal(graph_attribute(&again->edges[i].attributes, "remark"),
				    hostile[i]);
	}
	graph_free(again);
	graph_free(graph);
}

/* A name that fills 100 KB, and one of 1 MB, arrive whole. */
static void test_long_names(void **state)
{
	(void)state;
	for (size_t size = 100000; size <= 1000000; size *= 10) {
		struct graph *graph = graph_new(), *again;
		struct graph_vertex *vertex = graph_add_vertex(graph, 1);

		vertex->name = xmalloc(size + 1);
		for (size_t i = 0; i < size; i++)
			vertex->name[i] = "ab\\\" <"[i % 6];
		vertex->name[size] = '\0';
		vertex->fields = VERTEX_NAME;
		again = round_trip(graph);
		assert_string_equal(again->vertices[0].name, vertex->name);
		graph_free(again);
		graph_free(graph);
	}
}

static void test_numbers(void **state)
{
	struct graph *graph = graph_new(), *again;
	struct graph_edge *edge;
	char *text;

	(void)state;
	graph_add_vertex(graph, 0);
	graph_add_vertex(graph, 4294967294u);
	edge = graph_add_edge(graph, 0, 1);
	edge->fields = EDGE_BYTES | EDGE_REDUNDANCY | EDGE_COUNT;
	edge->bytes = UINT64_MAX;
	edge->redundancy = 1.0 / 3;
	edge->count = 0;
	edge = graph_add_edge(graph, 1, 1);
	edge->fields = EDGE_REDUNDANCY;
	edge->redundancy = 1.0 / 30000000;
	text = written(graph);
	assert_non_null(strstr(text, "bytes=18446744073709551615"));
	assert_non_null(strstr(text, "redundancy=0.333333,"));
	assert_non_null(strstr(text, "redundancy=0.0000000333333]"));
	assert_non_null(strstr(text, "count=0"));
	free(text);
	again = round_trip(graph);
	assert_true(again->edges[0].bytes == UINT64_MAX);
	assert_int_equal(again->edges[0].fields, EDGE_BYTES | EDGE_REDUNDANCY | EDGE_COUNT);
	assert_int_equal(again->vertices[1].id, 4294967294u);
	graph_free(again);
	graph_free(graph);
}

/* What vflow does not know passes through, with DOT's own escapes as they were. */
static void test_foreign(void **state)
{
	struct graph
		*graph = read_good(
			"/* c */ digraph \"my graph\" {\n"
			"  vflow_types=\"num:int\"; label=\"two\\nlines\"; rankdir=LR;\n"
			"  node [shape=box, color=\"\"]; edge [style=dotted];\n"
			"  a [label=\"x\\lq \\\"r\\\" \\\\\"]; v3 [num=7, shape=oval]; b:p:n -> "
			"v3:q;\n"
			"  subgraph cluster_1 { node [color=red]; c; a -> c -> b [style=bold]; }\n"
			"  a -> c; a -> c;\n"
			"}\n"),
		*again;
	char *text = written(graph);

	(void)state;
	assert_string_equal(graph->name, "my graph");
	assert_int_equal(graph->vertex_count, 4);
	assert_string_equal(graph->vertices[0].node, "a");
	/* v3 is the only one of ours: the others get numbers after it, in order */
	assert_int_equal(graph->vertices[0].id, 4);
	assert_int_equal(graph->vertices[1].id, 3);
	assert_int_equal(graph->vertices[2].id, 5);
	assert_string_equal(graph->vertices[2].node, "b");
	assert_int_equal(graph->vertices[3].id, 6);
	assert_int_equal(graph_find(graph, 6), 3);
	assert_int_equal(graph->vertices[1].fields, 0);
	assert_string_equal(graph_attribute(&graph->vertices[1].attributes, "num"), "7");
	assert_string_equal(graph_attribute(&graph->vertices[3].attributes, "color"), "red");
	assert_null(graph_attribute(&graph->vertices[0].attributes, "color"));
	assert_string_equal(graph_attribute(&graph->attributes, "vflow_types"), "num:int");
	assert_int_equal(graph->edge_count, 5); /* b->v3 a->c c->b a->c a->c */
	assert_string_equal(graph_attribute(&graph->edges[0].attributes, "tailport"), "p:n");
	assert_string_equal(graph_attribute(&graph->edges[1].attributes, "style"), "bold");
	assert_int_equal(graph->edges[3].from, 0);
	assert_int_equal(graph->edges[3].to, 3);
	assert_non_null(strstr(text, "label=\"x\\lq \\\"r\\\" \\\\\""));
	assert_non_null(strstr(text, "label=\"two\\nlines\""));
	assert_non_null(strstr(text, "node [shape=box];"));
	assert_non_null(strstr(text, "edge [style=dotted];"));
	free(text);
	again = round_trip(graph);
	assert_int_equal(again->vertices[0].id, 4);
	graph_free(again);
	graph_free(graph);
}

/* cgraph would make plain "<b>x</b>" bold once the same text was HTML (trap 1). */
static void test_html(void **state)
{
	struct graph *graph = read_good("digraph { a [label=<<b>x</b>>]; b [name=\"<b>x</b>\"]; }");
	char *text = written(graph);

	(void)state;
	assert_string_equal(graph_attribute(&graph->vertices[0].attributes, "label"), "<b>x</b>");
	assert_string_equal(graph->vertices[1].name, "<b>x</b>");
	assert_non_null(strstr(text, "label=\"<b>x</b>\""));
	assert_non_null(graph_attribute(&graph->attributes, "vflow_note"));
	free(text);
	graph_free(round_trip(graph));
	graph_free(graph);
}

/* Names that start with % are taken for cgraph's own (trap 3). */
static void test_anonymous(void **state)
{
	struct graph *graph = read_good("digraph \"%7\" { \"%5\"; v2 -> \"%5\" [key=\"%1\"]; }");

	(void)state;
	assert_null(graph->name);
	assert_int_equal(graph->vertices[0].id, 3);
	assert_string_equal(graph->vertices[0].node, "v3");
	assert_null(graph->edges[0].key);
	graph_free(round_trip(graph));
	graph_free(graph);
}

static void test_unclean_text(void **state)
{
	struct graph *graph =
		read_good("digraph { v1 [name=\"a\x1b[31m\xff\", odd=\"b\x07\tc\nd\"]; }");

	(void)state;
	assert_string_equal(graph->vertices[0].name, "a\\x1b[31m\\xff");
	assert_true(text_is_clean(graph->vertices[0].name, strlen(graph->vertices[0].name)));
	assert_null(strchr(graph_attribute(&graph->vertices[0].attributes, "odd"), '\x07'));
	graph_free(round_trip(graph));
	graph_free(graph);
}

static void test_keys(void **state)
{
	/* the same flow twice, as in `cat a.dot b.dot` made one: it stays one edge */
	struct graph *graph =
		read_good("digraph { v1 -> v2 [key=\"1:WRITE\", bytes=5];"
			  "v1 -> v2 [key=\"1:WRITE\"]; v1 -> v2 [key=\"1:READ\"]; v2 -> v1 "
			  "[object=7, access=READ, "
			  "key=\"7:READ\"]; v1 -> v1 [object=7, access=READ, key=\"7:WRITE\"]; "
			  "v2 -> v2 [object=7, access=READ]; }");
	char key[GRAPH_KEY_SIZE];

	(void)state;
	assert_int_equal(graph->edge_count, 5);
	/* what follows from the rest of the edge is not stored; what only looks like it is */
	assert_null(graph->edges[2].key);
	assert_string_equal(graph_edge_key(&graph->edges[2], key), "7:READ");
	assert_string_equal(graph->edges[3].key, "7:WRITE");
	assert_null(graph_edge_key(&graph->edges[4], key));
	assert_string_equal(graph_edge_key(&graph->edges[0], key), "1:WRITE");
	assert_int_equal(graph->edges[0].bytes, 5);
	assert_string_equal(graph_edge_key(&graph->edges[1], key), "1:READ");
	graph_free(graph);
}

static void test_stream(void **state)
{
	static const char text[] = "digraph a { v1 } digraph b { v2 -> v1 }\ndigraph { bytes }";
	static const uint32_t vertices[] = {1, 2, 1};
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct graph *graph;
	struct error error;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(dot_read(file, "stream", &graph, &error), 1);
		assert_int_equal(graph->vertex_count, vertices[i]);
		graph_free(graph);
	}
	assert_int_equal(dot_read(file, "stream", &graph, &error), 0);
	assert_null(graph);
	fclose(file);
}

/* What is left of one stream must not show up in the next (trap 8). */
static void test_abandoned_stream(void **state)
{
	struct graph *graph = read_good("digraph a { v1 } digraph b { v2 }");

	(void)state;
	graph_free(graph);
	graph = read_good("digraph c { v3 }");
	assert_int_equal(graph->vertices[0].id, 3);
	assert_string_equal(graph->name, "c");
	graph_free(graph);
	refuses("digraph { a -> ", "test.dot:1: syntax error");
	graph = read_good("digraph d { v4 }");
	assert_int_equal(graph->vertices[0].id, 4);
	graph_free(graph);
}

static void test_empty(void **state)
{
	struct error error;
	int result;

	(void)state;
	assert_null(reading_of(" \n /* nothing */ \n", 18, &result, &error));
	assert_int_equal(result, 0);
}

static void test_refused(void **state)
{
	(void)state;
	refuses("digraph {\n a -> b;\n a -> ;\n}", "test.dot:3: syntax error");
	refuses("digraph { a [label=\"cut", "syntax error");
	refuses("digraph { a -> b", "syntax error");
	refuses("not dot at all", "test.dot:1: syntax error");
	refuses("graph { a -- b }", "undirected");
	refuses("digraph { v1 [invocations=many] }", "vertex v1: invocations is 'many'");
	refuses("digraph { v1 [invocations=-1] }", "expected a number");
	refuses("digraph { v1 [read_bytes=18446744073709551616] }", "expected a number");
	refuses("digraph { v1 -> v2 [access=APPEND] }", "expected READ or WRITE");
	refuses("digraph { v1 -> v2 [redundancy=nan] }", "expected a number");
	refuses("digraph { vflow_version=2; v1 }", "made by a newer vflow");
}

static void test_limits(void **state)
{
	struct error error;
	struct graph *graph;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	int result;

	(void)state;
	fputs("digraph {\n", file);
	for (int i = 0; i < 300; i++)
		fprintf(file, "v%d [x%d=1];\n", i, i);
	fputs("}\n", file);
	fclose(file);
	refuses(text, "more than 256 different attributes");
	free(text);

	/* 1,000 edges in a line of 4 KB, squared */
	file = open_memstream(&text, &size);
	fputs("digraph {\n{", file);
	for (int i = 0; i < 2100; i++)
		fprintf(file, " v%d", i);
	fputs("} -> {", file);
	for (int i = 0; i < 2100; i++)
		fprintf(file, " w%d", i);
	fputs("}\n}\n", file);
	fclose(file);
	refuses(text, "more than 4000000 edges");
	free(text);

	file = open_memstream(&text, &size);
	fputs("digraph {", file);
	for (int i = 0; i < 20000; i++)
		fputs("{", file);
	fclose(file);
	graph = reading_of(text, size, &result, &error);
	assert_null(graph);
	assert_int_equal(result, -1);
	free(text);

	graph = reading_of("digraph { a\0b }", 15, &result, &error);
	assert_null(graph);
	assert_int_equal(result, -1);
	assert_non_null(strstr(error.text, "NUL"));
}

/* Cut anywhere: a graph, the end or an error, never a crash. */
static void test_cut(void **state)
{
	static const char text[] =
		"digraph \"g\\\\\" {\n graph [vflow_version=1];\n v1 [name=\"a\\\\b\", x=<i>];\n"
		" v1 -> v2 [key=\"1:READ\", bytes=12];\n}\n";
	struct error error;
	int result;

	(void)state;
	for (size_t size = 1; size < strlen(text) - 1; size++) {
		struct graph *graph = reading_of(text, size, &result, &error);

		assert_null(graph);
		assert_int_equal(result, -1);
	}
}

static void test_write_error(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct graph *graph = graph_new();
	struct error error;

	(void)state;
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	graph_add_vertex(graph, 1);
	assert_int_equal(dot_write(graph, full, &error), -1);
	assert_non_null(strstr(error.text, "cannot write"));
	graph_free(graph);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile_names), cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_numbers),       cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_html),          cmocka_unit_test(test_anonymous),
		cmocka_unit_test(test_unclean_text),  cmocka_unit_test(test_keys),
		cmocka_unit_test(test_stream),        cmocka_unit_test(test_abandoned_stream),
		cmocka_unit_test(test_empty),         cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),        cmocka_unit_test(test_cut),
		cmocka_unit_test(test_write_error),
	};

	return cmocka_run_group_tests_name("graph_dot", tests, NULL, NULL);
}
