/*
 * moves.cu and graphs.cu, CASE: what moves values and the emulated device does not know;
 * tests/gpu/moves.sh says which edges each case must give.  The comments number the vertices.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include <cooperative_groups.h>
#include <cuda.h>

#include "moves.h"

namespace cg = cooperative_groups;

int host[4096];

void expect(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "moves: wrong result: %s\n", what);
	exit(1);
}

__global__ void add(int *x, int n, int by)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] += by;
}

__global__ void copy(int *to, const int *from, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		to[i] = from[i];
}

static size_t round_up(size_t size, size_t to)
{
	return (size + to - 1) / to * to;
}

/* Two mappings side by side: two objects; a set and a copy reach over both. */
static void mappings()
{
	CUmemAllocationProp what = {};
	CUmemAccessDesc access = {};
	CUmemGenericAllocationHandle handle[2];
	CUdeviceptr at;
	size_t size;

	CHECK(cudaFree(0));
	what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	CHECK(cuMemGetAllocationGranularity(&size, &what, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	size = round_up(1 << 21, size);
	CHECK(cuMemAddressReserve(&at, 2 * size, 0, 0, 0));
	access.location = what.location;
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	for (int i = 0; i < 2; i++) {
		CHECK(cuMemCreate(&handle[i], size, &what, 0));
		CHECK(cuMemMap(at + i * size, size, 0, handle[i], 0));
	}
	CHECK(cuMemSetAccess(at, 2 * size, &access, 1));   /* 1: two objects */
	CHECK(cuMemSetAccess(at, size, &access, 1));       /* nothing new */
	CHECK(cuMemsetD8(at + size - 512, 0, 1024));       /* 2 */
	add<<<1, 256>>>((int *)(at + size - 512), 256, 1); /* 3 */
	CHECK(cuMemcpyDtoD(at, at + size - 1024, 2048));   /* 4 */
	CHECK(cuMemcpyDtoH(host, at, 2048));               /* 5 */
	expect(host[128] == 1 && host[383] == 1, "both mappings were copied");
	CHECK(cuMemUnmap(at, 2 * size));
	for (int i = 0; i < 2; i++)
		CHECK(cuMemRelease(handle[i]));
	CHECK(cuMemAddressFree(at, 2 * size));
}

__global__ void slow(int *x)
{
	long long start = clock64();

	x[threadIdx.x] += 1;
	while (clock64() - start < 50000000)
		;
}

/* What nobody waits for while streams are captured and destroyed. */
static void streams()
{
	int *x, *y;
	cudaGraph_t whole;
	cudaGraphExec_t executable;
	cudaStream_t stream, other;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&other));
	CHECK(cudaMalloc(&x, 1024));   /* 1 */
	CHECK(cudaMalloc(&y, 1024));   /* 2 */
	CHECK(cudaMemset(x, 0, 1024)); /* 3 */
	CHECK(cudaMemset(y, 0, 1024)); /* 4 */
	slow<<<1, 256>>>(x);           /* 5 */
	executable = make_executable(
		capture(stream, [&] { add<<<1, 256, 0, stream>>>(x, 256, 1); })); /* 6 */
	CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaStreamSynchronize(stream));
	slow<<<1, 256, 0, stream>>>(x); /* 7: another line */
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	CHECK(cudaMemsetAsync(y, 0, 1024, other)); /* 8 */
	add<<<1, 256, 0, stream>>>(x, 256, 1);
	CHECK(cudaStreamEndCapture(stream, &whole));
	CHECK(cudaStreamSynchronize(stream));
	slow<<<1, 256, 0, other>>>(x); /* 9 */
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaMalloc(&y, 1024)); /* 10 */
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost)); /* 11 */
	expect(host[0] == 4 && host[255] == 4, "0 + 1 + 1 + 1 + 1");
}

__global__ void fill(int *x, unsigned *done, volatile int *flag)
{
	x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0 && atomicInc(done, gridDim.x - 1) == gridDim.x - 1)
		*flag = 1;
}

/* Who knows without an API that a kernel is over takes its memory away. */
static void unmapped()
{
	CUmemAllocationProp what = {};
	CUmemAccessDesc access = {};
	CUmemGenericAllocationHandle handle;
	CUdeviceptr at;
	size_t size;
	unsigned *done;
	volatile int *flag;

	CHECK(cudaMallocHost((void **)&flag, sizeof(int))); /* 1 */
	CHECK(cudaMalloc(&done, sizeof(*done)));            /* 2 */
	CHECK(cudaMemset(done, 0, sizeof(*done)));          /* 3 */
	what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	CHECK(cuMemGetAllocationGranularity(&size, &what, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	size = round_up(256 << 20, size);
	CHECK(cuMemAddressReserve(&at, size, 0, 0, 0));
	access.location = what.location;
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	CHECK(cuMemCreate(&handle, size, &what, 0));
	CHECK(cuMemMap(at, size, 0, handle, 0));
	CHECK(cuMemSetAccess(at, size, &access, 1)); /* 4 */
	for (int i = 0; i < 2; i++) {                /* the first is waited for */
		*flag = 0;
		fill<<<(unsigned)(size / 1024), 256>>>((int *)at, done, flag); /* 5 */
		while (!*flag)
			;
	}
	CHECK(cuMemUnmap(at, size)); /* 6 */
	CHECK(cuMemRelease(handle));
	CHECK(cuMemAddressFree(at, size));
	CHECK(cudaDeviceSynchronize());
}

/* Several copies in one call, and words that a stream writes. */
static void batch()
{
	char *x;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&x, 4096));   /* 1 */
	CHECK(cudaMemset(x, 1, 4096)); /* 2 */
#if CUDART_VERSION >= 13000
	void *to[] = {x, x + 1024};
	const void *from[] = {host, x + 2048};
	size_t sizes[] = {64, 128}, first = 0;
	cudaMemcpyAttributes attributes = {};

	attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	CHECK(cudaMemcpyBatchAsync(to, from, sizes, 2, &attributes, &first, 1, stream)); /* 3 */
#else
	CHECK(cudaMemcpyAsync(x, host, 64, cudaMemcpyHostToDevice, stream));
#endif
	CHECK(cuStreamWriteValue32((CUstream)stream, (CUdeviceptr)x + 4000, 5, 0)); /* 4 */
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpyAsync(host, x, 4096, cudaMemcpyDeviceToHost, stream)); /* 5 */
	CHECK(cudaStreamSynchronize(stream));
	expect(host[1000] == 5, "the stream's word");
}

/* The host's own memory, mapped. */
static void registered()
{
	int *h = (int *)aligned_alloc(4096, 8192), *d, *y;

	memset(h, 0, 8192);
	CHECK(cudaHostRegister(h, 8192, cudaHostRegisterMapped)); /* 1 */
	CHECK(cudaHostGetDevicePointer(&d, h, 0));
	CHECK(cudaMalloc(&y, 1024)); /* 2 */
	for (int i = 0; i < 128; i++)
		h[i] = 7;
	copy<<<1, 256>>>(y, d, 256); /* 3 */
	CHECK(cudaDeviceSynchronize());
	add<<<1, 256>>>(d + 256, 256, 1);  /* 4 */
	copy<<<1, 256>>>(y, d + 256, 256); /* 5 */
	CHECK(cudaDeviceSynchronize());
	expect(h[256] == 1, "the host sees it");
	CHECK(cudaHostUnregister(h));
}

/* A surface store is not seen: the array is unknown after it. */
__global__ void store(cudaSurfaceObject_t surface)
{
	surf2Dwrite(7.0f, surface, threadIdx.x * 4, blockIdx.x);
}

static void surface()
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaResourceDesc resource = {};
	cudaSurfaceObject_t object;
	cudaArray_t array;

	CHECK(cudaMallocArray(&array, &format, 32, 16, cudaArraySurfaceLoadStore));          /* 1 */
	CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 128, 128, 16, cudaMemcpyHostToDevice)); /* 2 */
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	CHECK(cudaCreateSurfaceObject(&object, &resource));
	store<<<16, 32>>>(object); /* 3 */
	CHECK(cudaMemcpy2DFromArray(host, 128, array, 0, 0, 128, 16,
				    cudaMemcpyDeviceToHost)); /* 4 */
	expect(host[0] == 0x40e00000 && host[511] == 0x40e00000, "7.0");
	CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 128, 128, 16, cudaMemcpyHostToDevice)); /* 5 */
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define CLUSTER
#else
#define CLUSTER __cluster_dims__(2, 1, 1)
#endif

/* Bulk copies both ways, a bulk reduction, stores into the other block's shared memory. */
__global__ void CLUSTER bulk(int *to, const int *from, int *sums)
{
#if __CUDA_ARCH__ >= 900
	__shared__ alignas(128) int data[64];
	__shared__ alignas(8) uint64_t barrier;
	__shared__ int remote[32];
	auto cluster = cg::this_cluster();
	uint32_t at = (uint32_t)__cvta_generic_to_shared(data);
	uint32_t bar = (uint32_t)__cvta_generic_to_shared(&barrier);
	uint32_t done = 0;

	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
		asm volatile("fence.mbarrier_init.release.cluster;");
	}
	cluster.sync();
	if (threadIdx.x == 0) {
		asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(bar));
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
			     "[%0], [%1], 256, [%2];" ::"r"(at),
			     "l"(from + blockIdx.x * 64), "r"(bar)
			     : "memory");
	}
	while (!done)
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; "
			     "selp.u32 %0, 1, 0, p; }"
			     : "=r"(done)
			     : "r"(bar)
			     : "memory");
	cluster.map_shared_rank(remote, cluster.block_rank() ^ 1)[threadIdx.x] = 1;
	cluster.sync();
	if (threadIdx.x == 0) {
		asm volatile("fence.proxy.async;");
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(
				     to + blockIdx.x * 64),
			     "r"(at)
			     : "memory");
		asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], "
			     "[%1], 128;" ::"l"(sums),
			     "r"(at)
			     : "memory");
		asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::
				     : "memory");
	}
	cluster.sync();
#endif
}

static void bulk_copies()
{
	int *x, *y, *sums, major;

	CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
	if (major < 9) {
		puts("no bulk copies");
		return;
	}
	for (int i = 0; i < 128; i++)
		host[i] = 1;
	CHECK(cudaMalloc(&x, 512));                                       /* 1 */
	CHECK(cudaMalloc(&y, 1024));                                      /* 2 */
	CHECK(cudaMalloc(&sums, 512));                                    /* 3 */
	CHECK(cudaMemcpy(x, host, 512, cudaMemcpyHostToDevice));          /* 4 */
	CHECK(cudaMemset(sums, 0, 512));                                  /* 5 */
	bulk<<<2, 32>>>(y, x, sums);                                      /* 6 */
	CHECK(cudaMemcpy(host, y, 512, cudaMemcpyDeviceToHost));          /* 7 */
	CHECK(cudaMemcpy(host + 128, sums, 512, cudaMemcpyDeviceToHost)); /* 8 */
	expect(host[127] == 1 && host[128] == 2 && host[159] == 2 && host[160] == 0, "1, 1 + 1");
}

/* Asynchronous copies of which most read nothing and fill with zeros, as at the rim of a matrix. */
__global__ void padded(int *to, const int *from)
{
#if __CUDA_ARCH__ >= 800
	__shared__ int data[32];
	uint32_t at = (uint32_t)__cvta_generic_to_shared(data + threadIdx.x);
	int size = threadIdx.x < 8 ? 4 : 0;

	asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at),
		     "l"(from + threadIdx.x), "r"(size)
		     : "memory");
	asm volatile("cp.async.wait_all;" ::: "memory");
	to[threadIdx.x] = data[threadIdx.x];
#endif
}

static void padding()
{
	int *x, *y, major;

	CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
	if (major < 8) {
		puts("no asynchronous copies");
		return;
	}
	for (int i = 0; i < 32; i++)
		host[i] = 1;
	CHECK(cudaMalloc(&x, 128));                              /* 1 */
	CHECK(cudaMalloc(&y, 128));                              /* 2 */
	CHECK(cudaMemcpy(x, host, 128, cudaMemcpyHostToDevice)); /* 3 */
	padded<<<1, 32>>>(y, x);                                 /* 4 */
	CHECK(cudaMemcpy(host, y, 128, cudaMemcpyDeviceToHost)); /* 5 */
	expect(host[7] == 1 && host[8] == 0 && host[31] == 0, "8 ones, 24 zeros");
}

/* Asynchronous copies of 5 of 16 bytes: the Sanitizer tells of 16. */
__global__ void part(int *to, const int *from, int size)
{
#if __CUDA_ARCH__ >= 800
	__shared__ int4 data[8];
	uint32_t at = (uint32_t)__cvta_generic_to_shared(data + threadIdx.x);

	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at),
		     "l"(from + 4 * threadIdx.x), "r"(size)
		     : "memory");
	asm volatile("cp.async.wait_all;" ::: "memory");
	to[threadIdx.x] = data[threadIdx.x].x + data[threadIdx.x].z;
#endif
}

static void partial()
{
	int *x, *y, major;

	CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
	if (major < 8) {
		puts("no asynchronous copies");
		return;
	}
	for (int i = 0; i < 32; i++)
		host[i] = 1;
	CHECK(cudaMalloc(&x, 128));                              /* 1 */
	CHECK(cudaMalloc(&y, 32));                               /* 2 */
	CHECK(cudaMemcpy(x, host, 128, cudaMemcpyHostToDevice)); /* 3 */
	part<<<1, 8>>>(y, x, 5);                                 /* 4 */
	CHECK(cudaMemcpy(host, y, 32, cudaMemcpyDeviceToHost));  /* 5 */
	expect(host[0] == 1 && host[7] == 1, "1 + 0");
}

/* Blocks that wait for each other, in memory of the runtime's own. */
__global__ void together(int *x, int *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	x[i] += 1;
	cg::this_grid().sync();
	y[i] = x[n - 1 - i];
}

static void cooperative()
{
	int *x, *y, n = 256;
	void *arguments[] = {&x, &y, &n};

	CHECK(cudaMalloc(&x, 1024));                                                   /* 1 */
	CHECK(cudaMalloc(&y, 1024));                                                   /* 2 */
	CHECK(cudaMemset(x, 0, 1024));                                                 /* 3 */
	CHECK(cudaLaunchCooperativeKernel((void *)together, 2, 128, arguments, 0, 0)); /* 4 */
	CHECK(cudaMemcpy(host, y, 1024, cudaMemcpyDeviceToHost));                      /* 5 */
	expect(host[0] == 1 && host[255] == 1, "0 + 1");
}

/* Memory that no allocation of the host made. */
__global__ void allocate(int *x)
{
	volatile int *heap = (volatile int *)malloc(64);

	if (!heap)
		return;
	for (int i = 0; i < 4; i++)
		heap[i] = i;
	*x = heap[2];
	free((void *)heap);
}

static void heap()
{
	int *x;

	CHECK(cudaMalloc(&x, 512));                            /* 1 */
	allocate<<<1, 1>>>(x);                                 /* 2 */
	CHECK(cudaMemcpy(host, x, 4, cudaMemcpyDeviceToHost)); /* 3 */
	expect(host[0] == 2, "2");
}

/* Addresses of any kind: of a stack, of shared memory, of an object. */
__device__ __noinline__ int sum(const int *values, int n)
{
	int total = 0;

	for (int i = 0; i < n; i++)
		total += values[i];
	return total;
}

__global__ void sums(int *x, const int *y)
{
	__shared__ int shared[32];
	int stack[8];

	for (int i = 0; i < 8; i++)
		stack[i] = (int)threadIdx.x + i;
	shared[threadIdx.x] = 1;
	__syncthreads();
	x[threadIdx.x] = sum(stack, (int)threadIdx.x % 8) + sum(shared, 32) + sum(y, 4);
}

static void generic()
{
	int *x, *y;

	CHECK(cudaMalloc(&x, 512));                              /* 1 */
	CHECK(cudaMalloc(&y, 512));                              /* 2 */
	CHECK(cudaMemset(y, 0, 512));                            /* 3 */
	sums<<<1, 32>>>(x, y);                                   /* 4 */
	CHECK(cudaMemcpy(host, x, 128, cudaMemcpyDeviceToHost)); /* 5 */
	expect(host[0] == 32 && host[9] == 41, "0 + 32, 9 + 32");
}

static CUcontext make_context()
{
	CUcontext context;

#if CUDA_VERSION >= 13000
	CHECK(cuCtxCreate(&context, NULL, 0, 0));
#else
	CHECK(cuCtxCreate(&context, 0, 0));
#endif
	return context;
}

/* Two contexts of one device, and a copy between them. */
static void contexts()
{
	CUcontext a, b;
	CUdeviceptr x, y;

	CHECK(cuInit(0));
	a = make_context();
	CHECK(cuMemAlloc(&x, 1024));   /* 1 */
	CHECK(cuMemsetD8(x, 0, 1024)); /* 2 */
	b = make_context();
	CHECK(cuMemAlloc(&y, 1024));          /* 3 */
	CHECK(cuMemcpyPeer(y, b, x, a, 512)); /* 4 */
	add<<<1, 128>>>((int *)y, 128, 1);    /* 5 */
	CHECK(cuMemcpyDtoH(host, y, 512));    /* 6 */
	expect(host[0] == 1 && host[127] == 1, "0 + 1");
	CHECK(cuCtxSetCurrent(a));
	CHECK(cuMemcpyDtoH(host, x, 1024)); /* 7 */
	CHECK(cuCtxDestroy(b));
	expect(host[0] == 0, "still 0");
}

__global__ void idle()
{
}

/* Launches where there is no object, and beside a context without any. */
static void beside()
{
	CUdeviceptr x;

	CHECK(cudaSetDevice(0));
	idle<<<1, 32>>>(); /* 1 */
	CHECK(cudaDeviceSynchronize());
	make_context();
	idle<<<1, 32>>>();                  /* 2: another line */
	CHECK(cuMemAlloc(&x, 1024));        /* 3 */
	CHECK(cuMemsetD8(x, 0, 1024));      /* 4 */
	add<<<1, 256>>>((int *)x, 256, 1);  /* 5 */
	CHECK(cuMemcpyDtoH(host, x, 1024)); /* 6 */
	expect(host[0] == 1 && host[255] == 1, "0 + 1");
}

/* A kernel of one context writes what another one of the same device has. */
static void across()
{
	CUcontext a, b;
	CUdeviceptr x, y;

	CHECK(cuInit(0));
	a = make_context();
	CHECK(cuMemAlloc(&x, 1024));   /* 1 */
	CHECK(cuMemsetD8(x, 0, 1024)); /* 2 */
	b = make_context();
	CHECK(cuMemAlloc(&y, 1024));   /* 3 */
	CHECK(cuMemsetD8(y, 0, 1024)); /* 4 */
	CHECK(cuCtxSetCurrent(a));
	copy<<<1, 256>>>((int *)y, (int *)x, 256); /* 5 */
	if (cuCtxSynchronize() != CUDA_SUCCESS) {
		puts("no memory of other contexts");
		fflush(stdout);
		_exit(0);
	}
	CHECK(cuCtxSetCurrent(b));
	CHECK(cuMemcpyDtoH(host, y, 1024)); /* 6 */
}

/* A green context has the memory of the device's primary one. */
static void green()
{
#if CUDA_VERSION >= 12040 && !defined(EMULATED) /* whose driver has none of these */
	CUdevResource whole, part;
	CUdevResourceDesc what;
	CUgreenCtx made;
	CUcontext context, primary;
	unsigned count = 1;
	int *x;

	CHECK(cudaMalloc(&x, 1024));   /* 1 */
	CHECK(cudaMemset(x, 0, 1024)); /* 2 */
	CHECK(cudaDeviceSynchronize());
	CHECK(cuCtxGetCurrent(&primary));
	CHECK(cuDeviceGetDevResource(0, &whole, CU_DEV_RESOURCE_TYPE_SM));
	CHECK(cuDevSmResourceSplitByCount(&part, &count, &whole, NULL, 0, 8));
	CHECK(cuDevResourceGenerateDesc(&what, &part, 1));
	CHECK(cuGreenCtxCreate(&made, what, 0, CU_GREEN_CTX_DEFAULT_STREAM));
	CHECK(cuCtxFromGreenCtx(&context, made));
	CHECK(cuCtxSetCurrent(context));
	add<<<1, 256>>>(x, 256, 1); /* 3 */
	CHECK(cudaDeviceSynchronize());
	CHECK(cuCtxSetCurrent(primary));
	CHECK(cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost)); /* 4 */
	expect(host[0] == 1 && host[255] == 1, "0 + 1");
	CHECK(cuGreenCtxDestroy(made));
#else
	puts("no green contexts");
#endif
}

/* Two devices: a copy between them, and a kernel that reaches the other's memory. */
static void peers()
{
	int count, can = 0, *x, *y;

	CHECK(cudaGetDeviceCount(&count));
	if (count > 1)
		CHECK(cudaDeviceCanAccessPeer(&can, 1, 0));
	if (!can) {
		puts("no peers");
		return;
	}
	CHECK(cudaMalloc(&x, 1024));   /* 1 */
	CHECK(cudaMemset(x, 0, 1024)); /* 2 */
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaSetDevice(1));
	CHECK(cudaMalloc(&y, 1024));            /* 3 */
	CHECK(cudaMemcpyPeer(y, 1, x, 0, 512)); /* 4 */
	CHECK(cudaDeviceEnablePeerAccess(0, 0));
	add<<<1, 128>>>(y, 128, 1); /* 5 */
	add<<<1, 256>>>(x, 256, 3); /* 6: another line */
	copy<<<1, 64>>>(y, x, 64);  /* 7 */
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost));      /* 8 */
	CHECK(cudaMemcpy(host + 256, y, 512, cudaMemcpyDeviceToHost)); /* 9 */
	expect(host[255] == 3 && host[256] == 3 && host[383] == 1, "both devices");
}

static const test_case cases[] = {
	{"mappings", mappings},
	{"streams", streams},
	{"unmapped", unmapped},
	{"batch", batch},
	{"registered", registered},
	{"surface", surface},
	{"bulk_copies", bulk_copies},
	{"padding", padding},
	{"partial", partial},
	{"cooperative", cooperative},
	{"heap", heap},
	{"generic", generic},
	{"contexts", contexts},
	{"beside", beside},
	{"across", across},
	{"green", green},
	{"peers", peers},
	{},
};

int main(int argc, char **argv)
{
	const test_case *all[] = {graph_cases, cases};

	for (auto *each : all)
		for (; each->name; each++)
			if (argc == 2 && !strcmp(argv[1], each->name)) {
				each->run();
				CHECK(cudaDeviceSynchronize());
				return 0;
			}
	fprintf(stderr, "usage: moves CASE, one of:");
	for (auto *each : all)
		for (; each->name; each++)
			fprintf(stderr, " %s", each->name);
	fprintf(stderr, "\n");
	return 2;
}
