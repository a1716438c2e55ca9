/*
 * The host waits for the event at the end of each step, but asks for the time of all steps
 * together.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 6 };

static float numbers[N];

int main(void)
{
	float *state, ms;
	cudaStream_t stream;
	cudaEvent_t begun, done;

	random_floats(numbers, N, 1);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreate(&begun));
	CHECK(cudaEventCreate(&done));
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	CHECK(cudaEventRecord(begun, stream));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH_ON(stream, shift, N / 256, 256, state, 1.0f, N);
		CHECK(cudaEventRecord(done, stream));
#if !FIX_1
		/* PLANT 1: unnecessary_wait, delete */
		CHECK(cudaEventSynchronize(done));
#endif
	}
	LAUNCH_ON(stream, shift, N / 256, 256, state, 1.0f, N);
	CHECK(cudaEventRecord(done, stream));
	CHECK(cudaEventSynchronize(done));
	CHECK(cudaEventElapsedTime(&ms, begun, done));
	expect(ms >= 0, "the time");
	CHECK(cudaMemcpy(numbers, state, sizeof(numbers), cudaMemcpyDeviceToHost));
	print_checksum("numbers", numbers, sizeof(numbers));
	CHECK(cudaFree(state));
	return 0;
}
