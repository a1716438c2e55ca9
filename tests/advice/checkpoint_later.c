/*
 * A solver fetches two states into pinned memory and looks at them only when the device has made
 * the next one: the copies are read, though a kernel and a wait came in between.
 *
 * COLLECT: --passes flow,time,waits,use
 */
#include "tests/advice/program.h"

enum { N = 16384 };

static float numbers[2][N];

int main(void)
{
	const size_t size = sizeof(numbers[0]);
	float *state[2], *checkpoint[2], *last;

	for (int i = 0; i < 2; i++) {
		random_floats(numbers[i], N, 1 + i);
		CHECK(cudaMalloc((void **)&state[i], size));
		CHECK(cudaMallocHost((void **)&checkpoint[i], size));
		CHECK(cudaMemcpy(state[i], numbers[i], size, cudaMemcpyHostToDevice));
	}
	for (int i = 0; i < 2; i++)
		LAUNCH(shift, N / 256, 256, state[i], 1.0f, N);
	CHECK(cudaMallocHost((void **)&last, size));
	CHECK(cudaMemcpy(checkpoint[0], state[0], size, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(checkpoint[1], state[1], size, cudaMemcpyDeviceToHost));
	LAUNCH(shift, N / 256, 256, state[0], 1.0f, N);
	CHECK(cudaMemcpy(last, state[0], size, cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expect(fabsf(last[i] - checkpoint[0][i] - 1) < 1e-3f, "numbers");
	print_checksum("last", last, size);
	CHECK(cudaFreeHost(last));
	for (int i = 0; i < 2; i++) {
		print_checksum("checkpoint", checkpoint[i], size);
		CHECK(cudaFreeHost(checkpoint[i]));
		CHECK(cudaFree(state[i]));
	}
	return 0;
}
