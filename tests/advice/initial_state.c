/*
 * A copy of the initial state, which stays to compare with at the end: the first step could read
 * that itself.  The copy's memory is needed for the steps after it.
 */
#include "tests/advice/program.h"

enum { N = 8192, STEPS = 5 };

static float start[N], result[N];

int main(void)
{
	float *initial, *now, *next;
	const float *from;

	random_floats(start, N, 1);
	CHECK(cudaMalloc((void **)&initial, sizeof(start)));
	CHECK(cudaMalloc((void **)&now, sizeof(start)));
	CHECK(cudaMalloc((void **)&next, sizeof(start)));
	CHECK(cudaMemcpy(initial, start, sizeof(start), cudaMemcpyHostToDevice));
#if FIX_1
	from = initial;
#else
	/* PLANT 1: duplicate_values, share, 32K */
	CHECK(cudaMemcpy(now, initial, sizeof(start), cudaMemcpyDeviceToDevice));
	from = now;
#endif
	for (int step = 0; step < STEPS; step++) {
		float *to = step % 2 ? now : next;

		LAUNCH(scale, N / 256, 256, to, from, 1.25f, N);
		from = to;
	}
	LAUNCH(difference, N / 256, 256, now, from, initial, N);
	CHECK(cudaMemcpy(result, now, sizeof(result), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expect(fabsf(result[i] - start[i] * (powf(1.25f, STEPS) - 1)) < 1e-3f,
		       "the difference");
	print_checksum("difference", result, sizeof(result));
	CHECK(cudaFree(initial));
	CHECK(cudaFree(now));
	CHECK(cudaFree(next));
	return 0;
}
