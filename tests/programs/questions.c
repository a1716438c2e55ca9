/*
 * What section QUESTIONS of vflow-query(1) asks about: an upload that changes nothing, memory that
 * nobody uses or reads, a set that is written over.  The comments number the vertices of the graph,
 * and then all calls from 0.
 */
#include "tests/programs/launch.h"

KERNELS("tests/programs/exactness_kernels.ptx")

enum { SIZE = 4096, COUNT = SIZE / 4 };

static int host[COUNT];

int main(void)
{
	int *a, *b, *spare;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	for (int i = 0; i < COUNT; i++)
		host[i] = i + 1;
	CHECK(cudaMalloc((void **)&a, SIZE));                     /* 1: 0 */
	CHECK(cudaMalloc((void **)&b, SIZE));                     /* 2: 1 */
	CHECK(cudaMalloc((void **)&spare, 16 * SIZE));            /* 3: 2, never used or freed */
	CHECK(cudaMemcpy(a, host, SIZE, cudaMemcpyHostToDevice)); /* 4: 3 */
	CHECK(cudaMemset(b, 0, SIZE));                            /* 5: 4 */
	LAUNCH(store_words, 4, 256, (unsigned *)b, COUNT, 0u);    /* 6: 5, zeros again */
	for (int i = 0; i < 3; i++)
		LAUNCH(increment, 4, 256, a, COUNT);              /* 7: 6, 7, 8 */
	CHECK(cudaMemcpy(host, a, SIZE, cudaMemcpyDeviceToHost)); /* 8: 9 */
	CHECK(cudaMemcpy(a, host, SIZE, cudaMemcpyHostToDevice)); /* 9: 10, it is there */
	LAUNCH(reverse_blocks, 1, 256, (const int *)a, b);        /* 10: 11, 1 KiB */
	CHECK(cudaMemcpyAsync(host, b, SIZE, cudaMemcpyDeviceToHost, stream)); /* 11: 12 */
	CHECK(cudaStreamSynchronize(stream));                                  /* 13 */
	CHECK(cudaMemsetAsync(a, 7, SIZE, stream)); /* 12: 14, nobody reads it */
	CHECK(cudaDeviceSynchronize());             /* 15 */
	CHECK(cudaFree(a));                         /* 16 */
	CHECK(cudaFree(b));                         /* 17 */
	return host[0] == 259 && host[255] == 4 && host[256] == 0 ? 0 : 1;
}
