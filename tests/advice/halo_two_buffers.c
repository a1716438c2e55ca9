/*
 * As halo_too_early.c, but the next border is filled into another buffer, and what is written on
 * the last page of this one is not sent.
 *
 * COLLECT: --passes flow,time,waits,use
 */
#include "tests/advice/program.h"

enum { N = 16000, STEPS = 4 };

int main(void)
{
	const size_t size = N * sizeof(float);
	float *state, *scaled, *border[2], *seen = host_alloc(size);
	cudaStream_t stream;

	CHECK(cudaMalloc((void **)&state, size));
	CHECK(cudaMalloc((void **)&scaled, size));
	for (int i = 0; i < 2; i++)
		CHECK(cudaMallocHost((void **)&border[i], size + sizeof(int)));
	CHECK(cudaStreamCreate(&stream));
	random_floats(border[0], N, 1);
	for (int step = 0; step < STEPS; step++) {
		float *now = border[step % 2], *next = border[(step + 1) % 2];

		CHECK(cudaMemcpyAsync(state, now, size, cudaMemcpyHostToDevice, stream));
		LAUNCH_ON(stream, scale, N / 256 + 1, 256, scaled, state, 2.0f, N);
		((volatile int *)now)[N] = step;
		random_floats(next, N, (unsigned)step + 2);
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaMemcpy(seen, scaled, size, cudaMemcpyDeviceToHost));
		for (int i = 0; i < N; i++)
			expect(seen[i] == 2 * now[i], "scaled numbers");
		print_checksum("scaled", seen, size);
	}
	for (int i = 0; i < 2; i++)
		CHECK(cudaFreeHost(border[i]));
	CHECK(cudaFree(state));
	CHECK(cudaFree(scaled));
	free(seen);
	return 0;
}
