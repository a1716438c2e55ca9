/* ongpu.c: starts the kernels. */
#include "tests/programs/demo/network.h"
#include "tests/programs/launch.h"

KERNELS("tests/programs/demo/kernels.ptx")

#define THREADS 256
#define BLOCKS(n) (((n) + THREADS - 1) / THREADS)
#define TILE 8 /* as in kernels.cu */
#define TILES(n) (((n) + TILE - 1) / TILE)

/* A copy of x on the device; zeros for NULL. */
float *cuda_make_array(const float *x, size_t count)
{
	float *x_gpu;

	CHECK(cudaMalloc((void **)&x_gpu, count * sizeof(float)));
	if (x)
		CHECK(cudaMemcpy(x_gpu, x, count * sizeof(float), cudaMemcpyHostToDevice));
	else
		CHECK(cudaMemset(x_gpu, 0, count * sizeof(float)));
	return x_gpu;
}

void fill_ongpu(int n, float value, float *x)
{
	LAUNCH(fill_kernel, BLOCKS(n), THREADS, n, value, x);
}

void im2col_ongpu(const float *image, int channels, int height, int width, int size, float *columns)
{
	int n = channels * size * size * (height - size + 1) * (width - size + 1);

	LAUNCH(im2col_kernel, BLOCKS(n), THREADS, image, channels, height, width, size, columns);
}

void gemm_ongpu(int m, int n, int k, const float *a, const float *b, float beta, float *c)
{
	LAUNCH(gemm_kernel, TILES(m) * TILES(n), TILE * TILE, m, n, k, a, b, beta, c);
}

void add_bias_ongpu(int n, int filters, int pixels, const float *biases, float *x)
{
	LAUNCH(add_bias_kernel, BLOCKS(n), THREADS, n, filters, pixels, biases, x);
}

void leaky_activate_ongpu(int n, const float *from, float *to)
{
	LAUNCH(leaky_activate_kernel, BLOCKS(n), THREADS, n, from, to);
}

void maxpool_ongpu(int n, int out_height, int out_width, const float *from, float *to)
{
	LAUNCH(maxpool_kernel, BLOCKS(n), THREADS, n, out_height, out_width, from, to);
}
