/*
 * A solver that copies its residual to pinned memory in the background and looks at it after each
 * wait: all of these waits are needed, though each looks like one for nothing but a kernel.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 8192, STEPS = 10 };

static float numbers[N], expected[N];

int main(void)
{
	float *state, *seen;
	float sum = 0;

	random_floats(numbers, N, 1);
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMallocHost((void **)&seen, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(shift, N / 256, 256, state, 1.0f, N);
		CHECK(cudaMemcpyAsync(seen, state, sizeof(numbers), cudaMemcpyDeviceToHost, 0));
		CHECK(cudaDeviceSynchronize());
		sum += seen[step];
	}
	LAUNCH(shift, N / 256, 256, state, 1.0f, N);
	CHECK(cudaMemcpy(numbers, state, sizeof(numbers), cudaMemcpyDeviceToHost));
	random_floats(expected, N, 1);
	for (int i = 0; i < STEPS; i++)
		sum -= expected[i] + (float)(i + 1);
	expect(fabsf(sum) < 1e-3f, "residuals");
	for (int i = 0; i < N; i++)
		expected[i] += STEPS + 1;
	expect_floats(numbers, expected, N, "numbers");
	print_checksum("numbers", numbers, sizeof(numbers));
	CHECK(cudaFree(state));
	CHECK(cudaFreeHost(seen));
	return 0;
}
