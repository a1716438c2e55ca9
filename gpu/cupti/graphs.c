/* gpu/cupti/graphs.c: see graphs.h. */
#include "gpu/cupti/graphs.h"

#include <pthread.h>
#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "gpu/cupti/driver.h"
#include "gpu/nvidia/apis.h"

enum { DEPTH_MAX = 16 }; /* of graphs in graphs */

struct graph {
	uintptr_t exec;
	uint32_t operations;
	UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct graph *graphs;

static uint32_t count_nodes(CUgraph graph, unsigned depth);

static uint32_t count_node(CUgraphNode node, unsigned depth)
{
	CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
	CUgraph child;

	driver.cuGraphNodeGetType(node, &type);
	switch (type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
	case CU_GRAPH_NODE_TYPE_MEMCPY:
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return 1;
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return depth < DEPTH_MAX && driver.cuGraphChildGraphNodeGetGraph(node, &child) ==
						    CUDA_SUCCESS
			       ? count_nodes(child, depth + 1)
			       : 0;
	default:
		return 0;
	}
}

static uint32_t count_nodes(CUgraph graph, unsigned depth)
{
	CUgraphNode *nodes = NULL;
	uint32_t operations = 0;
	size_t count = 0;

	if (driver.cuGraphGetNodes(graph, NULL, &count) != CUDA_SUCCESS || !count)
		return 0;
	nodes = calloc(count, sizeof(*nodes));
	if (nodes && driver.cuGraphGetNodes(graph, nodes, &count) == CUDA_SUCCESS)
		for (size_t i = 0; i < count; i++)
			operations += count_node(nodes[i], depth);
	free(nodes);
	return operations;
}

static void forget(uintptr_t exec)
{
	struct graph *graph;

	pthread_mutex_lock(&lock);
	HASH_FIND(hh, graphs, &exec, sizeof(exec), graph);
	if (graph) {
		HASH_DEL(graphs, graph);
		free(graph);
	}
	pthread_mutex_unlock(&lock);
}

static void add(uintptr_t exec, uint32_t operations)
{
	struct graph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return;
	graph->exec = exec;
	graph->operations = operations;
	pthread_mutex_lock(&lock);
	HASH_ADD(hh, graphs, exec, sizeof(exec), graph);
	pthread_mutex_unlock(&lock);
}

void graphs_note(const char *function, const void *parameters)
{
	const uint64_t *words = parameters;

	if (!words)
		return;
	if (api_is(function, "cuGraphExecDestroy")) {
		forget((uintptr_t)words[0]);
	} else if (api_is(function, "cuGraphInstantiate") ||
		   api_is(function, "cuGraphInstantiateWithFlags") ||
		   api_is(function, "cuGraphInstantiateWithParams")) {
		uintptr_t exec = *(const uintptr_t *)(uintptr_t)words[0];

		forget(exec); /* one that was there before it */
		add(exec, count_nodes((CUgraph)(uintptr_t)words[1], 0));
	}
}

uint32_t graphs_operations(uintptr_t exec)
{
	struct graph *graph;
	uint32_t operations;

	pthread_mutex_lock(&lock);
	HASH_FIND(hh, graphs, &exec, sizeof(exec), graph);
	operations = graph ? graph->operations : 0;
	pthread_mutex_unlock(&lock);
	return operations;
}
