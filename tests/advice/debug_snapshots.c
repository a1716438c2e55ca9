/*
 * A solver still fetches its state in each step for a plot that nobody draws any more; of its
 * residuals, which it fetches, too, it looks at one number.
 *
 * COLLECT: --passes flow,time,waits,use
 */
#include <sys/mman.h>

#include "tests/advice/program.h"

enum { N = 16384, STEPS = 4, RESIDUALS = 1024 };

static float numbers[N];

static float *pages(size_t size)
{
	float *memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	expect(memory != MAP_FAILED, "memory of the host");
	return memory;
}

int main(void)
{
	const size_t size = sizeof(numbers);
	float *state, *plot = pages(size), *residuals = pages(RESIDUALS * sizeof(float));

	random_floats(numbers, N, 1);
	CHECK(cudaMalloc((void **)&state, size));
	CHECK(cudaMemcpy(state, numbers, size, cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(shift, N / 256, 256, state, 1.0f, N);
#if !FIX_1
		/* PLANT 1: unused_download, delete, 256K */
		CHECK(cudaMemcpy(plot, state, size, cudaMemcpyDeviceToHost));
#endif
		/* one page, of which four bytes are used */
		CHECK(cudaMemcpy(residuals, state, RESIDUALS * sizeof(float),
				 cudaMemcpyDeviceToHost));
		expect(fabsf(residuals[7] - numbers[7] - (float)(step + 1)) < 1e-3f, "numbers");
	}
	CHECK(cudaMemcpy(numbers, state, size, cudaMemcpyDeviceToHost));
	print_checksum("numbers", numbers, size);
	CHECK(cudaFree(state));
	return 0;
}
