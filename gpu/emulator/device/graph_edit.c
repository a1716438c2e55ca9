/*
 * gpu/emulator/device/graph_edit.c: what programs ask of a graph and change in it, node by node.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/device/graph_internal.h"

/* The graph that is no executable and has the node; NULL: none has it. */
static struct emulator_graph *owner_of(const void *node)
{
	struct emulator_graph *each = graphs_first();

	while (each && (each->executable || !graph_node_of(each, node)))
		each = each->next;
	return each;
}

int vflow_emulator_graph_node(const void *node, struct emulator_node *what)
{
	const struct emulator_graph *graph;
	int error = device_enter(true);

	if (error)
		return error;
	graph = owner_of(node);
	if (graph)
		*what = graph_node_of(graph, node)->what;
	device_leave();
	return graph ? 0 : INVALID_VALUE;
}

int vflow_emulator_graph_node_set(const void *node, const struct emulator_node *what)
{
	struct emulator_graph *graph;
	int error = device_enter(true);

	if (error)
		return error;
	graph = owner_of(node);
	error = graph && graph_node_of(graph, node)->what.kind == what->kind
			? graph_set_operation(graph_node_of(graph, node), what)
			: INVALID_VALUE;
	device_leave();
	return error;
}

static void remove_node(struct emulator_graph *graph, struct emulator_graph_node *node)
{
	size_t kept = 0;

	for (size_t e = 0; e < graph->edge_count; e++) {
		struct edge edge = graph->edges[e];

		if (edge.from == node->index || edge.to == node->index)
			continue;
		edge.from -= edge.from > node->index;
		edge.to -= edge.to > node->index;
		graph->edges[kept++] = edge;
	}
	graph->edge_count = kept;
	graph->node_count--;
	for (struct emulator_graph *each = graphs_first(); each; each = each->next)
		for (size_t n = 0; each->source == graph && n < each->node_count; n++)
			if (each->nodes[n]->origin == node)
				each->nodes[n]->origin = NULL;
	for (size_t n = node->index; n < graph->node_count; n++) {
		graph->nodes[n] = graph->nodes[n + 1];
		graph->nodes[n]->index = (uint32_t)n;
	}
	graph_free_node(node);
}

int vflow_emulator_graph_node_remove(const void *node)
{
	struct emulator_graph *graph;
	int error = device_enter(true);

	if (error)
		return error;
	graph = owner_of(node);
	if (!graph)
		error = INVALID_VALUE;
	else if (graph_node_of(graph, node)->what.kind == NODE_ALLOC ||
		 graph_node_of(graph, node)->what.kind == NODE_FREE)
		error = NOT_SUPPORTED; /* as on a GPU */
	else
		remove_node(graph, graph_node_of(graph, node));
	device_leave();
	return error;
}

/* Keeps a list within the caller's room, and counts. */
struct list {
	void **nodes;
	size_t room, count;
};

static void put(struct list *list, void *node)
{
	if (list->nodes && list->count < list->room)
		list->nodes[list->count] = node;
	list->count++;
}

int vflow_emulator_graph_neighbours(const void *node, bool before, void **nodes, size_t *count)
{
	struct list list = {nodes, *count, 0};
	const struct emulator_graph *graph;
	int error = device_enter(true);

	if (error)
		return error;
	graph = owner_of(node);
	for (size_t e = 0; graph && e < graph->edge_count; e++) {
		const struct edge *edge = &graph->edges[e];
		uint32_t index = graph_node_of(graph, node)->index;

		if (before && edge->to == index)
			put(&list, graph->nodes[edge->from]);
		if (!before && edge->from == index)
			put(&list, graph->nodes[edge->to]);
	}
	*count = list.count;
	device_leave();
	return graph ? 0 : INVALID_VALUE;
}

int vflow_emulator_graph_roots(void *graph, void **nodes, size_t *count)
{
	struct list list = {nodes, *count, 0};
	const struct emulator_graph *found;
	bool *waits;
	int error = device_enter(true);

	if (error)
		return error;
	found = graph_find(graph, false);
	waits = found ? calloc(found->node_count + 1, sizeof(*waits)) : NULL;
	for (size_t e = 0; waits && e < found->edge_count; e++)
		waits[found->edges[e].to] = true;
	for (size_t n = 0; waits && n < found->node_count; n++)
		if (!waits[n])
			put(&list, found->nodes[n]);
	error = waits ? 0 : found ? OUT_OF_MEMORY : INVALID_VALUE;
	free(waits);
	*count = list.count;
	device_leave();
	return error;
}

int vflow_emulator_graph_edges(void *graph, void **from, void **to, size_t *count)
{
	struct list sources = {from, *count, 0}, targets = {to, *count, 0};
	const struct emulator_graph *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = graph_find(graph, false);
	for (size_t e = 0; found && e < found->edge_count; e++) {
		put(&sources, found->nodes[found->edges[e].from]);
		put(&targets, found->nodes[found->edges[e].to]);
	}
	*count = sources.count;
	device_leave();
	return found ? 0 : INVALID_VALUE;
}

static bool drop_edge(struct emulator_graph *graph, const void *from, const void *to)
{
	for (size_t e = 0; e < graph->edge_count; e++)
		if (graph->nodes[graph->edges[e].from] == from &&
		    graph->nodes[graph->edges[e].to] == to) {
			graph->edges[e] = graph->edges[--graph->edge_count];
			return true;
		}
	return false;
}

int vflow_emulator_graph_undepend(void *graph, void *const *from, void *const *to, size_t count)
{
	struct emulator_graph *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = graph_find(graph, false);
	error = found ? 0 : INVALID_VALUE;
	for (size_t n = 0; n < count && !error; n++)
		error = drop_edge(found, from[n], to[n]) ? 0 : INVALID_VALUE;
	device_leave();
	return error;
}

/* The copy of a node in a clone or an executable. */
static struct emulator_graph_node *copy_of(const struct emulator_graph *graph, const void *node)
{
	for (size_t n = 0; graph->source && node && n < graph->node_count; n++)
		if (graph->nodes[n]->origin == node)
			return graph->nodes[n];
	return NULL;
}

int vflow_emulator_graph_enable(void *executable, const void *node, bool *enabled, bool set)
{
	struct emulator_graph *graph;
	struct emulator_graph_node *found;
	int error = device_enter(true);

	if (error)
		return error;
	graph = graph_find(executable, true);
	found = graph ? copy_of(graph, node) : NULL;
	/* as on a GPU: kernels, copies and sets only */
	if (!found || found->what.kind < NODE_KERNEL || found->what.kind > NODE_FILL)
		error = INVALID_VALUE;
	else if (set)
		found->disabled = !*enabled;
	else
		*enabled = !found->disabled;
	device_leave();
	return error;
}

int vflow_emulator_graph_in_clone(void *clone, const void *node, void **found)
{
	const struct emulator_graph *graph;
	int error = device_enter(true);

	if (error)
		return error;
	graph = graph_find(clone, false);
	*found = graph ? copy_of(graph, node) : NULL;
	device_leave();
	return *found ? 0 : INVALID_VALUE;
}
