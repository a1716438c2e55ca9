/*
 * gpu/emulator/runtime/graph.c: runtime API: graphs and stream capture.
 */
#include "gpu/emulator/runtime/graph.h"

/* CUDA 12 and 13 made the five arguments of CUDA 11 three; the first two did not change. */
EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph);
EXPORT cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
					    const cudaGraphNode_t *to, const void *edges,
					    size_t count);

static cudaError_t add(const char *name, cudaGraphNode_t *made, cudaGraph_t graph,
		       const cudaGraphNode_t *before, size_t count,
		       const struct emulator_node *what)
{
	void *node;
	int error;

	ATTACH_OF(name);
	error = made && (before || !count)
			? vflow_emulator_graph_add(graph, (void *const *)(uintptr_t)before, count,
						   what, &node)
			: (int)cudaErrorInvalidValue;
	if (!error)
		*made = node;
	return runtime_result_of(name, error);
}

cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags)
{
	void *graph;
	int error;

	ATTACH();
	error = pGraph && !flags ? vflow_emulator_graph_create(&graph) : (int)cudaErrorInvalidValue;
	if (!error)
		*pGraph = graph;
	return runtime_result(error);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	ATTACH();
	return runtime_result(vflow_emulator_graph_destroy(graph, false));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec)
{
	ATTACH();
	return runtime_result(vflow_emulator_graph_destroy(graphExec, true));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				  const cudaGraphNode_t *pDependencies, size_t numDependencies)
{
	return add(__func__, pGraphNode, graph, pDependencies, numDependencies,
		   &(struct emulator_node){.kind = NODE_EMPTY});
}

int runtime_kernel_node(const struct cudaKernelNodeParams *p, struct emulator_node *node)
{
	struct emulator_kernel *kernel;
	int error = p && !p->extra ? registry_kernel(p->func, &kernel) : (int)cudaErrorInvalidValue;

	if (!error)
		*node = (struct emulator_node){
			.kind = NODE_KERNEL,
			.launch = {.kernel = kernel,
				   .grid = {p->gridDim.x, p->gridDim.y, p->gridDim.z},
				   .block = {p->blockDim.x, p->blockDim.y, p->blockDim.z},
				   .shared_bytes = p->sharedMemBytes,
				   .arguments = p->kernelParams}};
	return error;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				   const cudaGraphNode_t *pDependencies, size_t numDependencies,
				   const struct cudaKernelNodeParams *pNodeParams)
{
	struct emulator_node node;
	int error;

	ATTACH();
	error = runtime_kernel_node(pNodeParams, &node);
	return error ? runtime_result(error)
		     : add(__func__, pGraphNode, graph, pDependencies, numDependencies, &node);
}

static cudaError_t set_kernel(const char *name, void *graph, bool executable, cudaGraphNode_t which,
			      const struct cudaKernelNodeParams *params)
{
	struct emulator_node node;
	int error;

	ATTACH_OF(name);
	error = runtime_kernel_node(params, &node);
	return runtime_result_of(
		name, error ? error : vflow_emulator_graph_set(graph, executable, which, &node));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
					     const struct cudaKernelNodeParams *pNodeParams)
{
	return set_kernel(__func__, hGraphExec, true, node, pNodeParams);
}

/* The result of an update in CUDA 12's form; CUDA 11 has two pointers instead. */
struct update_result {
	int result;
	cudaGraphNode_t error_node, error_from_node;
};
EXPORT cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, void *result);

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, void *result)
{
	int error;

	ATTACH();
	error = vflow_emulator_graph_update(executable, graph);
	if (CUDART_MAJOR >= 12 && result) /* 0: success; 2: the topology changed */
		*(struct update_result *)result = (struct update_result){error ? 2 : 0, NULL, NULL};
	return runtime_result(error);
}

int runtime_copy_node(const struct cudaMemcpy3DParms *p, struct emulator_node *node)
{
	node->kind = NODE_COPY;
	return runtime_copy_3d(p, &node->copy);
}

int runtime_fill_node(const struct cudaMemsetParams *p, struct emulator_node *node)
{
	if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
		return cudaErrorInvalidValue;
	node->kind = NODE_FILL;
	node->fill.to = runtime_bits(p->dst);
	node->fill.pitch = p->pitch;
	node->fill.value = p->value;
	node->fill.element = p->elementSize;
	node->fill.width = p->width;
	node->fill.height = p->height;
	return 0;
}

int runtime_host_node(const struct cudaHostNodeParams *p, struct emulator_node *node)
{
	if (!p || !p->fn)
		return cudaErrorInvalidValue;
	node->kind = NODE_HOST;
	node->host = p->fn;
	node->host_data = p->userData;
	return 0;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				   const cudaGraphNode_t *pDependencies, size_t numDependencies,
				   const struct cudaMemcpy3DParms *pCopyParams)
{
	struct emulator_node node = {0};
	int error;

	ATTACH();
	error = runtime_copy_node(pCopyParams, &node);
	return error ? runtime_result(error)
		     : add(__func__, pGraphNode, graph, pDependencies, numDependencies, &node);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				     const cudaGraphNode_t *pDependencies, size_t numDependencies,
				     void *dst, const void *src, size_t count,
				     enum cudaMemcpyKind kind)
{
	struct emulator_node node = {.kind = NODE_COPY,
				     .copy = {.to = runtime_bits(dst),
					      .from = runtime_bits(src),
					      .width = count,
					      .height = 1}};
	int error = runtime_sides(&node.copy, kind);

	return error ? runtime_result(error)
		     : add(__func__, pGraphNode, graph, pDependencies, numDependencies, &node);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				   const cudaGraphNode_t *pDependencies, size_t numDependencies,
				   const struct cudaMemsetParams *p)
{
	struct emulator_node node = {0};
	int error = runtime_fill_node(p, &node);

	return error ? runtime_result(error)
		     : add(__func__, pGraphNode, graph, pDependencies, numDependencies, &node);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				 const cudaGraphNode_t *pDependencies, size_t numDependencies,
				 const struct cudaHostNodeParams *pNodeParams)
{
	struct emulator_node node = {0};
	int error = runtime_host_node(pNodeParams, &node);

	return error ? runtime_result(error)
		     : add(__func__, pGraphNode, graph, pDependencies, numDependencies, &node);
}

/* The child graph is cloned, so later changes of it do not matter (as documented). */
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				       const cudaGraphNode_t *pDependencies, size_t numDependencies,
				       cudaGraph_t childGraph)
{
	void *node;
	int error;

	ATTACH();
	error = pGraphNode && (pDependencies || !numDependencies)
			? vflow_emulator_graph_add_child(graph,
							 (void *const *)(uintptr_t)pDependencies,
							 numDependencies, childGraph, &node)
			: (int)cudaErrorInvalidValue;
	if (!error)
		*pGraphNode = node;
	return runtime_result(error);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
				     const cudaGraphNode_t *to, const void *edges, size_t count)
{
	/* before CUDA 13 the count stood where the edges' data is now */
	size_t pairs = CUDART_MAJOR >= 13 ? count : (size_t)(uintptr_t)edges;

	ATTACH();
	return runtime_result(vflow_emulator_graph_depend(graph, (void *const *)(uintptr_t)from,
							  (void *const *)(uintptr_t)to, pairs));
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes)
{
	ATTACH();
	return runtime_result(numNodes ? vflow_emulator_graph_nodes(graph, (void **)nodes, numNodes)
				       : (int)cudaErrorInvalidValue);
}

cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph)
{
	void *made;
	int error;

	ATTACH();
	error = pGraphClone ? vflow_emulator_graph_copy(originalGraph, false, &made)
			    : (int)cudaErrorInvalidValue;
	if (!error)
		*pGraphClone = made;
	return runtime_result(error);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph)
{
	void *made;
	int error;

	ATTACH();
	error = pGraphExec ? vflow_emulator_graph_copy(graph, true, &made)
			   : (int)cudaErrorInvalidValue;
	if (!error)
		*pGraphExec = made;
	return runtime_result(error);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
					  unsigned long long flags)
{
	(void)flags;
	return DELEGATE(cudaGraphInstantiate(pGraphExec, graph));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
	ATTACH();
	return runtime_result(vflow_emulator_graph_launch("cudaGraphLaunch", graphExec, stream));
}
PER_THREAD(cudaGraphLaunch, cudaGraphLaunch_ptsz);

cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream)
{
	(void)graphExec;
	ATTACH();
	return runtime_result(vflow_emulator_stream_check(stream, NULL, NULL));
}
PER_THREAD(cudaGraphUpload, cudaGraphUpload_ptsz);

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	ATTACH();
	return runtime_result(vflow_emulator_capture_begin(stream, NULL, (int)mode));
}
PER_THREAD(cudaStreamBeginCapture, cudaStreamBeginCapture_ptsz);

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
	void *graph = pGraph ? *pGraph : NULL;
	int error;

	ATTACH();
	error = pGraph ? vflow_emulator_capture_end(stream, &graph) : (int)cudaErrorInvalidValue;
	if (pGraph)
		*pGraph = graph;
	return runtime_result(error);
}
PER_THREAD(cudaStreamEndCapture, cudaStreamEndCapture_ptsz);

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus)
{
	void *graph;
	bool valid;
	int error;

	ATTACH();
	error = pCaptureStatus ? vflow_emulator_capture_graph(stream, &graph, &valid)
			       : (int)cudaErrorInvalidValue;
	if (!error)
		*pCaptureStatus = !graph  ? cudaStreamCaptureStatusNone
				  : valid ? cudaStreamCaptureStatusActive
					  : cudaStreamCaptureStatusInvalidated;
	return runtime_result(error);
}
PER_THREAD(cudaStreamIsCapturing, cudaStreamIsCapturing_ptsz);
