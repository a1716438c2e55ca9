/*
 * Programs for the overhead table: `bench triad|gather|matmul|set|tiny`.  Prints the seconds of the
 * loop, without start and end of the process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/programs/launch.h"

#define N (32u << 20) /* 128 MiB of floats */

static double seconds(void)
{
	struct timespec now;

	CHECK(cudaDeviceSynchronize());
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

__global__ void triad_kernel(float *a, const float *b, const float *c)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	a[i] = b[i] + 3 * c[i];
}

__global__ void gather_kernel(float *a, const float *b, unsigned seed)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	a[i] = b[(i * 2654435761u + seed) % N];
}

__global__ void tiny_kernel(float *a)
{
	a[threadIdx.x] += 1;
}

__global__ void matmul_kernel(float *c, const float *a, const float *b, int n)
{
	__shared__ float x[16][16], y[16][16];
	int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
	float sum = 0;

	for (int k = 0; k < n; k += 16) {
		x[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
		y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
		__syncthreads();
		for (int i = 0; i < 16; i++)
			sum += x[threadIdx.y][i] * y[i][threadIdx.x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";
	float *a, *b, *c;
	double start;
	int count = 0;

	CHECK(cudaMalloc((void **)&a, N * sizeof(*a)));
	CHECK(cudaMalloc((void **)&b, N * sizeof(*b)));
	CHECK(cudaMalloc((void **)&c, N * sizeof(*c)));
	CHECK(cudaMemset(b, 0, N * sizeof(*b)));
	CHECK(cudaMemset(c, 0, N * sizeof(*c)));
	CHECK(cudaMemset(a, 0, N * sizeof(*a)));
	start = seconds();
	if (!strcmp(which, "triad"))
		for (; count < 100; count++)
			triad_kernel<<<N / 256, 256>>>(a, b, c);
	else if (!strcmp(which, "gather"))
		for (; count < 100; count++)
			gather_kernel<<<N / 256, 256>>>(a, b, count);
	else if (!strcmp(which, "tiny"))
		for (; count < 10000; count++)
			tiny_kernel<<<1, 32>>>(a);
	else if (!strcmp(which, "set"))
		for (; count < 100; count++)
			CHECK(cudaMemset(a, count, N * sizeof(*a)));
	else if (!strcmp(which, "matmul"))
		for (; count < 20; count++)
			matmul_kernel<<<dim3(128, 128), dim3(16, 16)>>>(c, a, b, 2048);
	else
		return 2;
	CHECK(cudaGetLastError());
	printf("%s %d launches %.6f s\n", which, count, seconds() - start);
	return 0;
}
