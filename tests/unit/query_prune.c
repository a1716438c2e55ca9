/* Important graphs: the three cases of doc/definitions.md, every metric, what lacks a metric. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "query/filter/query.h"

enum { N = 4096 };

static void vertex(struct graph *graph, uint32_t id, uint64_t invocations)
{
	struct graph_vertex *added = graph_add_vertex(graph, id);

	added->invocations = invocations;
	added->fields |= VERTEX_INVOCATIONS;
}

static void edge(struct graph *graph, uint32_t from, uint32_t to, uint32_t object, uint64_t bytes)
{
	struct graph_edge *added = graph_add_edge(graph, from, to);

	added->object = object;
	added->bytes = bytes;
	added->fields |= EDGE_OBJECT | EDGE_BYTES;
}

/* Figure 3, N = 4096: every operation runs once. */
static struct graph *figure3(void)
{
	struct graph *graph = graph_new();

	graph_add_vertex(graph, GRAPH_HOST);
	for (uint32_t id = 1; id <= 7; id++)
		vertex(graph, id, 1);
	edge(graph, 1, 3, 1, N);
	edge(graph, 2, 4, 2, N);
	edge(graph, 3, 5, 1, N);
	edge(graph, 4, 6, 2, N);
	edge(graph, 5, 7, 1, N / 4);
	edge(graph, 6, 7, 2, N / 4);
	return graph;
}

/* Vertex ids and "from, to" ids of edges, both ended by -1; frees the graph. */
static void expect(struct graph *graph, const int *ids, const int *ends)
{
	uint32_t v = 0, e = 0;

	for (; ids[v] >= 0; v++) {
		assert_true(v < graph->vertex_count);
		assert_int_equal(graph->vertices[v].id, ids[v]);
	}
	assert_int_equal(graph->vertex_count, v);
	for (; ends[2 * e] >= 0; e++) {
		assert_true(e < graph->edge_count);
		assert_int_equal(graph->vertices[graph->edges[e].from].id, ends[2 * e]);
		assert_int_equal(graph->vertices[graph->edges[e].to].id, ends[2 * e + 1]);
	}
	assert_int_equal(graph->edge_count, e);
	graph_free(graph);
}

#define LIST(...) ((const int[]){__VA_ARGS__, -1})
#define NOTHING ((const int[]){-1})

static struct graph *pruned(struct graph *graph, const char *edge_metric, double ie,
			    const char *vertex_metric, double iv)
{
	const struct query_threshold edge = {edge_metric, ie}, vertex = {vertex_metric, iv};
	struct engine *engine = engine_from_graph(graph);
	struct selection keep = selection_new(engine);
	struct error error;

	assert_int_equal(query_prune(engine, &edge, &vertex, &keep, &error), 0);
	engine_free(engine);
	graph_filter(graph, keep.vertex, keep.edge);
	selection_free(&keep);
	return graph;
}

static void slice_of_6(struct graph *graph)
{
	struct engine *engine = engine_from_graph(graph);
	struct selection keep = selection_new(engine);
	const bool of[8] = {[6] = true};

	query_slice(engine, of, &(struct query_part){0}, &keep);
	engine_free(engine);
	graph_filter(graph, keep.vertex, keep.edge);
	selection_free(&keep);
}

static void test_figure3e(void **state)
{
	struct graph *graph;

	(void)state;
	slice_of_6(graph = figure3());
	expect(pruned(graph, "bytes", N / 2, "invocations", 1), LIST(0, 2, 4, 6, 7),
	       LIST(2, 4, 4, 6));
	slice_of_6(graph = figure3());
	expect(pruned(graph, "bytes", N / 2, "invocations", 2), LIST(0, 2, 4, 6), LIST(2, 4, 4, 6));
}

static void test_edges_only(void **state)
{
	(void)state;
	expect(pruned(figure3(), "bytes", N / 2, NULL, 0), LIST(0, 1, 2, 3, 4, 5, 6),
	       LIST(1, 3, 2, 4, 3, 5, 4, 6));
	/* at least, not more than */
	expect(pruned(figure3(), "bytes", N, NULL, 0), LIST(0, 1, 2, 3, 4, 5, 6),
	       LIST(1, 3, 2, 4, 3, 5, 4, 6));
	expect(pruned(figure3(), "bytes", N + 1, NULL, 0), LIST(0), NOTHING);
	expect(pruned(figure3(), "bytes", 0, NULL, 0), LIST(0, 1, 2, 3, 4, 5, 6, 7),
	       LIST(1, 3, 2, 4, 3, 5, 4, 6, 5, 7, 6, 7));
}

static void test_vertices_only(void **state)
{
	struct graph *graph = figure3();

	(void)state;
	/* the induced subgraph; host stays, with its edges to what stays */
	graph->vertices[3].invocations = 10;
	graph->vertices[5].invocations = 10;
	graph->vertices[7].invocations = 9;
	edge(graph, 0, 3, 1, N);
	edge(graph, 0, 4, 2, N);
	edge(graph, 5, 5, 1, N);
	expect(pruned(graph, NULL, 0, "invocations", 10), LIST(0, 3, 5), LIST(3, 5, 0, 3, 5, 5));
	expect(pruned(figure3(), NULL, 0, "invocations", 2), LIST(0), NOTHING);
}

static void test_no_threshold(void **state)
{
	(void)state;
	expect(pruned(figure3(), NULL, 0, NULL, 0), LIST(0, 1, 2, 3, 4, 5, 6, 7),
	       LIST(1, 3, 2, 4, 3, 5, 4, 6, 5, 7, 6, 7));
}

/* 1 -> 2 has the metric with the value 10, 2 -> 3 with 9, 3 -> 4 lacks it. */
static struct graph *metric_graph(void)
{
	struct graph *graph = graph_new();

	for (uint32_t id = 0; id <= 4; id++)
		graph_add_vertex(graph, id);
	for (uint32_t id = 1; id <= 3; id++)
		graph_add_edge(graph, id, id + 1);
	return graph;
}

static void test_edge_metrics(void **state)
{
	static const struct {
		const char *metric;
		uint32_t field;
	} rows[] = {
		{"bytes", EDGE_BYTES},
		{"redundant_bytes", EDGE_REDUNDANT_BYTES},
		{"redundancy", EDGE_REDUNDANCY},
		{"count", EDGE_COUNT},
		{"object_bytes", EDGE_OBJECT_BYTES},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int zero = 0; zero < 2; zero++) {
			struct graph *graph = metric_graph();

			for (uint32_t e = 0; e < 2; e++) {
				uint64_t value = 10 - e;

				graph->edges[e].fields = rows[i].field;
				if (!strcmp(rows[i].metric, "bytes"))
					graph->edges[e].bytes = value;
				if (!strcmp(rows[i].metric, "redundant_bytes"))
					graph->edges[e].redundant_bytes = value;
				if (!strcmp(rows[i].metric, "redundancy"))
					graph->edges[e].redundancy = (double)value;
				if (!strcmp(rows[i].metric, "count"))
					graph->edges[e].count = value;
				if (!strcmp(rows[i].metric, "object_bytes"))
					graph->edges[e].object_bytes = value;
			}
			/* null meets no threshold, not even 0 */
			if (zero)
				expect(pruned(graph, rows[i].metric, 0, NULL, 0), LIST(0, 1, 2, 3),
				       LIST(1, 2, 2, 3));
			else
				expect(pruned(graph, rows[i].metric, 10, NULL, 0), LIST(0, 1, 2),
				       LIST(1, 2));
		}
}

static void test_vertex_metrics(void **state)
{
	static const struct {
		const char *metric;
		uint32_t field;
		size_t offset;
	} rows[] = {
		{"invocations", VERTEX_INVOCATIONS, offsetof(struct graph_vertex, invocations)},
		{"read_bytes", VERTEX_READ_BYTES, offsetof(struct graph_vertex, read_bytes)},
		{"written_bytes", VERTEX_WRITTEN_BYTES,
		 offsetof(struct graph_vertex, written_bytes)},
		{"redundant_bytes", VERTEX_REDUNDANT_BYTES,
		 offsetof(struct graph_vertex, redundant_bytes)},
		{"time_ns", VERTEX_TIME_NS, offsetof(struct graph_vertex, time_ns)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct graph *graph = metric_graph();

		for (uint32_t v = 1; v <= 3; v++) {
			*(uint64_t *)((char *)&graph->vertices[v] + rows[i].offset) = 10 + v;
			graph->vertices[v].fields = v == 3 ? 0 : rows[i].field;
		}
		expect(pruned(graph, NULL, 0, rows[i].metric, 11), LIST(0, 1, 2), LIST(1, 2));
	}
}

/* Any number will do, also one that only vflow_types makes one. */
static void test_foreign_metrics(void **state)
{
	struct graph *graph = metric_graph();
	struct engine *engine;
	struct selection keep;
	struct error error;

	(void)state;
	graph_set_attribute(&graph->attributes, "vflow_types", "rank:int, cost:float");
	graph_set_attribute(&graph->vertices[1].attributes, "rank", "-3");
	graph_set_attribute(&graph->vertices[2].attributes, "rank", "12");
	graph_set_attribute(&graph->vertices[3].attributes, "rank", "many");
	graph_set_attribute(&graph->edges[0].attributes, "cost", "0.5");
	graph_set_attribute(&graph->edges[1].attributes, "cost", "0.75");
	graph_set_attribute(&graph->edges[1].attributes, "colour", "3");
	expect(pruned(graph, "cost", 0.75, "rank", -3), LIST(0, 1, 2, 3), LIST(2, 3));
	graph = metric_graph();
	graph_set_attribute(&graph->edges[1].attributes, "colour", "3");
	engine = engine_from_graph(graph);
	keep = selection_new(engine);
	assert_int_equal(query_prune(engine, &(struct query_threshold){"colour", 1},
				     &(struct query_threshold){NULL, 0}, &keep, &error),
			 -1);
	assert_non_null(strstr(error.text, "edges have no number 'colour'"));
	assert_non_null(strstr(error.text, "vflow_types"));
	assert_non_null(
		strstr(error.text,
		       "redundant_bytes, redundant_value_bytes, redundancy, dead_bytes, count"));
	selection_free(&keep);
	engine_free(engine);
	graph_free(graph);
}

static void test_not_a_number(void **state)
{
	struct graph *graph = metric_graph();

	(void)state;
	graph->edges[0].redundancy = NAN;
	graph->edges[1].redundancy = 0.5;
	graph->edges[0].fields = graph->edges[1].fields = EDGE_REDUNDANCY;
	expect(pruned(graph, "redundancy", 0.25, NULL, 0), LIST(0, 2, 3), LIST(2, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figure3e),      cmocka_unit_test(test_edges_only),
		cmocka_unit_test(test_vertices_only), cmocka_unit_test(test_no_threshold),
		cmocka_unit_test(test_edge_metrics),  cmocka_unit_test(test_vertex_metrics),
		cmocka_unit_test(test_not_a_number),  cmocka_unit_test(test_foreign_metrics),
	};

	return cmocka_run_group_tests_name("query_prune", tests, NULL, NULL);
}
