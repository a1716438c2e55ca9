// What nvcc's programs ask of the emulated device beyond arithmetic.  Prints TAP; expected values
// follow from CUDA's documentation.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>

static int number;
static void check(bool good, const char *name)
{
	printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, name);
}

__global__ void say(const char *unused, double value)
{
	if (threadIdx.x == 1)
		printf("# %d|%s|%7.3f|%-4u|%c|%llx|%*d|%%\n", -5, "text", value, 7u, 'c',
		       0x123456789abcull, 4, 42);
}

__global__ void heap(int *out)
{
	int *mine = (int *)malloc(16 * sizeof(int));

	for (int i = 0; i < 16; i++)
		mine[i] = threadIdx.x + i;
	out[threadIdx.x] = mine[15];
	free(mine);
}

// Every block waits until all have written.
__global__ void meet(int *seen, int *out)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();

	if (threadIdx.x == 0)
		seen[blockIdx.x] = blockIdx.x + 1;
	grid.sync();
	if (threadIdx.x == 0)
		out[blockIdx.x] = seen[(blockIdx.x + 1) % gridDim.x];
}

__global__ void look(cudaTextureObject_t texture, float x, float y, float *out)
{
	*out = tex2D<float>(texture, x, y);
}

__global__ void gather(cudaTextureObject_t texture, float x, float y, float *out)
{
	float4 four = tex2Dgather<float4>(texture, x, y, 0);

	*out = four.x * 1000 + four.y * 100 + four.z * 10 + four.w;
}

__global__ void fetch(cudaTextureObject_t texture, int at, float *out)
{
	*out = tex1Dfetch<float>(texture, at);
}

__global__ void draw(cudaSurfaceObject_t surface)
{
	surf2Dwrite((int)(10 * threadIdx.y + threadIdx.x), surface, threadIdx.x * 4, threadIdx.y);
}

/* Each thread reads its texel of a grid of 4 x 4 around the array; outside the nearest one counts.
 */
__global__ void read_around(cudaSurfaceObject_t surface, int *out)
{
	out[4 * threadIdx.y + threadIdx.x] = surf2Dread<int>(
		surface, ((int)threadIdx.x - 1) * 4, (int)threadIdx.y - 1, cudaBoundaryModeClamp);
}

__global__ void add(int *counter, int value)
{
	*counter += value;
}

__global__ void copy_async(const int *from, int *out)
{
	__shared__ int shared[32];
	__shared__ unsigned long long barrier;
	unsigned to = (unsigned)__cvta_generic_to_shared(&shared[threadIdx.x]);
	unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
	unsigned long long state;
	unsigned early, late;

	shared[threadIdx.x] = -1;
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at));
	__syncthreads();
	// odd threads read nothing: zeros come instead
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to),
		     "l"(from + threadIdx.x), "r"(threadIdx.x & 1 ? 0 : 4));
	asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;");
	asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; "
		     "selp.u32 %0, 1, 0, p;}"
		     : "=r"(early)
		     : "r"(at));
	__syncwarp();
	asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at));
	__syncwarp();
	asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; "
		     "selp.u32 %0, 1, 0, p;}"
		     : "=r"(late)
		     : "r"(at), "l"(state));
	out[threadIdx.x] = shared[threadIdx.x] + 100 * early + 1000 * late;
}

static float sample(cudaTextureObject_t texture, float x, float y)
{
	static float *memory;
	float result;

	if (!memory)
		cudaMalloc(&memory, 4);
	look<<<1, 1>>>(texture, x, y, memory);
	cudaMemcpy(&result, memory, 4, cudaMemcpyDeviceToHost);
	return result;
}

static void textures()
{
	const float values[] = {0, 1, 2, 3};
	const unsigned char bytes[] = {0, 51, 255, 0};
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaResourceDesc resource = {};
	cudaTextureDesc desc = {};
	cudaTextureObject_t texture;
	cudaSurfaceObject_t surface;
	cudaArray_t array;
	int drawn[4] = {}, expected[] = {0, 1, 10, 11};
	float *out, result[2];
	unsigned char *linear;

	cudaMallocArray(&array, &format, 2, 2, cudaArraySurfaceLoadStore);
	cudaMemcpy2DToArray(array, 0, 0, values, 8, 8, 2, cudaMemcpyHostToDevice);
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
	desc.filterMode = cudaFilterModeLinear;
	cudaCreateTextureObject(&texture, &resource, &desc, NULL);
	check(sample(texture, 1, 1) == 1.5f, "the middle of four texels is their mean");
	check(sample(texture, 0.5f, 0.5f) == 0 && sample(texture, 1.5f, 1.5f) == 3,
	      "the middle of a texel is the texel");
	check(sample(texture, 0.75f, 0.5f) == 0.25f, "a quarter of the way");
	check(sample(texture, -9, 1.5f) == 2, "clamped");
	cudaMalloc(&out, 4);
	gather<<<1, 1>>>(texture, 1, 1, out);
	cudaMemcpy(result, out, 4, cudaMemcpyDeviceToHost);
	check(result[0] == 2310, "four texels are gathered, from the lower left one on");
	cudaDestroyTextureObject(texture);
	desc.filterMode = cudaFilterModePoint;
	desc.normalizedCoords = 1;
	desc.addressMode[0] = cudaAddressModeWrap;
	desc.addressMode[1] = cudaAddressModeMirror;
	cudaCreateTextureObject(&texture, &resource, &desc, NULL);
	check(sample(texture, 1.25f, 0.75f) == 2 && sample(texture, -0.25f, 0) == 1, "wrapped");
	check(sample(texture, 0, 1.25f) == 2 && sample(texture, 0, -0.25f) == 0, "mirrored");
	cudaDestroyTextureObject(texture);

	cudaMalloc(&linear, 4);
	cudaMalloc(&out, 8);
	cudaMemcpy(linear, bytes, 4, cudaMemcpyHostToDevice);
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = linear;
	resource.res.linear.desc = cudaCreateChannelDesc<unsigned char>();
	resource.res.linear.sizeInBytes = 4;
	desc = {};
	desc.readMode = cudaReadModeNormalizedFloat;
	cudaCreateTextureObject(&texture, &resource, &desc, NULL);
	fetch<<<1, 1>>>(texture, 1, out);
	fetch<<<1, 1>>>(texture, 9, out + 1);
	cudaMemcpy(result, out, 8, cudaMemcpyDeviceToHost);
	check(result[0] == 0.2f && result[1] == 0, "normalized bytes; zeros outside");

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	cudaCreateSurfaceObject(&surface, &resource);
	draw<<<1, dim3(2, 2)>>>(surface);
	cudaMemcpy2DFromArray(drawn, 8, array, 0, 0, 8, 2, cudaMemcpyDeviceToHost);
	check(!memcmp(drawn, expected, sizeof(drawn)), "a surface is written");
	{
		const int clamped[] = {0, 0, 1, 1, 0, 0, 1, 1, 10, 10, 11, 11, 10, 10, 11, 11};
		int *around, seen[16];

		cudaMalloc(&around, sizeof(seen));
		read_around<<<1, dim3(4, 4)>>>(surface, around);
		cudaMemcpy(seen, around, sizeof(seen), cudaMemcpyDeviceToHost);
		check(!memcmp(seen, clamped, sizeof(seen)),
		      "a surface read outside its edges, clamped");
	}
	draw<<<1, dim3(3, 2)>>>(surface);
	check(cudaDeviceSynchronize() != cudaSuccess, "outside of a surface is an error");
	cudaDeviceReset();
}

static int value_of(const int *memory)
{
	int value;

	cudaMemcpy(&value, memory, sizeof(value), cudaMemcpyDeviceToHost);
	return value;
}

static void graphs()
{
	static int called;
	cudaStream_t first, second;
	cudaEvent_t fork, join;
	cudaGraphExec_t executable;
	cudaGraph_t graph;
	int *counter;
	size_t nodes = 0;

	cudaMalloc(&counter, 8);
	cudaMemset(counter, 0, 8);
	cudaStreamCreate(&first);
	cudaStreamCreate(&second);
	cudaEventCreate(&fork);
	cudaEventCreate(&join);
	cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
	add<<<1, 1, 0, first>>>(counter, 3);
	cudaEventRecord(fork, first);
	cudaStreamWaitEvent(second, fork, 0);
	add<<<1, 1, 0, second>>>(counter + 1, 5);
	cudaEventRecord(join, second);
	cudaStreamWaitEvent(first, join, 0);
	/* clang-format off */
	cudaLaunchHostFunc(first, [](void *data) { ++*(int *)data; }, &called);
	/* clang-format on */
	cudaStreamEndCapture(first, &graph);
	check(value_of(counter) == 0 && value_of(counter + 1) == 0 && !called,
	      "capturing does nothing");
	cudaGraphGetNodes(graph, NULL, &nodes);
	check(nodes == 3, "three nodes");
	cudaGraphInstantiate(&executable, graph, 0);
	cudaGraphLaunch(executable, first);
	cudaGraphLaunch(executable, first);
	cudaStreamSynchronize(first);
	check(value_of(counter) == 6 && value_of(counter + 1) == 10 && called == 2,
	      "two launches do all twice");
	add<<<1, 1, 0, second>>>(counter + 1, 1);
	check(value_of(counter + 1) == 11, "the streams are free again");
}

__managed__ int managed = 5;
__managed__ int *managed_pointer;
__global__ void use_managed()
{
	managed += 2;
	*managed_pointer = managed;
}

static void managed_variables()
{
	int *target;

	cudaMallocManaged(&target, 4);
	managed_pointer = target;
	managed += 10;
	use_managed<<<1, 1>>>();
	check(!cudaDeviceSynchronize() && managed == 17 && *target == 17,
	      "a managed variable is one for host and device");
}

static bool graphs_hold(uint64_t now, uint64_t high)
{
	uint64_t got[2] = {};

	cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &got[0]);
	cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &got[1]);
	return got[0] == now && got[1] == high;
}

/* Only launches take memory, graphs after each other the same, and a trim gives back what is free.
 */
static void graph_footprint()
{
	cudaMemAllocNodeParams make = {};
	cudaGraphExec_t freeing, keeping;
	cudaGraphNode_t allocated, freed;
	cudaGraph_t graph;
	uint64_t zero = 0;
	void *other;

	cudaDeviceGraphMemTrim(0);
	cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero);
	make.poolProps.allocType = cudaMemAllocationTypePinned;
	make.poolProps.location.type = cudaMemLocationTypeDevice;
	make.bytesize = 4096;
	cudaMalloc(&other, 12288);
	cudaGraphCreate(&graph, 0);
	cudaGraphAddMemAllocNode(&allocated, graph, NULL, 0, &make);
	cudaGraphAddMemFreeNode(&freed, graph, &allocated, 1, make.dptr);
	cudaGraphInstantiate(&freeing, graph, 0);
	cudaGraphDestroy(graph);
	cudaGraphCreate(&graph, 0);
	make.bytesize = 8192;
	cudaGraphAddMemAllocNode(&allocated, graph, NULL, 0, &make);
	cudaGraphInstantiate(&keeping, graph, 0);
	cudaGraphDestroy(graph);
	check(graphs_hold(0, 0), "neither graphs nor other memory count as memory of graphs");
	cudaGraphLaunch(freeing, 0);
	cudaGraphLaunch(freeing, 0);
	check(graphs_hold(4096, 4096), "a launch leaves its memory to the next");
	cudaGraphLaunch(keeping, 0);
	cudaDeviceGraphMemTrim(0);
	check(graphs_hold(8192, 8192), "what is not freed outlives a trim");
	cudaGraphLaunch(freeing, 0);
	check(graphs_hold(12288, 12288), "and is not used anew");
	cudaFree(make.dptr);
	check(graphs_hold(12288, 12288), "what is freed is kept");
	cudaDeviceGraphMemTrim(0);
	check(graphs_hold(0, 12288), "until a trim");
	cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero);
	check(graphs_hold(0, 0), "and the mark until it is cleared");
	cudaGraphExecDestroy(freeing);
	cudaGraphExecDestroy(keeping);
	cudaFree(other);
}

static void count_call(void *calls)
{
	++*(int *)calls;
}

/* A child lives as long as somebody may run it; nodes are known as long as they live. */
static void graph_children()
{
	int calls = 0;
	cudaHostNodeParams call = {count_call, &calls};
	cudaMemsetParams fill = {};
	cudaGraph_t graph, child, outer, captured;
	cudaGraphNode_t node, inner, set;
	cudaGraphExec_t run, last;
	cudaStreamCaptureStatus status;
	cudaStream_t stream;
	cudaError_t result = cudaSuccess;
	unsigned on;

	cudaMalloc(&fill.dst, 4);
	fill.elementSize = 4;
	fill.width = fill.height = 1;
	cudaGraphCreate(&graph, 0);
	cudaGraphCreate(&child, 0);
	cudaGraphAddHostNode(&inner, child, NULL, 0, &call);
	check(cudaGraphAddChildGraphNode(&node, graph, NULL, 1, child) == cudaErrorInvalidValue &&
		      cudaGraphAddChildGraphNode(&node, graph, &inner, 1, child) ==
			      cudaErrorInvalidValue,
	      "a child graph after nodes that are not there");
	cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child);
	cudaGraphAddMemsetNode(&set, graph, &node, 1, &fill);
	cudaGraphDestroy(child);
	cudaGraphInstantiate(&run, graph, 0);
	cudaGraphInstantiate(&last, graph, 0);
	cudaGraphDestroyNode(node);
	check(!cudaGraphLaunch(run, 0) && calls == 1,
	      "an executable has a child whose node is gone");
	cudaGraphExecDestroy(run);
	check(!cudaGraphNodeSetEnabled(last, set, 0) && !cudaGraphNodeGetEnabled(last, set, &on) &&
		      !on && cudaGraphNodeGetEnabled(last, node, &on) == cudaErrorInvalidValue,
	      "nodes of an executable are those of its graph");
	cudaGraphDestroy(graph);
	check(cudaGraphNodeSetEnabled(last, set, 1) == cudaErrorInvalidValue &&
		      cudaGraphExecMemsetNodeSetParams(last, set, &fill) == cudaErrorInvalidValue &&
		      !cudaGraphLaunch(last, 0) && calls == 2,
	      "until that is destroyed");
	cudaGraphExecDestroy(last);
	cudaGraphCreate(&graph, 0);
	cudaGraphAddHostNode(&node, graph, NULL, 0, &call);
	for (int depth = 0; depth < 10000 && !result; depth++) {
		cudaGraphCreate(&outer, 0);
		result = cudaGraphAddChildGraphNode(&node, outer, NULL, 0, graph);
		cudaGraphDestroy(result ? outer : graph);
		graph = result ? graph : outer;
	}
	cudaGraphInstantiate(&run, graph, 0);
	cudaGraphDestroy(graph);
	check(result == cudaErrorNotSupported && !cudaGraphLaunch(run, 0) && calls == 3,
	      "children of children are limited");
	cudaGraphExecDestroy(run);
	cudaStreamCreate(&stream);
	cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
	cudaStreamGetCaptureInfo(stream, &status, NULL, &captured, NULL, NULL, NULL);
	cudaGraphDestroy(captured);
	check(!cudaMemsetAsync(fill.dst, 3, 4, stream) &&
		      cudaStreamEndCapture(stream, &captured) == cudaErrorIllegalState,
	      "a capture whose graph is destroyed is over");
	check(cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0,
					    cudaStreamCaptureModeGlobal) == cudaErrorInvalidValue,
	      "a stream is not captured into a graph that is gone");
	cudaStreamDestroy(stream);
	cudaFree(fill.dst);
	cudaGetLastError();
}

/* Memory that a graph allocates: made by hand, then captured. */
static void graph_memory()
{
	cudaGraphNode_t allocated, set, added, freed;
	cudaMemAllocNodeParams make = {};
	cudaMemsetParams zero = {};
	cudaGraphNodeParams any = {};
	const cudaGraphNode_t *last;
	cudaGraphExec_t executable;
	cudaStreamCaptureStatus status;
	cudaGraph_t graph, captured;
	cudaStream_t stream;
	int three = 3, *counter, *result, got = 0;
	size_t count = 0;

	cudaMalloc(&result, 4);
	cudaMemset(result, 0, 4);
	cudaStreamCreate(&stream);
	cudaGraphCreate(&graph, 0);
	make.poolProps.allocType = cudaMemAllocationTypePinned;
	make.poolProps.location.type = cudaMemLocationTypeDevice;
	make.bytesize = 4;
	check(!cudaGraphAddMemAllocNode(&allocated, graph, NULL, 0, &make) && make.dptr,
	      "an allocation node tells its address at once");
	zero.dst = make.dptr;
	zero.value = 0;
	zero.elementSize = 4;
	zero.width = zero.height = 1;
	cudaGraphAddMemsetNode(&set, graph, &allocated, 1, &zero);
	void *arguments[] = {&make.dptr, &three};
	any.type = cudaGraphNodeTypeKernel;
	any.kernel.func = (void *)add;
	any.kernel.gridDim = any.kernel.blockDim = dim3(1);
	any.kernel.kernelParams = arguments;
#if CUDART_VERSION >= 13000
	check(!cudaGraphAddNode(&added, graph, &set, NULL, 1, &any), "cudaGraphAddNode");
#else
	check(!cudaGraphAddNode(&added, graph, &set, 1, &any), "cudaGraphAddNode");
#endif
	cudaGraphAddMemcpyNode1D(&set, graph, &added, 1, &got, make.dptr, 4,
				 cudaMemcpyDeviceToHost);
	cudaGraphAddMemFreeNode(&freed, graph, &set, 1, make.dptr);
	cudaGraphInstantiate(&executable, graph, 0);
	check(!cudaGraphLaunch(executable, stream) && !cudaGraphLaunch(executable, stream) &&
		      !cudaStreamSynchronize(stream) && got == 3,
	      "each launch has new memory");
	check(cudaFree(make.dptr) != cudaSuccess, "which is gone after it");
	cudaGraphExecDestroy(executable);
	cudaGraphDestroy(graph);

	cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
	cudaMallocAsync(&counter, 4, stream);
	cudaMemsetAsync(counter, 0, 4, stream);
	add<<<1, 1, 0, stream>>>(counter, 4);
	cudaMemcpyAsync(result, counter, 4, cudaMemcpyDeviceToDevice, stream);
	cudaFreeAsync(counter, stream);
#if CUDART_VERSION >= 13000
	cudaStreamGetCaptureInfo(stream, &status, NULL, &captured, &last, NULL, &count);
#else
	cudaStreamGetCaptureInfo_v2(stream, &status, NULL, &captured, &last, &count);
#endif
	cudaStreamEndCapture(stream, &graph);
	check(status == cudaStreamCaptureStatusActive && captured == graph && count == 1 && *last,
	      "what a captured stream tells");
	cudaGraphGetNodes(graph, NULL, &count);
	check(count == 5, "a captured allocation and its free are nodes");
	cudaGraphInstantiate(&executable, graph, 0);
	check(!cudaGraphLaunch(executable, stream) && !cudaGraphLaunch(executable, stream) &&
		      value_of(result) == 4,
	      "they run at every launch");

	cudaGraphCreate(&graph, 0);
	cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, cudaStreamCaptureModeGlobal);
	add<<<1, 1, 0, stream>>>(result, 1);
	cudaStreamEndCapture(stream, &captured);
	cudaGraphInstantiate(&executable, graph, 0);
	cudaGraphLaunch(executable, stream);
	check(captured == graph && value_of(result) == 5, "a capture into a graph that is there");
}

int main()
{
	int *memory, out[64];
	void *arguments[2];
	bool good = true;

	cudaMalloc(&memory, 512);
	say<<<1, 2>>>("", 3.14159);
	printf("# launched\n");
	cudaDeviceSynchronize();

	heap<<<1, 64>>>(memory);
	cudaMemcpy(out, memory, sizeof(out), cudaMemcpyDeviceToHost);
	for (int i = 0; i < 64; i++)
		good &= out[i] == i + 15;
	check(good, "memory from malloc in a kernel");

	int *other = memory + 64;
	arguments[0] = &memory;
	arguments[1] = &other;
	check(cudaLaunchCooperativeKernel((void *)meet, dim3(4), dim3(64), arguments, 0, 0) ==
		      cudaSuccess,
	      "a cooperative launch");
	cudaMemcpy(out, other, 16, cudaMemcpyDeviceToHost);
	check(out[0] == 2 && out[1] == 3 && out[2] == 4 && out[3] == 1, "blocks wait for blocks");
	check(cudaLaunchCooperativeKernel((void *)meet, dim3(1000), dim3(64), arguments, 0, 0) ==
		      cudaErrorCooperativeLaunchTooLarge,
	      "unless they do not fit");

	for (int i = 0; i < 32; i++)
		out[i] = i;
	cudaMemcpy(memory, out, 128, cudaMemcpyHostToDevice);
	copy_async<<<1, 32>>>(memory, other);
	cudaMemcpy(out, other, 128, cudaMemcpyDeviceToHost);
	good = true;
	for (int i = 0; i < 32; i++)
		good &= out[i] == (i & 1 ? 0 : i) + 1000;
	check(good, "cp.async, with zeros, and mbarrier");
	graphs();
	graph_memory();
	graph_children();
	graph_footprint();
	managed_variables();
	textures();
	printf("1..%d\n", number);
}
