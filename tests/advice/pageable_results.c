/*
 * Results are copied by an asynchronous copy to pageable memory, which waits for itself, and the
 * host waits for the stream before it reads them.  Pinned memory makes the copy asynchronous, and
 * only then does the wait wait: it must stay.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 8192, STEPS = 5 };

static float start[N];

int main(void)
{
	float *field, *result;
	cudaStream_t stream;

	random_floats(start, N, 1);
	CHECK(cudaStreamCreate(&stream));
#if FIX_1
	CHECK(cudaMallocHost((void **)&result, sizeof(start)));
#else
	result = malloc(sizeof(start));
#endif
	CHECK(cudaMalloc((void **)&field, sizeof(start)));
	CHECK(cudaMemcpy(field, start, sizeof(start), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH_ON(stream, shift, N / 256, 256, field, 0.5f, N);
		/* PLANT 1: pageable_copy, pin */
		CHECK(cudaMemcpyAsync(result, field, sizeof(start), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		print_checksum("field", result, sizeof(start));
	}
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(field));
	return 0;
}
