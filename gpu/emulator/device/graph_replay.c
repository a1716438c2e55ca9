/*
 * gpu/emulator/device/graph_replay.c: launches of graphs: their operations run one after the other,
 * each as the node that it is.
 */
#include "gpu/emulator/device/graph_internal.h"

#include <stdlib.h>

#include "gpu/analysis/node_ordinals.h"

/*
 * Larger graphs, child graphs counted as often as they run, have their first nodes in the list; the
 * ordinals of the others are their places in the graph, which no node in the list has.
 */
#define LIST_LIMIT (UINT32_C(1) << 20)

/* The nodes of an executable and its child graphs, in the order in which they run. */
struct node_list {
	uint64_t changes; /* graph_changes() when it was made */
	unsigned users;   /* the graph, and launches that run */
	size_t count;
	struct graph_node nodes[];
};

void graph_drop_list(struct node_list *list)
{
	if (list && !--list->users)
		free(list);
}

static size_t count_nodes(const struct emulator_graph *graph, size_t before)
{
	size_t count = before;

	for (size_t n = 0; n < graph->node_count && count < LIST_LIMIT; n++)
		count = graph->nodes[n]->what.kind == NODE_GRAPH
				? count_nodes(graph->nodes[n]->what.graph, count)
				: count + 1;
	return count;
}

static struct graph_node describe(const struct emulator_graph_node *node)
{
	static const enum gpu_api apis[NODE_WAIT + 1] = {
		[NODE_KERNEL] = GPU_KERNEL, [NODE_COPY] = GPU_COPY, [NODE_FILL] = GPU_SET,
		[NODE_ALLOC] = GPU_ALLOC,   [NODE_FREE] = GPU_FREE,
	};
	struct graph_node described = {.api = apis[node->what.kind], .path = node->path};

	if (node->what.kind == NODE_KERNEL)
		described.name = node_name(launch_kernel_name(&node->what.launch));
	return described;
}

static void add_nodes(struct node_list *list, size_t room, const struct emulator_graph *graph)
{
	for (size_t n = 0; n < graph->node_count && list->count < room; n++)
		if (graph->nodes[n]->what.kind == NODE_GRAPH)
			add_nodes(list, room, graph->nodes[n]->what.graph);
		else
			list->nodes[list->count++] = describe(graph->nodes[n]);
}

/* NULL: no memory. */
static struct node_list *make_list(const struct emulator_graph *graph)
{
	size_t room = count_nodes(graph, 0);
	struct node_list *list = calloc(1, sizeof(*list) + room * sizeof(list->nodes[0]));

	if (!list)
		return NULL;
	list->changes = graph_changes();
	list->users = 1;
	add_nodes(list, room, graph);
	if (node_ordinals(list->nodes, list->count) == 0)
		return list;
	free(list);
	return NULL;
}

/* The list of the graph as it is now, for graph_drop_list(); NULL: no memory. */
static struct node_list *take_list(struct emulator_graph *graph)
{
	if (!graph->list || graph->list->changes != graph_changes()) {
		graph_drop_list(graph->list);
		graph->list = make_list(graph);
	}
	if (graph->list)
		graph->list->users++;
	return graph->list;
}

/* A running launch of a graph. */
struct replay {
	const char *name; /* of the call */
	void *stream;
	const struct node_list *list; /* NULL: nobody watches, or no memory */
	size_t place;                 /* of the next node: its index in the list */
	struct gpu_node node;
};

/* What is done from now on is the next node of the launch. */
static void begin_node(struct replay *replay, const struct emulator_graph_node *node)
{
	size_t place = replay->place++;

	replay->node.path = node->path;
	replay->node.ordinal = replay->list && place < replay->list->count
				       ? replay->list->nodes[place].ordinal
				       : (uint32_t)place;
	/* what the program's own function does is not the graph's */
	if (node->what.kind != NODE_HOST)
		observe_node(&replay->node);
	clock_by_device(node->what.kind != NODE_HOST);
}

static int run_operation(const struct replay *replay, const struct emulator_node *node)
{
	switch (node->kind) {
	case NODE_KERNEL:
		return vflow_emulator_launch(replay->stream, &node->launch);
	case NODE_COPY:
		return vflow_emulator_copy(replay->name, replay->stream, &node->copy);
	case NODE_FILL:
		return vflow_emulator_fill(replay->name, replay->stream, node->fill.to,
					   node->fill.pitch, node->fill.value, node->fill.element,
					   node->fill.width, node->fill.height);
	case NODE_HOST:
		clock_graph_launched();
		node->host(node->host_data);
		return 0;
	case NODE_ALLOC:
	case NODE_FREE:
		return vflow_emulator_graph_memory(replay->name, replay->stream, node->address,
						   node->kind == NODE_ALLOC);
	case NODE_RECORD:
		return vflow_emulator_event_record(node->event, replay->stream, false);
	case NODE_WAIT:
		return vflow_emulator_stream_wait(replay->stream, node->event, false);
	default:
		return 0;
	}
}

/*
 * Host functions run between the operations, without the lock: the program may call CUDA there,
 * but by its rules does not touch the graph that runs.
 */
static int run(struct replay *replay, const struct emulator_graph *graph)
{
	int error = 0;

	for (size_t n = 0; n < graph->node_count && !error; n++) {
		const struct emulator_graph_node *node = graph->nodes[n];

		if (node->what.kind == NODE_GRAPH) {
			error = run(replay, node->what.graph);
			continue;
		}
		begin_node(replay, node);
		if (!node->disabled)
			error = run_operation(replay, &node->what);
		observe_node(NULL);
		clock_by_device(false);
	}
	return error;
}

int vflow_emulator_graph_launch(const char *name, void *executable, void *stream)
{
	struct replay replay = {.name = name, .stream = stream};
	struct emulator_graph *found;
	struct node_list *list = NULL;
	int error = device_enter(true);

	if (error)
		return error;
	found = graph_find(executable, true);
	error = found ? stream_takes(stream) : INVALID_VALUE;
	if (error) {
		device_leave();
		return error;
	}
	found->users++;
	clock_graph();
	if (observe_active()) {
		replay.list = list = take_list(found);
		replay.node.launch_path = observe_path();
	}
	device_leave();
	error = run(&replay, found);
	clock_graph_launched();
	if (!device_enter(false)) { /* else it stays until the reset that the device needs */
		graph_drop_list(list);
		graph_leave(found);
		device_leave();
	}
	return error;
}
