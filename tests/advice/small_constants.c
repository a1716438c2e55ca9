/*
 * Sixteen bytes that never change are uploaded in each step, and sixteen that do: next to nothing
 * of the bytes that the run moves, but a call each.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 20, CONSTANTS = 4 };

static float signal[N], expected[N];

int main(void)
{
	float *data[2], *constants, *weights, *pinned;

	random_floats(signal, N, 1);
	memcpy(expected, signal, sizeof(signal));
	CHECK(cudaMallocHost((void **)&pinned, (STEPS + 1) * CONSTANTS * sizeof(float)));
	random_floats(pinned, (STEPS + 1) * CONSTANTS, 2);
	for (int i = 0; i < 2; i++)
		CHECK(cudaMalloc((void **)&data[i], sizeof(signal)));
	CHECK(cudaMalloc((void **)&constants, CONSTANTS * sizeof(float)));
	CHECK(cudaMalloc((void **)&weights, CONSTANTS * sizeof(float)));
	CHECK(cudaMemcpy(data[0], signal, sizeof(signal), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		const float *of_step = pinned + (step + 1) * CONSTANTS;

#if FIX_1
		if (!step)
#endif
			/* PLANT 1: duplicate_transfer, copy_once, 304 */
			CHECK(cudaMemcpyAsync(constants, pinned, CONSTANTS * sizeof(float),
					      cudaMemcpyHostToDevice, NULL));
		CHECK(cudaMemcpyAsync(weights, of_step, CONSTANTS * sizeof(float),
				      cudaMemcpyHostToDevice, NULL));
		LAUNCH(apply_table, N / 256, 256, data[1], data[0], constants, CONSTANTS, N);
		LAUNCH(apply_table, N / 256, 256, data[0], data[1], weights, CONSTANTS, N);
		for (int i = 0; i < N; i++)
			expected[i] *= pinned[i % CONSTANTS] * of_step[i % CONSTANTS];
	}
	CHECK(cudaMemcpy(signal, data[0], sizeof(signal), cudaMemcpyDeviceToHost));
	expect_floats(signal, expected, N, "the signal");
	print_checksum("signal", signal, sizeof(signal));
	for (int i = 0; i < 2; i++)
		CHECK(cudaFree(data[i]));
	CHECK(cudaFree(constants));
	CHECK(cudaFree(weights));
	CHECK(cudaFreeHost(pinned));
	return 0;
}
