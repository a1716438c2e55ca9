/*
 * gpu/emulator/device/graph.c: CUDA graphs: made node by node or captured from streams, and
 * instantiated into a list of operations in an order that keeps the dependencies.
 */
#include "gpu/emulator/device/graph_internal.h"

#include <stdlib.h>
#include <string.h>

#define NODES_LIMIT 100000u
#define DEPTH_LIMIT 100u

static struct emulator_graph *graphs;
static uint64_t changes;

uint64_t graph_changes(void)
{
	return changes;
}

struct emulator_graph *graphs_first(void)
{
	return graphs;
}

struct emulator_graph *graph_find(const void *handle, bool executable)
{
	struct emulator_graph *each = graphs;

	while (each && (each != handle || each->gone || each->executable != executable))
		each = each->next;
	return each;
}

bool graph_is_known(const void *graph)
{
	return graph_find(graph, false);
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
	for (size_t n = 0; n < graph->node_count; n++)
		graph_free_node(graph->nodes[n]);
	free(graph->nodes);
	free(graph->edges);
	graph_drop_list(graph->list);
	free(graph);
}

void graph_leave(struct emulator_graph *graph)
{
	if (!--graph->users && graph->gone)
		destroy(graph);
}

void graph_free_node(struct emulator_graph_node *node)
{
	if (node->what.kind == NODE_ALLOC)
		forget(node->what.address);
	if (node->what.kind == NODE_GRAPH)
		graph_leave(node->what.graph);
	free(node->parameters);
	free(node);
}

/* The program gives its handle back. */
static void give_up(struct emulator_graph *graph)
{
	graph->gone = true;
	for (struct emulator_graph *each = graphs; each && !graph->executable; each = each->next)
		if (each->source == graph)
			each->source = NULL;
	if (!graph->executable)
		streams_forget_graph(graph);
	if (!graph->users)
		destroy(graph);
}

void graph_give_up(void *graph)
{
	give_up(graph);
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

int graph_set_operation(struct emulator_graph_node *node, const struct emulator_node *what)
{
	uint8_t *parameters = NULL;
	int error = 0;

	if (what->kind == NODE_KERNEL)
		error = launch_pack(&what->launch, &parameters);
	if (error)
		return error;
	if (what->kind == NODE_GRAPH)
		((struct emulator_graph *)what->graph)->users++;
	if (node->what.kind == NODE_GRAPH)
		graph_leave(node->what.graph);
	if (node->what.kind != what->kind || node->what.graph != what->graph ||
	    node->what.launch.kernel != what->launch.kernel)
		changes++;
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

struct emulator_graph_node *graph_node_of(const struct emulator_graph *graph, const void *handle)
{
	for (size_t n = graph->node_count; n--;)
		if (graph->nodes[n] == handle)
			return graph->nodes[n];
	return NULL;
}

static int add(struct emulator_graph *graph, void *const *before, size_t count,
	       const struct emulator_node *what, void **made)
{
	const struct emulator_graph *child = what->kind == NODE_GRAPH ? what->graph : NULL;
	struct emulator_graph_node *node;
	int error = 0;

	for (size_t n = 0; n < count; n++)
		if (!graph_node_of(graph, before[n]))
			return INVALID_VALUE;
	if (child && child->depth >= DEPTH_LIMIT)
		return NOT_SUPPORTED;
	if (graph->node_count == NODES_LIMIT || !room_for((void **)&graph->nodes, &graph->node_room,
							  graph->node_count, sizeof(*graph->nodes)))
		return OUT_OF_MEMORY;
	node = calloc(1, sizeof(*node));
	if (!node)
		return OUT_OF_MEMORY;
	error = graph_set_operation(node, what);
	if (error) {
		free(node);
		return error;
	}
	if (child && child->depth >= graph->depth)
		graph->depth = child->depth + 1;
	node->index = (uint32_t)graph->node_count;
	graph->nodes[graph->node_count++] = node;
	for (size_t n = 0; n < count && !error; n++)
		error = add_edge(graph, graph_node_of(graph, before[n])->index, node->index);
	if (made)
		*made = node;
	return error;
}

/* Adds a node of the program's, which knows where it was added. */
static int add_here(struct emulator_graph *graph, void *const *before, size_t count,
		    const struct emulator_node *what, void **made)
{
	int error = add(graph, before, count, what, made);

	if (!error)
		graph->nodes[graph->node_count - 1]->path = observe_path();
	return error;
}

/* What a stream does comes after all that was captured before, which respects every order. */
static int record(struct emulator_graph *graph, const struct emulator_node *node)
{
	void *last = graph->node_count ? graph->nodes[graph->node_count - 1] : NULL;

	return add_here(graph, &last, last != NULL, node, NULL);
}

int graph_record(void *graph, const struct emulator_node *node)
{
	return record(graph, node);
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
	error = add_here(graph, before, count, &node, made);
	if (error)
		memory_release(allocation);
	return error;
}

int graph_record_memory(void *graph, uint64_t size, uint64_t *address)
{
	struct emulator_graph *captured = graph;
	void *last = captured->node_count ? captured->nodes[captured->node_count - 1] : NULL;

	return add_memory(graph, &last, last != NULL, size, address, NULL);
}

int vflow_emulator_graph_add_memory(void *graph, void *const *before, size_t count, uint64_t size,
				    uint64_t *address, void **made)
{
	struct emulator_graph *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = size ? graph_find(graph, false) : NULL;
	error = found ? add_memory(found, before, count, size, address, made) : INVALID_VALUE;
	device_leave();
	return error;
}

int vflow_emulator_capture_info(void *stream, void **graph, bool *valid, void ***nodes,
				size_t *count)
{
	const struct emulator_graph *found;
	int error = vflow_emulator_capture_graph(stream, graph, valid);

	if (!error)
		error = device_enter(true);
	if (error)
		return error;
	found = *graph ? graph_find(*graph, false) : NULL;
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
	found = graph_find(graph, executable);
	if (found)
		give_up(found);
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
	found = graph_find(graph, false);
	if (what->kind == NODE_GRAPH && !graph_find(what->graph, true))
		found = NULL;
	error = found ? add_here(found, before, count, what, made) : INVALID_VALUE;
	device_leave();
	return error;
}

int vflow_emulator_graph_add_child(void *graph, void *const *before, size_t count, void *child,
				   void **made)
{
	struct emulator_node what = {.kind = NODE_GRAPH};
	int error = vflow_emulator_graph_copy(child, true, &what.graph);

	if (error)
		return error;
	error = vflow_emulator_graph_add(graph, before, count, &what, made);
	vflow_emulator_graph_destroy(what.graph, true); /* the node keeps it */
	return error;
}

int vflow_emulator_graph_depend(void *graph, void *const *from, void *const *to, size_t count)
{
	struct emulator_graph *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = graph_find(graph, false);
	error = found ? 0 : INVALID_VALUE;
	for (size_t n = 0; n < count && !error; n++) {
		const struct emulator_graph_node *a = graph_node_of(found, from[n]);
		const struct emulator_graph_node *b = graph_node_of(found, to[n]);

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
	found = graph_find(graph, false);
	for (size_t n = 0; found && nodes && n < *count && n < found->node_count; n++)
		nodes[n] = found->nodes[n];
	if (found)
		*count = found->node_count;
	device_leave();
	return found ? 0 : INVALID_VALUE;
}

/* The edges of a graph sorted by where they begin: those of node n are [first[n], first[n + 1]). */
struct outgoing {
	uint32_t *first, *targets;
	uint32_t *waits;  /* edges that end in a node */
	uint32_t *places; /* of the nodes in the copy */
};

static bool sort_edges(const struct emulator_graph *graph, struct outgoing *out)
{
	size_t nodes = graph->node_count;

	out->first = calloc(nodes + 2, sizeof(uint32_t));
	out->targets = calloc(graph->edge_count + 1, sizeof(uint32_t));
	out->waits = calloc(nodes + 1, sizeof(uint32_t));
	out->places = calloc(nodes + 1, sizeof(uint32_t));
	if (!out->first || !out->targets || !out->waits || !out->places)
		return false;
	for (size_t e = 0; e < graph->edge_count; e++) {
		out->first[graph->edges[e].from + 2]++;
		out->waits[graph->edges[e].to]++;
	}
	for (size_t n = 2; n < nodes + 2; n++)
		out->first[n] += out->first[n - 1];
	for (size_t e = 0; e < graph->edge_count; e++)
		out->targets[out->first[graph->edges[e].from + 1]++] = graph->edges[e].to;
	return true;
}

static void free_edges(struct outgoing *out)
{
	free(out->first);
	free(out->targets);
	free(out->waits);
	free(out->places);
}

static int copy_node(struct emulator_graph *to, const struct emulator_graph *from, uint32_t n,
		     struct outgoing *out)
{
	int error = add(to, NULL, 0, &from->nodes[n]->what, NULL);

	if (error)
		return error;
	to->nodes[to->node_count - 1]->origin = from->nodes[n];
	to->nodes[to->node_count - 1]->path = from->nodes[n]->path;
	out->waits[n] = UINT32_MAX; /* taken */
	out->places[n] = (uint32_t)to->node_count - 1;
	for (uint32_t e = out->first[n]; e < out->first[n + 1]; e++)
		out->waits[out->targets[e]]--;
	return 0;
}

/* Copies the nodes of `from` into `to`, in an order in which each comes after what it needs. */
static int copy_in_order(struct emulator_graph *to, const struct emulator_graph *from)
{
	struct outgoing out = {0};
	size_t done = 0, before = SIZE_MAX;
	int error = sort_edges(from, &out) ? 0 : OUT_OF_MEMORY;

	while (!error && done < from->node_count && done != before) {
		before = done;
		for (uint32_t n = 0; !error && n < from->node_count; n++)
			if (!out.waits[n]) {
				error = copy_node(to, from, n, &out);
				done++;
			}
	}
	if (!error && done < from->node_count)
		error = INVALID_VALUE; /* a cycle */
	for (size_t e = 0; !error && !to->executable && e < from->edge_count; e++)
		error = add_edge(to, out.places[from->edges[e].from],
				 out.places[from->edges[e].to]);
	free_edges(&out);
	return error;
}

static int instantiate(const struct emulator_graph *graph, bool executable, void **made)
{
	struct emulator_graph *copy = create(executable);
	int error = copy ? copy_in_order(copy, graph) : OUT_OF_MEMORY;

	if (error && copy)
		destroy(copy);
	if (!error)
		copy->source = graph;
	*made = error ? NULL : copy;
	return error;
}

int vflow_emulator_graph_copy(void *graph, bool executable, void **made)
{
	struct emulator_graph *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = graph_find(graph, false);
	error = found ? instantiate(found, executable, made) : INVALID_VALUE;
	device_leave();
	return error;
}

/* Whether they have nodes of the same kinds: no update changes these. */
static bool are_alike(const struct emulator_graph *a, const struct emulator_graph *b)
{
	bool alike = a->node_count == b->node_count;

	for (size_t n = 0; alike && n < a->node_count; n++)
		alike = a->nodes[n]->what.kind == b->nodes[n]->what.kind;
	return alike;
}

int vflow_emulator_graph_update(void *executable, void *graph)
{
	struct emulator_graph *old, *from, *made = NULL;
	int error = device_enter(true);

	if (error)
		return error;
	old = graph_find(executable, true);
	from = graph_find(graph, false);
	error = old && from ? instantiate(from, true, (void **)&made) : INVALID_VALUE;
	if (!error && !are_alike(made, old))
		error = UPDATE_FAILED;
	if (!error) { /* the handle stays, its nodes are exchanged */
		struct emulator_graph_node **nodes = old->nodes;

		old->nodes = made->nodes;
		old->source = from;
		made->nodes = nodes;
		changes++;
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
	found = graph_find(graph, executable);
	error = INVALID_VALUE;
	if (executable && found && !found->source)
		found = NULL; /* the node has gone */
	for (size_t n = 0; found && n < found->node_count; n++)
		if ((executable ? found->nodes[n]->origin : found->nodes[n]) == node &&
		    found->nodes[n]->what.kind == what->kind)
			error = graph_set_operation(found->nodes[n], what);
	device_leave();
	return error;
}

/* Children go with the last graph that has them, what runs when it has run. */
void graphs_release(void)
{
	struct emulator_graph *next;

	for (struct emulator_graph *each = graphs; each; each = each->next)
		each->gone = true, each->source = NULL;
	for (struct emulator_graph *each = graphs; each; each = next) {
		next = each->next;
		if (!each->users) {
			destroy(each);
			next = graphs;
		}
	}
}
