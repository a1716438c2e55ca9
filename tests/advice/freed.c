/*
 * The host waits for the kernel before it frees the kernel's memory: cudaFree() waits by itself.
 * cuMemUnmap() does not: see unmapped.c.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 65536, PARTS = 2, PREPARE_NS = 400000 };

void vflow_emulator_work(unsigned long ns) __attribute__((weak));

static float numbers[N];

int main(void)
{
	float *states[PARTS], *sums;
	cudaStream_t stream;

	random_floats(numbers, N, 1);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc((void **)&sums, sizeof(numbers)));
	CHECK(cudaMemset(sums, 0, sizeof(numbers)));
	for (int part = 0; part < PARTS; part++) {
		CHECK(cudaMalloc((void **)&states[part], sizeof(numbers)));
		numbers[0] = (float)part;
		CHECK(cudaMemcpy(states[part], numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	}
	for (int part = 0; part < PARTS; part++) {
		LAUNCH_ON(stream, accumulate, N / 256, 256, sums, states[part], states[part], N);
#if !FIX_1
		/* PLANT 1: unnecessary_wait, delete */
		CHECK(cudaStreamSynchronize(stream));
#endif
		if (vflow_emulator_work)
			vflow_emulator_work(PREPARE_NS);
		CHECK(cudaFree(states[part]));
	}
	CHECK(cudaMemcpy(numbers, sums, sizeof(numbers), cudaMemcpyDeviceToHost));
	print_checksum("numbers", numbers, sizeof(numbers));
	CHECK(cudaFree(sums));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
