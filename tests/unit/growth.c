/*
 * That the analyses of the builder and the patterns of the advice cost as much as they are given:
 * four times the calls take about four times as long, not sixteen times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "advice/advice.h"
#include "graph/build/analyses.h"
#include "util/memory.h"

enum { CALLS = 2000, SIZE = 4096, TRIES = 5 };

/* The host, n sites and n operations, each with a line of its own. */
enum { FIRST_SITE = 1 };

struct made {
	struct profile *profile;
	struct analyses *analyses;
	struct build_event event;
	uint32_t n;
};

static uint32_t operation(const struct made *made, uint32_t i)
{
	return FIRST_SITE + made->n + i;
}

static void add_vertex(struct profile *profile, uint32_t id, const char *kind, const char *name)
{
	struct graph_vertex *vertex = graph_add_vertex(profile->graph, id);

	vertex->kind = xstrdup(kind);
	vertex->name = xstrdup(name);
	vertex->callpath = xstrdup("f net.c");
	vertex->fields = VERTEX_KIND | VERTEX_NAME | VERTEX_CALLPATH;
	profile->frames[id] = (struct profile_frame){.function = xstrdup("f"),
						     .file = xstrdup("/src/net.c"),
						     .line = id + 1,
						     .module = xstrdup("/src/net")};
	profile->callpaths[id].frames = xcalloc(1, sizeof(uint32_t));
	profile->callpaths[id].frames[0] = id;
	profile->callpaths[id].count = 1;
	profile->vertices[id].callpath = id;
}

static struct made make(uint32_t n)
{
	struct profile *profile = profile_new();
	struct made made = {.profile = profile, .n = n};
	uint32_t vertices = FIRST_SITE + 2 * n;

	profile->processes = xcalloc(1, sizeof(*profile->processes));
	profile->processes[0].ended = true;
	profile->process_count = profile->process_capacity = 1;
	profile->frames = xcalloc(vertices, sizeof(*profile->frames));
	profile->frame_count = profile->frame_capacity = vertices;
	profile->callpaths = xcalloc(vertices, sizeof(*profile->callpaths));
	profile->callpath_count = profile->callpath_capacity = vertices;
	profile->vertices = xcalloc(vertices, sizeof(*profile->vertices));
	for (uint32_t v = 0; v < vertices; v++)
		add_vertex(profile, v,
			   v < FIRST_SITE ? "host"
			   : v <= n       ? "alloc"
					  : "memset",
			   v < FIRST_SITE ? "host"
			   : v <= n       ? "cudaMalloc"
					  : "cudaMemset");
	made.analyses = analyses_begin(build_analyses, profile);
	analyses_choose(made.analyses, NULL, true);
	return made;
}

static void call(struct made *made, uint32_t vertex, const struct build_row *rows, uint32_t count)
{
	made->event = (struct build_event){.number = made->event.number + 1,
					   .vertex = vertex,
					   .range = PROFILE_NO_ROW,
					   .name = "cudaFree"};
	made->profile->event_count++;
	analyses_event(made->analyses, &made->event, rows, count);
}

static uint32_t allocate(struct made *made, uint32_t site)
{
	struct profile *profile = made->profile;
	uint32_t index = profile->object_count;

	ARRAY_RESERVE(profile->objects, profile->object_count, profile->object_capacity);
	profile->objects[profile->object_count++] =
		(struct profile_object){.site = site, .size = SIZE, .memory = TRACE_MEMORY_DEVICE};
	analyses_object(made->analyses,
			&(struct build_event){.number = made->event.number + 1,
					      .vertex = site,
					      .range = PROFILE_NO_ROW},
			index);
	call(made, site, NULL, 0);
	return index;
}

static void release(struct made *made, uint32_t object)
{
	call(made, PROFILE_NO_VERTEX, NULL, 0);
	analyses_freed(made->analyses, &made->event, object);
}

/* All of the object is zero after it, and nobody had read what was there. */
static void set_zero(struct made *made, uint32_t vertex, uint32_t object, uint32_t before,
		     bool again)
{
	static const _Alignas(8) struct gpu_content zeros = {.zero = 1};
	struct graph_edge *edge = graph_add_edge(made->profile->graph, before, vertex);
	const struct build_row row = {.object = object,
				      .writer = before,
				      .access = TRACE_WRITE,
				      .metrics = (UINT32_C(1) << TRACE_METRICS) - 1,
				      .bytes = SIZE,
				      .redundant_bytes = again ? SIZE : 0,
				      .redundant_value_bytes = again ? SIZE : 0,
				      .dead_bytes = again ? SIZE : 0,
				      .unread_bytes = SIZE,
				      .last_block = SIZE / GPU_ROW_BLOCK - 1};
	struct error error;

	edge->object = made->profile->objects[object].site;
	edge->access = GRAPH_WRITE;
	edge->bytes = edge->redundant_bytes = 1; /* findings are no small share of it */
	edge->fields = EDGE_OBJECT | EDGE_ACCESS | EDGE_BYTES | EDGE_REDUNDANT_BYTES;
	call(made, vertex, &row, 1);
	assert_int_equal(analyses_record(made->analyses, &made->event,
					 &(struct build_record){.kind = GPU_RECORD_CONTENT,
								.object = object,
								.of_call = true,
								.payload = &zeros,
								.size = sizeof(zeros)},
					 &error),
			 0);
}

/* -- what is measured -- */

/* n operations write the same to one object, one after the other. */
static void one_object(struct made *made)
{
	uint32_t object = allocate(made, FIRST_SITE);

	for (uint32_t i = 0; i < made->n; i++)
		set_zero(made, operation(made, i), object, i ? operation(made, i - 1) : FIRST_SITE,
			 i > 0);
}

/* n objects hold the same at the same time, and the oldest goes first. */
static void many_objects(struct made *made)
{
	for (uint32_t i = 0; i < made->n; i++)
		set_zero(made, operation(made, i), allocate(made, FIRST_SITE + i), FIRST_SITE + i,
			 false);
	for (uint32_t i = 0; i < made->n; i++)
		release(made, i);
}

/* One operation writes to n objects of n sites, twice. */
static void one_operation(struct made *made)
{
	uint32_t vertex = operation(made, 0);

	for (uint32_t i = 0; i < made->n; i++)
		allocate(made, FIRST_SITE + i);
	for (uint32_t i = 0; i < made->n; i++) {
		set_zero(made, vertex, i, FIRST_SITE + i, false);
		set_zero(made, vertex, i, vertex, true);
	}
}

/* Seconds of the processor's time. */
static double measure(void (*calls)(struct made *), uint32_t n)
{
	const struct advice_options options = ADVICE_DEFAULTS;
	struct timespec start, end;
	struct made made = make(n);

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	calls(&made);
	analyses_process_end(made.analyses, &made.event);
	analyses_end(made.analyses);
	advice_detect(made.profile, &options);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	assert_true(made.profile->finding_count >= (calls == one_operation ? 1 : n - 1));
	profile_free(made.profile);
	return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

/*
 * What grows with the square takes 16 times as long.  Caches and page faults, which cost much in
 * virtual machines, make it up to 10 where it grows with the calls.  On a machine that others use,
 * too, one try in five is enough.
 */
static void grows_with(void (*calls)(struct made *))
{
	double ratio = 0;

	for (int i = 0; i < TRIES; i++) {
		double few = measure(calls, CALLS), many = measure(calls, 4 * CALLS);

		ratio = many / few;
		if (ratio < 13)
			return;
		print_message("%u calls: %.4f s, %u: %.4f s\n", CALLS, few, 4 * CALLS, many);
	}
	fail_msg("four times the calls take %.1f times as long", ratio);
}

static void test_one_object(void **state)
{
	(void)state;
	grows_with(one_object);
}

static void test_many_objects(void **state)
{
	(void)state;
	grows_with(many_objects);
}

static void test_one_operation(void **state)
{
	(void)state;
	grows_with(one_operation);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_object),
		cmocka_unit_test(test_many_objects),
		cmocka_unit_test(test_one_operation),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
