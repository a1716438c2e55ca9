/*
 * gpu/sanitizer/graph_parts.c: executable graphs of a few nodes each, made from those of a large
 * one, that launch its steps.
 *
 * A launch with all nodes but one disabled goes through all of them: of 2000 nodes it takes 3.5 ms
 * on an H200, and 2000 such launches 7 s.
 */
#include <stdlib.h>

#include "gpu/sanitizer/graphs_internal.h"

#ifndef LARGE
#define LARGE 96 /* nodes that are worth copies */
#endif
#define PART 32

struct graph_part {
	CUgraph graph;
	CUgraphExec exec;
	struct node *on; /* the one that is enabled; NULL: none is */
};

static bool can_copy(const struct graph *graph)
{
	if (graph->obstacle || graph->nested || graph->count < LARGE)
		return false;
	for (size_t i = 0; i < graph->count; i++) {
		CUgraphNodeType type = graph->nodes[i].type;

		if (graph_is_memory(type) || type == CU_GRAPH_NODE_TYPE_HOST ||
		    type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
			return false;
	}
	return true;
}

/* The context of all kernels, that copies and sets are then taken to be in, too.  NULL: of several. */
static CUcontext context_of(const struct graph *graph)
{
	CUDA_KERNEL_NODE_PARAMS kernel;
	CUcontext current, found = NULL;

	if (driver.cuCtxGetCurrent(&current) != CUDA_SUCCESS)
		return NULL;
	for (size_t i = 0; i < graph->count; i++) {
		CUcontext context;

		if (graph->nodes[i].type != CU_GRAPH_NODE_TYPE_KERNEL)
			continue;
		if (driver.cuGraphKernelNodeGetParams(graph->nodes[i].node, &kernel) != CUDA_SUCCESS)
			return NULL;
#if CUDA_VERSION >= 12000
		context = kernel.ctx ? kernel.ctx : current;
#else
		context = current;
#endif
		if (found && context != found)
			return NULL;
		found = context;
	}
	return found ? found : current;
}

static CUresult copy(struct node *node, CUgraph into, CUcontext context)
{
	CUDA_KERNEL_NODE_PARAMS kernel;
	CUDA_MEMSET_NODE_PARAMS set;
	CUDA_MEMCPY3D move;
	CUresult result;

	switch (node->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		result = driver.cuGraphKernelNodeGetParams(node->node, &kernel);
#if CUDA_VERSION >= 12000
		if (kernel.func)
			kernel.kern = NULL; /* only one may be given */
#endif
		if (result == CUDA_SUCCESS)
			result = driver.cuGraphAddKernelNode(&node->copy, into, NULL, 0, &kernel);
		if (result == CUDA_SUCCESS)
			result = driver.cuGraphKernelNodeCopyAttributes(node->copy, node->node);
		return result;
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		result = driver.cuGraphMemcpyNodeGetParams(node->node, &move);
		return result != CUDA_SUCCESS ? result
					      : driver.cuGraphAddMemcpyNode(&node->copy, into, NULL, 0,
									    &move, context);
	default:
		result = driver.cuGraphMemsetNodeGetParams(node->node, &set);
		return result != CUDA_SUCCESS ? result
					      : driver.cuGraphAddMemsetNode(&node->copy, into, NULL, 0,
									    &set, context);
	}
}

/* Copies nodes from the `first` on into a part; the index after the last one.  0: it did not work. */
static size_t fill(struct graph *graph, struct graph_part *part, size_t first, CUcontext context)
{
	size_t i = first;

	if (driver.cuGraphCreate(&part->graph, 0) != CUDA_SUCCESS)
		return 0;
	for (unsigned copies = 0; i < graph->count && copies < PART; i++) {
		struct node *node = &graph->nodes[i];

		if (!graph_is_step(node->type))
			continue;
		if (copy(node, part->graph, context) != CUDA_SUCCESS)
			return 0;
		node->part = part;
		copies++;
	}
	if (driver.cuGraphInstantiateWithFlags(&part->exec, part->graph, 0) != CUDA_SUCCESS)
		return 0;
	for (size_t k = first; k < i; k++)
		if (graph->nodes[k].part &&
		    driver.cuGraphNodeSetEnabled(part->exec, graph->nodes[k].copy, 0) != CUDA_SUCCESS)
			return 0;
	return i;
}

void graph_make_parts(struct graph *graph)
{
	CUcontext context = can_copy(graph) ? context_of(graph) : NULL;
	size_t next = 0;

	if (!context)
		return;
	graph->parts = calloc(graph->count / PART + 1, sizeof(*graph->parts));
	while (graph->parts && next < graph->count) {
		next = fill(graph, &graph->parts[graph->part_count++], next, context);
		if (!next)
			graph_drop_parts(graph);
	}
}

void graph_forget_parts(struct graph *graph)
{
	free(graph->parts);
	graph->parts = NULL;
	graph->part_count = 0;
	for (size_t i = 0; i < graph->count; i++)
		graph->nodes[i].part = NULL;
}

void graph_drop_parts(struct graph *graph)
{
	for (size_t i = 0; i < graph->part_count; i++) {
		if (graph->parts[i].exec)
			driver.cuGraphExecDestroy(graph->parts[i].exec);
		if (graph->parts[i].graph)
			driver.cuGraphDestroy(graph->parts[i].graph);
	}
	graph_forget_parts(graph);
}

CUgraphExec graph_select_part(struct node *node)
{
	struct graph_part *part = node->part;

	if (!part)
		return NULL;
	if (part->on == node)
		return part->exec;
	if (part->on &&
	    driver.cuGraphNodeSetEnabled(part->exec, part->on->copy, 0) != CUDA_SUCCESS)
		return NULL;
	part->on = NULL;
	if (driver.cuGraphNodeSetEnabled(part->exec, node->copy, 1) != CUDA_SUCCESS)
		return NULL;
	part->on = node;
	return part->exec;
}
