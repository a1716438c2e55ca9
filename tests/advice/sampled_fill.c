/*
 * No waste, though half of the launches are not looked at: each total is cleared and added to
 * twice, and the second time is never seen.
 *
 * COLLECT: --sample-kernels 2
 */
#include "tests/advice/program.h"

enum { N = 16384, ROUNDS = 4, PARTS = 2 };

static float a[N], b[N], total[N], expected[N];

int main(void)
{
	float *device_a, *device_b, *device_total;

	CHECK(cudaMalloc((void **)&device_a, sizeof(a)));
	CHECK(cudaMalloc((void **)&device_b, sizeof(b)));
	CHECK(cudaMalloc((void **)&device_total, sizeof(total)));
	for (unsigned round = 0; round < ROUNDS; round++) {
		CHECK(cudaMemset(device_total, 0, sizeof(total)));
		memset(expected, 0, sizeof(expected));
		for (unsigned part = 0; part < PARTS; part++) {
			random_floats(a, N, 10 * round + part);
			random_floats(b, N, 10 * round + part + 5);
			CHECK(cudaMemcpy(device_a, a, sizeof(a), cudaMemcpyHostToDevice));
			CHECK(cudaMemcpy(device_b, b, sizeof(b), cudaMemcpyHostToDevice));
			LAUNCH(accumulate, N / 256, 256, device_total, device_a, device_b, N);
			for (int i = 0; i < N; i++)
				expected[i] += a[i] * b[i];
		}
		CHECK(cudaMemcpy(total, device_total, sizeof(total), cudaMemcpyDeviceToHost));
		expect_floats(total, expected, N, "the total");
		print_checksum("total", total, sizeof(total));
	}
	CHECK(cudaFree(device_a));
	CHECK(cudaFree(device_b));
	CHECK(cudaFree(device_total));
	return 0;
}
