/*
 * gpu/sanitizer/schedule/timed_out.c: the queue whose stream did not end in time, see schedule.h.
 */
#include "gpu/sanitizer/schedule/events_internal.h"

#include "gpu/sanitizer/schedule/launches.h"

static struct space *timed_out;
static CUevent
	over_event; /* an event of ours on its stream; NULL: the last pass says when it is over */
static struct space *peers[EVENT_SPACES_MAX]; /* other spaces in whose memory it makes marks */
static unsigned peer_count;

const struct space *timed_out_space(void)
{
	return timed_out;
}

bool queues_timed_out(void)
{
	return timed_out;
}

/*
 * Takes in what a timed-out launch did, which is over.  Its masks tell what it touched, but not in
 * which order with the host and other kernels: what it wrote is unknown.
 */
static void take_in(struct space *space)
{
	const struct row *rows;
	uint32_t count;

	space_launched(space, UINT64_MAX, 0);
	if (space_settle(space, GPU_WRITER_UNKNOWN) != 0) {
		events_lost_track();
		return;
	}
	event_unknown_memory(space, "a kernel that was not waited for");
	rows = space_rows(space, &count);
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].counts[ROW_WRITTEN])
			space_forget_later((struct object *)rows[i].object);
	event_contents(space);
}

static void take_in_peers(void)
{
	for (unsigned i = 0; i < peer_count; i++) {
		struct entered_context entered;

		if (!space_failed(peers[i]) && context_enter(&entered, space_context(peers[i]))) {
			take_in(peers[i]);
			context_leave(&entered);
		}
	}
	peer_count = 0;
}

/* Ends the time-out.  `result`: what the driver says of what ran there, which is over. */
static void recover(CUresult result)
{
	struct space *space = timed_out;

	timed_out = NULL;
	memory_defer_all(false);
	if (over_event)
		driver.cuEventDestroy(over_event);
	queue_drain_recovered(space);
	event_fault(space, result);
	if (!space_failed(space))
		take_in(space);
	take_in_peers();
	space_set_busy(space, false);
	/* meanwhile nobody has awaited the pending calls of other devices */
	queues_drain(NULL);
	/* what was read meanwhile, and by what was timed out, no rows say */
	for (unsigned i = 0; i < event_space_count; i++)
		event_all_seen(NULL, event_spaces[i]);
}

bool queues_recover(void)
{
	struct entered_context entered;
	CUresult result;

	if (!timed_out)
		return true;
	if (context_enter(&entered, space_context(timed_out))) {
		result = over_event ? driver.cuEventQuery(over_event) : queue_query(timed_out);
		if (result != CUDA_ERROR_NOT_READY)
			recover(result);
	}
	context_leave(&entered);
	return !timed_out;
}

/*
 * Puts an event of ours on the stream.  False: that failed, and no pass is there to say when it is
 * over.
 */
static bool record_over_event(const struct space *space, CUstream stream)
{
	over_event = NULL;
	if (stream_is_captured(stream)) /* the event would be a part of the program's graph */
		return queue_state(space) == QUEUE_PENDING;
	if (driver.cuEventCreate(&over_event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
		return false;
	if (driver.cuEventRecord(over_event, stream) == CUDA_SUCCESS)
		return true;
	driver.cuEventDestroy(over_event);
	return false;
}

void queue_time_out(struct space *space, CUstream stream, const char *kernel)
{
	if (!record_over_event(space, stream))
		return;
	timed_out = space;
	memory_defer_all(true);
	peer_count = events_peers(space, peers);
	space_set_busy(space, true);
	if (!kernel)
		return;
	if (events_is_dependent(space))
		events_run_concurrently(); /* such launches are not awaited again */
	else
		launch_exclude(kernel);
	events_sink->coverage(COVERAGE_LAUNCH_TIMED_OUT, NULL, 1, 0);
}

void timed_out_abandon(const struct space *space)
{
	if (timed_out == space) {
		timed_out = NULL;
		memory_defer_all(false);
	}
	for (unsigned i = peer_count; i-- > 0;)
		if (peers[i] == space)
			peers[i] = peers[--peer_count];
}
