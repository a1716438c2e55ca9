/* gpu/cupti/calls.c: see calls.h. */
#include "gpu/cupti/calls.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collect/coverage/coverage.h"
#include "gpu/cupti/activity.h"
#include "gpu/cupti/captures.h"
#include "gpu/cupti/driver.h"
#include "gpu/cupti/graphs.h"
#include "gpu/cupti/named_memory.h"
#include "gpu/cupti/operations.h"
#include "gpu/cupti/pending.h"
#include "gpu/cupti/samples.h"
#include "gpu/cupti/touches.h"
#include "gpu/nvidia/apis.h"
#include "gpu/nvidia/now.h"
#include "gpu/nvidia/streams.h"

enum {
	NOTED_MAX = 64,
	NAME_BYTES = 128,
	WAIT_LEAST_NS = 1000 /* of a call that is no event: libcuda looks at the clock for itself */
};

/* What one call of the driver did. */
struct noted {
	struct operation operation;
	uint32_t correlation;
	uint32_t device;
	bool may_be_known;
	const char *kernel;
	enum wait_kind wait;
	uint32_t records; /* that CUPTI makes of each of its operations */
	/* of the pass `calls`: of thread.named */
	uint32_t first_touch, touch_count;
};

/* Where a thread is in its running call of the API. */
static __thread struct {
	unsigned depth;
	bool own; /* it calls the driver or CUPTI for the provider */
	const char *name;
	uint32_t correlation;
	uint64_t start_ns;
	uint64_t events_ns;   /* when its events began to be made; 0: there are none */
	uint64_t overhead_ns; /* our own work after calls, since the last event */
	struct noted noted[NOTED_MAX];
	unsigned count;
	/* What it asks about (WAIT_QUESTION), or has the host do: events or a stream. */
	struct {
		enum wait_kind kind;
		bool of_stream;
		uintptr_t handles[2];
		unsigned count;
	} asked;
	bool copies_on_host;       /* from the host to the host */
	struct named_memory named; /* by all that are noted */
	/* the last context that was asked about */
	CUcontext context;
	uint32_t device;
} thread;

static const struct gpu_sink *sink;
static bool active;

int calls_start(const struct gpu_sink *to)
{
	sink = to;
	if (pending_start(to) != 0)
		return -1;
	__atomic_store_n(&active, true, __ATOMIC_RELEASE);
	return 0;
}

static void flush(bool all)
{
	bool before = thread.own;

	if (named_memory_wanted()) /* nothing is recorded */
		return;
	thread.own = true;
	activity_flush(all);
	thread.own = before;
}

bool calls_own(bool own)
{
	bool before = thread.own;

	thread.own = own;
	return before;
}

/* Waits of NVIDIA's libraries, which enter the driver through a door of their own. */
static void tell_outside(void)
{
	uint64_t ns, count = waits_wanted() ? hooks_outside(&ns) : 0;

	if (count)
		sink->coverage(COVERAGE_WAITS_OUTSIDE, NULL, count, 0);
}

void calls_finish(void)
{
	/* exit() in a signal handler: this thread may have locks of ours and CUPTI's */
	if (thread.depth || thread.own || !__atomic_load_n(&active, __ATOMIC_ACQUIRE))
		return;
	if (waits_wanted())
		hooks_enter(); /* CUPTI may wait */
	flush(true);
	samples_finish();
	if (waits_wanted())
		hooks_leave();
	pending_finish();
	tell_outside();
}

void calls_stop(void)
{
	calls_finish();
	__atomic_store_n(&active, false, __ATOMIC_RELEASE);
}

/* -- inside of a call -- */

static uint32_t device_of(CUcontext context)
{
	if (context && context != thread.context) {
		thread.device = 0;
		if (cuptiGetDeviceId(context, &thread.device) == CUPTI_SUCCESS)
			thread.context = context;
	}
	return context ? thread.device : 0;
}

/* The mangled name of the kernel that was launched; NULL: it is not known. */
static const char *kernel_name(const CUpti_CallbackData *data, const struct operation *operation)
{
	const char *name = data->symbolName;

	if (operation->api != GPU_KERNEL || name)
		return name;
	if (driver.cuKernelGetName &&
	    driver.cuKernelGetName(&name, (void *)(uintptr_t)operation->kernel) == CUDA_SUCCESS)
		return name;
	if (driver.cuFuncGetName &&
	    driver.cuFuncGetName(&name, (CUfunction)(uintptr_t)operation->kernel) == CUDA_SUCCESS)
		return name;
	return NULL;
}

/* Whether the function, or the one that the program has called, is. */
static bool is_asynchronous(const char *function)
{
	return api_is_asynchronous(thread.name) || api_is_asynchronous(function);
}

/* Whether a function waits says the one that the program has called. */
static enum wait_kind wait_kind(const struct operation *operation, const char *function)
{
	switch (operation->api) {
	case GPU_COPY:
		return is_asynchronous(function) ? WAIT_COPY_ASYNC : WAIT_COPY;
	case GPU_SET:
		return !operation->timed || is_asynchronous(function) ? WAIT_QUEUED : WAIT_COPY;
	case GPU_KERNEL:
		return WAIT_QUEUED;
	case GPU_FREE:
		return api_waits_for(function) == API_WAITS_CONTEXT ? WAIT_FREE : WAIT_UNKNOWN;
	case GPU_ALLOC:
	case GPU_SYNC:
		break;
	}
	return WAIT_UNKNOWN;
}

/* In the pass `calls`: no times, but the memory that the call names. */
static void note_memory(struct noted *noted, const CUpti_CallbackData *data)
{
	struct operation *operation = &noted->operation;

	if (!named_memory_wanted())
		return;
	noted->records = 0;
	noted->first_touch = thread.named.count;
	if (operation->api == GPU_ALLOC && !operation->size)
		operation->size = named_memory_size(operation, data->functionName,
						    data->functionParams, &operation->memory);
	named_memory_add(&thread.named, operation, data->functionName, data->functionParams);
	noted->touch_count = thread.named.count - noted->first_touch;
}

static void note(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	const char *name = data->functionName;
	struct operation operation = operation_of(id, name, data->functionParams);
	const char *kernel;

	thread.copies_on_host |= operation.api == GPU_COPY && !operation.count;
	if (!operation.count || captures_stream(operation.stream))
		return;
	kernel = kernel_name(data, &operation);
	if (thread.count == NOTED_MAX || (operation.api == GPU_KERNEL && !kernel)) {
		sink->coverage(COVERAGE_TIMES_NOT_RECORDED, NULL, operation.count, 0);
		return;
	}
	thread.noted[thread.count++] = (struct noted){
		.operation = operation,
		.correlation = data->correlationId,
		.device = device_of(data->context),
		/* mappings are told of each time that their access is set */
		.may_be_known = operation.api == GPU_ALLOC && api_is(name, "cuMemSetAccess"),
		.kernel = kernel,
		.wait = wait_kind(&operation, name),
		.records = operation.timed,
	};
	note_memory(&thread.noted[thread.count - 1], data);
}

/* As the nodes' contexts are not known, the launch has their times; it is no operation itself. */
static void note_graph(const CUpti_CallbackData *data)
{
	const uint64_t *words = data->functionParams;
	const bool timed = !named_memory_wanted();
	const uint32_t records = timed ? graphs_operations((uintptr_t)words[0]) : 0;

	sink->coverage(timed ? COVERAGE_TIMES_OF_GRAPHS : COVERAGE_CALLS_GRAPHS, NULL, 1, 0);
	if ((timed && !records) || thread.count == NOTED_MAX)
		return;
	thread.noted[thread.count++] = (struct noted){
		.operation = {.api = GPU_SYNC,
			      .count = 1,
			      .stream = stream_handle(data->functionName, words[1])},
		.correlation = data->correlationId,
		.device = device_of(data->context),
		.wait = WAIT_QUEUED,
		.records = records,
	};
}

/* Records of a context that goes are asked for before. */
static bool ends_context(const char *name)
{
	return api_is(name, "cuCtxDestroy") || api_is(name, "cuCtxDetach") ||
	       api_is(name, "cuDevicePrimaryCtxReset") ||
	       api_is(name, "cuDevicePrimaryCtxRelease") || api_is(name, "cuGreenCtxDestroy");
}

/* The driver looks at the clock, too, while it makes a context or loads code. */
static bool prepares(const char *name, enum api_effect effect)
{
	return effect == API_LOAD || api_is(name, "cuInit") || api_is(name, "cuCtxCreate") ||
	       api_is(name, "cuDevicePrimaryCtxRetain");
}

/* In the pass `calls`: what else changes what kernels can access. */
static void note_reach(const CUpti_CallbackData *data, enum api_effect effect)
{
	const char *name = data->functionName;
	uint64_t address;

	if (api_is(name, "cuModuleUnload") || api_is(name, "cuLibraryUnload") || ends_context(name))
		named_memory_functions_gone();
	if (effect != API_TEXTURE)
		return;
	address = named_memory_texture(name, data->functionParams);
	if (address)
		pending_expose(address);
}

/* Others are events, by whose names the sink knows it. */
static void note_joined(const char *name)
{
	if (api_is(name, "cuStreamWaitEvent") || api_is(name, "cuCtxWaitEvent") ||
	    api_is(name, "cuGreenCtxWaitEvent"))
		sink->reached(GPU_REACH_STREAMS);
	else if (api_is(name, "cuStreamQuery") || api_is(name, "cuEventQuery") ||
		 api_is(name, "cuLaunchHostFunc") || api_is(name, "cuStreamAddCallback") ||
		 api_is(name, "cuSignalExternalSemaphoresAsync"))
		sink->reached(GPU_REACH_HOST);
}

static void note_streams(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	uintptr_t stream;

	if (streams_concern(id, data->functionName, data->functionParams, &stream) &&
	    !streams_note(id, data->functionName, data->functionParams, device_of(data->context),
			  captures_stream(stream)))
		sink->coverage(COVERAGE_EVENT_NODES, NULL, 1, 0);
}

/* A function that does not wait for the device, but does something else where that has not come so
 * far. */
static void note_asked(const CUpti_CallbackData *data)
{
	const char *name = data->functionName;
	const uint64_t *words = data->functionParams;
	const bool elapsed = api_is(name, "cuEventElapsedTime");
	const bool host = api_is(name, "cuLaunchHostFunc") || api_is(name, "cuStreamAddCallback");
	const bool of_stream = host || api_is(name, "cuStreamQuery");

	if (!words || !(elapsed || of_stream || api_is(name, "cuEventQuery")))
		return;
	thread.asked.kind = host ? WAIT_HOST_FUNCTION : WAIT_QUESTION;
	thread.asked.of_stream = of_stream;
	thread.asked.handles[0] =
		of_stream ? stream_handle(name, words[0]) : (uintptr_t)words[elapsed];
	thread.asked.handles[1] = elapsed ? (uintptr_t)words[2] : 0;
	thread.asked.count = elapsed ? 2 : !of_stream || !captures_stream(thread.asked.handles[0]);
}

static void exit_driver(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	enum api_effect effect = api_effect(id, data->functionName);
	bool before = thread.own;

	thread.own = true;
	if (waits_wanted() && prepares(data->functionName, effect))
		hooks_enter(); /* forgets them */
	if (waits_wanted())
		note_asked(data);
	if (touches_wanted())
		touches_note(data->functionName, data->context);
	if (named_memory_wanted())
		note_reach(data, effect);
	if (sink->reached)
		note_joined(data->functionName);
	note_streams(id, data);
	if (effect == API_CLOSE && strstr(data->functionName, "BeginCapture"))
		captures_begin();
	else if (effect == API_LAUNCH && api_is(data->functionName, "cuGraphLaunch"))
		note_graph(data);
	else if (effect == API_GRAPH)
		graphs_note(data->functionName, data->functionParams);
	else if (effect == API_ALLOC || effect == API_FREE || effect == API_COPY ||
		 effect == API_SET || effect == API_LAUNCH)
		note(id, data);
	thread.own = before;
}

/* -- its end -- */

/* The result of a call; see api_returns_error(). */
static int result_of(const CUpti_CallbackData *data)
{
	return data->functionReturnValue ? *(const int *)data->functionReturnValue : 0;
}

/* `name` without its suffix, as the program spells it. */
static const char *public_name(const char *name, char plain[NAME_BYTES])
{
	size_t length = api_plain_length(name);

	if (length >= NAME_BYTES)
		return name;
	memcpy(plain, name, length);
	plain[length] = '\0';
	return plain;
}

/* Each operation of a batch has one of the call's; a launch has all. */
static void take_touches(struct pending_call *call, const struct noted *noted, uint32_t operation)
{
	static const struct touch any = {.kind = TOUCH_ANY};
	const bool one = noted->operation.api != GPU_KERNEL;

	if (!named_memory_wanted() || noted->operation.api == GPU_ALLOC ||
	    noted->operation.api == GPU_FREE)
		return;
	call->touch_count = one ? 1 : noted->touch_count;
	call->touches = &any;
	if (one && operation >= noted->touch_count)
		return; /* a graph, or there was no memory */
	if (!one && thread.named.incomplete)
		call->touch_count = 1;
	else if (call->touch_count)
		call->touches = &thread.named.all[noted->first_touch + (one ? operation : 0)];
}

/* The call is in this stream. */
static void put_into(struct pending_call *call, uintptr_t handle)
{
	struct stream_facts stream = streams_of_call(handle, call->device);
	unsigned flags = 0;

	if (!stream.known) {
		if (driver.cuStreamGetFlags((CUstream)handle, &flags) == CUDA_SUCCESS)
			stream.nonblocking = flags & CU_STREAM_NON_BLOCKING;
		streams_tell(handle, call->device, stream.nonblocking);
	}
	call->device = stream.device;
	call->stream = stream.number;
	call->first = stream.first;
	call->nonblocking = stream.nonblocking;
}

/* Memory that is allocated or freed in the order of a stream. */
static bool is_in_stream(const struct operation *operation, const char *name)
{
	return (operation->api == GPU_ALLOC || operation->api == GPU_FREE) &&
	       api_is_asynchronous(name);
}

static void begin(const struct noted *noted, const char *name, const struct looks *looks,
		  uint64_t end_ns)
{
	const struct operation *operation = &noted->operation;
	struct pending_call call = {
		.api = operation->api,
		.name = operation->api == GPU_KERNEL ? noted->kernel : name,
		.device = noted->device,
		.start_ns = thread.start_ns,
		.end_ns = end_ns,
		.correlation = {thread.correlation, noted->correlation},
		.records = noted->records,
		.address = operation->address,
		.size = operation->size,
		.memory = operation->memory,
		.may_be_known = noted->may_be_known,
		.host_address = operation->host_address,
		.host_bytes = operation->host_bytes,
		.source_address = operation->source_address,
		.source_bytes = operation->source_bytes && api_is_asynchronous(name)
					? operation->source_bytes
					: 0,
		.waited = operation->host_bytes && operation->host_bytes != GPU_HOST_ANYWHERE &&
			  (operation->host_is_pageable || !api_is_asynchronous(name)),
		.wait = noted->wait,
		.looks = *looks,
		.overhead_ns = thread.overhead_ns,
		.pageable = operation->host_is_pageable,
	};
	struct stream_points orders;

	put_into(&call, operation->stream);
	if (call.records || (named_memory_wanted() && operation->timed) ||
	    is_in_stream(operation, name)) {
		streams_orders(operation->stream, noted->device,
			       is_in_stream(operation, name) ? 0 : end_ns, &orders);
		call.orders = orders.list;
		call.order_count = orders.count;
	}
	for (uint32_t i = 0; i < operation->count; i++) {
		take_touches(&call, noted, i);
		pending_add(&call);
		call.orders = NULL;
		call.order_count = 0;
		call.first = false;
		call.looks.count = 0; /* it waited once */
		call.overhead_ns = 0;
	}
	thread.overhead_ns = 0;
}

/* A call that waits, and does nothing else that is an event. */
static void begin_wait(const CUpti_CallbackData *data, const char *name, enum wait_kind kind,
		       const struct looks *looks, uint64_t end_ns)
{
	struct pending_call call = {.api = GPU_SYNC,
				    .waited = true,
				    .name = name,
				    .device = device_of(data->context),
				    .start_ns = thread.start_ns,
				    .end_ns = end_ns,
				    .wait = kind,
				    .looks = *looks,
				    .overhead_ns = thread.overhead_ns};
	const uint64_t *words = data->functionParams;
	struct stream_points orders = {0};
	uintptr_t stream = 0;

	thread.overhead_ns = 0;
	if (words && kind == WAIT_STREAM)
		stream = stream_handle(thread.name, *words);
	if (kind == WAIT_STREAM || kind == WAIT_HOST_COPY)
		streams_orders(stream, call.device, 0, &orders);
	if (words && kind == WAIT_EVENT)
		call.event = streams_event((uintptr_t)*words, &orders);
	put_into(&call, stream);
	call.orders = orders.list;
	call.order_count = orders.count;
	pending_add(&call);
}

/* A call that does not wait, about an event or a stream. */
static void begin_asked(const CUpti_CallbackData *data, const char *name, uintptr_t handle,
			uint64_t end_ns)
{
	struct pending_call call = {.api = GPU_SYNC,
				    .name = name,
				    .device = device_of(data->context),
				    .start_ns = thread.start_ns,
				    .end_ns = end_ns,
				    .wait = thread.asked.kind,
				    .overhead_ns = thread.overhead_ns};
	struct stream_points orders = {0};

	if (thread.asked.of_stream) {
		put_into(&call, handle);
		call.event = (struct stream_point){call.device, call.stream, thread.start_ns};
		if (call.wait == WAIT_QUESTION)
			streams_orders(handle, call.device, 0, &orders);
	} else {
		call.event = streams_event(handle, &orders);
		put_into(&call, 0);
	}
	call.orders = orders.list;
	call.order_count = orders.count;
	if (!call.event.ns) { /* it was recorded before anything was seen, or never */
		free(orders.list);
		return;
	}
	thread.overhead_ns = 0;
	pending_add(&call);
}

static enum wait_kind kind_of_synchronization(const char *name)
{
	const enum api_waits waits = api_waits_for(name);

	return waits == API_WAITS_STREAM  ? WAIT_STREAM
	       : waits == API_WAITS_EVENT ? WAIT_EVENT
					  : WAIT_DEVICE;
}

static bool has_waited(const struct looks *looks)
{
	return looks->count && looks->last_ns - looks->first_ns >= WAIT_LEAST_NS;
}

/*
 * Makes the events of a call that has succeeded.  `synchronizes`: it waits for the device;
 * `reads`: when it read files, as a call does that loads code, or that waits.
 */
static void begin_all(const CUpti_CallbackData *data, bool synchronizes, struct looks looks,
		      const struct looks *reads)
{
	uint64_t end_ns = now_ns();
	char plain[NAME_BYTES];
	const char *name = public_name(thread.name, plain);

	thread.events_ns = end_ns;
	if (!looks.count && (thread.count || synchronizes || thread.copies_on_host))
		looks = *reads;
	for (unsigned i = 0; i < thread.count; i++) {
		begin(&thread.noted[i], name, &looks, end_ns);
		looks.count = 0;
	}
	if (synchronizes)
		begin_wait(data, name, kind_of_synchronization(name), &looks, end_ns);
	else if (!thread.count && has_waited(&looks))
		begin_wait(data, name, thread.copies_on_host ? WAIT_HOST_COPY : WAIT_UNKNOWN,
			   &looks, end_ns);
	for (unsigned i = 0; i < thread.asked.count && !synchronizes && !thread.count; i++)
		begin_asked(data, name, thread.asked.handles[i], end_ns);
	if (pending_wants_records(end_ns))
		flush(false);
}

static void finish(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	int result = result_of(data);
	bool synchronizes =
		api_synchronizes(domain == CUPTI_CB_DOMAIN_RUNTIME_API, id, thread.name);
	struct looks looks = {0}, reads = {0};

	if (waits_wanted())
		looks = hooks_looks(&reads);
	if (result && api_returns_error(thread.name))
		sink->failed(thread.name, (uint32_t)result);
	else if (!result &&
		 (thread.count || synchronizes || looks.count || reads.count || thread.asked.count))
		begin_all(data, synchronizes, looks, &reads);
	if (waits_wanted())
		hooks_leave();
	thread.count = thread.asked.count = 0;
	thread.copies_on_host = false;
	free(thread.named.all);
	thread.named = (struct named_memory){0};
	if (thread.events_ns && waits_wanted()) /* it is asked for by who replays the run */
		thread.overhead_ns += now_ns() - thread.events_ns;
	thread.events_ns = 0;
}

static void enter(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	if (thread.depth++ == 0) {
		thread.name = data->functionName;
		thread.correlation = data->correlationId;
		thread.count = 0;
		thread.start_ns = now_ns();
		if (waits_wanted())
			hooks_enter();
	}
	if (domain == CUPTI_CB_DOMAIN_DRIVER_API &&
	    api_effect(id, data->functionName) == API_FREE && ends_context(data->functionName)) {
		if (sink->reached)
			sink->reached(GPU_REACH_HOST);
		flush(false);
	}
}

void CUPTIAPI calls_callback(void *unused, CUpti_CallbackDomain domain, CUpti_CallbackId id,
			     const void *details)
{
	const CUpti_CallbackData *data = details;

	(void)unused;
	if ((domain != CUPTI_CB_DOMAIN_DRIVER_API && domain != CUPTI_CB_DOMAIN_RUNTIME_API) ||
	    thread.own || !__atomic_load_n(&active, __ATOMIC_ACQUIRE))
		return;
	if (data->callbackSite == CUPTI_API_ENTER) {
		enter(domain, id, data);
		return;
	}
	if (!thread.depth) /* the call was entered before the provider was started */
		return;
	if (domain == CUPTI_CB_DOMAIN_DRIVER_API && !result_of(data))
		exit_driver(id, data);
	if (--thread.depth == 0) {
		thread.own = true;
		finish(domain, id, data);
		thread.own = false;
	}
}
