/*
 * Kernels of which some launches are not analysed: `filters KERNEL...` names which of them run,
 * each five times from one line.  All arrays hold 1024 bytes.
 */
#include <string.h>

#include "tests/programs/launch.h"

KERNELS("tests/programs/filters_kernels.ptx")

enum { SIZE = 1024, THREADS = SIZE / 4, TIMES = 5 };

static unsigned *filled(void)
{
	unsigned *data;

	CHECK(cudaMalloc((void **)&data, SIZE));
	CHECK(cudaMemset(data, 0, SIZE));
	return data;
}

static void read_back(const unsigned *data)
{
	unsigned words[THREADS];

	CHECK(cudaMemcpy(words, data, SIZE, cudaMemcpyDeviceToHost));
	printf("%u\n", words[THREADS - 1]);
}

static void run_fill(void)
{
	unsigned *data = filled();

	for (int i = 0; i < TIMES; i++)
		LAUNCH(fill, 1, THREADS, data, 7u);
	read_back(data);
}

static void run_through(void)
{
	unsigned *data = filled(), **table;

	CHECK(cudaMalloc((void **)&table, sizeof(data)));
	CHECK(cudaMemcpy(table, &data, sizeof(data), cudaMemcpyHostToDevice));
	for (int i = 0; i < TIMES; i++)
		LAUNCH(through, 1, THREADS, table);
	read_back(data);
}

static void read_variable(const char *name)
{
	CUdeviceptr address;
	unsigned value;
	size_t size;

	CHECK(cuModuleGetGlobal(&address, &size, kernels_module(), name));
	CHECK(cuMemcpyDtoH(&value, address, sizeof(value)));
	printf("%s %u\n", name, value);
}

static void run_stash(void)
{
	struct {
		int tag;
		unsigned *data;
	} box = {2, filled()};

	for (int i = 0; i < TIMES; i++)
		CHECK(cuLaunchKernel(kernel("stash"), 1, 1, 1, THREADS, 1, 1, 0, NULL,
				     (void *[]){&box}, NULL));
	read_back(box.data);
	read_variable("total");
	read_variable("scale");
}

static void run_halve(void)
{
	unsigned *data = filled();

	for (int i = 0; i < TIMES; i++)
		LAUNCH(_Z5halveIjEvPT_, 1, THREADS, data);
	read_back(data);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kernels[] = {{"fill", run_fill},
		       {"through", run_through},
		       {"stash", run_stash},
		       {"halve", run_halve}};

	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < sizeof(kernels) / sizeof(*kernels); k++)
			if (!strcmp(argv[i], kernels[k].name))
				kernels[k].run();
	return 0;
}
