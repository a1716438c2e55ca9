/*
 * One pinned buffer feeds the device again and again: the wait keeps the host from writing over
 * what is being copied.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 8192, STEPS = 8 };

static float total[N], expected[N], numbers[N];

int main(void)
{
	float *input, *sum, *staging;

	CHECK(cudaMalloc((void **)&input, sizeof(total)));
	CHECK(cudaMalloc((void **)&sum, sizeof(total)));
	CHECK(cudaMallocHost((void **)&staging, sizeof(total)));
	CHECK(cudaMemset(sum, 0, sizeof(total)));
	for (int step = 0; step < STEPS; step++) {
		random_floats(staging, N, (unsigned)step);
		CHECK(cudaMemcpyAsync(input, staging, sizeof(total), cudaMemcpyHostToDevice, 0));
		LAUNCH(accumulate, N / 256, 256, sum, input, input, N);
		CHECK(cudaStreamSynchronize(0));
	}
	CHECK(cudaMemcpy(total, sum, sizeof(total), cudaMemcpyDeviceToHost));
	for (int step = 0; step < STEPS; step++) {
		random_floats(numbers, N, (unsigned)step);
		for (int i = 0; i < N; i++)
			expected[i] += numbers[i] * numbers[i];
	}
	expect_floats(total, expected, N, "sums");
	print_checksum("sums", total, sizeof(total));
	CHECK(cudaFree(input));
	CHECK(cudaFree(sum));
	CHECK(cudaFreeHost(staging));
	return 0;
}
