/*
 * gpu/emulator/device/graph_internal.h: graphs as graph.c and graph_edit.c keep them.  All with the
 * lock held.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_GRAPH_INTERNAL_H
#define VFLOW_GPU_EMULATOR_DEVICE_GRAPH_INTERNAL_H

#include "gpu/emulator/device/graph.h"
#include "gpu/emulator/device/observe.h"

struct node_list;

struct emulator_graph_node {
	struct emulator_node what;
	uint8_t *parameters; /* what.launch.packed: its own copy */
	const void *origin;  /* the node of graph->source that it was copied from */
	uint32_t index;
	uint32_t path; /* where the program captured or added it: see struct gpu_node */
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
	struct node_list *list; /* of an executable; NULL: it was not launched yet */
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
/* It is not run any more, or no child any more, and goes if the program has given it back. */
void graph_leave(struct emulator_graph *graph);
/* Grows when graphs get other kernels or children: ordinals of nodes may be others then. */
uint64_t graph_changes(void);
int graph_set_operation(struct emulator_graph_node *node, const struct emulator_node *what);

/* graph_replay.c: NULL is none. */
void graph_drop_list(struct node_list *list);

#endif
