/*
 * gpu/sanitizer/schedule/lane.c: pending calls, see schedule.h.
 *
 * The calls of a lane follow each other on one stream, each with its pass behind it; what the
 * passes find is read later, in order.  What the program puts on other streams waits for a pass if
 * it waits for what is before the pass; but two streams have no order when it does not, and the
 * masks of both would be in one list.  Lanes do not wait for each other: kernels on several devices
 * may.
 *
 * Calls that wait for the device (GPU_SYNC) have no pass and leave no order behind: their events
 * only end after those of the calls that were pending when they returned.
 *
 * The pass behind a copy that the program waits for is not over when the copy is; calls that free
 * memory wait for it.  Of a program that is killed just then the copy is not known, unless it is
 * one of the first.
 */
#include "gpu/sanitizer/schedule/events_internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AT_END_NS SECOND_NS /* the driver may be gone, and all it ran */
#define QUEUE_LENGTH 128
#define SYNCS_MAX (1u << 16) /* of a lane: they wait for nothing, so that there may be many */
#define YIELD_NS 50000       /* others get the lock after that long */

struct pending {
	struct gpu_call call;
	uint32_t ticket;
	struct host_row host; /* of no object: there is none */
	uint64_t address;     /* of its object, which may go while a lane is timed out */
	uint32_t id;
};

/* An event that ends when so many calls of the lane have. */
struct sync {
	struct gpu_call call;
	uint64_t after;
};

static struct lane {
	struct space *space; /* where they all run */
	CUstream stream;
	unsigned first, count;
	struct pending queue[QUEUE_LENGTH];
	uint64_t ended; /* calls, ever */
	struct sync *syncs;
	unsigned sync_first, sync_count, sync_capacity;
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

static struct pending *oldest_of(struct lane *lane)
{
	return &lane->queue[lane->first];
}

enum lane_state lane_state(const struct space *space)
{
	const struct lane *lane = find_lane(space);

	if (space == timed_out_space())
		return LANE_TIMED_OUT;
	return lane && lane->count ? LANE_PENDING : LANE_IDLE;
}

bool lane_accepts(const struct space *space, CUstream stream)
{
	const struct lane *lane = find_lane(space);

	return !lane || !lane->count || lane->stream == stream;
}

bool events_pending(void)
{
	return __atomic_load_n(&total, __ATOMIC_RELAXED);
}

bool events_pending_elsewhere(CUcontext context, CUstream stream)
{
	for (unsigned i = 0; i < lane_count; i++)
		if (lanes[i].count && lanes[i].stream == stream && stream &&
		    space_context(lanes[i].space) != context)
			return true;
	return false;
}

bool lanes_hold_copies(void)
{
	for (unsigned i = 0; i < lane_count; i++)
		for (unsigned k = 0; k < lanes[i].count; k++) {
			const struct pending *one =
				&lanes[i].queue[(lanes[i].first + k) % QUEUE_LENGTH];

			if (one->call.api == GPU_COPY && !one->host.object)
				return true;
		}
	return false;
}

/* -- calls become pending, and end --------------------------------------------------------- */

bool lane_push(const struct gpu_call *call, struct space *space, CUstream stream,
	       const struct host_row *host)
{
	struct lane *lane = make_lane(space);
	struct pending *last = &lane->queue[(lane->first + lane->count) % QUEUE_LENGTH];
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
	events_poll();
	return true;
}

static void end_syncs(struct lane *lane)
{
	while (lane->sync_count && lane->syncs[lane->sync_first].after <= lane->ended) {
		events_sink->end(&lane->syncs[lane->sync_first++].call, NULL, 0);
		lane->sync_count--;
	}
	if (!lane->sync_count)
		lane->sync_first = 0;
}

static void pop(struct lane *lane)
{
	lane->first = (lane->first + 1) % QUEUE_LENGTH;
	lane->count--;
	lane->ended++;
	__atomic_fetch_sub(&total, 1, __ATOMIC_RELAXED);
	end_syncs(lane);
}

/* Makes room for one behind the others.  False: there is none. */
static bool reserve_sync(struct lane *lane)
{
	unsigned capacity = lane->sync_capacity ? 2 * lane->sync_capacity : 64;
	struct sync *more;

	if (lane->sync_first + lane->sync_count < lane->sync_capacity)
		return true;
	if (lane->sync_first > lane->sync_capacity / 2) {
		memmove(lane->syncs, lane->syncs + lane->sync_first,
			lane->sync_count * sizeof(*lane->syncs));
		lane->sync_first = 0;
		return true;
	}
	if (capacity > SYNCS_MAX)
		return false;
	more = reallocarray(lane->syncs, capacity, sizeof(*more));
	if (!more)
		return false;
	lane->syncs = more;
	lane->sync_capacity = capacity;
	return true;
}

void events_synchronized_unseen(void)
{
	const struct gpu_sink *sink = events_sink; /* another thread may be stopping */

	if (sink)
		sink->coverage(COVERAGE_SYNCHRONIZATIONS_NOT_SEEN, NULL, 1, 0);
}

void events_synchronized(const struct api_call *api_call, CUcontext context, CUstream stream)
{
	uint64_t end_ns = now_ns();
	const struct space *space = events_find_space(context);
	struct lane *lane = space ? find_lane(space) : NULL;
	struct gpu_call call;

	if (!events_sink)
		return;
	events_poll(); /* what was waited for is over, and so is its pass */
	if (lane && lane->count && !reserve_sync(lane)) {
		events_synchronized_unseen();
		return;
	}
	event_begin(&call, GPU_SYNC, event_public_name(api_call->name), stream, api_call);
	call.end_ns = end_ns;
	if (lane && lane->count)
		lane->syncs[lane->sync_first + lane->sync_count++] =
			(struct sync){call, lane->ended + lane->count};
	else
		events_sink->end(&call, NULL, 0);
}

/* Ends the oldest.  False: its pass is not written yet. */
static bool deliver(struct lane *lane)
{
	const struct pending *oldest = oldest_of(lane);
	struct host_row host = oldest->host;

	if (!space_passed(lane->space, oldest->ticket))
		return false;
	if (host.object)
		host.object = space_find(lane->space, oldest->address);
	if (host.object && host.object->id != oldest->id)
		host.object = NULL;
	event_results(&oldest->call, lane->space, space_take(lane->space, oldest->ticket), &host,
		      host.object != NULL);
	pop(lane);
	return true;
}

/* What is left will never be known.  `result`: what the driver says of it, or CUDA_SUCCESS. */
static void drop_pending(struct lane *lane, CUresult result)
{
	/* behind a kernel that ended with an error nothing was done */
	bool undone = event_fault(lane->space, result);

	if (!undone)
		events_sink->coverage(COVERAGE_CALLS_UNFINISHED, NULL, lane->count, 0);
	for (; lane->count; pop(lane))
		if (undone)
			events_sink->abandon(&oldest_of(lane)->call);
		else
			events_sink->end(&oldest_of(lane)->call, NULL, 0);
	events_missed();
}

void events_poll(void)
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
	events_poll();
	if (lane->count)
		drop_pending(lane, result);
}

/* -- waiting ------------------------------------------------------------------------------ */

bool stream_is_captured(CUstream stream)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	CUresult result = driver.cuStreamIsCapturing(stream, &status);

	return result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ||
	       (result == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE);
}

/* Not ready: the stream is at work, or may be: to ask a captured one would end the capture. */
static CUresult query(const struct lane *lane)
{
	return stream_is_captured(lane->stream) ? CUDA_ERROR_NOT_READY
						: driver.cuStreamQuery(lane->stream);
}

CUresult lane_query(const struct space *space)
{
	const struct lane *lane = find_lane(space);
	unsigned last = lane ? (lane->first + lane->count - 1) % QUEUE_LENGTH : 0;

	return !lane || !lane->count || space_passed(space, lane->queue[last].ticket) ? CUDA_SUCCESS
										      : query(lane);
}

enum waiting {
	BRIEFLY,   /* a second at most, and without a call of the driver */
	PATIENTLY, /* the driver is asked whether something failed, and what runs is given time */
	YIELDING,  /* the same while others may have the lock, and change the lane */
};
enum waited { OVER, IN_VAIN, LOCK_LOST };

/* Waits until at most `most` are left. */
static enum waited wait_until(struct lane *lane, unsigned most, enum waiting how)
{
	uint64_t start = now_ns(), asked = start, yielded = start, now;
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
		if (how == BRIEFLY) {
			if (now - start > AT_END_NS)
				return IN_VAIN;
			continue;
		}
		if (how == YIELDING && now - yielded > YIELD_NS) {
			yielded = now;
			if (!events_yield())
				return LOCK_LOST;
			if (lane->count && lanes_timed_out())
				return IN_VAIN;
		}
		if (now - asked < SECOND_NS / 1000)
			continue;
		asked = now;
		if (!lane->count)
			continue;
		if (query(lane) != CUDA_ERROR_NOT_READY) {
			if (!space_passed(lane->space, oldest_of(lane)->ticket))
				return IN_VAIN; /* an error */
			continue;
		}
		nanosleep(&nap, NULL);
		if (!patience_lasts(&patience, lane->space, now))
			return IN_VAIN;
	}
	return OVER;
}

bool lane_make_room(const struct space *space)
{
	struct lane *lane = find_lane(space);

	return !lane || lane->count < QUEUE_LENGTH ||
	       wait_until(lane, QUEUE_LENGTH / 2, PATIENTLY) == OVER;
}

static enum waited drain(struct lane *lane, enum waiting how)
{
	enum waited waited = IN_VAIN;
	struct visit visit;
	CUresult result;

	if (visit_enter(&visit, space_context(lane->space)))
		waited = wait_until(lane, 0, how);
	if (visit.pushed && waited == IN_VAIN && lane->count && !lanes_timed_out()) {
		const struct gpu_call *call = &oldest_of(lane)->call;

		result = query(lane);
		if (result == CUDA_ERROR_NOT_READY)
			lane_time_out(lane->space, lane->stream,
				      call->api == GPU_KERNEL ? call->name : NULL);
		if (!lanes_timed_out())
			drop_pending(lane, result); /* else their passes run when they can */
	}
	visit_leave(&visit);
	return waited;
}

static enum waited drain_all(const struct space *space, enum waiting how)
{
	enum waited all = OVER, waited;
	unsigned i = 0;

	while (i < lane_count) {
		if (!lanes[i].count || (space && lanes[i].space != space)) {
			i++;
			continue;
		}
		waited = lanes_timed_out() ? IN_VAIN : drain(&lanes[i], how);
		if (waited == LOCK_LOST || (waited == IN_VAIN && lanes[i].count))
			return waited;
		if (waited == IN_VAIN) /* what was left of it failed */
			all = IN_VAIN;
		i = 0; /* others that had the lock may have put something into those before it */
	}
	return all;
}

bool lanes_drain(const struct space *space)
{
	return drain_all(space, PATIENTLY) == OVER;
}

bool lanes_drain_yielding(const struct space *space)
{
	return drain_all(space, YIELDING) != LOCK_LOST;
}

void lane_drain_recovered(const struct space *space)
{
	struct lane *lane = find_lane(space);

	if (lane && lane->count && wait_until(lane, 0, PATIENTLY) != OVER)
		drop_pending(lane, query(lane));
}

static void drain_at_end(struct lane *lane)
{
	if (lane->count && wait_until(lane, 0, BRIEFLY) != OVER)
		drop_pending(lane, CUDA_SUCCESS);
}

void events_drain_at_end(void)
{
	for (unsigned i = 0; i < lane_count; i++)
		drain_at_end(&lanes[i]);
}

void lane_abandon(const struct space *space)
{
	struct lane *lane = find_lane(space);

	if (!lane)
		return;
	drain_at_end(lane);
	lane->space = NULL;
}
