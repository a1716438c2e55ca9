/*
 * No waste, though it looks so where one kernel is left out: it finds the cleared total by a
 * pointer in memory and takes what is there, before another one adds to it.
 *
 * COLLECT: --kernel accumulate
 */
#include "tests/advice/program.h"

enum { N = 16384, ROUNDS = 4 };

static float a[N], b[N], total[N], taken[N], expected[N];

int main(void)
{
	float *device_a, *device_b, *device_total, *device_taken, **arrays;

	CHECK(cudaMalloc((void **)&device_a, sizeof(a)));
	CHECK(cudaMalloc((void **)&device_b, sizeof(b)));
	CHECK(cudaMalloc((void **)&device_total, sizeof(total)));
	CHECK(cudaMalloc((void **)&device_taken, sizeof(taken)));
	CHECK(cudaMalloc((void **)&arrays, sizeof(device_total)));
	CHECK(cudaMemcpy(arrays, &device_total, sizeof(device_total), cudaMemcpyHostToDevice));
	for (unsigned round = 0; round < ROUNDS; round++) {
		random_floats(a, N, 10 * round);
		random_floats(b, N, 10 * round + 5);
		CHECK(cudaMemcpy(device_a, a, sizeof(a), cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy(device_b, b, sizeof(b), cudaMemcpyHostToDevice));
		CHECK(cudaMemset(device_total, 0, sizeof(total)));
		LAUNCH(consume, N / 256, 256, device_taken, arrays, 2.0f, N);
		LAUNCH(accumulate, N / 256, 256, device_total, device_a, device_b, N);
		memset(taken, 1, sizeof(taken));
		CHECK(cudaMemcpy(taken, device_taken, sizeof(taken), cudaMemcpyDeviceToHost));
		CHECK(cudaMemcpy(total, device_total, sizeof(total), cudaMemcpyDeviceToHost));
		for (int i = 0; i < N; i++) {
			expected[i] = a[i] * b[i];
			expect(taken[i] == 0, "what was taken");
		}
		expect_floats(total, expected, N, "the total");
		print_checksum("total", total, sizeof(total));
	}
	CHECK(cudaFree(device_a));
	CHECK(cudaFree(device_b));
	CHECK(cudaFree(device_total));
	CHECK(cudaFree(device_taken));
	CHECK(cudaFree(arrays));
	return 0;
}
