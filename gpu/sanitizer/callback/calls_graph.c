/*
 * gpu/sanitizer/callback/calls_graph.c: launches of CUDA graphs: step by step where that can be
 * done (graphs.h), else as a whole.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/nvidia/apis.h"
#include "gpu/sanitizer/api/launch_call.h"
#include "gpu/sanitizer/callback/calls.h"
#include "gpu/sanitizer/callback/calls_internal.h"
#include "gpu/sanitizer/schedule/events.h"
#include "gpu/sanitizer/cuda_graph/graphs.h"
#include "gpu/sanitizer/driver.h"

static void unseen(enum coverage_id why)
{
	struct operation *operation = calls_add(OPERATION_UNSEEN, NULL);

	if (!operation)
		return;
	operation->stream = this_thread.graph_stream;
	operation->coverage = why;
}

/* Decides whether the kernel of a step is to be analysed, before it is launched. */
static void select_launch(uint32_t step)
{
	const struct graph_kernel *kernel = graph_kernel(this_thread.call.graph, step);
	struct launch *launch = &this_thread.launch;

	if (!kernel)
		return;
	launch_select(&this_thread.launch, kernel->function, &this_thread.node);
	if (!launch->kernel || launch->wanted || !kernel->parameters)
		return;
	launch->parameters = malloc(kernel->size + 1);
	if (!launch->parameters)
		return;
	memcpy(launch->parameters, kernel->parameters, kernel->size);
	launch->size = kernel->size;
}

enum moment { BEFORE, AFTER, UNDONE };

/*
 * Notes an allocation or a free of the graph.  What it allocates is there before the step's nodes
 * use it.  What it frees goes after all of them; but memory that lived before the launch is not
 * looked at any more once the graph runs.
 */
static void note(void *data, const struct graph_memory *memory)
{
	const enum moment *moment = data;
	enum operation_kind kind = OPERATION_FREE;
	struct operation *operation;
	bool made = memory->size;

	switch (*moment) {
	case BEFORE:
		if (!made && memory->transient)
			return;
		kind = made ? OPERATION_ALLOC : OPERATION_FREE;
		break;
	case AFTER:
		if (made || !memory->transient)
			return;
		break;
	case UNDONE:
		if (!made)
			return;
		break;
	}
	operation = calls_add(kind, NULL);
	if (!operation)
		return;
	operation->stream = this_thread.graph_stream;
	operation->address = memory->address;
	operation->size = memory->size;
	operation->memory = GPU_MEMORY_DEVICE;
	operation->transient = memory->transient;
	operation->node.path = memory->path;
	operation->node.ordinal = memory->ordinal;
}

static void note_memory(enum moment moment)
{
	if (this_thread.call.graph)
		graph_each_memory(this_thread.call.graph, this_thread.step, note, &moment);
}

static void begin_step(uint32_t step)
{
	uint64_t bytes = 0;

	this_thread.step = step;
	this_thread.of_node = true;
	this_thread.node.path = this_thread.node.ordinal = 0;
	this_thread.unordered =
		step == GRAPH_WHOLE || graph_step_nodes(this_thread.call.graph, step) > 1;
	this_thread.call.settled = false;
	note_memory(BEFORE);
	if (this_thread.call.count) {
		for (unsigned i = 0; i < this_thread.call.count; i++)
			bytes += this_thread.call.operations[i].size;
		events_prepare(this_thread.call.context, false, NULL, bytes, true);
		events_finish(&this_thread.call);
		this_thread.call.count = 0;
		events_prepare(this_thread.call.context, true, NULL, 0, true);
	}
	if (this_thread.unordered)
		return;
	/* a host function of an earlier step, or before the graph, may still write */
	this_thread.call.settled =
		events_settled(this_thread.call.context, this_thread.graph_stream, false);
	graph_step_node(this_thread.call.graph, step, &this_thread.node);
	select_launch(step);
}

struct place {
	uint64_t address;
	bool transient;
};

static void find_transient_at(void *data, const struct graph_memory *memory)
{
	struct place *place = data;

	place->transient |= memory->transient && place->address - memory->address < memory->size;
}

/* Whether memory lies there that is followed after the step: memory without an object is not. */
static bool is_persistent(CUcontext context, uint64_t address)
{
	struct place place = {.address = address};

	if (!events_context_at(context, address))
		return false;
	graph_each_memory(this_thread.call.graph, this_thread.step, find_transient_at, &place);
	return !place.transient;
}

/*
 * Whether only one of the nodes that ran at once can have touched memory that is followed, which
 * the transient memory of the graph is not.  The marks are that node's then.
 */
static bool has_one_writer(void)
{
	struct operation *found = NULL;

	if (!this_thread.call.graph || graph_is_conditional(this_thread.call.graph))
		return false;
	for (unsigned i = 0; i < this_thread.call.count; i++) {
		struct operation *operation = &this_thread.call.operations[i];

		if ((operation->kind == OPERATION_SET || operation->kind == OPERATION_COPY) &&
		    !operation->array.array && !operation->from_array.array &&
		    !is_persistent(operation->context, operation->address) &&
		    (operation->kind == OPERATION_SET ||
		     !is_persistent(operation->from_context, operation->from_address)))
			continue;
		if (found)
			return false;
		found = operation;
	}
	if (found)
		found->unordered = false;
	return true;
}

static void note_unordered(void)
{
	struct operation *operation = calls_add(OPERATION_GRAPH, NULL);
	enum coverage_id why = COVERAGE_NONE;

	if (!this_thread.call.graph)
		why = COVERAGE_GRAPH_NOT_SEEN;
	else if (this_thread.step == GRAPH_WHOLE)
		why = graph_obstacle(this_thread.call.graph);
	if (operation) {
		operation->stream = this_thread.graph_stream;
		operation->coverage = why ? why : COVERAGE_GRAPH_TOGETHER;
	}
	if (!this_thread.call.graph || !graph_is_conditional(this_thread.call.graph))
		return;
	unseen(COVERAGE_GRAPH_CONDITIONS_UNSEEN);
	/*
	 * seen with an empty patch and with compute-sanitizer: graphConditionalNodes of CUDA's
	 * samples
	 */
	events_sink->coverage(COVERAGE_GRAPH_CONDITIONS_EARLIER, NULL, 1, 0);
}

static void end_step(bool failed)
{
	if (failed)
		events_drop(&this_thread.call, 0);
	else if (this_thread.unordered && !has_one_writer())
		note_unordered();
	note_memory(failed ? UNDONE : AFTER);
	this_thread.unordered = false;
	if (failed) {
		events_finish(&this_thread.call);
		this_thread.call.count = 0;
	}
}

/*
 * Reports that the remaining steps are launched at once, if at all: nobody knows which of them
 * wrote what.
 */
static void give_up_steps(void)
{
	events_lost_track();
	events_sink->coverage(COVERAGE_GRAPH_STEPS_STOPPED, NULL, 1, 0);
}

/*
 * Launches all steps but the last, which is left to the program's own launch, as are those that
 * cannot be launched alone and all after them.  False: nothing was launched.
 */
static bool launch_steps(CUgraphExec own)
{
	uint32_t steps = graph_steps(this_thread.call.graph);
	CUgraphExec exec;

	for (uint32_t i = 0; i < steps; i++) {
		CUresult result;

		if (!graph_select(this_thread.call.graph, i, &exec)) {
			if (i)
				give_up_steps();
			return i;
		}
		begin_step(i);
		if (i + 1 == steps)
			break;
		{
			OWN_CALLS(CALLS_OF_STEP);
			result = driver.cuGraphLaunch(exec, this_thread.graph_stream);
		}
		end_step(result != CUDA_SUCCESS);
		if (result != CUDA_SUCCESS && exec != own) {
			graph_drop_parts(this_thread.call.graph);
			i--; /* once more, in the program's own graph */
			continue;
		}
		if (result != CUDA_SUCCESS) {
			/*
			 * the program's launch fails with the same error, or runs the remaining
			 * steps
			 */
			graph_restore(this_thread.call.graph, i);
			if (i)
				give_up_steps();
			return i;
		}
		events_finish(&this_thread.call);
		this_thread.call.count = 0;
		events_prepare(this_thread.call.context, true, NULL, 0, true);
	}
	return true;
}

static void enter_launch(const Sanitizer_CallbackData *data)
{
	OWN_CALLS(CALLS_OF_PROVIDER);
	const void *const *words = data->functionParams;
	CUgraphExec exec = (CUgraphExec)(uintptr_t)words[0];

	this_thread.graph_stream = api_stream(data->functionName, (CUstream)(uintptr_t)words[1]);
	if (calls_capturing(this_thread.graph_stream))
		return;
	/* a step may wait for what another device's graph does in one of its steps */
	this_thread.unobserved = events_are_concurrent();
	if (this_thread.unobserved)
		return;
	this_thread.node.launch_path = events_sink->path();
	this_thread.call.graph = graphs_find(exec);
	if (this_thread.call.graph)
		graph_launching(this_thread.call.graph);
	this_thread.step = 0;
	if (!this_thread.call.graph || graph_obstacle(this_thread.call.graph) ||
	    !launch_steps(exec))
		begin_step(GRAPH_WHOLE);
	this_thread.first = this_thread.call.count;
}

static void exit_launch(bool failed)
{
	if (this_thread.unobserved && !failed)
		events_graph_unobserved(this_thread.call.context, this_thread.graph_stream);
	this_thread.unobserved = false;
	if (this_thread.call.graph || this_thread.unordered)
		end_step(failed);
	this_thread.of_node = false;
	if (this_thread.call.graph && this_thread.step != GRAPH_WHOLE)
		graph_restore(this_thread.call.graph, 0);
	this_thread.call.graph = NULL;
}

static CUresult destroy(CUgraph graph, CUgraph substitute)
{
	CUresult result;

	this_thread.substitute = substitute;
	result = driver.cuGraphDestroy(graph);
	this_thread.substitute = NULL;
	return result;
}

static void redirect(const Sanitizer_CallbackData *data, CUgraph substitute)
{
	*(CUgraph *)(uintptr_t)data->functionParams = substitute;
}

void calls_graph_redirect(const Sanitizer_CallbackData *data)
{
	if (data->callbackSite == SANITIZER_API_ENTER &&
	    api_is(data->functionName, "cuGraphDestroy"))
		redirect(data, this_thread.substitute);
}

static void enter_destroy(const Sanitizer_CallbackData *data)
{
	OWN_CALLS(CALLS_OF_PROVIDER);
	CUgraph other = graphs_substitute(*(const CUgraph *)data->functionParams, destroy);

	if (other)
		redirect(data, other);
}

static bool makes_executable(const char *name)
{
	return api_is(name, "cuGraphInstantiate") || api_is(name, "cuGraphInstantiateWithFlags") ||
	       api_is(name, "cuGraphInstantiateWithParams");
}

/* `last`: the last parameter of a call that makes an executable graph. */
static bool is_for_device(const char *name, const void *last)
{
	uint64_t flags = 0;

	if (api_is(name, "cuGraphInstantiateWithFlags"))
		flags = (uintptr_t)last;
	else if (api_is(name, "cuGraphInstantiateWithParams"))
		flags = ((const CUDA_GRAPH_INSTANTIATE_PARAMS *)last)->flags;
	return flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
}

/*
 * Patches the modules of a graph's kernels for good, where launches are selected: the code of
 * kernels in graphs must not change.
 */
static void freeze(const Sanitizer_CallbackData *data)
{
	const char *name = data->functionName;
	const void *const *words = data->functionParams;
	const CUDA_KERNEL_NODE_PARAMS *kernel = NULL;
	CUfunction function;
	bool known = true;

	if (makes_executable(name) || api_is(name, "cuGraphExecUpdate"))
		known = graph_each_kernel((CUgraph)(uintptr_t)words[1], launch_in_graph);
	else if (api_is(name, "cuGraphExecChildGraphNodeSetParams"))
		known = graph_each_kernel((CUgraph)(uintptr_t)words[2], launch_in_graph);
	else if (api_is(name, "cuGraphExecKernelNodeSetParams"))
		kernel = words[2];
	else if (api_is(name, "cuGraphExecNodeSetParams"))
		known = false;
	if (kernel) {
		function = graph_function(kernel->func, kernel->kern);
		known = function;
		if (function)
			launch_in_graph(function);
	}
	if (!known)
		launch_freeze();
}

/* Whether the function changes a node of an executable graph that may have a copy. */
static bool changes_node(const char *name)
{
	return api_is(name, "cuGraphExecKernelNodeSetParams") ||
	       api_is(name, "cuGraphExecMemcpyNodeSetParams") ||
	       api_is(name, "cuGraphExecMemsetNodeSetParams") ||
	       api_is(name, "cuGraphExecChildGraphNodeSetParams") ||
	       api_is(name, "cuGraphExecNodeSetParams");
}

static void change_kernel(CUgraphExec exec, CUgraphNode node, const void *parameters, size_t size)
{
	CUDA_KERNEL_NODE_PARAMS kernel = {0};

	memcpy(&kernel, parameters, size);
	graphs_node(exec, node, &kernel, NULL);
}

#if CUDA_VERSION >= 12020
/* cuGraphExecNodeSetParams() changed a node; `current`: the context of the call. */
static void change_any(CUgraphExec exec, CUgraphNode node, const CUgraphNodeParams *parameters,
		       CUcontext current)
{
	CUcontext context;

	_Static_assert(sizeof(parameters->kernel) == sizeof(CUDA_KERNEL_NODE_PARAMS),
		       "the same by another name");
	switch (parameters->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		change_kernel(exec, node, &parameters->kernel, sizeof(parameters->kernel));
		break;
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		context = parameters->memcpy.copyCtx;
		graphs_node(exec, node, &parameters->memcpy.copyParams,
			    context ? context : current);
		break;
	case CU_GRAPH_NODE_TYPE_MEMSET: /* its first members are those of
					   cuGraphExecMemsetNodeSetParams() */
		context = parameters->memset.ctx;
		graphs_node(exec, node, &parameters->memset, context ? context : current);
		break;
	case CU_GRAPH_NODE_TYPE_GRAPH:
		graphs_child_node(exec, node, parameters->graph.graph);
		break;
	case CU_GRAPH_NODE_TYPE_HOST:
		graphs_host_node(exec, node,
				 &(CUDA_HOST_NODE_PARAMS){.fn = parameters->host.fn,
							  .userData = parameters->host.userData});
		break;
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		graphs_event_node(exec, node, parameters->eventRecord.event);
		break;
	default:
		break;
	}
}
#else
static void change_any(CUgraphExec exec, CUgraphNode node, const void *parameters,
		       CUcontext current)
{
	(void)node, (void)parameters, (void)current;
	graphs_changing(exec);
	graphs_updated(exec, NULL);
}
#endif

static void exit_change(const Sanitizer_CallbackData *data, bool failed)
{
	const char *name = data->functionName;
	const void *const *words = data->functionParams;
	CUgraphExec exec = (CUgraphExec)(uintptr_t)words[0];
	CUgraphNode node = (CUgraphNode)(uintptr_t)words[1];

	if (failed) { /* a node of whatever kind */
		graphs_node(exec, node, NULL, NULL);
		graphs_child_node(exec, node, NULL);
	} else if (api_is(name, "cuGraphExecChildGraphNodeSetParams")) {
		graphs_child_node(exec, node, (CUgraph)(uintptr_t)words[2]);
	} else if (!strcmp(name, "cuGraphExecKernelNodeSetParams")) { /* not _v2 */
		change_kernel(exec, node, words[2], sizeof(CUDA_KERNEL_NODE_PARAMS_v1));
	} else if (api_is(name, "cuGraphExecKernelNodeSetParams")) {
		graphs_node(exec, node, words[2], NULL);
	} else if (api_is(name, "cuGraphExecNodeSetParams")) {
		change_any(exec, node, words[2], data->context);
	} else {
		graphs_node(exec, node, words[2], (CUcontext)(uintptr_t)words[3]);
	}
}

void calls_graph_enter(const Sanitizer_CallbackData *data)
{
	if (events_select_launches()) {
		OWN_CALLS(CALLS_THAT_LOAD);
		freeze(data);
	}
	if (api_is(data->functionName, "cuGraphExecUpdate")) {
		OWN_CALLS(CALLS_OF_PROVIDER);
		graphs_changing(*(const CUgraphExec *)data->functionParams);
	}
	if (api_is(data->functionName, "cuGraphLaunch"))
		enter_launch(data);
	else if (api_is(data->functionName, "cuGraphDestroy"))
		enter_destroy(data);
	else if (api_is(data->functionName, "cuGraphDestroyNode"))
		graphs_node_gone(*(const CUgraphNode *)data->functionParams);
}

void calls_graph_exit(const Sanitizer_CallbackData *data)
{
	const char *name = data->functionName;
	const void *const *words = data->functionParams;
	bool failed = *(const int *)data->functionReturnValue != 0;
	OWN_CALLS(CALLS_OF_PROVIDER);

	if (api_is(name, "cuGraphLaunch")) {
		exit_launch(failed);
		return;
	}
	if (failed && !changes_node(name))
		return;
	if (changes_node(name))
		exit_change(data, failed);
	else if (makes_executable(name))
		graphs_instantiated(*(const CUgraphExec *)words[0], (CUgraph)(uintptr_t)words[1],
				    events_select_launches(), is_for_device(name, words[2]));
	else if (api_is(name, "cuGraphExecHostNodeSetParams"))
		graphs_host_node((CUgraphExec)(uintptr_t)words[0], (CUgraphNode)(uintptr_t)words[1],
				 words[2]);
	else if (api_is(name, "cuGraphExecEventRecordNodeSetEvent"))
		graphs_event_node((CUgraphExec)(uintptr_t)words[0],
				  (CUgraphNode)(uintptr_t)words[1], (CUevent)(uintptr_t)words[2]);
	else if (api_is(name, "cuGraphExecUpdate"))
		graphs_updated((CUgraphExec)(uintptr_t)words[0], (CUgraph)(uintptr_t)words[1]);
	else if (api_is(name, "cuGraphExecDestroy"))
		graphs_gone((CUgraphExec)(uintptr_t)words[0]);
}

/* -- nodes -------------------------------------------------------------------------------- */

/* Finds out which of the nodes that run at once is launched now. */
static void identify(const Sanitizer_GraphNodeLaunchData *node)
{
	const char *kernel =
		node->nodeType == CU_GRAPH_NODE_TYPE_KERNEL ? node->launchData.functionName : NULL;

	if (!this_thread.unordered)
		return;
	if (!this_thread.call.graph ||
	    !graph_take_node(this_thread.call.graph, this_thread.step, node->node, node->nodeType,
			     kernel, &this_thread.node)) {
		/* nothing is known of it but that it is not those before it */
		this_thread.node.path = 0;
		this_thread.node.ordinal = this_thread.call.count;
	}
}

static void node_begins(const Sanitizer_GraphNodeLaunchData *node)
{
	struct operation *operation;

	this_thread.node_first = this_thread.call.count;
	identify(node);
	switch (node->nodeType) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		calls_note_kernel(&node->launchData, this_thread.graph_stream);
		break;
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		calls_copy(&node->memcpyData);
		break;
	case CU_GRAPH_NODE_TYPE_MEMSET:
		calls_set(&node->memsetData);
		break;
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		if (this_thread.call.graph) /* the allocation was noted before the launch */
			break;
		operation = calls_add(OPERATION_ALLOC, node->memAllocData.context);
		if (operation) {
			operation->address = node->memAllocData.address;
			operation->size = node->memAllocData.size;
			operation->memory = GPU_MEMORY_DEVICE;
		}
		break;
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		if (this_thread.call.graph)
			break;
		operation = calls_add(OPERATION_FREE, NULL);
		if (operation)
			operation->address = node->memFreeAddress;
		break;
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
		unseen(COVERAGE_GRAPH_NODES_NOT_FOLLOWED);
		break;
	default: /* other kinds do nothing, or their parts are reported by themselves */
		break;
	}
}

/* Copies of arrays are not reported between the callbacks of their node. */
static void node_ends(const Sanitizer_GraphNodeLaunchData *node)
{
	if (node->nodeType == CU_GRAPH_NODE_TYPE_MEMCPY &&
	    this_thread.call.count == this_thread.node_first)
		unseen(COVERAGE_GRAPH_ARRAY_COPIES);
}

void calls_graph(Sanitizer_CallbackId id, const void *data)
{
	const Sanitizer_GraphNodeLaunchData *node = data;

	if (id != SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN &&
	    id != SANITIZER_CBID_GRAPHS_NODE_LAUNCH_END)
		return;
	if (calls_noting() && !node->isGraphUpload) {
		if (id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN)
			node_begins(node);
		else
			node_ends(node);
	} else if (id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN &&
		   node->nodeType == CU_GRAPH_NODE_TYPE_KERNEL) {
		calls_exclude_launch(&node->launchData);
	}
}
