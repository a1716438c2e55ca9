/*
 * gpu/sanitizer/schedule/events.c: what an API call did becomes events, one operation after the
 * other.
 */
#include "gpu/sanitizer/schedule/events.h"

#include <stdlib.h>

#include "gpu/sanitizer/schedule/events_internal.h"
#include "gpu/sanitizer/schedule/event_order.h"
#include "gpu/sanitizer/code/modules.h"
#include "gpu/sass/instructions.h"

const struct gpu_sink *events_sink;
bool events_digests, events_accesses;
uint32_t events_value_blocks;

void events_start(const struct gpu_sink *to, const struct gpu_options *options)
{
	events_digests = options->digests;
	events_accesses = options->accesses;
	events_value_blocks =
		options->value_blocks < UINT32_MAX ? (uint32_t)options->value_blocks : UINT32_MAX;
	memory_limit(options->memory_limit);
	if (events_unknown_start() == 0)
		events_sink = order_start(to);
}

void events_stop(void)
{
	events_drain_at_end();
	events_sink = NULL;
}

void events_context_gone(CUcontext context)
{
	for (unsigned i = 0; i < event_space_count; i++)
		if (space_context(event_spaces[i]) == context) {
			queue_abandon(event_spaces[i]);
			timed_out_abandon(event_spaces[i]);
			skipped_abandon(event_spaces[i]);
			events_peers_abandon(context);
			event_arrays_abandon(event_spaces[i]);
			space_abandon(event_spaces[i]);
			event_spaces[i] = event_spaces[--event_space_count];
			return;
		}
}

bool events_select_launches(void)
{
	return events_sink && events_sink->wanted;
}

/* Reports memory that kernels of the space reach and the patches cannot mark. */
static void cover_unmarked_memory(const struct space *space)
{
	if (events_reaches_unmarked(space))
		events_sink->coverage(COVERAGE_PEER_MEMORY, NULL, 1, 0);
	if (events_reaches_shared(space))
		events_sink->coverage(COVERAGE_OTHER_CONTEXTS_MEMORY, NULL, 1, 0);
}

static void finish_kernel(const struct api_call *api_call, const struct operation *operation,
			  struct space *space)
{
	struct space *spaces[EVENT_SPACES_MAX + 1] = {space};
	struct gpu_call call;
	unsigned count;

	if (operation->patched && !operation->unordered)
		space_launched(space, operation->threads, (uintptr_t)operation->function);
	count = 1 + events_peers(space, spaces + 1);
	for (unsigned i = 1; i < count; i++)
		space_launched(spaces[i], operation->threads, (uintptr_t)operation->function);
	cover_unmarked_memory(space);
	event_begin(&call, GPU_KERNEL, operation->name, operation->stream, api_call,
		    operation_node(operation));
	if (!operation->patched) {
		events_sink->coverage(COVERAGE_LAUNCH_NOT_FOLLOWED, NULL, 1, 0);
		events_lost_track();
	}
	if (operation->unordered)
		events_sink->end(&call, NULL, 0);
	else
		event_settle(&call, spaces, count, NULL, 0);
	if (events_value_blocks && operation->unordered)
		event_drop_values(space);
	else if (events_value_blocks && operation->patched)
		event_values(&call, operation, space);
	if (operation->instructions & INSTRUCTIONS_READ_UNSEEN)
		event_all_seen(&call, space);
	if (operation->instructions)
		event_instructions(operation, space);
}

/*
 * The nodes of a graph that ran at once have set masks, but which of them wrote what is not known.
 */
static void finish_graph(const struct operation *operation, struct space *space)
{
	struct space *spaces[EVENT_SPACES_MAX + 1] = {space};
	unsigned count;

	events_sink->coverage(operation->coverage, NULL, 1, 0);
	count = 1 + events_peers(space, spaces + 1);
	for (unsigned i = 0; i < count; i++) {
		struct entered_context entered;

		if (context_enter(&entered, space_context(spaces[i]))) {
			event_drop_values(spaces[i]);
			space_launched(spaces[i], UINT64_MAX, 0);
			if (space_settle(spaces[i], GPU_WRITER_UNKNOWN) >= 0) {
				event_unknown_memory(spaces[i], NULL);
				event_announce_touched(spaces[i]);
				event_contents(spaces[i]);
			}
		}
		context_leave(&entered);
	}
	event_all_seen(NULL, space); /* rows that nobody got have said what was read */
}

static bool is_on_stream(const struct operation *operation)
{
	return operation->kind == OPERATION_COPY || operation->kind == OPERATION_SET ||
	       operation->kind == OPERATION_KERNEL || operation->kind == OPERATION_GRAPH ||
	       operation->kind == OPERATION_UNSEEN;
}

/* Waits until what the operation put on its stream is over, if it is to be analysed. */
static enum call_state await_call(const struct operation *operation, struct space *space)
{
	struct entered_context entered = {0};
	CUresult result;

	if (!queues_recover())
		return CALL_TIMED_OUT;
	if (operation->skipped || !is_on_stream(operation))
		return CALL_ENDED;
	if (operation->api_context && operation->api_context != operation->context &&
	    !context_enter(&entered, operation->api_context))
		return CALL_DROPPED;
	result = await_stream(space, operation->stream);
	context_leave(&entered);
	if (result == CUDA_SUCCESS)
		return CALL_ENDED;
	if (result == CUDA_ERROR_NOT_READY)
		queue_time_out(space, operation->stream,
			       operation->kind == OPERATION_KERNEL ? operation->name : NULL);
	else
		event_fault(space, result);
	return queues_timed_out() ? CALL_TIMED_OUT : CALL_DROPPED;
}

/* The event of a launch that was timed out: what it did is found in its masks when it is over. */
static void finish_timed_out(const struct api_call *api_call, const struct operation *operation)
{
	struct gpu_call call;

	event_begin(&call, GPU_KERNEL, operation->name, operation->stream, api_call,
		    operation_node(operation));
	events_sink->end(&call, NULL, 0);
	if (!operation->patched)
		events_lost_track();
}

static void push_kernel(const struct api_call *api_call, const struct operation *operation,
			struct space *space)
{
	struct gpu_call call;

	space_launched(space, operation->threads, (uintptr_t)operation->function);
	cover_unmarked_memory(space);
	event_begin(&call, GPU_KERNEL, operation->name, operation->stream, api_call,
		    operation_node(operation));
	if (!queue_push(&call, space, operation->stream, NULL,
			operation->instructions & INSTRUCTIONS_READ_UNSEEN)) {
		events_sink->abandon(&call);
		events_lost_track();
		event_fault(space, CUDA_SUCCESS);
	}
	if (operation->instructions)
		event_instructions(operation, space);
}

/*
 * So many copies and sets are awaited, even those that could be pending: a program that is killed,
 * aborts or calls _exit() loses its pending calls, and one that ends so early does little else.
 */
#define AWAITED_FIRST 16

unsigned events_awaited;

/* Whether the operation is of a kind that can be pending. */
static bool can_be_pending(const struct api_call *api_call, const struct operation *operation)
{
	if (api_call->graph || operation->unordered || operation->stream == CU_STREAM_PER_THREAD)
		return false;
	if (operation->kind == OPERATION_KERNEL)
		return !events_value_blocks && operation->patched && !operation->skipped &&
		       !operation->parameters;
	/* of several operations in one call none has a pass of its own behind it */
	return (operation->kind == OPERATION_COPY || operation->kind == OPERATION_SET) &&
	       api_call->may_pend && api_call->count == 1 && events_awaited >= AWAITED_FIRST &&
	       (!operation->api_context || operation->api_context == operation->context);
}

/* Makes the operation a pending call whose pass is a command.  False: it has to be another pass. */
static bool finish_by_command(const struct api_call *api_call, const struct operation *operation)
{
	struct space *space = events_find_space(operation->context);
	struct entered_context entered = {0};
	bool pushed;

	if (operation->kind == OPERATION_KERNEL || !can_be_pending(api_call, operation) || !space ||
	    space_failed(space) || events_is_dependent(space) || queues_timed_out() ||
	    !event_is_command(api_call, operation, space))
		return false;
	events_poll();
	if (!queue_takes_commands(space) || !queue_reserve(space))
		return false;
	if (api_call->context != operation->context &&
	    !context_enter(&entered, space_context(space)))
		return false;
	pushed = (!events_must_forget(space) || events_forget_by_commands(space)) &&
		 event_by_command(api_call, operation);
	context_leave(&entered);
	return pushed;
}

/*
 * Makes the operation a pending call whose pass is made with that of others.  Nothing else may run
 * that could change what it moved before that.
 */
static bool hold(const struct api_call *api_call, const struct operation *operation,
		 struct space *space)
{
	return api_call->may_hold && operation->kind != OPERATION_KERNEL &&
	       !events_have_partners() && !events_are_concurrent() &&
	       !skipped_beside(space, operation->stream) &&
	       event_copy_held(api_call, operation, space);
}

/*
 * Has what launches that are not analysed may have written forgotten behind them, on the stream of
 * a copy or set, so that nobody waits for them.
 */
static bool forget_before(struct space *space, const struct operation *operation)
{
	return operation->kind != OPERATION_KERNEL && !skipped_beside(space, operation->stream) &&
	       queues_drain(space) && events_forget_on(space, operation->stream);
}

/* Makes the operation a pending call.  False: it must be awaited. */
static bool finish_pending(const struct api_call *api_call, const struct operation *operation)
{
	struct space *space = events_find_space(operation->context);
	struct entered_context entered = {0};
	bool pushed = true;

	if (!can_be_pending(api_call, operation) || !space || space_failed(space) ||
	    events_is_dependent(space) || queues_timed_out() || !space_can_enqueue_pass(space) ||
	    !queue_accepts(space, operation->stream) || !queue_reserve(space))
		return false;
	if (api_call->context != operation->context &&
	    !context_enter(&entered, space_context(space)))
		return false;
	if (events_must_forget(space) && !forget_before(space, operation)) {
		context_leave(&entered);
		return false;
	}
	if (!hold(api_call, operation, space)) {
		events_pass_held(); /* before anything of this call is marked */
		if (operation->kind == OPERATION_KERNEL)
			push_kernel(api_call, operation, space);
		else
			pushed = event_copy_pending(api_call, operation, space);
	}
	context_leave(&entered);
	return pushed;
}

/*
 * Makes the event of an operation that is over.  `timed_out`: a queue is; then only allocations are
 * followed.
 */
static void finish_operation(struct space *space, const struct api_call *api_call,
			     const struct operation *operation, bool timed_out)
{
	switch (operation->kind) {
	case OPERATION_ALLOC:
		event_alloc(api_call, operation);
		break;
	case OPERATION_FREE:
		event_free(api_call, operation);
		break;
	case OPERATION_COPY:
		(timed_out ? event_beside_timed_out : event_copy)(api_call, operation);
		break;
	case OPERATION_SET:
		(timed_out ? event_beside_timed_out : event_set)(api_call, operation);
		break;
	case OPERATION_KERNEL:
		if (operation->skipped)
			event_skipped(api_call, operation);
		else if (timed_out)
			finish_timed_out(api_call, operation);
		else
			finish_kernel(api_call, operation, space);
		break;
	case OPERATION_ARRAY:
		if (!timed_out)
			event_array(api_call, operation);
		break;
	case OPERATION_ARRAY_GONE:
		event_array_gone(api_call, operation);
		break;
	case OPERATION_GRAPH:
		if (timed_out)
			events_lost_track();
		else
			finish_graph(operation, space);
		break;
	case OPERATION_SHARED:
		events_sink->coverage(COVERAGE_CALL_SHARES_MEMORY,
				      event_public_name(operation->name), 1, 0);
		break;
	case OPERATION_UNSEEN:
		if (operation->name)
			events_sink->coverage(COVERAGE_CALL_NOT_FOLLOWED,
					      event_public_name(operation->name), 1, 0);
		else
			events_sink->coverage(operation->coverage, NULL, 1, 0);
		events_lost_track();
		break;
	case OPERATION_UNLOAD:
		space_remove_module(space, operation->module);
		break;
	}
}

/*
 * The space in which the operation was done, made if need be, but not for a free: its context may
 * be gone.
 */
static struct space *space_of(const struct operation *operation)
{
	struct object *object;
	struct space *space;

	switch (operation->kind) {
	case OPERATION_FREE:
		object = events_find_object(operation->context, operation->address);
		return object ? object->space : NULL;
	case OPERATION_ARRAY_GONE:
	case OPERATION_UNLOAD:
		return events_find_space(operation->context);
	case OPERATION_COPY:
		space = events_make_space(operation->context);
		return space ? space : events_make_space(operation->from_context);
	default:
		return events_make_space(operation->context);
	}
}

/* The only space that the operation touches, or NULL. */
static struct space *only_space(const struct operation *operation)
{
	struct space *space = events_find_space(operation->context);
	const struct object *to, *from;

	switch (operation->kind) {
	case OPERATION_GRAPH:
	case OPERATION_SHARED:
	case OPERATION_UNSEEN:
		return NULL;
	case OPERATION_COPY:
	case OPERATION_SET:
	case OPERATION_FREE:
		to = events_find_object(operation->context, operation->address);
		from = operation->kind == OPERATION_COPY
			       ? events_find_object(operation->from_context,
						    operation->from_address)
			       : NULL;
		if ((to && from && to->space != from->space) || operation->array.array ||
		    operation->from_array.array) /* arrays may be another context's */
			return NULL;
		space = to ? to->space : from ? from->space : space;
		break;
	default:
		break;
	}
	return space && !events_is_dependent(space) ? space : NULL;
}

static void finish_one(const struct api_call *api_call, const struct operation *operation)
{
	struct space *space, *only;
	enum call_state state;
	struct entered_context entered;

	if (finish_by_command(api_call, operation) || finish_pending(api_call, operation))
		return;
	events_pass_held();
	only = only_space(operation);
	queues_drain(only);
	space = space_of(operation);
	if (!space || space_failed(space))
		return;
	/* nothing is done on the device for a launch that is not analysed */
	if (operation->skipped && api_call->context == space_context(space)) {
		event_skipped(api_call, operation);
		return;
	}
	if (!context_enter(&entered, space_context(space)))
		return;
	events_awaited += operation->kind == OPERATION_COPY || operation->kind == OPERATION_SET;
	state = await_call(operation, space);
	if (state == CALL_ENDED && !operation->skipped)
		events_forget(only);
	if (state != CALL_DROPPED)
		finish_operation(space, api_call, operation, state == CALL_TIMED_OUT);
	context_leave(&entered);
}

void events_finish(struct api_call *api_call)
{
	for (unsigned i = 0; i < api_call->count; i++) {
		struct operation *operation = &api_call->operations[i];

		if (events_sink)
			finish_one(api_call, operation);
		free(operation->parameters);
		operation->parameters = NULL;
	}
}

void events_drop(struct api_call *api_call, unsigned first)
{
	for (unsigned i = first; i < api_call->count; i++) {
		if (api_call->operations[i].kind == OPERATION_KERNEL ||
		    api_call->operations[i].kind == OPERATION_UNSEEN)
			events_lost_track();
		free(api_call->operations[i].parameters);
	}
	if (api_call->count > first)
		api_call->count = first;
}

/*
 * Evicts shadows for `bytes` that the program allocates on the space's device.  `timed_out`: a
 * queue is.
 */
static void evict_for(const struct space *space, uint64_t bytes, bool timed_out)
{
	for (unsigned i = 0; i < event_space_count; i++) {
		struct entered_context entered;

		if (space_device(event_spaces[i]) != space_device(space) ||
		    space_failed(event_spaces[i]))
			continue;
		if (context_enter(&entered, space_context(event_spaces[i])))
			(timed_out ? space_evict_nowait : space_evict)(event_spaces[i], bytes);
		context_leave(&entered);
	}
}

void events_release_cached(uint64_t bytes)
{
	if (!events_sink || !memory_is_cached(bytes))
		return;
	for (unsigned i = 0; i < event_space_count; i++) {
		struct entered_context entered;

		if (context_enter(&entered, space_context(event_spaces[i])))
			space_release_cached(event_spaces[i]);
		context_leave(&entered);
	}
}

void events_out_of_memory(void)
{
	memory_requery();
	events_release_cached(UINT64_MAX);
}

/* The space whose queue has to be empty, or NULL: all queues have to be. */
static struct space *scope_of(CUcontext context, bool all_contexts)
{
	struct space *space = all_contexts ? NULL : events_find_space(context);

	return space && !events_is_dependent(space) ? space : NULL;
}

/* Drains that.  A new context has nothing in its queue.  False: the lock was lost. */
static bool drain_scope(CUcontext context, bool all_contexts, struct space **scope)
{
	*scope = scope_of(context, all_contexts);
	return *scope || all_contexts || events_find_space(context) ? queues_drain_yielding(*scope)
								    : true;
}

bool events_drain(CUcontext context, bool all_contexts)
{
	struct space *scope;

	return drain_scope(context, all_contexts, &scope);
}

void events_graph_unobserved(CUcontext context, CUstream stream)
{
	struct space *space = events_find_space(context);
	struct entered_context entered;

	if (!events_sink)
		return;
	events_sink->coverage(COVERAGE_GRAPH_BESIDE_WAITING, NULL, 1, 0);
	events_lost_track();
	if (!space)
		return;
	if (context_enter(&entered, context))
		skipped_launched(space, stream);
	context_leave(&entered);
}

static bool wants_details(struct space *space)
{
	return space_wants_details(space) || (events_multi_device() && space_lacks_details(space));
}

static void make_ready(struct space *space, struct space *scope)
{
	struct space *peers[EVENT_SPACES_MAX];
	struct entered_context entered;

	if (space_failed(space))
		return;
	if (context_enter(&entered, space_context(space))) {
		events_forget(scope);
		if (wants_details(space))
			space_allocate_details(space);
		space_publish(space, peers, events_peers(space, peers));
	}
	context_leave(&entered);
}

static bool is_ready(struct space *space)
{
	return space_is_published(space) && !wants_details(space);
}

static bool are_ready(void)
{
	for (unsigned i = 0; i < event_space_count; i++)
		if (!space_failed(event_spaces[i]) && !is_ready(event_spaces[i]))
			return false;
	return true;
}

/* Makes launches possible in all contexts without any more allocations. */
static void make_all_ready(void)
{
	for (unsigned i = 0; i < event_space_count; i++)
		if (!is_ready(event_spaces[i]))
			make_ready(event_spaces[i], NULL);
}

bool events_ready_all(void)
{
	if (are_ready())
		return true;
	if (!queues_drain_yielding(NULL))
		return false;
	if (!queues_timed_out() && !events_pending())
		make_all_ready();
	return true;
}

bool events_prepare(CUcontext context, bool launch, const CUstream *stream, uint64_t wanted,
		    bool all_contexts)
{
	struct variables_unseen unseen = {0};
	struct space *space, *scope;
	struct entered_context entered;

	if (!events_sink)
		return true;
	space = stream && !wanted ? events_find_space(context) : NULL;
	if (space && !modules_pending() && !events_must_forget(space) && !queues_timed_out() &&
	    queue_accepts(space, *stream) && !events_is_dependent(space) &&
	    (!launch || is_ready(space)))
		return true; /* the call follows the pending ones on their stream */
	if (!launch && !wanted && !modules_pending() && !events_pending() && !queues_timed_out() &&
	    events_find_space(context))
		return true; /* nothing is to be made, nor waited for */
	if (!drain_scope(context, all_contexts, &scope))
		return false;
	if (!queues_recover()) {
		space = wanted && !queues_hold_copies() ? events_find_space(context) : NULL;
		if (space)
			evict_for(space, wanted, true);
		return true;
	}
	if (context_enter(&entered, context)) {
		space = events_make_space(context);
		if (space && !space_failed(space)) {
			if (launch)
				events_forget(scope);
			if (modules_pending())
				modules_variables(space, &unseen);
			memory_release_deferred(context, false);
			if (wanted)
				evict_for(space, wanted, false);
			if (launch)
				make_ready(space, scope);
		}
	}
	context_leave(&entered);
	/* the kernel may wait for one that is launched next, on another device */
	if (launch && space && events_multi_device() && !events_pending() &&
	    !events_is_dependent(space))
		make_all_ready();
	if (unseen.constants)
		events_sink->coverage(COVERAGE_CONSTANT_READS, NULL, unseen.constants, 0);
	if (unseen.managed)
		events_sink->coverage(COVERAGE_MANAGED_MEMORY, NULL, unseen.managed,
				      unseen.managed_bytes);
	if (unseen.skipped)
		events_sink->coverage(COVERAGE_VARIABLE_WITHOUT_ADDRESS, NULL, unseen.skipped, 0);
	return true;
}

void *events_callback_data(CUcontext context)
{
	struct space *space = events_find_space(context);

	return space && !queues_timed_out() && space_is_published(space) && !space_failed(space)
		       ? space_state(space)
		       : NULL;
}
