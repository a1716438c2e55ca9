/*
 * moves.cu CASE: what moves values and the emulated device does not know; tests/gpu/moves.sh says
 * which edges each case must give.  The comments number the vertices.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                                \
	do {                                                                                       \
		int error_ = (int)(call);                                                          \
		if (error_) {                                                                      \
			fprintf(stderr, "moves: line %d: %s: error %d\n", __LINE__, #call,         \
				error_);                                                           \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

static int host[4096];

static void expect(bool holds, const char *what)
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

/* What `work` gives to the stream, as a graph. */
template <typename Work> static cudaGraph_t capture(cudaStream_t stream, Work work)
{
	cudaGraph_t whole;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	work();
	CHECK(cudaStreamEndCapture(stream, &whole));
	return whole;
}

/* Destroys the graph. */
static cudaGraphExec_t make_executable(cudaGraph_t whole)
{
	cudaGraphExec_t executable;

	CHECK(cudaGraphInstantiate(&executable, whole, 0));
	CHECK(cudaGraphDestroy(whole));
	return executable;
}

/* A graph made by hand: set, child graph with a kernel, kernel, copy, a function of the host. */
static void called(void *data)
{
	++*(int *)data;
}

static void graph()
{
	int *x, *y, *h, calls = 0, n = 256, by = 2;
	cudaGraph_t whole, child;
	cudaGraphExec_t executable;
	cudaGraphNode_t node[5];
	cudaMemsetParams set = {};
	cudaKernelNodeParams kernel = {};
	cudaHostNodeParams function = {called, &calls};
	cudaStream_t stream;
	void *add_arguments[] = {&x, &n, &by}, *copy_arguments[] = {&y, &x, &n};

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&x, 1024));     /* 1 */
	CHECK(cudaMalloc(&y, 1024));     /* 2 */
	CHECK(cudaMallocHost(&h, 1024)); /* 3 */
	CHECK(cudaGraphCreate(&whole, 0));
	CHECK(cudaGraphCreate(&child, 0));
	set.dst = x, set.elementSize = 4, set.width = 256, set.height = 1, set.value = 1;
	CHECK(cudaGraphAddMemsetNode(&node[0], whole, NULL, 0, &set)); /* 4 */
	kernel.func = (void *)add, kernel.gridDim = 1, kernel.blockDim = 256;
	kernel.kernelParams = add_arguments;
	CHECK(cudaGraphAddKernelNode(&node[4], child, NULL, 0, &kernel)); /* 5: add */
	CHECK(cudaGraphAddChildGraphNode(&node[1], whole, &node[0], 1, child));
	kernel.func = (void *)copy, kernel.kernelParams = copy_arguments;
	CHECK(cudaGraphAddKernelNode(&node[2], whole, &node[1], 1, &kernel)); /* 6: copy */
	CHECK(cudaGraphAddMemcpyNode1D(&node[3], whole, &node[2], 1, h, y, 1024,
				       cudaMemcpyDeviceToHost)); /* 7 */
	CHECK(cudaGraphAddHostNode(&node[4], whole, &node[3], 1, &function));
	CHECK(cudaGraphInstantiate(&executable, whole, 0));
	CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaStreamSynchronize(stream));
	expect(h[0] == 3 && h[255] == 3 && calls == 1, "1 + 2, one call");
	kernel.gridDim = 1, n = 128;
	CHECK(cudaGraphExecKernelNodeSetParams(executable, node[2], &kernel));
	CHECK(cudaGraphDestroy(whole));
	CHECK(cudaGraphLaunch(executable, stream)); /* 8, 9, 10, 11: another line */
	CHECK(cudaStreamSynchronize(stream));
	expect(calls == 2, "two calls");
	CHECK(cudaGraphExecDestroy(executable));
}

/* Kernels that are launched by themselves, too, before and after their graph was made. */
static void graph_mixed()
{
	int *x, *y;
	cudaGraphExec_t executable;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&x, 1024));
	CHECK(cudaMalloc(&y, 1024));
	CHECK(cudaMemset(x, 0, 1024));
	add<<<1, 256, 0, stream>>>(x, 256, 1);
	copy<<<1, 256, 0, stream>>>(y, x, 256);
	executable = make_executable(capture(stream, [&] {
		add<<<1, 256, 0, stream>>>(x, 256, 1);
		copy<<<1, 256, 0, stream>>>(y, x, 256);
	}));
	for (int i = 0; i < 4; i++) {
		copy<<<1, 256, 0, stream>>>(y, x, 256);
		CHECK(cudaGraphLaunch(executable, stream));
		add<<<1, 256, 0, stream>>>(x, 256, 1);
	}
	CHECK(cudaMemcpyAsync(host, y, 1024, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	expect(host[0] == 8 && host[255] == 8, "1 + 4 + 3");
}

__global__ void turn(int *to, int *scratch, const int *from, int n)
{
	scratch[threadIdx.x] = from[threadIdx.x];
	__syncthreads();
	to[threadIdx.x] = scratch[n - 1 - threadIdx.x] + 1;
}

/* Bytes from 2 * first + 1 on, and the same again and again: what was there is never written. */
static void work_much(cudaStream_t stream, int *x, int *y, int *z, int first, int count)
{
	for (int i = first; i < first + count; i++) {
		CHECK(cudaMemsetAsync(x, 2 * i + 1, 1024, stream));                   /* 4 */
		add<<<1, 256, 0, stream>>>(x, 256, 0x01010101);                       /* 5 */
		copy<<<1, 256, 0, stream>>>(y, x, 256);                               /* 6 */
		CHECK(cudaMemcpyAsync(z, y, 1024, cudaMemcpyDeviceToDevice, stream)); /* 7 */
	}
}

/* So many nodes that they are launched in parts. */
static void graph_large()
{
	int *x, *y, *z;
	cudaGraphExec_t executable;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&x, 1024)); /* 1 */
	CHECK(cudaMalloc(&y, 1024)); /* 2 */
	CHECK(cudaMalloc(&z, 1024)); /* 3 */
	executable = make_executable(capture(stream, [&] { work_much(stream, x, y, z, 0, 40); }));
	for (int i = 0; i < 2; i++)
		CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(executable));
	CHECK(cudaMemcpy(host, z, 1024, cudaMemcpyDeviceToHost)); /* 8 */
	expect(host[0] == 0x50505050 && host[255] == 0x50505050, "80 in each byte");
}

/* One that takes what others do, each time, and has two ends. */
static void graph_update()
{
	int *x, *y, *z, *w, k;
	cudaGraph_t whole;
	cudaGraphExec_t executable;
	cudaGraphExecUpdateResultInfo result;
	cudaStream_t stream, beside;
	cudaEvent_t fork, join;
	auto work = [&] {
		CHECK(cudaEventRecord(fork, stream));
		CHECK(cudaStreamWaitEvent(beside, fork, 0));
		work_much(stream, x, y, z, 20 * k, 20); /* 6 to 9 */
		for (int i = 0; i < 3; i++)
			add<<<1, 256, 0, beside>>>(w, 256, (k + 1) * 0x01010101); /* 7 */
		CHECK(cudaEventRecord(join, beside));
		CHECK(cudaStreamWaitEvent(stream, join, 0));
	};

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&beside));
	CHECK(cudaEventCreate(&fork));
	CHECK(cudaEventCreate(&join));
	CHECK(cudaMalloc(&x, 1024));   /* 1 */
	CHECK(cudaMalloc(&y, 1024));   /* 2 */
	CHECK(cudaMalloc(&z, 1024));   /* 3 */
	CHECK(cudaMalloc(&w, 1024));   /* 4 */
	CHECK(cudaMemset(w, 0, 1024)); /* 5 */
	for (k = 0; k < 3; k++) {
		whole = capture(stream, work);
		if (k)
			CHECK(cudaGraphExecUpdate(executable, whole, &result));
		else
			CHECK(cudaGraphInstantiate(&executable, whole, 0));
		CHECK(cudaGraphDestroy(whole));
		CHECK(cudaGraphLaunch(executable, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(executable));
	CHECK(cudaMemcpy(host, z, 1024, cudaMemcpyDeviceToHost));       /* 10 */
	CHECK(cudaMemcpy(host + 256, w, 1024, cudaMemcpyDeviceToHost)); /* 11 */
	expect(host[0] == 0x78787878 && host[256] == 0x12121212, "120, and 3 times 1 + 2 + 3");
}

/*
 * One whose nodes are changed: first by themselves, which fails for one, as its kind is another; then
 * in their source.  `by_any`: by the function for nodes of any kind.
 */
static void change_graph(bool by_any)
{
	int *x, *y[2], n = 256, by;
	cudaGraph_t whole;
	cudaGraphExec_t executable;
	cudaGraphExecUpdateResultInfo result;
	cudaGraphNode_t node[60];
	cudaMemsetParams set = {};
	cudaKernelNodeParams kernel = {};
	cudaStream_t stream;
	void *arguments[] = {&x, &n, &by};
	auto make = [&](cudaGraphNode_t *at, bool later) {
		CHECK(cudaGraphAddMemsetNode(at, whole, at - later, later, &set)); /* 4 */
		CHECK(cudaGraphAddKernelNode(at + 1, whole, at, 1, &kernel));      /* 5 */
		CHECK(cudaGraphAddMemcpyNode1D(at + 2, whole, at + 1, 1, y[0], x, 1024,
					       cudaMemcpyDeviceToDevice)); /* 6 */
	};
	auto change = [&](const cudaGraphNode_t *at) {
		CHECK(cudaGraphExecMemsetNodeSetParams(executable, at[0], &set));
		CHECK(cudaGraphExecKernelNodeSetParams(executable, at[1], &kernel));
		CHECK(cudaGraphExecMemcpyNodeSetParams1D(executable, at[2], y[1], x, 1024,
							 cudaMemcpyDeviceToDevice));
	};
	auto change_any = [&](const cudaGraphNode_t *at) {
#if CUDART_VERSION >= 12020
		cudaGraphNodeParams any = {};

		any.type = cudaGraphNodeTypeMemset;
		any.memset.dst = set.dst, any.memset.elementSize = set.elementSize;
		any.memset.width = set.width, any.memset.height = set.height;
		any.memset.value = set.value;
		CHECK(cudaGraphExecNodeSetParams(executable, at[0], &any));
		any = {};
		any.type = cudaGraphNodeTypeKernel;
		any.kernel.func = kernel.func, any.kernel.gridDim = kernel.gridDim;
		any.kernel.blockDim = kernel.blockDim;
		any.kernel.kernelParams = kernel.kernelParams;
		CHECK(cudaGraphExecNodeSetParams(executable, at[1], &any));
		any = {};
		any.type = cudaGraphNodeTypeMemcpy;
		any.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(x, 1024, 1024, 1);
		any.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(y[1], 1024, 1024, 1);
		any.memcpy.copyParams.extent = make_cudaExtent(1024, 1, 1);
		any.memcpy.copyParams.kind = cudaMemcpyDeviceToDevice;
		CHECK(cudaGraphExecNodeSetParams(executable, at[2], &any));
#else
		(void)at;
#endif
	};
	auto change_source = [&](const cudaGraphNode_t *at) {
		CHECK(cudaGraphMemsetNodeSetParams(at[0], &set));
		CHECK(cudaGraphKernelNodeSetParams(at[1], &kernel));
	};

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&x, 1024));    /* 1 */
	CHECK(cudaMalloc(&y[0], 1024)); /* 2 */
	CHECK(cudaMalloc(&y[1], 1024)); /* 3 */
	CHECK(cudaGraphCreate(&whole, 0));
	set.dst = x, set.elementSize = 4, set.width = 256, set.height = 1;
	kernel.func = (void *)add, kernel.gridDim = 1, kernel.blockDim = 256;
	kernel.kernelParams = arguments;
	for (int k = 0; k < 3; k++) {
		by = (k + 1) * 0x01010101;
		for (int i = 0; i < 20; i++) {
			set.value = (4 * (20 * k + i) + 1) * 0x01010101u;
			if (k == 0)
				make(&node[3 * i], i > 0);
			else if (k == 1 && !by_any)
				change(&node[3 * i]);
			else if (k == 1)
				change_any(&node[3 * i]);
			else
				change_source(&node[3 * i]);
		}
		if (k == 0)
			CHECK(cudaGraphInstantiate(&executable, whole, 0));
		else if (k == 1)
			expect(cudaGraphExecMemsetNodeSetParams(executable, node[31], &set),
			       "a kernel is no set");
		else
			CHECK(cudaGraphExecUpdate(executable, whole, &result));
		CHECK(cudaGraphLaunch(executable, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(executable));
	CHECK(cudaGraphDestroy(whole));
	CHECK(cudaMemcpy(host, y[0], 1024, cudaMemcpyDeviceToHost));       /* 7 */
	CHECK(cudaMemcpy(host + 256, y[1], 1024, cudaMemcpyDeviceToHost)); /* 8 */
	expect(host[0] == (int)0xf0f0f0f0 && host[256] == (int)0x9f9f9f9f, "237 + 3 and 157 + 2");
}

static void graph_changes()
{
	change_graph(false);
}

static void graph_any()
{
	if (CUDART_VERSION >= 12020)
		change_graph(true);
	else
		puts("no such function");
}

/* One of child graphs, which take what others do, but for those of another shape. */
static void graph_children()
{
	int *x, *y, k, i;
	cudaGraph_t whole, child;
	cudaGraphExec_t executable;
	cudaGraphNode_t node[20];
	cudaStream_t stream;
	auto work = [&] {
		CHECK(cudaMemsetAsync(x, 4 * (20 * k + i) + 1, 1024, stream));        /* 3 */
		add<<<1, 256, 0, stream>>>(x, 256, (k + 1) * 0x01010101);             /* 4 */
		CHECK(cudaMemcpyAsync(y, x, 1024, cudaMemcpyDeviceToDevice, stream)); /* 5 */
	};
	auto less = [&] { add<<<1, 256, 0, stream>>>(x, 256, 1); };

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&x, 1024)); /* 1 */
	CHECK(cudaMalloc(&y, 1024)); /* 2 */
	CHECK(cudaGraphCreate(&whole, 0));
	for (k = 0; k < 3; k++) {
		for (i = 0; i < 20; i += 1 + (k == 2)) {
			child = capture(stream, work);
			if (k)
				CHECK(cudaGraphExecChildGraphNodeSetParams(executable, node[i], child));
			else
				CHECK(cudaGraphAddChildGraphNode(&node[i], whole, &node[i - (i > 0)], i > 0,
								 child));
			CHECK(cudaGraphDestroy(child));
		}
		if (k == 0)
			CHECK(cudaGraphInstantiate(&executable, whole, 0));
		child = capture(stream, less);
		expect(cudaGraphExecChildGraphNodeSetParams(executable, node[k], child),
		       "another shape");
		CHECK(cudaGraphDestroy(child));
		CHECK(cudaGraphLaunch(executable, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(executable));
	CHECK(cudaGraphDestroy(whole));
	CHECK(cudaMemcpy(host, y, 1024, cudaMemcpyDeviceToHost)); /* 6 */
	expect(host[0] == (int)0x9f9f9f9f && host[255] == host[0], "157 + 2: not changed again");
}

/* Events that a graph records for others. */
static void graph_events()
{
	int *x;
	float time = 0;
	cudaGraphExec_t executable;
	cudaStream_t stream;
	cudaEvent_t begin, end;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end));
	CHECK(cudaMalloc(&x, 1024));	/* 1 */
	CHECK(cudaMemset(x, 0, 1024)); /* 2 */
	executable = make_executable(capture(stream, [&] {
		CHECK(cudaEventRecordWithFlags(begin, stream, cudaEventRecordExternal));
		add<<<1, 256, 0, stream>>>(x, 256, 1);     /* 3 */
		copy<<<1, 64, 0, stream>>>(x, x + 64, 64); /* 4 */
		CHECK(cudaEventRecordWithFlags(end, stream, cudaEventRecordExternal));
	}));
	for (int i = 0; i < 2; i++) {
		CHECK(cudaGraphLaunch(executable, stream));
		CHECK(cudaEventSynchronize(end));
		CHECK(cudaEventElapsedTime(&time, begin, end));
		expect(time > 0, "kernels take time");
	}
	CHECK(cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost)); /* 5 */
	expect(host[0] == 2 && host[255] == 2, "0 + 1 + 1");
}

/* Memory of a graph that one kernel uses, captured. */
static void graph_scratch()
{
	int *x, *y, *scratch;
	cudaGraphExec_t executable;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&x, 1024));	/* 1 */
	CHECK(cudaMalloc(&y, 1024));	/* 2 */
	CHECK(cudaMemset(x, 0, 1024)); /* 3 */
	executable = make_executable(capture(stream, [&] {
		add<<<1, 256, 0, stream>>>(x, 256, 1);                  /* 4 */
		CHECK(cudaMallocAsync((void **)&scratch, 512, stream)); /* 5 */
		turn<<<1, 128, 0, stream>>>(y, scratch, x, 128);        /* 6 */
		CHECK(cudaFreeAsync(scratch, stream));
		copy<<<1, 128, 0, stream>>>(x, y, 128); /* 7 */
	}));
	for (int i = 0; i < 2; i++)
		CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaMemcpyAsync(host, y, 1024, cudaMemcpyDeviceToHost, stream)); /* 8 */
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(executable));
	expect(host[0] == 4 && host[127] == 4, "0 + 1 + 1 + 1 + 1");
}

/* Memory of a graph that two nodes share, of which one touches other memory. */
static void graph_memory()
{
	cudaGraph_t whole;
	cudaGraphExec_t executable;
	cudaGraphNode_t node[4];
	cudaMemAllocNodeParams memory = {};
	cudaMemsetParams set = {};
	cudaStream_t stream;
	int *h, *y;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMallocHost(&h, 1024)); /* 1 */
	CHECK(cudaMalloc(&y, 1024));     /* 2 */
	CHECK(cudaMemset(y, 0, 1024));   /* 3 */
	CHECK(cudaGraphCreate(&whole, 0));
	memory.bytesize = 1024;
	memory.poolProps.allocType = cudaMemAllocationTypePinned;
	memory.poolProps.location.type = cudaMemLocationTypeDevice;
	CHECK(cudaGraphAddMemAllocNode(&node[0], whole, NULL, 0, &memory));
	set.dst = memory.dptr, set.elementSize = 4, set.width = 256, set.height = 1, set.value = 1;
	CHECK(cudaGraphAddMemsetNode(&node[1], whole, node, 1, &set));
	CHECK(cudaGraphAddMemcpyNode1D(&node[2], whole, &node[1], 1, y, memory.dptr, 512,
				       cudaMemcpyDeviceToDevice));
	CHECK(cudaGraphAddMemFreeNode(&node[3], whole, &node[2], 1, memory.dptr));
	CHECK(cudaGraphInstantiate(&executable, whole, 0));
	for (int i = 0; i < 2; i++)
		CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(h, y, 1024, cudaMemcpyDeviceToHost)); /* the last but one vertex */
	expect(h[0] == 1 && h[127] == 1 && h[128] == 0, "the graph's copy");
	CHECK(cudaMemset(y, 0, 1024));
}

/* Memory of a graph that kernels share. */
static void graph_shared()
{
	int *x, *y, *shared;
	cudaGraphExec_t executable;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&x, 1024));	/* 1 */
	CHECK(cudaMalloc(&y, 1024));	/* 2 */
	CHECK(cudaMemset(x, 0, 1024)); /* 3 */
	executable = make_executable(capture(stream, [&] {
		CHECK(cudaMallocAsync((void **)&shared, 1024, stream)); /* 4 */
		copy<<<1, 256, 0, stream>>>(shared, x, 256);            /* 5 */
		add<<<1, 256, 0, stream>>>(shared, 256, 1);             /* 6 */
		copy<<<1, 256, 0, stream>>>(y, shared, 256);            /* 5 */
		CHECK(cudaFreeAsync(shared, stream));
	}));
	CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaMemcpyAsync(host, y, 1024, cudaMemcpyDeviceToHost, stream)); /* 7 */
	CHECK(cudaStreamSynchronize(stream));
	expect(host[0] == 1, "0 + 1");
}

/* Memory that a graph makes and leaves to the program. */
static void graph_kept()
{
	cudaGraph_t whole;
	cudaGraphExec_t executable;
	cudaGraphNode_t node[2];
	cudaMemAllocNodeParams memory = {};
	cudaMemsetParams set = {};
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaGraphCreate(&whole, 0));
	memory.bytesize = 1024;
	memory.poolProps.allocType = cudaMemAllocationTypePinned;
	memory.poolProps.location.type = cudaMemLocationTypeDevice;
	CHECK(cudaGraphAddMemAllocNode(&node[0], whole, NULL, 0, &memory)); /* 1 */
	set.dst = memory.dptr, set.elementSize = 4, set.width = 256, set.height = 1, set.value = 1;
	CHECK(cudaGraphAddMemsetNode(&node[1], whole, node, 1, &set)); /* 2 */
	CHECK(cudaGraphInstantiate(&executable, whole, 0));
	CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaMemcpyAsync(host, memory.dptr, 1024, cudaMemcpyDeviceToHost, stream)); /* 3 */
	CHECK(cudaFreeAsync(memory.dptr, stream));
	CHECK(cudaStreamSynchronize(stream));
	expect(host[0] == 1 && host[255] == 1, "the graph's set");
}

/* What the device decides is not seen. */
static void conditional()
{
#if CUDART_VERSION >= 12040
	cudaGraphConditionalHandle handle;
	cudaGraphNodeParams choice = {};
	cudaKernelNodeParams kernel = {};
	cudaGraphExec_t executable;
	cudaGraphNode_t node;
	cudaGraph_t whole;
	int *x, *y, n = 256, by = 1;
	void *arguments[] = {&x, &n, &by};

	CHECK(cudaMalloc(&x, 1024));   /* 1 */
	CHECK(cudaMalloc(&y, 1024));   /* 2 */
	CHECK(cudaMemset(x, 0, 1024)); /* 3 */
	CHECK(cudaGraphCreate(&whole, 0));
	CHECK(cudaGraphConditionalHandleCreate(&handle, whole, 1, cudaGraphCondAssignDefault));
	choice.type = cudaGraphNodeTypeConditional;
	choice.conditional.handle = handle;
	choice.conditional.type = cudaGraphCondTypeIf;
	choice.conditional.size = 1;
#if CUDART_VERSION >= 13000
	CHECK(cudaGraphAddNode(&node, whole, NULL, NULL, 0, &choice));
#else
	CHECK(cudaGraphAddNode(&node, whole, NULL, 0, &choice));
#endif
	kernel.func = (void *)add, kernel.gridDim = 1, kernel.blockDim = 256;
	kernel.kernelParams = arguments;
	CHECK(cudaGraphAddKernelNode(&node, choice.conditional.phGraph_out[0], NULL, 0, &kernel));
	CHECK(cudaGraphInstantiate(&executable, whole, 0));
	CHECK(cudaGraphLaunch(executable, 0));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost));
	expect(host[0] == 1 && host[255] == 1, "0 + 1");
#else
	puts("no conditional nodes");
#endif
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
	slow<<<1, 256>>>(x);	       /* 5 */
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
	CHECK(cudaMalloc(&done, sizeof(*done)));	    /* 2 */
	CHECK(cudaMemset(done, 0, sizeof(*done)));	    /* 3 */
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
	for (int i = 0; i < 2; i++) {		     /* the first is waited for */
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

	CHECK(cudaMalloc(&x, 1024));   /* 1 */
	CHECK(cudaMalloc(&y, 1024));   /* 2 */
	CHECK(cudaMemset(x, 0, 1024)); /* 3 */
	CHECK(cudaLaunchCooperativeKernel((void *)together, 2, 128, arguments, 0, 0)); /* 4 */
	CHECK(cudaMemcpy(host, y, 1024, cudaMemcpyDeviceToHost));                      /* 5 */
	expect(host[0] == 1 && host[255] == 1, "0 + 1");
}

__global__ void shift(int *x, int *y, int n)
{
	x[threadIdx.x] += 1;
	__syncthreads();
	y[threadIdx.x] = x[n - 1 - threadIdx.x];
}

/*
 * Nodes of all kinds in a large graph, one that the program disables, one that is changed in its
 * source, which counts for nothing, and one that is changed in the end.
 */
static void graph_parts()
{
	int *x, *y, *z, n = 256, by = 1, calls = 0;
	float ms;
	cudaGraph_t whole, child;
	cudaGraphExec_t executable;
	cudaGraphNode_t node[203], *next = node, inner;
	cudaMemsetParams set = {};
	cudaKernelNodeParams kernel = {};
	cudaHostNodeParams function = {called, &calls};
	cudaStream_t stream;
	cudaEvent_t before, event;
	void *x_arguments[] = {&x, &n, &by}, *y_arguments[] = {&y, &n, &by};
	void *copy_arguments[] = {&y, &x, &n}, *shift_arguments[] = {&y, &z, &n};

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreate(&before));
	CHECK(cudaEventCreate(&event));
	CHECK(cudaMalloc(&x, 1024)); /* 1 */
	CHECK(cudaMalloc(&y, 1024)); /* 2 */
	CHECK(cudaMalloc(&z, 1024)); /* 3 */
	CHECK(cudaGraphCreate(&whole, 0));
	CHECK(cudaGraphCreate(&child, 0));
	set.dst = x, set.elementSize = 4, set.width = 256, set.height = 1, set.value = 0;
	CHECK(cudaGraphAddMemsetNode(next++, whole, NULL, 0, &set)); /* 4 */
	kernel.func = (void *)add, kernel.gridDim = 1, kernel.blockDim = 256;
	kernel.kernelParams = x_arguments;
	for (int i = 0; i < 100; i++, next++) /* 5 */
		CHECK(cudaGraphAddKernelNode(next, whole, next - 1, 1, &kernel));
	kernel.func = (void *)copy, kernel.kernelParams = copy_arguments;
	CHECK(cudaGraphAddKernelNode(&inner, child, NULL, 0, &kernel)); /* 6 */
	CHECK(cudaGraphAddChildGraphNode(next, whole, next - 1, 1, child));
	next++;
	CHECK(cudaGraphAddEventRecordNode(next, whole, next - 1, 1, event));
	next++;
	CHECK(cudaGraphAddHostNode(next, whole, next - 1, 1, &function));
	next++;
	kernel.func = (void *)shift, kernel.kernelParams = shift_arguments;
	CHECK(cudaGraphAddKernelNode(next, whole, next - 1, 1, &kernel)); /* 7 */
	next++;
	kernel.func = (void *)add, kernel.kernelParams = y_arguments;
	for (int i = 0; i < 97; i++, next++) /* 5 */
		CHECK(cudaGraphAddKernelNode(next, whole, next - 1, 1, &kernel));
	CHECK(cudaGraphAddMemcpyNode1D(next, whole, next - 1, 1, z, y, 1024,
				       cudaMemcpyDeviceToDevice)); /* 8 */
	CHECK(cudaGraphInstantiate(&executable, whole, 0));
	CHECK(cudaGraphNodeSetEnabled(executable, node[50], 0));
	kernel.kernelParams = x_arguments, by = 7;
	CHECK(cudaGraphKernelNodeSetParams(node[20], &kernel));
	CHECK(cudaEventRecord(before, stream));
	for (int i = 0; i < 3; i++) {
		by = 5;
		if (i == 2)
			CHECK(cudaGraphExecKernelNodeSetParams(executable, node[10], &kernel));
		CHECK(cudaGraphLaunch(executable, stream));
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaEventElapsedTime(&ms, before, event));
		expect(calls == i + 1, "a call each time");
		CHECK(cudaMemcpy(host, z, 1024, cudaMemcpyDeviceToHost)); /* 9 */
		expect(host[0] == host[255] && host[0] == (i < 2 ? 99 : 103) + 1 + 97,
		       "1 for each node, or 5");
	}
	CHECK(cudaGraphExecDestroy(executable));
	CHECK(cudaGraphDestroy(whole));
}

/* Such a kernel in a graph. */
static void graph_cooperative()
{
	int *x, *y, n = 256, by = 1;
	cudaGraph_t whole;
	cudaGraphExec_t executable;
	cudaGraphNode_t node[2];
	cudaKernelNodeParams kernel = {};
	cudaKernelNodeAttrValue value = {};
	cudaStream_t stream;
	void *add_arguments[] = {&x, &n, &by}, *together_arguments[] = {&x, &y, &n};

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&x, 1024));   /* 1 */
	CHECK(cudaMalloc(&y, 1024));   /* 2 */
	CHECK(cudaMemset(x, 0, 1024)); /* 3 */
	CHECK(cudaGraphCreate(&whole, 0));
	kernel.func = (void *)add, kernel.gridDim = 2, kernel.blockDim = 128;
	kernel.kernelParams = add_arguments;
	CHECK(cudaGraphAddKernelNode(&node[0], whole, NULL, 0, &kernel)); /* 4 */
	kernel.func = (void *)together, kernel.kernelParams = together_arguments;
	CHECK(cudaGraphAddKernelNode(&node[1], whole, node, 1, &kernel)); /* 5 */
	value.cooperative = 1;
	CHECK(cudaGraphKernelNodeSetAttribute(node[1], cudaLaunchAttributeCooperative, &value));
	CHECK(cudaGraphInstantiate(&executable, whole, 0));
	for (int i = 0; i < 2; i++)
		CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(host, y, 1024, cudaMemcpyDeviceToHost)); /* 6 */
	expect(host[0] == 4 && host[255] == 4, "twice 1 + 1");
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

	CHECK(cudaMalloc(&x, 512));                              /* 1 */
	allocate<<<1, 1>>>(x);                                   /* 2 */
	CHECK(cudaMemcpy(host, x, 4, cudaMemcpyDeviceToHost));   /* 3 */
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
	idle<<<1, 32>>>();		   /* 2: another line */
	CHECK(cuMemAlloc(&x, 1024));	   /* 3 */
	CHECK(cuMemsetD8(x, 0, 1024));	   /* 4 */
	add<<<1, 256>>>((int *)x, 256, 1); /* 5 */
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

	CHECK(cudaMalloc(&x, 1024));    /* 1 */
	CHECK(cudaMemset(x, 0, 1024));  /* 2 */
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

static const struct {
	const char *name;
	void (*run)();
} cases[] = {
	{"graph", graph},
	{"graph_mixed", graph_mixed},
	{"graph_large", graph_large},
	{"graph_update", graph_update},
	{"graph_changes", graph_changes},
	{"graph_any", graph_any},
	{"graph_children", graph_children},
	{"graph_parts", graph_parts},
	{"graph_cooperative", graph_cooperative},
	{"graph_events", graph_events},
	{"graph_scratch", graph_scratch},
	{"graph_memory", graph_memory},
	{"graph_shared", graph_shared},
	{"graph_kept", graph_kept},
	{"conditional", conditional},
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
};

int main(int argc, char **argv)
{
	for (auto &each : cases)
		if (argc == 2 && !strcmp(argv[1], each.name)) {
			each.run();
			CHECK(cudaDeviceSynchronize());
			return 0;
		}
	fprintf(stderr, "usage: moves CASE, one of:");
	for (auto &each : cases)
		fprintf(stderr, " %s", each.name);
	fprintf(stderr, "\n");
	return 2;
}
