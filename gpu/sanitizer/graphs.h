/*
 * gpu/sanitizer/graphs.h: launches of CUDA graphs, one node after the other.
 *
 * The nodes of a launched graph run without a call of the program's between them, so a graph is
 * launched once for each of its kernel, copy, set and host nodes, in an order that keeps their
 * dependencies, with all others disabled; the program's own launch does the last one.  Graphs with
 * nodes that cannot be disabled (memory, conditions, ...) are launched as they are:
 * what they do is unknown then.
 *
 * All functions want the lock of calls.c and call the driver.
 */
#ifndef VFLOW_GPU_SANITIZER_GRAPHS_H
#define VFLOW_GPU_SANITIZER_GRAPHS_H

#include <stdbool.h>

#include <cuda.h>

struct graph;

/* The program made `exec` from `graph`. */
void graphs_instantiated(CUgraphExec exec, CUgraph graph);
/* Another graph's parameters, or another function for a host node, were put into it. */
void graphs_updated(CUgraphExec exec);
void graphs_host_node(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *parameters);
void graphs_gone(CUgraphExec exec);
void graphs_node_gone(CUgraphNode node);

/*
 * Nodes can be disabled only while the graph that they come from is there.  When the program
 * destroys it, this returns an empty graph to be destroyed in its place, or NULL.
 */
CUgraph graphs_instead_of(CUgraph graph);

/* The graph whose nodes can be launched one by one, or NULL. */
struct graph *graphs_find(CUgraphExec exec);
/* Its nodes that do something: the program has not disabled them. */
unsigned graph_steps(struct graph *graph);
/* Enables one of the steps, disables the others.  False: it did not work; all are as they were. */
bool graph_select(struct graph *graph, unsigned step);
/* Whether graph_select() has disabled the node. */
bool graph_is_off(const struct graph *graph, CUgraphNode node);
/* Enables all steps. */
void graph_restore(struct graph *graph);

#endif
