/*
 * Two kernels of one module that take turns on two streams, never waited for between: one is left
 * out, the other analysed.  "# " lines say how long the kernels took.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { ROUNDS = 20, WORDS = 1 << 20, QUICK_WORDS = 1024 };

/* Writes 4 MiB again and again. */
static __global__ void slow(unsigned *data, int times)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	for (int k = 0; k < times; k++)
		((volatile unsigned *)data)[i] += i * k + 1;
}

static __global__ void quick(unsigned *data)
{
	data[threadIdx.x] += threadIdx.x;
}

int main(void)
{
	unsigned *large, *small, *host = (unsigned *)malloc(WORDS * 4ul), sum = 0;
	cudaEvent_t start, end;
	cudaStream_t streams[2];
	float ms;

	CHECK(cudaMalloc((void **)&large, WORDS * 4ul));
	CHECK(cudaMalloc((void **)&small, QUICK_WORDS * 4ul));
	CHECK(cudaMemset(large, 0, WORDS * 4ul));
	CHECK(cudaMemset(small, 0, QUICK_WORDS * 4ul));
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&end));
	for (int i = 0; i < ROUNDS; i++) {
		if (i == 1) /* the first loads the kernels */
			CHECK(cudaEventRecord(start, streams[0]));
		slow<<<WORDS / 256, 256, 0, streams[0]>>>(large, 20);
		quick<<<1, QUICK_WORDS, 0, streams[1]>>>(small);
	}
	CHECK(cudaEventRecord(end, streams[0]));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventElapsedTime(&ms, start, end));
	printf("# %.3f ms\n", ms);
	CHECK(cudaMemcpy(host, large, WORDS * 4ul, cudaMemcpyDeviceToHost));
	for (int i = 0; i < WORDS; i++)
		sum = sum * 31 + host[i];
	CHECK(cudaMemcpy(host, small, QUICK_WORDS * 4ul, cudaMemcpyDeviceToHost));
	for (int i = 0; i < QUICK_WORDS; i++)
		sum = sum * 31 + host[i];
	printf("%u\n", sum);
	return 0;
}
