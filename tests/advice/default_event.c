/*
 * No waste: streams that are ordered with the default stream compute and download; the host waits
 * for an event of the default stream, which comes after them, and for one of a stream that comes
 * after the default stream's work.
 *
 * COLLECT: --passes flow,time,waits,use
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 6 };

static float numbers[N];

int main(void)
{
	float *state, *other, *seen, *shown;
	cudaStream_t first, second, third;
	cudaEvent_t done;

	random_floats(numbers, N, 1);
	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	CHECK(cudaStreamCreate(&third));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMalloc((void **)&other, sizeof(numbers)));
	CHECK(cudaMallocHost((void **)&seen, sizeof(numbers)));
	CHECK(cudaMallocHost((void **)&shown, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(other, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH_ON(first, shift, N / 256, 256, state, 1.0f, N);
		CHECK(cudaMemcpyAsync(seen, state, sizeof(numbers), cudaMemcpyDeviceToHost, first));
		CHECK(cudaEventRecord(done, 0));
		CHECK(cudaEventSynchronize(done));
		print_checksum("numbers", seen, sizeof(numbers));
		LAUNCH(shift, N / 256, 256, other, 0.5f, N);
		CHECK(cudaMemcpyAsync(shown, other, sizeof(numbers), cudaMemcpyDeviceToHost, 0));
		CHECK(cudaEventRecord(done, step % 2 ? second : third));
		CHECK(cudaEventSynchronize(done));
		print_checksum("others", shown, sizeof(numbers));
		if (step % 2 == 0) {
			LAUNCH_ON(second, shift, N / 256, 256, state, 1.0f, N);
			CHECK(cudaMemcpyAsync(seen, state, sizeof(numbers), cudaMemcpyDeviceToHost,
					      second));
			CHECK(cudaStreamSynchronize(second));
			print_checksum("numbers", seen, sizeof(numbers));
		}
	}
	CHECK(cudaFree(state));
	CHECK(cudaFree(other));
	CHECK(cudaFreeHost(seen));
	CHECK(cudaFreeHost(shown));
	return 0;
}
