/*
 * A solver sends the border of each step from one pinned buffer, and fills that with the next one
 * before it has waited for the copy.
 *
 * COLLECT: --passes flow,time,waits,use
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 4 };

int main(void)
{
	const size_t size = N * sizeof(float);
	float *state, *scaled, *border, *seen = host_alloc(size), *sent = host_alloc(size);
	cudaStream_t stream;

	CHECK(cudaMalloc((void **)&state, size));
	CHECK(cudaMalloc((void **)&scaled, size));
	CHECK(cudaMallocHost((void **)&border, size));
	CHECK(cudaStreamCreate(&stream));
	random_floats(border, N, 1);
	for (int step = 0; step < STEPS; step++) {
		memcpy(sent, border, size);
		/* PLANT 1: overwritten_source, wait_first, 256K */
		CHECK(cudaMemcpyAsync(state, border, size, cudaMemcpyHostToDevice, stream));
		LAUNCH_ON(stream, scale, N / 256, 256, scaled, state, 2.0f, N);
#if FIX_1
		CHECK(cudaStreamSynchronize(stream));
		random_floats(border, N, (unsigned)step + 2);
#else
		random_floats(border, N, (unsigned)step + 2);
		CHECK(cudaStreamSynchronize(stream));
#endif
		CHECK(cudaMemcpy(seen, scaled, size, cudaMemcpyDeviceToHost));
		for (int i = 0; i < N; i++)
			expect(seen[i] == 2 * sent[i], "scaled numbers");
		print_checksum("scaled", seen, size);
	}
	CHECK(cudaFreeHost(border));
	CHECK(cudaFree(state));
	CHECK(cudaFree(scaled));
	free(seen);
	free(sent);
	return 0;
}
