/* Two waits on one line, none of them needed; the second has nothing new to wait for. */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 10 };

static float numbers[N];

int main(void)
{
	float *state;

	random_floats(numbers, N, 1);
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(shift, N / 256, 256, state, 1.0f, N);
#if !FIX_1
		CHECK(cudaDeviceSynchronize() + cudaStreamSynchronize(0));
#endif
	}
	CHECK(cudaMemcpy(numbers, state, sizeof(numbers), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(state));
	return 0;
}
