/*
 * Each step allocates the memory that it computes in and releases it again, and so waits for the
 * device.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 10 };

static float numbers[N], expected[N];

int main(void)
{
	float *state, *scratch = NULL;

	random_floats(numbers, N, 1);
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
#if FIX_1
	CHECK(cudaMalloc((void **)&scratch, sizeof(numbers)));
#endif
	for (int step = 0; step < STEPS; step++) {
#if !FIX_1
		CHECK(cudaMalloc((void **)&scratch, sizeof(numbers)));
#endif
		LAUNCH(scale, N / 256, 256, scratch, state, 1.25f, N);
		LAUNCH(scale, N / 256, 256, state, scratch, 0.75f, N);
#if !FIX_1
		/* PLANT 1: free_in_loop, allocate_once */
		CHECK(cudaFree(scratch));
#endif
	}
	CHECK(cudaMemcpy(numbers, state, sizeof(numbers), cudaMemcpyDeviceToHost));
#if FIX_1
	CHECK(cudaFree(scratch));
#endif
	random_floats(expected, N, 1);
	for (int step = 0; step < STEPS; step++)
		for (int i = 0; i < N; i++)
			expected[i] = expected[i] * 1.25f * 0.75f;
	expect_floats(numbers, expected, N, "numbers");
	print_checksum("numbers", numbers, sizeof(numbers));
	CHECK(cudaFree(state));
	return 0;
}
