/*
 * Results go to pinned memory in the background; the host waits for them at once, then prepares the
 * next step, and only then looks at them.
 *
 * COLLECT: --passes flow,time,waits,use
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 10, PREPARE_NS = 40000 };

void vflow_emulator_work(unsigned long ns) __attribute__((weak));

static float numbers[N], expected[N];

int main(void)
{
	float *state, *seen, sum = 0;
	cudaStream_t stream;

	random_floats(numbers, N, 1);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMallocHost((void **)&seen, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH_ON(stream, shift, N / 256, 256, state, 1.0f, N);
		CHECK(cudaMemcpyAsync(seen, state, sizeof(numbers), cudaMemcpyDeviceToHost,
				      stream));
#if !FIX_1
		/* PLANT 1: misplaced_wait, wait_later */
		CHECK(cudaStreamSynchronize(stream));
#endif
		if (vflow_emulator_work)
			vflow_emulator_work(PREPARE_NS);
#if FIX_1
		CHECK(cudaStreamSynchronize(stream));
#endif
		for (int i = 0; i < N; i++)
			sum += seen[i] - numbers[i] - (float)(step + 1);
	}
	expect(fabsf(sum) < 1, "the sum");
	LAUNCH_ON(stream, shift, N / 256, 256, state, 1.0f, N);
	CHECK(cudaMemcpy(expected, state, sizeof(numbers), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		numbers[i] += STEPS + 1;
	expect_floats(expected, numbers, N, "numbers");
	print_checksum("numbers", expected, sizeof(numbers));
	CHECK(cudaFreeHost(seen));
	CHECK(cudaFree(state));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
