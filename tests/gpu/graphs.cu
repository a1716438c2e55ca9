/* graphs.cu: the cases of moves.cu that launch graphs. */
#include "moves.h"

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
 * One whose nodes are changed: first by themselves, which fails for one, as its kind is another;
 * then in their source.  `by_any`: by the function for nodes of any kind.
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
				CHECK(cudaGraphExecChildGraphNodeSetParams(executable, node[i],
									   child));
			else
				CHECK(cudaGraphAddChildGraphNode(&node[i], whole,
								 &node[i - (i > 0)], i > 0, child));
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
	CHECK(cudaMalloc(&x, 1024));   /* 1 */
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
	CHECK(cudaMalloc(&x, 1024));   /* 1 */
	CHECK(cudaMalloc(&y, 1024));   /* 2 */
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
	CHECK(cudaMalloc(&x, 1024));   /* 1 */
	CHECK(cudaMalloc(&y, 1024));   /* 2 */
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

const test_case graph_cases[] = {
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
	{},
};
