/*
 * Bins are cleared in the default stream, and each of the other two streams waits for the other one
 * there: only the one that counts needs the bins.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 65536, BINS = 1024, STEPS = 10 };

static float numbers[N];
static unsigned short samples[N];
static int expected[BINS];

int main(void)
{
	unsigned short *device_samples;
	unsigned state = 3;
	float *field;
	int *bins, *seen;
	cudaStream_t computes, counts;

	random_floats(numbers, N, 1);
	for (int i = 0; i < N; i++) {
		samples[i] = (unsigned short)(random_number(&state) % BINS);
		expected[samples[i]]++;
	}
	CHECK(cudaStreamCreate(&computes));
	CHECK(cudaStreamCreate(&counts));
	CHECK(cudaMalloc((void **)&field, sizeof(numbers)));
	CHECK(cudaMalloc((void **)&device_samples, sizeof(samples)));
	CHECK(cudaMalloc((void **)&bins, sizeof(expected)));
	CHECK(cudaMallocHost((void **)&seen, STEPS * sizeof(expected)));
	CHECK(cudaMemcpy(field, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device_samples, samples, sizeof(samples), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		const int times = step % 2 ? 1 : 4;

		for (int i = 0; i < times; i++)
			LAUNCH_ON(computes, shift, N / 256, 256, field, 1.0f, N);
#if FIX_1
		CHECK(cudaMemsetAsync(bins, 0, sizeof(expected), counts));
#else
		/* PLANT 1: broad_wait, use_stream */
		CHECK(cudaMemsetAsync(bins, 0, sizeof(expected), 0));
#endif
		for (int i = 0; i < times; i++)
			LAUNCH_ON(counts, histogram, N / 256, 256, bins, device_samples, N);
		CHECK(cudaMemcpyAsync(seen + step * BINS, bins, sizeof(expected),
				      cudaMemcpyDeviceToHost, counts));
	}
	CHECK(cudaDeviceSynchronize());
	for (int step = 0; step < STEPS; step++)
		for (int i = 0; i < BINS; i++)
			expect(seen[step * BINS + i] == expected[i] * (step % 2 ? 1 : 4), "bins");
	print_checksum("bins", seen, STEPS * sizeof(expected));
	CHECK(cudaMemcpy(numbers, field, sizeof(numbers), cudaMemcpyDeviceToHost));
	print_checksum("field", numbers, sizeof(numbers));
	CHECK(cudaFree(field));
	CHECK(cudaFree(device_samples));
	CHECK(cudaFree(bins));
	CHECK(cudaFreeHost(seen));
	return 0;
}
