/*
 * Kernels that reach many objects through pointers in constant memory: `objects COUNT [MIB
 * [KERNEL]]`.  The objects have so many MiB (64) in all.  Prints, for each kernel, the milliseconds
 * of its launches between two events, and at last a check sum and the milliseconds of all of it on
 * the host.
 *
 *     rows      a warp is in one object; each thread goes on to others
 *     columns   each thread takes one element of each object
 *     scattered neighbouring threads are in different objects
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vector>

#include "tests/programs/launch.h"

enum { THREADS = 256, MOST = 8000, LAUNCHES = 20 };

__constant__ float *objects[MOST];

__global__ void rows(unsigned count, unsigned each)
{
	const unsigned all = count * each;

	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < all;
	     i += gridDim.x * blockDim.x)
		objects[i / each][i % each] += 1;
}

__global__ void columns(unsigned count, unsigned each)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < each;
	     i += gridDim.x * blockDim.x)
		for (unsigned k = 0; k < count; k++)
			objects[k][i] += 1;
}

__global__ void scattered(unsigned count, unsigned each)
{
	const unsigned all = count * each;

	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < all;
	     i += gridDim.x * blockDim.x)
		objects[i % count][i / count] += 1;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*kernel)(unsigned count, unsigned each);
	} kernels[] = {{"rows", rows}, {"columns", columns}, {"scattered", scattered}};
	const unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 600;
	const unsigned mib = argc > 2 ? (unsigned)atoi(argv[2]) : 64;
	const unsigned each = (unsigned)((size_t)mib * (1 << 18) / count);
	std::vector<float *> made(count);
	std::vector<float> host(each);
	cudaEvent_t before, after;
	double start, sum = 0;

	if (!count || count > MOST)
		return 2;
	CHECK(cudaFree(NULL));
	start = now();
	for (float *&object : made) {
		CHECK(cudaMalloc((void **)&object, each * sizeof(float)));
		CHECK(cudaMemset(object, 0, each * sizeof(float)));
	}
	CHECK(cudaMemcpyToSymbol(objects, made.data(), count * sizeof(float *)));
	CHECK(cudaEventCreate(&before));
	CHECK(cudaEventCreate(&after));
	for (const auto &kernel : kernels) {
		float milliseconds;
		double begun = now();

		if (argc > 3 && strcmp(argv[3], kernel.name) != 0)
			continue;
		CHECK(cudaEventRecord(before));
		for (int i = 0; i < LAUNCHES; i++)
			kernel.kernel<<<1024, THREADS>>>(count, each);
		CHECK(cudaEventRecord(after));
		CHECK(cudaEventSynchronize(after));
		CHECK(cudaEventElapsedTime(&milliseconds, before, after));
		printf("%s %u %.3f ms, on the host %.3f\n", kernel.name, count, milliseconds,
		       now() - begun);
	}
	for (float *object : made) {
		CHECK(cudaMemcpy(host.data(), object, each * sizeof(float),
				 cudaMemcpyDeviceToHost));
		sum += host[0] + host[each - 1];
		CHECK(cudaFree(object));
	}
	printf("objects %u sum %.6g whole %.3f ms\n", count, sum, now() - start);
	return 0;
}
