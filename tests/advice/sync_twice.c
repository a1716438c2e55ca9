/*
 * A helper synchronizes its stream, and its caller the whole device once more.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 4096, STEPS = 20 };

static float numbers[N];

static float step_on_device(float *state, float *seen, int step)
{
	LAUNCH(shift, N / 256, 256, state, 1.0f, N);
	CHECK(cudaMemcpyAsync(seen, state, N * sizeof(*seen), cudaMemcpyDeviceToHost, 0));
	CHECK(cudaStreamSynchronize(0));
	return seen[step];
}

int main(void)
{
	float *state, *seen, sum = 0, wanted = 0;

	random_floats(numbers, N, 1);
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMallocHost((void **)&seen, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		sum += step_on_device(state, seen, step);
#if !FIX_1
		/* PLANT 1: consecutive_waits, delete */
		CHECK(cudaDeviceSynchronize());
#endif
		wanted += numbers[step] + (float)(step + 1);
	}
	expect(fabsf(sum - wanted) < 1e-2f, "sum");
	printf("sum %.3f\n", sum);
	CHECK(cudaFree(state));
	CHECK(cudaFreeHost(seen));
	return 0;
}
