/*
 * A solver fetches a state, and then the first half of the next one over it: of what the first copy
 * has brought the other half is read.
 *
 * COLLECT: --passes flow,time,waits,use
 */
#include <sys/mman.h>

#include "tests/advice/program.h"

enum { N = 16384 };

static float numbers[N];

int main(void)
{
	const size_t size = sizeof(numbers);
	float *state, *checkpoint = mmap(NULL, size, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	expect(checkpoint != MAP_FAILED, "memory of the host");
	random_floats(numbers, N, 1);
	CHECK(cudaMalloc((void **)&state, size));
	CHECK(cudaMemcpy(state, numbers, size, cudaMemcpyHostToDevice));
	LAUNCH(shift, N / 256, 256, state, 1.0f, N);
	CHECK(cudaMemcpy(checkpoint, state, size, cudaMemcpyDeviceToHost));
	LAUNCH(shift, N / 512, 256, state, 1.0f, N / 2);
	CHECK(cudaMemcpy(checkpoint, state, size / 2, cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expect(fabsf(checkpoint[i] - numbers[i] - (i < N / 2 ? 2 : 1)) < 1e-3f, "numbers");
	print_checksum("checkpoint", checkpoint, size);

	CHECK(cudaFree(state));
	return 0;
}
