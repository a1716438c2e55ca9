/*
 * A solver fetches its state in each step for a checkpoint that nobody writes, and looks at the
 * last one only.
 *
 * COLLECT: --passes flow,time,waits,use
 */
#include <sys/mman.h>

#include "tests/advice/program.h"

enum { N = 16384, STEPS = 4 };

static float numbers[N];

static float *fresh(size_t size)
{
	float *memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	expect(memory != MAP_FAILED, "memory of the host");
	return memory;
}

int main(void)
{
	const size_t size = sizeof(numbers);
	float *state, *checkpoint = fresh(size), *last = fresh(size);

	(void)checkpoint;

	random_floats(numbers, N, 1);
	CHECK(cudaMalloc((void **)&state, size));
	CHECK(cudaMemcpy(state, numbers, size, cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(shift, N / 256, 256, state, 1.0f, N);
#if !FIX_1
		/* PLANT 1: unused_download, delete, 256K */
		CHECK(cudaMemcpy(checkpoint, state, size, cudaMemcpyDeviceToHost));
#endif
	}
	LAUNCH(shift, N / 256, 256, state, 1.0f, N); /* no checkpoint holds the last state */
	CHECK(cudaMemcpy(last, state, size, cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expect(fabsf(last[i] - numbers[i] - STEPS - 1) < 1e-3f, "numbers");
	print_checksum("numbers", last, size);
	CHECK(cudaFree(state));
	return 0;
}
