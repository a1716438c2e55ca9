/*
 * Products by cuBLAS with beta = 1: the result is cleared before each of them, though every element
 * is added to once.
 *
 * NEEDS: gpu
 * LINK: -lcublas
 */
#include <cublas_v2.h>

#include "tests/advice/program.h"

enum { N = 128, ELEMENTS = N * N, BATCHES = 4 };

static float a[ELEMENTS], b[ELEMENTS], c[ELEMENTS], expected[ELEMENTS];

/* In columns, as cuBLAS has it. */
static void multiply_on_host(void)
{
	for (int column = 0; column < N; column++)
		for (int row = 0; row < N; row++) {
			float sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[k * N + row] * b[column * N + k];
			expected[column * N + row] = sum;
		}
}

static void product(cublasHandle_t cublas, const float *device_a, const float *device_b,
		    float *device_c)
{
	const float alpha = 1, beta = FIX_1 ? 0 : 1;

#if !FIX_1
	/* PLANT 1: fill_then_accumulate, store_instead */
	CHECK(cudaMemset(device_c, 0, sizeof(c)));
#endif
	CHECK(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &alpha, device_a, N, device_b,
			  N, &beta, device_c, N));
}

int main()
{
	float *device_a, *device_b, *device_c;
	cublasHandle_t cublas;

	CHECK(cublasCreate(&cublas));
	CHECK(cudaMalloc(&device_a, sizeof(a)));
	CHECK(cudaMalloc(&device_b, sizeof(b)));
	CHECK(cudaMalloc(&device_c, sizeof(c)));
	random_floats(b, ELEMENTS, 99);
	CHECK(cudaMemcpy(device_b, b, sizeof(b), cudaMemcpyHostToDevice));
	for (unsigned batch = 0; batch < BATCHES; batch++) {
		random_floats(a, ELEMENTS, batch);
		CHECK(cudaMemcpy(device_a, a, sizeof(a), cudaMemcpyHostToDevice));
		product(cublas, device_a, device_b, device_c);
		CHECK(cudaMemcpy(c, device_c, sizeof(c), cudaMemcpyDeviceToHost));
		multiply_on_host();
		expect_floats(c, expected, ELEMENTS, "product");
		print_checksum("product", c, sizeof(c));
	}
	CHECK(cudaFree(device_a));
	CHECK(cudaFree(device_b));
	CHECK(cudaFree(device_c));
	CHECK(cublasDestroy(cublas));
	return 0;
}
