/*
 * No waste: kernels of two streams store into pinned memory, and the host looks at both, which no
 * call shows.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 65536, FEW = 1024, STEPS = 10, WORK_NS = 60000 };

void vflow_emulator_work(unsigned long ns) __attribute__((weak));

static float numbers[N];

int main(void)
{
	float *input, *many, *few;
	cudaStream_t first, second;

	random_floats(numbers, N, 1);
	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	CHECK(cudaMalloc((void **)&input, sizeof(numbers)));
	CHECK(cudaMallocHost((void **)&many, sizeof(numbers)));
	CHECK(cudaMallocHost((void **)&few, FEW * sizeof(float)));
	CHECK(cudaMemcpy(input, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		float by = 0.75f * (float)(step + 1);

		LAUNCH_ON(first, scale, N / 256, 256, many, input, by, N);
		LAUNCH_ON(second, scale, FEW / 256, 256, few, input, 2 * by, FEW);
		CHECK(cudaDeviceSynchronize());
		for (int i = 0; i < N; i++)
			expect(many[i] == numbers[i] * by, "many");
		for (int i = 0; i < FEW; i++)
			expect(few[i] == numbers[i] * 2 * by, "few");
		if (vflow_emulator_work)
			vflow_emulator_work(WORK_NS);
	}
	print_checksum("many", many, sizeof(numbers));
	print_checksum("few", few, FEW * sizeof(float));
	CHECK(cudaFree(input));
	CHECK(cudaFreeHost(many));
	CHECK(cudaFreeHost(few));
	return 0;
}
