/*
 * gpu/sanitizer/schedule/queue.c: pending calls, see schedule.h.
 *
 * The calls of a queue follow each other on one stream, each with its pass behind it; the results
 * of passes are read later, in order.  Calls on other streams that wait for such a call wait for
 * its pass, too; but streams without such a wait have no order, and the marks of both would be in
 * one list.  Queues do not wait for each other: kernels on several devices may.
 *
 * The pass of a small copy or set whose bytes the host has reads none of the program's memory, so
 * that it needs no place on a stream: it is a command (shadow/commands.c).  Commands and other
 * passes wait for each other.
 *
 * Small copies and sets that the program does not wait for are held back, so that several of them,
 * which follow each other on one stream, have one pass: it is made before any other call may begin
 * that could change what they moved, or have others do so (see events_pass_held()).
 *
 * Calls that wait for the device (GPU_SYNC) have no pass, and other streams may go on: their events
 * only end after those of the calls that were pending when they returned.
 *
 * A copy that the program waits for returns before its pass is over; calls that free memory wait
 * for the pass.  If the program is killed in between, the copy has no event, unless it is one of
 * the first (AWAITED_FIRST).
 */
#include "gpu/sanitizer/schedule/events_internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AT_END_NS SECOND_NS /* of a process: the driver may be gone, and all that it ran */
#define QUEUE_CALLS 128
#define SYNCS_MAX (1u << 16) /* of a queue: the program may spin on such calls */
#define YIELD_NS 50000       /* how long others wait for the lock */
#define JUST_ENDS_NS 20000

struct pending {
	struct gpu_call call;
	uint32_t ticket;
	struct host_row host; /* its object is NULL: there is no such row */
	uint64_t address;     /* of that object, which may be freed while a queue is timed out */
	uint32_t id;
	bool reads_unseen;
	bool is_command; /* its pass is not on the queue's stream */
};

/* An event that ends when `after` calls of the queue have ended. */
struct sync {
	struct gpu_call call;
	uint64_t after;
};

static struct queue {
	struct space *space; /* where all of its calls run */
	CUstream stream;
	unsigned first, count;
	unsigned on_stream; /* how many of them have passes there */
	unsigned held;      /* ... of these the last, whose pass is not made yet */
	struct held {       /* what they moved */
		uint64_t address, width;
	} moved[HELD_MOST];
	struct pending calls[QUEUE_CALLS];
	uint64_t ended; /* how many calls have, ever */
	struct sync *syncs;
	unsigned sync_first, sync_count, sync_capacity;
} queues[EVENT_SPACES_MAX];
static unsigned queue_count, total; /* queues that were ever used; calls in all of them */
static struct queue *holder;        /* the only queue that holds copies back; NULL: none does */

static struct queue *find_queue(const struct space *space)
{
	for (unsigned i = 0; i < queue_count; i++)
		if (queues[i].space == space)
			return &queues[i];
	return NULL;
}

/* There are as many as spaces: those of abandoned spaces are used again. */
static struct queue *make_queue(struct space *space)
{
	struct queue *queue = find_queue(space);

	if (!queue)
		queue = find_queue(NULL);
	if (!queue)
		queue = &queues[queue_count++];
	queue->space = space;
	return queue;
}

static struct pending *oldest_of(struct queue *queue)
{
	return &queue->calls[queue->first];
}

enum queue_state queue_state(const struct space *space)
{
	const struct queue *queue = find_queue(space);

	if (space == timed_out_space())
		return QUEUE_TIMED_OUT;
	return queue && queue->count ? QUEUE_PENDING : QUEUE_IDLE;
}

bool queue_accepts(const struct space *space, CUstream stream)
{
	const struct queue *queue = find_queue(space);

	return !queue || !queue->on_stream || queue->stream == stream;
}

bool events_pending(void)
{
	return __atomic_load_n(&total, __ATOMIC_RELAXED);
}

bool events_pending_in_others(CUcontext context, CUstream stream)
{
	for (unsigned i = 0; i < queue_count; i++)
		if (queues[i].on_stream && queues[i].stream == stream && stream &&
		    space_context(queues[i].space) != context)
			return true;
	return false;
}

bool events_pend_transfers(CUcontext context, CUstream stream)
{
	const struct space *space = events_find_space(context);
	const struct queue *queue = space ? find_queue(space) : NULL;

	if (!space || events_is_dependent(space) || !queue || !queue->count || queues_timed_out())
		return false;
	if (!queue->on_stream)
		return true;
	if (queue->stream != stream)
		return false;
	for (unsigned i = 0; i < queue->count; i++)
		if (queue->calls[(queue->first + i) % QUEUE_CALLS].call.api == GPU_KERNEL)
			return false;
	return true;
}

bool events_pend_commands(CUcontext context)
{
	const struct space *space = events_find_space(context);
	const struct queue *queue = space ? find_queue(space) : NULL;

	return queue && !queue->on_stream && !queues_timed_out() && !events_is_dependent(space);
}

void events_stop_commands(void)
{
	for (unsigned i = 0; i < event_space_count; i++)
		space_stop_commands(event_spaces[i]);
}

bool queues_hold_copies(void)
{
	for (unsigned i = 0; i < queue_count; i++)
		for (unsigned k = 0; k < queues[i].count; k++) {
			const struct pending *one =
				&queues[i].calls[(queues[i].first + k) % QUEUE_CALLS];

			if (one->call.api == GPU_COPY && !one->host.object)
				return true;
		}
	return false;
}

/* -- calls become pending, and end --------------------------------------------------------- */

/* Makes a call pending whose pass has this ticket. */
static void push(struct queue *queue, const struct gpu_call *call, uint32_t ticket,
		 const struct host_row *host, bool reads_unseen, bool is_command)
{
	struct pending *last = &queue->calls[(queue->first + queue->count) % QUEUE_CALLS];

	last->call = *call;
	last->call.end_ns = now_ns();
	last->ticket = ticket;
	last->host = host ? *host : (struct host_row){0};
	last->address = host ? host->object->address : 0;
	last->id = host ? host->object->id : 0;
	last->reads_unseen = reads_unseen && space_all_seen(queue->space);
	last->is_command = is_command;
	queue->on_stream += !is_command;
	queue->count++;
	__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
	events_poll();
}

bool queue_push(const struct gpu_call *call, struct space *space, CUstream stream,
		const struct host_row *host, bool reads_unseen)
{
	struct queue *queue = make_queue(space);
	uint32_t ticket;

	events_pass_held();
	ticket = space_enqueue_pass(space, stream, call->context);
	if (!ticket)
		return false;
	queue->stream = stream;
	push(queue, call, ticket, host, reads_unseen, false);
	return true;
}

bool queue_takes_commands(const struct space *space)
{
	const struct queue *queue = find_queue(space);

	return !queue || !queue->on_stream;
}

bool queue_push_command(const struct gpu_call *call, struct object *object,
			const struct host_bytes *bytes, const struct host_row *host)
{
	struct queue *queue = make_queue(object->space);
	uint32_t ticket = space_command(object, bytes->marks, bytes->offset, bytes->width,
					bytes->bytes, call->context);

	if (!ticket)
		return false;
	queue->stream = space_command_stream(queue->space);
	push(queue, call, ticket, host, false, true);
	return true;
}

/* -- copies that are held back ------------------------------------------------------------ */

bool events_hold(void)
{
	return __atomic_load_n(&holder, __ATOMIC_RELAXED);
}

void events_pass_held(void)
{
	struct queue *queue = holder;
	struct entered_context entered;

	if (!queue)
		return;
	__atomic_store_n(&holder, NULL, __ATOMIC_RELAXED);
	queue->held = 0;
	/* who waits for them finds out if it fails */
	if (context_enter(&entered, space_context(queue->space)))
		space_pass_held(queue->space, queue->stream);
	context_leave(&entered);
}

bool events_join_held(CUcontext context, CUstream stream, uint64_t to, uint64_t bytes)
{
	const struct queue *queue = holder;

	if (!queue)
		return true;
	if (queue->stream != stream || space_context(queue->space) != context ||
	    bytes > EVENTS_HELD_BYTES)
		return false;
	for (unsigned i = 0; i < queue->held; i++)
		if (to - queue->moved[i].address < queue->moved[i].width ||
		    queue->moved[i].address - to < bytes)
			return false;
	return true;
}

bool queue_hold(const struct gpu_call *call, struct object *object, CUstream stream,
		const struct host_bytes *bytes, struct host_row *host)
{
	struct queue *queue = make_queue(object->space);
	uint32_t none = 0;
	uint32_t ticket = space_hold_copy(object, bytes->marks, bytes->offset, bytes->width,
					  call->context, host ? &host->transfer : &none);

	if (!ticket)
		return false;
	queue->stream = stream;
	queue->moved[queue->held++] = (struct held){object->address + bytes->offset, bytes->width};
	__atomic_store_n(&holder, queue, __ATOMIC_RELAXED);
	push(queue, call, ticket, host, false, false);
	if (queue->held == HELD_MOST)
		events_pass_held();
	return true;
}

void queue_seen(const struct space *space)
{
	struct queue *queue = find_queue(space);

	if (queue && queue->count && space_all_seen(queue->space))
		queue->calls[(queue->first + queue->count - 1) % QUEUE_CALLS].reads_unseen = true;
}

static void end_syncs(struct queue *queue)
{
	while (queue->sync_count && queue->syncs[queue->sync_first].after <= queue->ended) {
		events_sink->end(&queue->syncs[queue->sync_first++].call, NULL, 0);
		queue->sync_count--;
	}
	if (!queue->sync_count)
		queue->sync_first = 0;
}

static void pop(struct queue *queue)
{
	queue->on_stream -= !oldest_of(queue)->is_command;
	queue->first = (queue->first + 1) % QUEUE_CALLS;
	queue->count--;
	queue->ended++;
	__atomic_fetch_sub(&total, 1, __ATOMIC_RELAXED);
	end_syncs(queue);
}

/* Makes room for one more.  False: there is no memory, or there are too many. */
static bool reserve_sync(struct queue *queue)
{
	unsigned capacity = queue->sync_capacity ? 2 * queue->sync_capacity : 64;
	struct sync *more;

	if (queue->sync_first + queue->sync_count < queue->sync_capacity)
		return true;
	if (queue->sync_first > queue->sync_capacity / 2) {
		memmove(queue->syncs, queue->syncs + queue->sync_first,
			queue->sync_count * sizeof(*queue->syncs));
		queue->sync_first = 0;
		return true;
	}
	if (capacity > SYNCS_MAX)
		return false;
	more = reallocarray(queue->syncs, capacity, sizeof(*more));
	if (!more)
		return false;
	queue->syncs = more;
	queue->sync_capacity = capacity;
	return true;
}

void events_synchronized_unseen(void)
{
	const struct gpu_sink *sink = events_sink; /* another thread may call events_stop() */

	if (sink)
		sink->coverage(COVERAGE_SYNCHRONIZATIONS_NOT_SEEN, NULL, 1, 0);
}

void events_synchronized(const struct api_call *api_call, CUcontext context, CUstream stream)
{
	uint64_t end_ns = now_ns();
	const struct space *space = events_find_space(context);
	struct queue *queue = space ? find_queue(space) : NULL;
	struct gpu_call call;

	if (!events_sink)
		return;
	events_poll(); /* the calls that this one waited for are over, and so are their passes */
	if (queue && queue->count && !reserve_sync(queue)) {
		events_synchronized_unseen();
		return;
	}
	event_begin(&call, GPU_SYNC, event_public_name(api_call->name), stream, api_call, NULL);
	call.end_ns = end_ns;
	if (queue && queue->count)
		queue->syncs[queue->sync_first + queue->sync_count++] =
			(struct sync){call, queue->ended + queue->count};
	else
		events_sink->end(&call, NULL, 0);
}

/* Ends the oldest call.  False: its pass is not written yet. */
static bool deliver(struct queue *queue)
{
	const struct pending *oldest = oldest_of(queue);
	struct host_row host = oldest->host;
	const bool reads_unseen = oldest->reads_unseen;

	if (!space_pass_is_done(queue->space, oldest->ticket))
		return false;
	if (host.object)
		host.object = space_find(queue->space, oldest->address);
	if (host.object && host.object->id != oldest->id)
		host.object = NULL;
	event_results(&oldest->call, queue->space, space_take_results(queue->space, oldest->ticket),
		      &host, host.object != NULL);
	if (reads_unseen)
		event_read_unseen(&oldest->call);
	pop(queue);
	return true;
}

/*
 * Drops all calls of the queue: their results will never be known.  `result`: what the driver says
 * of their stream, or CUDA_SUCCESS.
 */
static void drop_pending(struct queue *queue, CUresult result)
{
	/* nothing was done on the stream behind a kernel that ended with an error */
	bool undone = event_fault(queue->space, result);

	if (!undone)
		events_sink->coverage(COVERAGE_CALLS_UNFINISHED, NULL, queue->count, 0);
	if (queue == holder)
		__atomic_store_n(&holder, NULL, __ATOMIC_RELAXED);
	if (queue->held)
		space_drop_held(queue->space);
	queue->held = 0;
	for (; queue->count; pop(queue))
		if (undone)
			events_sink->abandon(&oldest_of(queue)->call);
		else
			events_sink->end(&oldest_of(queue)->call, NULL, 0);
	events_lost_track();
}

void events_poll(void)
{
	for (unsigned i = 0; i < queue_count; i++)
		while (queues[i].count && deliver(&queues[i]))
			;
}

void events_fault_seen(CUcontext context, CUresult result)
{
	struct space *space = events_find_space(context);
	struct queue *queue = space ? find_queue(space) : NULL;

	if (!queue || !queue->count)
		return;
	events_poll();
	if (queue->count)
		drop_pending(queue, result);
}

/* -- waiting ------------------------------------------------------------------------------ */

bool stream_is_captured(CUstream stream)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	CUresult result = driver.cuStreamIsCapturing(stream, &status);

	return result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ||
	       (result == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE);
}

/*
 * Asks the driver about the queue's stream.  CUDA_ERROR_NOT_READY: it is at work, or is captured:
 * to query a captured stream would end the capture.
 */
static CUresult query(const struct queue *queue)
{
	return stream_is_captured(queue->stream) ? CUDA_ERROR_NOT_READY
						 : driver.cuStreamQuery(queue->stream);
}

CUresult queue_query(const struct space *space)
{
	const struct queue *queue = find_queue(space);
	unsigned last = queue ? (queue->first + queue->count - 1) % QUEUE_CALLS : 0;

	return !queue || !queue->count || space_pass_is_done(space, queue->calls[last].ticket)
		       ? CUDA_SUCCESS
		       : query(queue);
}

enum wait_mode {
	WAIT_BRIEFLY,   /* for a second at most, without a call of the driver */
	WAIT_PATIENTLY, /* asking the driver for errors, as long as the watchdog allows */
	WAIT_YIELDING,  /* the same; meanwhile other threads may have the lock, and change the queue
			 */
};
enum wait_result { WAIT_DONE, WAIT_FAILED, WAIT_LOCK_LOST };

/* Waits until at most `most` calls are left. */
static enum wait_result wait_until(struct queue *queue, unsigned most, enum wait_mode mode)
{
	uint64_t start = now_ns(), asked = start, yielded = start, now;
	struct watchdog watchdog = watchdog_start(start);
	const struct timespec interval = {.tv_nsec = 20000};
	unsigned oldest = queue->first;

	while (queue->count > most) {
		if (mode != WAIT_BRIEFLY)
			events_pass_held(); /* also what other threads have put there meanwhile */
		if (deliver(queue))
			continue;
		__builtin_ia32_pause();
		now = now_ns();
		if (oldest != queue->first) {
			oldest = queue->first;
			start = asked = now;
			watchdog = watchdog_start(now);
		}
		if (mode == WAIT_BRIEFLY) {
			if (now - start > AT_END_NS)
				return WAIT_FAILED;
			continue;
		}
		if (mode == WAIT_YIELDING && now - yielded > YIELD_NS) {
			yielded = now;
			if (!events_yield())
				return WAIT_LOCK_LOST;
			if (queue->count && queues_timed_out())
				return WAIT_FAILED;
		}
		if (now - asked < SECOND_NS / 1000)
			continue;
		asked = now;
		if (!queue->count)
			continue;
		if (query(queue) != CUDA_ERROR_NOT_READY) {
			if (!space_pass_is_done(queue->space, oldest_of(queue)->ticket))
				return WAIT_FAILED; /* an error */
			continue;
		}
		nanosleep(&interval, NULL);
		if (!watchdog_allows(&watchdog, queue->space, now))
			return WAIT_FAILED;
	}
	return WAIT_DONE;
}

bool events_settled(CUcontext context, CUstream stream, bool wait)
{
	struct space *space = events_find_space(context);
	struct queue *queue = space ? find_queue(space) : NULL;
	struct entered_context entered;
	CUresult result = CUDA_ERROR_NOT_READY;
	uint64_t start = now_ns();

	events_poll();
	if ((queue && queue->on_stream) || queues_timed_out())
		return false;
	if (context_enter(&entered, context) && !stream_is_captured(stream)) {
		result = wait ? await_stream(space, stream) : driver.cuStreamQuery(stream);
		/* the last pass has written its results, and is about to end */
		if (result == CUDA_ERROR_NOT_READY && !wait && !skipped_on(space, stream))
			while (result == CUDA_ERROR_NOT_READY && now_ns() - start < JUST_ENDS_NS)
				result = driver.cuStreamQuery(stream);
	}
	context_leave(&entered);
	return result == CUDA_SUCCESS;
}

bool queue_reserve(const struct space *space)
{
	struct queue *queue = find_queue(space);

	if (!queue)
		return true;
	if (queue->count == QUEUE_CALLS &&
	    wait_until(queue, QUEUE_CALLS / 2, WAIT_PATIENTLY) != WAIT_DONE)
		return false;
	while (queue->count && !space_has_room(space))
		if (wait_until(queue, queue->count - 1, WAIT_PATIENTLY) != WAIT_DONE)
			return false;
	return true;
}

static enum wait_result drain(struct queue *queue, enum wait_mode mode)
{
	enum wait_result wait_result = WAIT_FAILED;
	struct entered_context entered;
	CUresult result;

	if (context_enter(&entered, space_context(queue->space)))
		wait_result = wait_until(queue, 0, mode);
	if (entered.pushed && wait_result == WAIT_FAILED && queue->count && !queues_timed_out()) {
		const struct gpu_call *call = &oldest_of(queue)->call;

		result = query(queue);
		if (result == CUDA_ERROR_NOT_READY)
			queue_time_out(queue->space, queue->stream,
				       call->api == GPU_KERNEL ? call->name : NULL);
		if (!queues_timed_out())
			drop_pending(queue, result); /* else the calls stay pending: their passes
							run when they can */
	}
	context_leave(&entered);
	return wait_result;
}

static enum wait_result drain_all(const struct space *space, enum wait_mode mode)
{
	enum wait_result all = WAIT_DONE, wait_result;
	unsigned i = 0;

	while (i < queue_count) {
		if (!queues[i].count || (space && queues[i].space != space)) {
			i++;
			continue;
		}
		wait_result = queues_timed_out() ? WAIT_FAILED : drain(&queues[i], mode);
		if (wait_result == WAIT_LOCK_LOST ||
		    (wait_result == WAIT_FAILED && queues[i].count))
			return wait_result;
		if (wait_result == WAIT_FAILED) /* the calls that were left were dropped */
			all = WAIT_FAILED;
		i = 0; /* other threads that had the lock may have used the queues before it */
	}
	return all;
}

bool queues_drain(const struct space *space)
{
	return drain_all(space, WAIT_PATIENTLY) == WAIT_DONE;
}

bool queues_drain_yielding(const struct space *space)
{
	return drain_all(space, WAIT_YIELDING) != WAIT_LOCK_LOST;
}

void queue_drain_recovered(const struct space *space)
{
	struct queue *queue = find_queue(space);

	if (queue && queue->count && wait_until(queue, 0, WAIT_PATIENTLY) != WAIT_DONE)
		drop_pending(queue, query(queue));
}

static void drain_at_end(struct queue *queue)
{
	if (queue->count)
		wait_until(queue, queue->held, WAIT_BRIEFLY);
	if (queue->count)
		drop_pending(queue, CUDA_SUCCESS);
}

void events_drain_at_end(void)
{
	for (unsigned i = 0; i < queue_count; i++)
		drain_at_end(&queues[i]);
}

void queue_abandon(const struct space *space)
{
	struct queue *queue = find_queue(space);

	if (!queue)
		return;
	drain_at_end(queue);
	queue->space = NULL;
}
