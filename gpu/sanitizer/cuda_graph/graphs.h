/*
 * gpu/sanitizer/cuda_graph/graphs.h: launches of CUDA graphs, one node after the other.
 *
 * The nodes of a launched graph run without a call of the program's between them, so a graph is
 * launched once for each of its kernel, copy, set, host and event nodes, in an order that keeps
 * their dependencies, with all others disabled (host and event nodes, which cannot be, call a
 * function and record an event of ours); the program's own launch does the last one.  Graphs with
 * nodes that cannot be disabled (conditions, ...) or with cooperative kernels are launched as they
 * are: what they wrote has no known writer then.  A launch goes through its disabled nodes, too:
 * steps of large graphs are launched by copies of their nodes, few in each graph (graph_parts.c).
 *
 * Memory nodes cannot be disabled, either, but may run in each of these launches when the graph
 * frees what it allocates, and nothing else.  But memory of a graph is the driver's between two
 * launches: it may be mapped elsewhere or lie under another graph's, by the documentation at any
 * time, so that a second launch need not find what the first one wrote.  So all that lies between
 * an allocation and its free is launched at once.  What it wrote has a known writer if only one of
 * these nodes can have touched memory that lasts.  (More would have if each kernel among them had
 * masks of its own: its callback data may be its own.  Not done.)  Nor can passes be made nodes of
 * such a graph: it cannot be cloned, nothing can be removed from it afterwards, and its addresses
 * are those of its own nodes.
 *
 * All functions want the lock of calls.c and call the driver, unless they say otherwise.
 */
#ifndef VFLOW_GPU_SANITIZER_CUDA_GRAPH_GRAPHS_H
#define VFLOW_GPU_SANITIZER_CUDA_GRAPH_GRAPHS_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "collect/coverage.h"

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
	bool transient; /* allocated and freed by this graph */
};

#define GRAPH_WHOLE UINT32_MAX /* all steps of a graph */

/* Calls it with each kernel of a graph.  False: some cannot be known. */
bool graph_each_kernel(CUgraph graph, void (*call)(CUfunction function));
/* The function of a kernel node.  NULL: it cannot be known. */
CUfunction graph_function(CUfunction function, CUkernel kernel);
/*
 * The program is about to change what several kernels, copies or sets do; it may be half done when
 * that fails.
 */
void graphs_changing(CUgraphExec exec);
/* The same of any graph, and that it is done, without the lock and without a call of the driver. */
void graphs_changing_unseen(void);
void graphs_changed_unseen(void);
/*
 * The program made `exec` from `graph`.  `with_kernels`: graph_kernel() will be asked for.
 * `for_device`: kernels may launch it; they can ask which graph they are in, so that it has no
 * parts.
 */
void graphs_instantiated(CUgraphExec exec, CUgraph graph, bool with_kernels, bool for_device);
/* What it does was changed: to what the graph `from` does, or (NULL) to what is not known. */
void graphs_updated(CUgraphExec exec, CUgraph from);
void graphs_host_node(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *parameters);
void graphs_event_node(CUgraphExec exec, CUgraphNode node, CUevent event);
/*
 * A kernel, copy or set node was changed: the parameters of cuGraphExecKernelNodeSetParams(), ...;
 * of copies and sets also the context.  NULL: it failed, so that nobody knows.
 */
void graphs_node(CUgraphExec exec, CUgraphNode node, const void *parameters, CUcontext context);
/* A child graph node was changed to what the graph `from` does.  NULL: it failed. */
void graphs_child_node(CUgraphExec exec, CUgraphNode node, CUgraph from);
void graphs_gone(CUgraphExec exec);
/* A context is about to go, and with it, perhaps, events of ours.  Calls no driver. */
void graphs_context_gone(void);
void graphs_node_gone(CUgraphNode node);

/*
 * Nodes can be disabled only while the graph that they come from is there.  When the program
 * destroys it, this returns an empty graph to be destroyed in its place, or NULL.  `destroy` tries
 * it: calls cuGraphDestroy() with a graph, and `instead` in its place.
 */
CUgraph graphs_substitute(CUgraph graph, CUresult (*destroy)(CUgraph graph, CUgraph substitute));
/* NULL: a graph whose making was not seen. */
struct graph *graphs_find(CUgraphExec exec);
/* COVERAGE_NONE: it can be launched step by step.  Otherwise why it cannot. */
enum coverage_id graph_obstacle(const struct graph *graph);
/* Whether it has nodes that run as the device decides. */
bool graph_is_conditional(const struct graph *graph);

/*
 * Its steps: a node that does something and that the program has not disabled, or all between an
 * allocation and its free.
 */
uint32_t graph_steps(struct graph *graph);
/* How many nodes a step has without those of memory: only then none, or several. */
uint32_t graph_step_nodes(const struct graph *graph, uint32_t step);
/* The kernel of a step with one node; NULL: it has none, or it is not known. */
const struct graph_kernel *graph_kernel(const struct graph *graph, uint32_t step);
/* What the step allocates and frees, in the order of its nodes. */
void graph_each_memory(const struct graph *graph, uint32_t step,
		       void (*call)(void *data, const struct graph_memory *memory), void *data);
/*
 * Enables one of the steps, disables the others.  *exec does it when it is launched: a part of a
 * large graph, but of the last step always the program's own.  False: it did not work; a launch of
 * that does this step and those after it then.
 */
bool graph_select(struct graph *graph, uint32_t step, CUgraphExec *exec);
/* There are no parts of it from now on. */
void graph_drop_parts(struct graph *graph);
/* Enables all steps but the first `done`. */
void graph_restore(struct graph *graph, uint32_t done);

#endif
