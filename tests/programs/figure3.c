/*
 * ValueExpert's Figure 3: two arrays that are set to zero twice, then a kernel that reads one and
 * writes the other.  The comments number the vertices of the graph.
 */
#include "tests/programs/launch.h"

KERNELS("tests/programs/figure3_kernels.ptx")

#define N 4096 /* bytes */

int main(void)
{
	unsigned *a, *b;
	int count = N / sizeof(*a);

	CHECK(cudaMalloc((void **)&a, N));        /* 1 */
	CHECK(cudaMalloc((void **)&b, N));        /* 2 */
	CHECK(cudaMemset(a, 0, N));               /* 3 */
	CHECK(cudaMemset(b, 0, N));               /* 4 */
	LAUNCH(zero, count / 256, 256, a, count); /* 5 */
	LAUNCH(zero, count / 256, 256, b, count); /* 6 */
	LAUNCH(use, 1, 256, a, b, count / 4);     /* 7: reads and writes N / 4 bytes */
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	puts("figure 3: done");
	return 0;
}
