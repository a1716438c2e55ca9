/*
 * gpu/sanitizer/graphs_internal.h: what is known of a CUDA graph.
 */
#ifndef VFLOW_GPU_SANITIZER_GRAPHS_INTERNAL_H
#define VFLOW_GPU_SANITIZER_GRAPHS_INTERNAL_H

#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/graphs.h"

/* A node that can be launched alone. */
struct node {
	CUgraphNode node;
	CUgraphNodeType type;
	CUDA_HOST_NODE_PARAMS host; /* of a host node: what the program wants */
	struct graph_kernel kernel; /* of a kernel node, as far as it is known */
	bool step;                  /* enabled when the launch began */
	bool off;
};

struct graph {
	struct graph *next;
	CUgraphExec exec;
	CUgraph source;
	bool kept;          /* the program has destroyed `source`: it is ours */
	bool separable;     /* all nodes can be launched one by one */
	bool lost;          /* ... until `source` was destroyed */
	bool conditional;   /* some run as the device decides */
	bool with_kernels;  /* the parameters of kernels are wanted */
	struct node *nodes; /* in an order that keeps the dependencies */
	size_t count;
	struct graph_memory *memory;
	unsigned memory_count;
};

/* Whether a node of this type does something, and can be launched alone. */
bool graph_is_step(CUgraphNodeType type);
/* Reads the nodes of graph->source and of its child graphs. */
void graph_read(struct graph *graph);
/* What a kernel node launches. */
void graph_read_kernel(struct node *node, const CUDA_KERNEL_NODE_PARAMS *parameters);
void graph_forget_kernel(struct node *node);

#endif
