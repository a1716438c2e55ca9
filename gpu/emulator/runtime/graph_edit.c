/*
 * gpu/emulator/runtime/graph_edit.c: runtime API: what programs ask of graphs and their nodes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/runtime/graph.h"

/* Numbers of cudaGraphNodeType. */
static const int node_types[] = {
	[NODE_KERNEL] = 0, [NODE_COPY] = 1, [NODE_FILL] = 2,   [NODE_HOST] = 3,   [NODE_GRAPH] = 4,
	[NODE_EMPTY] = 5,  [NODE_WAIT] = 6, [NODE_RECORD] = 7, [NODE_ALLOC] = 10, [NODE_FREE] = 11,
};

#define GRAPH_API(...)                                                                             \
	EXPORT cudaError_t __VA_ARGS__;                                                            \
	cudaError_t __VA_ARGS__

GRAPH_API(cudaGraphNodeGetType(cudaGraphNode_t node, int *type))
{
	struct emulator_node what;
	int error;

	ATTACH();
	error = type ? vflow_emulator_graph_node(node, &what) : (int)cudaErrorInvalidValue;
	if (!error)
		*type = node_types[what.kind];
	return runtime_result(error);
}

GRAPH_API(cudaGraphDestroyNode(cudaGraphNode_t node))
{
	ATTACH();
	return runtime_result(vflow_emulator_graph_node_remove(node));
}

GRAPH_API(cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count))
{
	ATTACH();
	return runtime_result(count ? vflow_emulator_graph_roots(graph, (void **)nodes, count)
				    : (int)cudaErrorInvalidValue);
}

GRAPH_API(cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t node, cudaGraph_t clone))
{
	void *copy;
	int error;

	ATTACH();
	error = found ? vflow_emulator_graph_in_clone(clone, node, &copy)
		      : (int)cudaErrorInvalidValue;
	if (!error)
		*found = copy;
	return runtime_result(error);
}

GRAPH_API(cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
				  unsigned *enabled))
{
	bool on = false;
	int error;

	ATTACH();
	error = enabled ? vflow_emulator_graph_enable(executable, node, &on, false)
			: (int)cudaErrorInvalidValue;
	if (!error)
		*enabled = on;
	return runtime_result(error);
}

GRAPH_API(cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
				  unsigned enabled))
{
	bool on = enabled != 0;

	ATTACH();
	return runtime_result(vflow_emulator_graph_enable(executable, node, &on, true));
}

GRAPH_API(cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph))
{
	(void)node;
	(void)graph;
	return runtime_result(vflow_emulator_unsupported("cudaGraphChildGraphNodeGetGraph"));
}

GRAPH_API(cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long *flags))
{
	(void)executable;
	ATTACH();
	if (!flags)
		return runtime_result(cudaErrorInvalidValue);
	*flags = 0;
	return cudaSuccess;
}

/* -- dependencies and dependents ------------------------------------------------------------ */

/* Edge data is not emulated: zeros mean a full dependency. */
static void clear_edges(void *edges, size_t count)
{
	if (edges)
		memset(edges, 0, 8 * count);
}

static cudaError_t neighbours(const char *name, cudaGraphNode_t node, bool before,
			      cudaGraphNode_t *nodes, void *edges, size_t *count)
{
	size_t room;
	int error;

	ATTACH_OF(name);
	if (!count)
		return runtime_result_of(name, cudaErrorInvalidValue);
	room = *count;
	error = vflow_emulator_graph_neighbours(node, before, (void **)nodes, count);
	if (!error && nodes)
		clear_edges(edges, *count < room ? *count : room);
	return runtime_result_of(name, error);
}

static cudaError_t all_edges(const char *name, cudaGraph_t graph, cudaGraphNode_t *from,
			     cudaGraphNode_t *to, void *edges, size_t *count)
{
	size_t room;
	int error;

	ATTACH_OF(name);
	if (!count || !from != !to)
		return runtime_result_of(name, cudaErrorInvalidValue);
	room = *count;
	error = vflow_emulator_graph_edges(graph, (void **)from, (void **)to, count);
	if (!error && from)
		clear_edges(edges, *count < room ? *count : room);
	return runtime_result_of(name, error);
}

static cudaError_t undepend(const char *name, cudaGraph_t graph, const cudaGraphNode_t *from,
			    const cudaGraphNode_t *to, size_t count)
{
	ATTACH_OF(name);
	return runtime_result_of(
		name, vflow_emulator_graph_undepend(graph, (void *const *)(uintptr_t)from,
						    (void *const *)(uintptr_t)to, count));
}

#if CUDART_MAJOR >= 13
#define WITH_EDGES(name) name
#else
#define WITH_EDGES(name) name##_v2

GRAPH_API(cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count))
{
	return neighbours(__func__, node, true, nodes, NULL, count);
}

GRAPH_API(cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
					 size_t *count))
{
	return neighbours(__func__, node, false, nodes, NULL, count);
}

GRAPH_API(cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
			    size_t *count))
{
	return all_edges(__func__, graph, from, to, NULL, count);
}

GRAPH_API(cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
				      const cudaGraphNode_t *to, size_t count))
{
	return undepend(__func__, graph, from, to, count);
}
#endif

GRAPH_API(WITH_EDGES(cudaGraphNodeGetDependencies)(cudaGraphNode_t node, cudaGraphNode_t *nodes,
						   void *edges, size_t *count))
{
	return neighbours(__func__, node, true, nodes, edges, count);
}

GRAPH_API(WITH_EDGES(cudaGraphNodeGetDependentNodes)(cudaGraphNode_t node, cudaGraphNode_t *nodes,
						     void *edges, size_t *count))
{
	return neighbours(__func__, node, false, nodes, edges, count);
}

GRAPH_API(WITH_EDGES(cudaGraphGetEdges)(cudaGraph_t graph, cudaGraphNode_t *from,
					cudaGraphNode_t *to, void *edges, size_t *count))
{
	return all_edges(__func__, graph, from, to, edges, count);
}

GRAPH_API(WITH_EDGES(cudaGraphRemoveDependencies)(cudaGraph_t graph, const cudaGraphNode_t *from,
						  const cudaGraphNode_t *to, const void *edges,
						  size_t count))
{
	(void)edges;
	return undepend(__func__, graph, from, to, count);
}

/* -- new parameters for a node -------------------------------------------------------------- */

static cudaError_t set(const char *name, void *executable, cudaGraphNode_t node, int error,
		       const struct emulator_node *what)
{
	ATTACH_OF(name);
	if (!error)
		error = executable ? vflow_emulator_graph_set(executable, true, node, what)
				   : vflow_emulator_graph_node_set(node, what);
	return runtime_result_of(name, error);
}

#define SET_PARAMETERS(name, type, read)                                                           \
	GRAPH_API(cudaGraph##name##NodeSetParams(cudaGraphNode_t node, const type *p))             \
	{                                                                                          \
		struct emulator_node what = {0};                                                   \
		int error = read(p, &what);                                                        \
                                                                                                   \
		return set(__func__, NULL, node, error, &what);                                    \
	}

#define SET_EXECUTABLE(name, type, read)                                                           \
	GRAPH_API(cudaGraphExec##name##NodeSetParams(cudaGraphExec_t executable,                   \
						     cudaGraphNode_t node, const type *p))         \
	{                                                                                          \
		struct emulator_node what = {0};                                                   \
		int error = read(p, &what);                                                        \
                                                                                                   \
		return executable ? set(__func__, executable, node, error, &what)                  \
				  : runtime_result(cudaErrorInvalidValue);                         \
	}

SET_PARAMETERS(Kernel, struct cudaKernelNodeParams, runtime_kernel_node)
SET_PARAMETERS(Memcpy, struct cudaMemcpy3DParms, runtime_copy_node)
SET_PARAMETERS(Memset, struct cudaMemsetParams, runtime_fill_node)
SET_PARAMETERS(Host, struct cudaHostNodeParams, runtime_host_node)
SET_EXECUTABLE(Memcpy, struct cudaMemcpy3DParms, runtime_copy_node)
SET_EXECUTABLE(Memset, struct cudaMemsetParams, runtime_fill_node)
SET_EXECUTABLE(Host, struct cudaHostNodeParams, runtime_host_node)

static int row_node(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
		    struct emulator_node *node)
{
	*node = (struct emulator_node){.kind = NODE_COPY,
				       .copy = {.to = runtime_bits(dst),
						.from = runtime_bits(src),
						.width = count,
						.height = 1}};
	return runtime_sides(&node->copy, kind);
}

GRAPH_API(cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
					 size_t count, enum cudaMemcpyKind kind))
{
	struct emulator_node what;
	int error = row_node(dst, src, count, kind, &what);

	return set(__func__, NULL, node, error, &what);
}

GRAPH_API(cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
					     void *dst, const void *src, size_t count,
					     enum cudaMemcpyKind kind))
{
	struct emulator_node what;
	int error = row_node(dst, src, count, kind, &what);

	return executable ? set(__func__, executable, node, error, &what)
			  : runtime_result(cudaErrorInvalidValue);
}

GRAPH_API(cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p))
{
	struct emulator_node what;
	int error;

	ATTACH();
	error = p ? vflow_emulator_graph_node(node, &what) : (int)cudaErrorInvalidValue;
	if (!error && what.kind != NODE_FILL)
		error = cudaErrorInvalidValue;
	if (!error)
		*p = (struct cudaMemsetParams){(void *)(uintptr_t)what.fill.to,
					       what.fill.pitch,
					       what.fill.value,
					       what.fill.element,
					       what.fill.width,
					       what.fill.height};
	return runtime_result(error);
}

GRAPH_API(cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p))
{
	struct emulator_node what;
	int error;

	ATTACH();
	error = p ? vflow_emulator_graph_node(node, &what) : (int)cudaErrorInvalidValue;
	if (!error && what.kind != NODE_HOST)
		error = cudaErrorInvalidValue;
	if (!error)
		*p = (struct cudaHostNodeParams){what.host, what.host_data};
	return runtime_result(error);
}

/* -- events ---------------------------------------------------------------------------------- */

static cudaError_t add_event(const char *name, cudaGraphNode_t *made, cudaGraph_t graph,
			     const cudaGraphNode_t *before, size_t count, cudaEvent_t event,
			     bool record)
{
	struct emulator_node what = {.kind = record ? NODE_RECORD : NODE_WAIT, .event = event};
	void *node;
	int error;

	ATTACH_OF(name);
	error = made && (before || !count) ? vflow_emulator_event_check(event)
					   : (int)cudaErrorInvalidValue;
	if (!error)
		error = vflow_emulator_graph_add(graph, (void *const *)(uintptr_t)before, count,
						 &what, &node);
	if (!error)
		*made = node;
	return runtime_result_of(name, error);
}

GRAPH_API(cudaGraphAddEventRecordNode(cudaGraphNode_t *made, cudaGraph_t graph,
				      const cudaGraphNode_t *before, size_t count,
				      cudaEvent_t event))
{
	return add_event(__func__, made, graph, before, count, event, true);
}

GRAPH_API(cudaGraphAddEventWaitNode(cudaGraphNode_t *made, cudaGraph_t graph,
				    const cudaGraphNode_t *before, size_t count, cudaEvent_t event))
{
	return add_event(__func__, made, graph, before, count, event, false);
}

/* -- symbols ---------------------------------------------------------------------------------- */

static cudaError_t add_symbol(const char *name, cudaGraphNode_t *made, cudaGraph_t graph,
			      const cudaGraphNode_t *before, size_t nodes, const void *symbol,
			      const void *other, size_t count, size_t offset,
			      enum cudaMemcpyKind kind, bool to)
{
	uint64_t address, size;
	void *memory;
	int error;

	ATTACH_OF(name);
	error = registry_variable(symbol, &address, &size);
	if (!error && (offset > size || count > size - offset))
		error = cudaErrorInvalidValue;
	if (error)
		return runtime_result_of(name, error);
	memory = (void *)(uintptr_t)(address + offset);
	return DELEGATE(cudaGraphAddMemcpyNode1D(made, graph, before, nodes,
						 to ? memory : (void *)(uintptr_t)other,
						 to ? other : memory, count, kind));
}

GRAPH_API(cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *made, cudaGraph_t graph,
					 const cudaGraphNode_t *before, size_t nodes,
					 const void *symbol, const void *src, size_t count,
					 size_t offset, enum cudaMemcpyKind kind))
{
	return add_symbol(__func__, made, graph, before, nodes, symbol, src, count, offset, kind,
			  true);
}

GRAPH_API(cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *made, cudaGraph_t graph,
					   const cudaGraphNode_t *before, size_t nodes, void *dst,
					   const void *symbol, size_t count, size_t offset,
					   enum cudaMemcpyKind kind))
{
	return add_symbol(__func__, made, graph, before, nodes, symbol, dst, count, offset, kind,
			  false);
}

/* -- instantiation with parameters, DOT for debugging ---------------------------------------- */

struct instantiate_parameters {
	unsigned long long flags;
	cudaStream_t upload;
	cudaGraphNode_t failed;
	int result;
};

GRAPH_API(cudaGraphInstantiateWithParams(cudaGraphExec_t *executable, cudaGraph_t graph,
					 struct instantiate_parameters *p))
{
	void *made;
	int error;

	ATTACH();
	error = executable && p ? vflow_emulator_graph_copy(graph, true, &made)
				: (int)cudaErrorInvalidValue;
	if (!error)
		*executable = made;
	if (p) {
		p->failed = NULL;
		p->result = error != 0;
	}
	return runtime_result(error);
}
PER_THREAD(cudaGraphInstantiateWithParams, cudaGraphInstantiateWithParams_ptsz);

static bool write_picture(FILE *file, cudaGraph_t graph)
{
	static const char *const names[] = {
		[NODE_EMPTY] = "empty", [NODE_KERNEL] = "kernel", [NODE_COPY] = "memcpy",
		[NODE_FILL] = "memset", [NODE_HOST] = "host",     [NODE_GRAPH] = "graph",
		[NODE_ALLOC] = "alloc", [NODE_FREE] = "free",     [NODE_RECORD] = "record",
		[NODE_WAIT] = "wait",
	};
	size_t count = 0, edge_count = 0;
	void **nodes, **from, **to;
	struct emulator_node what;

	if (vflow_emulator_graph_nodes(graph, NULL, &count) ||
	    vflow_emulator_graph_edges(graph, NULL, NULL, &edge_count))
		return false;
	nodes = calloc(count + 2 * edge_count + 1, sizeof(*nodes));
	if (!nodes)
		return false;
	from = nodes + count;
	to = from + edge_count;
	vflow_emulator_graph_nodes(graph, nodes, &(size_t){count});
	/* another thread may change the graph meanwhile: there may be more now, or less */
	vflow_emulator_graph_edges(graph, from, to, &(size_t){edge_count});
	fprintf(file, "digraph dot {\n");
	for (size_t n = 0; n < count; n++)
		if (!vflow_emulator_graph_node(nodes[n], &what))
			fprintf(file, "\t\"%p\" [label=\"%s\"];\n", nodes[n], names[what.kind]);
	for (size_t n = 0; n < edge_count && from[n]; n++)
		fprintf(file, "\t\"%p\" -> \"%p\";\n", from[n], to[n]);
	fprintf(file, "}\n");
	free(nodes);
	return true;
}

GRAPH_API(cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags))
{
	FILE *file;
	bool good;

	(void)flags;
	ATTACH();
	file = path ? fopen(path, "we") : NULL;
	if (!file)
		return runtime_result(cudaErrorInvalidValue);
	good = write_picture(file, graph);
	fclose(file);
	return runtime_result(good ? cudaSuccess : cudaErrorInvalidValue);
}
