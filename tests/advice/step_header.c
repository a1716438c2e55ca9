/*
 * A simulation that uploads 256 bytes before each step, which a kernel writes over unread: few
 * bytes beside the half megabyte of each step, and a quarter of the calls.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 65536, ROW = 64, STEPS = 20 };

static float numbers[N], sums[ROW];

int main(void)
{
	float *state, *row, *sum, *header;

	random_floats(numbers, N, 1);
	CHECK(cudaMallocHost((void **)&header, ROW * sizeof(*header)));
	random_floats(header, ROW, 2);
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMalloc((void **)&row, ROW * sizeof(*row)));
	CHECK(cudaMalloc((void **)&sum, sizeof(sums)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	CHECK(cudaMemset(sum, 0, sizeof(sums)));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(shift, N / 256, 256, state, 1.0f, N);
#if !FIX_1
		/* PLANT 1: dead_write, delete, 5120 */
		CHECK(cudaMemcpyAsync(row, header, ROW * sizeof(*row), cudaMemcpyHostToDevice, 0));
#endif
		LAUNCH(scale, 1, ROW, row, state, 2.0f, ROW);
		LAUNCH(accumulate, 1, ROW, sum, row, row, ROW);
	}
	CHECK(cudaMemcpy(numbers, state, sizeof(numbers), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(sums, sum, sizeof(sums), cudaMemcpyDeviceToHost));
	print_checksum("numbers", numbers, sizeof(numbers));
	print_checksum("sums", sums, sizeof(sums));
	CHECK(cudaFree(state));
	CHECK(cudaFree(row));
	CHECK(cudaFree(sum));
	CHECK(cudaFreeHost(header));
	return 0;
}
