/*
 * tests/cli/emulator_driver_graph.c: the driver API's arrays, graphs, pools and stream values, as
 * TAP. Part of emulator_driver.c.
 */

/* 4 x 3 texels of 2 bytes; the box of 2 x 2 texels at (1, 1) goes to the other array's corner. */
static void arrays(void)
{
	const CUDA_ARRAY_DESCRIPTOR shape = {4, 3, CU_AD_FORMAT_UNSIGNED_INT8, 2};
	const CUDA_ARRAY3D_DESCRIPTOR wrong = {4, 3, 0, CU_AD_FORMAT_FLOAT, 3, 0};
	CUDA_ARRAY_DESCRIPTOR got;
	unsigned char host[24], back[24];
	CUarray a, b;
	CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			    .srcHost = host,
			    .srcPitch = 8,
			    .dstMemoryType = CU_MEMORYTYPE_ARRAY,
			    .WidthInBytes = 8,
			    .Height = 3};
	CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
			     .srcXInBytes = 2,
			     .srcY = 1,
			     .dstMemoryType = CU_MEMORYTYPE_ARRAY,
			     .WidthInBytes = 4,
			     .Height = 2,
			     .Depth = 1};

	for (unsigned char i = 0; i < 24; i++)
		host[i] = i;
	OK(cuArrayCreate(&a, &shape) == CUDA_SUCCESS && cuArrayCreate(&b, &shape) == CUDA_SUCCESS,
	   "cuArrayCreate");
	OK(cuArray3DCreate(&b, &wrong) == CUDA_ERROR_INVALID_VALUE, "not with three channels");
	OK(cuArrayGetDescriptor(&got, a) == CUDA_SUCCESS && got.Width == 4 && got.Height == 3 &&
		   got.Format == CU_AD_FORMAT_UNSIGNED_INT8 && got.NumChannels == 2,
	   "what it was made of");
	in.dstArray = a;
	OK(cuMemcpy2D(&in) == CUDA_SUCCESS, "a copy to an array");
	in.dstXInBytes = 1;
	OK(cuMemcpy2D(&in) == CUDA_ERROR_INVALID_VALUE, "that must fit");
	OK(cuMemcpyAtoH(back, a, 4, 4) == CUDA_SUCCESS && !memcmp(back, "\4\5\6\7", 4),
	   "part of its first row");
	in.dstXInBytes = 0;
	in.dstArray = b;
	memset(host, 0xee, sizeof(host));
	cuMemcpy2D(&in);
	box.srcArray = a;
	box.dstArray = b;
	OK(cuMemcpy3D(&box) == CUDA_SUCCESS, "a copy between arrays");
	in = (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
			     .srcArray = b,
			     .dstMemoryType = CU_MEMORYTYPE_HOST,
			     .dstHost = back,
			     .dstPitch = 8,
			     .WidthInBytes = 8,
			     .Height = 3};
	OK(cuMemcpy2D(&in) == CUDA_SUCCESS && !memcmp(back, "\12\13\14\15\xee", 5) &&
		   !memcmp(back + 8, "\22\23\24\25\xee", 5) && back[16] == 0xee,
	   "moves the box and nothing else");
	OK(cuArrayDestroy(a) == CUDA_SUCCESS && cuArrayDestroy(b) == CUDA_SUCCESS &&
		   cuArrayDestroy(a) == CUDA_ERROR_INVALID_HANDLE,
	   "cuArrayDestroy");
}

static void CUDA_CB add_one(void *number)
{
	++*(int *)number;
}

/* A set, then a kernel that stores i + 5, then a copy back: in this order whatever comes first. */
static void graphs(void)
{
	unsigned n = 4, base = 5, host[5] = {0};
	int calls = 0;
	CUdeviceptr memory;
	void *arguments[] = {&memory, &n, &base};
	CUDA_KERNEL_NODE_PARAMS kernel = {.func = count,
					  .gridDimX = 1,
					  .gridDimY = 1,
					  .gridDimZ = 1,
					  .blockDimX = 32,
					  .blockDimY = 1,
					  .blockDimZ = 1,
					  .kernelParams = arguments};
	CUDA_MEMSET_NODE_PARAMS set = {.value = 9, .elementSize = 4, .width = 5, .height = 1};
	CUDA_HOST_NODE_PARAMS call = {add_one, &calls};
	CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
			      .dstMemoryType = CU_MEMORYTYPE_HOST,
			      .dstHost = host,
			      .WidthInBytes = sizeof(host),
			      .Height = 1,
			      .Depth = 1};
	CUstreamCaptureStatus status;
	CUgraphNode nodes[4];
	CUgraphExec run;
	CUstream stream;
	CUgraph graph;
	size_t room = 0;

	cuMemAlloc(&memory, sizeof(host));
	set.dst = memory;
	copy.srcDevice = memory;
	OK(cuGraphCreate(&graph, 0) == CUDA_SUCCESS &&
		   cuGraphAddMemcpyNode(&nodes[0], graph, NULL, 0, &copy, NULL) == CUDA_SUCCESS &&
		   cuGraphAddKernelNode(&nodes[1], graph, NULL, 0, &kernel) == CUDA_SUCCESS &&
		   cuGraphAddMemsetNode(&nodes[2], graph, NULL, 0, &set, NULL) == CUDA_SUCCESS &&
		   cuGraphAddHostNode(&nodes[3], graph, nodes, 1, &call) == CUDA_SUCCESS,
	   "nodes of a graph");
	OK(cuGraphAddDependencies(graph, &nodes[1], &nodes[0], NULL, 1) == CUDA_SUCCESS &&
		   cuGraphAddDependencies(graph, &nodes[2], &nodes[1], NULL, 1) == CUDA_SUCCESS &&
		   cuGraphGetNodes(graph, NULL, &room) == CUDA_SUCCESS && room == 4,
	   "and their order");
	OK(cuGraphInstantiate(&run, graph, 0) == CUDA_SUCCESS &&
		   cuGraphLaunch(run, NULL) == CUDA_SUCCESS &&
		   cuGraphLaunch(run, NULL) == CUDA_SUCCESS && calls == 2,
	   "run twice");
	OK(host[0] == 5 && host[3] == 8 && host[4] == 9, "set, kernel, copy");
	base = 6;
	OK(cuGraphExecKernelNodeSetParams(run, nodes[1], &kernel) == CUDA_SUCCESS &&
		   cuGraphLaunch(run, NULL) == CUDA_SUCCESS && host[0] == 6,
	   "with another argument");
	OK(cuGraphExecDestroy(run) == CUDA_SUCCESS && cuGraphDestroy(graph) == CUDA_SUCCESS &&
		   cuGraphDestroy(graph) == CUDA_ERROR_INVALID_VALUE,
	   "gone");
	cuStreamCreate(&stream, 0);
	OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS &&
		   cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
		   status == CU_STREAM_CAPTURE_STATUS_ACTIVE &&
		   cuMemsetD32Async(memory, 3, 1, stream) == CUDA_SUCCESS &&
		   cuMemcpyDtoHAsync(host, memory, 4, stream) == CUDA_SUCCESS &&
		   cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS && host[0] == 6,
	   "what is captured is not done");
	OK(cuGraphInstantiate(&run, graph, 0) == CUDA_SUCCESS &&
		   cuGraphLaunch(run, stream) == CUDA_SUCCESS && host[0] == 3,
	   "until it is launched");
	cuGraphExecDestroy(run);
	cuGraphDestroy(graph);
	cuStreamDestroy(stream);
	cuMemFree(memory);
}

static unsigned word_at(CUdeviceptr memory)
{
	unsigned word = 0;

	cuMemcpyDtoH(&word, memory, sizeof(word));
	return word;
}

/* a, then b and c; a and c set the same word, b calls. */
static void edit(void)
{
	int calls = 0;
	CUDA_MEMSET_NODE_PARAMS set = {.value = 3, .elementSize = 4, .width = 1, .height = 1};
	CUDA_MEMSET_NODE_PARAMS other = {.value = 5, .elementSize = 4, .width = 1, .height = 1};
	CUDA_HOST_NODE_PARAMS call = {add_one, &calls};
	CUgraphExecUpdateResultInfo result;
	CUgraph graph, clone;
	CUgraphNode a, b, c, from[3], to[3], found;
	CUgraphEdgeData data[3] = {{.type = 1}, {.type = 1}, {.type = 1}};
	CUgraphNodeType type;
	CUgraphExec run;
	size_t edges = 3, before = 3, after = 3, roots = 3;
	unsigned on;

	cuMemAlloc(&set.dst, 4);
	other.dst = set.dst;
	cuGraphCreate(&graph, 0);
	cuGraphAddMemsetNode(&a, graph, NULL, 0, &set, NULL);
	cuGraphAddHostNode(&b, graph, &a, 1, &call);
	cuGraphAddMemsetNode(&c, graph, &a, 1, &other, NULL);
	OK(cuGraphGetEdges(graph, from, to, data, &edges) == CUDA_SUCCESS && edges == 2 &&
		   from[0] == a && to[0] == b && from[1] == a && to[1] == c && !data[1].type &&
		   data[2].type == 1,
	   "edges of a graph");
	OK(cuGraphNodeGetDependencies(c, from, NULL, &before) == CUDA_SUCCESS && before == 1 &&
		   from[0] == a &&
		   cuGraphNodeGetDependentNodes(a, to, NULL, &after) == CUDA_SUCCESS &&
		   after == 2 && to[1] == c &&
		   cuGraphGetRootNodes(graph, from, &roots) == CUDA_SUCCESS && roots == 1 &&
		   from[0] == a,
	   "what comes before and after a node");
	OK(cuGraphNodeGetType(b, &type) == CUDA_SUCCESS && type == CU_GRAPH_NODE_TYPE_HOST &&
		   cuGraphNodeGetType(c, &type) == CUDA_SUCCESS &&
		   type == CU_GRAPH_NODE_TYPE_MEMSET &&
		   cuGraphNodeGetType(NULL, &type) == CUDA_ERROR_INVALID_VALUE,
	   "what nodes do");
	OK(cuGraphClone(&clone, graph) == CUDA_SUCCESS &&
		   cuGraphNodeFindInClone(&found, b, clone) == CUDA_SUCCESS && found != b &&
		   cuGraphNodeGetType(found, &type) == CUDA_SUCCESS &&
		   type == CU_GRAPH_NODE_TYPE_HOST &&
		   cuGraphNodeFindInClone(&found, found, clone) == CUDA_ERROR_INVALID_VALUE,
	   "their copies in a clone");
	cuGraphInstantiate(&run, graph, 0);
	OK(cuGraphNodeSetEnabled(run, c, 0) == CUDA_SUCCESS &&
		   cuGraphNodeGetEnabled(run, c, &on) == CUDA_SUCCESS && !on &&
		   cuGraphLaunch(run, NULL) == CUDA_SUCCESS && word_at(set.dst) == 3 && calls == 1,
	   "a node that is disabled");
	other.value = 7;
	OK(cuGraphNodeSetEnabled(run, c, 1) == CUDA_SUCCESS &&
		   cuGraphExecMemsetNodeSetParams(run, c, &other, NULL) == CUDA_SUCCESS &&
		   cuGraphLaunch(run, NULL) == CUDA_SUCCESS && word_at(set.dst) == 7,
	   "another value in an executable");
	other.value = 8;
	OK(cuGraphMemsetNodeSetParams(c, &other) == CUDA_SUCCESS &&
		   cuGraphHostNodeSetParams(c, &call) == CUDA_ERROR_INVALID_VALUE &&
		   cuGraphExecUpdate(run, graph, &result) == CUDA_SUCCESS &&
		   result.result == CU_GRAPH_EXEC_UPDATE_SUCCESS &&
		   cuGraphLaunch(run, NULL) == CUDA_SUCCESS && word_at(set.dst) == 8 && calls == 3,
	   "or in its graph");
	OK(cuGraphRemoveDependencies(graph, &a, &c, NULL, 1) == CUDA_SUCCESS &&
		   cuGraphRemoveDependencies(graph, &a, &c, NULL, 1) == CUDA_ERROR_INVALID_VALUE &&
		   cuGraphDestroyNode(b) == CUDA_SUCCESS &&
		   cuGraphGetEdges(graph, NULL, NULL, NULL, &edges) == CUDA_SUCCESS && !edges &&
		   cuGraphExecUpdate(run, graph, &result) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE &&
		   result.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
	   "edges and nodes that go");
	OK(cuGraphAddEmptyNode(&b, graph, NULL, 0) == CUDA_SUCCESS &&
		   cuGraphExecUpdate(run, graph, NULL) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
	   "an update to nodes of other kinds");
	cuGraphExecDestroy(run);
	cuGraphDestroy(clone);
	cuGraphDestroy(graph);
	cuMemFree(set.dst);
}

/* Memory that lives from one node to another. */
static void memory_nodes(void)
{
	CUDA_MEM_ALLOC_NODE_PARAMS make = {
		.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}},
		.bytesize = 256};
	CUDA_MEMSET_NODE_PARAMS set = {.value = 6, .elementSize = 4, .width = 1, .height = 1};
	CUgraph graph;
	CUgraphNode nodes[3];
	CUgraphExec run = NULL;
	uint64_t high = 0;

	cuGraphCreate(&graph, 0);
	OK(cuGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &make) == CUDA_SUCCESS && make.dptr,
	   "a node that allocates");
	set.dst = make.dptr;
	cuGraphAddMemsetNode(&nodes[1], graph, nodes, 1, &set, NULL);
	OK(cuGraphAddMemFreeNode(&nodes[2], graph, &nodes[1], 1, make.dptr) == CUDA_SUCCESS &&
		   cuGraphInstantiate(&run, graph, 0) == CUDA_SUCCESS &&
		   cuGraphLaunch(run, NULL) == CUDA_SUCCESS &&
		   cuGraphLaunch(run, NULL) == CUDA_SUCCESS &&
		   cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &high) ==
			   CUDA_SUCCESS &&
		   high == 256,
	   "and one that frees, at each launch");
	cuGraphExecDestroy(run);
	cuGraphDestroy(graph);
}

static void pools(void)
{
	const CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
					   .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	uint64_t threshold = 4096, got = 0;
	CUmemoryPool pool = NULL, first = NULL, nowhere = (CUmemoryPool)(uintptr_t)4096;
	CUdeviceptr memory;

	OK(cuDeviceGetDefaultMemPool(&first, 0) == CUDA_SUCCESS &&
		   cuMemPoolCreate(&pool, &properties) == CUDA_SUCCESS && pool != first,
	   "pools");
	OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold) ==
			   CUDA_SUCCESS &&
		   cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &got) ==
			   CUDA_SUCCESS &&
		   got == 4096,
	   "remember their attributes");
	OK(cuMemAllocFromPoolAsync(&memory, 64, pool, NULL) == CUDA_SUCCESS &&
		   cuMemsetD8(memory, 0, 64) == CUDA_SUCCESS &&
		   cuMemFreeAsync(memory, NULL) == CUDA_SUCCESS,
	   "give memory");
	OK(cuMemPoolDestroy(pool) == CUDA_SUCCESS &&
		   cuMemPoolDestroy(first) == CUDA_ERROR_INVALID_VALUE,
	   "and go, but for the first");
	got = 0;
	OK(cuMemPoolDestroy(pool) == CUDA_ERROR_INVALID_VALUE &&
		   cuMemPoolTrimTo(pool, 0) == CUDA_ERROR_INVALID_VALUE &&
		   cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold) ==
			   CUDA_ERROR_INVALID_VALUE &&
		   cuMemPoolGetAttribute(nowhere, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &got) ==
			   CUDA_ERROR_INVALID_VALUE &&
		   cuMemAllocFromPoolAsync(&memory, 64, nowhere, NULL) ==
			   CUDA_ERROR_INVALID_VALUE &&
		   cuDeviceSetMemPool(0, pool) == CUDA_ERROR_INVALID_VALUE && !got,
	   "a pool that is not there has nothing");
}

/* Nothing but graphs takes memory of graphs. */
static void graph_memory(void)
{
	uint64_t bytes[4] = {1, 1, 1, 1}, zero = 0;
	int fine = cuDeviceGraphMemTrim(0) == CUDA_SUCCESS;

	for (int i = 0; i < 4; i++)
		fine = fine &&
		       cuDeviceGetGraphMemAttribute(0, (CUgraphMem_attribute)i, &bytes[i]) ==
			       CUDA_SUCCESS &&
		       !bytes[i];
	OK(fine, "memory of graphs");
	OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero) ==
			   CUDA_SUCCESS &&
		   cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &zero) ==
			   CUDA_ERROR_INVALID_VALUE &&
		   cuDeviceGetGraphMemAttribute(0, (CUgraphMem_attribute)4, &zero) ==
			   CUDA_ERROR_INVALID_VALUE &&
		   cuDeviceGetGraphMemAttribute(7, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero) ==
			   CUDA_ERROR_INVALID_DEVICE,
	   "only its marks can be set");
}

static void values(void)
{
	uint64_t host[2] = {0};
	CUstreamBatchMemOpParams list[2] = {0};
	CUdeviceptr memory;

	cuMemAlloc(&memory, 16);
	cuMemsetD8(memory, 0, 16);
	OK(cuStreamWriteValue64(NULL, memory + 8, 0x0123456789abcdef, 0) == CUDA_SUCCESS &&
		   cuMemcpyDtoH(host, memory, 16) == CUDA_SUCCESS &&
		   host[1] == 0x0123456789abcdef && !host[0],
	   "cuStreamWriteValue64");
	OK(cuStreamWriteValue64(NULL, memory + 4, 1, 0) == CUDA_ERROR_INVALID_VALUE, "aligned");
	OK(cuStreamWaitValue64(NULL, memory + 8, 0x0123456789abcdef, CU_STREAM_WAIT_VALUE_EQ) ==
			   CUDA_SUCCESS &&
		   cuStreamWaitValue32(NULL, memory + 8, 0x0000000f, CU_STREAM_WAIT_VALUE_AND) ==
			   CUDA_SUCCESS &&
		   cuStreamWaitValue32(NULL, memory, 0xffffffff, CU_STREAM_WAIT_VALUE_GEQ) ==
			   CUDA_SUCCESS,
	   "values that are there");
	list[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	list[0].writeValue.address = memory;
	list[0].writeValue.value = 7;
	list[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
	list[1].waitValue.address = memory;
	list[1].waitValue.value = 6;
	OK(cuStreamBatchMemOp(NULL, 2, list, 0) == CUDA_SUCCESS &&
		   cuMemcpyDtoH(host, memory, 8) == CUDA_SUCCESS && host[0] == 7,
	   "several at once");
	cuMemFree(memory);
}
