/*
 * gpu/sanitizer/schedule/timed_out.c: the lane whose stream did not end in time, see schedule.h.
 */
#include "gpu/sanitizer/schedule/events_internal.h"

#include "gpu/sanitizer/schedule/launches.h"

static struct space *timed_out;
static CUevent
	behind; /* an event of ours on its stream; NULL: the last pass says when it is over */
static struct space *peers[EVENT_SPACES_MAX]; /* where it made marks, too */
static unsigned peer_count;

const struct space *timed_out_space(void)
{
	return timed_out;
}

bool lanes_timed_out(void)
{
	return timed_out;
}

/*
 * It has ended after all.  Its masks tell what it touched, but not in which order with what the
 * host and other kernels did meanwhile: what it wrote is unknown.
 */
static void take_in(struct space *space)
{
	const struct row *rows;
	uint32_t count;

	space_launched(space, UINT64_MAX, 0);
	if (space_settle(space, GPU_WRITER_UNKNOWN) != 0) {
		events_missed();
		return;
	}
	event_unknown_memory(space, "a kernel that was not waited for");
	rows = space_rows(space, &count);
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].written)
			space_forget_later((struct object *)rows[i].object);
	space_digests(space, event_content, NULL);
}

static void take_in_peers(void)
{
	for (unsigned i = 0; i < peer_count; i++) {
		struct visit visit;

		if (!space_failed(peers[i]) && visit_enter(&visit, space_context(peers[i]))) {
			take_in(peers[i]);
			visit_leave(&visit);
		}
	}
	peer_count = 0;
}

/* `result`: what the driver says of what ran there, which is over. */
static void recover(CUresult result)
{
	struct space *space = timed_out;

	timed_out = NULL;
	memory_hold_back(false);
	if (behind)
		driver.cuEventDestroy(behind);
	lane_drain_recovered(space);
	event_fault(space, result);
	if (!space_failed(space))
		take_in(space);
	take_in_peers();
	space_set_busy(space, false);
	/* nobody has waited for those of other devices meanwhile */
	lanes_drain(NULL);
}

bool lanes_recover(void)
{
	struct visit visit;
	CUresult result;

	if (!timed_out)
		return true;
	if (visit_enter(&visit, space_context(timed_out))) {
		result = behind ? driver.cuEventQuery(behind) : lane_query(timed_out);
		if (result != CUDA_ERROR_NOT_READY)
			recover(result);
	}
	visit_leave(&visit);
	return !timed_out;
}

/* An event of ours on the stream.  False: neither that nor a pass says when what runs is over. */
static bool record_behind(const struct space *space, CUstream stream)
{
	behind = NULL;
	if (stream_is_captured(stream)) /* the event would be a part of the program's graph */
		return lane_state(space) == LANE_PENDING;
	if (driver.cuEventCreate(&behind, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
		return false;
	if (driver.cuEventRecord(behind, stream) == CUDA_SUCCESS)
		return true;
	driver.cuEventDestroy(behind);
	return false;
}

void lane_time_out(struct space *space, CUstream stream, const char *kernel)
{
	if (!record_behind(space, stream))
		return;
	timed_out = space;
	memory_hold_back(true);
	peer_count = events_peers(space, peers);
	space_set_busy(space, true);
	if (!kernel)
		return;
	if (events_is_dependent(space))
		events_let_go(); /* it will not have to be waited for again */
	else
		launch_never_again(kernel);
	events_sink->coverage(COVERAGE_LAUNCH_ABANDONED, NULL, 1, 0);
}

void timed_out_abandon(const struct space *space)
{
	if (timed_out == space) {
		timed_out = NULL;
		memory_hold_back(false);
	}
	for (unsigned i = peer_count; i-- > 0;)
		if (peers[i] == space)
			peers[i] = peers[--peer_count];
}
