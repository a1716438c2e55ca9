/*
 * tests/gpu/ptx/record.c: what the instructions of cases.txt give on the device that libcuda has.
 *
 *     record cases.txt >expected.txt
 *
 * Loads libcuda.so.1 itself: the same program runs on a GPU and on the emulated device.
 */
#include <dlfcn.h>
#include <time.h>

#include "tests/gpu/ptx/cases.h"

static int (*cuInit)(unsigned), (*cuDeviceGet)(int *, int), (*cuCtxCreate)(void **, unsigned, int);
static int (*cuDeviceGetName)(char *, int, int), (*cuDriverGetVersion)(int *);
static int (*cuModuleLoadData)(void **, const void *), (*cuModuleUnload)(void *);
static int (*cuModuleGetFunction)(void **, void *, const char *);
static int (*cuMemAlloc)(uint64_t *, size_t), (*cuMemcpyHtoD)(uint64_t, const void *, size_t);
static int (*cuMemcpyDtoH)(void *, uint64_t, size_t),
	(*cuMemsetD8)(uint64_t, unsigned char, size_t);
static int (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
			     unsigned, void *, void **, void **);

static const struct {
	const char *name;
	void *function;
} functions[] = {
	{"cuInit", &cuInit},
	{"cuDeviceGet", &cuDeviceGet},
	{"cuCtxCreate_v2", &cuCtxCreate},
	{"cuDeviceGetName", &cuDeviceGetName},
	{"cuDriverGetVersion", &cuDriverGetVersion},
	{"cuModuleLoadData", &cuModuleLoadData},
	{"cuModuleUnload", &cuModuleUnload},
	{"cuModuleGetFunction", &cuModuleGetFunction},
	{"cuMemAlloc_v2", &cuMemAlloc},
	{"cuMemcpyHtoD_v2", &cuMemcpyHtoD},
	{"cuMemcpyDtoH_v2", &cuMemcpyDtoH},
	{"cuMemsetD8_v2", &cuMemsetD8},
	{"cuLaunchKernel", &cuLaunchKernel},
};

#define MOST 4096u
#define BATCH 48u
static struct ptx_case cases[MOST];
static uint64_t input, output;

static void check(int error, const char *what)
{
	if (error) {
		fprintf(stderr, "record: %s: error %d\n", what, error);
		exit(1);
	}
}

/* Runs one kernel and prints its line; a failed launch ends the program, for the context is lost.
 */
static void run(void *module, const struct ptx_case *c, const char *name)
{
	static uint32_t words[CASES_THREADS * CASES_WORDS];
	static uint64_t results[CASES_THREADS * CASES_STRIDE];
	void *arguments[] = {&input, &output}, *function;

	check(cuModuleGetFunction(&function, module, name), c->line);
	for (unsigned t = 0; t < CASES_THREADS; t++)
		cases_input(c, t, words + t * CASES_WORDS);
	check(cuMemcpyHtoD(input, words, sizeof(words)), c->line);
	check(cuMemsetD8(output, 0, sizeof(results)), c->line);
	check(cuLaunchKernel(function, 1, 1, 1, CASES_THREADS, 1, 1, 0, NULL, arguments, NULL),
	      c->line);
	check(cuMemcpyDtoH(results, output, sizeof(results)), c->line);
	cases_print(stdout, c, results);
}

/* One module for many cases; where it does not compile, one for each, and who fails is named. */
static void run_batch(unsigned first, unsigned count)
{
	static char text[BATCH * 8192];
	size_t used = (size_t)snprintf(text, sizeof(text), "%s", CASES_HEADER);
	char name[16];
	void *module;

	for (unsigned n = 0; n < count; n++) {
		snprintf(name, sizeof(name), "k%u", n);
		cases_kernel(&cases[first + n], name, text + used, sizeof(text) - used);
		used += strlen(text + used);
	}
	if (cuModuleLoadData(&module, text)) {
		if (count == 1)
			printf("# not compiled: %s\n", cases[first].line);
		for (unsigned n = 0; count > 1 && n < count; n += (count + 3) / 4)
			run_batch(first + n,
				  n + (count + 3) / 4 < count ? (count + 3) / 4 : count - n);
		return;
	}
	for (unsigned n = 0; n < count; n++) {
		snprintf(name, sizeof(name), "k%u", n);
		run(module, &cases[first + n], name);
	}
	cuModuleUnload(module);
}

int main(int argc, char **argv)
{
	FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
	unsigned count = 0;
	void *library, *context;
	char name[128], date[32];
	time_t now = time(NULL);
	int device, version;

	if (!file) {
		fprintf(stderr, "usage: record cases.txt [ptx]\n");
		return 2;
	}
	while (count < MOST && cases_next(file, &cases[count]))
		count++;
	fclose(file);
	if (argc > 2) { /* the text, for ptxas */
		printf("%s", CASES_HEADER);
		for (unsigned n = 0; n < count; n++) {
			char text[8192], kernel[16];

			snprintf(kernel, sizeof(kernel), "k%u", n);
			cases_kernel(&cases[n], kernel, text, sizeof(text));
			printf("// %s\n%s", cases[n].line, text);
		}
		return 0;
	}
	library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
	if (!library) {
		fprintf(stderr, "record: %s\n", dlerror());
		return 1;
	}
	for (size_t n = 0; n < sizeof(functions) / sizeof(*functions); n++) {
		*(void **)functions[n].function = dlsym(library, functions[n].name);
		if (!*(void **)functions[n].function) {
			fprintf(stderr, "record: no %s\n", functions[n].name);
			return 1;
		}
	}
	check(cuInit(0), "cuInit");
	check(cuDeviceGet(&device, 0), "cuDeviceGet");
	check(cuCtxCreate(&context, 0, device), "cuCtxCreate");
	check(cuDeviceGetName(name, sizeof(name), device), "cuDeviceGetName");
	check(cuDriverGetVersion(&version), "cuDriverGetVersion");
	check(cuMemAlloc(&input, CASES_THREADS * CASES_WORDS * 4), "cuMemAlloc");
	check(cuMemAlloc(&output, CASES_THREADS * CASES_STRIDE * 8), "cuMemAlloc");
	strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&now));
	printf("# %s, %s, driver %d: tests/gpu/ptx/record tests/gpu/ptx/cases.txt\n", date, name,
	       version);
	for (unsigned n = 0; n < count; n += BATCH)
		run_batch(n, count - n < BATCH ? count - n : BATCH);
	return 0;
}
