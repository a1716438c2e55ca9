/*
 * drgpum_figures.c FIGURE: the calls of DrGPUM's Figures 2, 3 and 4 (DrGPUM, 5.1 and 5.3), as far
 * as the paper's text has them; tests/cli/drgpum_figures.sh says what must be found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "tests/programs/launch.h"

enum { MIB = 1 << 20 };

static char host[MIB];

static void *allocate(size_t size)
{
	void *memory;

	CHECK(cudaMalloc(&memory, size));
	return memory;
}

static void set(void *memory, size_t size)
{
	CHECK(cudaMemset(memory, 1, size));
}

static void fetch(const void *memory, size_t size)
{
	CHECK(cudaMemcpy(host, memory, size, cudaMemcpyDeviceToHost));
}

/* T is the number of the call. */
static void figure_2(void)
{
	enum { A = MIB, B = MIB / 2, C = MIB / 4 };
	void *a, *b, *c;

	a = allocate(A); /* T = 1 */
	b = allocate(B); /* 2 */
	c = allocate(C); /* 3 */
	set(a, A);
	set(c, C); /* 5 */
	fetch(a, A);
	set(b, B); /* 7: the first access of B, after four calls */
	fetch(a, A);
	fetch(b, B); /* 9: its last one */
	fetch(c, C); /* 10: C has been idle for four calls */
	CHECK(cudaFree(a));
	CHECK(cudaFree(b)); /* 12: two calls later; C is never freed */
}

/* A1 to A9 are the calls that access the objects: O1 from A1 to A5, O2 A2 to A8, O3 A5 to A7, O4 A6
 * to A9. */
static void figure_3(void)
{
	void *o1 = allocate(MIB), *o2 = allocate(MIB), *o3 = allocate(MIB), *o4 = allocate(MIB);

	set(o1, MIB);
	set(o2, MIB);
	fetch(o1, MIB);
	fetch(o2, MIB);
	CHECK(cudaMemcpy(o3, o1, MIB, cudaMemcpyDeviceToDevice)); /* A5 */
	set(o4, MIB);
	fetch(o3, MIB);
	fetch(o2, MIB);
	fetch(o4, MIB);
	CHECK(cudaFree(o1));
	CHECK(cudaFree(o2));
	CHECK(cudaFree(o3));
	CHECK(cudaFree(o4));
}

/* Two streams: O1 is allocated in the first, and first accessed by a copy in the second. */
static void figure_4(void)
{
	cudaStream_t first, second;
	cudaEvent_t copied;
	void *o1, *o2;

	CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
	CHECK(cudaMallocAsync(&o1, MIB, first));                               /* call 1: T = 0 */
	CHECK(cudaMallocAsync(&o2, MIB, second));                              /* call 2: T = 0 */
	CHECK(cudaMemsetAsync(o2, 1, MIB, second));                            /* call 3 */
	CHECK(cudaMemsetAsync(o2, 2, MIB / 2, second));                        /* call 4 */
	CHECK(cudaMemcpyAsync(o1, o2, MIB, cudaMemcpyDeviceToDevice, second)); /* 5: T = 3 */
	CHECK(cudaEventRecord(copied, second));
	CHECK(cudaStreamWaitEvent(first, copied, 0));
	CHECK(cudaMemsetAsync(o1, 3, MIB, first)); /* call 6 */
	CHECK(cudaFreeAsync(o1, first));           /* call 7 */
	CHECK(cudaFreeAsync(o2, second));          /* call 8 */
	CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	void (*const figures[])(void) = {figure_2, figure_3, figure_4};
	int figure = argc == 2 ? atoi(argv[1]) : 0;

	if (figure < 2 || figure > 4) {
		fputs("usage: drgpum_figures 2|3|4\n", stderr);
		return 2;
	}
	figures[figure - 2]();
	return 0;
}
