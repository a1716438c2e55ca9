/*
 * No waste: the program first asks for more than there is, and clears more than it has; both fail,
 * it goes on with less, and says nothing of it.
 */
#include "tests/advice/program.h"

enum { SAMPLES = 65536, BINS = 4096, FRAMES = 2 };

static unsigned short samples[SAMPLES];
static int bins[BINS], expected[BINS];

static int *allocate_bins(void)
{
	int *device_bins;

	/* one histogram for every thread, if only there were room */
	if (cudaMalloc((void **)&device_bins, (size_t)1 << 60) != cudaSuccess) { /* FAILS */
		(void)cudaGetLastError();
		CHECK(cudaMalloc((void **)&device_bins, sizeof(bins)));
	}
	return device_bins;
}

static void clear_bins(int *device_bins)
{
	if (cudaMemset(device_bins, 0, (size_t)1 << 50) != cudaSuccess) { /* FAILS */
		(void)cudaGetLastError();
		CHECK(cudaMemset(device_bins, 0, sizeof(bins)));
	}
}

static void draw_samples(unsigned seed)
{
	unsigned state = seed;

	memset(expected, 0, sizeof(expected));
	for (int i = 0; i < SAMPLES; i++) {
		samples[i] = random_number(&state) % BINS;
		expected[samples[i]]++;
	}
}

int main(void)
{
	unsigned short *device_samples;
	int *device_bins = allocate_bins();

	CHECK(cudaMalloc((void **)&device_samples, sizeof(samples)));
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		draw_samples(frame);
		clear_bins(device_bins);
		CHECK(cudaMemcpy(device_samples, samples, sizeof(samples), cudaMemcpyHostToDevice));
		LAUNCH(histogram, SAMPLES / 256, 256, device_bins, device_samples, SAMPLES);
		CHECK(cudaMemcpy(bins, device_bins, sizeof(bins), cudaMemcpyDeviceToHost));
		expect(!memcmp(bins, expected, sizeof(bins)), "the bins");
		print_checksum("bins", bins, sizeof(bins));
	}
	CHECK(cudaFree(device_samples));
	CHECK(cudaFree(device_bins));
	return 0;
}
