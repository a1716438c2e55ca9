/*
 * gpu/emulator/driver/graph.c: driver API: graphs and stream capture.
 */
#include "gpu/emulator/driver/driver.h"

#undef cuGraphAddKernelNode
#undef cuGraphAddDependencies
#undef cuGraphInstantiate
#undef cuStreamBeginCapture
#undef cuGraphExecKernelNodeSetParams

static CUresult add(CUgraphNode *made, CUgraph graph, const CUgraphNode *before, size_t count,
		    const struct emulator_node *what)
{
	void *node;
	int error = made && (before || !count)
			    ? vflow_emulator_graph_add(graph, (void *const *)(uintptr_t)before,
						       count, what, &node)
			    : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*made = node;
	return driver_result(error);
}

CUresult cuGraphCreate(CUgraph *phGraph, unsigned int flags)
{
	void *graph;
	int error =
		phGraph && !flags ? vflow_emulator_graph_create(&graph) : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*phGraph = graph;
	return RESULT(error);
}

CUresult cuGraphDestroy(CUgraph hGraph)
{
	return RESULT(vflow_emulator_graph_destroy(hGraph, false));
}

CUresult cuGraphExecDestroy(CUgraphExec hGraphExec)
{
	return RESULT(vflow_emulator_graph_destroy(hGraphExec, true));
}

CUresult cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
			     const CUgraphNode *dependencies, size_t numDependencies)
{
	return RESULT(add(phGraphNode, hGraph, dependencies, numDependencies,
			  &(struct emulator_node){.kind = NODE_EMPTY}));
}

int driver_kernel_node(const CUDA_KERNEL_NODE_PARAMS *p, struct emulator_node *node)
{
	if (!p || (p->extra && p->kernelParams))
		return CUDA_ERROR_INVALID_VALUE;
	*node = (struct emulator_node){
		.kind = NODE_KERNEL,
		.launch = {.kernel = (struct emulator_kernel *)(p->func ? (void *)p->func
									: (void *)p->kern),
			   .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
			   .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
			   .shared_bytes = p->sharedMemBytes,
			   .arguments = p->kernelParams}};
	return p->extra && !driver_read_extra(p->extra, &node->launch) ? CUDA_ERROR_INVALID_VALUE
								       : 0;
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
				 const CUgraphNode *dependencies, size_t numDependencies,
				 const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	struct emulator_node node;
	int error = driver_kernel_node(nodeParams, &node);

	return RESULT(error ? (CUresult)error
			    : add(phGraphNode, hGraph, dependencies, numDependencies, &node));
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
					   const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	struct emulator_node node;
	int error = driver_kernel_node(nodeParams, &node);

	return RESULT(driver_result(
		error ? error : vflow_emulator_graph_set(hGraphExec, true, hNode, &node)));
}

int driver_copy_node(const CUDA_MEMCPY3D *p, struct emulator_node *node)
{
	*node = (struct emulator_node){.kind = NODE_COPY};
	return p ? driver_copy_3d(p, &node->copy) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
			      const CUgraphNode *dependencies, size_t numDependencies,
			      const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
	struct emulator_node node;
	int error = driver_copy_node(copyParams, &node);

	(void)ctx;
	return RESULT(error ? driver_result(error)
			    : add(phGraphNode, hGraph, dependencies, numDependencies, &node));
}

int driver_fill_node(const CUDA_MEMSET_NODE_PARAMS *p, struct emulator_node *node)
{
	if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
		return CUDA_ERROR_INVALID_VALUE;
	*node = (struct emulator_node){.kind = NODE_FILL,
				       .fill = {.to = p->dst,
						.pitch = p->pitch,
						.value = p->value,
						.element = p->elementSize,
						.width = p->width,
						.height = p->height}};
	return 0;
}

CUresult cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph,
			      const CUgraphNode *dependencies, size_t numDependencies,
			      const CUDA_MEMSET_NODE_PARAMS *p, CUcontext ctx)
{
	struct emulator_node node;
	int error = driver_fill_node(p, &node);

	(void)ctx;
	return RESULT(error ? (CUresult)error
			    : add(phGraphNode, hGraph, dependencies, numDependencies, &node));
}

int driver_host_node(const CUDA_HOST_NODE_PARAMS *p, struct emulator_node *node)
{
	if (!p || !p->fn)
		return CUDA_ERROR_INVALID_VALUE;
	*node = (struct emulator_node){.kind = NODE_HOST, .host = p->fn, .host_data = p->userData};
	return 0;
}

CUresult cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph,
			    const CUgraphNode *dependencies, size_t numDependencies,
			    const CUDA_HOST_NODE_PARAMS *p)
{
	struct emulator_node node;
	int error = driver_host_node(p, &node);

	return RESULT(error ? (CUresult)error
			    : add(phGraphNode, hGraph, dependencies, numDependencies, &node));
}

/* The child graph is cloned, so later changes of it do not matter (as documented). */
CUresult cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				  const CUgraphNode *dependencies, size_t numDependencies,
				  CUgraph childGraph)
{
	void *node;
	int error;

	if (!phGraphNode || (!dependencies && numDependencies))
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	error = vflow_emulator_graph_add_child(hGraph, (void *const *)(uintptr_t)dependencies,
					       numDependencies, childGraph, &node);
	if (!error)
		*phGraphNode = node;
	return RESULT(error);
}

CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
				   const CUgraphEdgeData *edgeData, size_t numDependencies)
{
	(void)edgeData;
	if ((!from || !to) && numDependencies)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	return RESULT(vflow_emulator_graph_depend(hGraph, (void *const *)(uintptr_t)from,
						  (void *const *)(uintptr_t)to, numDependencies));
}

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
	return RESULT(
		numNodes ? (CUresult)vflow_emulator_graph_nodes(hGraph, (void **)nodes, numNodes)
			 : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph)
{
	void *made;
	int error = phGraphClone ? vflow_emulator_graph_copy(originalGraph, false, &made)
				 : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*phGraphClone = made;
	return RESULT(error);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
				     unsigned long long flags)
{
	void *made;
	int error = phGraphExec ? vflow_emulator_graph_copy(hGraph, true, &made)
				: CUDA_ERROR_INVALID_VALUE;

	(void)flags;
	if (!error)
		*phGraphExec = made;
	return RESULT(error);
}

/* The form of CUDA 11, which returns the node that failed and a message. */
__attribute__((visibility("default"))) CUresult cuGraphInstantiate_v2(CUgraphExec *phGraphExec,
								      CUgraph hGraph,
								      CUgraphNode *failed,
								      char *text, size_t size);
__attribute__((visibility("default"))) CUresult cuGraphInstantiate_v2(CUgraphExec *phGraphExec,
								      CUgraph hGraph,
								      CUgraphNode *failed,
								      char *text, size_t size)
{
	if (failed)
		*failed = NULL;
	if (text && size)
		*text = 0;
	return DELEGATE(cuGraphInstantiateWithFlags(phGraphExec, hGraph, 0));
}
ALIAS(cuGraphInstantiate_v2, cuGraphInstantiate);

CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream)
{
	return RESULT(
		driver_result(vflow_emulator_graph_launch("cuGraphLaunch", hGraphExec, hStream)));
}
PER_THREAD(cuGraphLaunch, cuGraphLaunch_ptsz);

CUresult cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream)
{
	(void)hGraphExec;
	return RESULT(vflow_emulator_stream_check(hStream, NULL, NULL));
}
PER_THREAD(cuGraphUpload, cuGraphUpload_ptsz);

CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
	return RESULT(vflow_emulator_capture_begin(hStream, NULL, (int)mode));
}
PER_THREAD(cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz);

CUresult cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
	void *graph = phGraph ? *phGraph : NULL;
	int error =
		phGraph ? vflow_emulator_capture_end(hStream, &graph) : CUDA_ERROR_INVALID_VALUE;

	if (phGraph)
		*phGraph = graph;
	return RESULT(error);
}
PER_THREAD(cuStreamEndCapture, cuStreamEndCapture_ptsz);

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
	void *graph;
	bool valid;
	int error = captureStatus ? vflow_emulator_capture_graph(hStream, &graph, &valid)
				  : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*captureStatus = !graph  ? CU_STREAM_CAPTURE_STATUS_NONE
				 : valid ? CU_STREAM_CAPTURE_STATUS_ACTIVE
					 : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
	return RESULT(error);
}
PER_THREAD(cuStreamIsCapturing, cuStreamIsCapturing_ptsz);

/* -- memory of graphs ------------------------------------------------------------------------ */

CUresult cuDeviceGraphMemTrim(CUdevice device)
{
	return RESULT(device ? CUDA_ERROR_INVALID_DEVICE : (CUresult)vflow_emulator_graph_trim());
}

static CUresult check_attribute(CUdevice device, CUgraphMem_attribute attr, const void *value)
{
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	return value && (unsigned)attr <= CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}

static bool is_high(CUgraphMem_attribute attr)
{
	return attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH ||
	       attr == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
	bool reserved = attr >= CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT;
	CUresult result = check_attribute(device, attr, value);
	uint64_t now, high[2];

	if (!result)
		result = (CUresult)vflow_emulator_graph_bytes(&now, high);
	if (!result)
		*(uint64_t *)value = is_high(attr) ? high[reserved] : now;
	return RESULT(result);
}

/* Only high-water marks can be reset. */
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
	CUresult result = check_attribute(device, attr, value);

	if (!result && (!is_high(attr) || *(uint64_t *)value))
		result = CUDA_ERROR_INVALID_VALUE;
	return RESULT(result ? result
			     : (CUresult)vflow_emulator_graph_mark(
				       attr == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH));
}
