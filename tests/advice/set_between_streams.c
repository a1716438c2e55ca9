/*
 * No waste: one stream computes, a set in the default stream comes after that, and what another
 * stream reads of both comes after the set.  Nothing else keeps the streams in order.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 65536, STEPS = 10 };

static float numbers[N], expected[N];

int main(void)
{
	float *field, *sums, *seen;
	cudaStream_t computes, sums_up;

	random_floats(numbers, N, 1);
	CHECK(cudaStreamCreate(&computes));
	CHECK(cudaStreamCreate(&sums_up));
	CHECK(cudaMalloc((void **)&field, sizeof(numbers)));
	CHECK(cudaMalloc((void **)&sums, 2 * sizeof(numbers)));
	CHECK(cudaMallocHost((void **)&seen, STEPS * sizeof(numbers)));
	CHECK(cudaMemcpy(field, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		const int times = step % 2 ? 1 : 4;

		for (int i = 0; i < times; i++)
			LAUNCH_ON(computes, shift, N / 256, 256, field, 1.0f, N);
		CHECK(cudaMemsetAsync(sums, 0, sizeof(numbers) / 2, 0));
		LAUNCH_ON(sums_up, accumulate, N / 512, 256, sums, field, field, N / 2);
		LAUNCH_ON(sums_up, scale, N / 512, 256, sums + N, sums, 0.5f, N / 2);
		CHECK(cudaMemcpyAsync(seen + step * N, sums + N, sizeof(numbers) / 2,
				      cudaMemcpyDeviceToHost, sums_up));
		CHECK(cudaStreamSynchronize(computes));
	}
	CHECK(cudaDeviceSynchronize());
	for (int step = 0, done = 0; step < STEPS; step++) {
		done += step % 2 ? 1 : 4;
		for (int i = 0; i < N / 2; i++)
			expected[i] =
				0.5f * (numbers[i] + (float)done) * (numbers[i] + (float)done);
		expect_floats(seen + step * N, expected, N / 2, "sums");
	}
	CHECK(cudaMemcpy(numbers, field, sizeof(numbers), cudaMemcpyDeviceToHost));
	print_checksum("field", numbers, sizeof(numbers));
	CHECK(cudaFree(field));
	CHECK(cudaFree(sums));
	CHECK(cudaFreeHost(seen));
	return 0;
}
