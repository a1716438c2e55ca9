/*
 * The host waits for an event of the default stream, which comes after what is in the other stream,
 * and then for that stream once more.
 *
 * COLLECT: --passes flow,time,waits,use
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 6 };

static float numbers[N];

int main(void)
{
	float *state, *seen;
	cudaStream_t stream;
	cudaEvent_t done;

	random_floats(numbers, N, 1);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMallocHost((void **)&seen, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH_ON(stream, shift, N / 256, 256, state, 1.0f, N);
		CHECK(cudaMemcpyAsync(seen, state, sizeof(numbers), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(done, 0));
		CHECK(cudaEventSynchronize(done));
#if !FIX_1
		/* PLANT 1: consecutive_waits, delete */
		CHECK(cudaStreamSynchronize(stream));
#endif
		print_checksum("numbers", seen, sizeof(numbers));
	}
	CHECK(cudaFree(state));
	CHECK(cudaFreeHost(seen));
	return 0;
}
