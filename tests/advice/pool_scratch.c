/*
 * The host waits before each step releases its scratch memory, which comes from the pool and goes
 * back to it in the order of the stream.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 6 };

static float numbers[N], expected[N];

int main(void)
{
	float *state, *scratch;
	cudaStream_t stream;

	random_floats(numbers, N, 1);
	memcpy(expected, numbers, sizeof(numbers));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		CHECK(cudaMallocAsync((void **)&scratch, sizeof(numbers), stream));
		LAUNCH_ON(stream, scale, N / 256, 256, scratch, state, 1.25f, N);
		LAUNCH_ON(stream, scale, N / 256, 256, state, scratch, 0.75f, N);
#if !FIX_1
		/* PLANT 1: unnecessary_wait, delete */
		CHECK(cudaStreamSynchronize(stream));
#endif
		CHECK(cudaFreeAsync(scratch, stream));
	}
	CHECK(cudaMemcpy(numbers, state, sizeof(numbers), cudaMemcpyDeviceToHost));
	for (int step = 0; step < STEPS; step++)
		for (int i = 0; i < N; i++)
			expected[i] = expected[i] * 1.25f * 0.75f;
	expect_floats(numbers, expected, N, "numbers");
	print_checksum("numbers", numbers, sizeof(numbers));
	CHECK(cudaFree(state));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
