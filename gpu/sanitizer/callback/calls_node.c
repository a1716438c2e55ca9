/*
 * gpu/sanitizer/callback/calls_node.c: where the program captures nodes of CUDA graphs, adds them,
 * or copies them.
 */
#include <string.h>

#include "gpu/nvidia/apis.h"
#include "gpu/sanitizer/api/launch_call.h"
#include "gpu/sanitizer/callback/calls_internal.h"
#include "gpu/sanitizer/cuda_graph/graph_paths.h"
#include "gpu/sanitizer/cuda_graph/graphs.h"
#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/schedule/events.h"

static unsigned captures; /* that run, as far as they were seen to begin */

/* Of the program's functions that put something on a stream: the index of that parameter. */
static const struct {
	const char *function;
	unsigned stream;
} captured[] = {
	{"cuGraphLaunch", 1},       {"cuMemAllocAsync", 2},    {"cuMemAllocFromPoolAsync", 3},
	{"cuMemFreeAsync", 1},      {"cuMemcpy2DAsync", 1},    {"cuMemcpy3DAsync", 1},
	{"cuMemcpy3DPeerAsync", 1}, {"cuMemcpyAsync", 3},      {"cuMemcpyAtoHAsync", 4},
	{"cuMemcpyDtoDAsync", 3},   {"cuMemcpyDtoHAsync", 3},  {"cuMemcpyHtoAAsync", 4},
	{"cuMemcpyHtoDAsync", 3},   {"cuMemcpyPeerAsync", 5},  {"cuMemsetD16Async", 3},
	{"cuMemsetD2D16Async", 5},  {"cuMemsetD2D32Async", 5}, {"cuMemsetD2D8Async", 5},
	{"cuMemsetD32Async", 3},    {"cuMemsetD8Async", 3},
};

static CUstream stream_of(const Sanitizer_CallbackData *data)
{
	const uint64_t *words = data->functionParams;
	struct launch_call call;

	if (launch_call_read(&call, data->functionName, words))
		return call.stream;
	for (size_t i = 0; i < sizeof(captured) / sizeof(*captured); i++)
		if (api_is(data->functionName, captured[i].function))
			return api_stream(data->functionName,
					  (CUstream)(uintptr_t)words[captured[i].stream]);
	return NULL;
}

/* The node that was captured last on the stream; NULL: none, or the stream is not captured. */
static CUgraphNode last_node(CUstream stream)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	const CUgraphNode *nodes = NULL;
	size_t count = 0;
	CUresult result;

	if (!stream || stream == CU_STREAM_LEGACY)
		return NULL;
#if CUDA_VERSION >= 13000
	result = driver.cuStreamGetCaptureInfo(stream, &status, NULL, NULL, &nodes, NULL, &count);
#else
	result = driver.cuStreamGetCaptureInfo(stream, &status, NULL, NULL, &nodes, &count);
#endif
	return result == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_ACTIVE && count == 1
		       ? nodes[0]
		       : NULL;
}

static CUgraph child_of(CUgraphNode node)
{
	CUgraph child;

	return driver.cuGraphChildGraphNodeGetGraph(node, &child) == CUDA_SUCCESS ? child : NULL;
}

static void note_captured(const Sanitizer_CallbackData *data)
{
	CUgraphNode node = last_node(stream_of(data));
	struct graph *launched;

	if (!node)
		return;
	if (!api_is(data->functionName, "cuGraphLaunch")) {
		graph_path_set(node, events_sink->path());
		return;
	}
	/* what it launches became a child graph, whose nodes were added where they were before */
	launched = graphs_find(*(const CUgraphExec *)data->functionParams);
	if (launched && graph_source(launched) && child_of(node))
		graph_paths_copy(child_of(node), graph_source(launched));
}

/* The graph that a node was added for; NULL: for none. */
static CUgraph child_in(const Sanitizer_CallbackData *data)
{
	const void *const *words = data->functionParams;

	if (api_is(data->functionName, "cuGraphAddChildGraphNode"))
		return (CUgraph)(uintptr_t)words[4];
#if CUDA_VERSION >= 12020
	if (api_is(data->functionName, "cuGraphAddNode")) {
		const CUgraphNodeParams *added = words[strstr(data->functionName, "_v2") ? 5 : 4];

		return added->type == CU_GRAPH_NODE_TYPE_GRAPH ? added->graph.graph : NULL;
	}
#endif
	return NULL;
}

static void note_added(const Sanitizer_CallbackData *data)
{
	const void *const *words = data->functionParams;
	CUgraph child = child_in(data), copy;
	CUgraphNode node;

	if (api_is(data->functionName, "cuGraphClone")) {
		graph_paths_copy(*(const CUgraph *)words[0], (CUgraph)(uintptr_t)words[1]);
		return;
	}
	node = *(const CUgraphNode *)words[0];
	if (!child) {
		graph_path_set(node, events_sink->path());
		return;
	}
	copy = child_of(node);
	if (copy)
		graph_paths_copy(copy, child);
}

static bool begins_capture(const char *function)
{
	return api_is(function, "cuStreamBeginCapture") ||
	       api_is(function, "cuStreamBeginCaptureToGraph");
}

static bool ends_capture(const char *function)
{
	return api_is(function, "cuStreamEndCapture");
}

/* Counts the captures that run: without one, nothing is asked of streams. */
static void count_captures(const Sanitizer_CallbackData *data, bool failed)
{
	if (this_thread.effect == API_CLOSE && !failed && begins_capture(data->functionName))
		__atomic_add_fetch(&captures, 1, __ATOMIC_RELAXED);
	/* a capture that fails has ended as well */
	if (this_thread.effect == API_NODE && ends_capture(data->functionName) &&
	    __atomic_load_n(&captures, __ATOMIC_RELAXED))
		__atomic_sub_fetch(&captures, 1, __ATOMIC_RELAXED);
}

void calls_node_exit(const Sanitizer_CallbackData *data, bool failed)
{
	OWN_CALLS(CALLS_OF_PROVIDER);

	count_captures(data, failed);
	if (failed || !this_thread.locked || !events_sink)
		return;
	if (this_thread.effect == API_NODE && !ends_capture(data->functionName))
		note_added(data);
	else if (__atomic_load_n(&captures, __ATOMIC_RELAXED))
		note_captured(data);
}
