/*
 * No waste: results go to memory that is pinned for the copy alone.  The host looks at them later,
 * but has to wait before it unpins the memory: a copy into it must be over by then.  The waits of
 * wait_too_early.c, whose memory stays pinned, can come later.
 *
 * COLLECT: --passes flow,time,waits,use
 */
#include "tests/advice/program.h"

enum { N = 16384, PREPARE_NS = 40000 };

void vflow_emulator_work(unsigned long ns) __attribute__((weak));

static float numbers[N], seen[N] __attribute__((aligned(4096)));

int main(void)
{
	float *state;
	cudaStream_t stream;

	random_floats(numbers, N, 1);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	CHECK(cudaHostRegister(seen, sizeof(seen), 0));
	LAUNCH_ON(stream, shift, N / 256, 256, state, 1.0f, N);
	CHECK(cudaMemcpyAsync(seen, state, sizeof(seen), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	if (vflow_emulator_work)
		vflow_emulator_work(PREPARE_NS);
	CHECK(cudaHostUnregister(seen));
	if (vflow_emulator_work)
		vflow_emulator_work(PREPARE_NS);
	for (int i = 0; i < N; i++)
		numbers[i] += 1;
	expect_floats(seen, numbers, N, "numbers");
	print_checksum("numbers", seen, sizeof(seen));
	CHECK(cudaFree(state));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
