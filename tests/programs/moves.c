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
	LAUNCH(reverse_blocks, 1, 256, (const int *)seen, d);  /* 3 */
	CHECK(cudaMemcpy(h, d, 1024, cudaMemcpyDeviceToHost)); /* 4 */
	expect(h[0] == 256 && h[255] == 1, "reversed");
	LAUNCH(increment, 1, 256, seen, 256); /* 5 */
	synchronize();
	expect(h[0] == 257, "the host sees what the kernel wrote");
	CHECK(cudaMemset(seen, 0, 512)); /* 6 */
	synchronize();
	CHECK(cudaMemcpy(d, h, 1024, cudaMemcpyHostToDevice));    /* 7 */
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

/* The host's own memory, with what it held before. */
static void registered(void)
{
	static int own[512];
	int *seen, *d;

	for (int i = 0; i < 256; i++)
		own[i] = i + 1;
	CHECK(cudaHostRegister(own, sizeof(own), cudaHostRegisterMapped)); /* 1 */
	CHECK(cudaHostGetDevicePointer((void **)&seen, own, 0));
	CHECK(cudaMalloc((void **)&d, 1024));                 /* 2 */
	LAUNCH(reverse_blocks, 1, 256, (const int *)seen, d); /* 3 */
	LAUNCH(increment, 1, 256, seen + 256, 256);           /* 4 */
	synchronize();
	expect(own[256] == 1 && own[511] == 1, "the host sees what the kernel wrote");
	CHECK(cudaMemcpy(own, d, 1024, cudaMemcpyDeviceToHost)); /* 5 */
	expect(own[0] == 256 && own[255] == 1, "reversed");
	CHECK(cudaHostUnregister(own));
	expect(cudaHostUnregister(own) == cudaErrorHostMemoryNotRegistered, "twice");
	(void)cudaGetLastError();
}

static void array(void)
{
	const struct cudaChannelFormatDesc format =
		cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
	struct cudaMemcpy3DParms box = {0};
	cudaArray_t a, b;
	char *d;

	memset(host, 1, sizeof(host));
	CHECK(cudaMallocArray(&a, &format, 32, 16, 0));                                    /* 1 */
	CHECK(cudaMalloc((void **)&d, 2048));                                              /* 2 */
	CHECK(cudaMemcpy2DToArray(a, 16, 2, host, 64, 64, 4, cudaMemcpyHostToDevice));     /* 3 */
	CHECK(cudaMemset(d, 0, 2048));                                                     /* 4 */
	CHECK(cudaMemcpy2DToArray(a, 0, 0, d, 128, 128, 16, cudaMemcpyDeviceToDevice));    /* 5 */
	CHECK(cudaMemcpy2DToArray(a, 0, 0, d, 128, 128, 16, cudaMemcpyDeviceToDevice));    /* 6 */
	CHECK(cudaMemcpy2DFromArray(host, 128, a, 0, 0, 128, 16, cudaMemcpyDeviceToHost)); /* 7 */
	expect(host[0] == 0 && host[511] == 0 && host[512] == 0x01010101, "the array's zeros");
	CHECK(cudaMemcpy2DFromArray(d, 32, a, 64, 1, 32, 2, cudaMemcpyDeviceToDevice)); /* 8 */
	CHECK(cudaMalloc3DArray(&b, &format, (struct cudaExtent){8, 4, 2}, 0));         /* 9 */
	box.srcPtr = (struct cudaPitchedPtr){host, 32, 32, 4};
	box.dstArray = b;
	box.dstPos.z = 1;
	box.extent = (struct cudaExtent){8, 4, 1};
	box.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&box)); /* 10 */
	CHECK(cudaFreeArray(a));
	CHECK(cudaFreeArray(b));
}

static void box(void)
{
	const struct cudaExtent all = {100, 8, 3};
	struct cudaMemcpy3DParms copy = {0};
	struct cudaPitchedPtr p;
	static char out[2400];

	memset(host, 1, sizeof(host));
	CHECK(cudaMalloc3D(&p, all));   /* 1 */
	CHECK(cudaMemset3D(p, 0, all)); /* 2 */
	copy.srcPtr = (struct cudaPitchedPtr){host, 32, 32, 6};
	copy.dstPtr = p;
	copy.dstPos = (struct cudaPos){4, 1, 1};
	copy.extent = (struct cudaExtent){16, 4, 2};
	copy.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&copy)); /* 3 */
	copy.srcPtr = p;
	copy.srcPos = copy.dstPos;
	copy.dstPos.z = 0;
	copy.extent.depth = 1;
	copy.kind = cudaMemcpyDeviceToDevice;
	CHECK(cudaMemcpy3DAsync(&copy, NULL));                   /* 4 */
	CHECK(cudaMemset3D(p, 0, (struct cudaExtent){8, 4, 2})); /* 5, once for each slice */
	memset(&copy, 0, sizeof(copy));
	copy.srcPtr = p;
	copy.dstPtr = (struct cudaPitchedPtr){out, 100, 100, 8};
	copy.extent = all;
	copy.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaMemcpy3D(&copy)); /* 6 */
	expect(out[104] == 0 && out[108] == 1 && out[908] == 1 && out[1704] == 1, "the slices");
}

static void pool(void)
{
	cudaStream_t stream;
	cudaMemPool_t standard;
	void *x;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMallocAsync(&x, 1024, stream));   /* 1 */
	CHECK(cudaMemsetAsync(x, 0, 1024, stream)); /* 2 */
	CHECK(cudaFreeAsync(x, stream));
	CHECK(cudaDeviceGetDefaultMemPool(&standard, 0));
	CHECK(cudaMallocFromPoolAsync(&x, 1024, standard, stream)); /* 3 */
	CHECK(cudaMemsetAsync(x, 0, 1024, stream));                 /* 4 */
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaFree(x));
	CHECK(cudaMalloc(&x, 1024));               /* 5 */
	CHECK(cudaMemsetAsync(x, 0, 512, stream)); /* 6 */
	CHECK(cudaFreeAsync(x, stream));
	CHECK(cudaStreamSynchronize(stream));
}

/* A captured graph: its nodes are vertices, each of its own line. */
static void graph(void)
{
	cudaStream_t stream;
	cudaGraph_t captured;
	cudaGraphExec_t executable;
	int *x, *y, *h, count = 256;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc((void **)&x, 1024));     /* 1 */
	CHECK(cudaMalloc((void **)&y, 1024));     /* 2 */
	CHECK(cudaMallocHost((void **)&h, 1024)); /* 3 */
	CUfunction add = kernel("increment");
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemsetAsync(x, 0, 1024, stream)); /* 4 */
	CHECK(cuLaunchKernel(add, 1, 1, 1, 256, 1, 1, 0, (CUstream)stream, (void *[]){&x, &count},
			     NULL));                                          /* 5 */
	CHECK(cudaMemcpyAsync(y, x, 1024, cudaMemcpyDeviceToDevice, stream)); /* 6 */
	CHECK(cudaMemcpyAsync(h, y, 1024, cudaMemcpyDeviceToHost, stream));   /* 7 */
	CHECK(cudaStreamEndCapture(stream, &captured));
	CHECK(cudaGraphInstantiateWithFlags(&executable, captured, 0));
	CHECK(cudaGraphDestroy(captured));
	for (int i = 0; i < 2; i++)
		CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaStreamSynchronize(stream));
	expect(h[0] == 1 && h[255] == 1, "the graph's result");
	CHECK(cudaGraphExecDestroy(executable));
}

/* Memory mapped by hand is an object from when it can be accessed. */
static void virtual(void)
{
	const CUmemAllocationProp kind = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
					  .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	const CUmemAccessDesc access = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
					.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemGenericAllocationHandle handle;
	CUdeviceptr at;
	size_t size;

	CHECK(cudaFree(NULL)); /* the context */
	CHECK(cuMemGetAllocationGranularity(&size, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	CHECK(cuMemAddressReserve(&at, size, 0, 0, 0));
	CHECK(cuMemCreate(&handle, size, &kind, 0));
	CHECK(cuMemMap(at, size, 0, handle, 0));
	CHECK(cuMemSetAccess(at, size, &access, 1)); /* 1 */
	CHECK(cuMemSetAccess(at, size, &access, 1)); /* nothing new */
	CHECK(cuMemsetD8(at, 1, 1024));              /* 2 */
	CHECK(cuMemcpyDtoH(host, at, 1024));         /* 3 */
	expect(host[255] == 0x01010101, "set");
	CHECK(cuMemUnmap(at, size));
	CHECK(cuMemRelease(handle));
	CHECK(cuMemAddressFree(at, size));
}

/* Copies, sets and allocations of nothing are no operations. */
static void nothing(void)
{
	int *x, *y, *none = NULL;

	CHECK(cudaMalloc((void **)&x, 1024)); /* 1 */
	CHECK(cudaMalloc((void **)&y, 1024)); /* 2 */
	CHECK(cudaMalloc((void **)&none, 0));
	CHECK(cudaMemset(x, 0, 1024)); /* 3 */
	CHECK(cudaFree(none));
	CHECK(cudaMemset(x, 1, 0));
	CHECK(cudaMemsetAsync(x, 1, 0, NULL));
	CHECK(cudaMemset2D(x, 64, 1, 0, 4));
	CHECK(cudaMemset2D(x, 64, 1, 64, 0));
	CHECK(cudaMemcpy(y, x, 0, cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpy(host, x, 0, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpyAsync(x, host, 0, cudaMemcpyHostToDevice, NULL));
	CHECK(cudaMemcpy2D(y, 64, x, 64, 0, 4, cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpy2D(y, 64, x, 64, 64, 0, cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost)); /* 4 */
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"managed", managed}, {"mapped", mapped},   {"pinned", pinned}, {"registered", registered},
	{"array", array},     {"box", box},         {"pool", pool},     {"graph", graph},
	{"virtual", virtual}, {"nothing", nothing},
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
