/*
 * gpu/emulator/device/graph_internal.h: graphs as graph.c and graph_edit.c keep them.  All with the
 * lock held.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_GRAPH_INTERNAL_H
#define VFLOW_GPU_EMULATOR_DEVICE_GRAPH_INTERNAL_H

#include "gpu/emulator/device/graph.h"

struct emulator_graph_node {
	struct emulator_node what;
	uint8_t *parameters; /* what.launch.packed: its own copy */
	const void *origin;  /* the node of graph->source that it was copied from */
	uint32_t index;
	bool disabled; /* in an executable: does nothing */
};

struct edge {
	uint32_t from, to;
};

struct emulator_graph {
	struct emulator_graph_node **nodes;
	struct edge *edges;
	size_t node_count, node_room, edge_count, edge_room;
	bool executable;
	const struct emulator_graph *source; /* what it is a copy of; NULL: that has gone */
	unsigned depth;                      /* of child graphs in child graphs */
	/* It lives as long as the program has its handle, nodes have it for a child, or it runs. */
	bool gone;
	uint32_t users;
	struct emulator_graph *next;
};

/* The first of all graphs. */
struct emulator_graph *graphs_first(void);
/* The graph with that handle, which the program has; NULL: there is none. */
struct emulator_graph *graph_find(const void *handle, bool executable);
/* Takes a node out of its graph, which has no edges to it. */
void graph_free_node(struct emulator_graph_node *node);
/* The node with that handle; NULL: it is not in the graph. */
struct emulator_graph_node *graph_node_of(const struct emulator_graph *graph, const void *handle);
int graph_set_operation(struct emulator_graph_node *node, const struct emulator_node *what);

#endif
