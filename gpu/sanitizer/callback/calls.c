/*
 * gpu/sanitizer/callback/calls.c: API calls: where they begin and end, and the lock around them.
 * What happens inside is noted (calls_note.c), see events.c for what becomes of it.
 */
#include "gpu/sanitizer/callback/calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpu/sanitizer/api/device_bytes.h"
#include "gpu/sanitizer/api/launch_call.h"
#include "gpu/sanitizer/callback/calls_internal.h"
#include "gpu/sanitizer/callback/mappings.h"
#include "gpu/sanitizer/callback/textures.h"
#include "gpu/sanitizer/cuda_graph/graphs.h"
#include "gpu/sanitizer/code/loaded.h"
#include "gpu/sanitizer/code/modules.h"
#include "gpu/sanitizer/driver.h"
#include "gpu/nvidia/now.h"
#include "gpu/sanitizer/schedule/events.h"
#include "gpu/sanitizer/schedule/event_order.h"
#include "gpu/sanitizer/schedule/host_writes.h"
#include "gpu/sass/instructions.h"

#define LOCK_SECONDS 5
/*
 * less than the shortest time-out of a kernel that waits for what this thread does next: see wait.c
 */
#define SYNC_LOCK_SECONDS 1

__thread struct thread this_thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned waiting; /* how many threads wait for the lock */
static pthread_key_t thread_exit;
static bool active;
static pid_t owner; /* a child of fork() has what there is on the host, but not the device */

/* A thread ends; destructors that run later may still call CUDA. */
static void free_thread(void *operations)
{
	free(operations);
	free(this_thread.launch.parameters);
	this_thread.launch.parameters = NULL;
	this_thread.call.operations = NULL;
	this_thread.call.count = this_thread.call.room = 0;
}

static bool lock_within(unsigned seconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += seconds;
	return pthread_mutex_timedlock(&lock, &until) == 0;
}

/* At exit: the last calls of the program may be pending, and objects that it does not free. */
static void drain_at_exit(void)
{
	if (getpid() != owner || this_thread.locked ||
	    !(events_pending() || events_have_accesses()) || !lock_within(1))
		return;
	{
		OWN_CALLS(CALLS_OF_PROVIDER);
		events_pass_held();
		events_drain_at_end();
		events_accessed_at_end();
	}
	pthread_mutex_unlock(&lock);
}

static bool try_lock(void)
{
	return this_thread.locked || (this_thread.locked = pthread_mutex_trylock(&lock) == 0);
}

/*
 * Takes the lock for a call.  False: another thread's call has held it for long: it may wait for
 * what this thread is about to do, which goes on unobserved; but not while an awaited launch makes
 * progress.
 */
static bool take_lock(void)
{
	if (try_lock())
		return true;
	__atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
	do
		this_thread.locked = lock_within(LOCK_SECONDS);
	while (!this_thread.locked && events_making_progress());
	__atomic_fetch_sub(&waiting, 1, __ATOMIC_RELAXED);
	return this_thread.locked;
}

/*
 * The same after a call that only waits for the device, for a short time: if another call waits for
 * what this thread does next, that should not be held up.
 */
static bool take_lock_briefly(void)
{
	if (try_lock())
		return true;
	__atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
	this_thread.locked = lock_within(SYNC_LOCK_SECONDS);
	__atomic_fetch_sub(&waiting, 1, __ATOMIC_RELAXED);
	return this_thread.locked;
}

static bool is_contended(void)
{
	return __atomic_load_n(&waiting, __ATOMIC_RELAXED);
}

/*
 * Releases the lock for a moment, in which other threads may do what is waited for.  False: it
 * could not be taken again, or the provider was stopped.
 */
static bool yield_lock(void)
{
	const struct timespec interval = {.tv_nsec = 20000};

	/*
	 * half of a graph's steps were launched, or a module is patched as the next launch wants it
	 */
	if (this_thread.call.graph || this_thread.unordered ||
	    (this_thread.launch.kernel && events_select_launches()) || !is_contended())
		return true;
	pthread_mutex_unlock(&lock);
	this_thread.locked = false;
	nanosleep(&interval, NULL); /* a mutex goes to the thread that asks first */
	return take_lock() && __atomic_load_n(&active, __ATOMIC_ACQUIRE);
}

static void release_lock(void)
{
	if (this_thread.locked)
		pthread_mutex_unlock(&lock);
	this_thread.locked = false;
}

void calls_start(const struct gpu_sink *sink, const struct gpu_options *options)
{
	owner = getpid();
	atexit(drain_at_exit);
	pthread_key_create(&thread_exit, free_thread);
	events_start(sink, options);
	events_yield_by(yield_lock, is_contended);
	__atomic_store_n(&active, true, __ATOMIC_RELEASE);
}

void calls_stop(void)
{
	__atomic_store_n(&active, false, __ATOMIC_RELEASE);
	pthread_mutex_lock(&lock);
	events_stop();
	pthread_mutex_unlock(&lock);
}

bool calls_noting(void)
{
	return this_thread.depth && calls_are_noted() && !this_thread.unobserved &&
	       __atomic_load_n(&active, __ATOMIC_ACQUIRE);
}

static bool make_room(void)
{
	unsigned room = this_thread.call.room ? 2 * this_thread.call.room : 32;
	struct operation *more;

	if (this_thread.call.count < this_thread.call.room)
		return true;
	if (room > OPERATIONS_LIMIT)
		return false;
	more = reallocarray(this_thread.call.operations, room, sizeof(*more));
	if (!more)
		return false;
	this_thread.call.operations = more;
	this_thread.call.room = room;
	pthread_setspecific(thread_exit, more);
	return true;
}

struct operation *calls_add(enum operation_kind kind, CUcontext context)
{
	struct operation *operation;

	if (!context) /* memory of pools and mappings belongs to no context */
		context = this_thread.call.context;
	if (!make_room()) {
		events_lost_track();
		return NULL;
	}
	operation = &this_thread.call.operations[this_thread.call.count++];
	*operation = (struct operation){.kind = kind,
					.context = context,
					.unordered = this_thread.unordered,
					.of_node = this_thread.of_node,
					.node = this_thread.node};
	return operation;
}

bool calls_capturing(CUstream stream)
{
	OWN_CALLS(CALLS_OF_PROVIDER);
	CUstreamCaptureStatus status;

	if (!stream || stream == CU_STREAM_LEGACY)
		return false;
	return driver.cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* Before a kernel is launched that waits for those of other devices.  False: the lock was lost. */
static bool prepare_collective(CUcontext context)
{
	bool kept = true;

	if (events_are_serialized(context)) {
		kept = events_drain(context, true);
		if (kept)
			events_run_concurrently();
	}
	return kept && events_ready_all();
}

/* Whether a copy touches memory of another context than the current one. */
static bool crosses_contexts(const Sanitizer_CallbackData *data)
{
	const uint64_t *words = data->functionParams;
	CUcontext to, from;

	if (!events_multi_device() || this_thread.effect != API_COPY)
		return false;
	to = events_context_at(data->context, words[0]);
	from = events_context_at(data->context, words[1]);
	return (to && to != data->context) || (from && from != data->context);
}

/* What a call of the driver needs to be ready before it is made. */
struct needs {
	bool launch;       /* it launches a kernel that is to be analysed */
	bool on_stream;    /* it does no more than put a launch, copy or set on `stream` */
	bool waits;        /* it returns when that is over, or what is before it */
	bool all_contexts; /* it may reach the memory of any context */
	uint64_t bytes;    /* how much of the device's memory it takes */
	CUstream stream;
};

/*
 * Prepares a launch.  The driver loads kernels when they are launched first; that is done now, so
 * that the variables of their module are known before they run.  False: the lock was lost.
 */
static bool prepare_launch(const Sanitizer_CallbackData *data, struct needs *needs)
{
	OWN_CALLS(CALLS_THAT_LOAD);
	struct launch *launch = &this_thread.launch;
	CUfunction function;

	function = launch_function(data->context, data->functionName, data->functionParams);
	needs->on_stream =
		function && launch_stream(data->functionName, data->functionParams, &needs->stream);
	if (function && events_multi_device() && launch_is_collective(function) &&
	    !prepare_collective(data->context))
		return false;
	/* launches of captured kernels are selected when their graph is launched */
	if (function && !(events_select_launches() && calls_capturing(needs->stream)))
		launch_select(launch, function, NULL);
	if (launch->kernel && !launch->wanted)
		launch->parameters = launch_call_parameters(function, data->functionName,
							    data->functionParams, &launch->size);
	needs->launch = !launch->kernel || launch->wanted;
	needs->on_stream = needs->on_stream && needs->launch;
	needs->all_contexts = !function;
	needs->bytes = launch_local_memory();
	return true;
}

static void prepare_other(const Sanitizer_CallbackData *data, struct needs *needs)
{
	const uint64_t *words = data->functionParams;
	unsigned unit;

	needs->on_stream = calls_stream_copy(data->functionName, data->functionParams,
					     &needs->stream, &needs->waits) &&
			   !crosses_contexts(data);
	/*
	 * once an awaited copy has returned, the program may tell a partner so, which may write
	 * there before our pass has run
	 */
	this_thread.call.may_pend = needs->on_stream && !(needs->waits && events_have_partners());
	this_thread.call.host_waited = needs->on_stream && needs->waits;
	unit = this_thread.call.may_pend && !needs->waits ? calls_may_hold(data->functionName) : 0;
	this_thread.call.may_hold = unit && words[2] <= EVENTS_HELD_BYTES;
	if (!this_thread.call.may_hold ||
	    !events_join_held(data->context, needs->stream, words[0], words[2] * unit))
		events_pass_held();
	needs->all_contexts = !needs->on_stream &&
			      (this_thread.effect == API_COPY || this_thread.effect == API_UNSEEN);
	if (!needs->on_stream)
		needs->bytes = api_device_bytes(data->functionName, data->functionParams);
}

/* Whether a copy or set on one stream writes to the device. */
static bool is_upload(const Sanitizer_CallbackData *data)
{
	return events_is_device_memory(data->context, *(const uint64_t *)data->functionParams);
}

/* Prepares what a call of the driver needs, which begins. */
static void prepare(const Sanitizer_CallbackData *data)
{
	OWN_CALLS(CALLS_OF_PROVIDER);
	struct needs needs = {0};

	this_thread.launch.kernel = NULL;
	this_thread.call.may_pend = this_thread.call.may_hold = false;
	this_thread.call.host_waited = false;
	this_thread.call.settled = this_thread.call.differs = false;
	if (!this_thread.locked)
		return;
	if (!data->context) {
		events_pass_held();
		return;
	}
	/* some limits can be set only before anything is done in a context */
	if (api_is(data->functionName, "cuCtxSetLimit") && !events_has_space(data->context))
		return;
	if (this_thread.effect != API_LAUNCH)
		prepare_other(data, &needs);
	else if (!prepare_launch(data, &needs))
		return;
	/*
	 * a call of the driver that waits would do so with our lock held, and without the watchdog;
	 * behind copies and sets an upload does not wait for long, and needs nothing of them
	 */
	if (!needs.waits || (needs.on_stream && events_pend_commands(data->context)) ||
	    (needs.on_stream && is_upload(data) &&
	     events_pend_transfers(data->context, needs.stream)) ||
	    events_drain(data->context, needs.all_contexts))
		events_prepare(data->context, needs.launch, needs.on_stream ? &needs.stream : NULL,
			       needs.bytes, needs.all_contexts);
	this_thread.call.settled =
		destination_settled(data, needs.on_stream ? &needs.stream : NULL, needs.waits);
}

/* Whether the function may take memory of the device, of a size that is not known. */
static bool takes_memory(const char *function)
{
	return this_thread.effect == API_LOAD ||
	       !strncmp(function, "cuGraphInstantiate", strlen("cuGraphInstantiate")) ||
	       api_is(function, "cuGraphLaunch") || api_is(function, "cuGraphUpload");
}

static bool needs_shadows(enum api_effect effect)
{
	return effect == API_ALLOC || effect == API_COPY || effect == API_SET ||
	       effect == API_LAUNCH || effect == API_UNSEEN || effect == API_ROOM;
}

/* Whether the first parameter of a function that frees memory is its address. */
static bool takes_address(const char *function)
{
	return api_is(function, "cuMemFree") || api_is(function, "cuMemFreeAsync") ||
	       api_is(function, "cuMemFreeHost") || api_is(function, "cuMemHostUnregister") ||
	       api_is(function, "cuMemUnmap");
}

/*
 * Ends pending calls before memory, code, contexts or streams go: their passes read the memory, and
 * a stream that is gone cannot be queried.  (A captured stream can, and so can the legacy stream
 * meanwhile, but the program's capture would fail.)
 */
static void end_pending(const Sanitizer_CallbackData *data)
{
	OWN_CALLS(CALLS_OF_PROVIDER);
	const uint64_t *words = data->functionParams;
	bool all_contexts;

	if (this_thread.effect == API_CLOSE)
		all_contexts =
			events_pending_in_others(data->context, (CUstream)(uintptr_t)words[0]);
	else
		all_contexts = !takes_address(data->functionName) ||
			       events_context_at(data->context, words[0]) != data->context;
	events_drain(data->context, all_contexts);
}

/*
 * A call of the driver begins that takes no lock, while copies are held back: the program may learn
 * by it that they are over, unless it merely asks for what does not change.
 */
static void end_held_briefly(const char *function)
{
	const bool locked = this_thread.locked;

	if (strstr(function, "Get") || !strncmp(function, "cuCtxPushCurrent", 16) ||
	    !strncmp(function, "cuCtxPopCurrent", 15) || !strncmp(function, "cuCtxSetCurrent", 15))
		return;
	if (take_lock_briefly()) {
		OWN_CALLS(CALLS_OF_PROVIDER);
		events_pass_held();
	}
	if (!locked)
		release_lock();
}

/* The same of one that does something on the device; copies and sets may join: see prepare(). */
static void end_held(void)
{
	OWN_CALLS(CALLS_OF_PROVIDER);

	if (this_thread.locked && this_thread.effect != API_COPY && this_thread.effect != API_SET)
		events_pass_held();
}

static void enter_driver(Sanitizer_CallbackId id, const Sanitizer_CallbackData *data)
{
	this_thread.inner = data->functionName;
	this_thread.effect = api_effect(id, data->functionName);
	this_thread.parameters = data->functionParams;
	this_thread.call.context = data->context;
	this_thread.first = this_thread.call.count;
	if (this_thread.effect == API_HOST)
		host_writes_begin();
	if (this_thread.effect == API_NOTHING || this_thread.effect == API_HOST) {
		if (events_hold())
			end_held_briefly(data->functionName);
		return;
	}
	take_lock(); /* also where code is loaded: modules are patched by one thread at a time */
	if (events_hold())
		end_held();
	this_thread.call.number = host_writes_begin();
	if (this_thread.locked && takes_memory(data->functionName)) {
		OWN_CALLS(CALLS_OF_PROVIDER);
		events_release_cached(EVENTS_CALL_MAY_TAKE);
	}
	if (needs_shadows(this_thread.effect))
		prepare(data);
	else if (this_thread.locked &&
		 (this_thread.effect == API_FREE || this_thread.effect == API_CLOSE))
		end_pending(data);
	if (this_thread.locked &&
	    (this_thread.effect == API_GRAPH || this_thread.effect == API_LAUNCH)) {
		calls_graph_enter(data);
	} else if (this_thread.effect == API_GRAPH && !this_thread.changing) {
		this_thread.changing = true;
		graphs_changing_unseen();
	}
}

/*
 * Keeps the parameters of launches whose kernels have instructions that no patch follows: they may
 * write what these point to.
 */
static void keep_parameters(const Sanitizer_CallbackData *data)
{
	OWN_CALLS(CALLS_OF_PROVIDER);

	for (unsigned i = this_thread.first; i < this_thread.call.count; i++) {
		struct operation *operation = &this_thread.call.operations[i];

		if (operation->kind == OPERATION_KERNEL && !operation->skipped &&
		    operation->instructions & INSTRUCTIONS_TENSOR_WRITE &&
		    launch_function(data->context, data->functionName, data->functionParams))
			operation->parameters = launch_call_parameters(
				operation->function, data->functionName, data->functionParams,
				&operation->parameters_size);
	}
}

static void note_by_name(enum operation_kind kind, const char *name)
{
	struct operation *operation = calls_add(kind, NULL);

	if (operation)
		operation->name = name;
}

/* The result of a call; see api_returns_error(). */
static CUresult result_of(const Sanitizer_CallbackData *data)
{
	return data->functionReturnValue ? *(const CUresult *)data->functionReturnValue
					 : CUDA_SUCCESS;
}

static void note_peer(const Sanitizer_CallbackData *data)
{
	OWN_CALLS(CALLS_OF_PROVIDER);

	events_peer(this_thread.call.context, *(const CUcontext *)data->functionParams,
		    api_is(data->functionName, "cuCtxEnablePeerAccess"));
}

static void note_texture(const Sanitizer_CallbackData *data)
{
	OWN_CALLS(CALLS_OF_PROVIDER);
	uint64_t address = texture_address(data->functionName, data->functionParams);

	if (!this_thread.locked)
		events_lost_track();
	else if (address)
		events_expose(data->context, address);
}

static bool makes_partners(const char *function)
{
	return this_thread.effect == API_SHARED ||
	       (this_thread.effect == API_ALLOC &&
		(api_is(function, "cuIpcOpenMemHandle") ||
		 api_is(function, "cuMemPoolImportPointer") ||
		 api_is(function, "cuExternalMemoryGetMappedBuffer")));
}

/* Notes that other processes, APIs or devices may write memory from now on. */
static void note_sharing(const Sanitizer_CallbackData *data)
{
	OWN_CALLS(CALLS_OF_PROVIDER);
	const char *name = data->functionName;
	bool imports = api_is(name, "cuIpcOpenMemHandle") || api_is(name, "cuMemPoolImportPointer");
	uint64_t address;
	uint32_t at = 0;

	mappings_call(name, data->functionParams);
	while ((address = mappings_next(name, data->functionParams, &at))) {
		imports |= api_is(name, "cuMemSetAccess");
		events_share_external(data->context, address);
	}
	for (unsigned i = this_thread.first; i < this_thread.call.count; i++)
		if (this_thread.call.operations[i].kind == OPERATION_ALLOC)
			this_thread.call.operations[i].external_writers =
				imports ||
				mappings_is_shared(this_thread.call.operations[i].address);
}

static void note_order(Sanitizer_CallbackId id, const Sanitizer_CallbackData *data)
{
	OWN_CALLS(CALLS_OF_PROVIDER);

	order_note(id, data->functionName, data->functionParams);
	host_writes_begin(); /* those of a stream that another one waits for now */
}

static void exit_driver(Sanitizer_CallbackId id, const Sanitizer_CallbackData *data)
{
	CUresult result = result_of(data);
	bool failed = result != CUDA_SUCCESS;

	if (!failed && order_concerns(id, data->functionName, data->functionParams))
		note_order(id, data);
	if (this_thread.effect == API_NOTHING)
		return;
	if (!this_thread.locked) /* others may have begun since */
		host_writes_begin();
	if (this_thread.effect == API_HOST)
		return;
	if (result == CUDA_ERROR_OUT_OF_MEMORY &&
	    this_thread.locked) { /* the program may try again */
		OWN_CALLS(CALLS_OF_PROVIDER);
		events_out_of_memory();
	}
	if (!failed && this_thread.locked && makes_partners(data->functionName))
		events_note_partners();
	if (!failed && this_thread.locked &&
	    (this_thread.effect == API_ALLOC || this_thread.effect == API_FREE ||
	     this_thread.effect == API_SHARED))
		note_sharing(data);
	if (this_thread.locked &&
	    (this_thread.effect == API_GRAPH || this_thread.effect == API_LAUNCH))
		calls_graph_exit(data);
	calls_node_exit(data, failed);
	if (failed)
		events_drop(&this_thread.call, this_thread.first);
	else if (this_thread.effect == API_LAUNCH)
		keep_parameters(data);
	else if (this_thread.effect == API_PEER && this_thread.locked)
		note_peer(data);
	else if (this_thread.effect == API_TEXTURE)
		note_texture(data);
	else if (this_thread.effect == API_COPY)
		calls_copy_unreported(data->functionName, data->functionParams);
	else if (this_thread.effect == API_UNSEEN)
		note_by_name(OPERATION_UNSEEN, data->functionName);
	else if (this_thread.effect == API_SHARED)
		note_by_name(OPERATION_SHARED, data->functionName);
	this_thread.effect = API_NOTHING;
}

/* A call begins that waits for the device: nothing of ours shall linger there. */
static void before_synchronization(void)
{
	if (try_lock()) {
		OWN_CALLS(CALLS_OF_PROVIDER);
		events_pass_held();
		events_stop_commands();
		release_lock();
	}
}

/* Makes the event of a call that waits for the device, which has returned. */
static void finish_synchronization(const Sanitizer_CallbackData *data)
{
	const char *name = this_thread.call.name;
	CUstream stream = NULL;

	this_thread.call.event = NULL;
	if (data->functionParams &&
	    (api_is(name, "cudaStreamSynchronize") || api_is(name, "cuStreamSynchronize")))
		stream = api_stream(name, *(const CUstream *)data->functionParams);
	if (data->functionParams &&
	    (api_is(name, "cudaEventSynchronize") || api_is(name, "cuEventSynchronize")))
		this_thread.call.event = *(const CUevent *)data->functionParams;
	if (take_lock_briefly())
		events_synchronized(&this_thread.call,
				    data->context ? data->context : this_thread.call.context,
				    stream);
	else
		events_synchronized_unseen();
}

/* Reports that a call of the program failed, whichever it is.  The lock is not held. */
static void report_failed(const char *function, CUresult result)
{
	const struct gpu_sink *sink = events_sink; /* another thread may call events_stop() */

	if (sink && api_returns_error(function))
		sink->failed(function, (uint32_t)result);
}

static void finish(Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
		   const Sanitizer_CallbackData *data)
{
	CUresult result = result_of(data); /* the runtime has the same numbers for faults */
	bool failed = result != CUDA_SUCCESS;

	if (this_thread.call.count) {
		OWN_CALLS(CALLS_OF_PROVIDER);
		loaded_ask();
		if (!failed && take_lock()) {
			events_finish(&this_thread.call);
		} else {
			if (!failed)
				events_lost_track();
			events_drop(&this_thread.call, 0);
		}
	}
	if (!failed &&
	    api_synchronizes(domain == SANITIZER_CB_DOMAIN_RUNTIME_API, id, this_thread.call.name))
		finish_synchronization(data);
	if (driver_is_fault(result) && events_pending() && try_lock())
		events_fault_seen(this_thread.call.context, result);
	if (this_thread.changing)
		graphs_changed_unseen();
	this_thread.changing = false;
	this_thread.call.count = 0;
	release_lock();
	loaded_report();
	if (failed)
		report_failed(this_thread.call.name, result);
}

void calls_api(Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
	       const Sanitizer_CallbackData *data)
{
	if (this_thread.substitute && domain == SANITIZER_CB_DOMAIN_DRIVER_API)
		calls_graph_redirect(data);
	if (this_thread.calls != CALLS_OF_PROGRAM || !__atomic_load_n(&active, __ATOMIC_ACQUIRE))
		return;
	if (data->callbackSite == SANITIZER_API_ENTER) {
		if (this_thread.depth++ == 0) {
			this_thread.call.name = data->functionName;
			this_thread.call.count = 0;
			this_thread.call.start_ns = now_ns();
			if (api_synchronizes(domain == SANITIZER_CB_DOMAIN_RUNTIME_API, id,
					     data->functionName))
				before_synchronization();
		}
		if (domain == SANITIZER_CB_DOMAIN_DRIVER_API)
			enter_driver(id, data);
		return;
	}
	if (!this_thread.depth) /* the call was entered before the provider was started */
		return;
	if (domain == SANITIZER_CB_DOMAIN_DRIVER_API)
		exit_driver(id, data);
	if (--this_thread.depth == 0)
		finish(domain, id, data);
}

/* Allocations, modules and contexts come and go in and between calls. */
void calls_resource(Sanitizer_CallbackId id, const void *data)
{
	const Sanitizer_ResourceContextData *context = data;
	const Sanitizer_ResourceModuleData *module = data;

	if (!__atomic_load_n(&active, __ATOMIC_ACQUIRE))
		return;
	if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED && this_thread.calls != CALLS_OF_PROVIDER) {
		if (!module_loaded(module, this_thread.depth > 0))
			events_unpatched();
	} else if (id == SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
		modules_context_gone(context->context);
		launch_functions_gone();
		if (take_lock()) {
			events_context_gone(context->context);
			graphs_context_gone();
			if (!this_thread.depth)
				release_lock();
		}
	} else if (calls_noting()) {
		calls_note_resource(id, data);
	}
}
