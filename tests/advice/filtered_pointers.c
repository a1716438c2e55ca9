/*
 * No waste, though it looks so where one kernel is left out: it finds the values by a pointer in
 * memory, reads them and leaves zeros, so that the same values must be sent again.
 *
 * COLLECT: --kernel smooth
 */
#include "tests/advice/program.h"

enum { N = 16384, ROUNDS = 4 };

struct consumer {
	float *values, *taken, *result; /* on the device */
	float **arrays;                 /* there too: holds `values` */
};

static float values[N], result[N];

static struct consumer consumer_new(void)
{
	struct consumer c;

	CHECK(cudaMalloc((void **)&c.values, sizeof(values)));
	CHECK(cudaMalloc((void **)&c.taken, sizeof(values)));
	CHECK(cudaMalloc((void **)&c.result, sizeof(result)));
	CHECK(cudaMalloc((void **)&c.arrays, sizeof(c.values)));
	CHECK(cudaMemcpy(c.arrays, &c.values, sizeof(c.values), cudaMemcpyHostToDevice));
	return c;
}

static void round_of(const struct consumer *c, float by)
{
	CHECK(cudaMemcpy(c->values, values, sizeof(values), cudaMemcpyHostToDevice));
	LAUNCH(consume, N / 256, 256, c->taken, c->arrays, by, N);
	LAUNCH(smooth, N / 256, 256, c->result, c->taken, N);
	CHECK(cudaMemcpy(result, c->result, sizeof(result), cudaMemcpyDeviceToHost));
}

static void check_result(float by)
{
	for (int i = 1; i < N - 1; i++) {
		float sum = values[i - 1] + values[i] + values[i + 1];

		expect(fabsf(result[i] - sum / 3 * by) < 1e-4f * by, "the result");
	}
	print_checksum("result", result, sizeof(result));
}

static void consumer_free(const struct consumer *c)
{
	CHECK(cudaFree(c->values));
	CHECK(cudaFree(c->taken));
	CHECK(cudaFree(c->result));
	CHECK(cudaFree(c->arrays));
}

int main(void)
{
	struct consumer consumer = consumer_new();

	random_floats(values, N, 1);
	for (int round = 0; round < ROUNDS; round++) {
		float by = (float)(round + 1);

		round_of(&consumer, by);
		check_result(by);
	}
	consumer_free(&consumer);
	return 0;
}
