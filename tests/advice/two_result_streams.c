/*
 * A field is computed in one stream, what is watched of it in another.  The host waits for the
 * whole device, and looks at both.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 65536, WATCHED = 1024, STEPS = 10, WORK_NS = 60000 };

void vflow_emulator_work(unsigned long ns) __attribute__((weak));

static float numbers[N], expected[N];

int main(void)
{
	float *field, *watched, *seen, *part, sum = 0, expected_sum = 0;
	cudaStream_t computes, watches;

	random_floats(numbers, N, 1);
	CHECK(cudaStreamCreate(&computes));
	CHECK(cudaStreamCreate(&watches));
	CHECK(cudaMalloc((void **)&field, sizeof(numbers)));
	CHECK(cudaMalloc((void **)&watched, WATCHED * sizeof(float)));
	CHECK(cudaMallocHost((void **)&seen, WATCHED * sizeof(float)));
	CHECK(cudaMallocHost((void **)&part, WATCHED * sizeof(float)));
	CHECK(cudaMemcpy(field, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(watched, numbers + 7, WATCHED * sizeof(float), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH_ON(computes, shift, N / 256, 256, field, 1.0f, N);
		LAUNCH_ON(computes, shift, N / 256, 256, field, 0.5f, N);
		CHECK(cudaMemcpyAsync(part, field, WATCHED * sizeof(float), cudaMemcpyDeviceToHost,
				      computes));
		LAUNCH_ON(watches, shift, WATCHED / 256, 256, watched, 1.0f, WATCHED);
		CHECK(cudaMemcpyAsync(seen, watched, WATCHED * sizeof(float),
				      cudaMemcpyDeviceToHost, watches));
		CHECK(cudaDeviceSynchronize());
		for (int i = 0; i < WATCHED; i++) {
			sum += seen[i] - (float)step + part[i] - 1.5f * (float)step;
			expected_sum += numbers[i + 7] + 1 + numbers[i] + 1.5f;
		}
		if (vflow_emulator_work)
			vflow_emulator_work(WORK_NS);
	}
	memcpy(expected, numbers, sizeof(numbers));
	CHECK(cudaMemcpy(numbers, field, sizeof(numbers), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expected[i] += 1.5f * STEPS;
	expect_floats(numbers, expected, N, "field");
	expect_floats(&sum, &expected_sum, 1, "sum");
	print_checksum("field", numbers, sizeof(numbers));
	CHECK(cudaFree(field));
	CHECK(cudaFree(watched));
	CHECK(cudaFreeHost(seen));
	CHECK(cudaFreeHost(part));
	return 0;
}
