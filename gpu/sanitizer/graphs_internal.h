/*
 * gpu/sanitizer/graphs_internal.h: what is known of a CUDA graph.
 */
#ifndef VFLOW_GPU_SANITIZER_GRAPHS_INTERNAL_H
#define VFLOW_GPU_SANITIZER_GRAPHS_INTERNAL_H

#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/graphs.h"

struct node {
	CUgraphNode node;
	CUgraphNodeType type;
	CUDA_HOST_NODE_PARAMS host; /* of a host node: what the program wants */
	CUevent event;		    /* the same of an event record node */
	struct graph_kernel kernel; /* of a kernel node, as far as it is known */
	struct graph_memory memory; /* of a memory node */
	uint32_t group;		    /* nodes of one are launched at once */
	uint32_t step;		    /* in the running launch; GRAPH_WHOLE: in none */
	bool off;
};

struct graph {
	struct graph *next;
	CUgraphExec exec;
	CUgraph source;
	bool kept;            /* the program has destroyed `source`: it is ours */
	const char *obstacle; /* see graph_obstacle() */
	bool conditional;     /* some run as the device decides */
	bool with_kernels;    /* the parameters of kernels are wanted */
	CUevent nobodys;      /* recorded in place of the program's */
	struct node *nodes;   /* in an order that keeps the dependencies */
	size_t count;
	size_t *starts; /* of each step's nodes in the running launch, and their end: count + 1 */
	uint32_t steps;
	uint32_t selected; /* the step that alone is enabled; GRAPH_WHOLE: none is */
};

/* It cannot be launched step by step. */
void graph_obstruct(struct graph *graph, const char *why);
/* Whether a node of this type does something, and can be launched alone. */
bool graph_is_step(CUgraphNodeType type);
bool graph_is_memory(CUgraphNodeType type);
/* Reads the nodes of graph->source and of its child graphs. */
void graph_read(struct graph *graph);
/* What a kernel node launches. */
void graph_read_kernel(struct node *node, const CUDA_KERNEL_NODE_PARAMS *parameters);
void graph_forget_kernel(struct node *node);

#endif
