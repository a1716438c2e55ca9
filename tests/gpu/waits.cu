/*
 * Explicit calls that wait, between kernels on two streams that run for a while: the sequence of
 * events is that of the calls, whatever is over when.
 */
#include <cuda.h>
#include <cuda_runtime.h>

#include "check.h"

static __global__ void work(float *to, int rounds)
{
	float value = to[threadIdx.x];

	for (int i = 0; i < rounds; i++)
		value = value * 0.5f + 1;
	to[threadIdx.x] = value;
}

static void need(bool fine, int line)
{
	if (fine)
		return;
	printf("line %d\n", line);
	exit(1);
}

int main(void)
{
	cudaStream_t streams[2];
	cudaEvent_t event;
	float *memory;

	CHECK(cudaMalloc(&memory, 1 << 20));
	CHECK(cudaMemset(memory, 0, 1 << 20));
	CHECK(cudaEventCreate(&event));
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	work<<<1, 256, 0, streams[0]>>>(memory, 20000);
	CHECK(cudaStreamSynchronize(streams[1]));
	work<<<1, 256, 0, streams[0]>>>(memory, 20000);
	for (int i = 0; i < 100; i++)
		CHECK(cudaStreamSynchronize(streams[1]));
	CHECK(cudaEventRecord(event, streams[0]));
	CHECK(cudaEventSynchronize(event));
	work<<<1, 256, 0, streams[0]>>>(memory, 20000);
	CHECK(cudaDeviceSynchronize());
	work<<<1, 256, 0, streams[1]>>>(memory, 20000);
	need(cuStreamSynchronize(streams[0]) == CUDA_SUCCESS, __LINE__);
	need(cuStreamSynchronize(streams[1]) == CUDA_SUCCESS, __LINE__);
	CHECK(cudaEventRecord(event, streams[1]));
	need(cuEventSynchronize(event) == CUDA_SUCCESS, __LINE__);
	need(cudaEventSynchronize(NULL) != cudaSuccess, __LINE__);
	need(cudaGetLastError() != cudaSuccess, __LINE__);
	need(cuCtxSynchronize() == CUDA_SUCCESS, __LINE__);
	CHECK(cudaStreamWaitEvent(streams[0], event, 0));
	CHECK(cudaStreamQuery(streams[0]));
	CHECK(cudaFree(memory));
	puts("done");
	return 0;
}
