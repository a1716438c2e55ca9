/*
 * Results are copied in the background while the next step runs, or so it looks: the memory that
 * they go to is not pinned, so each copy waits for the step before it and for itself.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 10 };

static float numbers[N], expected[N];

int main(void)
{
	float *state, *results, *shown;

	random_floats(numbers, N, 1);
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMalloc((void **)&results, STEPS * sizeof(numbers)));
#if FIX_1
	CHECK(cudaMallocHost((void **)&shown, STEPS * sizeof(numbers)));
#else
	shown = host_alloc(STEPS * sizeof(numbers));
#endif
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		float *result = results + step * N;

		LAUNCH(shift, N / 256, 256, state, 1.0f, N);
		LAUNCH(scale, N / 256, 256, result, state, 0.5f, N);
		/* PLANT 1: pageable_copy, pin */
		CHECK(cudaMemcpyAsync(shown + step * N, result, sizeof(numbers),
				      cudaMemcpyDeviceToHost, 0));
	}
	CHECK(cudaStreamSynchronize(0));
	for (int step = 0; step < STEPS; step++) {
		random_floats(expected, N, 1);
		for (int i = 0; i < N; i++)
			expected[i] = (expected[i] + (float)(step + 1)) * 0.5f;
		expect_floats(shown + step * N, expected, N, "results");
	}
	print_checksum("results", shown, STEPS * sizeof(numbers));
#if !FIX_1
	free(shown); /* pinned memory goes with the process */
#endif
	CHECK(cudaFree(state));
	CHECK(cudaFree(results));
	return 0;
}
