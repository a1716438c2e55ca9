/* gpu/sanitizer/graphs.c: the program's executable graphs, and switching their nodes on and off. */
#include <stdlib.h>
#include <unistd.h>

#include "gpu/sanitizer/graphs_internal.h"

static struct graph *graphs;
/* Whether cuGraphDestroy() can be led to another graph: 0 is not known. */
static enum { UNTRIED, WORKS, FAILS } leading;

static struct graph *find(CUgraphExec exec)
{
	struct graph *graph = graphs;

	while (graph && graph->exec != exec)
		graph = graph->next;
	return graph;
}

/* -- the program's graphs ----------------------------------------------------------------- */

void graphs_instantiated(CUgraphExec exec, CUgraph source, bool with_kernels)
{
	struct graph *graph;

	graphs_gone(exec); /* its end was not seen */
	graph = calloc(1, sizeof(*graph));
	if (!graph)
		return;
	graph->exec = exec;
	graph->source = source;
	graph->with_kernels = with_kernels;
	graph_read(graph);
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

	/* the functions of host nodes and the parameters of kernels are not known any more */
	if (graph && has_host_nodes(graph))
		graph->separable = false;
	for (size_t i = 0; graph && i < graph->count; i++)
		graph_forget_kernel(&graph->nodes[i]);
}

static struct node *find_node(CUgraphExec exec, CUgraphNode which)
{
	struct graph *graph = find(exec);

	for (size_t i = 0; graph && i < graph->count; i++)
		if (graph->nodes[i].node == which)
			return &graph->nodes[i];
	return NULL;
}

void graphs_host_node(CUgraphExec exec, CUgraphNode which, const CUDA_HOST_NODE_PARAMS *parameters)
{
	struct node *node = find_node(exec, which);

	if (node)
		node->host = *parameters;
}

void graphs_kernel_node(CUgraphExec exec, CUgraphNode which,
			const CUDA_KERNEL_NODE_PARAMS *parameters)
{
	struct node *node = find_node(exec, which);

	if (node && find(exec)->with_kernels)
		graph_read_kernel(node, parameters);
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
	for (size_t i = 0; i < gone->count; i++)
		graph_forget_kernel(&gone->nodes[i]);
	free(gone->nodes);
	free(gone->memory);
	free(gone);
}

/* -- keeping graphs ----------------------------------------------------------------------- */

static void CUDA_CB note_end(void *destroyed)
{
	__atomic_store_n((bool *)destroyed, true, __ATOMIC_RELEASE);
}

/* A graph that says when it is destroyed. */
static CUgraph make_witness(bool *destroyed)
{
	CUuserObject object;
	CUgraph graph;

	if (driver.cuGraphCreate(&graph, 0) != CUDA_SUCCESS)
		return NULL;
	if (driver.cuUserObjectCreate(&object, destroyed, note_end, 1,
				      CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) == CUDA_SUCCESS &&
	    driver.cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE) ==
		    CUDA_SUCCESS)
		return graph;
	driver.cuGraphDestroy(graph);
	return NULL;
}

/* That parameters of a call can be replaced is written nowhere. */
static bool can_lead(CUresult (*destroy)(CUgraph graph, CUgraph instead))
{
	static bool of_first, of_second; /* static: the driver may tell late */
	CUgraph first, second;

	if (leading != UNTRIED)
		return leading == WORKS;
	leading = FAILS;
	first = make_witness(&of_first);
	second = first ? make_witness(&of_second) : NULL;
	if (!second || destroy(first, second) != CUDA_SUCCESS)
		return false;
	for (unsigned i = 0; i < 1000 && !__atomic_load_n(&of_first, __ATOMIC_ACQUIRE) &&
			     !__atomic_load_n(&of_second, __ATOMIC_ACQUIRE); i++)
		usleep(1000);
	if (__atomic_load_n(&of_second, __ATOMIC_ACQUIRE)) {
		leading = WORKS;
		driver.cuGraphDestroy(first);
	} else if (__atomic_load_n(&of_first, __ATOMIC_ACQUIRE)) {
		driver.cuGraphDestroy(second);
	} /* else nobody knows which of them is left */
	return leading == WORKS;
}

CUgraph graphs_instead_of(CUgraph source, CUresult (*destroy)(CUgraph graph, CUgraph instead))
{
	CUgraph empty = NULL;
	bool wanted = false;

	for (const struct graph *graph = graphs; graph; graph = graph->next)
		wanted |= graph->source == source && graph->separable && !graph->kept;
	if (wanted && (!can_lead(destroy) || driver.cuGraphCreate(&empty, 0) != CUDA_SUCCESS))
		empty = NULL;
	for (struct graph *graph = graphs; graph; graph = graph->next) {
		if (graph->source != source)
			continue;
		graph->kept = empty;
		if (!empty) {
			graph->source = NULL;
			graph->lost |= graph->separable;
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
	return find(exec);
}

bool graph_is_separable(const struct graph *graph)
{
	return graph->separable;
}

bool graph_is_lost(const struct graph *graph)
{
	return graph->lost;
}

bool graph_is_conditional(const struct graph *graph)
{
	return graph->conditional;
}

const struct graph_memory *graph_memory(const struct graph *graph, unsigned *count)
{
	*count = graph->memory_count;
	return graph->memory;
}

unsigned graph_steps(struct graph *graph)
{
	unsigned steps = 0;

	for (size_t i = 0; i < graph->count; i++) {
		struct node *node = &graph->nodes[i];
		unsigned enabled = 1;

		node->off = false;
		node->step = graph_is_step(node->type) &&
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

void graph_restore(struct graph *graph, unsigned done)
{
	unsigned at = 0;

	for (size_t i = 0; i < graph->count; i++)
		if (graph->nodes[i].step)
			turn(graph, &graph->nodes[i], at++ < done);
}

bool graph_select(struct graph *graph, unsigned step)
{
	unsigned at = 0;

	for (size_t i = 0; i < graph->count; i++)
		if (graph->nodes[i].step && !turn(graph, &graph->nodes[i], at++ != step)) {
			graph_restore(graph, step);
			graph->separable = false;
			return false;
		}
	return true;
}

const struct graph_kernel *graph_kernel(const struct graph *graph, unsigned step)
{
	for (size_t i = 0; i < graph->count; i++)
		if (graph->nodes[i].step && !step--)
			return graph->nodes[i].kernel.function ? &graph->nodes[i].kernel : NULL;
	return NULL;
}
