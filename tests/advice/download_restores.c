/*
 * No waste: the host sorts what it has fetched, in place, and so must fetch it once more for the
 * next use.  The device's bytes are the same both times, those of the host are not.
 */
#include "tests/advice/program.h"

enum { N = 8192, SIGNALS = 3 };

static float *samples; /* pinned */
static float signal[N], smooth_signal[N];

static int compare_floats(const void *left, const void *right)
{
	float a = *(const float *)left, b = *(const float *)right;

	return (a > b) - (a < b);
}

static void fetch(const float *from)
{
	CHECK(cudaMemcpy(samples, from, sizeof(signal), cudaMemcpyDeviceToHost));
}

static float median(const float *device_signal)
{
	fetch(device_signal);
	qsort(samples, N, sizeof(float), compare_floats);
	for (int i = 1; i < N; i++)
		expect(samples[i - 1] <= samples[i], "sorted");
	return samples[N / 2];
}

/* The largest step from one sample to the next: it needs them in order of time. */
static float largest_step(const float *device_signal)
{
	float largest = 0;

	fetch(device_signal);
	for (int i = 1; i < N; i++)
		largest = fmaxf(largest, fabsf(samples[i] - samples[i - 1]));
	expect(!memcmp(samples, smooth_signal, sizeof(smooth_signal)), "the samples");
	return largest;
}

int main(void)
{
	float *device_signal, *device_smooth, values[2];

	CHECK(cudaMallocHost((void **)&samples, sizeof(signal)));
	CHECK(cudaMalloc((void **)&device_signal, sizeof(signal)));
	CHECK(cudaMalloc((void **)&device_smooth, sizeof(signal)));
	for (unsigned i = 0; i < SIGNALS; i++) {
		random_floats(signal, N, i);
		for (int k = 0; k < N; k++)
			smooth_signal[k] = signal[k] * 0.5f;
		CHECK(cudaMemcpy(device_signal, signal, sizeof(signal), cudaMemcpyHostToDevice));
		LAUNCH(scale, N / 256, 256, device_smooth, device_signal, 0.5f, N);
		values[0] = median(device_smooth);
		values[1] = largest_step(device_smooth);
		print_checksum("values", values, sizeof(values));
	}
	CHECK(cudaFreeHost(samples));
	CHECK(cudaFree(device_signal));
	CHECK(cudaFree(device_smooth));
	return 0;
}
