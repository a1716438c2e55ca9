/*
 * tests/sanitizer/graph_paths.c: where nodes were captured or added, and which node a step is.  See
 * sanitizer/graphs.h.
 */
#include "tests/sanitizer/graphs.h"

#include <string.h>

#include "gpu/sanitizer/api/launch_call.h"
#include "gpu/sanitizer/callback/calls_internal.h"
#include "gpu/sanitizer/cuda_graph/graph_paths.h"
#include "gpu/sanitizer/schedule/events.h"

__thread struct thread this_thread;

static uint32_t place_now = 1; /* the program's call path */
static unsigned asked;

static uint32_t path(void)
{
	asked++;
	return place_now;
}

static const struct gpu_sink sink = {.path = path};
const struct gpu_sink *events_sink = &sink;

/* A launch's stream is its second parameter. */
bool launch_call_read(struct launch_call *call, const char *api, const void *parameters)
{
	if (strcmp(api, "cuLaunchKernel") != 0)
		return false;
	*call = (struct launch_call){.stream = ((const CUstream *)parameters)[1]};
	return true;
}

/* -- the driver ---------------------------------------------------------------------------- */

static CUgraphNode handle_of(unsigned node)
{
	return (CUgraphNode)(void *)&fake_nodes[node];
}

/* Kernels with equal values modulo 10 have one name. */
static CUresult get_name(const char **name, CUfunction function)
{
	static const char *const names[] = {"k0", "k1", "k2", "k3", "k4",
					    "k5", "k6", "k7", "k8", "k9"};

	*name = names[(uintptr_t)function % 10];
	return CUDA_SUCCESS;
}

static CUresult get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *kernel)
{
	fake_kernel(node, kernel);
	kernel->func = (CUfunction)(uintptr_t)(10 + node_of(node)->value);
	return CUDA_SUCCESS;
}

static CUgraph clone; /* the only one, whose nodes are in the opposite order */

static CUresult find_in_clone(CUgraphNode *found, CUgraphNode original, CUgraph in)
{
	const struct fake *fake = graph_of(in);

	if (in != clone)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < fake->count; i++)
		if (fake->nodes[i]->value == node_of(original)->value)
			*found = (CUgraphNode)(void *)fake->nodes[i];
	return CUDA_SUCCESS;
}

static char stream, captured_stream;
static CUgraphNode last; /* captured */

#if CUDA_VERSION >= 13000
static CUresult capture_info(CUstream of, CUstreamCaptureStatus *status, cuuint64_t *id,
			     CUgraph *graph, const CUgraphNode **nodes,
			     const CUgraphEdgeData **edges, size_t *count)
{
	(void)edges;
#else
static CUresult capture_info(CUstream of, CUstreamCaptureStatus *status, cuuint64_t *id,
			     CUgraph *graph, const CUgraphNode **nodes, size_t *count)
{
#endif
	(void)id, (void)graph;
	*status = of == (CUstream)(void *)&captured_stream ? CU_STREAM_CAPTURE_STATUS_ACTIVE
							   : CU_STREAM_CAPTURE_STATUS_NONE;
	*nodes = &last;
	*count = 1;
	return CUDA_SUCCESS;
}

/* -- the program --------------------------------------------------------------------------- */

static void call(const char *name, enum api_effect effect, const void *parameters, bool failed)
{
	const Sanitizer_CallbackData data = {.functionName = name, .functionParams = parameters};

	this_thread.locked = true;
	this_thread.effect = effect;
	calls_node_exit(&data, failed);
}

/* The program adds a node at a place. */
static void add(unsigned node, uint32_t place)
{
	CUgraphNode made = handle_of(node);
	const void *words[] = {&made};

	place_now = place;
	call("cuGraphAddKernelNode_v2", API_NODE, words, false);
}

static void put(CUstream on, unsigned node, uint32_t place)
{
	const void *words[] = {NULL, on};

	place_now = place;
	last = handle_of(node);
	call("cuLaunchKernel", API_LAUNCH, words, false);
}

/* The paths and ordinals of its steps: 100 * path + ordinal. */
static bool steps_are(CUgraphExec exec, const uint32_t *expected, uint32_t count)
{
	struct graph *graph = graphs_find(exec);
	bool fine;

	graph_launching(graph);
	fine = graph_steps(graph) == count;
	for (uint32_t i = 0; fine && i < count; i++) {
		struct gpu_node node = {0};

		graph_step_node(graph, i, &node);
		fine = 100 * node.path + node.ordinal == expected[i];
	}
	return fine;
}

#define STEPS_ARE(exec, ...)                                                                       \
	steps_are(exec_of(exec), (const uint32_t[]){__VA_ARGS__},                                  \
		  sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static CUgraph kernels(unsigned first, const int *values, unsigned count)
{
	struct fake_node nodes[8];

	for (unsigned i = 0; i < count; i++)
		nodes[i] = (struct fake_node){.type = CU_GRAPH_NODE_TYPE_KERNEL,
					      .after = i ? (int)(first + i) - 1 : -1,
					      .value = values[i]};
	return make(nodes, first, count);
}

/* -- the cases ----------------------------------------------------------------------------- */

static void check_added(void)
{
	/* the values 1 and 11 are one kernel, launched by two parameters */
	CUgraph graph = kernels(0, (const int[]){1, 11, 2, 21, 31}, 5), copy;
	CUDA_KERNEL_NODE_PARAMS other;
	const void *words[] = {&copy, graph};

	for (unsigned i = 0; i < 4; i++)
		add(i, 7);
	add(4, 8);
	graphs_instantiated(exec_of(20), graph, true, false);
	check(asked == 5 && STEPS_ARE(20, 700, 701, 700, 702, 800),
	      "nodes that were added in a loop, and one that was not");
	get_kernel(handle_of(0), &other);
	graphs_node(exec_of(20), handle_of(2), &other, NULL);
	check(STEPS_ARE(20, 700, 701, 702, 703, 800), "a node gets another kernel");
	copy = clone = kernels(5, (const int[]){31, 21, 2, 11, 1}, 5);
	call("cuGraphClone", API_NODE, words, false);
	graphs_instantiated(exec_of(21), copy, true, false);
	check(STEPS_ARE(21, 800, 700, 700, 701, 702) && asked == 5,
	      "a clone's nodes are where their originals were added");
	fake_nodes[5].enabled = fake_nodes[8].enabled = false;
	check(STEPS_ARE(21, 700, 700, 702), "what is off is counted");
	graphs_node_gone(handle_of(6));
	check(!graph_path_of(handle_of(6)) && graph_path_of(handle_of(7)) == 7, "a node goes");
	graph_paths_gone(copy);
	check(!graph_path_of(handle_of(7)) && graph_path_of(handle_of(4)) == 8, "a graph goes");
	call("cuGraphAddKernelNode", API_NODE, words, true);
	check(asked == 5, "a call that fails adds nothing");
	graphs_gone(exec_of(20));
	graphs_gone(exec_of(21));
}

/* A child graph that is used twice. */
static void check_children(void)
{
	CUgraph child = kernels(10, (const int[]){1, 2}, 2), outer;
	CUgraph copies[] = {kernels(12, (const int[]){1, 2}, 2),
			    kernels(14, (const int[]){1, 2}, 2)};

	add(10, 3);
	add(11, 4);
	outer = make((struct fake_node[]){{.type = CU_GRAPH_NODE_TYPE_GRAPH,
					   .after = -1,
					   .child = graph_of(copies[0])},
					  {.type = CU_GRAPH_NODE_TYPE_GRAPH,
					   .after = 16,
					   .child = graph_of(copies[1])}},
		     16, 2);
	asked = 0;
	for (unsigned i = 0; i < 2; i++) {
		CUgraphNode made = handle_of(16 + i);
		const void *words[] = {&made, outer, NULL, NULL, child};

		call("cuGraphAddChildGraphNode", API_NODE, words, false);
	}
	graphs_instantiated(exec_of(20), outer, true, false);
	check(!asked && STEPS_ARE(20, 300, 400, 301, 401), "a child graph that is used twice");
	graphs_gone(exec_of(20));
}

static void check_captured(void)
{
	CUgraph first = kernels(18, (const int[]){1, 1}, 2),
		second = kernels(20, (const int[]){1, 1}, 2);
	CUstream on = (CUstream)(void *)&captured_stream;
	const void *begin[] = {on}, *end[] = {on, NULL};

	asked = 0;
	put(on, 18, 5);
	check(!asked && !graph_path_of(handle_of(18)), "without a capture nothing is asked");
	call("cuStreamBeginCapture_v2", API_CLOSE, begin, false);
	put(on, 18, 5);
	put((CUstream)(void *)&stream, 19, 5);
	put(on, 19, 5);
	call("cuStreamEndCapture", API_NODE, end, false);
	put(on, 20, 6);
	check(asked == 2 && !graph_path_of(handle_of(20)), "a path is asked for once per node");
	call("cuStreamBeginCapture_v2", API_CLOSE, begin, false);
	put(on, 20, 6);
	put(on, 21, 5);
	call("cuStreamEndCapture", API_NODE, end, true);
	graphs_instantiated(exec_of(20), first, true, false);
	check(STEPS_ARE(20, 500, 501), "captured nodes");
	graphs_updated(exec_of(20), second);
	check(STEPS_ARE(20, 600, 500), "what they do now was captured elsewhere");
	graphs_gone(exec_of(20));
}

/* Kernels between an allocation and its free, which are launched at once. */
static void check_together(void)
{
	const CUgraphNodeType kernel = CU_GRAPH_NODE_TYPE_KERNEL;
	CUgraph graph = make((struct fake_node[]){{.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
						   .after = -1,
						   .address = 4096,
						   .size = 100},
						  {.type = kernel, .after = 22, .value = 1},
						  {.type = kernel, .after = 22, .value = 2},
						  {.type = kernel, .after = 22, .value = 1},
						  {.type = CU_GRAPH_NODE_TYPE_MEM_FREE,
						   .after = 25,
						   .also = 24,
						   .address = 4096}},
			     22, 5);
	struct graph *found;
	struct gpu_node node[4] = {{0}};
	bool fine;

	for (unsigned i = 22; i < 27; i++)
		add(i, 9);
	graphs_instantiated(exec_of(20), graph, true, false);
	found = graphs_find(exec_of(20));
	graph_launching(found);
	fine = graph_steps(found) == 1 &&
	       graph_take_node(found, 0, handle_of(0), kernel, "k2", &node[0]) &&
	       graph_take_node(found, 0, handle_of(25), kernel, "k1", &node[1]) &&
	       graph_take_node(found, 0, handle_of(0), kernel, "k1", &node[2]) &&
	       !graph_take_node(found, 0, handle_of(25), kernel, "k1", &node[3]);
	check(fine && node[0].path == 9 && node[0].ordinal == 0 && node[1].ordinal == 1 &&
		      node[2].ordinal == 0,
	      "nodes that run at once are told by their handles, else by their kernels");
	graphs_gone(exec_of(20));
}

void check_paths(void)
{
	driver.cuFuncGetName = get_name;
	driver.cuGraphKernelNodeGetParams = get_kernel;
	driver.cuGraphNodeFindInClone = find_in_clone;
	driver.cuStreamGetCaptureInfo = capture_info;
	for (fake_count = 50; fake_count > 1; fake_count--)
		fakes[fake_count - 1].count = 0;
	check_added();
	check_children();
	check_captured();
	check_together();
}
