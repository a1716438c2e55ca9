/*
 * gpu/emulator/graph.c: CUDA graphs: made node by node or captured from streams, instantiated into
 * a list of operations in an order that keeps the dependencies, and run one after the other.
 */
#include "gpu/emulator/graph.h"

#include <stdlib.h>
#include <string.h>

#define NODES_LIMIT 100000u

struct emulator_graph_node {
	struct emulator_node what;
	uint8_t *parameters; /* what.launch.packed: its own copy */
	const void *origin; /* the node that it was copied from */
	uint32_t index;
};

struct edge {
	uint32_t from, to;
};

struct emulator_graph {
	struct emulator_graph_node **nodes;
	struct edge *edges;
	size_t node_count, node_room, edge_count, edge_room;
	bool executable;
	struct emulator_graph *next;
};

static struct emulator_graph *graphs;

static struct emulator_graph *find(const void *handle, bool executable)
{
	struct emulator_graph *each = graphs;

	while (each && (each != handle || each->executable != executable))
		each = each->next;
	return each;
}

static bool room_for(void **array, size_t *room, size_t count, size_t element)
{
	size_t wanted = *room ? 2 * *room : 8;
	void *grown;

	if (count < *room)
		return true;
	grown = realloc(*array, wanted * element);
	if (!grown)
		return false;
	*array = grown;
	*room = wanted;
	return true;
}

static struct emulator_graph *create(bool executable)
{
	struct emulator_graph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return NULL;
	graph->executable = executable;
	graph->next = graphs;
	graphs = graph;
	return graph;
}

/* Memory that no graph allocates any more; what is live waits for its free. */
static void forget(uint64_t address)
{
	struct allocation *allocation = memory_find(address);

	if (allocation && allocation->in_graph && !allocation->live && !graph_allocates(address))
		memory_release(allocation);
}

static void destroy(struct emulator_graph *graph)
{
	struct emulator_graph **link = &graphs;

	while (*link != graph)
		link = &(*link)->next;
	*link = graph->next;
	for (size_t n = 0; n < graph->node_count; n++) {
		if (graph->nodes[n]->what.kind == NODE_ALLOC)
			forget(graph->nodes[n]->what.address);
		free(graph->nodes[n]->parameters);
		free(graph->nodes[n]);
	}
	free(graph->nodes);
	free(graph->edges);
	free(graph);
}

bool graph_allocates(uint64_t address)
{
	for (const struct emulator_graph *each = graphs; each; each = each->next)
		for (size_t n = 0; n < each->node_count; n++)
			if (each->nodes[n]->what.kind == NODE_ALLOC &&
			    each->nodes[n]->what.address == address)
				return true;
	return false;
}

static int set_operation(struct emulator_graph_node *node, const struct emulator_node *what)
{
	uint8_t *parameters = NULL;
	int error = 0;

	if (what->kind == NODE_KERNEL)
		error = launch_pack(&what->launch, &parameters);
	if (error)
		return error;
	free(node->parameters);
	node->parameters = parameters;
	node->what = *what;
	if (what->kind == NODE_KERNEL) {
		node->what.launch.arguments = NULL;
		node->what.launch.packed = parameters;
		node->what.launch.packed_bytes = UINT64_MAX;
	}
	return 0;
}

static int add_edge(struct emulator_graph *graph, uint32_t from, uint32_t to)
{
	if (!room_for((void **)&graph->edges, &graph->edge_room, graph->edge_count,
		      sizeof(*graph->edges)))
		return OUT_OF_MEMORY;
	graph->edges[graph->edge_count++] = (struct edge){from, to};
	return 0;
}

/* The node with that handle; NULL: it is not in the graph. */
static struct emulator_graph_node *node_of(const struct emulator_graph *graph, const void *handle)
{
	for (size_t n = graph->node_count; n--;)
		if (graph->nodes[n] == handle)
			return graph->nodes[n];
	return NULL;
}

static int add(struct emulator_graph *graph, void *const *before, size_t count,
	       const struct emulator_node *what, void **made)
{
	struct emulator_graph_node *node;
	int error = 0;

	for (size_t n = 0; n < count; n++)
		if (!node_of(graph, before[n]))
			return INVALID_VALUE;
	if (graph->node_count == NODES_LIMIT ||
	    !room_for((void **)&graph->nodes, &graph->node_room, graph->node_count,
		      sizeof(*graph->nodes)))
		return OUT_OF_MEMORY;
	node = calloc(1, sizeof(*node));
	if (!node)
		return OUT_OF_MEMORY;
	error = set_operation(node, what);
	if (error) {
		free(node);
		return error;
	}
	node->index = (uint32_t)graph->node_count;
	graph->nodes[graph->node_count++] = node;
	for (size_t n = 0; n < count && !error; n++)
		error = add_edge(graph, node_of(graph, before[n])->index, node->index);
	if (made)
		*made = node;
	return error;
}

int graph_record(void *graph, const struct emulator_node *node)
{
	return add(graph, NULL, 0, node, NULL);
}

static int add_memory(struct emulator_graph *graph, void *const *before, size_t count,
		      uint64_t size, uint64_t *address, void **made)
{
	struct emulator_node node = {.kind = NODE_ALLOC};
	struct allocation *allocation = memory_allocate(size, MEMORY_ALIGNMENT);
	int error;

	if (!allocation)
		return OUT_OF_MEMORY;
	allocation->kind = GPU_MEMORY_DEVICE;
	allocation->reserved = allocation->in_graph = true;
	node.address = *address = allocation->address;
	error = add(graph, before, count, &node, made);
	if (error)
		memory_release(allocation);
	return error;
}

int graph_record_memory(void *graph, uint64_t size, uint64_t *address)
{
	return add_memory(graph, NULL, 0, size, address, NULL);
}

int vflow_emulator_graph_add_memory(void *graph, void *const *before, size_t count, uint64_t size,
				    uint64_t *address, void **made)
{
	struct emulator_graph *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = size ? find(graph, false) : NULL;
	error = found ? add_memory(found, before, count, size, address, made) : INVALID_VALUE;
	device_leave();
	return error;
}

int vflow_emulator_capture_info(void *stream, void **graph, void ***nodes, size_t *count)
{
	const struct emulator_graph *found;
	int error = device_enter(true);

	if (error)
		return error;
	*graph = stream_captures(stream);
	found = *graph ? find(*graph, false) : NULL;
	if (stream_number(stream) < 0)
		error = INVALID_HANDLE;
	*count = found && found->node_count;
	*nodes = *count ? (void **)&found->nodes[found->node_count - 1] : NULL;
	device_leave();
	return error;
}

void *graph_new(void)
{
	return create(false);
}

int vflow_emulator_graph_create(void **graph)
{
	int error = device_enter(true);

	if (error)
		return error;
	*graph = create(false);
	device_leave();
	return *graph ? 0 : OUT_OF_MEMORY;
}

int vflow_emulator_graph_destroy(void *graph, bool executable)
{
	struct emulator_graph *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = find(graph, executable);
	if (found)
		destroy(found);
	device_leave();
	return found ? 0 : INVALID_VALUE;
}

int vflow_emulator_graph_add(void *graph, void *const *before, size_t count,
			     const struct emulator_node *what, void **made)
{
	struct emulator_graph *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = find(graph, false);
	error = found ? add(found, before, count, what, made) : INVALID_VALUE;
	device_leave();
	return error;
}

int vflow_emulator_graph_depend(void *graph, void *const *from, void *const *to, size_t count)
{
	struct emulator_graph *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = find(graph, false);
	error = found ? 0 : INVALID_VALUE;
	for (size_t n = 0; n < count && !error; n++) {
		const struct emulator_graph_node *a = node_of(found, from[n]);
		const struct emulator_graph_node *b = node_of(found, to[n]);

		error = a && b ? add_edge(found, a->index, b->index) : INVALID_VALUE;
	}
	device_leave();
	return error;
}

int vflow_emulator_graph_nodes(void *graph, void **nodes, size_t *count)
{
	struct emulator_graph *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = find(graph, false);
	for (size_t n = 0; found && nodes && n < *count && n < found->node_count; n++)
		nodes[n] = found->nodes[n];
	if (found)
		*count = found->node_count;
	device_leave();
	return found ? 0 : INVALID_VALUE;
}

/* Copies the nodes of `from` into `to`, in an order in which each comes after what it needs. */
static int copy_in_order(struct emulator_graph *to, const struct emulator_graph *from)
{
	uint32_t *waits = calloc(from->node_count + 1, sizeof(*waits));
	size_t done = 0, before = SIZE_MAX;
	int error = waits ? 0 : OUT_OF_MEMORY;

	for (size_t e = 0; !error && e < from->edge_count; e++)
		waits[from->edges[e].to]++;
	while (!error && done < from->node_count && done != before) {
		before = done;
		for (uint32_t n = 0; !error && n < from->node_count; n++) {
			if (waits[n])
				continue;
			waits[n] = UINT32_MAX; /* taken */
			error = add(to, NULL, 0, &from->nodes[n]->what, NULL);
			if (!error)
				to->nodes[to->node_count - 1]->origin = from->nodes[n];
			done++;
			for (size_t e = 0; e < from->edge_count; e++)
				if (from->edges[e].from == n)
					waits[from->edges[e].to]--;
		}
	}
	free(waits);
	return error ? error : done < from->node_count ? INVALID_VALUE : 0; /* a cycle */
}

static int instantiate(const struct emulator_graph *graph, bool executable, void **made)
{
	struct emulator_graph *copy = create(executable);
	int error = copy ? copy_in_order(copy, graph) : OUT_OF_MEMORY;

	if (error && copy)
		destroy(copy);
	*made = error ? NULL : copy;
	return error;
}

int vflow_emulator_graph_copy(void *graph, bool executable, void **made)
{
	struct emulator_graph *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = find(graph, false);
	error = found ? instantiate(found, executable, made) : INVALID_VALUE;
	device_leave();
	return error;
}

int vflow_emulator_graph_update(void *executable, void *graph)
{
	struct emulator_graph *old, *from, *made = NULL;
	int error = device_enter(true);

	if (error)
		return error;
	old = find(executable, true);
	from = find(graph, false);
	error = old && from ? instantiate(from, true, (void **)&made) : INVALID_VALUE;
	if (!error && made->node_count != old->node_count)
		error = UPDATE_FAILED;
	if (!error) { /* the handle stays, its nodes are exchanged */
		struct emulator_graph_node **nodes = old->nodes;

		old->nodes = made->nodes;
		made->nodes = nodes;
	}
	if (made)
		destroy(made);
	device_leave();
	return error;
}

int vflow_emulator_graph_set(void *graph, bool executable, const void *node,
			     const struct emulator_node *what)
{
	struct emulator_graph *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = find(graph, executable);
	error = INVALID_VALUE;
	for (size_t n = 0; found && n < found->node_count; n++)
		if ((executable ? found->nodes[n]->origin : found->nodes[n]) == node &&
		    found->nodes[n]->what.kind == what->kind)
			error = set_operation(found->nodes[n], what);
	device_leave();
	return error;
}

/*
 * Host functions run between the operations, without the lock: the program may call CUDA there,
 * but by its rules does not touch the graph that runs.
 */
static int run_node(const char *name, void *stream, const struct emulator_node *node)
{
	switch (node->kind) {
	case NODE_KERNEL:
		return vflow_emulator_launch(stream, &node->launch);
	case NODE_COPY:
		return vflow_emulator_copy(name, stream, &node->copy);
	case NODE_FILL:
		return vflow_emulator_fill(name, stream, node->fill.to, node->fill.pitch,
					   node->fill.value, node->fill.element, node->fill.width,
					   node->fill.height);
	case NODE_HOST:
		node->host(node->host_data);
		return 0;
	case NODE_ALLOC:
	case NODE_FREE:
		return vflow_emulator_graph_memory(name, stream, node->address,
						   node->kind == NODE_ALLOC);
	case NODE_GRAPH:
		return vflow_emulator_graph_launch(name, node->graph, stream);
	default:
		return 0;
	}
}

int vflow_emulator_graph_launch(const char *name, void *executable, void *stream)
{
	struct emulator_graph *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = find(executable, true);
	device_leave();
	if (!found)
		return INVALID_VALUE;
	for (size_t n = 0; n < found->node_count && !error; n++)
		error = run_node(name, stream, &found->nodes[n]->what);
	return error;
}

void graphs_release(void)
{
	while (graphs)
		destroy(graphs);
}
