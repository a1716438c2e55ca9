/*
 * No waste: the host waits for the copies from pinned memory before it releases that.
 * cudaFreeHost() waits, too, but nothing promises it.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 16384, PARTS = 2 };

static float numbers[PARTS][N];

int main(void)
{
	float *states[PARTS], *staging;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMallocHost((void **)&staging, sizeof(numbers)));
	for (int part = 0; part < PARTS; part++) {
		random_floats(staging + part * N, N, (unsigned)part);
		CHECK(cudaMalloc((void **)&states[part], sizeof(numbers[part])));
		CHECK(cudaMemcpyAsync(states[part], staging + part * N, sizeof(numbers[part]),
				      cudaMemcpyHostToDevice, stream));
		LAUNCH_ON(stream, shift, N / 256, 256, states[part], 1.0f, N);
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaFreeHost(staging));
	for (int part = 0; part < PARTS; part++)
		CHECK(cudaMemcpy(numbers[part], states[part], sizeof(numbers[part]),
				 cudaMemcpyDeviceToHost));
	print_checksum("numbers", numbers, sizeof(numbers));
	for (int part = 0; part < PARTS; part++)
		CHECK(cudaFree(states[part]));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
