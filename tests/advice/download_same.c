/*
 * A solver that fetches its state to look whether it is done, and once more to write it down.
 */
#include "tests/advice/program.h"

enum { N = 8192, STEPS = 5 };

static float state[N], expected[N];

static float largest(const float *device_state)
{
	float most = 0;

	CHECK(cudaMemcpy(state, device_state, sizeof(state), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		most = fmaxf(most, state[i]);
	return most;
}

/* As largest() has left it. */
static void write_state(const float *device_state)
{
	(void)device_state;
#if !FIX_1
	/* PLANT 1: duplicate_transfer, delete, 160K */
	CHECK(cudaMemcpy(state, device_state, sizeof(state), cudaMemcpyDeviceToHost));
#endif
	print_checksum("state", state, sizeof(state));
}

int main(void)
{
	float *device_state;

	random_floats(expected, N, 1);
	CHECK(cudaMalloc((void **)&device_state, sizeof(state)));
	CHECK(cudaMemcpy(device_state, expected, sizeof(state), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(shift, N / 256, 256, device_state, 1.0f, N);
		expect(largest(device_state) < 2 + STEPS, "the largest number");
		write_state(device_state);
		for (int i = 0; i < N; i++)
			expected[i] += 1;
		expect_floats(state, expected, N, "the state");
	}
	CHECK(cudaFree(device_state));
	return 0;
}
