/* gpu/sanitizer/cuda_graph/graphs.c: the program's executable graphs, and switching their nodes on
 * and off. */
#include <stdlib.h>
#include <unistd.h>

#include "gpu/analysis/node_ordinals.h"
#include "gpu/sanitizer/cuda_graph/graph_paths.h"
#include "gpu/sanitizer/cuda_graph/graphs_internal.h"

static struct graph *graphs;
/* Whether cuGraphDestroy() can be redirected to another graph; UNTRIED: not known yet. */
static enum { UNTRIED, WORKS, FAILS } redirection;
/* How many running calls change graphs without the lock, and whether some have. */
static unsigned changing_unseen;
static bool changed_unseen;

static struct graph *find(CUgraphExec exec)
{
	struct graph *graph = graphs;

	while (graph && graph->exec != exec)
		graph = graph->next;
	return graph;
}

/* -- the program's graphs ----------------------------------------------------------------- */

void graphs_instantiated(CUgraphExec exec, CUgraph source, bool with_kernels, bool for_device)
{
	struct graph *graph;

	graphs_gone(exec); /* the graph's end was not seen */
	graph = calloc(1, sizeof(*graph));
	if (!graph)
		return;
	graph->exec = exec;
	graph->source = source;
	graph->with_kernels = with_kernels;
	graph->for_device = for_device;
	graph_read(graph);
	graph_make_parts(graph, 0, graph->count);
	graph->next = graphs;
	graphs = graph;
}

/* Whether a node cannot be disabled, but is given something else to do instead. */
static bool is_replaced(const struct node *node)
{
	return node->type == CU_GRAPH_NODE_TYPE_HOST ||
	       node->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD;
}

/*
 * Takes what the nodes from `begin` to `end`, which make up a graph of this shape, do now from
 * another graph.  False: it is not known which node does what.  The driver pairs nodes by their
 * edges, and those that can be exchanged by the order in which they were made: it has no choice if
 * all is the same, as in what is captured again.
 */
static bool reread(struct graph *graph, size_t begin, size_t end, uint64_t shape, CUgraph from)
{
	struct graph fresh = {.source = from, .with_kernels = graph->with_kernels};
	bool paired;

	graph_read(&fresh);
	paired = !fresh.obstacle && fresh.shape == shape && fresh.count == end - begin;
	for (size_t i = 0; paired && i < fresh.count; i++)
		paired = !graph_is_memory(fresh.nodes[i].type);
	for (size_t i = 0; paired && i < fresh.count; i++) {
		struct node *node = &graph->nodes[begin + i], before = *node;

		node->node = fresh.nodes[i].node;
		node->kernel = fresh.nodes[i].kernel;
		node->host = fresh.nodes[i].host;
		node->event = fresh.nodes[i].event;
		node->path = fresh.nodes[i].path;
		node->name = fresh.nodes[i].name;
		fresh.nodes[i] = before;
	}
	if (paired)
		graph_make_parts(graph, begin, end);
	for (size_t i = 0; paired && i < fresh.count;
	     i++) /* the executable graph knows its nodes by their first handles */
		graph->nodes[begin + i].node = fresh.nodes[i].node;
	graph_free_nodes(&fresh);
	graph->numbered &= !paired;
	return paired;
}

/* `from`: as for graphs_updated(). */
static void update(struct graph *graph, size_t begin, size_t end, uint64_t shape, CUgraph from)
{
	if (!graph->obstacle && from && reread(graph, begin, end, shape, from))
		return;
	/* the functions, events and kernel parameters of nodes are not known any more */
	for (size_t i = begin; i < end; i++) {
		if (is_replaced(&graph->nodes[i]))
			graph_obstruct(graph, COVERAGE_GRAPH_NODES_UPDATED);
		graph_forget_kernel(&graph->nodes[i]);
	}
}

void graphs_updated(CUgraphExec exec, CUgraph from)
{
	struct graph *graph = find(exec);

	if (graph)
		update(graph, 0, graph->count, graph->shape, from);
}

void graphs_child_node(CUgraphExec exec, CUgraphNode which, CUgraph from)
{
	struct graph *graph = find(exec);
	struct child *child = graph ? graph_find_child(graph, which) : NULL;

	if (!child)
		return;
	graph_drop_some_parts(graph, child->begin, child->end);
	if (from)
		update(graph, child->begin, child->end, child->shape, from);
}

static struct node *find_node(CUgraphExec exec, CUgraphNode which)
{
	struct graph *graph = find(exec);

	return graph ? graph_find_node(graph, which) : NULL;
}

void graphs_host_node(CUgraphExec exec, CUgraphNode which, const CUDA_HOST_NODE_PARAMS *parameters)
{
	struct node *node = find_node(exec, which);

	if (node)
		node->host = *parameters;
}

void graphs_event_node(CUgraphExec exec, CUgraphNode which, CUevent event)
{
	struct node *node = find_node(exec, which);

	if (node)
		node->event = event;
}

void graphs_node(CUgraphExec exec, CUgraphNode which, const void *parameters, CUcontext context)
{
	struct graph *graph = find(exec);
	struct node *node = find_node(exec, which);

	if (!node)
		return;
	if (parameters && node->type == CU_GRAPH_NODE_TYPE_KERNEL) {
		uint64_t name = graph_kernel_name(parameters);

		graph->numbered &= name == node->name;
		node->name = name;
	}
	if (!parameters)
		graph_forget_kernel(node);
	else if (node->type == CU_GRAPH_NODE_TYPE_KERNEL && graph->with_kernels)
		graph_read_kernel(node, parameters);
	graph_change_copy(graph, node, parameters, context);
}

void graphs_changing(CUgraphExec exec)
{
	struct graph *graph = find(exec);

	if (graph)
		graph_drop_parts(graph);
}

void graphs_changing_unseen(void)
{
	__atomic_add_fetch(&changing_unseen, 1, __ATOMIC_ACQ_REL);
}

void graphs_changed_unseen(void)
{
	__atomic_store_n(&changed_unseen, true, __ATOMIC_RELEASE);
	__atomic_sub_fetch(&changing_unseen, 1, __ATOMIC_ACQ_REL);
}

static void drop_changed(void)
{
	bool changing = __atomic_load_n(&changing_unseen, __ATOMIC_ACQUIRE);

	if (!__atomic_exchange_n(&changed_unseen, false, __ATOMIC_ACQ_REL) && !changing)
		return;
	for (struct graph *graph = graphs; graph; graph = graph->next)
		graph_drop_parts(graph);
}

void graphs_node_gone(CUgraphNode node)
{
	graph_path_set(node, 0);
	for (struct graph *graph = graphs; graph; graph = graph->next)
		if (graph_find_node(graph, node) || graph_find_child(graph, node))
			graph_obstruct(graph, COVERAGE_GRAPH_NODE_DESTROYED);
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
	if (gone->kept && !is_used(gone->source)) {
		graph_paths_gone(gone->source);
		driver.cuGraphDestroy(gone->source);
	}
	if (gone->dummy_event)
		driver.cuEventDestroy(gone->dummy_event);
	graph_drop_parts(gone);
	graph_free_nodes(gone);
	free(gone);
}

void graphs_context_gone(void)
{
	/*
	 * events of other contexts are not destroyed: their context may be gone, and they are few
	 */
	for (struct graph *graph = graphs; graph; graph = graph->next) {
		graph->dummy_event = NULL;
		graph_forget_parts(graph);
	}
}

/* -- keeping graphs ----------------------------------------------------------------------- */

static void CUDA_CB note_end(void *destroyed)
{
	__atomic_store_n((bool *)destroyed, true, __ATOMIC_RELEASE);
}

/* A graph with a user object: *destroyed becomes true when it is destroyed. */
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

/* Whether a call's parameter can be replaced in its callback, which is not documented. */
static bool can_redirect(CUresult (*destroy)(CUgraph graph, CUgraph substitute))
{
	static bool of_first, of_second; /* static: the driver may set them late */
	CUgraph first, second;

	if (redirection != UNTRIED)
		return redirection == WORKS;
	redirection = FAILS;
	first = make_witness(&of_first);
	second = first ? make_witness(&of_second) : NULL;
	if (!second || destroy(first, second) != CUDA_SUCCESS)
		return false;
	for (unsigned i = 0; i < 1000 && !__atomic_load_n(&of_first, __ATOMIC_ACQUIRE) &&
			     !__atomic_load_n(&of_second, __ATOMIC_ACQUIRE);
	     i++)
		usleep(1000);
	if (__atomic_load_n(&of_second, __ATOMIC_ACQUIRE)) {
		redirection = WORKS;
		driver.cuGraphDestroy(first);
	} else if (__atomic_load_n(&of_first, __ATOMIC_ACQUIRE)) {
		driver.cuGraphDestroy(second);
	} /* else it is not known which of them is left */
	return redirection == WORKS;
}

CUgraph graphs_substitute(CUgraph source, CUresult (*destroy)(CUgraph graph, CUgraph substitute))
{
	CUgraph empty = NULL;
	bool wanted = false;

	for (const struct graph *graph = graphs; graph; graph = graph->next)
		wanted |= graph->source == source && !graph->obstacle && !graph->kept;
	if (wanted && (!can_redirect(destroy) || driver.cuGraphCreate(&empty, 0) != CUDA_SUCCESS))
		empty = NULL;
	for (struct graph *graph = graphs; graph; graph = graph->next) {
		if (graph->source != source)
			continue;
		graph->kept = empty;
		if (!empty) {
			graph->source = NULL;
			graph_obstruct(graph, COVERAGE_GRAPH_NOT_KEPT);
		}
	}
	if (!empty)
		graph_paths_gone(source);
	return empty;
}

CUgraph graph_source(const struct graph *graph)
{
	return graph->source;
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

enum coverage_id graph_obstacle(const struct graph *graph)
{
	return graph->obstacle;
}

bool graph_is_conditional(const struct graph *graph)
{
	return graph->conditional;
}

/* Whether the program has the node enabled. */
static bool is_on(const struct graph *graph, const struct node *node)
{
	unsigned enabled = 1;

	return is_replaced(node) ||
	       (driver.cuGraphNodeGetEnabled(graph->exec, node->node, &enabled) == CUDA_SUCCESS &&
		enabled);
}

void graph_launching(struct graph *graph)
{
	graph_number(graph);
	graph->taken = 0;
	for (size_t i = 0; i < graph->count; i++)
		graph->nodes[i].taken = false;
}

uint32_t graph_steps(struct graph *graph)
{
	uint32_t steps = 0, group = 0;

	for (size_t i = 0; i < graph->count; i++) {
		struct node *node = &graph->nodes[i];

		node->disabled = false;
		node->step = GRAPH_WHOLE;
		if (!graph_is_memory(node->type) &&
		    !(graph_is_step(node->type) && is_on(graph, node)))
			continue;
		if (node->group != group)
			graph->starts[steps++] = i;
		group = node->group;
		node->step = steps - 1;
	}
	graph->starts[steps] = graph->count;
	graph->steps = steps;
	graph->selected = GRAPH_WHOLE;
	return steps;
}

struct range {
	size_t begin, end;
};

/*
 * The range of a step's nodes, between which there may be some of no step.  A graph whose nodes all
 * are disabled has no step 0.
 */
static struct range range_of(const struct graph *graph, uint32_t step)
{
	if (step == GRAPH_WHOLE)
		return (struct range){0, graph->count};
	if (step >= graph->steps)
		return (struct range){0, 0};
	return (struct range){graph->starts[step], graph->starts[step + 1]};
}

/* Whether the step has the node, and it is no memory node. */
static bool is_in_step(uint32_t step, const struct node *node)
{
	return node->step == step && !graph_is_memory(node->type);
}

uint32_t graph_step_nodes(const struct graph *graph, uint32_t step)
{
	struct range range = range_of(graph, step);
	uint32_t nodes = 0;

	for (size_t i = range.begin; i < range.end; i++)
		nodes += is_in_step(step, &graph->nodes[i]);
	return nodes;
}

void graph_step_node(const struct graph *graph, uint32_t step, struct gpu_node *found)
{
	struct range range = range_of(graph, step);

	for (size_t i = range.begin; i < range.end; i++)
		if (is_in_step(step, &graph->nodes[i])) {
			found->path = graph->nodes[i].path;
			found->ordinal = graph->nodes[i].ordinal;
			return;
		}
}

/* Whether the node may be the one that is launched. */
static bool may_be(const struct node *node, uint32_t step, CUgraphNodeType type, uint64_t name)
{
	return !node->taken && node->type == type && (step == GRAPH_WHOLE || node->step == step) &&
	       (!name || !node->name || node->name == name);
}

bool graph_take_node(struct graph *graph, uint32_t step, CUgraphNode handle, CUgraphNodeType type,
		     const char *kernel, struct gpu_node *found)
{
	struct range range = range_of(graph, step);
	struct node *node = graph_find_node(graph, handle);
	uint64_t name = node_name(kernel);
	size_t i = graph->taken > range.begin ? graph->taken : range.begin;

	if (!node || !may_be(node, step, type, name)) {
		while (i < range.end && !may_be(&graph->nodes[i], step, type, name))
			i++;
		if (i >= range.end)
			return false;
		node = &graph->nodes[i];
	}
	node->taken = true;
	while (graph->taken < graph->count && graph->nodes[graph->taken].taken)
		graph->taken++;
	found->path = node->path;
	found->ordinal = node->ordinal;
	return true;
}

const struct graph_kernel *graph_kernel(const struct graph *graph, uint32_t step)
{
	struct range range = range_of(graph, step);
	const struct node *found = NULL;

	for (size_t i = range.begin; i < range.end; i++) {
		if (!is_in_step(step, &graph->nodes[i]))
			continue;
		if (found)
			return NULL;
		found = &graph->nodes[i];
	}
	return found && found->kernel.function ? &found->kernel : NULL;
}

void graph_each_memory(const struct graph *graph, uint32_t step,
		       void (*call)(void *data, const struct graph_memory *memory), void *data)
{
	struct range range = range_of(graph, step);

	for (size_t i = range.begin; i < range.end; i++)
		if (graph_is_memory(graph->nodes[i].type) &&
		    (step == GRAPH_WHOLE || graph->nodes[i].step == step))
			call(data, &graph->nodes[i].memory);
}

/* Lets an event node record an event of ours, or the program's again. */
static CUresult record(struct graph *graph, const struct node *node, bool disabled)
{
	CUresult result = CUDA_SUCCESS;

	if (!graph->dummy_event)
		result = driver.cuEventCreate(&graph->dummy_event, CU_EVENT_DISABLE_TIMING);
	if (result != CUDA_SUCCESS)
		return result;
	return driver.cuGraphExecEventRecordNodeSetEvent(
		graph->exec, node->node, disabled ? graph->dummy_event : node->event);
}

static bool set_disabled(struct graph *graph, struct node *node, bool disabled)
{
	CUresult result;

	if (node->disabled == disabled || node->step == GRAPH_WHOLE || graph_is_memory(node->type))
		return true;
	if (node->type == CU_GRAPH_NODE_TYPE_HOST) {
		CUDA_HOST_NODE_PARAMS parameters = node->host;

		if (disabled)
			parameters.fn = nothing;
		result = driver.cuGraphExecHostNodeSetParams(graph->exec, node->node, &parameters);
	} else if (node->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD) {
		result = record(graph, node, disabled);
	} else {
		result = driver.cuGraphNodeSetEnabled(graph->exec, node->node, !disabled);
	}
	if (result == CUDA_SUCCESS)
		node->disabled = disabled;
	return result == CUDA_SUCCESS;
}

void graph_restore(struct graph *graph, uint32_t done)
{
	for (size_t i = 0; i < graph->count; i++)
		set_disabled(graph, &graph->nodes[i], graph->nodes[i].step < done);
	graph->selected = GRAPH_WHOLE;
}

/* Disables all nodes of a range but those of the step. */
static bool select_in_range(struct graph *graph, struct range among, uint32_t step)
{
	for (size_t i = among.begin; i < among.end; i++)
		if (!set_disabled(graph, &graph->nodes[i], graph->nodes[i].step != step))
			return false;
	return true;
}

bool graph_select(struct graph *graph, uint32_t step, CUgraphExec *exec)
{
	drop_changed();
	/* parts are for graphs without memory nodes, and a step is one node then */
	*exec = step + 1 < graph->steps
			? graph_select_part(graph, &graph->nodes[graph->starts[step]])
			: NULL;
	if (*exec)
		return true;
	*exec = graph->exec;
	/* only two steps of a large graph change */
	if (select_in_range(graph, range_of(graph, graph->selected), step) &&
	    select_in_range(graph, range_of(graph, step), step)) {
		graph->selected = step;
		return true;
	}
	graph_restore(graph, step);
	graph_obstruct(graph, COVERAGE_GRAPH_NODE_NOT_DISABLED);
	return false;
}
