/*
 * gpu/emulator/driver/graph_edit.c: driver API: what programs ask of graphs and change in them,
 * node by node.
 */
#include "gpu/emulator/driver/driver.h"

#define OLDER(name) __asm__(name) __attribute__((visibility("default")))

/* -- queries ---------------------------------------------------------------------------------- */

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type)
{
	static const CUgraphNodeType types[] = {
		[NODE_KERNEL] = CU_GRAPH_NODE_TYPE_KERNEL,
		[NODE_COPY] = CU_GRAPH_NODE_TYPE_MEMCPY,
		[NODE_FILL] = CU_GRAPH_NODE_TYPE_MEMSET,
		[NODE_HOST] = CU_GRAPH_NODE_TYPE_HOST,
		[NODE_GRAPH] = CU_GRAPH_NODE_TYPE_GRAPH,
		[NODE_EMPTY] = CU_GRAPH_NODE_TYPE_EMPTY,
		[NODE_WAIT] = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
		[NODE_RECORD] = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
		[NODE_ALLOC] = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
		[NODE_FREE] = CU_GRAPH_NODE_TYPE_MEM_FREE,
	};
	struct emulator_node what;
	int error = type ? vflow_emulator_graph_node(hNode, &what) : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*type = types[what.kind];
	return RESULT(error);
}

CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes)
{
	return RESULT(numRootNodes ? (CUresult)vflow_emulator_graph_roots(
					     hGraph, (void **)rootNodes, numRootNodes)
				   : CUDA_ERROR_INVALID_VALUE);
}

/* Edge data is not emulated: zeros mean a full dependency. */
static void clear(CUgraphEdgeData *edges, const void *nodes, size_t room, size_t count)
{
	for (size_t i = 0; edges && nodes && i < room && i < count; i++)
		edges[i] = (CUgraphEdgeData){0};
}

CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
			    CUgraphEdgeData *edgeData, size_t *numEdges)
{
	size_t room = numEdges ? *numEdges : 0;
	int error = numEdges && !from == !to ? vflow_emulator_graph_edges(hGraph, (void **)from,
									  (void **)to, numEdges)
					     : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		clear(edgeData, from, room, *numEdges);
	return RESULT(error);
}

static CUresult neighbours(CUgraphNode node, bool before, CUgraphNode *nodes,
			   CUgraphEdgeData *edges, size_t *count)
{
	size_t room = count ? *count : 0;
	int error = count ? vflow_emulator_graph_neighbours(node, before, (void **)nodes, count)
			  : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		clear(edges, nodes, room, *count);
	return (CUresult)error;
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
				       CUgraphEdgeData *edgeData, size_t *numDependencies)
{
	return RESULT(neighbours(hNode, true, dependencies, edgeData, numDependencies));
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes,
					 CUgraphEdgeData *edgeData, size_t *numDependentNodes)
{
	return RESULT(neighbours(hNode, false, dependentNodes, edgeData, numDependentNodes));
}

CUresult cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode,
				CUgraph hClonedGraph)
{
	void *found;
	int error = phNode ? vflow_emulator_graph_in_clone(hClonedGraph, hOriginalNode, &found)
			   : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*phNode = found;
	return RESULT(error);
}

CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled)
{
	bool on = false;
	int error = isEnabled ? vflow_emulator_graph_enable(hGraphExec, hNode, &on, false)
			      : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*isEnabled = on;
	return RESULT(error);
}

/* -- changes ---------------------------------------------------------------------------------- */

CUresult cuGraphDestroyNode(CUgraphNode hNode)
{
	return RESULT(vflow_emulator_graph_node_remove(hNode));
}

CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled)
{
	bool on = isEnabled != 0;

	return RESULT(vflow_emulator_graph_enable(hGraphExec, hNode, &on, true));
}

CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
				      const CUgraphNode *to, const CUgraphEdgeData *edgeData,
				      size_t numDependencies)
{
	(void)edgeData;
	if ((!from || !to) && numDependencies)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	return RESULT(vflow_emulator_graph_undepend(hGraph, (void *const *)(uintptr_t)from,
						    (void *const *)(uintptr_t)to, numDependencies));
}

static CUresult set(CUgraphExec executable, CUgraphNode node, int error,
		    const struct emulator_node *what)
{
	if (!error)
		error = executable ? vflow_emulator_graph_set(executable, true, node, what)
				   : vflow_emulator_graph_node_set(node, what);
	return driver_result(error);
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	struct emulator_node node;
	int error = driver_kernel_node(nodeParams, &node);

	return RESULT(set(NULL, hNode, error, &node));
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
	struct emulator_node node;
	int error = driver_copy_node(nodeParams, &node);

	return RESULT(set(NULL, hNode, error, &node));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
					const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
	struct emulator_node node;
	int error = driver_copy_node(copyParams, &node);

	(void)ctx;
	return RESULT(hGraphExec ? set(hGraphExec, hNode, error, &node) : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
	struct emulator_node node;
	int error = driver_fill_node(nodeParams, &node);

	return RESULT(set(NULL, hNode, error, &node));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
					const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
	struct emulator_node node;
	int error = driver_fill_node(memsetParams, &node);

	(void)ctx;
	return RESULT(hGraphExec ? set(hGraphExec, hNode, error, &node) : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
	struct emulator_node node;
	int error = driver_host_node(nodeParams, &node);

	return RESULT(set(NULL, hNode, error, &node));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
				      const CUDA_HOST_NODE_PARAMS *nodeParams)
{
	struct emulator_node node;
	int error = driver_host_node(nodeParams, &node);

	return RESULT(hGraphExec ? set(hGraphExec, hNode, error, &node) : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
			      CUgraphExecUpdateResultInfo *resultInfo)
{
	int error = vflow_emulator_graph_update(hGraphExec, hGraph);

	if (resultInfo)
		*resultInfo = (CUgraphExecUpdateResultInfo){
			.result = error ? CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED
					: CU_GRAPH_EXEC_UPDATE_SUCCESS};
	return RESULT(error);
}

/* -- memory ----------------------------------------------------------------------------------- */

CUresult cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				const CUgraphNode *dependencies, size_t numDependencies,
				CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams)
{
	uint64_t address;
	void *node;
	int error;

	if (!phGraphNode || !nodeParams || (!dependencies && numDependencies))
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	error = vflow_emulator_graph_add_memory(hGraph, (void *const *)(uintptr_t)dependencies,
						numDependencies, nodeParams->bytesize, &address,
						&node);
	if (error)
		return RESULT(error);
	nodeParams->dptr = address;
	*phGraphNode = node;
	return CUDA_SUCCESS;
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph,
			       const CUgraphNode *dependencies, size_t numDependencies,
			       CUdeviceptr dptr)
{
	const struct emulator_node what = {.kind = NODE_FREE, .address = dptr};
	void *node;
	int error;

	if (!phGraphNode || !dptr || (!dependencies && numDependencies))
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	error = vflow_emulator_graph_add(hGraph, (void *const *)(uintptr_t)dependencies,
					 numDependencies, &what, &node);
	if (!error)
		*phGraphNode = node;
	return RESULT(error);
}

/* -- CUDA 12's forms, without edge data ------------------------------------------------------- */

CUresult older_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
	OLDER("cuGraphGetEdges");
CUresult older_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
	return DELEGATE(cuGraphGetEdges_v2(graph, from, to, NULL, count));
}

CUresult older_dependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count)
	OLDER("cuGraphNodeGetDependencies");
CUresult older_dependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
	return neighbours(node, true, nodes, NULL, count);
}

CUresult older_dependents(CUgraphNode node, CUgraphNode *nodes, size_t *count)
	OLDER("cuGraphNodeGetDependentNodes");
CUresult older_dependents(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
	return neighbours(node, false, nodes, NULL, count);
}

CUresult older_depend(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
	OLDER("cuGraphAddDependencies");
CUresult older_depend(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
	return DELEGATE(cuGraphAddDependencies_v2(graph, from, to, NULL, count));
}

CUresult older_undepend(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
	OLDER("cuGraphRemoveDependencies");
CUresult older_undepend(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
	return DELEGATE(cuGraphRemoveDependencies_v2(graph, from, to, NULL, count));
}
