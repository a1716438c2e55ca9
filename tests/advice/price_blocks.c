/*
 * Prices that are uploaded block by block, though the blocks lie side by side on both sides.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 16384, BLOCKS = 64, BLOCK = N / BLOCKS };

static float prices[N], scaled[N];

int main(void)
{
	float *in, *out;

	random_floats(prices, N, 1);
	CHECK(cudaMalloc((void **)&in, sizeof(prices)));
	CHECK(cudaMalloc((void **)&out, sizeof(prices)));
#if FIX_1
	CHECK(cudaMemcpy(in, prices, sizeof(prices), cudaMemcpyHostToDevice));
#else
	for (int i = 0; i < BLOCKS; i++)
		/* PLANT 1: many_small_copies, copy_together */
		CHECK(cudaMemcpy(in + (size_t)i * BLOCK, prices + (size_t)i * BLOCK,
				 BLOCK * sizeof(float), cudaMemcpyHostToDevice));
#endif
	LAUNCH(scale, N / 256, 256, out, in, 0.5f, N);
	CHECK(cudaMemcpy(scaled, out, sizeof(scaled), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expect(scaled[i] == prices[i] * 0.5f, "scaled prices");
	print_checksum("scaled", scaled, sizeof(scaled));
	CHECK(cudaFree(in));
	CHECK(cudaFree(out));
	return 0;
}
