/*
 * gpu/sanitizer/event_defer.c: launches, copies and sets that are not waited for.
 *
 * One after the other on the same stream, each followed by its pass there: what the passes find is
 * read later, in order.  Before anything else of the program is looked at, all must be in.  What
 * the program puts on other streams waits for a pass if it waits for what is before the pass; but
 * two streams have no order when it does not, and the masks of both would be in one list.
 *
 * The pass behind a copy that the program waits for is not over when the copy is; calls that free
 * memory wait for it.  Of a program that is killed just then the copy is not known, unless it is one
 * of the first.
 */
#include "gpu/sanitizer/events_internal.h"

#include <time.h>

#include "gpu/sanitizer/events.h"

#define PATIENCE_AT_END_NS SECOND_NS /* the driver may be gone, and all it ran */
#define QUEUE_LENGTH 128

static struct {
	struct gpu_call call;
	uint32_t ticket;
	struct host_row host; /* of no object: there is none */
	uint64_t address;     /* of its object, which may go while something is late */
	uint32_t id;
} queue[QUEUE_LENGTH];
static unsigned first, count;
/* where they all run */
static struct space *deferred_space;
static CUstream deferred_stream;

bool events_deferred_on(const struct space *space, CUstream stream)
{
	return !count || (deferred_space == space && deferred_stream == stream);
}

/* Hands over the results of the oldest.  False: they are not there yet. */
static bool deliver(void)
{
	const struct gpu_call *call = &queue[first].call;
	struct host_row host = queue[first].host;

	if (!space_passed(deferred_space, queue[first].ticket))
		return false;
	if (host.object)
		host.object = space_find(deferred_space, queue[first].address);
	if (host.object && host.object->id != queue[first].id)
		host.object = NULL;
	event_results(call, deferred_space, space_take(deferred_space, queue[first].ticket), &host,
		      host.object != NULL);
	first = (first + 1) % QUEUE_LENGTH;
	count--;
	return true;
}

/* What is left will never be known.  `result`: what the driver says of it, or CUDA_SUCCESS. */
static void drop(CUresult result)
{
	/* behind a kernel that ended with an error nothing was done */
	bool undone = event_fault(deferred_space, result);

	if (!undone)
		events_sink->coverage("unfinished calls",
				      "the device failed, or the program ended before them: what "
				      "they did is not known",
				      count, 0);
	for (; count; count--, first = (first + 1) % QUEUE_LENGTH)
		if (undone)
			events_sink->abandon(&queue[first].call);
		else
			events_sink->end(&queue[first].call, NULL, 0);
	events_missed();
}

bool events_is_captured(CUstream stream)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	CUresult result = driver.cuStreamIsCapturing(stream, &status);

	return result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ||
	       (result == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE);
}

/* Not ready: the stream is at work, or may be: to ask a captured one would end the capture. */
static CUresult ask(void)
{
	return events_is_captured(deferred_stream) ? CUDA_ERROR_NOT_READY
						   : driver.cuStreamQuery(deferred_stream);
}

CUresult events_ask_deferred(void)
{
	unsigned last = (first + count - 1) % QUEUE_LENGTH;

	return !count || space_passed(deferred_space, queue[last].ticket) ? CUDA_SUCCESS : ask();
}

/*
 * Waits until at most `most` are left.  False: in vain.  With `asking` the driver is asked
 * whether something failed, and there is patience with what works.
 */
static bool wait_until(unsigned most, bool asking)
{
	uint64_t start = now_ns(), asked = start, now;
	struct patience patience = patience_from(start);
	const struct timespec nap = {.tv_nsec = 20000};

	while (count > most) {
		if (deliver()) {
			start = 0;
			continue;
		}
		__builtin_ia32_pause();
		now = now_ns();
		if (!start) {
			start = asked = now;
			patience = patience_from(now);
		}
		if (!asking && now - start > PATIENCE_AT_END_NS)
			return false;
		if (!asking || now - asked < SECOND_NS / 1000)
			continue;
		asked = now;
		if (ask() != CUDA_ERROR_NOT_READY) {
			if (!space_passed(deferred_space, queue[first].ticket))
				return false; /* an error */
			continue;
		}
		nanosleep(&nap, NULL);
		if (!patience_lasts(&patience, deferred_space, now))
			return false;
	}
	return true;
}

bool event_defer(const struct gpu_call *call, struct space *space, CUstream stream,
		 const struct host_row *host)
{
	unsigned last = (first + count) % QUEUE_LENGTH;
	uint32_t ticket = space_pass(space, stream, call->context);

	if (!ticket)
		return false;
	deferred_space = space;
	deferred_stream = stream;
	queue[last].call = *call;
	queue[last].call.end_ns = now_ns();
	queue[last].ticket = ticket;
	queue[last].host = host ? *host : (struct host_row){0};
	queue[last].address = host ? host->object->address : 0;
	queue[last].id = host ? host->object->id : 0;
	count++;
	events_look();
	return true;
}

bool events_deferred(void)
{
	return __atomic_load_n(&count, __ATOMIC_RELAXED);
}

bool events_deferred_copies(void)
{
	for (unsigned i = 0; i < count; i++) {
		unsigned at = (first + i) % QUEUE_LENGTH;

		if (queue[at].call.api == GPU_COPY && !queue[at].host.object)
			return true;
	}
	return false;
}

void events_look(void)
{
	while (count && deliver())
		;
}

void events_fault_seen(CUcontext context, CUresult result)
{
	if (!count || space_context(deferred_space) != context)
		return;
	events_look();
	if (count)
		drop(result);
}

bool events_defer_more(void)
{
	return count < QUEUE_LENGTH || wait_until(QUEUE_LENGTH / 2, true);
}

bool events_drain(void)
{
	struct operation operation = {.stream = deferred_stream};
	struct space *space = deferred_space;
	struct visit visit;
	CUresult result;

	if (!count)
		return true;
	if (events_is_late())
		return false;
	if (visit_enter(&visit, space_context(space)) && !wait_until(0, true)) {
		operation.kind =
			queue[first].call.api == GPU_KERNEL ? OPERATION_KERNEL : OPERATION_COPY;
		operation.name = queue[first].call.name;
		result = ask();
		if (result == CUDA_ERROR_NOT_READY)
			events_give_up_waiting(space, &operation);
		if (!events_is_late())
			drop(result); /* else their passes run when they can */
	}
	visit_leave(&visit);
	return !count;
}

void events_drain_late(void)
{
	if (count && !wait_until(0, true))
		drop(ask());
}

void events_drain_at_end(void)
{
	if (count && !wait_until(0, false))
		drop(CUDA_SUCCESS);
}
