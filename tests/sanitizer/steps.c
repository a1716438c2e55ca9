/*
 * Launches of CUDA graphs whose steps cannot all be launched alone, and changes of graphs: what
 * calls_graph.c makes of them.  Graphs and driver are made up; what is not called here is left out.
 * Says TAP lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/sanitizer/callback/calls_internal.h"
#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/schedule/events.h"
#include "gpu/sanitizer/schedule/events_internal.h"
#include "gpu/sanitizer/cuda_graph/graphs.h"

struct driver driver;
__thread struct thread this_thread;

static char own, part; /* the program's executable graph, and one of ours */
#define OWN ((CUgraphExec)(void *)&own)

static uint32_t steps = 3, refused, failing; /* by number from 1; 0: none */
static bool has_parts;
static unsigned launches, rows, missed, dropped;
static bool noted = true;      /* what the steps do */
static bool identified = true; /* ... and which nodes they are */
static unsigned paths;         /* that were asked for */
static uint32_t restored;
static unsigned behind;  /* the step that begins behind a host function, from 1; 0: none */
static unsigned settled; /* bits of steps that did not */

/* -- graphs -------------------------------------------------------------------------------- */

struct graph *graphs_find(CUgraphExec exec)
{
	return exec == OWN ? (struct graph *)&own : NULL;
}

enum coverage_id graph_obstacle(const struct graph *graph)
{
	(void)graph;
	return COVERAGE_NONE;
}

void graph_launching(struct graph *graph)
{
	(void)graph;
}

/* The first step's node was added at 100, the next at 101, and so on. */
void graph_step_node(const struct graph *graph, uint32_t step, struct gpu_node *found)
{
	(void)graph;
	found->path = 100 + step;
	found->ordinal = step;
}

bool graph_take_node(struct graph *graph, uint32_t step, CUgraphNode handle, CUgraphNodeType type,
		     const char *kernel, struct gpu_node *found)
{
	(void)graph, (void)step, (void)handle, (void)type, (void)kernel, (void)found;
	return false;
}

uint32_t graph_steps(struct graph *graph)
{
	(void)graph;
	return steps;
}

uint32_t graph_step_nodes(const struct graph *graph, uint32_t step)
{
	(void)graph, (void)step;
	return 1;
}

const struct graph_kernel *graph_kernel(const struct graph *graph, uint32_t step)
{
	(void)graph, (void)step;
	return NULL;
}

void graph_each_memory(const struct graph *graph, uint32_t step,
		       void (*call)(void *data, const struct graph_memory *memory), void *data)
{
	(void)graph, (void)step, (void)call, (void)data;
	identified &= this_thread.of_node; /* what it allocates and frees are nodes, too */
}

bool graph_is_conditional(const struct graph *graph)
{
	(void)graph;
	return false;
}

bool graph_select(struct graph *graph, uint32_t step, CUgraphExec *exec)
{
	(void)graph;
	*exec = has_parts && step + 1 < steps ? (CUgraphExec)&part : OWN;
	return step + 1 != refused;
}

void graph_drop_parts(struct graph *graph)
{
	(void)graph;
	has_parts = false;
	failing = 0;
	dropped++;
}

void graph_restore(struct graph *graph, uint32_t done)
{
	(void)graph;
	restored = done;
}

/* -- changes: the last that was told -------------------------------------------------------- */

static char other, node, context;
static struct {
	const char *of;
	const void *parameters;
	CUcontext context;
	CUDA_KERNEL_NODE_PARAMS kernel; /* if `parameters` are one's */
	bool changing;
} reported;

void graphs_node(CUgraphExec exec, CUgraphNode which, const void *parameters, CUcontext of)
{
	if (exec != OWN || which != (CUgraphNode)&node)
		return;
	reported.of = "node";
	reported.parameters = parameters;
	reported.context = of;
	if (parameters && !of)
		memcpy(&reported.kernel, parameters, sizeof(reported.kernel));
}

void graphs_child_node(CUgraphExec exec, CUgraphNode which, CUgraph from)
{
	if (exec != OWN || which != (CUgraphNode)&node || (!from && reported.of))
		return;
	reported.of = "child";
	reported.parameters = from;
}

void graphs_host_node(CUgraphExec exec, CUgraphNode which, const CUDA_HOST_NODE_PARAMS *parameters)
{
	if (exec == OWN && which == (CUgraphNode)&node)
		reported.of = "host";
	reported.parameters = parameters->userData;
}

void graphs_event_node(CUgraphExec exec, CUgraphNode which, CUevent event)
{
	if (exec == OWN && which == (CUgraphNode)&node)
		reported.of = "event";
	reported.parameters = event;
}

void graphs_changing(CUgraphExec exec)
{
	reported.changing = exec == OWN;
}

void graphs_updated(CUgraphExec exec, CUgraph from)
{
	reported.of = exec == OWN ? "graph" : NULL;
	reported.parameters = from;
}

/* -- the driver and the events ------------------------------------------------------------- */

static CUresult launch(CUgraphExec exec, CUstream stream)
{
	(void)exec, (void)stream;
	identified &= this_thread.of_node && this_thread.node.launch_path == 50 + paths &&
		      this_thread.node.path == 100 + this_thread.step &&
		      this_thread.node.ordinal == this_thread.step;
	noted &= this_thread.calls == CALLS_OF_STEP;
	settled |= (unsigned)this_thread.call.settled << launches;
	return ++launches == failing ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

static void coverage(uint32_t id, const char *detail, uint64_t count, uint64_t bytes)
{
	(void)detail, (void)bytes;
	if (id == COVERAGE_GRAPH_STEPS_STOPPED)
		rows += count;
}

static uint32_t path(void)
{
	return 50 + ++paths;
}

static const struct gpu_sink sink = {.coverage = coverage, .path = path};
const struct gpu_sink *events_sink = &sink;

bool events_select_launches(void)
{
	return false;
}

bool events_prepare(CUcontext context, bool launch, const CUstream *stream, uint64_t wanted,
		    bool all_contexts)
{
	(void)context, (void)launch, (void)stream, (void)wanted, (void)all_contexts;
	return true;
}

bool events_settled(CUcontext context, CUstream stream, bool wait)
{
	(void)context, (void)stream;
	return !wait && launches + 1 != behind;
}

static bool gone;
static unsigned unobserved;

bool events_are_concurrent(void)
{
	return gone;
}

void events_graph_unobserved(CUcontext context, CUstream stream)
{
	(void)context, (void)stream;
	unobserved++;
}

void events_finish(struct api_call *api_call)
{
	(void)api_call;
}

void events_drop(struct api_call *api_call, unsigned first)
{
	api_call->count = first;
}

void events_lost_track(void)
{
	missed++;
}

struct operation *calls_add(enum operation_kind kind, CUcontext context)
{
	(void)kind, (void)context;
	return NULL;
}

bool calls_capturing(CUstream stream)
{
	(void)stream;
	return false;
}

/* In place of all that no launch calls. */
void never(void)
{
	puts("not ok - what is made up is not enough");
	exit(1);
}

/* -- the program --------------------------------------------------------------------------- */

static int tests;

static void check(bool fine, const char *what)
{
	printf("%s %d - %s\n", fine ? "ok" : "not ok", ++tests, what);
}

static bool as_a_whole(void)
{
	return this_thread.step == GRAPH_WHOLE;
}

static void launch_graph(void)
{
	const void *words[] = {&own, NULL};
	CUresult result = CUDA_SUCCESS;
	Sanitizer_CallbackData data = {.functionName = "cuGraphLaunch",
				       .functionParams = words,
				       .functionReturnValue = &result};

	launches = rows = missed = dropped = 0;
	restored = 77;
	calls_graph_enter(&data);
	calls_graph_exit(&data);
}

/* Whether the call tells this. */
static bool tells(const char *name, const void *parameters, CUresult result, const char *of,
		  const void *what)
{
	const bool update = !strcmp(of, "graph");
	const void *words[] = {&own, update ? parameters : &node, parameters, &context};
	Sanitizer_CallbackData data = {.functionName = name,
				       .functionParams = words,
				       .functionReturnValue = &result,
				       .context = (CUcontext)&other};

	memset(&reported, 0, sizeof(reported));
	calls_graph_enter(&data);
	if (reported.of || reported.changing != update)
		return false;
	calls_graph_exit(&data);
	return reported.of && !strcmp(reported.of, of) && (!what || reported.parameters == what);
}

static bool tells_kernel(const char *name, const void *parameters, CUkernel kernel)
{
	return tells(name, parameters, CUDA_SUCCESS, "node", NULL) &&
	       reported.kernel.func == (CUfunction)&other && reported.kernel.gridDimX == 7 &&
	       reported.kernel.kern == kernel && !reported.context;
}

static void change_nodes(void)
{
	CUkernel kernel = (CUkernel)&part;
	CUDA_KERNEL_NODE_PARAMS now = {.func = (CUfunction)&other, .gridDimX = 7, .kern = kernel};
	CUDA_MEMSET_NODE_PARAMS set = {.value = 5};
	const char *memset_name = "cuGraphExecMemsetNodeSetParams";

	check(tells_kernel("cuGraphExecKernelNodeSetParams_v2", &now, kernel) &&
		      tells_kernel("cuGraphExecKernelNodeSetParams", &now, NULL),
	      "changes of a kernel, also as they were before CUDA 12");
	check(tells(memset_name, &set, CUDA_SUCCESS, "node", &set) &&
		      reported.context == (CUcontext)&context &&
		      tells(memset_name, &set, CUDA_ERROR_INVALID_VALUE, "node", NULL) &&
		      !reported.parameters,
	      "of a set, and one that failed");
	check(tells("cuGraphExecChildGraphNodeSetParams", &other, CUDA_SUCCESS, "child", &other) &&
		      tells("cuGraphExecUpdate_v2", &other, CUDA_SUCCESS, "graph", &other),
	      "of a child graph, and of all nodes");
}

#if CUDA_VERSION >= 12020
static void change_any_nodes(void)
{
	const char *name = "cuGraphExecNodeSetParams";
	CUgraphNodeParams any = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
	bool fine;

	any.kernel.func = (CUfunction)&other, any.kernel.gridDimX = 7;
	any.kernel.kern = (CUkernel)&part;
	fine = tells_kernel(name, &any, (CUkernel)&part);
	any = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMCPY};
	fine = fine && tells(name, &any, CUDA_SUCCESS, "node", &any.memcpy.copyParams) &&
	       reported.context == (CUcontext)&other;
	any.memcpy.copyCtx = (CUcontext)&context;
	fine = fine && tells(name, &any, CUDA_SUCCESS, "node", &any.memcpy.copyParams) &&
	       reported.context == (CUcontext)&context;
	any = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMSET};
	any.memset.ctx = (CUcontext)&context;
	fine = fine && tells(name, &any, CUDA_SUCCESS, "node", &any.memset) &&
	       reported.context == (CUcontext)&context;
	any = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_GRAPH};
	any.graph.graph = (CUgraph)&other;
	fine = fine && tells(name, &any, CUDA_SUCCESS, "child", &other);
	any = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_HOST};
	any.host.userData = &other;
	fine = fine && tells(name, &any, CUDA_SUCCESS, "host", &other);
	any = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD};
	any.eventRecord.event = (CUevent)&other;
	fine = fine && tells(name, &any, CUDA_SUCCESS, "event", &other) &&
	       tells(name, &any, CUDA_ERROR_INVALID_VALUE, "node", NULL) && !reported.parameters;
	check(fine, "of nodes of any kind by one function");
}
#else
static void change_any_nodes(void)
{
	check(true, "of nodes of any kind: not with these headers");
}
#endif

int main(void)
{
	driver.cuGraphLaunch = launch;
	launch_graph();
	check(launches == 2 && !rows && !missed && !restored,
	      "all steps but the last are launched before it");
	check(identified && paths == 1 && !this_thread.of_node,
	      "each as the node that it is, of a launch whose path is asked for once");
	check(settled == 3 && this_thread.call.settled,
	      "nothing is left that may write where they copy to");
	settled = 0;
	behind = 2;
	launch_graph();
	check(settled == 1 && this_thread.call.settled, "but behind a host function there is");
	behind = 3;
	launch_graph();
	check(settled == 3 && !this_thread.call.settled, "also before the program's own launch");
	behind = 0;
	failing = 2;
	launch_graph();
	check(launches == 2 && rows == 1 && missed == 1 && !as_a_whole(),
	      "steps that cannot go on: coverage says so, and nothing is known any more");
	failing = 0;
	refused = 2;
	launch_graph();
	check(launches == 1 && rows == 1 && missed == 1 && !as_a_whole(),
	      "the same if a step's nodes cannot be enabled alone");
	refused = 0;
	failing = 1;
	launch_graph();
	check(launches == 1 && !rows && !missed && as_a_whole() && !this_thread.call.settled,
	      "one that does not begin is launched as a whole");
	failing = 2;
	has_parts = true;
	launch_graph();
	check(launches == 3 && !rows && !missed && dropped == 1 && !as_a_whole(),
	      "a part that fails is done by the program's own graph");
	gone = true;
	launch_graph();
	check(noted && this_thread.calls == CALLS_OF_PROGRAM,
	      "what steps do is noted, and what the program calls after them");
	check(!launches && unobserved == 1 && !this_thread.unobserved && !this_thread.call.graph,
	      "where kernels wait for other devices a graph is launched as it is");
	change_nodes();
	change_any_nodes();
	printf("1..%d\n", tests);
	return 0;
}
