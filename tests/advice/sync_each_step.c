/*
 * A simulation that waits for the device after each step, though it looks at the result only after
 * the last one.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 20 };

static float numbers[N], expected[N];

int main(void)
{
	float *state;

	random_floats(numbers, N, 1);
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(shift, N / 256, 256, state, 1.0f, N);
#if !FIX_1
		/* PLANT 1: unnecessary_wait, delete */
		CHECK(cudaDeviceSynchronize());
#endif
	}
	CHECK(cudaMemcpy(numbers, state, sizeof(numbers), cudaMemcpyDeviceToHost));
	random_floats(expected, N, 1);
	for (int i = 0; i < N; i++)
		expected[i] += STEPS;
	expect_floats(numbers, expected, N, "numbers");
	print_checksum("numbers", numbers, sizeof(numbers));
	CHECK(cudaFree(state));
	return 0;
}
