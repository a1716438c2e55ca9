/*
 * Matrix products by a kernel that adds to its result (beta = 1): the result is cleared before
 * each product, though every element is added to exactly once.
 */
#include "tests/advice/program.h"

enum { N = 64, ELEMENTS = N * N, BATCHES = 4 };

static float a[ELEMENTS], b[ELEMENTS], c[ELEMENTS];

static void multiply_on_host(float *product)
{
	for (int row = 0; row < N; row++)
		for (int column = 0; column < N; column++) {
			float sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[row * N + k] * b[k * N + column];
			product[row * N + column] = sum;
		}
}

static void product(float *device_c, const float *device_a, const float *device_b)
{
#if FIX_1
	LAUNCH(gemm, ELEMENTS / 256, 256, device_c, device_a, device_b, N);
#else
	/* PLANT 1: fill_then_accumulate, store_instead */
	CHECK(cudaMemset(device_c, 0, sizeof(c)));
	LAUNCH(gemm_add, ELEMENTS / 256, 256, device_c, device_a, device_b, N);
#endif
}

int main(void)
{
	static float expected[ELEMENTS];
	float *device_a, *device_b, *device_c;

	CHECK(cudaMalloc((void **)&device_a, sizeof(a)));
	CHECK(cudaMalloc((void **)&device_b, sizeof(b)));
	CHECK(cudaMalloc((void **)&device_c, sizeof(c)));
	random_floats(b, ELEMENTS, 99);
	CHECK(cudaMemcpy(device_b, b, sizeof(b), cudaMemcpyHostToDevice));
	for (unsigned batch = 0; batch < BATCHES; batch++) {
		random_floats(a, ELEMENTS, batch);
		CHECK(cudaMemcpy(device_a, a, sizeof(a), cudaMemcpyHostToDevice));
		product(device_c, device_a, device_b);
		CHECK(cudaMemcpy(c, device_c, sizeof(c), cudaMemcpyDeviceToHost));
		multiply_on_host(expected);
		expect_floats(c, expected, ELEMENTS, "product");
		print_checksum("product", c, sizeof(c));
	}
	CHECK(cudaFree(device_a));
	CHECK(cudaFree(device_b));
	CHECK(cudaFree(device_c));
	return 0;
}
