/*
 * Two streams: what one computes the other one adds up.  The host waits for the first before it
 * launches into the second; an event would do.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 10 };

static float numbers[N], expected[N];

int main(void)
{
	float *input, *steps, *total, *shown;
	cudaStream_t first, second;
#if FIX_1
	cudaEvent_t done;

	CHECK(cudaEventCreate(&done));
#endif
	random_floats(numbers, N, 1);
	random_floats(expected, N, 2);
	CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	CHECK(cudaMallocHost((void **)&shown, sizeof(numbers)));
	CHECK(cudaMalloc((void **)&input, sizeof(numbers)));
	CHECK(cudaMalloc((void **)&steps, STEPS * sizeof(numbers)));
	CHECK(cudaMalloc((void **)&total, sizeof(numbers)));
	CHECK(cudaMemcpy(input, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(total, expected, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		float *result = steps + step * N;

		LAUNCH_ON(first, scale, N / 256, 256, result, input, 0.5f + (float)step, N);
#if FIX_1
		CHECK(cudaEventRecord(done, first));
		CHECK(cudaStreamWaitEvent(second, done, 0));
#else
		/* PLANT 1: unnecessary_wait, order_on_device */
		CHECK(cudaStreamSynchronize(first));
#endif
		LAUNCH_ON(second, accumulate, N / 256, 256, total, result, result, N);
	}
	CHECK(cudaMemcpyAsync(shown, total, sizeof(numbers), cudaMemcpyDeviceToHost, second));
	CHECK(cudaStreamSynchronize(second));
	for (int step = 0; step < STEPS; step++)
		for (int i = 0; i < N; i++) {
			float value = numbers[i] * (0.5f + (float)step);

			expected[i] += value * value;
		}
	expect_floats(shown, expected, N, "sums");
	print_checksum("sums", shown, sizeof(numbers));
	CHECK(cudaFree(input));
	CHECK(cudaFree(steps));
	CHECK(cudaFree(total));
	CHECK(cudaFreeHost(shown));
	return 0;
}
