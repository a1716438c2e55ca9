/*
 * moves.c CASE: programs that move values by other ways than plain device memory; their flow is
 * worked out by hand in tests/cli/e2e_moves.sh.  The comments number the vertices.  Ends with 1
 * when a result is not what CUDA promises.
 */
#include <string.h>

#include "tests/programs/launch.h"

KERNELS("tests/programs/exactness_kernels.ptx")

static int host[1024];

static void expect(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "moves: wrong result: %s\n", what);
	exit(1);
}

static void synchronize(void)
{
	CHECK(cudaDeviceSynchronize());
}

/* The host writes without an API. */
static void managed(void)
{
	int *x, *y;

	CHECK(cudaMallocManaged((void **)&x, 1024, cudaMemAttachGlobal)); /* 1 */
	CHECK(cudaMallocManaged((void **)&y, 1024, cudaMemAttachGlobal)); /* 2 */
	for (int i = 0; i < 256; i++)
		x[i] = i;
	LAUNCH(reverse_blocks, 1, 256, (const int *)x, y); /* 3 */
	synchronize();
	expect(y[0] == 255 && y[255] == 0, "the host sees what the kernel wrote");
	LAUNCH(increment, 1, 256, y, 256); /* 4 */
	synchronize();
	for (int i = 0; i < 64; i++)
		x[i] = 7;
	LAUNCH(increment, 1, 256, x, 256); /* 5 */
	synchronize();
	CHECK(cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost)); /* 6 */
	expect(host[0] == 8 && host[255] == 256, "the kernel saw what the host wrote");
	x[10] = 5;
	CHECK(cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost)); /* 7 */
	CHECK(cudaMemset(y, 0, 1024));                            /* 8 */
	synchronize();
	expect(host[10] == 5 && y[255] == 0, "copy and set");
	CHECK(cudaFree(x));
	CHECK(cudaFree(y));
}

/* Kernels reach memory of the host; for copies it is the host. */
static void mapped(void)
{
	int *h, *seen, *d;

	CHECK(cudaHostAlloc((void **)&h, 1024, cudaHostAllocMapped)); /* 1 */
	CHECK(cudaHostGetDevicePointer((void **)&seen, h, 0));
	CHECK(cudaMalloc((void **)&d, 1024)); /* 2 */
	for (int i = 0; i < 256; i++)
		h[i] = i + 1;
	LAUNCH(reverse_blocks, 1, 256, (const int *)seen, d); /* 3 */
	CHECK(cudaMemcpy(h, d, 1024, cudaMemcpyDeviceToHost)); /* 4 */
	expect(h[0] == 256 && h[255] == 1, "reversed");
	LAUNCH(increment, 1, 256, seen, 256); /* 5 */
	synchronize();
	expect(h[0] == 257, "the host sees what the kernel wrote");
	CHECK(cudaMemset(seen, 0, 512)); /* 6 */
	synchronize();
	CHECK(cudaMemcpy(d, h, 1024, cudaMemcpyHostToDevice)); /* 7 */
	CHECK(cudaMemcpy(host, d, 1024, cudaMemcpyDeviceToHost)); /* 8 */
	expect(host[127] == 0 && host[128] == 129, "set and copied");
	CHECK(cudaFreeHost(h));
}

static void pinned(void)
{
	int *h, *d;

	CHECK(cudaMallocHost((void **)&h, 1024)); /* 1 */
	CHECK(cudaMalloc((void **)&d, 1024));     /* 2 */
	memset(h, 1, 1024);
	CHECK(cudaMemcpyAsync(d, h, 1024, cudaMemcpyHostToDevice, NULL)); /* 3 */
	CHECK(cudaMemcpyAsync(h, d, 1024, cudaMemcpyDefault, NULL));      /* 4 */
	synchronize();
	CHECK(cudaFreeHost(h));
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"managed", managed},
	{"mapped", mapped},
	{"pinned", pinned},
};

int main(int argc, char **argv)
{
	const size_t count = sizeof(cases) / sizeof(*cases);

	for (size_t i = 0; argc == 2 && i < count; i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	fprintf(stderr, "usage: moves CASE, one of:");
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, " %s", cases[i].name);
	fprintf(stderr, "\n");
	return 2;
}
