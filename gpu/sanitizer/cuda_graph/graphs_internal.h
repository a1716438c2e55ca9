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
	CUgraphNode node, copy;  /* `copy`: its copy in `part` */
	struct graph_part *part; /* NULL: there is no copy */
	CUgraphNodeType type;
	CUDA_HOST_NODE_PARAMS host; /* of a host node: what the program wants it to do */
	CUevent event;              /* of an event record node, the same */
	struct graph_kernel kernel; /* of a kernel node, as far as it is known */
	struct graph_memory memory; /* of a memory node */
	uint32_t child;             /* the number of its child graph; 0: it is in none */
	uint32_t group;             /* nodes of one group are launched at once */
	uint32_t step;              /* in the running launch; GRAPH_WHOLE: in no step */
	uint32_t path, ordinal;     /* see struct gpu_node */
	uint64_t name;              /* of its kernel: node_name() */
	bool disabled;
	bool taken; /* in the running launch, by graph_take_node() */
};

struct graph {
	struct graph *next;
	CUgraphExec exec;
	CUgraph source;
	bool kept; /* the program has destroyed `source`, which is ours since then */
	enum coverage_id obstacle; /* see graph_obstacle() */
	bool conditional;          /* some nodes run as the device decides */
	bool with_kernels;         /* the parameters of kernels are wanted */
	bool for_device;           /* see graphs_instantiated() */
	bool numbered;             /* nodes have their ordinals */
	uint64_t shape;            /* a hash of the nodes' types and edges, in the driver's order */
	struct child *children;
	uint32_t child_count, inside; /* `inside`: the number of the child that is being read */
	CUevent dummy_event;          /* event nodes record it while they are disabled */
	struct node *nodes;           /* in an order that keeps the dependencies */
	size_t count;
	struct place *places; /* nodes, and children behind them, sorted by handle */
	size_t *starts; /* index of each step's first node in the running launch, and their end; it
			   has count + 1 elements */
	uint32_t steps;
	size_t taken;             /* nodes before it were, by graph_take_node() */
	uint32_t selected;        /* the only enabled step; GRAPH_WHOLE: all are enabled */
	struct graph_part *parts; /* see graph_parts.c; NULL: there are none */
};

/* The graph cannot be launched step by step from now on. */
void graph_obstruct(struct graph *graph, enum coverage_id why);
/* Whether nodes of this type do something, and can be launched alone. */
bool graph_is_step(CUgraphNodeType type);
bool graph_is_memory(CUgraphNodeType type);
/* -- graph_paths.c ------------------------------------------------------------------------ */

/* What tells kernels apart that were added at one place; 0: it is not known. */
uint64_t graph_kernel_name(const CUDA_KERNEL_NODE_PARAMS *parameters);
/* Numbers equal nodes, if that is to be done. */
void graph_number(struct graph *graph);

/* -- graph_nodes.c ------------------------------------------------------------------------ */

/* Reads the nodes of graph->source and of its child graphs. */
void graph_read(struct graph *graph);
void graph_free_nodes(struct graph *graph);
/* NULL: the graph has no such node. */
struct node *graph_find_node(const struct graph *graph, CUgraphNode which);
struct child *graph_find_child(const struct graph *graph, CUgraphNode which);
/* Reads what a kernel node launches. */
void graph_read_kernel(struct node *node, const CUDA_KERNEL_NODE_PARAMS *parameters);
void graph_forget_kernel(struct node *node);

/* -- graph_parts.c ------------------------------------------------------------------------ */

/*
 * Makes the parts of a large graph, or makes those of a child graph again, of what these nodes do
 * now.  There are none if that does not work.
 */
void graph_make_parts(struct graph *graph, size_t begin, size_t end);
/* Drops the parts of a child graph's nodes. */
void graph_drop_some_parts(struct graph *graph, size_t begin, size_t end);
/* The parts were destroyed with their context.  Calls no driver. */
void graph_forget_parts(struct graph *graph);
/*
 * Enables a node's copy alone in its part, which is returned.  NULL: the node has no copy, or that
 * failed: no part is left then.
 */
CUgraphExec graph_select_part(struct graph *graph, struct node *node);
/*
 * Does to the node's copy, if it has one, what the program did to the node.  `parameters`: those of
 * cuGraphExec...NodeSetParams(), NULL if it is not known what the node does now.  If that does not
 * work the part is dropped.
 */
void graph_change_copy(struct graph *graph, struct node *node, const void *parameters,
		       CUcontext context);

#endif
