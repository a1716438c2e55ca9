/*
 * No waste, though half of the launches are not looked at: the second signal is read, and the
 * second total added to, in just those.
 *
 * COLLECT: --sample-kernels 2
 */
#include "tests/advice/program.h"

enum { N = 16384, ROUNDS = 5, SIGNALS = 2 };

struct channel {
	float *signal, *result, *total; /* on the device */
};

static float signals[SIGNALS][N], result[N], total[N], expected[SIGNALS][N];

static struct channel channel_new(const float *signal)
{
	struct channel c;

	CHECK(cudaMalloc((void **)&c.signal, sizeof(signals[0])));
	CHECK(cudaMalloc((void **)&c.result, sizeof(result)));
	CHECK(cudaMalloc((void **)&c.total, sizeof(total)));
	CHECK(cudaMemcpy(c.signal, signal, sizeof(signals[0]), cudaMemcpyHostToDevice));
	CHECK(cudaMemset(c.total, 0, sizeof(total)));
	return c;
}

/* The launches of both channels are those of one line: one is seen, the next is not. */
static void round_of(const struct channel *channels, int round)
{
	float by = 0.75f * (float)(round + 1);

	for (int i = 0; i < SIGNALS; i++) {
		const struct channel *c = &channels[i];

		LAUNCH(scale, N / 256, 256, c->result, c->signal, by, N);
		LAUNCH(accumulate, N / 256, 256, c->total, c->result, c->signal, N);
		for (int k = 0; k < N; k++)
			expected[i][k] += signals[i][k] * by * signals[i][k];
	}
}

static void channel_finish(const struct channel *c, const float *sums)
{
	CHECK(cudaMemcpy(total, c->total, sizeof(total), cudaMemcpyDeviceToHost));
	expect_floats(total, sums, N, "the total");
	print_checksum("total", total, sizeof(total));
	CHECK(cudaFree(c->signal));
	CHECK(cudaFree(c->result));
	CHECK(cudaFree(c->total));
}

int main(void)
{
	struct channel channels[SIGNALS];

	for (unsigned i = 0; i < SIGNALS; i++) {
		random_floats(signals[i], N, i);
		channels[i] = channel_new(signals[i]);
	}
	for (int round = 0; round < ROUNDS; round++)
		round_of(channels, round);
	for (int i = 0; i < SIGNALS; i++)
		channel_finish(&channels[i], expected[i]);
	return 0;
}
