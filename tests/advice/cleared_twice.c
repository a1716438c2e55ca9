/*
 * Histograms of frames.  Both whoever begins a frame and the histogram itself clear the bins.
 */
#include "tests/advice/program.h"

enum { SAMPLES = 65536, BINS = 4096, FRAMES = 4 };

struct counter {
	unsigned short *samples; /* on the device */
	int *bins;
};

static unsigned short samples[SAMPLES];
static int bins[BINS], expected[BINS];

static void begin_frame(const struct counter *counter)
{
	CHECK(cudaMemcpy(counter->samples, samples, sizeof(samples), cudaMemcpyHostToDevice));
#if !FIX_1
	/* PLANT 1: dead_write, delete, 64K */
	CHECK(cudaMemset(counter->bins, 0, sizeof(bins)));
#endif
}

static void count_samples(const struct counter *counter)
{
	/* PLANT 1: redundant_values, delete, 64K */
	CHECK(cudaMemset(counter->bins, 0, sizeof(bins)));
	LAUNCH(histogram, SAMPLES / 256, 256, counter->bins, counter->samples, SAMPLES);
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
	struct counter counter;

	CHECK(cudaMalloc((void **)&counter.samples, sizeof(samples)));
	CHECK(cudaMalloc((void **)&counter.bins, sizeof(bins)));
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		draw_samples(frame);
		begin_frame(&counter);
		count_samples(&counter);
		CHECK(cudaMemcpy(bins, counter.bins, sizeof(bins), cudaMemcpyDeviceToHost));
		expect(!memcmp(bins, expected, sizeof(bins)), "the bins");
		print_checksum("bins", bins, sizeof(bins));
	}
	CHECK(cudaFree(counter.samples));
	CHECK(cudaFree(counter.bins));
	return 0;
}
