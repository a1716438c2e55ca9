/*
 * No waste: small copies one after the other that no single copy can make.  Of some a kernel uses
 * what each has brought before the next one writes over it, or before the next one comes; some come
 * in two streams by turns; and some bring rows of a triangle, each longer than the one before.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { BLOCKS = 32, BLOCK = 256, N = BLOCKS * BLOCK, ROWS = 32 };

static float got[N], expected[N], triangle[ROWS * (ROWS + 1) / 2];

/* Each block is used before the next one comes. */
static void add_blocks(float *sum, const float *blocks, cudaStream_t stream)
{
	float *drive;

	CHECK(cudaMalloc((void **)&drive, N * sizeof(float)));
	for (size_t i = 0; i < BLOCKS; i++) {
		CHECK(cudaMemcpyAsync(drive + i * BLOCK, blocks + i * BLOCK, BLOCK * sizeof(float),
				      cudaMemcpyHostToDevice, stream));
		LAUNCH_ON(stream, damp, 1, BLOCK, sum + i * BLOCK, drive + i * BLOCK, 0.5f, BLOCK);
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaFree(drive));
}

/* All blocks go to the same memory. */
static void add_in_place(float *sum, const float *blocks, cudaStream_t stream)
{
	float *drive;

	CHECK(cudaMalloc((void **)&drive, BLOCK * sizeof(float)));
	for (size_t i = 0; i < BLOCKS; i++) {
		CHECK(cudaMemcpyAsync(drive, blocks + i * BLOCK, BLOCK * sizeof(float),
				      cudaMemcpyHostToDevice, stream));
		LAUNCH_ON(stream, damp, 1, BLOCK, sum + i * BLOCK, drive, 0.5f, BLOCK);
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaFree(drive));
}

static void take_turns(float *sum, const float *blocks, const cudaStream_t streams[])
{
	float *drive;

	CHECK(cudaMalloc((void **)&drive, N * sizeof(float)));
	for (size_t i = 0; i < BLOCKS; i++)
		CHECK(cudaMemcpyAsync(drive + i * BLOCK, blocks + i * BLOCK, BLOCK * sizeof(float),
				      cudaMemcpyHostToDevice, streams[i % 2]));
	for (size_t i = 0; i < BLOCKS; i++)
		LAUNCH_ON(streams[i % 2], damp, 1, BLOCK, sum + i * BLOCK, drive + i * BLOCK, 0.5f,
			  BLOCK);
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamSynchronize(streams[i]));
	CHECK(cudaFree(drive));
}

int main(void)
{
	float *sum, *blocks;
	cudaStream_t streams[2];

	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamCreate(&streams[i]));
	CHECK(cudaMallocHost((void **)&blocks, 3 * N * sizeof(float)));
	CHECK(cudaMalloc((void **)&sum, N * sizeof(float)));
	random_floats(expected, N, 1);
	random_floats(blocks, 3 * N, 2);
	CHECK(cudaMemcpy(sum, expected, sizeof(expected), cudaMemcpyHostToDevice));
	add_blocks(sum, blocks, streams[0]);
	add_in_place(sum, blocks + N, streams[0]);
	take_turns(sum, blocks + 2 * N, streams);
	for (int i = 0; i < 3 * N; i++)
		expected[i % N] = expected[i % N] * 0.5f + blocks[i];
	for (size_t row = 0; row < ROWS; row++)
		CHECK(cudaMemcpy(triangle + row * (row + 1) / 2, sum + row * BLOCK,
				 (row + 1) * sizeof(float), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(got, sum, sizeof(got), cudaMemcpyDeviceToHost));
	expect_floats(got, expected, N, "the sums");
	for (int row = 0; row < ROWS; row++)
		expect_floats(triangle + row * (row + 1) / 2, expected + row * BLOCK, row + 1,
			      "the triangle");
	print_checksum("got", got, sizeof(got));
	print_checksum("triangle", triangle, sizeof(triangle));
	CHECK(cudaFree(sum));
	CHECK(cudaFreeHost(blocks));
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamDestroy(streams[i]));
	return 0;
}
