/*
 * DOT without cgraph: what the plain reader takes, it reads as cgraph does; the rest it leaves.  A
 * comment in front of a text makes it cgraph's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dot.h"
#include "graph/dot_plain.h"
#include "util/memory.h"

static bool is_plain(const char *text)
{
	struct dot_text from = {.file = fmemopen((void *)(uintptr_t)text, strlen(text), "r")};
	struct graph *graph = dot_read_plain(&from);
	bool plain = graph != NULL;

	if (!plain)
		assert_int_equal(from.at, 0); /* cgraph starts again */
	graph_free(graph);
	free(from.bytes);
	fclose(from.file);
	return plain;
}

/* All graphs of the stream as DOT, then what was wrong with the next one. */
static char *everything(const char *text)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r"), *out;
	struct graph *graph;
	struct error error = {""};
	char *all;
	size_t size;

	out = xopen_memstream(&all, &size);
	while (dot_read(file, "x", &graph, &error) == 1) {
		assert_int_equal(dot_write(graph, out, &error), 0);
		graph_free(graph);
	}
	fputs(error.text, out);
	dot_read_end();
	fclose(file);
	fclose(out);
	return all;
}

static void reads_alike(const char *text, bool plain)
{
	char *commented = xasprintf("/**/%s", text), *one = everything(text),
	     *other = everything(commented);

	if (is_plain(text) != plain)
		fail_msg("%s: %s", plain ? "not plain" : "plain", text);
	assert_string_equal(one, other);
	free(commented);
	free(one);
	free(other);
}

static void test_plain(void **state)
{
	static const char *const texts[] = {
		"digraph {}",
		"DiGraph vflow{}",
		"digraph \"a b\" { }",
		"digraph -12.5 { v1; v3 v2 }",
		"digraph { v1 -> v2; v2->v1 v3 }",
		"digraph { graph [linelength=0, vflow_version=1]; v0 [kind=host]; }",
		"digraph { graph [a=b] [c=\"d\"]; x=1; y = \"2\"\nz=3 v7 }",
		"digraph { edge [weight=1] node [style=x, shape=box] edge [len=2] v1 }",
		"digraph { node [shape=box; style=x] edge [penalty=\"3\" weight=\"\"]; v1 "
		"[shape=box]; "
		"v2 [shape=oval] v1 -> v2 [penalty=3, weight=4]; v1 -> v1 [weight=\"\"] }",
		"digraph { v1 [name=\"a\\\\b\\\"c\\\nd\\ne\", odd=\"\\N\\l \\\\ x\", "
		"callpath=\"a\nb\"] }",
		"digraph { v1 [name=\"\xc3\xa4\", t\xc3\xb6=\xc3\xb6] v4294967294 }",
		"digraph { v1 -> v2 [key=\"1:READ\", object=1, access=READ, bytes=5, "
		"redundancy=0.25]; "
		"v1 -> v2 [key=\"1:WRITE\", object=1, access=WRITE]; v1 -> v2; v1 -> v2 [key=foo] "
		"}",
		"digraph { v2 -> v1; v1 [name=late, bytes=7]; v1 [] }",
		"digraph { v1 [name=\"\", invocations=\"\", kind=a, kind=b] }",
		"digraph { \"v1\" -> \"v2\" [\"bytes\"=\"12\"] }",
		"digraph { v1 [x=1] }\n\ndigraph { v1 [x=\"\"] } digraph b { v2 }",
		"digraph { v1 [name=\"-- // /* # <b> ; ] }\"] }",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		reads_alike(texts[i], strstr(texts[i], "v1 []") == NULL);
}

static void test_left_to_cgraph(void **state)
{
	static const char *const texts[] = {
		"",
		"  \n",
		"graph { v1 -- v2 }",
		"strict digraph { v1 -> v2 }",
		"digraph { a -> b }",
		"digraph { v01 }",
		"digraph { v4294967295 }",
		"digraph { v1 -> v2 -> v3 }",
		"digraph { v1 -> { v2 v3 } }",
		"digraph { subgraph s { v1 } }",
		"digraph { { v1 } }",
		"digraph { v1:p -> v2 }",
		"digraph { // c\n v1 }",
		"digraph {\n# 1 \"f\"\n v1 }",
		"digraph { v1 [label=<<b>x</b>>] }",
		"digraph { v1 [name=\"a\" + \"b\"] }",
		"digraph { v1 [bold] }",
		"digraph { v1 [node=1] }",
		"digraph { v1 [x=edge] }",
		"digraph graph { }",
		"digraph { node v1 }",
		"digraph { v1 [x=1e5] }",
		"digraph { v1 [x=1.2.3] }",
		"digraph { v1 [x=-] }",
		"digraph { v1 node [x=1] }",
		"digraph { node [kind=kernel] v1 }",
		"digraph { node [x=1] node [x=2] v1 }",
		"digraph { edge [key=1] v1 }",
		"digraph { v1 [a=1] v1 [b=2] }",
		"digraph { v1 -> v2 [key=a, bytes=1] v1 -> v2 [key=a, count=2] }",
		"digraph { v1 -> v2 [key=\"%1\"] }",
		"digraph { v1 [invocations=many] }",
		"digraph { v1 -> v2 [access=BOTH] }",
		"digraph { vflow_version=2 }",
		"digraph { v1 [x=1, x=\"\"] }",
		"digraph { x=1; x=\"\" }",
		"digraph { v1 [\"a\\\\b\"=1] }",
		"digraph { v1 [x=1 }",
		"digraph { v1 [x=\"1 }",
		"digraph { v1",
		"digraph",
		"digraph { ; }",
		"digraph { v1 ;; }",
		"digraph \"%3\" { v1 }",
		"digraph \"\n\" { v1 }",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		reads_alike(texts[i], false);
}

static void test_one_after_the_other(void **state)
{
	/* plain, then not, then plain: cgraph goes on to the end; lines are those of the stream */
	char *all = everything("digraph a { v1 }\ndigraph b {\n x -> y }\ndigraph c { v2 }\n{");

	(void)state;
	assert_non_null(strstr(all, "digraph a {"));
	assert_non_null(strstr(all, "\tx -> y;"));
	assert_non_null(strstr(all, "digraph c {"));
	assert_non_null(strstr(all, "x:5: syntax error"));
	free(all);
}

static void test_too_many(void **state)
{
	size_t size;
	char *text;
	FILE *file = xopen_memstream(&text, &size);

	(void)state;
	fputs("digraph { v1 [", file);
	for (int i = 0; i < 241; i++)
		fprintf(file, "a%d=1,", i);
	fputs("] }", file);
	fclose(file);
	reads_alike(text, false);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_left_to_cgraph),
		cmocka_unit_test(test_one_after_the_other),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests_name("graph_dot_plain", tests, NULL, NULL);
}
