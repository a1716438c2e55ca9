/*
 * gpu/sanitizer/schedule/wait.c: waiting for what the program's calls put on streams, but not for
 * ever: a kernel may wait for another kernel or for the host.
 */
#include "gpu/sanitizer/schedule/events_internal.h"

#include <time.h>

#define TIMEOUT_NS (5 * SECOND_NS)
#define TIMEOUT_PARTNERS_NS                                                                        \
	(30 * SECOND_NS) /* another process is slower when it is profiled, too */
/* another thread may want to launch what the kernel waits for */
#define TIMEOUT_CONTENDED_NS (3 * SECOND_NS / 2)
#define TIMEOUT_PROGRESS_NS (120 * SECOND_NS)
#define WORKING_BLOCKS 24 /* of 64: a launch that waits loads few places */

/* -- the lock ------------------------------------------------------------------------------ */

static bool (*yield_lock)(void), (*is_contended)(void);
static bool partners;

void events_yield_by(bool (*yield)(void), bool (*contended)(void))
{
	yield_lock = yield;
	is_contended = contended;
}

void events_note_partners(void)
{
	partners = true;
}

bool events_have_partners(void)
{
	return partners;
}

bool events_yield(void)
{
	return !yield_lock || !(partners || events_multi_device()) || yield_lock();
}

/* -- patience ------------------------------------------------------------------------------ */

struct watchdog watchdog_start(uint64_t now)
{
	return (struct watchdog){.progressed_ns = now, .checked_ns = now};
}

/* When an awaited launch was last seen to make progress. */
static uint64_t progress_ns;

bool events_making_progress(void)
{
	return now_ns() - __atomic_load_n(&progress_ns, __ATOMIC_RELAXED) < 2 * SECOND_NS;
}

bool watchdog_allows(struct watchdog *watchdog, struct space *space, uint64_t now)
{
	struct progress progress;
	uint64_t limit = TIMEOUT_PROGRESS_NS;
	bool waits, dependent;
	int blocks;

	if (space && now - watchdog->checked_ns > SECOND_NS) {
		watchdog->checked_ns = now;
		if (space_progress(space, &progress)) {
			watchdog->begun |= progress.first || progress.blocks;
			watchdog->blocks |= progress.blocks;
			if (progress.first != watchdog->first) {
				watchdog->progressed_ns = now;
				watchdog->blocks = 0;
			}
			watchdog->first = progress.first;
		}
	}
	blocks = __builtin_popcountll(watchdog->blocks);
	dependent = space && events_is_dependent(space);
	/*
	 * A launch that has begun and touches nothing more computes, and so does one that touches
	 * much; unless that may be the words by which it waits for another device's.
	 */
	waits = !watchdog->begun || (blocks && (blocks < WORKING_BLOCKS || dependent));
	if (!waits)
		__atomic_store_n(&progress_ns, now, __ATOMIC_RELAXED);
	else if (dependent && is_contended && is_contended())
		limit = TIMEOUT_CONTENDED_NS;
	else
		limit = partners ? TIMEOUT_PARTNERS_NS : TIMEOUT_NS;
	return now - watchdog->progressed_ns <= limit;
}

/*
 * Waits until the stream or the event is over, as long as the watchdog of the space's launch
 * allows.
 */
static CUresult await(struct space *space, CUstream stream, CUevent event)
{
	const struct timespec interval = {.tv_nsec = 50000};
	uint64_t start = now_ns(), now;
	struct watchdog watchdog = watchdog_start(start);
	CUresult result;

	while ((result = event ? driver.cuEventQuery(event) : driver.cuStreamQuery(stream)) ==
	       CUDA_ERROR_NOT_READY) {
		now = now_ns();
		if (!watchdog_allows(&watchdog, space, now))
			break;
		if (now - start > 1000000)
			nanosleep(&interval, NULL);
	}
	return result;
}

CUresult await_stream(struct space *space, CUstream stream)
{
	return await(space, stream, NULL);
}

CUresult await_event(CUevent event)
{
	return await(NULL, NULL, event);
}
