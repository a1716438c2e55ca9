/*
 * No waste: the scratch memory of each step comes from one stream and goes back to it, but is used
 * in another one: the host has to wait before it releases it.  In pool_scratch.c it need not.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 6 };

static float numbers[N], expected[N];

int main(void)
{
	float *state, *scratch;
	cudaStream_t memory, stream;

	random_floats(numbers, N, 1);
	memcpy(expected, numbers, sizeof(numbers));
	CHECK(cudaStreamCreate(&memory));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		CHECK(cudaMallocAsync((void **)&scratch, sizeof(numbers), memory));
		CHECK(cudaStreamSynchronize(memory));
		LAUNCH_ON(stream, scale, N / 256, 256, scratch, state, 1.25f, N);
		LAUNCH_ON(stream, scale, N / 256, 256, state, scratch, 0.75f, N);
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaFreeAsync(scratch, memory));
	}
	CHECK(cudaMemcpy(numbers, state, sizeof(numbers), cudaMemcpyDeviceToHost));
	for (int step = 0; step < STEPS; step++)
		for (int i = 0; i < N; i++)
			expected[i] = expected[i] * 1.25f * 0.75f;
	expect_floats(numbers, expected, N, "numbers");
	print_checksum("numbers", numbers, sizeof(numbers));
	CHECK(cudaFree(state));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(memory));
	return 0;
}
