/* Sizes, clean text, atomic output, options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/command.h"
#include "util/cxx_name.h"
#include "util/error.h"
#include "util/json.h"
#include "util/memory.h"
#include "util/options.h"
#include "util/output.h"
#include "util/pair_map.h"
#include "util/size.h"
#include "util/text.h"

static uint64_t size_of(const char *text)
{
	uint64_t size = 0;

	assert_int_equal(size_parse(text, &size), 0);
	return size;
}

static void test_plain_names(void **state)
{
	static const struct {
		const char *name, *expected;
	} cases[] = {
		{"fill_kernel(int, float, float*)", "fill_kernel"},
		{"cudaMemcpy", "cudaMemcpy"},
		{"", ""},
		{"void ns::gemm<float>(float const*, int)", "ns::gemm<float>"},
		{"ns::Tensor<float>::Tensor(unsigned long, unsigned long)",
		 "ns::Tensor<float>::Tensor"},
		{"std::vector<int, std::allocator<int> > f<int>(int) const", "f<int>"},
		{"void (anonymous namespace)::fill(void (*)(int)) [clone .1]",
		 "(anonymous namespace)::fill"},
		{"main::{lambda(int)#1}::operator()(int) const",
		 "main::{lambda(int)#1}::operator()"},
		{"A::operator bool() const", "A::operator bool"},
		{"cub::CUB_300001_SM_800::detail::k<cuda::std::__4::plus<int> >(int)",
		 "cub::detail::k<plus<int>>"},
		{"thrust::THRUST_300001_SM_800_NS::f(int)", "thrust::f"},
		{"CUB_TABLE::f(int)", "CUB_TABLE::f"}, /* no version */
		{"void ns::A<std::pair<int, unsigned long> >::step<(int)4>(int)",
		 "ns::A<...>::step<...>"},
		{"bool ns::operator< <unsigned long long, int>(A const&, A const&)",
		 "ns::operator< <...>"},
		/* not names of functions */
		{"two words that are no C++ name at all", "two words that are no C++ name at all"},
		{"a_template_that_is_never_closed<int, long",
		 "a_template_that_is_never_closed<int, long"},
		{"()", "()"},
		{"__4", "__4"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *plain = cxx_plain_name(cases[i].name, 25);

		assert_string_equal(plain, cases[i].expected);
		free(plain);
	}
}

static void shortens(const char *name, size_t limit, const char *expected)
{
	char *plain = cxx_plain_name(name, limit);

	assert_string_equal(plain, expected);
	free(plain);
}

/* Kernels of PyTorch, Thrust and nvcc: what tells them apart stays. */
static void test_template_arguments(void **state)
{
	static const struct {
		const char *name, *expected;
	} cases[] = {
		{"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>,"
		 " std::array<char*, 1ul> >(int, at::native::FillFunctor<float>)",
		 "at::native::vectorized_elementwise_kernel<FillFunctor<float>>"},
		/* types that the language has are the next to go */
		{"void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<"
		 "float, float, float, at::native::binary_internal::MulFunctor<float> >, "
		 "std::array<char*, 3ul> >(int)",
		 "at::native::vectorized_elementwise_kernel<BinaryFunctor<MulFunctor<float>>>"},
		{"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
		 "at::native::MeanOps<float, float, float, float>, unsigned int, float, 4, 4> "
		 ">(int)",
		 "at::native::reduce_kernel<ReduceOp<float, MeanOps<float>, unsigned int>>"},
		/* a lambda in a lambda of a function, passed on by a dispatcher's lambda */
		{"void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<"
		 "at::native::copy_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() "
		 "const::"
		 "{lambda()#7}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, "
		 "at::native::copy_cuda(at::TensorIteratorBase&)::{lambda()#3} const&)::"
		 "{lambda(int)#1}>(int, int)",
		 "at::native::elementwise_kernel<128, 2, copy_cuda{lambda}>"},
		{"void a_kernel_of_one_lambda<__nv_dl_wrapper_t<__nv_dl_tag<void (*)(float*, int), "
		 "&(scale_all(float*, int)), 1u>, float> >(float)",
		 "a_kernel_of_one_lambda<void (*)(...), &scale_all(...), 1u, float>"},
		/* a function of templates: its type of return is none of its name */
		{"a_kernel_of_the_name_that_takes_so_much_room<void ns::f<int>(ns::T<int>&)::"
		 "{lambda()#1}, ns::g<(anonymous namespace)::h<int> > >",
		 "a_kernel_of_the_name_that_takes_so_much_room<f<int>{lambda}, g<h<int>>>"},
		/* the first one, when there is room for no more */
		{"void ns::a_kernel_of_a_name_as_long_as_that<ns::the_first_class<int>, "
		 "ns::the_second_class<ns::A>, ns::the_third_class<ns::B> >(int)",
		 "ns::a_kernel_of_a_name_as_long_as_that<the_first_class<...>, ...>"},
		/* seven and more are too many */
		{"a_kernel_of_eight<ns::a, ns::b, ns::c, ns::d, ns::e, ns::f, ns::g, ns::h, "
		 "ns::a_name_of_some_length>",
		 "a_kernel_of_eight<a, b, c, d, e, f, ...>"},
		/* only numbers: these, as far as there is room */
		{"a_kernel_of_numbers<(bool)1, (int)-4, 3ul, (ns::some_enumeration_of_a_name)2, "
		 "true, false>",
		 "a_kernel_of_numbers<1, -4, 3ul, 2, true, false>"},
		/* names of operators and comparisons are no brackets */
		{"a_kernel_of_operators_and_of_a_name<&(ns::operator<(ns::A, ns::B)), "
		 "((4)<(5)), ns::A::operator-> >",
		 "a_kernel_of_operators_and_of_a_name<&ns::operator<(...), (...), A::operator->>"},
		{"a_function_of_some_length(std::vector<int, std::allocator<int> > const&, int) "
		 "const::{lambda(int)#1}::operator()<ns::T>(int) const",
		 "a_function_of_some_length::{lambda(int)#1}::operator()<T>"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		shortens(cases[i].name, 80, cases[i].expected);
}

/* In a line of so many bytes, whatever it costs of the name. */
static void test_short_names(void **state)
{
	static const char name[] =
		"void cub::detail::for_each::static_kernel<cub::detail::policy_500_t, "
		"long, "
		"thrust::cuda_cub::functor<thrust::device_ptr<float> > >(long)";
	static const struct {
		const char *name;
		size_t limit;
		const char *expected;
	} cases[] = {
		{name, 80,
		 "cub::detail::for_each::static_kernel<policy_500_t, functor<device_ptr<float>>>"},
		{name, 60, "cub::detail::for_each::static_kernel<policy_500_t, ...>"},
		{name, 45, "cub::detail::for_each::static_kernel<...>"},
		/* "static_kernel<...>" has 18 */
		{name, 35, "static_kernel<policy_500_t, ...>"},
		{name, 20, "static_kernel<...>"},
		{name, 10, "static_..."},
		{"main", 4, "main"},
		{"a_long_space::of::names::of_a_class<int>::operator()(float) const", 40,
		 "of_a_class<int>::operator()"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = cxx_short_name(cases[i].name, cases[i].limit);

		assert_string_equal(text, cases[i].expected);
		free(text);
	}
}

/* A name is as long and deep as its maker likes: no recursion, no more time than it is long. */
static void test_hostile_names(void **state)
{
	static const char *const parts[] = {
		"a<",       "a(",         "a<b,",        "a<&(",
		"a::b<",    "{lambda(",   "a<(b)",       "gpu_kernel_impl<",
		"a<b>()::", "x y()::{a}", "__nv_dl_tag<"};
	enum { SIZE = 1 << 20 };
	char *name = xcalloc(2 * SIZE + 64, 1);

	(void)state;
	for (size_t p = 0; p < sizeof(parts) / sizeof(*parts); p++) {
		size_t step = strlen(parts[p]), length = 0, opened = 0;
		char *closed = xcalloc(SIZE + 1, 1), *plain;

		strcpy(name, "k<");
		for (length = 2; length + step < SIZE; length += step)
			memcpy(name + length, parts[p], step);
		name[length] = '\0';
		plain = cxx_plain_name(name, 80); /* most are not closed */
		free(plain);
		for (size_t i = 0; i < length; i++) {
			if (strchr("<({", name[i]))
				closed[opened++] = name[i] == '<'   ? '>'
						   : name[i] == '(' ? ')'
								    : '}';
			else if (strchr(">)}", name[i]))
				opened--;
		}
		for (size_t i = 0; i < opened; i++)
			name[length++] = closed[opened - 1 - i];
		name[length] = '\0';
		plain = cxx_plain_name(name, 80);
		assert_true(!strncmp(plain, "k<", 2) && strlen(plain) <= 80);
		free(plain);
		free(closed);
	}
	free(name);
}

static void test_size(void **state)
{
	static const char *bad[] = {"",
				    "K",
				    "-1",
				    "1X",
				    "1Ki",
				    "1KBx",
				    "1 K",
				    ".",
				    "1e3",
				    "16384P",
				    "18446744073709551616",
				    "0x10",
				    "nan",
				    "1..2K"};
	char text[16];
	uint64_t size;

	(void)state;
	assert_int_equal(size_of("0"), 0);
	assert_int_equal(size_of("1k"), 1024);
	assert_int_equal(size_of("1KB"), 1000);
	assert_int_equal(size_of("1KiB"), 1024);
	assert_int_equal(size_of("1.5M"), 1572864);
	assert_int_equal(size_of("2GB"), 2000000000);
	assert_true(size_of("18446744073709551615") == UINT64_MAX);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(size_parse(bad[i], &size), -1);
	assert_string_equal(size_format(1023, text), "1023");
	assert_string_equal(size_format(1024, text), "1.0K");
	assert_string_equal(size_format(1048575, text), "1.0M");
	assert_string_equal(size_format(1536 * 1024, text), "1.5M");
	assert_string_equal(size_format(UINT64_MAX, text), "16384.0P");
}

static void cleans(const char *in, size_t size, size_t limit, const char *out)
{
	char *text = text_clean(in, size, limit);

	assert_string_equal(text, out);
	if (!limit)
		assert_int_equal(text_is_clean(in, size), strcmp(in, out) == 0);
	free(text);
}

static void test_text(void **state)
{
	(void)state;
	cleans("plain \\ text", 12, 0, "plain \\ text");
	cleans("a\tb\n\x1b[31m", 9, 0, "a\\x09b\\x0a\\x1b[31m");
	cleans("\xff\xc3", 2, 0, "\\xff\\xc3");
	cleans("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9, 0,
	       "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	cleans("\xc2\x85", 2, 0, "\\x85");                        /* C1 control */
	cleans("\xe2\x80\xae", 3, 0, "\\u202e");                  /* right-to-left override */
	cleans("\xc0\xaf", 2, 0, "\\xc0\\xaf");                   /* overlong '/' */
	cleans("\xed\xa0\x80", 3, 0, "\\xed\\xa0\\x80");          /* surrogate */
	cleans("\xf4\x90\x80\x80", 4, 0, "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
	cleans("", 0, 0, "");
	cleans("abcdefghij", 10, 8, "abcde...");
	cleans("abc\xc3\xa9zzz", 8, 7, "abc...");
}

static char *contents(const char *path)
{
	char *text = xcalloc(64, 1);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(fread(text, 1, 63, file) > 0);
	fclose(file);
	return text;
}

static void test_output(void **state)
{
	char folder[] = "/tmp/vflow-util-XXXXXX";
	char *path, *other, *text;
	struct error error;
	struct output *output;
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	path = xasprintf("%s/file", folder);
	output = output_open(path, &error);
	assert_non_null(output);
	fputs("first", output_file(output));
	assert_int_equal(access(path, F_OK), -1); /* nothing half-written is ever seen */
	assert_int_equal(output_commit(output, &error), 0);

	output = output_open(path, &error);
	fputs("second", output_file(output));
	output_discard(output);
	text = contents(path);
	assert_string_equal(text, "first");
	free(text);

	output = output_open("/dev/full", &error);
	assert_non_null(output);
	fputs("lost", output_file(output));
	assert_int_equal(output_commit(output, &error), -1);
	assert_non_null(strstr(error.text, "No space left"));
	assert_null(output_open(folder, &error));
	assert_non_null(strstr(error.text, "folder"));
	assert_null(output_open("/nonexistent/file", &error));
	/* a profile stays what it is */
	file = fopen(path, "w");
	fwrite("SQLite format 3", 16, 1, file);
	fclose(file);
	assert_null(output_open(path, &error));
	assert_non_null(strstr(error.text, "it is a profile"));
	unlink(path);
	/* so does what is read, under any of its names */
	file = fopen(path, "w");
	output_spare(fileno(file));
	fclose(file);
	other = xasprintf("%s/other", folder);
	assert_int_equal(symlink("file", other), 0);
	assert_null(output_open(path, &error));
	assert_non_null(strstr(error.text, "it is what is read"));
	assert_null(output_open(other, &error));
	unlink(other);
	free(other);
	unlink(path);
	assert_int_equal(rmdir(folder), 0); /* no temporary file is left */
	free(path);
}

static void test_options(void **state)
{
	bool flag = false;
	const char *name = NULL;
	uint64_t size = 0;
	double fraction = 0;
	struct option_list list = {0};
	int rest;
	const struct command_option options[] = {
		{'f', "flag", NULL, "", OPTION_FLAG, &flag},
		{'o', "output", "FILE", "", OPTION_TEXT, &name},
		{0, "size", "SIZE", "", OPTION_SIZE, &size},
		{0, "part", "FRACTION", "", OPTION_FRACTION, &fraction},
		{'e', "each", "TEXT", "", OPTION_LIST, &list},
		{0, NULL, NULL, NULL, OPTION_FLAG, NULL},
	};
	const struct command_help help = {"vflow t", "Test.", NULL, options};
	char *mixed[] = {"t",   "a",      "-fo", "x",      "--size=2K", "b",
			 "-e1", "--each", "2",   "--part", "33%",       NULL};
	char *stop[] = {"t", "-f", "prog", "-o", "y", NULL};
	char *dashes[] = {"t", "--", "-f", NULL};
	char *unknown[] = {"t", "--what", NULL}, *letter[] = {"t", "-z", NULL};
	char *lacking[] = {"t", "-o", NULL}, *wrong[] = {"t", "--size", "x", NULL};
	char *part[] = {"t", "--part", "1.5", NULL};

	(void)state;
	assert_int_equal(options_parse(&help, 11, mixed, 2, &rest), OPTIONS_RUN);
	assert_true(flag);
	assert_string_equal(name, "x");
	assert_int_equal(size, 2048);
	assert_true(fraction > 0.329 && fraction < 0.331);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[1], "2");
	assert_int_equal(rest, 9);
	assert_string_equal(mixed[rest], "a");
	assert_string_equal(mixed[rest + 1], "b");

	flag = false;
	free(list.items);
	assert_int_equal(options_parse(&help, 5, stop, OPTIONS_PROGRAM, &rest), OPTIONS_RUN);
	assert_true(flag);
	assert_int_equal(rest, 2);
	assert_string_equal(name, "x"); /* the program's -o is not ours */

	flag = false;
	assert_int_equal(options_parse(&help, 3, dashes, 1, &rest), OPTIONS_RUN);
	assert_false(flag);
	assert_int_equal(rest, 2);
	assert_int_equal(options_parse(&help, 2, unknown, 1, &rest), EXIT_MISUSE);
	assert_int_equal(options_parse(&help, 2, letter, 1, &rest), EXIT_MISUSE);
	assert_int_equal(options_parse(&help, 2, lacking, 1, &rest), EXIT_MISUSE);
	assert_int_equal(options_parse(&help, 3, wrong, 1, &rest), EXIT_MISUSE);
	assert_int_equal(options_parse(&help, 3, part, 1, &rest), EXIT_MISUSE);
	assert_int_equal(options_parse(&help, 3, dashes, 0, &rest), EXIT_MISUSE);
}

static void test_shell(void **state)
{
	static const char *const words[][2] = {
		{"plain-1.x", "plain-1.x"}, {"", "''"},       {"a b", "'a b'"},
		{"it's", "'it'\\''s'"},     {"'", "''\\'''"}, {"$x\n*", "$'$x\\x0a*'"},
	};
	char *word;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		word = text_shell(words[i][0]);

		assert_string_equal(word, words[i][1]);
		free(word);
	}
	word = text_shell("a'\\\x1b[31m\xc3\xa4\xff.db");
	assert_string_equal(word, "$'a\\'\\\\\\x1b[31m\\xc3\\xa4\\xff.db'");
	free(word);
	word = text_shell_file("-a b.db");
	assert_string_equal(word, "'./-a b.db'");
	free(word);
}

/* Of names of files and the like terminals get no control characters. */
static void test_error(void **state)
{
	struct error error;
	char path[3000];

	(void)state;
	error_set(&error, "cannot read %s", "a\x1b[31m\xc3\xa4\x7f\xc2\x9b\xff\x9b\xe2\x82.db");
	assert_string_equal(error.text,
			    "cannot read a\\x1b[31m\xc3\xa4\\x7f\\xc2\\x9b\\xff\\x9b\\xe2\\x82.db");
	/* lines and columns of a query stay */
	error_set(&error, "line 1\n\t^");
	error_prefix(&error, "\r%s", "x\n");
	assert_string_equal(error.text, "\\x0dx\n: line 1\n\t^");
	/* what grows beyond the room is cut, between characters */
	memset(path, 0x1b, sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	error_set(&error, "%s", path);
	assert_true(strlen(error.text) < sizeof(error.text) && strlen(error.text) % 4 == 0);
	assert_int_equal(strspn(error.text, "\\x1b"), strlen(error.text));
}

/* {"a\"\\<\x01": [1, null, 0.1, 1.0, 1e-07], "b": {}, "c": []} in a style. */
static char *make_json(enum json_style style)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct json json = {.file = file, .style = style};

	json_begin(&json, '{');
	json_name(&json, "a\"\\<\x01");
	json_begin(&json, '[');
	json_count(&json, UINT64_MAX);
	json_text(&json, NULL);
	json_real(&json, 0.1);
	json_line(&json);
	json_real(&json, 1);
	json_real(&json, 1e-7);
	json_real(&json, 1 / 0.0);
	json_raw(&json, "%.1f", 2.0);
	json_end(&json, ']');
	json_named_text(&json, "none", NULL);
	json_named_text(&json, "b", "it's");
	json_named_text(&json, "\xff", "\xc2\x9b\x7f \xc3\xa9\xe2\x82");
	json_name(&json, "c");
	json_begin(&json, '{');
	json_end(&json, '}');
	json_named_count(&json, "d", 0);
	json_end(&json, '}');
	fclose(file);
	return text;
}

static void test_json(void **state)
{
	static const struct {
		enum json_style style;
		const char *expected;
	} cases[] = {
		{JSON_COMPACT,
		 "{\"a\\\"\\\\<\\u0001\":[18446744073709551615,null,0.1,\n1.0,1e-07,null,"
		 "2.0],\"b\":\"it's\",\"\\\\xff\":\"\\u009b\\u007f "
		 "\xc3\xa9\\\\xe2\\\\x82\",\"c\":{},\"d\":0}"},
		{JSON_IN_HTML,
		 "{\"a\\u0022\\u005c\\u003c\\u0001\":[18446744073709551615,null,0.1,\n1,"
		 "1e-07,null,2.0],\"b\":\"it\\u0027s\",\"\\u005cxff\":\"\\u009b\\u007f "
		 "\xc3\xa9\\u005cxe2\\u005cx82\",\"c\":{},\"d\":0}"},
		{JSON_INDENTED,
		 "{\n \"a\\\"\\\\<\\u0001\": [\n  18446744073709551615,\n  null,\n  "
		 "0.10000000000000001,\n  1.0,\n  9.9999999999999995e-8,\n  "
		 "null,\n  2.0\n ],\n \"b\": "
		 "\"it's\",\n \"\\\\xff\": \"\\u009b\\u007f \xc3\xa9\\\\xe2\\\\x82\",\n "
		 "\"c\": {},\n \"d\": 0\n}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = make_json(cases[i].style);

		assert_string_equal(text, cases[i].expected);
		free(text);
	}
}

static void test_choice(void **state)
{
	const char *const words[] = {"a", "bc", "def"};
	char text[20];

	(void)state;
	assert_string_equal(text_choice(words, 0, text, sizeof(text)), "");
	assert_string_equal(text_choice(words, 1, text, sizeof(text)), "a");
	assert_string_equal(text_choice(words, 2, text, sizeof(text)), "a or bc");
	assert_string_equal(text_choice(words, 3, text, sizeof(text)), "a, bc or def");
	assert_string_equal(text_choice(words, 3, text, 6), "a, bc");
	assert_string_equal(text_alternatives(words, 3, text, sizeof(text)), "a|bc|def");
	assert_string_equal(text_alternatives(words, 0, text, sizeof(text)), "");
}

/* Against a table of all pairs: two thirds are added, one third removed, so that many wrap around.
 */
static void test_pair_map(void **state)
{
	enum { SIDE = 48, STEPS = 20000 };
	static uint32_t model[SIDE][SIDE];
	struct pair_map map = {0};
	uint32_t seed = 1, value, count = 0;

	(void)state;
	memset(model, 0xff, sizeof(model));
	assert_int_equal(pair_map_get(&map, 1, 2), UINT32_MAX);
	pair_map_remove(&map, 1, 2);
	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t a = (seed >> 8) % SIDE, b = (seed >> 16) % SIDE;
		uint32_t *known = &model[a][b];

		if (seed >> 28 < 11) {
			assert_int_equal(pair_map_find(&map, a, b, i, &value),
					 *known != UINT32_MAX);
			count += *known == UINT32_MAX;
			*known = *known == UINT32_MAX ? i : *known;
			assert_int_equal(value, *known);
		} else {
			pair_map_remove(&map, a, b);
			count -= *known != UINT32_MAX;
			*known = UINT32_MAX;
		}
		assert_int_equal(map.count, count);
		seed = seed * 1664525 + 1013904223;
	}
	for (uint32_t a = 0; a < SIDE; a++)
		for (uint32_t b = 0; b < SIDE; b++)
			assert_int_equal(pair_map_get(&map, a, b), model[a][b]);
	assert_true(count > SIDE);
	pair_map_release(&map);
	assert_int_equal(pair_map_get(&map, 1, 2), UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_names),
		cmocka_unit_test(test_pair_map),
		cmocka_unit_test(test_template_arguments),
		cmocka_unit_test(test_short_names),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_shell),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_choice),
	};

	return cmocka_run_group_tests_name("util", tests, NULL, NULL);
}
