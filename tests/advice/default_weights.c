/*
 * Weights that are set to a default in each step, and computed in all steps but the last: only
 * there anybody reads what was set.
 */
#include "tests/advice/program.h"

enum { N = 8192, STEPS = 6 };

static float signal[N], result[N];

int main(void)
{
	float *weights, *in, *out;

	random_floats(signal, N, 1);
	CHECK(cudaMalloc((void **)&weights, sizeof(signal)));
	CHECK(cudaMalloc((void **)&in, sizeof(signal)));
	CHECK(cudaMalloc((void **)&out, sizeof(signal)));
	CHECK(cudaMemcpy(in, signal, sizeof(signal), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		int last = step == STEPS - 1;

		if (!FIX_1 || last)
			/* PLANT 1: dead_write, set_when_read, 160K */
			CHECK(cudaMemset(weights, 0x40, sizeof(signal)));
		if (!last)
			LAUNCH(scale, N / 256, 256, weights, in, step + 2.0f, N);
		LAUNCH(multiply, N / 256, 256, out, in, weights, N);
		CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
		for (int i = 0; i < N; i++) {
			float weight = last ? 0x1.8080800p1f : signal[i] * (step + 2.0f);

			expect(result[i] == signal[i] * weight, "the weighted signal");
		}
		print_checksum("step", result, sizeof(result));
	}
	CHECK(cudaFree(weights));
	CHECK(cudaFree(in));
	CHECK(cudaFree(out));
	return 0;
}
