/*
 * gpu/sanitizer/schedule/event_defer.c: launches, copies and sets that are not waited for.
 *
 * Each context has a lane of them: one after the other on the same stream, each followed by its
 * pass there; what the passes find is read later, in order.  Before anything else of the program is
 * looked at in that context, all must be in.  What the program puts on other streams waits for a
 * pass if it waits for what is before the pass; but two streams have no order when it does not, and
 * the masks of both would be in one list.  Lanes do not wait for each other: kernels on several
 * devices may.
 *
 * The pass behind a copy that the program waits for is not over when the copy is; calls that free
 * memory wait for it.  Of a program that is killed just then the copy is not known, unless it is
 * one of the first.
 */
#include "gpu/sanitizer/schedule/events_internal.h"

#include <time.h>

#define PATIENCE_AT_END_NS SECOND_NS /* the driver may be gone, and all it ran */
#define QUEUE_LENGTH 128
#define TURN_NS 50000 /* others get the lock after that long */

struct deferred {
	struct gpu_call call;
	uint32_t ticket;
	struct host_row host; /* of no object: there is none */
	uint64_t address;     /* of its object, which may go while something is late */
	uint32_t id;
};

static struct lane {
	struct space *space; /* where they all run */
	CUstream stream;
	unsigned first, count;
	struct deferred queue[QUEUE_LENGTH];
} lanes[EVENT_SPACES_MAX];
static unsigned lane_count, total; /* of lanes that were ever used; of calls in them */

static struct lane *find_lane(const struct space *space)
{
	for (unsigned i = 0; i < lane_count; i++)
		if (lanes[i].space == space)
			return &lanes[i];
	return NULL;
}

/* There are as many as spaces, and those that were abandoned are empty. */
static struct lane *make_lane(struct space *space)
{
	struct lane *lane = find_lane(space);

	if (!lane)
		lane = find_lane(NULL);
	if (!lane)
		lane = &lanes[lane_count++];
	lane->space = space;
	return lane;
}

bool events_deferred_on(const struct space *space, CUstream stream)
{
	const struct lane *lane = find_lane(space);

	return !lane || !lane->count || lane->stream == stream;
}

bool events_deferred_in(const struct space *space)
{
	const struct lane *lane = find_lane(space);

	return lane && lane->count;
}

bool events_deferred_elsewhere(CUcontext context, CUstream stream)
{
	for (unsigned i = 0; i < lane_count; i++)
		if (lanes[i].count && lanes[i].stream == stream && stream &&
		    space_context(lanes[i].space) != context)
			return true;
	return false;
}

static void take_off(struct lane *lane)
{
	lane->first = (lane->first + 1) % QUEUE_LENGTH;
	lane->count--;
	__atomic_fetch_sub(&total, 1, __ATOMIC_RELAXED);
}

/* Hands over the results of the oldest.  False: they are not there yet. */
static bool deliver(struct lane *lane)
{
	const struct deferred *oldest = &lane->queue[lane->first];
	struct host_row host = oldest->host;

	if (!space_passed(lane->space, oldest->ticket))
		return false;
	if (host.object)
		host.object = space_find(lane->space, oldest->address);
	if (host.object && host.object->id != oldest->id)
		host.object = NULL;
	event_results(&oldest->call, lane->space, space_take(lane->space, oldest->ticket), &host,
		      host.object != NULL);
	take_off(lane);
	return true;
}

/* What is left will never be known.  `result`: what the driver says of it, or CUDA_SUCCESS. */
static void drop(struct lane *lane, CUresult result)
{
	/* behind a kernel that ended with an error nothing was done */
	bool undone = event_fault(lane->space, result);

	if (!undone)
		events_sink->coverage(COVERAGE_CALLS_UNFINISHED, NULL, lane->count, 0);
	for (; lane->count; take_off(lane))
		if (undone)
			events_sink->abandon(&lane->queue[lane->first].call);
		else
			events_sink->end(&lane->queue[lane->first].call, NULL, 0);
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
static CUresult ask(const struct lane *lane)
{
	return events_is_captured(lane->stream) ? CUDA_ERROR_NOT_READY
						: driver.cuStreamQuery(lane->stream);
}

CUresult events_ask_deferred(const struct space *space)
{
	const struct lane *lane = find_lane(space);
	unsigned last = lane ? (lane->first + lane->count - 1) % QUEUE_LENGTH : 0;

	return !lane || !lane->count || space_passed(space, lane->queue[last].ticket) ? CUDA_SUCCESS
										      : ask(lane);
}

enum wait { OVER, IN_VAIN, TURN_LOST };

/*
 * Waits until at most `most` are left.  With `asking` the driver is asked whether something failed,
 * and there is patience with what works; meanwhile others may get their turn, and change the lane.
 */
static enum wait wait_until(struct lane *lane, unsigned most, bool asking)
{
	uint64_t start = now_ns(), asked = start, turn = start, now;
	struct patience patience = patience_from(start);
	const struct timespec nap = {.tv_nsec = 20000};
	unsigned oldest = lane->first;

	while (lane->count > most) {
		if (deliver(lane))
			continue;
		__builtin_ia32_pause();
		now = now_ns();
		if (oldest != lane->first) {
			oldest = lane->first;
			start = asked = now;
			patience = patience_from(now);
		}
		if (!asking && now - start > PATIENCE_AT_END_NS)
			return IN_VAIN;
		if (asking && now - turn > TURN_NS) {
			turn = now;
			if (!events_rest())
				return TURN_LOST;
			if (lane->count && events_is_late())
				return IN_VAIN;
		}
		if (!asking || now - asked < SECOND_NS / 1000)
			continue;
		asked = now;
		if (!lane->count)
			continue;
		if (ask(lane) != CUDA_ERROR_NOT_READY) {
			if (!space_passed(lane->space, lane->queue[lane->first].ticket))
				return IN_VAIN; /* an error */
			continue;
		}
		nanosleep(&nap, NULL);
		if (!patience_lasts(&patience, lane->space, now))
			return IN_VAIN;
	}
	return OVER;
}

bool event_defer(const struct gpu_call *call, struct space *space, CUstream stream,
		 const struct host_row *host)
{
	struct lane *lane = make_lane(space);
	struct deferred *last = &lane->queue[(lane->first + lane->count) % QUEUE_LENGTH];
	uint32_t ticket = space_pass(space, stream, call->context);

	if (!ticket)
		return false;
	lane->stream = stream;
	last->call = *call;
	last->call.end_ns = now_ns();
	last->ticket = ticket;
	last->host = host ? *host : (struct host_row){0};
	last->address = host ? host->object->address : 0;
	last->id = host ? host->object->id : 0;
	lane->count++;
	__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
	events_look();
	return true;
}

bool events_deferred(void)
{
	return __atomic_load_n(&total, __ATOMIC_RELAXED);
}

bool events_deferred_copies(void)
{
	for (unsigned i = 0; i < lane_count; i++)
		for (unsigned k = 0; k < lanes[i].count; k++) {
			const struct deferred *one =
				&lanes[i].queue[(lanes[i].first + k) % QUEUE_LENGTH];

			if (one->call.api == GPU_COPY && !one->host.object)
				return true;
		}
	return false;
}

void events_look(void)
{
	for (unsigned i = 0; i < lane_count; i++)
		while (lanes[i].count && deliver(&lanes[i]))
			;
}

void events_fault_seen(CUcontext context, CUresult result)
{
	struct space *space = events_find_space(context);
	struct lane *lane = space ? find_lane(space) : NULL;

	if (!lane || !lane->count)
		return;
	events_look();
	if (lane->count)
		drop(lane, result);
}

bool events_defer_more(const struct space *space)
{
	struct lane *lane = find_lane(space);

	return !lane || lane->count < QUEUE_LENGTH ||
	       wait_until(lane, QUEUE_LENGTH / 2, true) == OVER;
}

static enum wait drain(struct lane *lane)
{
	struct operation operation = {.stream = lane->stream};
	enum wait wait = IN_VAIN;
	struct visit visit;
	CUresult result;

	if (visit_enter(&visit, space_context(lane->space)))
		wait = wait_until(lane, 0, true);
	if (visit.pushed && wait == IN_VAIN && lane->count && !events_is_late()) {
		operation.kind = lane->queue[lane->first].call.api == GPU_KERNEL ? OPERATION_KERNEL
										 : OPERATION_COPY;
		operation.name = lane->queue[lane->first].call.name;
		operation.stream = lane->stream;
		result = ask(lane);
		if (result == CUDA_ERROR_NOT_READY)
			events_give_up_waiting(lane->space, &operation);
		if (!events_is_late())
			drop(lane, result); /* else their passes run when they can */
	}
	visit_leave(&visit);
	return wait;
}

bool events_drain(const struct space *space)
{
	enum wait wait;
	bool fine = true;
	unsigned i = 0;

	while (i < lane_count) {
		if (!lanes[i].count || (space && lanes[i].space != space)) {
			i++;
			continue;
		}
		wait = events_is_late() ? IN_VAIN : drain(&lanes[i]);
		if (wait == TURN_LOST || (wait == IN_VAIN && lanes[i].count))
			return false;
		fine = fine && wait == OVER; /* else what was left of it failed */
		i = 0; /* in turns others may have put something into those before it */
	}
	return fine;
}

void events_drain_late(const struct space *space)
{
	struct lane *lane = find_lane(space);

	if (lane && lane->count && wait_until(lane, 0, true) != OVER)
		drop(lane, ask(lane));
}

static void end(struct lane *lane)
{
	if (lane->count && wait_until(lane, 0, false) != OVER)
		drop(lane, CUDA_SUCCESS);
}

void events_drain_at_end(void)
{
	for (unsigned i = 0; i < lane_count; i++)
		end(&lanes[i]);
}

void events_lane_abandon(const struct space *space)
{
	struct lane *lane = find_lane(space);

	if (!lane)
		return;
	end(lane);
	lane->space = NULL;
}
