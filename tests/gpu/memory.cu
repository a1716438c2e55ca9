/*
 * The GPU's memory becomes short: what vflow keeps there must make way, and nothing may be lost.
 * Sizes in MiB: a 512, b 1536; what else there is, but for 3 GiB, is taken before.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

static void check(cudaError_t error, int line)
{
	if (error == cudaSuccess)
		return;
	printf("line %d: %s\n", line, cudaGetErrorName(error));
	exit(1);
}
#define CHECK(call) check(call, __LINE__)

static __global__ void increment(int *data)
{
	data[blockIdx.x * blockDim.x + threadIdx.x]++;
}

int main(void)
{
	const size_t MiB = 1 << 20, a_size = 512 * MiB, b_size = 1536 * MiB;
	char *a, *b, *ballast, last;
	size_t unused, total;

	CHECK(cudaFree(0));
	CHECK(cudaMemGetInfo(&unused, &total));
	CHECK(cudaMalloc((void **)&ballast, unused - 3072 * MiB));
	CHECK(cudaMalloc((void **)&a, a_size));
	CHECK(cudaMemset(a, 1, a_size));
	increment<<<1, 256>>>((int *)a);
	CHECK(cudaMalloc((void **)&b, b_size)); /* takes the place of shadows */
	CHECK(cudaMemset(b, 2, 4096));
	CHECK(cudaMemset(a, 1, a_size)); /* all but 256 bytes of it are there already */
	increment<<<1, 256>>>((int *)b);
	CHECK(cudaMemcpy(&last, a + a_size - 1, 1, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(b));
	printf("%d\n", last);
	return 0;
}
