/*
 * memory [array | stacks]: the GPU's memory becomes short: what vflow keeps there must make way,
 * and nothing may be lost.  Sizes in MiB: a 512, b (or an array, or all threads' stacks) 1536; what
 * else there is, but for 3 GiB, is taken before.
 *
 * memory large: one object that takes 70 % of the memory.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

static __global__ void increment(int *data)
{
	data[blockIdx.x * blockDim.x + threadIdx.x]++;
}

/* 1536 MiB of floats that take the place of shadows. */
static void array(void)
{
	const size_t width = 32768, height = 12288;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	float row[256] = {1}, back = 0;
	cudaArray_t made;

	CHECK(cudaMallocArray(&made, &format, width, height));
	CHECK(cudaMemcpy2DToArray(made, 0, height - 1, row, sizeof(row), sizeof(row), 1,
				  cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy2DFromArray(&back, sizeof(back), made, 0, height - 1, sizeof(back), 1,
				    cudaMemcpyDeviceToHost));
	CHECK(cudaFreeArray(made));
	printf("%g\n", back);
}

/* A kernel whose stack nobody knows. */
static __device__ __noinline__ int depth(int n, volatile int *data)
{
	int room[64];

	room[n % 64] = data[n % 256];
	return n ? depth(n - 1, data) + room[n % 64] : 0;
}

static __global__ void recurse(int *data)
{
	data[0] = depth(data[0] & 3, data);
}

/* 1536 MiB of stacks. */
static void stacks(int *data)
{
	cudaDeviceProp device;
	size_t threads, set;

	CHECK(cudaGetDeviceProperties(&device, 0));
	threads = (size_t)device.multiProcessorCount * device.maxThreadsPerMultiProcessor;
	CHECK(cudaDeviceSetLimit(cudaLimitStackSize, ((size_t)1536 << 20) / threads));
	recurse<<<1, 1>>>(data);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaDeviceGetLimit(&set, cudaLimitStackSize));
	printf("%d\n", set * threads > (size_t)1500 << 20);
}

static void large(void)
{
	size_t unused, total;
	int first = 0;
	int *data;

	CHECK(cudaMemGetInfo(&unused, &total));
	CHECK(cudaMalloc((void **)&data, total / 10 * 7));
	CHECK(cudaMemset(data, 0, total / 10 * 7));
	increment<<<1, 256>>>(data);
	CHECK(cudaMemcpy(&first, data, sizeof(first), cudaMemcpyDeviceToHost));
	printf("%d\n", first);
}

int main(int argc, char **argv)
{
	const size_t MiB = 1 << 20, a_size = 512 * MiB, b_size = 1536 * MiB;
	char *a, *b, *ballast, last;
	size_t unused, total;

	CHECK(cudaFree(0));
	if (argc > 1 && *argv[1] == 'l') {
		large();
		return 0;
	}
	CHECK(cudaMemGetInfo(&unused, &total));
	CHECK(cudaMalloc((void **)&ballast, unused - 3072 * MiB));
	CHECK(cudaMalloc((void **)&a, a_size));
	CHECK(cudaMemset(a, 1, a_size));
	increment<<<1, 256>>>((int *)a);
	if (argc > 1) {
		if (*argv[1] == 's')
			stacks((int *)a);
		else
			array();
		return 0;
	}
	CHECK(cudaMalloc((void **)&b, b_size)); /* takes the place of shadows */
	CHECK(cudaMemset(b, 2, 4096));
	CHECK(cudaMemset(a, 1, a_size)); /* all but 256 bytes of it are there already */
	increment<<<1, 256>>>((int *)b);
	CHECK(cudaMemcpy(&last, a + a_size - 1, 1, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(b));
	printf("%d\n", last);
	return 0;
}
