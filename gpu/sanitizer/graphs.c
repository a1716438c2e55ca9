/* gpu/sanitizer/graphs.c: the program's executable graphs, and switching their nodes on and off. */
#include "gpu/sanitizer/graphs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/sanitizer/driver.h"

#define NODES_LIMIT 100000u
#define DEPTH_LIMIT 16 /* of child graphs in child graphs */

struct node {
	CUgraphNode node;
	CUgraphNodeType type;
	CUDA_HOST_NODE_PARAMS host; /* of a host node: what the program wants */
	bool step;                  /* enabled when the launch began */
	bool off;
};

struct graph {
	struct graph *next;
	CUgraphExec exec;
	CUgraph source;
	bool kept;          /* the program has destroyed `source`: it is ours */
	struct node *nodes; /* in an order that keeps the dependencies */
	size_t count;
	bool separable;
};

static struct graph *graphs;

static struct graph *find(CUgraphExec exec)
{
	struct graph *graph = graphs;

	while (graph && graph->exec != exec)
		graph = graph->next;
	return graph;
}

/* -- nodes -------------------------------------------------------------------------------- */

/* Whether the node does nothing that we see, so that it may be launched again and again. */
static bool is_passive(CUgraphNodeType type)
{
	return type == CU_GRAPH_NODE_TYPE_EMPTY || type == CU_GRAPH_NODE_TYPE_WAIT_EVENT ||
	       type == CU_GRAPH_NODE_TYPE_EVENT_RECORD;
}

static bool is_step(CUgraphNodeType type)
{
	return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
	       type == CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_HOST;
}

struct edges {
	CUgraphNode *from, *to;
	size_t count;
};

static void free_edges(struct edges *edges)
{
	free(edges->from);
	free(edges->to);
}

static bool get_edges(CUgraph graph, struct edges *edges)
{
	CUresult result;
#if CUDA_VERSION >= 13000
	CUgraphEdgeData *data;

	if (driver.cuGraphGetEdges(graph, NULL, NULL, NULL, &edges->count) != CUDA_SUCCESS)
		return false;
	data = calloc(edges->count + 1, sizeof(*data));
#else
	if (driver.cuGraphGetEdges(graph, NULL, NULL, &edges->count) != CUDA_SUCCESS)
		return false;
#endif
	if (!edges->count) {
		/* asked for none, the driver would call it an error */
#if CUDA_VERSION >= 13000
		free(data);
#endif
		return true;
	}
	edges->from = calloc(edges->count + 1, sizeof(CUgraphNode));
	edges->to = calloc(edges->count + 1, sizeof(CUgraphNode));
	result = CUDA_ERROR_OUT_OF_MEMORY;
#if CUDA_VERSION >= 13000
	if (data && edges->from && edges->to)
		result = driver.cuGraphGetEdges(graph, edges->from, edges->to, data, &edges->count);
	free(data);
#else
	if (edges->from && edges->to)
		result = driver.cuGraphGetEdges(graph, edges->from, edges->to, &edges->count);
#endif
	return result == CUDA_SUCCESS;
}

struct place {
	CUgraphNode node;
	uint32_t index;
};

static int by_node(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct place *)a)->node;
	uintptr_t y = (uintptr_t)((const struct place *)b)->node;

	return (x > y) - (x < y);
}

/* The index of a node among `count`, which are sorted by handle. */
static uint32_t index_of(const struct place *places, size_t count, CUgraphNode node)
{
	const struct place key = {.node = node};
	const struct place *found = bsearch(&key, places, count, sizeof(key), by_node);

	return found ? found->index : UINT32_MAX;
}

static int by_from(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/*
 * Sorts nodes so that each comes after what it depends on, otherwise as they are: rounds over the
 * nodes that are left, as the emulated device does it.
 */
static bool sort(CUgraphNode *nodes, size_t count, const struct edges *edges)
{
	struct place *places = calloc(count + 1, sizeof(*places));
	CUgraphNode *sorted = calloc(count + 1, sizeof(*sorted));
	uint32_t *waits = calloc(count + 1, sizeof(*waits));
	uint32_t *first = calloc(count + 2, sizeof(*first));
	uint32_t(*pairs)[2] = calloc(edges->count + 1, sizeof(*pairs));
	size_t done = 0, before = SIZE_MAX;
	bool fine = places && sorted && waits && first && pairs;

	for (uint32_t i = 0; fine && i < count; i++)
		places[i] = (struct place){nodes[i], i};
	if (fine)
		qsort(places, count, sizeof(*places), by_node);
	for (size_t i = 0; fine && i < edges->count; i++) {
		pairs[i][0] = index_of(places, count, edges->from[i]);
		pairs[i][1] = index_of(places, count, edges->to[i]);
		fine = pairs[i][0] < count && pairs[i][1] < count;
		if (fine) {
			waits[pairs[i][1]]++;
			first[pairs[i][0] + 1]++;
		}
	}
	if (fine)
		qsort(pairs, edges->count, sizeof(*pairs), by_from);
	for (size_t i = 0; fine && i < count; i++)
		first[i + 1] += first[i];
	while (fine && done < count && done != before) {
		before = done;
		for (uint32_t i = 0; i < count; i++) {
			if (waits[i])
				continue;
			waits[i] = UINT32_MAX; /* taken */
			sorted[done++] = nodes[i];
			for (uint32_t k = first[i]; k < first[i + 1]; k++)
				waits[pairs[k][1]]--;
		}
	}
	fine = fine && done == count;
	if (fine)
		memcpy(nodes, sorted, count * sizeof(*nodes));
	free(places);
	free(sorted);
	free(waits);
	free(first);
	free(pairs);
	return fine;
}

static bool read_nodes(struct graph *graph, CUgraph source, unsigned depth);

static bool add_node(struct graph *graph, CUgraphNode which, unsigned depth)
{
	struct node *more, *node;
	CUgraphNodeType type;
	CUgraph child;

	if (driver.cuGraphNodeGetType(which, &type) != CUDA_SUCCESS)
		return false;
	if (type == CU_GRAPH_NODE_TYPE_GRAPH)
		return depth < DEPTH_LIMIT &&
		       driver.cuGraphChildGraphNodeGetGraph(which, &child) == CUDA_SUCCESS &&
		       read_nodes(graph, child, depth + 1);
	if (!is_passive(type) && !is_step(type))
		return false;
	if (graph->count % 64 == 0) {
		if (graph->count >= NODES_LIMIT)
			return false;
		more = reallocarray(graph->nodes, graph->count + 64, sizeof(*more));
		if (!more)
			return false;
		graph->nodes = more;
	}
	node = &graph->nodes[graph->count++];
	*node = (struct node){.node = which, .type = type};
	return type != CU_GRAPH_NODE_TYPE_HOST ||
	       driver.cuGraphHostNodeGetParams(which, &node->host) == CUDA_SUCCESS;
}

/* Adds the nodes of a graph and its child graphs.  Whether each of them can be launched alone. */
static bool read_nodes(struct graph *graph, CUgraph source, unsigned depth)
{
	struct edges edges = {NULL, NULL, 0};
	CUgraphNode *nodes = NULL;
	size_t count;
	bool fine;

	if (driver.cuGraphGetNodes(source, NULL, &count) != CUDA_SUCCESS || count > NODES_LIMIT)
		return false;
	nodes = calloc(count + 1, sizeof(CUgraphNode));
	fine = nodes && driver.cuGraphGetNodes(source, nodes, &count) == CUDA_SUCCESS &&
	       get_edges(source, &edges) && sort(nodes, count, &edges);
	for (size_t i = 0; fine && i < count; i++)
		fine = add_node(graph, nodes[i], depth);
	free_edges(&edges);
	free(nodes);
	return fine;
}

/* -- the program's graphs ----------------------------------------------------------------- */

void graphs_instantiated(CUgraphExec exec, CUgraph source)
{
	struct graph *graph;

	graphs_gone(exec); /* its end was not seen */
	graph = calloc(1, sizeof(*graph));
	if (!graph)
		return;
	graph->exec = exec;
	graph->source = source;
	graph->separable = read_nodes(graph, source, 0);
	graph->next = graphs;
	graphs = graph;
}

static bool has_host_nodes(const struct graph *graph)
{
	for (size_t i = 0; graph->separable && i < graph->count; i++)
		if (graph->nodes[i].type == CU_GRAPH_NODE_TYPE_HOST)
			return true;
	return false;
}

void graphs_updated(CUgraphExec exec)
{
	struct graph *graph = find(exec);

	/* the functions of host nodes are not known any more */
	if (graph && has_host_nodes(graph))
		graph->separable = false;
}

void graphs_host_node(CUgraphExec exec, CUgraphNode which, const CUDA_HOST_NODE_PARAMS *parameters)
{
	struct graph *graph = find(exec);

	for (size_t i = 0; graph && i < graph->count; i++)
		if (graph->nodes[i].node == which)
			graph->nodes[i].host = *parameters;
}

void graphs_node_gone(CUgraphNode node)
{
	for (struct graph *graph = graphs; graph; graph = graph->next)
		for (size_t i = 0; graph->separable && i < graph->count; i++)
			if (graph->nodes[i].node == node)
				graph->separable = false;
}

static bool is_used(CUgraph source)
{
	for (const struct graph *graph = graphs; graph; graph = graph->next)
		if (graph->source == source)
			return true;
	return false;
}

void graphs_gone(CUgraphExec exec)
{
	struct graph **at = &graphs;
	struct graph *gone;

	while (*at && (*at)->exec != exec)
		at = &(*at)->next;
	gone = *at;
	if (!gone)
		return;
	*at = gone->next;
	if (gone->kept && !is_used(gone->source))
		driver.cuGraphDestroy(gone->source);
	free(gone->nodes);
	free(gone);
}

CUgraph graphs_instead_of(CUgraph source)
{
	CUgraph empty = NULL;
	bool wanted = false;

	for (const struct graph *graph = graphs; graph; graph = graph->next)
		wanted |= graph->source == source && graph->separable && !graph->kept;
	if (wanted && driver.cuGraphCreate(&empty, 0) != CUDA_SUCCESS)
		empty = NULL;
	for (struct graph *graph = graphs; graph; graph = graph->next) {
		if (graph->source != source)
			continue;
		graph->kept = empty;
		if (!empty) {
			graph->source = NULL;
			graph->separable = false;
		}
	}
	return empty;
}

/* -- a launch ----------------------------------------------------------------------------- */

static void CUDA_CB nothing(void *data)
{
	(void)data;
}

struct graph *graphs_find(CUgraphExec exec)
{
	struct graph *graph = find(exec);

	return graph && graph->separable ? graph : NULL;
}

unsigned graph_steps(struct graph *graph)
{
	unsigned steps = 0;

	for (size_t i = 0; i < graph->count; i++) {
		struct node *node = &graph->nodes[i];
		unsigned enabled = 1;

		node->off = false;
		node->step = is_step(node->type) &&
			     (node->type == CU_GRAPH_NODE_TYPE_HOST ||
			      (driver.cuGraphNodeGetEnabled(graph->exec, node->node, &enabled) ==
				       CUDA_SUCCESS &&
			       enabled));
		steps += node->step;
	}
	return steps;
}

static bool turn(const struct graph *graph, struct node *node, bool off)
{
	CUresult result;

	if (node->off == off)
		return true;
	if (node->type == CU_GRAPH_NODE_TYPE_HOST) {
		CUDA_HOST_NODE_PARAMS parameters = node->host;

		if (off)
			parameters.fn = nothing;
		result = driver.cuGraphExecHostNodeSetParams(graph->exec, node->node, &parameters);
	} else {
		result = driver.cuGraphNodeSetEnabled(graph->exec, node->node, !off);
	}
	if (result == CUDA_SUCCESS)
		node->off = off;
	return result == CUDA_SUCCESS;
}

bool graph_is_off(const struct graph *graph, CUgraphNode which)
{
	for (size_t i = 0; i < graph->count; i++)
		if (graph->nodes[i].node == which)
			return graph->nodes[i].off;
	return false;
}

void graph_restore(struct graph *graph)
{
	for (size_t i = 0; i < graph->count; i++)
		if (graph->nodes[i].step)
			turn(graph, &graph->nodes[i], false);
}

bool graph_select(struct graph *graph, unsigned step)
{
	unsigned at = 0;

	for (size_t i = 0; i < graph->count; i++)
		if (graph->nodes[i].step && !turn(graph, &graph->nodes[i], at++ != step)) {
			graph_restore(graph);
			graph->separable = false;
			return false;
		}
	return true;
}
