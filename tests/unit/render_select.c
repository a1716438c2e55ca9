/* Which vertices and edges of a large graph are drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "render/select.h"
#include "util/memory.h"

struct fixture {
	struct graph graph;
	bool *vertices, *edges;
};

static void setup(struct fixture *f, uint32_t vertex_count, uint32_t edge_count)
{
	*f = (struct fixture){0};
	f->graph.vertices = xcalloc(vertex_count, sizeof(*f->graph.vertices));
	f->graph.edges = xcalloc(edge_count, sizeof(*f->graph.edges));
	f->graph.vertex_count = vertex_count;
	f->graph.edge_count = edge_count;
	for (uint32_t i = 0; i < vertex_count; i++)
		f->graph.vertices[i] =
			(struct graph_vertex){.id = i, .kind = i ? "kernel" : "host"};
	f->vertices = xcalloc(vertex_count, sizeof(*f->vertices));
	f->edges = xcalloc(edge_count, sizeof(*f->edges));
}

static void teardown(struct fixture *f)
{
	free(f->graph.vertices);
	free(f->graph.edges);
	free(f->vertices);
	free(f->edges);
}

static uint32_t count(const bool *flags, uint32_t size)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < size; i++)
		sum += flags[i];
	return sum;
}

static void test_small(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 300, 600);
	render_select(&f.graph, RENDER_STILL, f.vertices, f.edges);
	assert_int_equal(count(f.vertices, 300), 300);
	assert_int_equal(count(f.edges, 600), 600);
	teardown(&f);

	setup(&f, 0, 0);
	render_select(&f.graph, RENDER_STILL, f.vertices, f.edges);
	teardown(&f);
}

static void test_large(void **state)
{
	struct fixture f;

	(void)state;
	/* i -> i + 1 with i bytes; 500 has a finding, 700 writes most redundant bytes */
	setup(&f, 1000, 999);
	for (uint32_t i = 0; i < 999; i++)
		f.graph.edges[i] = (struct graph_edge){.from = i, .to = i + 1, .bytes = i};
	f.graph.vertices[500].patterns = "redundant_values";
	f.graph.edges[699].redundant_bytes = 699;
	render_select(&f.graph, RENDER_STILL, f.vertices, f.edges);
	assert_int_equal(count(f.vertices, 1000), 80);
	assert_true(f.vertices[0]);
	/* and the neighbours, with the edges between */
	for (uint32_t i = 499; i <= 501; i++)
		assert_true(f.vertices[i]);
	for (uint32_t i = 699; i <= 701; i++)
		assert_true(f.vertices[i]);
	assert_true(f.edges[499] && f.edges[500] && f.edges[699] && f.edges[700]);
	/* the others by bytes: the end of the chain, and not what only host touches */
	assert_true(f.vertices[998]);
	assert_false(f.vertices[1]);
	for (uint32_t i = 0; i < 999; i++)
		assert_int_equal(f.edges[i], f.vertices[i] && f.vertices[i + 1]);
	teardown(&f);
}

static void free_attribute(struct graph_attributes *attributes)
{
	free(attributes->items[0].name);
	free(attributes->items[0].value);
	free(attributes->items);
}

static void test_findings(void **state)
{
	struct fixture f;

	(void)state;
	/* 100 findings: vertex 10 n has number 100 - n + 1 and more bytes than those before it */
	setup(&f, 1001, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		f.graph.edges[i] = (struct graph_edge){
			.from = i, .to = i + 1, .bytes = 10 * i, .redundant_bytes = i};
	for (uint32_t n = 1; n <= 100; n++) {
		struct graph_vertex *vertex = &f.graph.vertices[10 * n];
		char number[16];

		snprintf(number, sizeof(number), "%u", 100 - n + 1);
		vertex->patterns = "redundant_values";
		graph_set_attribute(&vertex->attributes, "finding", number);
	}
	render_select(&f.graph, RENDER_STILL, f.vertices, f.edges);
	/* a quarter of what is drawn: the first twenty of the report */
	for (uint32_t n = 1; n <= 100; n++)
		assert_int_equal(f.vertices[10 * n], n > 80);
	for (uint32_t n = 1; n <= 100; n++)
		free_attribute(&f.graph.vertices[10 * n].attributes);
	teardown(&f);
}

static void test_around_findings(void **state)
{
	struct fixture f;
	uint32_t around = 0;

	(void)state;
	/* i -> i + 1 with i bytes; the only finding is at 500, where few bytes are: three quarters
	 * of 80 are around it */
	setup(&f, 1000, 999);
	for (uint32_t i = 0; i < 999; i++)
		f.graph.edges[i] = (struct graph_edge){.from = i, .to = i + 1, .bytes = i};
	f.graph.vertices[500].patterns = "redundant_values";
	render_select(&f.graph, RENDER_STILL, f.vertices, f.edges);
	for (uint32_t i = 400; i <= 600; i++)
		around += f.vertices[i];
	assert_in_range(around, 58, 79);
	assert_true(f.vertices[998]);
	assert_int_equal(count(f.vertices, 1000), 80);
	teardown(&f);
}

static void test_many_edges(void **state)
{
	struct fixture f;

	(void)state;
	/* two vertices, 1000 objects: the 600 edges with most bytes, but redundant ones first */
	setup(&f, 2, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		f.graph.edges[i] = (struct graph_edge){
			.from = 0, .to = 1, .bytes = 5000 - i, .redundant_bytes = i == 999};
	render_select(&f.graph, RENDER_STILL, f.vertices, f.edges);
	assert_int_equal(count(f.vertices, 2), 2);
	assert_int_equal(count(f.edges, 1000), 600);
	assert_true(f.edges[0] && f.edges[598] && f.edges[999]);
	assert_false(f.edges[599]);
	teardown(&f);
}

static void test_all_host(void **state)
{
	struct fixture f;

	(void)state;
	/* a foreign file may call everything host */
	setup(&f, 1000, 0);
	for (uint32_t i = 0; i < 1000; i++)
		f.graph.vertices[i].kind = "host";
	render_select(&f.graph, RENDER_STILL, f.vertices, f.edges);
	assert_int_equal(count(f.vertices, 1000), 80);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),      cmocka_unit_test(test_large),
		cmocka_unit_test(test_findings),   cmocka_unit_test(test_around_findings),
		cmocka_unit_test(test_many_edges), cmocka_unit_test(test_all_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
