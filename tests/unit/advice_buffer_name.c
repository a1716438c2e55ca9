/* What memory is called, by allocations as programs write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advice/buffer_name.h"
#include "advice/source_files.h"
#include "graph/profile/profile.h"

static char path[] = "/tmp/vflow-buffer.XXXXXX";

static void write_text(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

struct frame {
	char *function;
	uint32_t line;
};

/* Frames are all of the one file, the innermost first; the last has no function. */
static void check_path(const char *api, const char *text, const struct frame *frames,
		       const char *expected)
{
	struct source_files files = {0};
	struct profile_frame all[8] = {0};
	const struct profile_frame *path_of[8];
	uint32_t count = 0;
	char *name;

	for (; frames[count].function; count++) {
		all[count].function = frames[count].function;
		all[count].file = path;
		all[count].line = frames[count].line;
		path_of[count] = &all[count];
	}
	write_text(text);
	name = buffer_name_find(&files, api, path_of, count);
	source_files_release(&files);
	if (!expected != !name || (name && strcmp(name, expected) != 0))
		fail_msg("%s: \"%s\", not \"%s\"", text, name ? name : "(none)",
			 expected ? expected : "(none)");
	free(name);
}

#define PATH(...) ((const struct frame[]){__VA_ARGS__, {NULL, 0}})

static void check_line(const char *api, uint32_t line, const char *text, const char *expected)
{
	check_path(api, text, PATH({"main", line}), expected);
}

static void test_one_line(void **state)
{
	(void)state;
	check_line("cudaMalloc", 1, "  CHECK(cudaMalloc((void **)&d.mass, n));", "d.mass");
	check_line("cudaMalloc", 1, "cudaMalloc(&x, n);", "x");
	check_line("cudaMalloc", 1, "if (cudaMalloc((void**) (&x), n) != cudaSuccess) {", "x");
	check_line("cudaMalloc", 1, "check(cudaMalloc(reinterpret_cast<void **>(&x), n));", "x");
	check_line("cudaMalloc", 1, "cudaMalloc<float>(&this->data_, n);", "data_");
	check_line("cudaMalloc", 1, "::cudaMalloc(&Pool::base, n);", "Pool::base");
	check_line("cudaMalloc", 1, "for (i = 0; i < 3; i++) cudaMalloc(&p[i], n);", "p[i]");
	check_line("cudaMalloc", 1, "cudaMalloc(& p -> x [i + 1], n);", "p->x[i+1]");
	check_line("cudaMallocManaged", 1, "cudaMallocManaged(&p->x[i], n);", "p->x[i]");
	check_line("cudaMallocAsync", 1, "cudaMallocAsync(&x, n, stream);", "x");
	check_line("cudaMallocPitch", 1, "cudaMallocPitch(&rows, &pitch, w, h);", "rows");
	check_line("cudaHostAlloc", 1, "cudaHostAlloc(&b, n, 0);", "b");
	check_line("cuMemAlloc", 1, "cuMemAlloc(&b, n);", "b");
}

static void test_several_lines(void **state)
{
	static const char text[] = "int a;\n"
				   "CHECK(\n"
				   "	cudaMalloc( /* &no, */\n"
				   "		(void **)&d.mass, // &nor\n"
				   "		count * sizeof(*d.mass)));\n"
				   "\n"
				   "cudaMalloc(&y, n);\n";

	(void)state;
	for (uint32_t line = 2; line <= 5; line++)
		check_line("cudaMalloc", line, text, "d.mass");
	check_line("cudaMalloc", 1, text, NULL);
	check_line("cudaMalloc", 6, text, NULL);
	check_line("cudaMalloc", 7, text, "y");
	check_line("cudaMalloc", 8, text, NULL);
	check_line("cudaMalloc", 0, text, NULL);
	check_line("cudaMalloc", UINT32_MAX, text, NULL);
}

static void test_doubt(void **state)
{
	(void)state;
	check_line("cudaMalloc", 1, "cudaMalloc(&a, n); cudaMalloc(&b, n);", NULL);
	check_line("cudaMalloc", 1, "ALLOCATE(&a, n);", NULL);
	check_line("cudaMalloc", 1, "my_cudaMalloc(&a, n);", NULL);
	check_line("cudaMalloc", 1, "// cudaMalloc(&a, n);", NULL);
	check_line("cudaMalloc", 1, "puts(\"cudaMalloc(&a, n)\");", NULL);
	check_line("cudaMalloc", 1, "#define A(x) cudaMalloc(&x, n)", NULL);
	check_line("cudaMalloc", 1, "cudaMalloc(to, n);", NULL);
	check_line("cudaMalloc", 1, "cudaMalloc(all + i, n);", NULL);
	check_line("cudaMalloc", 1, "cudaMalloc(&at(i), n);", NULL);
	check_line("cudaMalloc", 1, "cudaMalloc(&*p, n);", NULL);
	check_line("cudaMalloc", 1, "cudaMalloc(&x[f(i)], n);", NULL);
	check_line("cudaMalloc", 1, "cudaMalloc(&", NULL);
	check_line("cudaMalloc", 1, "cudaMalloc()", NULL);
	check_line("cudaMalloc", 1, "", NULL);
	check_line("cudaHostAlloc", 1, "cudaMalloc(&x, n);", NULL);
	check_line("cuMemMap", 1, "cuMemMap(&x, n);", NULL);
	check_line("use", 1, "use(&x);", NULL);
	check_line(NULL, 1, "cudaMalloc(&x, n);", NULL);
}

/* A wrapper's parameter is what the caller passes. */
static void test_parameters(void **state)
{
	static const char text[] = "static void allocate(size_t n, void **ptr)\n"
				   "{\n"
				   "	if (n) {\n"
				   "		CHECK(cudaMalloc(ptr, n));\n"
				   "	}\n"
				   "}\n"
				   "template <class T> void twice(std::pair<T, int> x, T *&p) {\n"
				   "	allocate(n, (void **)&p);\n"
				   "}\n"
				   "void other(void **p) { allocate(2 * f(1, 2), p); }\n"
				   "int main() {\n"
				   "	allocate(4 * n, (void **)&d->mass);\n"
				   "	twice<float>({1, 2}, d.x);\n"
				   "	other((void **)&z);\n"
				   "	allocate(1, &a), allocate(2, &b);\n"
				   "	allocate(1, all);\n"
				   "}\n";
	static char pair[] = "void twice<float>(std::pair<float, int>, float*&)";

	(void)state;
	check_path("cudaMalloc", text, PATH({"allocate", 4}, {"main", 12}), "d->mass");
	check_path("cudaMalloc", text,
		   PATH({"allocate(unsigned long, void**)", 4}, {pair, 8}, {"main", 13}), "d.x");
	check_path("cudaMalloc", text, PATH({"allocate", 4}, {"other", 10}, {"main", 14}), "z");
	check_path("cudaMalloc", text, PATH({"allocate", 4}, {"main", 15}), NULL);
	check_path("cudaMalloc", text, PATH({"allocate", 4}, {"main", 16}), NULL);
	check_path("cudaMalloc", text, PATH({"allocate", 4}, {"main", 1}), NULL);
	check_path("cudaMalloc", text, PATH({"allocate", 4}, {"main", 0}), NULL);
	check_path("cudaMalloc", text, PATH({"allocate", 4}), NULL);
	check_path("cudaMalloc", text, PATH({"allocate", 4}, {pair, 8}), NULL);
}

/* What a wrapper returns is what the caller calls it. */
static void test_results(void **state)
{
	static const char text[] = "template <typename T>\n"
				   "T *device_alloc(size_t n) {\n"
				   "	T *p; cudaMalloc(&p, n * sizeof(T));\n"
				   "	return p;\n"
				   "}\n"
				   "float *floats(size_t n) { return device_alloc<float>(n); }\n"
				   "void *operator new(size_t n, where w) {\n"
				   "	void *q = 0; cudaMalloc(&q, n); return (q);\n"
				   "}\n"
				   "int main() {\n"
				   "	T *a = device_alloc<T>(n);\n"
				   "	net.b = (float *)mem::device_alloc<T>(n);\n"
				   "	c[i] = static_cast<float *>(device_alloc<T>(n));\n"
				   "	float *d = floats(n);\n"
				   "	use(device_alloc<T>(n));\n"
				   "	float *e = device_alloc<T>(n), *f = device_alloc<T>(n);\n"
				   "	auto g = new (device) float[n];\n"
				   "	if (h == device_alloc<T>(n)) {}\n"
				   "	float *const k =\n"
				   "		pool->device_alloc<T>(\n"
				   "			n);\n"
				   "}\n";
	static char function[] = "float* device_alloc<float>(unsigned long)";
	static char new[] = "operator new(unsigned long, where)";

	(void)state;
	check_path("cudaMalloc", text, PATH({function, 3}, {"main", 11}), "a");
	check_path("cudaMalloc", text, PATH({function, 3}, {"main", 12}), "net.b");
	check_path("cudaMalloc", text, PATH({function, 3}, {"main", 13}), "c[i]");
	check_path("cudaMalloc", text,
		   PATH({function, 3}, {"floats(unsigned long)", 6}, {"main", 14}), "d");
	/* the function's own name where the caller has none, or more than one */
	check_path("cudaMalloc", text, PATH({function, 3}, {"main", 15}), "p");
	check_path("cudaMalloc", text, PATH({function, 3}, {"main", 16}), "p");
	check_path("cudaMalloc", text, PATH({new, 8}, {"main", 17}), "g");
	check_path("cudaMalloc", text, PATH({function, 3}, {"main", 18}), "p");
	check_path("cudaMalloc", text, PATH({function, 3}, {"main", 20}), "k");
	check_path("cudaMalloc", text, PATH({function, 3}), "p");
}

/* "*out = f(n)" gives the caller's variable the memory; `out` is another pointer. */
static void test_stored(void **state)
{
	static const char text[] =
		"float *get(size_t n) { float *p; cudaMalloc(&p, n); return p; }\n"
		"void make(float **out, size_t n) {\n"
		"	*out = get(n);\n"
		"	if (n) *out = (float *)get(n);\n"
		"	else *out = get(n);\n"
		"	n = 0, *out = get(n);\n"
		"	**out = get(n);\n"
		"	out -> x = get(n);\n"
		"	float **q = get(n);\n"
		"	*other = get(n);\n"
		"	case 1: q = get(n);\n"
		"}\n"
		"int main() {\n"
		"	make(&d.mass, n);\n"
		"}\n";
	static const struct {
		uint32_t line;
		const char *name;
	} cases[] = {{3, "d.mass"}, {4, "d.mass"}, {5, "d.mass"}, {6, "p"}, {7, "p"},
		     {8, "p"},      {9, "q"},      {10, "p"},     {11, "q"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_path("cudaMalloc", text,
			   PATH({"get", 1}, {"make", cases[i].line}, {"main", 14}), cases[i].name);
}

/* A parameter that the wrapper changes is not what the caller passes. */
static void test_changed_parameters(void **state)
{
	static const struct {
		const char *body, *name;
	} cases[] = {
		{"*p = 0; if (p == q) p->x = 0; cudaMalloc(p, n);", "a"},
		{"x.p = 0; q->p = 0; pp = 0; cudaMalloc(p, n);", "a"},
		{"for (; n; n--, p++) cudaMalloc(p, n);", NULL},
		{"for (; n; ++p) cudaMalloc(p, n);", NULL},
		{"if (n) p = q; cudaMalloc(p, n);", NULL},
		{"p += n; cudaMalloc(p, n);", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[200];

		snprintf(text, sizeof(text), "void f(void **p) { %s }\nint main() { f(&a); }\n",
			 cases[i].body);
		check_path("cudaMalloc", text, PATH({"f", 1}, {"main", 2}), cases[i].name);
	}
}

static void test_members(void **state)
{
	static const char text[] = "struct Buffer {\n"
				   "	explicit Buffer(size_t n) : size(n) { alloc(&data, n); }\n"
				   "	void grow(size_t n) { cudaMalloc(&data, n); }\n"
				   "	static void alloc(float **p, size_t n) {\n"
				   "		cudaMalloc(p, n);\n"
				   "	}\n"
				   "	float *data;\n"
				   "};\n";

	(void)state;
	check_path("cudaMalloc", text, PATH({"Buffer::grow(unsigned long)", 3}), "data");
	check_path("cudaMalloc", text,
		   PATH({"Buffer::alloc(float**, unsigned long)", 5},
			{"Buffer::Buffer(unsigned long)", 2}),
		   "data");
}

/* Names from a profile may be those of anything, and files may hold anything. */
static void test_hostile(void **state)
{
	struct profile_frame frame = {.file = "/dev/zero", .line = 1};
	const struct profile_frame *frames[] = {&frame};
	const size_t size = 3 << 20;
	static const char *const pieces[] = {
		"cudaMalloc<", "cudaMalloc(&", "return p ", "){", "{", "("};
	struct source_files files = {0};
	char *text = malloc(size + 16);

	(void)state;
	assert_null(buffer_name_find(&files, "cudaMalloc", frames, 1));
	assert_null(buffer_name_find(&files, "cudaMalloc", frames, 0));
	source_files_release(&files);
	assert_non_null(text);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		text[0] = '\0';
		for (size_t at = 0; at < size; at += strlen(pieces[i]))
			strcpy(text + at, pieces[i]);
		check_line("cudaMalloc", 1, text, NULL);
		text[size / 2] = '\n';
		check_line("cudaMalloc", 2, text, NULL);
		strcpy(text + size / 2, "\ncudaMalloc(&p, n);");
		/* no name where others are allocated in the same statement */
		check_line("cudaMalloc", 2, text, i == 1 ? NULL : "p");
	}
	/* a parameter named again and again, then blanks */
	memset(text, ' ', size);
	memcpy(text, "void f(void **p) { cudaMalloc(p);\n", 34);
	for (size_t at = 34; at < size / 2; at += 2)
		text[at] = 'p';
	strcpy(text + size, "}\nf(&a);");
	check_path("cudaMalloc", text, PATH({"f", 1}, {"main", 3}), "a");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_line),
		cmocka_unit_test(test_several_lines),
		cmocka_unit_test(test_doubt),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_stored),
		cmocka_unit_test(test_changed_parameters),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_hostile),
	};
	int failed, fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests_name("advice_buffer_name", tests, NULL, NULL);
	unlink(path);
	return failed;
}
