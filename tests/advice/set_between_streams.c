/*
 * No waste: bins are cleared in the default stream, and only so one stream reads the field after
 * the other one has computed it.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 65536, BINS = 1024, STEPS = 10 };

static float numbers[N], sums[N];
static unsigned short samples[N];
static int expected[BINS];

int main(void)
{
	unsigned short *device_samples;
	unsigned state = 3;
	float *field, *halves;
	int *bins, *seen;
	cudaStream_t computes, counts;
	cudaEvent_t read;
	int done = 0;

	random_floats(numbers, N, 1);
	for (int i = 0; i < N; i++) {
		samples[i] = (unsigned short)(random_number(&state) % BINS);
		expected[samples[i]]++;
	}
	CHECK(cudaStreamCreate(&computes));
	CHECK(cudaStreamCreate(&counts));
	CHECK(cudaEventCreate(&read));
	CHECK(cudaMalloc((void **)&halves, STEPS * sizeof(numbers)));
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
		CHECK(cudaMemsetAsync(bins, 0, sizeof(expected), 0));
		for (int i = 0; i < times; i++)
			LAUNCH_ON(counts, histogram, N / 256, 256, bins, device_samples, N);
		LAUNCH_ON(counts, scale, N / 256, 256, halves + step * N, field, 0.5f, N);
		CHECK(cudaEventRecord(read, counts));
		CHECK(cudaStreamWaitEvent(computes, read, 0));
		CHECK(cudaMemcpyAsync(seen + step * BINS, bins, sizeof(expected),
				      cudaMemcpyDeviceToHost, counts));
	}
	CHECK(cudaDeviceSynchronize());
	for (int step = 0; step < STEPS; step++)
		for (int i = 0; i < BINS; i++)
			expect(seen[step * BINS + i] == expected[i] * (step % 2 ? 1 : 4), "bins");
	print_checksum("bins", seen, STEPS * sizeof(expected));
	for (int step = 0; step < STEPS; step++) {
		CHECK(cudaMemcpy(numbers, halves + step * N, sizeof(numbers),
				 cudaMemcpyDeviceToHost));
		random_floats(sums, N, 1);
		done += step % 2 ? 1 : 4;
		for (int i = 0; i < N; i++)
			sums[i] = 0.5f * (sums[i] + (float)done);
		expect_floats(numbers, sums, N, "halves");
		print_checksum("halves", numbers, sizeof(numbers));
	}
	CHECK(cudaFree(field));
	CHECK(cudaFree(halves));
	CHECK(cudaFree(device_samples));
	CHECK(cudaFree(bins));
	CHECK(cudaFreeHost(seen));
	return 0;
}
