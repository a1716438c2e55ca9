/*
 * A kernel that waits for the host, which vflow must not wait for: what it wrote is unknown, the rest
 * stays known.  The comments number the vertices; all arrays hold 4096 bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

enum { SIZE = 4096, THREADS = 1024 };

static void check(cudaError_t error, int line)
{
	if (error == cudaSuccess)
		return;
	printf("line %d: %s\n", line, cudaGetErrorName(error));
	exit(1);
}
#define CHECK(call) check(call, __LINE__)

static __global__ void await(volatile int *flag, int *data)
{
	while (!*flag)
		;
	data[threadIdx.x] = 7;
}

int main(void)
{
	int *a, *b, *flag, *seen, first;

	CHECK(cudaMalloc((void **)&a, SIZE));  /* a */
	CHECK(cudaMalloc((void **)&b, SIZE));  /* b */
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
	for (int i = 0; i < 20; i++) /* would take 100 seconds if each were waited for in vain */ {
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
