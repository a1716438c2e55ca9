/*
 * A solver fetches its whole state in each step and looks at the first numbers of it only.
 *
 * COLLECT: --passes flow,time,waits,use
 */
#include <sys/mman.h>

#include "tests/advice/program.h"

enum { N = 16384, STEPS = 4, SEEN = 1024 };

static float numbers[N];

int main(void)
{
	const size_t size = sizeof(numbers);
	float *state, *seen = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);

	expect(seen != MAP_FAILED, "memory of the host");
	random_floats(numbers, N, 1);
	CHECK(cudaMalloc((void **)&state, size));
	CHECK(cudaMemcpy(state, numbers, size, cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(shift, N / 256, 256, state, 1.0f, N);
		/* 1 of 16 pages is touched: 60 of 64 KiB, 4 times.  PLANT below. */
#if FIX_1
		CHECK(cudaMemcpy(seen, state, SEEN * sizeof(*seen), cudaMemcpyDeviceToHost));
#else
		/* PLANT 1: partial_download, copy_range, 240K */
		CHECK(cudaMemcpy(seen, state, size, cudaMemcpyDeviceToHost));
#endif
		for (int i = 0; i < SEEN; i++)
			expect(fabsf(seen[i] - numbers[i] - (float)(step + 1)) < 1e-3f, "numbers");
		print_checksum("numbers", seen, SEEN * sizeof(*seen));
	}
	CHECK(cudaFree(state));
	return 0;
}
