/* Important graphs: the three cases of DESIGN 4, every metric, and what lacks a metric. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "graph/graph.h"
#include "query/query.h"

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

static struct graph *pruned(struct graph *graph, enum query_edge_metric edge_metric, double ie,
			    enum query_vertex_metric vertex_metric, double iv)
{
	query_prune(graph, &(struct query_importance){edge_metric, ie, vertex_metric, iv});
	return graph;
}

static void test_figure3e(void **state)
{
	struct graph *graph;

	(void)state;
	query_slice(graph = figure3(), 6);
	expect(pruned(graph, EDGE_METRIC_BYTES, N / 2, VERTEX_METRIC_INVOCATIONS, 1),
	       LIST(0, 2, 4, 6, 7), LIST(2, 4, 4, 6));
	query_slice(graph = figure3(), 6);
	expect(pruned(graph, EDGE_METRIC_BYTES, N / 2, VERTEX_METRIC_INVOCATIONS, 2),
	       LIST(0, 2, 4, 6), LIST(2, 4, 4, 6));
}

static void test_edges_only(void **state)
{
	(void)state;
	expect(pruned(figure3(), EDGE_METRIC_BYTES, N / 2, VERTEX_METRIC_NONE, 0),
	       LIST(0, 1, 2, 3, 4, 5, 6), LIST(1, 3, 2, 4, 3, 5, 4, 6));
	/* at least, not more than */
	expect(pruned(figure3(), EDGE_METRIC_BYTES, N, VERTEX_METRIC_NONE, 0),
	       LIST(0, 1, 2, 3, 4, 5, 6), LIST(1, 3, 2, 4, 3, 5, 4, 6));
	expect(pruned(figure3(), EDGE_METRIC_BYTES, N + 1, VERTEX_METRIC_NONE, 0), LIST(0),
	       NOTHING);
	expect(pruned(figure3(), EDGE_METRIC_BYTES, 0, VERTEX_METRIC_NONE, 0),
	       LIST(0, 1, 2, 3, 4, 5, 6, 7), LIST(1, 3, 2, 4, 3, 5, 4, 6, 5, 7, 6, 7));
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
	expect(pruned(graph, EDGE_METRIC_NONE, 0, VERTEX_METRIC_INVOCATIONS, 10), LIST(0, 3, 5),
	       LIST(3, 5, 0, 3, 5, 5));
	expect(pruned(figure3(), EDGE_METRIC_NONE, 0, VERTEX_METRIC_INVOCATIONS, 2), LIST(0),
	       NOTHING);
}

static void test_no_threshold(void **state)
{
	(void)state;
	expect(pruned(figure3(), EDGE_METRIC_NONE, 0, VERTEX_METRIC_NONE, 0),
	       LIST(0, 1, 2, 3, 4, 5, 6, 7), LIST(1, 3, 2, 4, 3, 5, 4, 6, 5, 7, 6, 7));
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
		enum query_edge_metric metric;
		uint32_t field;
	} rows[] = {
		{EDGE_METRIC_BYTES, EDGE_BYTES},
		{EDGE_METRIC_REDUNDANT_BYTES, EDGE_REDUNDANT_BYTES},
		{EDGE_METRIC_REDUNDANCY, EDGE_REDUNDANCY},
		{EDGE_METRIC_COUNT, EDGE_COUNT},
		{EDGE_METRIC_OBJECT_BYTES, EDGE_OBJECT_BYTES},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int zero = 0; zero < 2; zero++) {
			struct graph *graph = metric_graph();

			for (uint32_t e = 0; e < 2; e++) {
				uint64_t value = 10 - e;

				graph->edges[e].fields = rows[i].field;
				if (rows[i].metric == EDGE_METRIC_BYTES)
					graph->edges[e].bytes = value;
				if (rows[i].metric == EDGE_METRIC_REDUNDANT_BYTES)
					graph->edges[e].redundant_bytes = value;
				if (rows[i].metric == EDGE_METRIC_REDUNDANCY)
					graph->edges[e].redundancy = (double)value;
				if (rows[i].metric == EDGE_METRIC_COUNT)
					graph->edges[e].count = value;
				if (rows[i].metric == EDGE_METRIC_OBJECT_BYTES)
					graph->edges[e].object_bytes = value;
			}
			/* null meets no threshold, not even 0 */
			if (zero)
				expect(pruned(graph, rows[i].metric, 0, VERTEX_METRIC_NONE, 0),
				       LIST(0, 1, 2, 3), LIST(1, 2, 2, 3));
			else
				expect(pruned(graph, rows[i].metric, 10, VERTEX_METRIC_NONE, 0),
				       LIST(0, 1, 2), LIST(1, 2));
		}
}

static void test_vertex_metrics(void **state)
{
	static const struct {
		enum query_vertex_metric metric;
		uint32_t field;
		size_t offset;
	} rows[] = {
		{VERTEX_METRIC_INVOCATIONS, VERTEX_INVOCATIONS,
		 offsetof(struct graph_vertex, invocations)},
		{VERTEX_METRIC_READ_BYTES, VERTEX_READ_BYTES,
		 offsetof(struct graph_vertex, read_bytes)},
		{VERTEX_METRIC_WRITTEN_BYTES, VERTEX_WRITTEN_BYTES,
		 offsetof(struct graph_vertex, written_bytes)},
		{VERTEX_METRIC_REDUNDANT_BYTES, VERTEX_REDUNDANT_BYTES,
		 offsetof(struct graph_vertex, redundant_bytes)},
		{VERTEX_METRIC_TIME_NS, VERTEX_TIME_NS, offsetof(struct graph_vertex, time_ns)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct graph *graph = metric_graph();

		for (uint32_t v = 1; v <= 3; v++) {
			*(uint64_t *)((char *)&graph->vertices[v] + rows[i].offset) = 10 + v;
			graph->vertices[v].fields = v == 3 ? 0 : rows[i].field;
		}
		expect(pruned(graph, EDGE_METRIC_NONE, 0, rows[i].metric, 11), LIST(0, 1, 2),
		       LIST(1, 2));
	}
}

static void test_not_a_number(void **state)
{
	struct graph *graph = metric_graph();

	(void)state;
	graph->edges[0].redundancy = NAN;
	graph->edges[1].redundancy = 0.5;
	graph->edges[0].fields = graph->edges[1].fields = EDGE_REDUNDANCY;
	expect(pruned(graph, EDGE_METRIC_REDUNDANCY, 0.25, VERTEX_METRIC_NONE, 0), LIST(0, 2, 3),
	       LIST(2, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figure3e),      cmocka_unit_test(test_edges_only),
		cmocka_unit_test(test_vertices_only), cmocka_unit_test(test_no_threshold),
		cmocka_unit_test(test_edge_metrics),  cmocka_unit_test(test_vertex_metrics),
		cmocka_unit_test(test_not_a_number),
	};

	return cmocka_run_group_tests_name("query_prune", tests, NULL, NULL);
}
