/*
 * gpu/sanitizer/schedule/event_wait.c: waiting for what the program's calls put on streams, but not
 * for ever: a kernel may wait for another kernel or for the host.
 */
#include "gpu/sanitizer/schedule/events_internal.h"

#include <pthread.h>
#include <time.h>

#include "gpu/sanitizer/schedule/launches.h"

#define PATIENCE_NS (5 * SECOND_NS)
#define PATIENCE_OF_PARTNERS_NS (30 * SECOND_NS) /* another process is slower under us, too */
#define PATIENCE_ASKED_NS                                                                          \
	(3 * SECOND_NS / 2) /* another thread may want to launch what it waits for */
#define PATIENCE_AT_WORK_NS (120 * SECOND_NS)
#define BLOCKS_AT_WORK 24 /* of 64 bits: who waits looks at few places */

/* What we do not wait for any more: where it runs, and an event of ours behind it. */
static struct space *late;
static CUevent late_event; /* NULL: the pass behind it says when it is over */
static struct space *late_peers[EVENT_SPACES_MAX]; /* where it made marks, too */
static unsigned late_peer_count;

/* Streams with launches that were left out, each with an event of ours behind the last one. */
static struct running {
	struct space *space;
	uintptr_t stream;
	CUevent event;
	bool busy, given_up; /* given up: it was waited for in vain */
} running[64];
static unsigned running_count;

/* -- turns -------------------------------------------------------------------------------- */

static bool (*rest)(void), (*is_asked)(void);
static __thread bool in_turns, turn_lost;
static bool partners;

void events_take_turns(bool (*how)(void), bool (*asked)(void))
{
	rest = how;
	is_asked = asked;
}

void events_partners(void)
{
	partners = true;
}

bool events_have_partners(void)
{
	return partners;
}

bool events_rest(void)
{
	if (in_turns && rest && (partners || events_several()))
		turn_lost = !rest();
	return !(in_turns && turn_lost);
}

bool events_drain_in_turns(const struct space *space)
{
	in_turns = true;
	turn_lost = false;
	events_drain(space);
	in_turns = false;
	return !turn_lost;
}

/* -- patience ----------------------------------------------------------------------------- */

struct patience patience_from(uint64_t now)
{
	return (struct patience){.moved = now, .looked = now};
}

/* When a launch that is waited for was last seen at work. */
static uint64_t at_work_ns;

bool events_at_work(void)
{
	return now_ns() - __atomic_load_n(&at_work_ns, __ATOMIC_RELAXED) < 2 * SECOND_NS;
}

bool patience_lasts(struct patience *patience, struct space *space, uint64_t now)
{
	struct progress progress;
	uint64_t limit = PATIENCE_AT_WORK_NS;
	bool waits, entangled;
	int blocks;

	if (space && now - patience->looked > SECOND_NS) {
		patience->looked = now;
		if (space_progress(space, &progress)) {
			patience->begun |= progress.first || progress.blocks;
			patience->blocks |= progress.blocks;
			if (progress.first != patience->first) {
				patience->moved = now;
				patience->blocks = 0;
			}
			patience->first = progress.first;
		}
	}
	blocks = __builtin_popcountll(patience->blocks);
	entangled = space && events_is_entangled(space);
	/*
	 * One that has begun and touches nothing more computes, as one that goes through much does;
	 * unless that may be the words by which it waits for another device's.
	 */
	waits = !patience->begun || (blocks && (blocks < BLOCKS_AT_WORK || entangled));
	if (!waits)
		__atomic_store_n(&at_work_ns, now, __ATOMIC_RELAXED);
	else if (entangled && is_asked && is_asked())
		limit = PATIENCE_ASKED_NS;
	else
		limit = partners ? PATIENCE_OF_PARTNERS_NS : PATIENCE_NS;
	return now - patience->moved <= limit;
}

/* Asks again and again whether the stream or the event is over, with patience for the space's. */
static CUresult wait_for(struct space *space, CUstream stream, CUevent event)
{
	const struct timespec nap = {.tv_nsec = 50000};
	uint64_t start = now_ns(), now;
	struct patience patience = patience_from(start);
	CUresult result;

	while ((result = event ? driver.cuEventQuery(event) : driver.cuStreamQuery(stream)) ==
	       CUDA_ERROR_NOT_READY) {
		now = now_ns();
		if (!patience_lasts(&patience, space, now))
			break;
		if (now - start > 1000000)
			nanosleep(&nap, NULL);
	}
	return result;
}

CUresult events_wait_for(struct space *space, CUstream stream)
{
	return wait_for(space, stream, NULL);
}

/* -- launches that are not waited for ----------------------------------------------------- */

static struct running *find_running(struct space *space, uintptr_t stream)
{
	for (unsigned i = 0; i < running_count; i++)
		if (running[i].space == space && running[i].stream == stream)
			return &running[i];
	if (running_count == sizeof(running) / sizeof(*running) ||
	    driver.cuEventCreate(&running[running_count].event, CU_EVENT_DISABLE_TIMING) !=
		    CUDA_SUCCESS)
		return NULL;
	running[running_count].space = space;
	running[running_count].stream = stream;
	return &running[running_count++];
}

void events_running(struct space *space, CUstream stream)
{
	bool of_thread = stream == CU_STREAM_PER_THREAD;
	struct running *found =
		find_running(space, of_thread ? (uintptr_t)pthread_self() : (uintptr_t)stream);

	if (found && driver.cuEventRecord(found->event, stream) == CUDA_SUCCESS)
		found->busy = true;
	else
		wait_for(NULL, stream, NULL);
}

bool events_quiet(void)
{
	for (unsigned i = 0; i < running_count; i++) {
		CUresult result = CUDA_SUCCESS;
		struct visit visit;

		if (!running[i].busy)
			continue;
		if (visit_enter(&visit, space_context(running[i].space)))
			result = running[i].given_up ? driver.cuEventQuery(running[i].event)
						     : wait_for(NULL, NULL, running[i].event);
		visit_leave(&visit);
		running[i].given_up = result == CUDA_ERROR_NOT_READY;
		if (running[i].given_up)
			return false;
		event_fault(running[i].space, result);
		running[i].busy = false;
	}
	return true;
}

/* -- launches that are not waited for any more -------------------------------------------- */

bool events_is_late(void)
{
	return late;
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
	for (unsigned i = 0; i < late_peer_count; i++) {
		struct visit visit;

		if (!space_failed(late_peers[i]) &&
		    visit_enter(&visit, space_context(late_peers[i]))) {
			take_in(late_peers[i]);
			visit_leave(&visit);
		}
	}
	late_peer_count = 0;
}

bool events_still_late(void)
{
	bool still = true;
	struct visit visit;
	CUresult result;

	if (!late)
		return false;
	if (visit_enter(&visit, space_context(late))) {
		result = late_event ? driver.cuEventQuery(late_event) : events_ask_deferred(late);
		still = result == CUDA_ERROR_NOT_READY;
		if (!still) {
			struct space *space = late;

			late = NULL;
			memory_hold_back(false);
			if (late_event)
				driver.cuEventDestroy(late_event);
			events_drain_late(space);
			event_fault(space, result);
			if (!space_failed(space))
				take_in(space);
			take_in_peers();
			space_set_busy(space, false);
			/* nobody has waited for those of other devices meanwhile */
			events_drain(NULL);
			still = late;
		}
	}
	visit_leave(&visit);
	return still;
}

/* An event of ours on the stream of what is late.  False: neither that nor a pass tells when it is
 * over. */
static bool record_late(const struct space *space, CUstream stream)
{
	late_event = NULL;
	if (events_is_captured(stream)) /* the event would be a part of the program's graph */
		return events_deferred_in(space);
	if (driver.cuEventCreate(&late_event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
		return false;
	if (driver.cuEventRecord(late_event, stream) == CUDA_SUCCESS)
		return true;
	driver.cuEventDestroy(late_event);
	return false;
}

void events_give_up_waiting(struct space *space, const struct operation *operation)
{
	if (!record_late(space, operation->stream))
		return;
	late = space;
	memory_hold_back(true);
	late_peer_count = events_peers(space, late_peers);
	space_set_busy(space, true);
	if (operation->kind != OPERATION_KERNEL)
		return;
	if (events_is_entangled(space))
		events_let_go(); /* it will not have to be waited for again */
	else
		launch_never_again(operation->name);
	events_sink->coverage(COVERAGE_LAUNCH_ABANDONED, NULL, 1, 0);
}

void events_wait_abandon(const struct space *space)
{
	unsigned kept = 0;

	if (late == space) {
		late = NULL;
		memory_hold_back(false);
	}
	for (unsigned i = late_peer_count; i-- > 0;)
		if (late_peers[i] == space)
			late_peers[i] = late_peers[--late_peer_count];
	for (unsigned i = 0; i < running_count; i++)
		if (running[i].space != space)
			running[kept++] = running[i];
	running_count = kept;
}
