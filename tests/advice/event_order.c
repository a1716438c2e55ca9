/*
 * No waste: one stream clears the bins and sends the samples, another one counts when an event says
 * so, and the first one fetches the bins when another event does.
 */
#include "tests/advice/program.h"

enum { SAMPLES = 65536, BINS = 4096, FRAMES = 4 };

struct counter {
	cudaStream_t copies, kernels;
	cudaEvent_t sent, counted;
	unsigned short *samples; /* on the device */
	int *bins;
};

static unsigned short samples[SAMPLES];
static int bins[BINS], expected[BINS];

static struct counter counter_new(void)
{
	struct counter c;

	CHECK(cudaStreamCreate(&c.copies));
	CHECK(cudaStreamCreate(&c.kernels));
	CHECK(cudaEventCreateWithFlags(&c.sent, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&c.counted, cudaEventDisableTiming));
	CHECK(cudaMalloc((void **)&c.samples, sizeof(samples)));
	CHECK(cudaMalloc((void **)&c.bins, sizeof(bins)));
	return c;
}

static void count_samples(const struct counter *c)
{
	CHECK(cudaMemsetAsync(c->bins, 0, sizeof(bins), c->copies));
	CHECK(cudaMemcpyAsync(c->samples, samples, sizeof(samples), cudaMemcpyHostToDevice,
			      c->copies));
	CHECK(cudaEventRecord(c->sent, c->copies));
	CHECK(cudaStreamWaitEvent(c->kernels, c->sent, 0));
	LAUNCH_ON(c->kernels, histogram, SAMPLES / 256, 256, c->bins, c->samples, SAMPLES);
	CHECK(cudaEventRecord(c->counted, c->kernels));
	CHECK(cudaStreamWaitEvent(c->copies, c->counted, 0));
	CHECK(cudaMemcpyAsync(bins, c->bins, sizeof(bins), cudaMemcpyDeviceToHost, c->copies));
	CHECK(cudaStreamSynchronize(c->copies));
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

static void counter_free(const struct counter *c)
{
	CHECK(cudaStreamDestroy(c->copies));
	CHECK(cudaStreamDestroy(c->kernels));
	CHECK(cudaEventDestroy(c->sent));
	CHECK(cudaEventDestroy(c->counted));
	CHECK(cudaFree(c->samples));
	CHECK(cudaFree(c->bins));
}

int main(void)
{
	struct counter counter = counter_new();

	for (unsigned frame = 0; frame < FRAMES; frame++) {
		draw_samples(frame);
		count_samples(&counter);
		expect(!memcmp(bins, expected, sizeof(bins)), "the bins");
		print_checksum("bins", bins, sizeof(bins));
	}
	counter_free(&counter);
	return 0;
}
