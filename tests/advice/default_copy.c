/*
 * The residual, 4 bytes, comes with a plain copy: of the default stream, which waits for the field
 * that another stream computes.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 65536, STEPS = 10, WORK_NS = 60000 };

void vflow_emulator_work(unsigned long ns) __attribute__((weak));

static float numbers[N], expected[N];

int main(void)
{
	float *field, *residual, *seen;
	cudaStream_t computes, watches;

	random_floats(numbers, N, 1);
	CHECK(cudaStreamCreate(&computes));
	CHECK(cudaStreamCreate(&watches));
	CHECK(cudaMalloc((void **)&field, sizeof(numbers)));
	CHECK(cudaMalloc((void **)&residual, sizeof(float)));
	CHECK(cudaMallocHost((void **)&seen, sizeof(float)));
	CHECK(cudaMemcpy(field, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(residual, numbers + 7, sizeof(float), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH_ON(computes, shift, N / 256, 256, field, 1.0f, N);
		LAUNCH_ON(computes, shift, N / 256, 256, field, 0.5f, N);
		LAUNCH_ON(watches, shift, 1, 32, residual, 1.0f, 1);
#if FIX_1
		CHECK(cudaMemcpyAsync(seen, residual, sizeof(float), cudaMemcpyDeviceToHost,
				      watches));
		CHECK(cudaStreamSynchronize(watches));
#else
		/* PLANT 1: broad_wait, use_stream */
		CHECK(cudaMemcpy(seen, residual, sizeof(float), cudaMemcpyDeviceToHost));
#endif
		expect(fabsf(*seen - numbers[7] - (float)(step + 1)) < 1e-3f, "residual");
		if (vflow_emulator_work)
			vflow_emulator_work(WORK_NS);
	}
	memcpy(expected, numbers, sizeof(numbers));
	CHECK(cudaMemcpy(numbers, field, sizeof(numbers), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expected[i] += 1.5f * STEPS;
	expect_floats(numbers, expected, N, "field");
	print_checksum("field", numbers, sizeof(numbers));
	CHECK(cudaFree(field));
	CHECK(cudaFree(residual));
	CHECK(cudaFreeHost(seen));
	return 0;
}
