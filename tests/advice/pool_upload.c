/*
 * Weights that go to the device in every step, into a pool whose parts are used for something else
 * in between, as frameworks do: each time they lie elsewhere.
 */
#include "tests/advice/program.h"

enum { N = 8192, STEPS = 5, PARTS = 3 };

static float weights[N], batch[N], result[N];

/* The part of the pool that is used longest ago. */
static float *take(float *pool)
{
	static int next;

	return pool + next++ % PARTS * N;
}

static void step(float *pool, const float *kept, int number)
{
	float *in = take(pool), *out = take(pool);
	const float *on_device = kept;

	if (!kept) {
		float *to = take(pool);

		/* PLANT 1: duplicate_transfer, keep_on_device, 128K */
		CHECK(cudaMemcpy(to, weights, sizeof(weights), cudaMemcpyHostToDevice));
		on_device = to;
	}
	random_floats(batch, N, (unsigned)number);
	CHECK(cudaMemcpy(in, batch, sizeof(batch), cudaMemcpyHostToDevice));
	LAUNCH(multiply, N / 256, 256, out, in, on_device, N);
	CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expect(result[i] == batch[i] * weights[i], "the step's result");
	print_checksum("step", result, sizeof(result));
	take(pool); /* another part comes first in the next step */
}

int main(void)
{
	float *pool, *kept = NULL;

	random_floats(weights, N, 100);
	CHECK(cudaMalloc((void **)&pool, PARTS * sizeof(weights)));
#if FIX_1
	CHECK(cudaMalloc((void **)&kept, sizeof(weights)));
	CHECK(cudaMemcpy(kept, weights, sizeof(weights), cudaMemcpyHostToDevice));
#endif
	for (int i = 0; i < STEPS; i++)
		step(pool, kept, i);
	CHECK(cudaFree(pool));
	if (kept)
		CHECK(cudaFree(kept));
	return 0;
}
