/* The layered layout: time flows down, vertices keep their distance, lines end where they should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "render/layout.h"
#include "render/picture.h"
#include "util/memory.h"

static uint32_t random_below(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % limit;
}

static void add_vertex(struct graph *graph, uint32_t id, const char *kind)
{
	struct graph_vertex *vertex = graph_add_vertex(graph, id);

	vertex->kind = xstrdup(kind);
	vertex->name = xstrdup(kind);
	vertex->fields = VERTEX_KIND | VERTEX_NAME;
}

static void add_edge(struct graph *graph, uint32_t from, uint32_t to)
{
	struct graph_edge *edge = graph_add_edge(graph, from, to);

	edge->access = GRAPH_WRITE;
	edge->bytes = 1000;
	edge->fields = EDGE_ACCESS | EDGE_BYTES;
}

static struct picture *lay_out(const struct graph *graph)
{
	bool *all = xcalloc(graph->vertex_count + graph->edge_count, sizeof(*all));
	struct picture *picture;
	char *remark;
	struct error error;

	for (uint32_t i = 0; i < graph->vertex_count + graph->edge_count; i++)
		all[i] = true;
	picture = picture_new(graph, NULL, all, all);
	free(all);
	assert_int_equal(layout_picture(picture, LAYOUT_LAYERS, 1, &remark, &error), 0);
	assert_null(remark);
	return picture;
}

static bool inside(const struct picture *picture, struct picture_point point)
{
	return point.x >= -1 && point.y >= -1 && point.x <= picture->width + 1 &&
	       point.y <= picture->height + 1;
}

static void check_distances(const struct picture *picture)
{
	for (uint32_t i = 0; i < picture->vertex_count; i++) {
		const struct picture_vertex *a = &picture->vertices[i];

		assert_true(inside(picture, a->at));
		for (uint32_t k = 0; k < i; k++) {
			const struct picture_vertex *b = &picture->vertices[k];
			bool apart = fabs(a->at.x - b->at.x) >= (a->width + b->width) / 2 ||
				     fabs(a->at.y - b->at.y) >= (a->height + b->height) / 2;

			if (!apart)
				fail_msg("%u and %u overlap", i, k);
		}
	}
}

/* Labels of lines between two vertices lie on no vertex and on no other label. */
static uint32_t check_labels(const struct picture *picture)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < picture->edge_count; i++) {
		const struct picture_edge *a = &picture->edges[i];
		double half, x = a->label_at.x + a->width / 2;

		if (!a->label || a->from == a->to)
			continue;
		count++;
		half = render_text_width(a->label, RENDER_EDGE_FONT, 0) / 2;
		for (uint32_t k = 0; k < picture->edge_count; k++) {
			const struct picture_edge *b = &picture->edges[k];

			if (k == i || !b->label)
				continue;
			assert_true(
				fabs(a->label_at.y - b->label_at.y) > RENDER_EDGE_FONT ||
				fabs(x - b->label_at.x - b->width / 2) >=
					half + render_text_width(b->label, RENDER_EDGE_FONT, 0) /
							2);
		}
		for (uint32_t k = 0; k < picture->vertex_count; k++) {
			const struct picture_vertex *v = &picture->vertices[k];

			assert_true(fabs(a->label_at.y - v->at.y) > v->height / 2 ||
				    fabs(x - v->at.x) >= half + v->width / 2);
		}
	}
	return count;
}

/* The tip of each arrow touches the border of the vertex it points to. */
static void check_tips(const struct picture *picture)
{
	for (uint32_t i = 0; i < picture->edge_count; i++) {
		const struct picture_edge *edge = &picture->edges[i];
		const struct picture_vertex *to = &picture->vertices[edge->to];

		assert_int_equal(edge->point_count % 3, 1);
		assert_true(fabs(edge->tip.x - to->at.x) <= to->width / 2 + 0.01);
		assert_true(fabs(edge->tip.y - to->at.y) <= to->height / 2 + 0.01);
		for (uint32_t p = 0; p < edge->point_count; p++)
			assert_true(isfinite(edge->points[p].x) && isfinite(edge->points[p].y));
	}
}

static void check_time(const struct picture *picture)
{
	for (uint32_t i = 0; i < picture->edge_count; i++) {
		const struct picture_vertex *from = &picture->vertices[picture->edges[i].from];
		const struct picture_vertex *to = &picture->vertices[picture->edges[i].to];

		if (from->vertex->id < to->vertex->id)
			assert_true(from->at.y < to->at.y);
		else if (from->vertex->id > to->vertex->id)
			assert_true(from->at.y > to->at.y);
	}
}

static void test_random(void **state)
{
	uint64_t seed = 1;
	uint32_t labels = 0;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct graph *graph = graph_new();
		uint32_t vertices = 1 + random_below(&seed, 60);
		uint32_t edges = random_below(&seed, vertices * 3);
		struct picture *picture;

		for (uint32_t i = 0; i < vertices; i++)
			add_vertex(graph, round % 2 ? i : vertices - i, "kernel");
		for (uint32_t i = 0; i < edges; i++) /* loops and parallel ones too */
			add_edge(graph, random_below(&seed, vertices),
				 random_below(&seed, vertices));
		picture = lay_out(graph);
		check_distances(picture);
		check_tips(picture);
		check_time(picture);
		labels += check_labels(picture);
		picture_free(picture);
		graph_free(graph);
	}
	assert_true(labels > 60 * 5); /* few find no place */
}

/* alloc 1 -> set 2 -> kernel 4, alloc 3 -> kernel 4: the second alloc stands above its use. */
static void test_allocs_sink(void **state)
{
	struct graph *graph = graph_new();
	struct picture *picture;

	(void)state;
	add_vertex(graph, 1, "alloc");
	add_vertex(graph, 2, "memset");
	add_vertex(graph, 3, "alloc");
	add_vertex(graph, 4, "kernel");
	add_edge(graph, 0, 1);
	add_edge(graph, 1, 3);
	add_edge(graph, 2, 3);
	picture = lay_out(graph);
	check_time(picture);
	assert_true(picture->vertices[2].at.y == picture->vertices[1].at.y);
	picture_free(picture);
	graph_free(graph);
}

/* 50 copies from host that share nothing else: stubs, and no line across the page. */
static void test_host_stubs(void **state)
{
	struct graph *graph = graph_new();
	struct picture *picture;

	(void)state;
	add_vertex(graph, 0, "host");
	for (uint32_t i = 1; i <= 50; i++) {
		add_vertex(graph, i, "memcpy");
		add_edge(graph, i % 2 ? 0 : i, i % 2 ? i : 0); /* every second one back to host */
	}
	picture = lay_out(graph);
	check_distances(picture);
	for (uint32_t i = 0; i < picture->edge_count; i++) {
		const struct picture_edge *edge = &picture->edges[i];
		const struct picture_vertex *copy =
			&picture->vertices[edge->from ? edge->from : edge->to];

		assert_int_equal(edge->point_count, 4);
		assert_true(hypot(edge->points[0].x - copy->at.x, edge->points[0].y - copy->at.y) <
			    copy->height / 2 + 60);
		assert_true(edge->tip.y > edge->points[0].y); /* time flows down */
		assert_true(edge->from ? edge->tip.y > copy->at.y : edge->tip.y < copy->at.y);
		assert_string_equal(edge->label, "host");
	}
	picture_free(picture);
	graph_free(graph);
}

static void test_nothing(void **state)
{
	struct graph *graph = graph_new();
	struct picture *picture = lay_out(graph);

	(void)state;
	assert_true(picture->width == 0 && picture->height == 0);
	picture_free(picture);
	graph_free(graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_allocs_sink),
		cmocka_unit_test(test_host_stubs),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
