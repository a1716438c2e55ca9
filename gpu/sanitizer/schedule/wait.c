/*
 * gpu/sanitizer/schedule/wait.c: waiting for what the program's calls put on streams, but not for
 * ever: a kernel may wait for another kernel or for the host.
 */
#include "gpu/sanitizer/schedule/events_internal.h"

#include <time.h>

#define PATIENCE_NS (5 * SECOND_NS)
#define PATIENCE_OF_PARTNERS_NS (30 * SECOND_NS) /* another process is slower under us, too */
/* another thread may want to launch what it waits for */
#define PATIENCE_CONTENDED_NS (3 * SECOND_NS / 2)
#define PATIENCE_PROGRESS_NS (120 * SECOND_NS)
#define BLOCKS_OF_PROGRESS 24 /* of 64 bits: who waits looks at few places */

/* -- the lock ------------------------------------------------------------------------------ */

static bool (*yield_lock)(void), (*is_contended)(void);
static bool partners;

void events_yield_by(bool (*yield)(void), bool (*contended)(void))
{
	yield_lock = yield;
	is_contended = contended;
}

void events_partners(void)
{
	partners = true;
}

bool events_have_partners(void)
{
	return partners;
}

bool events_yield(void)
{
	return !yield_lock || !(partners || events_several()) || yield_lock();
}

/* -- patience ------------------------------------------------------------------------------ */

struct patience patience_from(uint64_t now)
{
	return (struct patience){.moved = now, .asked = now};
}

/* When a launch that is waited for was last seen to make progress. */
static uint64_t progress_ns;

bool events_making_progress(void)
{
	return now_ns() - __atomic_load_n(&progress_ns, __ATOMIC_RELAXED) < 2 * SECOND_NS;
}

bool patience_lasts(struct patience *patience, struct space *space, uint64_t now)
{
	struct progress progress;
	uint64_t limit = PATIENCE_PROGRESS_NS;
	bool waits, dependent;
	int blocks;

	if (space && now - patience->asked > SECOND_NS) {
		patience->asked = now;
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
	dependent = space && events_is_dependent(space);
	/*
	 * One that has begun and touches nothing more computes, as one that goes through much does;
	 * unless that may be the words by which it waits for another device's.
	 */
	waits = !patience->begun || (blocks && (blocks < BLOCKS_OF_PROGRESS || dependent));
	if (!waits)
		__atomic_store_n(&progress_ns, now, __ATOMIC_RELAXED);
	else if (dependent && is_contended && is_contended())
		limit = PATIENCE_CONTENDED_NS;
	else
		limit = partners ? PATIENCE_OF_PARTNERS_NS : PATIENCE_NS;
	return now - patience->moved <= limit;
}

/* Asks again and again whether the stream or the event is over, with patience for the space's. */
static CUresult await(struct space *space, CUstream stream, CUevent event)
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

CUresult await_stream(struct space *space, CUstream stream)
{
	return await(space, stream, NULL);
}

CUresult await_event(CUevent event)
{
	return await(NULL, NULL, event);
}
