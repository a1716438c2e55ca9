/*
 * As noise_floor.cu, but the kernel stores every sample, those below the noise floor as silence:
 * whatever the input is, nobody needs what was cleared.
 */
#include "tests/advice/program.h"

enum { SAMPLES = 8192, BLOCKS = 4 };

static float samples[SAMPLES], sum[SAMPLES], expected[SAMPLES];

static __global__ void gate(float *kept, const float *samples, float floor, int count)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
	     i += gridDim.x * blockDim.x) {
		float value = 0;

		if (samples[i] > floor)
			value = samples[i] * 2;
		kept[i] = value;
	}
}

static __global__ void mix(float *sum, const float *kept, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		sum[i] += kept[i];
}

int main()
{
	const size_t bytes = SAMPLES * sizeof(float);
	float *device_samples, *kept, *device_sum;

	CHECK(cudaMalloc(&device_samples, bytes));
	CHECK(cudaMalloc(&kept, bytes));
	CHECK(cudaMalloc(&device_sum, bytes));
	random_floats(sum, SAMPLES, 1);
	memcpy(expected, sum, bytes);
	CHECK(cudaMemcpy(device_sum, sum, bytes, cudaMemcpyHostToDevice));
	for (unsigned block = 0; block < BLOCKS; block++) {
		random_floats(samples, SAMPLES, block + 2);
		CHECK(cudaMemcpy(device_samples, samples, bytes, cudaMemcpyHostToDevice));
#if !FIX_1
		/* PLANT 1: dead_write, delete, 128K */
		CHECK(cudaMemset(kept, 0, bytes));
#endif
		gate<<<SAMPLES / 512, 256>>>(kept, device_samples, 1.25f, SAMPLES);
		mix<<<SAMPLES / 256, 256>>>(device_sum, kept, SAMPLES);
		CHECK(cudaGetLastError());
		for (int i = 0; i < SAMPLES; i++)
			expected[i] += samples[i] > 1.25f ? samples[i] * 2 : 0;
	}
	CHECK(cudaMemcpy(sum, device_sum, bytes, cudaMemcpyDeviceToHost));
	expect_floats(sum, expected, SAMPLES, "sum");
	print_checksum("sum", sum, bytes);
	CHECK(cudaFree(device_samples));
	CHECK(cudaFree(kept));
	CHECK(cudaFree(device_sum));
	return 0;
}
