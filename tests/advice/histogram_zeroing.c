/*
 * No waste: bins must be cleared before they are counted up by atomics, for a trial and for every
 * frame.  All bins change, though most of their bytes were zero before.
 */
#include "tests/advice/program.h"

enum { SAMPLES = 65536, BINS = 4096, FRAMES = 4, TRIAL = 99 };

struct counter {
	unsigned short *samples; /* on the device */
	int *bins;
};

static unsigned short samples[SAMPLES];
static int bins[BINS], expected[BINS];

static struct counter counter_new(void)
{
	struct counter c;

	CHECK(cudaMalloc((void **)&c.samples, sizeof(samples)));
	CHECK(cudaMalloc((void **)&c.bins, sizeof(bins)));
	return c;
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

static void count_samples(const struct counter *c)
{
	CHECK(cudaMemcpy(c->samples, samples, sizeof(samples), cudaMemcpyHostToDevice));
	CHECK(cudaMemset(c->bins, 0, sizeof(bins)));
	LAUNCH(histogram, SAMPLES / 256, 256, c->bins, c->samples, SAMPLES);
	CHECK(cudaMemcpy(bins, c->bins, sizeof(bins), cudaMemcpyDeviceToHost));
	expect(!memcmp(bins, expected, sizeof(bins)), "the bins");
	print_checksum("bins", bins, sizeof(bins));
}

static void trial(const struct counter *c)
{
	draw_samples(TRIAL);
	count_samples(c);
}

int main(void)
{
	struct counter counter = counter_new();

	trial(&counter);
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		draw_samples(frame);
		count_samples(&counter);
	}
	CHECK(cudaFree(counter.samples));
	CHECK(cudaFree(counter.bins));
	return 0;
}
