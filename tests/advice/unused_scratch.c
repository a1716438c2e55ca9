/*
 * Three channels, each with a scratch buffer that a former version of the filter needed.
 */
#include "tests/advice/program.h"

enum { CHANNELS = 3, LARGEST = 16384 };

struct channel {
	int size;
	float *in, *out, *scratch; /* on the device */
};

static float samples[CHANNELS][LARGEST], filtered[LARGEST];

static struct channel channel_new(int size, const float *data)
{
	struct channel channel = {.size = size};
	size_t bytes = size * sizeof(float);

	CHECK(cudaMalloc((void **)&channel.in, bytes));
	CHECK(cudaMalloc((void **)&channel.out, bytes));
#if !FIX_1
	/* PLANT 1: unused_allocation, delete */
	CHECK(cudaMalloc((void **)&channel.scratch, bytes));
#endif
	CHECK(cudaMemcpy(channel.in, data, bytes, cudaMemcpyHostToDevice));
	return channel;
}

static void channel_filter(const struct channel *channel)
{
	LAUNCH(scale, (channel->size + 255) / 256, 256, channel->out, channel->in, 0.5f,
	       channel->size);
	CHECK(cudaMemcpy(filtered, channel->out, channel->size * sizeof(float),
			 cudaMemcpyDeviceToHost));
}

static void channel_free(const struct channel *channel)
{
	CHECK(cudaFree(channel->in));
	CHECK(cudaFree(channel->out));
	CHECK(cudaFree(channel->scratch));
}

int main(void)
{
	static const int sizes[CHANNELS] = {LARGEST, 12288, 8192};
	struct channel channels[CHANNELS];

	for (int c = 0; c < CHANNELS; c++) {
		random_floats(samples[c], sizes[c], (unsigned)c);
		channels[c] = channel_new(sizes[c], samples[c]);
	}
	for (int c = 0; c < CHANNELS; c++) {
		channel_filter(&channels[c]);
		for (int i = 0; i < sizes[c]; i++)
			expect(filtered[i] == samples[c][i] * 0.5f, "the filtered channel");
		print_checksum("channel", filtered, sizes[c] * sizeof(float));
	}
	for (int c = 0; c < CHANNELS; c++)
		channel_free(&channels[c]);
	return 0;
}
