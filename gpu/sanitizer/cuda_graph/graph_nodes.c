/*
 * gpu/sanitizer/cuda_graph/graph_nodes.c: reading the nodes of a graph, in an order that keeps its
 * dependencies.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/sanitizer/api/launch_call.h"
#include "gpu/sanitizer/cuda_graph/graph_paths.h"
#include "gpu/sanitizer/cuda_graph/graphs_internal.h"

#define NODES_LIMIT 100000u
#define DEPTH_LIMIT 16           /* of child graphs in child graphs */
#define NODE_TYPE_CONDITIONAL 13 /* since CUDA 12.3 */

/* Whether the node does nothing that we see: each step may run it again. */
static bool is_passive(CUgraphNodeType type)
{
	return type == CU_GRAPH_NODE_TYPE_EMPTY || type == CU_GRAPH_NODE_TYPE_WAIT_EVENT;
}

bool graph_is_step(CUgraphNodeType type)
{
	return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
	       type == CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_HOST ||
	       type == CU_GRAPH_NODE_TYPE_EVENT_RECORD;
}

bool graph_is_memory(CUgraphNodeType type)
{
	return type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

void graph_obstruct(struct graph *graph, enum coverage_id why)
{
	if (!graph->obstacle)
		graph->obstacle = why;
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
		/* the driver calls it an error to ask for no edges */
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

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 32;
}

/*
 * Sorts nodes so that each comes after what it depends on, otherwise as they are: rounds over the
 * nodes that are left, as the emulated device does it.
 */
static bool sort(CUgraphNode *nodes, size_t count, const struct edges *edges, uint64_t *shape)
{
	struct place *places = calloc(count + 1, sizeof(*places));
	CUgraphNode *sorted = calloc(count + 1, sizeof(*sorted));
	uint32_t *waits = calloc(count + 1, sizeof(*waits));
	uint32_t *first = calloc(count + 2, sizeof(*first));
	uint32_t(*pairs)[2] = calloc(edges->count + 1, sizeof(*pairs));
	size_t done = 0, before = SIZE_MAX;
	bool fine = places && sorted && waits && first && pairs;

	*shape = mix(mix(*shape, count), edges->count);
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
			*shape = mix(*shape, (uint64_t)pairs[i][0] << 32 | pairs[i][1]);
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
			waits[i] = UINT32_MAX; /* it is in `sorted` */
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

void graph_forget_kernel(struct node *node)
{
	free(node->kernel.parameters);
	node->kernel = (struct graph_kernel){0};
}

CUfunction graph_function(CUfunction function, CUkernel kernel)
{
	if (!function && driver.cuKernelGetFunction &&
	    driver.cuKernelGetFunction(&function, kernel) != CUDA_SUCCESS)
		function = NULL;
	return function;
}

void graph_read_kernel(struct node *node, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
	CUfunction function = graph_function(parameters->func, parameters->kern);

	graph_forget_kernel(node);
	if (!function)
		return;
	node->kernel.function = function;
	node->kernel.parameters = launch_call_block(function, parameters->kernelParams,
						    parameters->extra, &node->kernel.size);
}

/* Reads what a memory node allocates or frees when the graph runs. */
static bool read_memory(struct node *node)
{
	CUDA_MEM_ALLOC_NODE_PARAMS made;
	CUdeviceptr freed;

	if (node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
		if (driver.cuGraphMemAllocNodeGetParams(node->node, &made) != CUDA_SUCCESS ||
		    !made.bytesize)
			return false;
		node->memory = (struct graph_memory){.address = made.dptr, .size = made.bytesize};
	} else {
		if (driver.cuGraphMemFreeNodeGetParams(node->node, &freed) != CUDA_SUCCESS)
			return false;
		node->memory = (struct graph_memory){.address = freed};
	}
	return true;
}

static struct node *add_node(struct graph *graph, CUgraphNode which, CUgraphNodeType type)
{
	struct node *more, *node;

	if (graph->count >= NODES_LIMIT)
		return NULL;
	if ((graph->count & (graph->count - 1)) ==
	    0) { /* the capacity doubles at 0 and at powers of two */
		more = reallocarray(graph->nodes, 2 * graph->count + 1, sizeof(*more));
		if (!more)
			return NULL;
		graph->nodes = more;
	}
	node = &graph->nodes[graph->count++];
	*node = (struct node){
		.node = which, .type = type, .child = graph->inside, .path = graph_path_of(which)};
	return node;
}

/* Adds a child graph.  False: no memory. */
static bool add_child(struct graph *graph, CUgraphNode which)
{
	struct child *more;

	if ((graph->child_count & (graph->child_count - 1)) ==
	    0) { /* the capacity doubles at 0 and at powers of two */
		more = reallocarray(graph->children, 2 * (size_t)graph->child_count + 1,
				    sizeof(*more));
		if (!more)
			return false;
		graph->children = more;
	}
	graph->children[graph->child_count++] = (struct child){.node = which};
	return true;
}

/*
 * Whether the node is a cooperative kernel.  Steps of graphs with such nodes fail with error 719,
 * large or small, with parts and without.
 */
static bool is_cooperative(CUgraphNode node)
{
	CUkernelNodeAttrValue value = {0};

	return driver.cuGraphKernelNodeGetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE,
						    &value) == CUDA_SUCCESS &&
	       value.cooperative;
}

static void read_nodes(struct graph *graph, CUgraph source, unsigned depth);

static void read_child(struct graph *graph, CUgraphNode which, CUgraph source, unsigned depth)
{
	uint32_t number = graph->child_count + 1, outer = graph->inside;
	uint64_t shape = graph->shape;
	size_t begin = graph->count;

	if (graph->child_count >= NODES_LIMIT || !add_child(graph, which)) {
		graph_obstruct(graph, COVERAGE_GRAPH_UNREADABLE);
		return;
	}
	graph->inside = number;
	graph->shape = 0;
	read_nodes(graph, source, depth);
	graph->children[number - 1] = (struct child){which, begin, graph->count, graph->shape};
	graph->shape = mix(shape, graph->shape);
	graph->inside = outer;
}

static void read_node(struct graph *graph, CUgraphNode which, unsigned depth)
{
	CUDA_KERNEL_NODE_PARAMS kernel;
	CUgraphNodeType type;
	struct node *node;
	CUgraph child;

	if (driver.cuGraphNodeGetType(which, &type) != CUDA_SUCCESS) {
		graph_obstruct(graph, COVERAGE_GRAPH_UNREADABLE);
		return;
	}
	graph->shape = mix(graph->shape, type);
	if (type == CU_GRAPH_NODE_TYPE_GRAPH && depth < DEPTH_LIMIT &&
	    driver.cuGraphChildGraphNodeGetGraph(which, &child) == CUDA_SUCCESS) {
		read_child(graph, which, child, depth + 1);
		return;
	}
	graph->conditional |= type == NODE_TYPE_CONDITIONAL;
	if (!is_passive(type) && !graph_is_step(type) && !graph_is_memory(type)) {
		graph_obstruct(graph, COVERAGE_GRAPH_FIXED_NODES);
		return;
	}
	if (type == CU_GRAPH_NODE_TYPE_KERNEL && is_cooperative(which))
		graph_obstruct(graph, COVERAGE_GRAPH_COOPERATIVE);
	node = add_node(graph, which, type);
	if (!node)
		graph_obstruct(graph, COVERAGE_GRAPH_UNREADABLE);
	else if (graph_is_memory(type) && !read_memory(node))
		graph_obstruct(graph, COVERAGE_GRAPH_UNREADABLE);
	else if (type == CU_GRAPH_NODE_TYPE_HOST &&
		 driver.cuGraphHostNodeGetParams(which, &node->host) != CUDA_SUCCESS)
		graph_obstruct(graph, COVERAGE_GRAPH_UNREADABLE);
	else if (type == CU_GRAPH_NODE_TYPE_EVENT_RECORD &&
		 driver.cuGraphEventRecordNodeGetEvent(which, &node->event) != CUDA_SUCCESS)
		graph_obstruct(graph, COVERAGE_GRAPH_UNREADABLE);
	else if (type == CU_GRAPH_NODE_TYPE_KERNEL &&
		 driver.cuGraphKernelNodeGetParams(which, &kernel) == CUDA_SUCCESS) {
		node->name = graph_kernel_name(&kernel);
		if (graph->with_kernels)
			graph_read_kernel(node, &kernel);
	}
}

static void read_nodes(struct graph *graph, CUgraph source, unsigned depth)
{
	struct edges edges = {NULL, NULL, 0};
	CUgraphNode *nodes = NULL;
	size_t count;
	bool fine;

	if (driver.cuGraphGetNodes(source, NULL, &count) != CUDA_SUCCESS || count > NODES_LIMIT) {
		graph_obstruct(graph, COVERAGE_GRAPH_UNREADABLE);
		return;
	}
	nodes = calloc(count + 1, sizeof(CUgraphNode));
	fine = nodes && driver.cuGraphGetNodes(source, nodes, &count) == CUDA_SUCCESS &&
	       get_edges(source, &edges) && sort(nodes, count, &edges, &graph->shape);
	if (!fine)
		graph_obstruct(graph, COVERAGE_GRAPH_UNREADABLE);
	for (size_t i = 0; fine && i < count; i++)
		read_node(graph, nodes[i], depth);
	free_edges(&edges);
	free(nodes);
}

/* -- memory and groups -------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The addresses of memory nodes of one type, sorted.  NULL: no memory. */
static uint64_t *list_memory(const struct graph *graph, CUgraphNodeType type, size_t *count)
{
	uint64_t *addresses = calloc(graph->count + 1, sizeof(*addresses));

	*count = 0;
	for (size_t i = 0; addresses && i < graph->count; i++)
		if (graph->nodes[i].type == type)
			addresses[(*count)++] = graph->nodes[i].memory.address;
	if (addresses)
		qsort(addresses, *count, sizeof(*addresses), by_value);
	return addresses;
}

static void find_transient(struct graph *graph)
{
	size_t made_count, freed_count;
	uint64_t *made = list_memory(graph, CU_GRAPH_NODE_TYPE_MEM_ALLOC, &made_count);
	uint64_t *freed = list_memory(graph, CU_GRAPH_NODE_TYPE_MEM_FREE, &freed_count);

	/* without memory for the lists all is transient: what is not followed needs no more care */
	for (size_t i = 0; i < graph->count; i++) {
		struct graph_memory *memory = &graph->nodes[i].memory;
		const uint64_t *others = memory->size ? freed : made;

		memory->transient = memory->size && !others;
		if (others)
			memory->transient = bsearch(&memory->address, others,
						    memory->size ? freed_count : made_count,
						    sizeof(*others), by_value);
	}
	if (!made || !freed || made_count != freed_count ||
	    memcmp(made, freed, made_count * sizeof(*made)) != 0)
		graph_obstruct(graph, COVERAGE_GRAPH_OTHERS_MEMORY);
	free(made);
	free(freed);
}

/* Puts nodes between an allocation and its free into one group, others into one each. */
static void find_groups(struct graph *graph)
{
	uint32_t group = 0;
	size_t held = 0; /* allocations that were not freed yet */

	for (size_t i = 0; i < graph->count; i++) {
		struct node *node = &graph->nodes[i];
		bool made = node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC;

		group += !held && (made || graph_is_step(node->type));
		node->group = group;
		held += made;
		if (node->type == CU_GRAPH_NODE_TYPE_MEM_FREE && !held--) {
			graph_obstruct(graph, COVERAGE_GRAPH_OTHERS_MEMORY);
			return;
		}
	}
}

void graph_read(struct graph *graph)
{
	read_nodes(graph, graph->source, 0);
	find_transient(graph);
	find_groups(graph);
	graph->starts = calloc(graph->count + 1, sizeof(*graph->starts));
	graph->places = calloc(graph->count + graph->child_count + 1, sizeof(*graph->places));
	if (!graph->starts || !graph->places) {
		graph_obstruct(graph, COVERAGE_GRAPH_UNREADABLE);
		return;
	}
	for (uint32_t i = 0; i < graph->count; i++)
		graph->places[i] = (struct place){graph->nodes[i].node, i};
	for (uint32_t i = 0; i < graph->child_count; i++) {
		uint32_t index = (uint32_t)graph->count + i;

		graph->places[index] = (struct place){graph->children[i].node, index};
	}
	qsort(graph->places, graph->count + graph->child_count, sizeof(*graph->places), by_node);
}

void graph_free_nodes(struct graph *graph)
{
	for (size_t i = 0; i < graph->count; i++)
		graph_forget_kernel(&graph->nodes[i]);
	free(graph->nodes);
	free(graph->children);
	free(graph->places);
	free(graph->starts);
}

/* The index of a node, or of a child behind the nodes. */
static size_t find(const struct graph *graph, CUgraphNode which)
{
	if (!graph->places)
		return SIZE_MAX;
	return index_of(graph->places, graph->count + graph->child_count, which);
}

struct node *graph_find_node(const struct graph *graph, CUgraphNode which)
{
	size_t index = find(graph, which);

	return index < graph->count ? &graph->nodes[index] : NULL;
}

struct child *graph_find_child(const struct graph *graph, CUgraphNode which)
{
	size_t index = find(graph, which) - graph->count;

	return index < graph->child_count ? &graph->children[index] : NULL;
}

/* -- kernels ------------------------------------------------------------------------------ */

static bool each_kernel(CUgraph graph, unsigned depth, void (*call)(CUfunction function));

static bool each_in_node(CUgraphNode node, unsigned depth, void (*call)(CUfunction function))
{
	CUDA_KERNEL_NODE_PARAMS kernel;
	CUfunction function = NULL;
	CUgraphNodeType type;
	CUgraph child;

	if (driver.cuGraphNodeGetType(node, &type) != CUDA_SUCCESS || type == NODE_TYPE_CONDITIONAL)
		return false;
	if (type == CU_GRAPH_NODE_TYPE_GRAPH)
		return depth < DEPTH_LIMIT &&
		       driver.cuGraphChildGraphNodeGetGraph(node, &child) == CUDA_SUCCESS &&
		       each_kernel(child, depth + 1, call);
	if (type != CU_GRAPH_NODE_TYPE_KERNEL)
		return true;
	if (driver.cuGraphKernelNodeGetParams(node, &kernel) == CUDA_SUCCESS)
		function = graph_function(kernel.func, kernel.kern);
	if (function)
		call(function);
	return function;
}

static bool each_kernel(CUgraph graph, unsigned depth, void (*call)(CUfunction function))
{
	CUgraphNode *nodes;
	size_t count;
	bool all;

	if (driver.cuGraphGetNodes(graph, NULL, &count) != CUDA_SUCCESS || count > NODES_LIMIT)
		return false;
	nodes = calloc(count + 1, sizeof(CUgraphNode));
	all = nodes && driver.cuGraphGetNodes(graph, nodes, &count) == CUDA_SUCCESS;
	for (size_t i = 0; i < count && nodes; i++)
		all &= each_in_node(nodes[i], depth, call);
	free(nodes);
	return all;
}

bool graph_each_kernel(CUgraph graph, void (*call)(CUfunction function))
{
	return each_kernel(graph, 0, call);
}
