/* The graph in memory and the profile's small helpers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "graph/profile/profile.h"
#include "graph/symbols.h"
#include "util/memory.h"

static void test_find(void **state)
{
	struct graph *graph = graph_new();

	(void)state;
	assert_int_equal(graph_find(graph, 0), UINT32_MAX);
	for (uint32_t i = 0; i < 5000; i++)
		graph_add_vertex(graph, i * 7919);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(graph_find(graph, i * 7919), i);
	assert_int_equal(graph_find(graph, 1), UINT32_MAX);
	assert_int_equal(graph_find(graph, UINT32_MAX), UINT32_MAX);
	assert_string_equal(graph->vertices[3].node, "v23757");
	graph_free(graph);
}

static void test_labels(void **state)
{
	struct graph_vertex vertex = {.kind = (char[]){"kernel:hot:x"}};

	(void)state;
	assert_true(graph_vertex_is(&vertex, "kernel"));
	assert_true(graph_vertex_is(&vertex, "hot"));
	assert_true(graph_vertex_is(&vertex, "x"));
	assert_false(graph_vertex_is(&vertex, "kern"));
	assert_false(graph_vertex_is(&vertex, "ot"));
	assert_false(graph_vertex_is(&vertex, "hotter"));
	vertex.kind = NULL;
	assert_false(graph_vertex_is(&vertex, "kernel"));
}

static void test_attributes(void **state)
{
	struct graph *graph = graph_new();

	(void)state;
	graph_set_attribute(&graph->attributes, "m", "1");
	graph_set_attribute(&graph->attributes, "a", "2");
	graph_set_attribute(&graph->attributes, "z", "3");
	graph_set_attribute(&graph->attributes, "m", "4");
	assert_int_equal(graph->attributes.count, 3);
	assert_string_equal(graph_attribute(&graph->attributes, "m"), "4");
	assert_string_equal(graph_attribute(&graph->attributes, "a"), "2");
	assert_null(graph_attribute(&graph->attributes, "b"));
	assert_string_equal(graph->attributes.items[2].name, "z");
	graph_free(graph);
}

static void test_filter(void **state)
{
	struct graph *graph = graph_new();
	const bool vertices[] = {true, false, true, true};
	const bool edges[] = {true, true, false, true};

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		graph_add_vertex(graph, 10 + i);
	graph_add_edge(graph, 0, 2)->bytes = 1;
	graph_add_edge(graph, 0, 1)->bytes = 2; /* its end goes */
	graph_add_edge(graph, 2, 3)->bytes = 3; /* not kept */
	graph_add_edge(graph, 3, 3)->bytes = 4;
	graph_filter(graph, vertices, edges);
	assert_int_equal(graph->vertex_count, 3);
	assert_int_equal(graph->edge_count, 2);
	assert_int_equal(graph->vertices[1].id, 12);
	assert_int_equal(graph_find(graph, 13), 2);
	assert_int_equal(graph_find(graph, 11), UINT32_MAX);
	assert_int_equal(graph->edges[0].to, 1);
	assert_int_equal(graph->edges[1].bytes, 4);
	assert_int_equal(graph->edges[1].from, 2);
	graph_free(graph);
}

static void frame_is(const struct profile_frame *frame, const char *expected)
{
	char *text = profile_frame_text(frame);

	assert_string_equal(text, expected);
	free(text);
}

static void test_frames(void **state)
{
	struct profile_frame frame = {.module = (char[]){"/usr/lib/libfoo.so"}, .offset = 0x1234};

	(void)state;
	frame_is(&frame, "libfoo.so+0x1234");
	frame.function = (char[]){"work"};
	frame_is(&frame, "work");
	frame.file = (char[]){"/src/a/work.c"};
	frame_is(&frame, "work work.c");
	frame.line = 12;
	frame_is(&frame, "work work.c:12");
}

static void test_demangle(void **state)
{
	static const char *const names[][2] = {
		{"_Z4gemmPKfi", "gemm(float const*, int)"},
		{"_ZN2ns4fillIfEEvPT_S1_", "void ns::fill<float>(float*, float)"},
		{"saxpy", "saxpy"},
		{"_Znonsense", "_Znonsense"},
		{"_Z\x1b\xff", "_Z\\x1b\\xff"},
		/* static kernels and variables; the number counts from the second _ on */
		{"__nv_static_21__00c0ffee_4_a_cu_main__Z4gemmPKfi", "gemm(float const*, int)"},
		{"__nv_static_21__00c0ffee_4_a_cu_main_total", "total"},
		{"__nv_static_20__00c0ffee_4_a_cu_main_total",
		 "__nv_static_20__00c0ffee_4_a_cu_main_total"},
		{"__nv_static_27__00c0ffee_4_a_cu_main_total",
		 "__nv_static_27__00c0ffee_4_a_cu_main_total"},
		{"__nv_static_18446744073709551615__a", "__nv_static_18446744073709551615__a"},
		{"__nv_static_21", "__nv_static_21"},
		{"__nv_static_", "__nv_static_"},
		{"", ""},
	};
	char *name, *long_name = xmalloc(20001);

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		name = symbols_demangle(names[i][0]);
		assert_string_equal(name, names[i][1]);
		free(name);
	}
	memset(long_name, 'x', 20000);
	long_name[20000] = '\0';
	name = symbols_demangle(long_name);
	assert_int_equal(strlen(name), 4096);
	assert_string_equal(name + 4093, "...");
	free(name);
	free(long_name);
}

/* Each template argument is two of the one before: 2^40 names would not fit anywhere. */
static void test_demangle_bomb(void **state)
{
	char mangled[512] = "_Z1f1AIiiE", *name;
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	(void)state;
	/* S_ is A, S0_ is A<int, int>, S1_ is A<S0_, S0_>, ... */
	for (int i = 0; i < 30; i++)
		sprintf(mangled + strlen(mangled), "S_IS%c_S%c_E", digits[i], digits[i]);
	name = symbols_demangle(mangled);
	assert_true(strlen(name) <= 4096);
	free(name);
}

static void test_coverage(void **state)
{
	struct profile *profile = profile_new();

	(void)state;
	profile_add_coverage(profile, COVERAGE_CALL_UNSUPPORTED, "b", 1, 10);
	profile_add_coverage(profile, COVERAGE_CALL_UNSUPPORTED, "c", 1, 10);
	profile_add_coverage(profile, COVERAGE_CALL_UNSUPPORTED, "b", 2, 5);
	assert_int_equal(profile->coverage_count, 2);
	assert_string_equal(profile->coverage[1].what, "unsupported API");
	assert_string_equal(profile->coverage[1].reason, "c");
	assert_int_equal(profile->coverage[0].count, 3);
	assert_int_equal(profile->coverage[0].bytes, 15);
	profile_add_coverage_text(profile, "unsupported API", "b", UINT64_MAX, UINT64_MAX);
	assert_int_equal(profile->coverage_count, 2);
	assert_true(profile->coverage[0].count == PROFILE_NUMBER_MAX);
	assert_true(profile->coverage[0].bytes == PROFILE_NUMBER_MAX);
	profile_add_coverage(profile, COVERAGE_CALL_UNSUPPORTED, "b", 1, 1);
	assert_true(profile->coverage[0].count == PROFILE_NUMBER_MAX);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),          cmocka_unit_test(test_labels),
		cmocka_unit_test(test_attributes),    cmocka_unit_test(test_filter),
		cmocka_unit_test(test_frames),        cmocka_unit_test(test_demangle),
		cmocka_unit_test(test_demangle_bomb), cmocka_unit_test(test_coverage),
	};

	return cmocka_run_group_tests_name("graph_model", tests, NULL, NULL);
}
