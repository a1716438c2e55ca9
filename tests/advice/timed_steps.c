/*
 * No waste: the host waits for the event at the end of a step, since cudaEventElapsedTime() fails
 * before that, and cudaEventQuery() says so; and for what a host function does in the stream.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 6 };

static float numbers[N];

static void count(void *steps)
{
	++*(int *)steps;
}

int main(void)
{
	float *state, ms, total = 0;
	cudaStream_t stream;
	cudaEvent_t begun, done;
	int counted = 0;

	random_floats(numbers, N, 1);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreate(&begun));
	CHECK(cudaEventCreate(&done));
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		CHECK(cudaEventRecord(begun, stream));
		LAUNCH_ON(stream, shift, N / 256, 256, state, 1.0f, N);
		CHECK(cudaEventRecord(done, stream));
		CHECK(cudaEventSynchronize(done));
		CHECK(cudaEventElapsedTime(&ms, begun, done));
		total += ms;
		LAUNCH_ON(stream, shift, N / 256, 256, state, 1.0f, N);
		CHECK(cudaEventRecord(done, stream));
		CHECK(cudaStreamSynchronize(stream));
		expect(cudaEventQuery(done) == cudaSuccess, "the event");
		LAUNCH_ON(stream, shift, N / 256, 256, state, 1.0f, N);
		CHECK(cudaLaunchHostFunc(stream, count, &counted));
		CHECK(cudaDeviceSynchronize());
		expect(counted == step + 1, "the count");
	}
	expect(total >= 0, "the time");
	CHECK(cudaMemcpy(numbers, state, sizeof(numbers), cudaMemcpyDeviceToHost));
	print_checksum("numbers", numbers, sizeof(numbers));
	CHECK(cudaFree(state));
	return 0;
}
