/*
 * A pipeline that sends the next batch while one is computed, and one more after the last.
 */
#include "tests/advice/program.h"

enum { N = 8192, BATCHES = 6 };

static float batch[2][N], result[N];

int main(void)
{
	float *in[2], *out;

	CHECK(cudaMalloc((void **)&in[0], sizeof(*batch)));
	CHECK(cudaMalloc((void **)&in[1], sizeof(*batch)));
	CHECK(cudaMalloc((void **)&out, sizeof(result)));
	random_floats(batch[0], N, 0);
	CHECK(cudaMemcpy(in[0], batch[0], sizeof(*batch), cudaMemcpyHostToDevice));
	for (unsigned i = 0; i < BATCHES; i++) {
		unsigned next = (i + 1) % 2;

		random_floats(batch[next], N, i + 1);
		if (!FIX_1 || i + 1 < BATCHES)
			/* PLANT 1: unused_transfer, copy_when_read, 32K */
			CHECK(cudaMemcpy(in[next], batch[next], sizeof(*batch),
					 cudaMemcpyHostToDevice));
		LAUNCH(scale, N / 256, 256, out, in[i % 2], 3.0f, N);
		CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
		for (int k = 0; k < N; k++)
			expect(result[k] == batch[i % 2][k] * 3, "the batch's result");
		print_checksum("batch", result, sizeof(result));
	}
	CHECK(cudaFree(in[0]));
	CHECK(cudaFree(in[1]));
	CHECK(cudaFree(out));
	return 0;
}
