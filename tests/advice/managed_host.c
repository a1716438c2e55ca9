/*
 * No waste: a managed array is cleared by the device, and the host puts numbers into it and reads
 * them, which no call shows.  It must be cleared again before the device counts in it.
 */
#include "tests/advice/program.h"

enum { SAMPLES = 65536, BINS = 4096, FRAMES = 3 };

static unsigned short samples[SAMPLES];
static int expected[BINS];

static void draw_samples(unsigned seed)
{
	unsigned state = seed;

	memset(expected, 0, sizeof(expected));
	for (int i = 0; i < SAMPLES; i++) {
		samples[i] = random_number(&state) % BINS;
		expected[samples[i]]++;
	}
}

static void clear(int *bins)
{
	CHECK(cudaMemset(bins, 0, BINS * sizeof(int)));
	CHECK(cudaDeviceSynchronize());
}

/* Counts on the host. */
static void count_few(int *bins)
{
	for (int i = 0; i < SAMPLES; i++)
		bins[samples[i]]++;
	expect(!memcmp(bins, expected, sizeof(expected)), "the host's bins");
	print_checksum("few", bins, BINS * sizeof(int));
}

/* And on the device. */
static void count_many(int *bins, unsigned short *device_samples)
{
	CHECK(cudaMemcpy(device_samples, samples, sizeof(samples), cudaMemcpyHostToDevice));
	LAUNCH(histogram, SAMPLES / 256, 256, bins, device_samples, SAMPLES);
	CHECK(cudaDeviceSynchronize());
	expect(!memcmp(bins, expected, sizeof(expected)), "the device's bins");
	print_checksum("many", bins, BINS * sizeof(int));
}

int main(void)
{
	unsigned short *device_samples;
	int *bins;

	CHECK(cudaMalloc((void **)&device_samples, sizeof(samples)));
	CHECK(cudaMallocManaged((void **)&bins, BINS * sizeof(int), cudaMemAttachGlobal));
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		draw_samples(frame);
		clear(bins);
		count_few(bins);
		clear(bins);
		count_many(bins, device_samples);
	}
	CHECK(cudaFree(device_samples));
	CHECK(cudaFree(bins));
	return 0;
}
