/*
 * gpu/sanitizer/event_defer.c: launches that are not waited for.
 *
 * One launch after the other on the same stream, each followed by its pass there: what the passes
 * find is read later, in order.  Before anything else of the program is looked at, all must be in.
 */
#include "gpu/sanitizer/events_internal.h"

#include <time.h>

#include "gpu/sanitizer/events.h"

#define PATIENCE_AT_END_NS SECOND_NS /* the driver may be gone, and all it ran */
#define QUEUE_LENGTH 128

static struct {
	struct gpu_call call;
	uint32_t ticket;
} queue[QUEUE_LENGTH];
static unsigned first, count;
/* where they all run */
static struct space *deferred_space;
static CUstream deferred_stream;

bool events_deferred_on(const struct space *space, CUstream stream)
{
	return !count || (deferred_space == space && deferred_stream == stream);
}

/* Hands over the results of the oldest launch.  False: they are not there yet. */
static bool deliver(void)
{
	struct gpu_call *call = &queue[first].call;

	if (!space_passed(deferred_space, queue[first].ticket))
		return false;
	event_results(call, deferred_space, space_take(deferred_space, queue[first].ticket));
	first = (first + 1) % QUEUE_LENGTH;
	count--;
	return true;
}

/* What is left will never be known. */
static void drop(void)
{
	for (; count; count--, first = (first + 1) % QUEUE_LENGTH)
		events_sink->end(&queue[first].call, NULL, 0);
	events_missed();
}

/*
 * Waits until at most `most` launches are left.  False: in vain.  With `asking` the driver is asked
 * whether something failed, and there is patience with what works.
 */
static bool wait_until(unsigned most, bool asking)
{
	uint64_t start = events_now_ns(), asked = start, now;
	struct patience patience = patience_from(start);
	const struct timespec nap = {.tv_nsec = 20000};

	while (count > most) {
		if (deliver()) {
			start = 0;
			continue;
		}
		__builtin_ia32_pause();
		now = events_now_ns();
		if (!start) {
			start = asked = now;
			patience = patience_from(now);
		}
		if (!asking && now - start > PATIENCE_AT_END_NS)
			return false;
		if (!asking || now - asked < SECOND_NS / 1000)
			continue;
		asked = now;
		if (driver.cuStreamQuery(deferred_stream) != CUDA_ERROR_NOT_READY) {
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

bool event_defer(const struct gpu_call *call, struct space *space, CUstream stream)
{
	uint32_t ticket = space_pass(space, stream, call->context);

	if (!ticket)
		return false;
	deferred_space = space;
	deferred_stream = stream;
	queue[(first + count) % QUEUE_LENGTH].call = *call;
	queue[(first + count) % QUEUE_LENGTH].call.end_ns = events_now_ns();
	queue[(first + count++) % QUEUE_LENGTH].ticket = ticket;
	events_look();
	return true;
}

bool events_deferred(void)
{
	return __atomic_load_n(&count, __ATOMIC_RELAXED);
}

void events_look(void)
{
	while (count && deliver())
		;
}

bool events_defer_more(void)
{
	return count < QUEUE_LENGTH || wait_until(QUEUE_LENGTH / 2, true);
}

bool events_drain(void)
{
	struct operation operation = {.kind = OPERATION_KERNEL, .stream = deferred_stream};
	struct space *space = deferred_space;
	struct visit visit;

	if (!count)
		return true;
	if (events_is_late())
		return false;
	if (visit_enter(&visit, space_context(space)) && !wait_until(0, true)) {
		operation.name = queue[first].call.name;
		if (driver.cuStreamQuery(deferred_stream) == CUDA_ERROR_NOT_READY)
			events_give_up_waiting(space, &operation);
		if (!events_is_late())
			drop(); /* else their passes run when they can */
	}
	visit_leave(&visit);
	return !count;
}

void events_drain_late(void)
{
	if (count && !wait_until(0, true))
		drop();
}

void events_drain_at_end(void)
{
	if (count && !wait_until(0, false))
		drop();
}
