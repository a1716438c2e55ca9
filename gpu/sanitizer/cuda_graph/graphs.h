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

#include "collect/coverage/coverage.h"
#include "gpu/provider.h"

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
	bool transient;         /* this graph allocates and frees it */
	uint32_t path, ordinal; /* of the node: see struct gpu_node */
};

#define GRAPH_WHOLE UINT32_MAX /* all steps of a graph */

/* Calls `call` with each kernel of a graph.  False: some cannot be known. */
bool graph_each_kernel(CUgraph graph, void (*call)(CUfunction function));
/* The function of a kernel node.  NULL: it cannot be known. */
CUfunction graph_function(CUfunction function, CUkernel kernel);
/*
 * The program is about to change what several kernels, copies or sets of a graph do; if that fails,
 * some may be changed.
 */
void graphs_changing(CUgraphExec exec);
/* The same of an unknown graph, and that it is done.  Need no lock and call no driver. */
void graphs_changing_unseen(void);
void graphs_changed_unseen(void);
/*
 * The program made `exec` from `graph`.  `with_kernels`: graph_kernel() will be used.
 * `for_device`: kernels may launch it, and can ask which graph they are in: it gets no parts.
 */
void graphs_instantiated(CUgraphExec exec, CUgraph graph, bool with_kernels, bool for_device);
/*
 * What the graph does was changed: to what the graph `from` does, or (NULL) to something unknown.
 */
void graphs_updated(CUgraphExec exec, CUgraph from);
void graphs_host_node(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *parameters);
void graphs_event_node(CUgraphExec exec, CUgraphNode node, CUevent event);
/*
 * The program changed a kernel, copy or set node.  `parameters`: those of
 * cuGraphExecKernelNodeSetParams(), ...; of copies and sets also the context.  NULL: the call
 * failed, and it is not known what the node does.
 */
void graphs_node(CUgraphExec exec, CUgraphNode node, const void *parameters, CUcontext context);
/* The program changed a child graph node to what the graph `from` does.  NULL: the call failed. */
void graphs_child_node(CUgraphExec exec, CUgraphNode node, CUgraph from);
void graphs_gone(CUgraphExec exec);
/* A context is about to go, and perhaps events of ours with it.  Calls no driver. */
void graphs_context_gone(void);
void graphs_node_gone(CUgraphNode node);

/*
 * Nodes can be disabled only while the graph that they come from is there.  When the program
 * destroys that, this returns an empty graph to be destroyed in its place, or NULL.  `destroy`
 * tries that: it calls cuGraphDestroy() with a graph, and with `substitute` in its place.
 */
CUgraph graphs_substitute(CUgraph graph, CUresult (*destroy)(CUgraph graph, CUgraph substitute));
/* NULL: it was not seen how the graph was made. */
struct graph *graphs_find(CUgraphExec exec);
/* What it was made from; NULL: that has gone. */
CUgraph graph_source(const struct graph *graph);
/* Why a graph cannot be launched step by step; COVERAGE_NONE: it can. */
enum coverage_id graph_obstacle(const struct graph *graph);
/* Whether a graph has conditional nodes. */
bool graph_is_conditional(const struct graph *graph);

/* A launch of the graph begins, in steps or as a whole. */
void graph_launching(struct graph *graph);
/*
 * Prepares the steps of a launch and returns how many.  A step is a node that does something and is
 * enabled, or all between an allocation and its free.
 */
uint32_t graph_steps(struct graph *graph);
/*
 * How many nodes a step has, not counting memory nodes; not 1: all between an allocation and its
 * free.
 */
uint32_t graph_step_nodes(const struct graph *graph, uint32_t step);
/* Sets the path and the ordinal of a step's only node; memory nodes are not counted. */
void graph_step_node(const struct graph *graph, uint32_t step, struct gpu_node *found);
/*
 * The same of a node of a step with several, one of which is launched: that of this handle, or the
 * first that was not taken in this launch, of this type, and (if it is not NULL) with a kernel of
 * this name.  False: there is none.
 */
bool graph_take_node(struct graph *graph, uint32_t step, CUgraphNode handle, CUgraphNodeType type,
		     const char *kernel, struct gpu_node *found);
/* The kernel of a step with one node; NULL: it has none, or the kernel is not known. */
const struct graph_kernel *graph_kernel(const struct graph *graph, uint32_t step);
/* Calls `call` with what the step allocates and frees, in the order of its nodes. */
void graph_each_memory(const struct graph *graph, uint32_t step,
		       void (*call)(void *data, const struct graph_memory *memory), void *data);
/*
 * Enables one step and disables the others.  *exec is to be launched: a part of a large graph, but
 * for the last step always the program's own graph.  False: that failed; a launch of the program's
 * graph does this step and those after it.
 */
bool graph_select(struct graph *graph, uint32_t step, CUgraphExec *exec);
/* Drops the parts of a graph for good. */
void graph_drop_parts(struct graph *graph);
/* Enables all steps but the first `done`. */
void graph_restore(struct graph *graph, uint32_t done);

#endif
