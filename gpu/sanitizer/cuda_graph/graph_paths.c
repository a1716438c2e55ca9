/*
 * gpu/sanitizer/cuda_graph/graph_paths.c: where nodes were captured or added, and which are equal
 * in that.
 */
#include "gpu/sanitizer/cuda_graph/graph_paths.h"

#include <search.h>
#include <stdlib.h>

#include "gpu/analysis/node_ordinals.h"
#include "gpu/sanitizer/cuda_graph/graphs_internal.h"

#define NODES_LIMIT 100000u
#define DEPTH_LIMIT 16 /* of child graphs in child graphs */

/* -- paths by handle ---------------------------------------------------------------------- */

struct added {
	CUgraphNode node; /* first: the key */
	uint32_t path;
};
static void *all; /* a tree */

static int by_node(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct added *)a)->node;
	uintptr_t y = (uintptr_t)((const struct added *)b)->node;

	return (x > y) - (x < y);
}

static struct added *find(CUgraphNode node)
{
	const struct added key = {.node = node};
	struct added *const *found = tfind(&key, &all, by_node);

	return found ? *found : NULL;
}

void graph_path_set(CUgraphNode node, uint32_t path)
{
	struct added *added = find(node), **made;

	if (!path && added) {
		tdelete(added, &all, by_node);
		free(added);
	} else if (added) {
		added->path = path;
	} else if (path && (added = malloc(sizeof(*added)))) {
		*added = (struct added){node, path};
		made = tsearch(added, &all, by_node);
		if (!made || *made != added)
			free(added);
	}
}

uint32_t graph_path_of(CUgraphNode node)
{
	const struct added *added = find(node);

	return added ? added->path : 0;
}

/* -- graphs ------------------------------------------------------------------------------- */

/* The nodes of a graph, for free(), in the order in which they were made; NULL: none are known. */
static CUgraphNode *nodes_of(CUgraph graph, size_t *count)
{
	CUgraphNode *nodes;

	if (driver.cuGraphGetNodes(graph, NULL, count) != CUDA_SUCCESS || *count > NODES_LIMIT)
		return NULL;
	nodes = calloc(*count + 1, sizeof(CUgraphNode));
	if (nodes && driver.cuGraphGetNodes(graph, nodes, count) == CUDA_SUCCESS)
		return nodes;
	free(nodes);
	return NULL;
}

static CUgraph child_of(CUgraphNode node)
{
	CUgraphNodeType type;
	CUgraph child;

	return driver.cuGraphNodeGetType(node, &type) == CUDA_SUCCESS &&
			       type == CU_GRAPH_NODE_TYPE_GRAPH &&
			       driver.cuGraphChildGraphNodeGetGraph(node, &child) == CUDA_SUCCESS
		       ? child
		       : NULL;
}

static void copy_paths(CUgraph copy, CUgraph original, unsigned depth)
{
	size_t count = 0, others = 0;
	CUgraphNode *from = nodes_of(original, &count), *to = nodes_of(copy, &others);

	for (size_t i = 0; from && to && count == others && i < count; i++) {
		CUgraph child = child_of(from[i]), childs_copy;
		CUgraphNode node = to[i];

		/* a clone knows; others are made in the same order */
		if (driver.cuGraphNodeFindInClone(&node, from[i], copy) != CUDA_SUCCESS)
			node = to[i];
		graph_path_set(node, graph_path_of(from[i]));
		childs_copy = child ? child_of(node) : NULL;
		if (childs_copy && depth < DEPTH_LIMIT)
			copy_paths(childs_copy, child, depth + 1);
	}
	free(from);
	free(to);
}

void graph_paths_copy(CUgraph copy, CUgraph original)
{
	if (all)
		copy_paths(copy, original, 0);
}

static void forget_paths(CUgraph graph, unsigned depth)
{
	size_t count = 0;
	CUgraphNode *nodes = nodes_of(graph, &count);

	for (size_t i = 0; nodes && i < count; i++) {
		CUgraph child = child_of(nodes[i]);

		graph_path_set(nodes[i], 0);
		if (child && depth < DEPTH_LIMIT)
			forget_paths(child, depth + 1);
	}
	free(nodes);
}

void graph_paths_gone(CUgraph graph)
{
	if (all)
		forget_paths(graph, 0);
}

/* -- ordinals ----------------------------------------------------------------------------- */

uint64_t graph_kernel_name(const CUDA_KERNEL_NODE_PARAMS *parameters)
{
	const char *name = NULL;

	if (parameters->func && driver.cuFuncGetName &&
	    driver.cuFuncGetName(&name, parameters->func) == CUDA_SUCCESS)
		return node_name(name);
	if (parameters->kern && driver.cuKernelGetName &&
	    driver.cuKernelGetName(&name, parameters->kern) == CUDA_SUCCESS)
		return node_name(name);
	return 0;
}

static enum gpu_api api_of(CUgraphNodeType type)
{
	switch (type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return GPU_KERNEL;
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return GPU_COPY;
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return GPU_SET;
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		return GPU_ALLOC;
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		return GPU_FREE;
	default:
		return (enum gpu_api)0;
	}
}

void graph_number(struct graph *graph)
{
	struct graph_node *equal;
	bool fine;

	if (graph->numbered)
		return;
	graph->numbered = true;
	equal = calloc(graph->count + 1, sizeof(*equal));
	for (size_t i = 0; equal && i < graph->count; i++)
		equal[i] = (struct graph_node){.api = api_of(graph->nodes[i].type),
					       .path = graph->nodes[i].path,
					       .name = graph->nodes[i].name};
	fine = equal && node_ordinals(equal, graph->count) == 0;
	for (size_t i = 0; i < graph->count; i++) {
		struct node *node = &graph->nodes[i];

		node->ordinal = fine ? equal[i].ordinal : (uint32_t)i;
		node->memory.path = node->path;
		node->memory.ordinal = node->ordinal;
	}
	free(equal);
}
