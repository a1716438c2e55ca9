/*
 * First uses of managed memory, for tests/cli/first_use.sh: `first_use allocated` or `first_use
 * variable`.  The lines of the use's call path end with "the use" and "its caller".
 */
#include <cstdio>
#include <cstring>

#include "tests/programs/launch.h"

enum { WORDS = 16384 };

__managed__ int table[WORDS];
static volatile int sum;

__global__ void fill(int *to, int value)
{
	to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void fill_table(int value)
{
	table[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static __attribute__((noinline)) void look(volatile int *at)
{
	sum += at[5000]; /* the use */
}

static __attribute__((noinline)) void inspect(volatile int *at)
{
	look(at); /* its caller */
	sum++;
}

int main(int argc, char **argv)
{
	int *memory = NULL;

	if (argc > 1 && !strcmp(argv[1], "variable")) {
		memory = table;
		memory[0] = 1;
		LAUNCH(fill_table, WORDS / 256, 256, 7);
	} else {
		CHECK(cudaMallocManaged(&memory, WORDS * sizeof(int)));
		LAUNCH(fill, WORDS / 256, 256, memory, 7);
	}
	CHECK(cudaDeviceSynchronize());
	inspect(memory);
	printf("%d\n", sum);
	return 0;
}
