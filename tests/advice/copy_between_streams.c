/*
 * No waste: the plain copy of a few bytes is what keeps two streams in order, one of which reads
 * what the other one computes.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 65536, STEPS = 10, WORK_NS = 60000 };

void vflow_emulator_work(unsigned long ns) __attribute__((weak));

static float numbers[N], expected[N];

int main(void)
{
	float *field, *residual, *halves, *seen;
	cudaStream_t computes, watches;
	cudaEvent_t read;

	random_floats(numbers, N, 1);
	CHECK(cudaStreamCreate(&computes));
	CHECK(cudaStreamCreate(&watches));
	CHECK(cudaEventCreate(&read));
	CHECK(cudaMalloc((void **)&field, sizeof(numbers)));
	CHECK(cudaMalloc((void **)&halves, STEPS * sizeof(numbers)));
	CHECK(cudaMalloc((void **)&residual, sizeof(float)));
	CHECK(cudaMallocHost((void **)&seen, sizeof(float)));
	CHECK(cudaMemcpy(field, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(residual, numbers + 7, sizeof(float), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH_ON(computes, shift, N / 256, 256, field, 1.0f, N);
		LAUNCH_ON(watches, shift, 1, 32, residual, 1.0f, 1);
		CHECK(cudaMemcpy(seen, residual, sizeof(float), cudaMemcpyDeviceToHost));
		LAUNCH_ON(watches, scale, N / 256, 256, halves + step * N, field, 0.5f, N);
		expect(fabsf(*seen - numbers[7] - (float)(step + 1)) < 1e-3f, "residual");
		CHECK(cudaEventRecord(read, watches));
		CHECK(cudaStreamWaitEvent(computes, read, 0));
		if (vflow_emulator_work)
			vflow_emulator_work(WORK_NS);
	}
	for (int step = 0; step < STEPS; step++) {
		CHECK(cudaMemcpy(numbers, halves + step * N, sizeof(numbers),
				 cudaMemcpyDeviceToHost));
		random_floats(expected, N, 1);
		for (int i = 0; i < N; i++)
			expected[i] = 0.5f * (expected[i] + (float)(step + 1));
		expect_floats(numbers, expected, N, "halves");
		print_checksum("halves", numbers, sizeof(numbers));
	}
	CHECK(cudaFree(field));
	CHECK(cudaFree(halves));
	CHECK(cudaFree(residual));
	CHECK(cudaFreeHost(seen));
	return 0;
}
