/*
 * A counter in managed memory that the host reads after each step: the waits look as if they were
 * for nothing, because no copy brings anything.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 8192, STEPS = 8 };

int main(void)
{
	float *state, first;
	double sum = 0;

	CHECK(cudaMallocManaged((void **)&state, N * sizeof(*state), cudaMemAttachGlobal));
	random_floats(state, N, 1);
	first = state[7];
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(shift, N / 256, 256, state, 1.0f, N);
		CHECK(cudaDeviceSynchronize());
		sum += state[7];
	}
	expect(fabs(sum - STEPS * first - STEPS * (STEPS + 1) / 2) < 1e-3, "sum");
	printf("sum %.3f\n", sum);
	CHECK(cudaFree(state));
	return 0;
}
