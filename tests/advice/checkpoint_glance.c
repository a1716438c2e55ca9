/*
 * As checkpoint_unread.c, but of each checkpoint one byte is looked at, which may be any: of three
 * pages nothing is to be saved.
 *
 * COLLECT: --passes flow,time,waits,use
 */
#include <sys/mman.h>

#include "tests/advice/program.h"

enum { N = 3072, STEPS = 4 };

static float numbers[N];

int main(void)
{
	const size_t size = sizeof(numbers);
	float *state;
	volatile unsigned char *checkpoint =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned sum = 0;

	expect(checkpoint != MAP_FAILED, "memory of the host");
	random_floats(numbers, N, 1);
	CHECK(cudaMalloc((void **)&state, size));
	CHECK(cudaMemcpy(state, numbers, size, cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(shift, N / 256, 256, state, 1.0f, N);
		CHECK(cudaMemcpy((void *)checkpoint, state, size, cudaMemcpyDeviceToHost));
		sum = sum * 31 + checkpoint[(size_t)step * 4096 % size + 5];
	}
	print_checksum("sum", &sum, sizeof(sum));
	CHECK(cudaFree(state));
	return 0;
}
