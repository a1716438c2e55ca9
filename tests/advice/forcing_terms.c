/*
 * Two terms are added to a field in turn, by the same kernel from two places.  The zeros that it
 * begins with are the initial state: no launch can store instead of adding, but the very first.
 */
#include "tests/advice/program.h"

enum { N = 8192, STEPS = 5 };

static float result[N];

int main(void)
{
	float *field;

	CHECK(cudaMalloc((void **)&field, sizeof(result)));
	CHECK(cudaMemset(field, 0, sizeof(result)));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(shift, N / 256, 256, field, 0.5f, N);
		LAUNCH(shift, N / 256, 256, field, 0.25f, N);
	}
	CHECK(cudaMemcpy(result, field, sizeof(result), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expect(result[i] == STEPS * 0.75f, "the sum of the terms");
	print_checksum("field", result, sizeof(result));
	CHECK(cudaFree(field));
	return 0;
}
