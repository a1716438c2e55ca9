/*
 * gpu/emulator/runtime/graph_node.c: runtime API: nodes of any kind, allocations in graphs, and
 * what programs ask and change while a stream is captured.
 *
 * A captured graph keeps its operations in the order in which they came, which respects all
 * dependencies that a program can state.
 */
#include "gpu/emulator/runtime/runtime.h"

struct memory_node {
	char pool[88];
	const void *access;
	size_t access_count;
	size_t size;
	void *address; /* output */
};

enum node_type { KERNEL, COPY, SET, HOST, CHILD, EMPTY, ALLOC = 10, FREE = 11 };

struct node_parameters {
	int type;
	int reserved[3];
	union {
		long long space[29];
		struct cudaKernelNodeParams kernel;
		struct {
			int flags, reserved[3];
			struct cudaMemcpy3DParms copy;
		} copy;
		struct cudaMemsetParams set;
		struct cudaHostNodeParams host;
		cudaGraph_t child;
		struct memory_node alloc;
		void *free;
	};
};

EXPORT cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *made, cudaGraph_t graph,
					    const cudaGraphNode_t *before, size_t count,
					    struct memory_node *node);
EXPORT cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *made, cudaGraph_t graph,
					   const cudaGraphNode_t *before, size_t count,
					   void *address);

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *made, cudaGraph_t graph,
				     const cudaGraphNode_t *before, size_t count,
				     struct memory_node *node)
{
	uint64_t address;
	void *handle;
	int error;

	ATTACH();
	error = made && node && (before || !count)
			? vflow_emulator_graph_add_memory(graph, (void *const *)(uintptr_t)before,
							  count, node->size, &address, &handle)
			: (int)cudaErrorInvalidValue;
	if (!error) {
		node->address = (void *)(uintptr_t)address;
		*made = handle;
	}
	return runtime_result(error);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *made, cudaGraph_t graph,
				    const cudaGraphNode_t *before, size_t count, void *address)
{
	struct emulator_node node = {.kind = NODE_FREE, .address = runtime_bits(address)};
	void *handle;
	int error;

	ATTACH();
	error = made && address && (before || !count)
			? vflow_emulator_graph_add(graph, (void *const *)(uintptr_t)before, count,
						   &node, &handle)
			: (int)cudaErrorInvalidValue;
	if (!error)
		*made = handle;
	return runtime_result(error);
}

static cudaError_t add(const char *name, cudaGraphNode_t *made, cudaGraph_t graph,
		       const cudaGraphNode_t *before, size_t count, struct node_parameters *p)
{
	if (!p)
		return runtime_result_of(name, cudaErrorInvalidValue);
	switch (p->type) {
	case KERNEL:
		return DELEGATE(cudaGraphAddKernelNode(made, graph, before, count, &p->kernel));
	case COPY:
		return DELEGATE(cudaGraphAddMemcpyNode(made, graph, before, count, &p->copy.copy));
	case SET:
		return DELEGATE(cudaGraphAddMemsetNode(made, graph, before, count, &p->set));
	case HOST:
		return DELEGATE(cudaGraphAddHostNode(made, graph, before, count, &p->host));
	case CHILD:
		return DELEGATE(cudaGraphAddChildGraphNode(made, graph, before, count, p->child));
	case EMPTY:
		return DELEGATE(cudaGraphAddEmptyNode(made, graph, before, count));
	case ALLOC:
		return DELEGATE(cudaGraphAddMemAllocNode(made, graph, before, count, &p->alloc));
	case FREE:
		return DELEGATE(cudaGraphAddMemFreeNode(made, graph, before, count, p->free));
	default:
		return runtime_result_of(
			name,
			vflow_emulator_unsupported("cudaGraphAddNode of an event, a semaphore or "
						   "a condition"));
	}
}

/* CUDA 13 dropped the form without edge data, which the emulator ignores. */
#if CUDART_MAJOR >= 13
EXPORT cudaError_t cudaGraphAddNode(cudaGraphNode_t *made, cudaGraph_t graph,
				    const cudaGraphNode_t *before, const void *edges, size_t count,
				    struct node_parameters *p);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *made, cudaGraph_t graph,
			     const cudaGraphNode_t *before, const void *edges, size_t count,
			     struct node_parameters *p)
{
	(void)edges;
	return add(__func__, made, graph, before, count, p);
}

#else
EXPORT cudaError_t cudaGraphAddNode(cudaGraphNode_t *made, cudaGraph_t graph,
				    const cudaGraphNode_t *before, size_t count,
				    struct node_parameters *p);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *made, cudaGraph_t graph,
			     const cudaGraphNode_t *before, size_t count, struct node_parameters *p)
{
	return add(__func__, made, graph, before, count, p);
}

EXPORT cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *made, cudaGraph_t graph,
				       const cudaGraphNode_t *before, const void *edges,
				       size_t count, struct node_parameters *p);
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *made, cudaGraph_t graph,
				const cudaGraphNode_t *before, const void *edges, size_t count,
				struct node_parameters *p)
{
	(void)edges;
	return add(__func__, made, graph, before, count, p);
}
#endif

EXPORT cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
						 const cudaGraphNode_t *before, const void *edges,
						 size_t count, int mode);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
					  const cudaGraphNode_t *before, const void *edges,
					  size_t count, int mode)
{
	size_t nodes = 0;
	int error;

	(void)edges;
	ATTACH();
	error = before || !count ? vflow_emulator_graph_nodes(graph, NULL, &nodes)
				 : (int)cudaErrorInvalidValue;
	return runtime_result(error ? error : vflow_emulator_capture_begin(stream, graph, mode));
}
PER_THREAD(cudaStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph_ptsz);

static cudaError_t capture_info(const char *name, cudaStream_t stream,
				enum cudaStreamCaptureStatus *status, unsigned long long *id,
				cudaGraph_t *graph, const cudaGraphNode_t **nodes, size_t *count)
{
	void *found, **last;
	size_t last_count;
	bool valid;
	int error;

	ATTACH_OF(name);
	error = status ? vflow_emulator_capture_info(stream, &found, &valid, &last, &last_count)
		       : (int)cudaErrorInvalidValue;
	if (error)
		return runtime_result_of(name, error);
	*status = !found  ? cudaStreamCaptureStatusNone
		  : valid ? cudaStreamCaptureStatusActive
			  : cudaStreamCaptureStatusInvalidated;
	if (!found || !valid)
		return cudaSuccess;
	if (id)
		*id = runtime_bits(found);
	if (graph)
		*graph = found;
	if (nodes)
		*nodes = (const cudaGraphNode_t *)last;
	if (count)
		*count = last_count;
	return cudaSuccess;
}

#define FULL_INFO(entry)                                                                           \
	EXPORT cudaError_t entry(cudaStream_t stream, enum cudaStreamCaptureStatus *status,        \
				 unsigned long long *id, cudaGraph_t *graph,                       \
				 const cudaGraphNode_t **nodes, const void **edges,                \
				 size_t *count);                                                   \
	cudaError_t entry(cudaStream_t stream, enum cudaStreamCaptureStatus *status,               \
			  unsigned long long *id, cudaGraph_t *graph,                              \
			  const cudaGraphNode_t **nodes, const void **edges, size_t *count)        \
	{                                                                                          \
		if (edges)                                                                         \
			*edges = NULL;                                                             \
		return capture_info(__func__, stream, status, id, graph, nodes, count);            \
	}

#if CUDART_MAJOR >= 13
FULL_INFO(cudaStreamGetCaptureInfo)
PER_THREAD(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz);
#else
FULL_INFO(cudaStreamGetCaptureInfo_v3)
EXPORT cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
					       enum cudaStreamCaptureStatus *status,
					       unsigned long long *id, cudaGraph_t *graph,
					       const cudaGraphNode_t **nodes, size_t *count);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
					unsigned long long *id, cudaGraph_t *graph,
					const cudaGraphNode_t **nodes, size_t *count)
{
	return capture_info(__func__, stream, status, id, graph, nodes, count);
}

EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
					    enum cudaStreamCaptureStatus *status,
					    unsigned long long *id);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
				     unsigned long long *id)
{
	return capture_info(__func__, stream, status, id, NULL, NULL, NULL);
}
#endif

/* Later work of the stream depends on all of its nodes so far, so on these, too. */
EXPORT cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream);
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream)
{
	void *graph;
	bool valid;
	int error;

	ATTACH();
	error = vflow_emulator_capture_graph(stream, &graph, &valid);
	if (!error && !valid)
		error = graph ? (int)cudaErrorStreamCaptureInvalidated : (int)cudaErrorIllegalState;
	return runtime_result(error);
}
PER_THREAD(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_ptsz);
#if CUDART_MAJOR < 13
ALIAS(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_v2);
#endif
