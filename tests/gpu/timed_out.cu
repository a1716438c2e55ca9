/*
 * Kernels that spin until the host sets a flag: vflow must time out instead of waiting for them.
 * What such a launch wrote is unknown, all other contents stay known.  Comments number the
 * vertices; all arrays hold 4096 bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { SIZE = 4096, THREADS = 1024 };

static __global__ void await(volatile int *flag, int *data)
{
	while (!*flag)
		;
	data[threadIdx.x] = 7;
}

/* Reads new memory slowly, for longer than vflow's limit for launches without progress. */
static __global__ void crawl(const int *from, int *data, int words, long long cycles)
{
	long long start = clock64();

	for (int i = 0; i < words; i++) {
		while (clock64() - start < cycles / words * i)
			;
		data[0] += from[i];
	}
}

/* Loads a word, computes for longer than that limit, stores it. */
static __global__ void think(int *data, long long cycles)
{
	long long start = clock64();
	int value = data[threadIdx.x];

	while (clock64() - start < cycles)
		value ^= 1;
	data[threadIdx.x] = value / 2 * 2 + 1;
}

/* Reads the same memory again and again, for longer than that limit. */
static __global__ void roam(int *data, int words, long long cycles)
{
	long long start = clock64();
	int sum = 0;

	for (int i = threadIdx.x; clock64() - start < cycles; i += blockDim.x)
		sum += ((volatile int *)data)[i % words];
	data[threadIdx.x] = sum + 1;
}

static int work_long(bool thinks)
{
	int *data, words = 1 << 16, rate, first;

	CHECK(cudaDeviceGetAttribute(&rate, cudaDevAttrClockRate, 0));
	CHECK(cudaMalloc((void **)&data, words * 4));
	CHECK(cudaMemset(data, 0, words * 4));
	if (thinks)
		think<<<1, 256>>>(data, rate * 9000ll); /* 9 s */
	else
		roam<<<1, 256>>>(data, words, rate * 9000ll);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(&first, data, sizeof(first), cudaMemcpyDeviceToHost));
	printf("%d\n", first);
	return 0;
}

static int crawl_long(void)
{
	int *from, *data, words = 1 << 20, rate, sum;

	CHECK(cudaDeviceGetAttribute(&rate, cudaDevAttrClockRate, 0));
	CHECK(cudaMalloc((void **)&from, words * 4));
	CHECK(cudaMalloc((void **)&data, SIZE));
	CHECK(cudaMemset(from, 0, words * 4));
	CHECK(cudaMemset(data, 0, SIZE));
	crawl<<<1, 1>>>(from, data, words, rate * 8000ll); /* 8 s */
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(&sum, data, sizeof(sum), cudaMemcpyDeviceToHost));
	printf("%d\n", sum);
	return 0;
}

/* The host sets the flag after its next call, which does not synchronise with the kernel. */
static int call_between(void)
{
	int *a, *b, *flag, *seen;
	cudaStream_t stream;

	CHECK(cudaMalloc((void **)&a, SIZE));                                     /* 1 */
	CHECK(cudaMalloc((void **)&b, SIZE));                                     /* 2 */
	CHECK(cudaMemset(a, 0, SIZE));                                            /* 3 */
	CHECK(cudaMemset(b, 0, SIZE));                                            /* 4 */
	CHECK(cudaHostAlloc((void **)&flag, sizeof(*flag), cudaHostAllocMapped)); /* 5 */
	CHECK(cudaHostGetDevicePointer((void **)&seen, flag, 0));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	*(volatile int *)flag = 1;
	await<<<1, THREADS, 0, stream>>>(seen, a); /* 6: all objects have shadows from here on */
	CHECK(cudaStreamSynchronize(stream));
	*(volatile int *)flag = 0;
	await<<<1, THREADS, 0, stream>>>(seen, a); /* 7 */
	CHECK(cudaMemset(b, 0, SIZE));             /* 8 */
	*(volatile int *)flag = 1;
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemset(a, 0, SIZE));
	CHECK(cudaMemset(b, 0, SIZE));
	puts("done");
	return 0;
}

/* The GPU is almost full when the program allocates, while a kernel waits for what it does next. */
static int take_room(void)
{
	const size_t MiB = 1 << 20;
	size_t unused, total;
	int *a, *b, *c, *d, *ballast, *flag, *seen;
	cudaStream_t stream;

	CHECK(cudaMalloc((void **)&b, SIZE));
	CHECK(cudaHostAlloc((void **)&flag, sizeof(*flag), cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer((void **)&seen, flag, 0));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	*(volatile int *)flag = 1;
	await<<<1, THREADS, 0, stream>>>(seen, b);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemGetInfo(&unused, &total));
	CHECK(cudaMalloc((void **)&ballast, unused - 3072 * MiB));
	CHECK(cudaMalloc((void **)&a, 512 * MiB));
	CHECK(cudaMemset(a, 1, 512 * MiB));
	CHECK(cudaMalloc((void **)&d, SIZE));
	*(volatile int *)flag = 0;
	await<<<1, THREADS, 0, stream>>>(seen, b);
	CHECK(cudaGetLastError());
	CHECK(cudaMalloc((void **)&c,
			 1536 * MiB)); /* needs memory that shadows occupy: they are evicted */
	*(volatile int *)flag = 1;
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemset(a, 1, 512 * MiB));
	CHECK(cudaMemset(c, 2, 1536 * MiB));
	puts("done");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "room"))
		return take_room();
	if (argc > 1)
		return *argv[1] == 'b'   ? call_between()
		       : *argv[1] == 'c' ? crawl_long()
					 : work_long(*argv[1] == 't');
	int *a, *b, *large, *flag, *seen, first;

	CHECK(cudaMalloc((void **)&a, SIZE)); /* a */
	CHECK(cudaMalloc((void **)&b, SIZE)); /* b */
	CHECK(cudaMalloc(
		(void **)&large,
		128 << 20)); /* so large that it has no shadow: each launch is waited for */
	CHECK(cudaMemset(a, 0, SIZE));
	CHECK(cudaMemset(b, 0, SIZE));
	CHECK(cudaHostAlloc((void **)&flag, sizeof(*flag), cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer((void **)&seen, flag, 0));
	*flag = 0;
	await<<<1, THREADS>>>(seen, a);
	CHECK(cudaGetLastError());
	*(volatile int *)flag = 1;
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemset(b, 0, SIZE)); /* redundant: the kernel did not write b */
	CHECK(cudaMemset(a, 0, SIZE)); /* not redundant, whatever a holds */
	for (int i = 0; i < 20; i++) /* 100 seconds if each timed out by itself */ {
		*(volatile int *)flag = 0;
		await<<<1, THREADS>>>(seen, a);
		CHECK(cudaGetLastError());
		*(volatile int *)flag = 1;
		CHECK(cudaDeviceSynchronize());
	}
	CHECK(cudaMemcpy(&first, a, sizeof(first), cudaMemcpyDeviceToHost));
	CHECK(cudaMemset(b, 0, SIZE)); /* still redundant */
	printf("%d\n", first);
	return 0;
}
