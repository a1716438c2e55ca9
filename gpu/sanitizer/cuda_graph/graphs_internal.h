/*
 * gpu/sanitizer/cuda_graph/graphs_internal.h: what is known of a CUDA graph.
 */
#ifndef VFLOW_GPU_SANITIZER_CUDA_GRAPH_GRAPHS_INTERNAL_H
#define VFLOW_GPU_SANITIZER_CUDA_GRAPH_GRAPHS_INTERNAL_H

#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/cuda_graph/graphs.h"

struct graph_part;

struct place {
	CUgraphNode node;
	uint32_t index;
};

/* A child graph's nodes, with those of its own child graphs. */
struct child {
	CUgraphNode node;
	size_t begin, end;
	uint64_t shape;
};

struct node {
	CUgraphNode node, copy;  /* `copy`: in its part */
	struct graph_part *part; /* NULL: it is in none */
	CUgraphNodeType type;
	CUDA_HOST_NODE_PARAMS host; /* of a host node: what the program wants */
	CUevent event;              /* the same of an event record node */
	struct graph_kernel kernel; /* of a kernel node, as far as it is known */
	struct graph_memory memory; /* of a memory node */
	uint32_t child;             /* the number of the child graph that it is in; 0: in none */
	uint32_t group;             /* nodes of one are launched at once */
	uint32_t step;              /* in the running launch; GRAPH_WHOLE: in none */
	bool disabled;
};

struct graph {
	struct graph *next;
	CUgraphExec exec;
	CUgraph source;
	bool kept;                 /* the program has destroyed `source`: it is ours */
	enum coverage_id obstacle; /* see graph_obstacle() */
	bool conditional;          /* some run as the device decides */
	bool with_kernels;         /* the parameters of kernels are wanted */
	bool for_device;           /* see graphs_instantiated() */
	uint64_t shape; /* a hash of its nodes' types and edges, as the driver tells them */
	struct child *children;
	uint32_t child_count, inside; /* `inside`: the number of the one that is being read */
	CUevent dummy_event;          /* recorded in place of the program's */
	struct node *nodes;           /* in an order that keeps the dependencies */
	size_t count;
	struct place *places; /* of nodes, and of children behind them, by their handles */
	size_t *starts; /* of each step's nodes in the running launch, and their end: count + 1 */
	uint32_t steps;
	uint32_t selected;        /* the step that alone is enabled; GRAPH_WHOLE: none is */
	struct graph_part *parts; /* graph_parts.c; NULL: it has none */
};

/* It cannot be launched step by step. */
void graph_obstruct(struct graph *graph, enum coverage_id why);
/* Whether a node of this type does something, and can be launched alone. */
bool graph_is_step(CUgraphNodeType type);
bool graph_is_memory(CUgraphNodeType type);
/* Reads the nodes of graph->source and of its child graphs. */
void graph_read(struct graph *graph);
void graph_free_nodes(struct graph *graph);
/* NULL: it is none of the graph's. */
struct node *graph_find_node(const struct graph *graph, CUgraphNode which);
struct child *graph_find_child(const struct graph *graph, CUgraphNode which);
/* What a kernel node launches. */
void graph_read_kernel(struct node *node, const CUDA_KERNEL_NODE_PARAMS *parameters);
void graph_forget_kernel(struct node *node);

/* -- graph_parts.c ------------------------------------------------------------------------ */

/*
 * Makes the parts of a large graph, or anew those of a child graph, of what these nodes do now;
 * none if that does not work.
 */
void graph_make_parts(struct graph *graph, size_t begin, size_t end);
/* There are none of a child graph's nodes from now on. */
void graph_drop_some_parts(struct graph *graph, size_t begin, size_t end);
/* They have gone with their context.  Calls no driver. */
void graph_forget_parts(struct graph *graph);
/*
 * Enables the node alone in its part, which is returned.  NULL: there is none, or it did not work:
 * no part is left then.
 */
CUgraphExec graph_select_part(struct graph *graph, struct node *node);
/*
 * Does to a node's copy, if it has one, what the program did to the node: the parameters of
 * cuGraphExec...NodeSetParams(), NULL if nobody knows what it does now.  Where that does not work
 * its part is dropped.
 */
void graph_change_copy(struct graph *graph, struct node *node, const void *parameters,
		       CUcontext context);

#endif
