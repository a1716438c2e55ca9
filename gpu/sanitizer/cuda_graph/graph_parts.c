/*
 * gpu/sanitizer/cuda_graph/graph_parts.c: copies of a large graph's nodes in small graphs of ours.
 *
 * A launch with all nodes but one disabled goes through all of them: of 2000 nodes it takes 3.5 ms
 * on an H200, and 2000 such launches 7 s.  So a large graph's kernels, copies and sets are copied
 * when the program makes its executable graph, since it may change or destroy their source later.
 * Small graphs are made executable when they are launched or changed first.  What the program does
 * to a node of its executable graph is done to the copy, too; after an update of the graph, or of a
 * child graph, its parts are made anew.
 */
#include <stdlib.h>

#include "gpu/sanitizer/cuda_graph/graphs_internal.h"

#define FEW 48 /* nodes of a graph that is launched as it is */
#define PART_NODES                                                                                 \
	16 /* a launch takes as long for some 80 disabled nodes as for everything else             \
	    */

/*
 * Copies of nodes of the graph itself, or of one child graph.  graph->parts has it at the index of
 * its first node.
 */
struct graph_part {
	CUgraph graph; /* it stays: nodes are enabled by its handles; NULL: there is no part */
	CUgraphExec exec;
	size_t begin, end; /* range of nodes; some in it may have no copy */
	size_t count;      /* of copies */
	struct node *on;   /* the one that is enabled */
};

/* -- copying nodes ------------------------------------------------------------------------ */

/*
 * Whether the current context has the memory: it is taken for the context of a node, which the
 * driver does not tell.
 */
static bool is_here(CUdeviceptr address)
{
	CUcontext owner = NULL, current = NULL;
	CUdevice device;
	int ordinal;

	if (driver.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, address) !=
		    CUDA_SUCCESS ||
	    driver.cuCtxGetCurrent(&current) != CUDA_SUCCESS || !current)
		return false;
	if (owner) /* memory of pools and mappings has none */
		return owner == current;
	return driver.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
					    address) == CUDA_SUCCESS &&
	       driver.cuCtxGetDevice(&device) == CUDA_SUCCESS && device == ordinal;
}

/* Whether one side of a copy is on the host, or in memory of the current context. */
static bool is_plain(CUmemorytype type, CUdeviceptr address)
{
	CUcontext owner;

	if (type == CU_MEMORYTYPE_HOST)
		return true;
	if (type == CU_MEMORYTYPE_DEVICE)
		return is_here(address);
	return type == CU_MEMORYTYPE_UNIFIED &&
	       (is_here(address) ||
		driver.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, address) !=
			CUDA_SUCCESS);
}

static bool is_same_copy(const CUDA_MEMCPY3D *a, const CUDA_MEMCPY3D *b)
{
	return a->srcMemoryType == b->srcMemoryType && a->dstMemoryType == b->dstMemoryType &&
	       (a->srcMemoryType == CU_MEMORYTYPE_HOST ? a->srcHost == b->srcHost
						       : a->srcDevice == b->srcDevice) &&
	       (a->dstMemoryType == CU_MEMORYTYPE_HOST ? a->dstHost == b->dstHost
						       : a->dstDevice == b->dstDevice) &&
	       a->srcXInBytes == b->srcXInBytes && a->srcY == b->srcY && a->srcZ == b->srcZ &&
	       a->dstXInBytes == b->dstXInBytes && a->dstY == b->dstY && a->dstZ == b->dstZ &&
	       a->srcPitch == b->srcPitch && a->srcHeight == b->srcHeight &&
	       a->dstPitch == b->dstPitch && a->dstHeight == b->dstHeight &&
	       a->WidthInBytes == b->WidthInBytes && a->Height == b->Height && a->Depth == b->Depth;
}

/* Whether two nodes launch the same kernel; a function may stand for one in the current context. */
static bool is_same_kernel(const CUDA_KERNEL_NODE_PARAMS *a, const CUDA_KERNEL_NODE_PARAMS *b)
{
	return graph_function(a->func, a->kern) == graph_function(b->func, b->kern) &&
	       (!a->ctx || !b->ctx || a->ctx == b->ctx);
}

/*
 * These add a copy of the node to the part, after `last` if that is a node.  NULL: it cannot be
 * copied.
 */
static CUgraphNode copy_kernel(CUgraph part, CUgraphNode last, CUgraphNode node)
{
	CUDA_KERNEL_NODE_PARAMS parameters = {0}, again = {0};
	CUgraphNode copy;

	if (driver.cuGraphKernelNodeGetParams(node, &parameters) != CUDA_SUCCESS ||
	    (!parameters.func && !parameters.ctx))
		return NULL;
	if (parameters.func)
		parameters.kern = NULL; /* only one of the two may be given */
	if (driver.cuGraphAddKernelNode(&copy, part, &last, last != NULL, &parameters) !=
	    CUDA_SUCCESS)
		return NULL;
	/* the driver refuses attributes of nodes that the device may change */
	if (driver.cuGraphKernelNodeCopyAttributes(copy, node) == CUDA_SUCCESS &&
	    driver.cuGraphKernelNodeGetParams(copy, &again) == CUDA_SUCCESS &&
	    is_same_kernel(&parameters, &again))
		return copy;
	driver.cuGraphDestroyNode(copy);
	return NULL;
}

static CUgraphNode copy_copy(CUgraph part, CUgraphNode last, CUgraphNode node)
{
	CUDA_MEMCPY3D parameters = {0}, again = {0};
	CUcontext current;
	CUgraphNode copy;

	if (driver.cuGraphMemcpyNodeGetParams(node, &parameters) != CUDA_SUCCESS ||
	    !parameters.WidthInBytes || !parameters.Height || !parameters.Depth ||
	    !is_plain(parameters.srcMemoryType, parameters.srcDevice) ||
	    !is_plain(parameters.dstMemoryType, parameters.dstDevice) ||
	    driver.cuCtxGetCurrent(&current) != CUDA_SUCCESS || !current ||
	    driver.cuGraphAddMemcpyNode(&copy, part, &last, last != NULL, &parameters, current) !=
		    CUDA_SUCCESS)
		return NULL;
	if (driver.cuGraphMemcpyNodeGetParams(copy, &again) == CUDA_SUCCESS &&
	    is_same_copy(&parameters, &again))
		return copy;
	driver.cuGraphDestroyNode(copy);
	return NULL;
}

static CUgraphNode copy_set(CUgraph part, CUgraphNode last, CUgraphNode node)
{
	CUDA_MEMSET_NODE_PARAMS parameters = {0};
	CUcontext current;
	CUgraphNode copy;

	if (driver.cuGraphMemsetNodeGetParams(node, &parameters) != CUDA_SUCCESS ||
	    !is_here(parameters.dst) || driver.cuCtxGetCurrent(&current) != CUDA_SUCCESS ||
	    driver.cuGraphAddMemsetNode(&copy, part, &last, last != NULL, &parameters, current) !=
		    CUDA_SUCCESS)
		return NULL;
	return copy;
}

static CUgraphNode copy_node(CUgraph part, CUgraphNode last, const struct node *node)
{
	switch (node->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return copy_kernel(part, last, node->node);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return copy_copy(part, last, node->node);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return copy_set(part, last, node->node);
	default: /* nodes that cannot be disabled; there are few */
		return NULL;
	}
}

/* -- parts -------------------------------------------------------------------------------- */

static bool is_large(const struct graph *graph)
{
	size_t steps = 0;

	for (size_t i = 0; i < graph->count; i++) {
		if (graph_is_memory(graph->nodes[i].type) ||
		    graph->nodes[i].type == CU_GRAPH_NODE_TYPE_WAIT_EVENT)
			return false; /* each step has to run such nodes */
		steps += graph_is_step(graph->nodes[i].type);
	}
	return steps > FEW;
}

static struct graph_part *add_part(struct graph *graph, size_t begin)
{
	struct graph_part *part = &graph->parts[begin];

	*part = (struct graph_part){.begin = begin, .end = begin};
	return driver.cuGraphCreate(&part->graph, 0) == CUDA_SUCCESS ? part : NULL;
}

void graph_make_parts(struct graph *graph, size_t begin, size_t end)
{
	struct graph_part *part = NULL;
	CUgraphNode last = NULL;

	if (!graph->parts && begin == 0 && end == graph->count && !graph->obstacle &&
	    !graph->for_device && is_large(graph))
		graph->parts = calloc(graph->count, sizeof(*graph->parts));
	for (size_t i = begin; graph->parts && i < end; i++) {
		struct node *node = &graph->nodes[i];

		if (!part || part->count == PART_NODES || node->child != node[-1].child) {
			part = add_part(graph, i);
			last = NULL;
		}
		if (!part) {
			graph_drop_parts(graph);
			return;
		}
		node->copy = copy_node(part->graph, last, node);
		if (!node->copy)
			continue;
		node->part = part;
		part->end = i + 1;
		part->count++;
		last = node->copy;
	}
}

/* Makes the part executable, with all of its copies disabled. */
static bool make_executable(const struct graph *graph, struct graph_part *part)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	size_t count = 0;
	bool fine;

	/* a node that could not be copied must not have stayed in the graph */
	fine = driver.cuGraphGetNodes(part->graph, NULL, &count) == CUDA_SUCCESS &&
	       count == part->count;
	driver.cuThreadExchangeStreamCaptureMode(&mode);
	if (fine &&
	    driver.cuGraphInstantiateWithFlags(&part->exec, part->graph, 0) != CUDA_SUCCESS) {
		part->exec = NULL;
		fine = false;
	}
	driver.cuThreadExchangeStreamCaptureMode(&mode);
	for (size_t i = part->begin; fine && i < part->end; i++)
		if (graph->nodes[i].part)
			fine = driver.cuGraphNodeSetEnabled(part->exec, graph->nodes[i].copy, 0) ==
			       CUDA_SUCCESS;
	return fine;
}

static bool enable(struct graph_part *part, struct node *node)
{
	if (part->on == node)
		return true;
	if (part->on && driver.cuGraphNodeSetEnabled(part->exec, part->on->copy, 0) != CUDA_SUCCESS)
		return false;
	part->on = node;
	return driver.cuGraphNodeSetEnabled(part->exec, node->copy, 1) == CUDA_SUCCESS;
}

CUgraphExec graph_select_part(struct graph *graph, struct node *node)
{
	struct graph_part *part = node->part;

	if (!part)
		return NULL;
	if ((part->exec || make_executable(graph, part)) && enable(part, node))
		return part->exec;
	graph_drop_parts(graph);
	return NULL;
}

static void drop_part(struct graph *graph, struct graph_part *part)
{
	for (size_t i = part->begin; i < part->end; i++)
		graph->nodes[i].part = NULL;
	if (part->exec)
		driver.cuGraphExecDestroy(part->exec);
	driver.cuGraphDestroy(part->graph);
	*part = (struct graph_part){0};
}

void graph_drop_some_parts(struct graph *graph, size_t begin, size_t end)
{
	for (size_t i = begin; graph->parts && i < end; i++)
		if (graph->parts[i].graph)
			drop_part(graph, &graph->parts[i]);
}

static CUresult change(CUgraphExec exec, const struct node *node, const void *parameters,
		       CUcontext context)
{
	switch (node->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return driver.cuGraphExecKernelNodeSetParams(exec, node->copy, parameters);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return driver.cuGraphExecMemcpyNodeSetParams(exec, node->copy, parameters, context);
	default:
		return driver.cuGraphExecMemsetNodeSetParams(exec, node->copy, parameters, context);
	}
}

void graph_change_copy(struct graph *graph, struct node *node, const void *parameters,
		       CUcontext context)
{
	struct graph_part *part = node->part;

	if (!part)
		return;
	/* the driver does not document whether a disabled node stays disabled */
	if (!parameters || !(part->exec || make_executable(graph, part)) ||
	    change(part->exec, node, parameters, context) != CUDA_SUCCESS ||
	    driver.cuGraphNodeSetEnabled(part->exec, node->copy, part->on == node) != CUDA_SUCCESS)
		drop_part(graph, part);
}

void graph_forget_parts(struct graph *graph)
{
	for (size_t i = 0; i < graph->count; i++)
		graph->nodes[i].part = NULL;
	free(graph->parts);
	graph->parts = NULL;
}

void graph_drop_parts(struct graph *graph)
{
	graph_drop_some_parts(graph, 0, graph->count);
	graph_forget_parts(graph);
}
