/*
 * Each step has a stream and an event of its own, and waits for the event before it destroys the
 * stream.  The next step's stream waits for the event, too, and both may be destroyed while work is
 * pending.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 6 };

static float numbers[N], expected[N];

int main(void)
{
	float *state;
	cudaEvent_t last = NULL, done;

	random_floats(numbers, N, 1);
	memcpy(expected, numbers, sizeof(numbers));
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		cudaStream_t stream;

		CHECK(cudaStreamCreate(&stream));
		CHECK(cudaEventCreate(&done));
		if (last) {
			CHECK(cudaStreamWaitEvent(stream, last, 0));
			CHECK(cudaEventDestroy(last));
		}
		LAUNCH_ON(stream, shift, N / 256, 256, state, 1.0f, N);
		CHECK(cudaEventRecord(done, stream));
#if !FIX_1
		/* PLANT 1: unnecessary_wait, delete */
		CHECK(cudaEventSynchronize(done));
#endif
		CHECK(cudaStreamDestroy(stream));
		last = done;
	}
	CHECK(cudaEventDestroy(last));
	CHECK(cudaMemcpy(numbers, state, sizeof(numbers), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expected[i] += STEPS;
	expect_floats(numbers, expected, N, "numbers");
	print_checksum("numbers", numbers, sizeof(numbers));
	CHECK(cudaFree(state));
	return 0;
}
