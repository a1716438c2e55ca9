/*
 * gpu/sanitizer/graphs.h: launches of CUDA graphs, one node after the other.
 *
 * The nodes of a launched graph run without a call of the program's between them, so a graph is
 * launched once for each of its kernel, copy, set and host nodes, in an order that keeps their
 * dependencies, with all others disabled; the program's own launch does the last one.  Graphs with
 * nodes that cannot be disabled (memory, conditions, ...) are launched as they are: what they wrote
 * has no known writer then.
 *
 * That is so for memory nodes because memory of a graph is the driver's between two launches: it may
 * be mapped elsewhere or lie under another graph's, by the documentation at any time, so that a
 * second launch need not find what the first one wrote; what is not freed in the graph cannot be
 * allocated twice at all.  Nor can passes be made nodes of such a graph: it cannot be cloned, nothing
 * can be removed from it afterwards, and its addresses are those of its own nodes.
 *
 * All functions want the lock of calls.c and call the driver.
 */
#ifndef VFLOW_GPU_SANITIZER_GRAPHS_H
#define VFLOW_GPU_SANITIZER_GRAPHS_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

struct graph;

/* What a kernel node launches. */
struct graph_kernel {
	CUfunction function; /* NULL: not known */
	void *parameters;    /* its block; NULL: not known */
	size_t size;
};

/* What a memory node allocates, or frees: then its size is 0. */
struct graph_memory {
	uint64_t address, size;
	bool short_lived; /* allocated and freed by the same graph */
};

/* Calls it with each kernel of a graph.  False: some cannot be known. */
bool graph_each_kernel(CUgraph graph, void (*call)(CUfunction function));
/* The function of a kernel node.  NULL: it cannot be known. */
CUfunction graph_function(CUfunction function, CUkernel kernel);
/* The program made `exec` from `graph`.  `with_kernels`: graph_kernel() will be asked for. */
void graphs_instantiated(CUgraphExec exec, CUgraph graph, bool with_kernels);
/* Another graph's parameters, or another function for a host or kernel node, were put into it. */
void graphs_updated(CUgraphExec exec);
void graphs_host_node(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *parameters);
void graphs_kernel_node(CUgraphExec exec, CUgraphNode node,
			const CUDA_KERNEL_NODE_PARAMS *parameters);
void graphs_gone(CUgraphExec exec);
void graphs_node_gone(CUgraphNode node);

/*
 * Nodes can be disabled only while the graph that they come from is there.  When the program
 * destroys it, this returns an empty graph to be destroyed in its place, or NULL.  `destroy` tries
 * it: calls cuGraphDestroy() with a graph, and `instead` in its place.
 */
CUgraph graphs_instead_of(CUgraph graph, CUresult (*destroy)(CUgraph graph, CUgraph instead));
/* NULL: a graph whose making was not seen. */
struct graph *graphs_find(CUgraphExec exec);
/* Whether its nodes can be launched one by one. */
bool graph_is_separable(const struct graph *graph);
/*
 * Whether it could be launched node by node until the program destroyed what it comes from, which this
 * driver does not let us prevent.
 */
bool graph_is_lost(const struct graph *graph);
/* Whether it has nodes that run as the device decides. */
bool graph_is_conditional(const struct graph *graph);
/* In the order of its nodes. */
const struct graph_memory *graph_memory(const struct graph *graph, unsigned *count);

/* Its nodes that do something: the program has not disabled them. */
unsigned graph_steps(struct graph *graph);
/* The kernel of one of the steps; NULL: it has none, or it is not known. */
const struct graph_kernel *graph_kernel(const struct graph *graph, unsigned step);
/*
 * Enables one of the steps, disables the others.  False: it did not work; a launch does this step
 * and those after it then.
 */
bool graph_select(struct graph *graph, unsigned step);
/* Enables all steps but the first `done`. */
void graph_restore(struct graph *graph, unsigned done);

#endif
