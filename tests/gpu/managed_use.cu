/*
 * First uses of managed memory on a GPU, for tests/gpu/use.sh: `managed_use CASE`.  The line of the
 * first use ends with "the use".
 */
#include <stdio.h>
#include <string.h>

#include "tests/programs/launch.h"

enum { WORDS = 1 << 20 };

static volatile int sum, times = 3; /* so that no loop is unrolled */

__global__ void fill(int *a, int value)
{
	a[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static int *managed()
{
	int *memory;

	CHECK(cudaMallocManaged((void **)&memory, WORDS * sizeof(int)));
	return memory;
}

__attribute__((noinline)) static void launch(int *a, int value)
{
	fill<<<WORDS / 256, 256>>>(a, value);
	CHECK(cudaDeviceSynchronize());
}

static void read_it()
{
	int *a = managed();

	launch(a, 7);
	sum += a[1000]; /* the use */
	sum += a[0];
}

static void never()
{
	launch(managed(), 7);
}

/* Of three waits only the last one's memory is read. */
static void last()
{
	int *a = managed();

	for (int i = 0; i < times; i++)
		launch(a, i);
	sum += a[5]; /* the use */
}

/* The pages come back before anybody touches them: nothing is known. */
static void prefetched()
{
	int *a = managed();

	launch(a, 7);
#if CUDART_VERSION >= 13000
	CHECK(cudaMemPrefetchAsync(a, WORDS * sizeof(int),
				   cudaMemLocation{cudaMemLocationTypeHost, 0}, 0, 0));
#else
	CHECK(cudaMemPrefetchAsync(a, WORDS * sizeof(int), cudaCpuDeviceId, 0));
#endif
	CHECK(cudaStreamSynchronize(0));
	sum += a[5];
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)();
	} cases[] = {
		{"read", read_it}, {"never", never}, {"last", last}, {"prefetched", prefetched}};

	CHECK(cudaFree(NULL));
	for (const auto &one : cases)
		if (argc == 2 && !strcmp(argv[1], one.name)) {
			one.run();
			printf("%s is over\n", argv[1]);
			return 5;
		}
	return 2;
}
