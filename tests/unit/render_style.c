/* The mapping from figures and names to what is drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/metric.h"
#include "render/style.h"

static void test_bands(void **state)
{
	(void)state;
	assert_int_equal(render_band(0), BAND_LOW);
	assert_int_equal(render_band(0.33), BAND_LOW);
	assert_int_equal(render_band(0.3301), BAND_HALF);
	assert_int_equal(render_band(0.66), BAND_HALF);
	assert_int_equal(render_band(0.6601), BAND_HIGH);
	assert_int_equal(render_band(0.999999), BAND_HIGH);
	assert_int_equal(render_band(1), BAND_ALL);
	assert_string_equal(render_bands[BAND_LOW].color, "#6E7781");
	assert_string_equal(render_bands[BAND_HALF].color, "#0072B2");
	assert_string_equal(render_bands[BAND_HIGH].color, "#D55E00");
	assert_string_equal(render_bands[BAND_ALL].color, "#7A0177");
}

static double redundancy(enum graph_access access, uint32_t fields, uint64_t bytes,
			 uint64_t redundant, double given)
{
	struct graph_edge edge = {.access = access,
				  .fields = fields,
				  .bytes = bytes,
				  .redundant_bytes = redundant,
				  .redundancy = given};

	return render_redundancy(&edge);
}

static void test_redundancy(void **state)
{
	const uint32_t counters = EDGE_BYTES | EDGE_REDUNDANT_BYTES;

	(void)state;
	assert_true(redundancy(GRAPH_WRITE, counters, 4096, 1024, 0) == 0.25);
	assert_true(redundancy(GRAPH_READ, counters, 4096, 4096, 0) == 0);
	assert_true(redundancy(GRAPH_WRITE, EDGE_BYTES, 4096, 4096, 1) == 0);
	/* one byte in 2^60 changed: a double cannot hold that, the band must */
	assert_int_equal(
		render_band(redundancy(GRAPH_WRITE, counters, 1ull << 60, (1ull << 60) - 1, 1)),
		BAND_HIGH);
	/* figures of others */
	assert_true(redundancy(GRAPH_WRITE, EDGE_REDUNDANCY, 0, 0, 0.5) == 0.5);
	assert_true(redundancy(GRAPH_WRITE, EDGE_REDUNDANCY, 0, 0, 7) == 1);
	assert_true(redundancy(GRAPH_WRITE, EDGE_REDUNDANCY, 0, 0, -1) == 0);
	assert_true(redundancy(GRAPH_WRITE, EDGE_REDUNDANCY, 0, 0, NAN) == 0);
	assert_true(redundancy(GRAPH_WRITE, counters, 0, 0, 0) == 0);
	assert_true(redundancy(GRAPH_WRITE, counters, 10, 20, 0) == 1);
}

static void near(double value, double expected)
{
	if (fabs(value - expected) > 1e-9)
		fail_msg("%.12f instead of %.12f", value, expected);
}

static void test_widths(void **state)
{
	(void)state;
	near(render_edge_width(4096, 4096), 7);
	near(render_edge_width(1024, 4096), 7 - 2 * 0.6);
	near(render_edge_width(1, 1024), 1);
	near(render_edge_width(1, UINT64_MAX), 1);
	near(render_edge_width(0, 4096), 1);
	near(render_edge_width(0, 0), 1);
	near(render_vertex_scale(0), 1);
	near(render_vertex_scale(1), 1);
	near(render_vertex_scale(100), 1.3);
	near(render_vertex_scale(100000), 1.75);
	near(render_vertex_scale(UINT64_MAX), 1.75);
}

static uint64_t metric(const struct graph_vertex *vertex, const char *word)
{
	assert_non_null(render_metric_named(word));
	return render_metric_of(vertex, render_metric_named(word));
}

static void test_metrics(void **state)
{
	const struct graph_vertex vertex = {
		.fields = VERTEX_INVOCATIONS | VERTEX_READ_BYTES | VERTEX_WRITTEN_BYTES |
			  VERTEX_REDUNDANT_BYTES | VERTEX_HOST_NS,
		.invocations = 7,
		.read_bytes = UINT64_MAX,
		.written_bytes = 2,
		.redundant_bytes = 1,
		.time_ns = 9, /* not among the fields: not known */
		.host_ns = 11,
	};

	(void)state;
	assert_true(metric(&vertex, "invocations") == 7);
	assert_true(metric(&vertex, "time") == 0);
	assert_true(metric(&vertex, "bytes") == UINT64_MAX);
	assert_true(metric(&vertex, "unchanged") == 1);
	assert_true(render_metric_of(&vertex, &render_by_host_time) == 11);
	assert_null(render_metric_named("host_ns")); /* what --size-by time falls back to */
	assert_null(render_metric_named("name"));
	near(render_vertex_share(4096, 4096), 1.75);
	near(render_vertex_share(1024, 4096), 1.55);
	near(render_vertex_share(1, 4096), 1);
	near(render_vertex_share(0, 0), 1);
}

static void test_figures(void **state)
{
	char text[32];

	(void)state;
	assert_string_equal(render_percent(0, text), "0%");
	assert_string_equal(render_percent(1e-9, text), "<1%");
	assert_string_equal(render_percent(0.015, text), "2%");
	assert_string_equal(render_percent(0.92, text), "92%");
	assert_string_equal(render_percent(0.99, text), "99%");
	assert_string_equal(render_percent(0.9999, text), ">99%");
	assert_string_equal(render_percent(1, text), "100%");
	assert_string_equal(render_count(0, text), "0");
	assert_string_equal(render_count(999, text), "999");
	assert_string_equal(render_count(1000, text), "1,000");
	assert_string_equal(render_count(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

static void test_shapes(void **state)
{
	static const struct {
		char *kind;
		enum render_shape shape;
	} cases[] = {
		{"host", SHAPE_HOST},       {"alloc", SHAPE_BOX},   {"memcpy", SHAPE_CIRCLE},
		{"memset", SHAPE_CIRCLE},   {"kernel", SHAPE_OVAL}, {"unknown", SHAPE_DIAMOND},
		{"teapot", SHAPE_OTHER},    {"", SHAPE_OTHER},      {NULL, SHAPE_OTHER},
		{"hot:kernel", SHAPE_OVAL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct graph_vertex vertex = {.kind = cases[i].kind};

		assert_int_equal(render_shape(&vertex), cases[i].shape);
	}
}

static void is(char *text, const char *expected)
{
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void test_names(void **state)
{
	static const struct {
		const char *name, *expected;
	} cases[] = {
		{"zero", "zero"},
		{"zero(int*, int)", "zero"},
		{"void ns::gemm<float>(float const*, int)", "gemm<float>"},
		{"void at::native::(anonymous namespace)::fill(int)", "fill"},
		{"(anonymous namespace)::fill(void (*)(int))", "fill"},
		{"void k<(int)4, (bool)1>(T1 *)", "k<(int)4, (bool)1>"},
		{"auto run<ns::pair<int, int> >(ns::pair<int, int>*) [clone .kernel]",
		 "run<ns::pair<int, int> >"},
		{"ns::Functor::operator()(int) const", "Functor::operator()"},
		{"main::{lambda(int)#1}::operator()(int) const", "{lambda(int)#1}::operator()"},
		{"void at::native::vectorized_elementwise_kernel<4, "
		 "at::native::FillFunctor<float>, "
		 "at::detail::Array<char*, 1> >(int)",
		 "vectoriz…<FillFunctor<float>>"},
		{"void scan<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int)",
		 "scan<FillFunctor<float>>"},
		{"void scan<at::native::BinaryFunctor<int, int, ns::Multiply<int> > >(int)",
		 "scan<BinaryFunctor<…>>"},
		{"void a_function_whose_name_is_long_enough<ns::a_class_of_a_long_name>(int)",
		 "a_function_whose_name_is_lon…"},
		/* not names of functions: shown as they are */
		{"", ""},
		{"()", "()"},
		{")", ")"},
		{"<", "<"},
		{"a <", "<"},
		{"q\\", "q\\"},
		{"x::", "x::"},
		{"f(int", "f(int"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		is(render_short_name(cases[i].name, 29), cases[i].expected);
}

static void test_places(void **state)
{
	static const struct {
		const char *callpath, *expected;
		uint32_t index;
	} cases[] = {
		{"main fig3.c:12", "fig3.c:12", 0},
		{"libfoo.so+0x12 < step /src/a/net.cpp:7 < main main.c:1", "net.cpp:7", 0},
		{"libfoo.so+0x12 < step /src/a/net.cpp:7 < x < main main.c:1", "main.c:1", 1},
		{"libfoo.so+0x12 < step /src/a/net.cpp:7 < main main.c:1", NULL, 2},
		{"ns::f(int, char) a.cu:3 < main", "a.cu:3", 0},
		/* layers of libraries are passed over, unless there is nothing else */
		{"c10::f a.cpp:1 < at::native::g b.cu:2 < at::h c.cpp:3 < main d.cu:4", "b.cu:2",
		 0},
		{"c10::f a.cpp:1 < at::native::g b.cu:2 < at::h c.cpp:3 < main d.cu:4", "d.cu:4",
		 1},
		{"void c10::f<int>(int) vector:7 < main d.cu:4", "d.cu:4", 0},
		{"c10::f a.cpp:1 < std::g b.cpp:2", "b.cpp:2", 1},
		{"c10::f a.cpp:1 < [replayed] < main d.cu:4", "a.cpp:1", 0},
		{"at::native::fill_kernel_cuda < pybind11::f cast.h:9 < main", NULL, 0},
		{"main", NULL, 0},
		{"main :12", NULL, 0},
		{"main a.c:", NULL, 0},
		{"", NULL, 0},
		{NULL, NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *place = render_where(cases[i].callpath, cases[i].index);

		if (cases[i].expected)
			is(place, cases[i].expected);
		else
			assert_null(place);
	}
}

static void test_cut(void **state)
{
	(void)state;
	is(render_cut_end("abcdef", 6), "abcdef");
	is(render_cut_end("abcdefg", 6), "abcde…");
	is(render_cut_end("éééé", 3), "éé…");
	is(render_cut_middle("abcdefgh", 8), "abcdefgh");
	/* of 6: 1 kept in front, the mark, 4 kept at the end */
	is(render_cut_middle("abcdefgh", 6), "a…efgh");
	is(render_cut_middle("ééééééé", 6), "é…éééé");
}

static void test_text_width(void **state)
{
	(void)state;
	/* DejaVu Sans: W 989, i 278 thousandths, read from the font */
	near(render_text_width("W", 10, 0), 9.89);
	near(render_text_width("Wi", 10, 0), 12.67);
	near(render_text_width("W", 10, 1), 9.89 * 1.12);
	near(render_text_width("", 10, 0), 0);
	near(render_text_width("é", 10, 0), 7);
	near(render_text_width("字", 10, 0), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bands),      cmocka_unit_test(test_redundancy),
		cmocka_unit_test(test_widths),     cmocka_unit_test(test_figures),
		cmocka_unit_test(test_shapes),     cmocka_unit_test(test_names),
		cmocka_unit_test(test_places),     cmocka_unit_test(test_cut),
		cmocka_unit_test(test_text_width), cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
