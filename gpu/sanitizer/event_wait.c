/*
 * gpu/sanitizer/event_wait.c: waiting for what the program's calls put on streams, but not for
 * ever; and what becomes of contents when something ran that was not followed.
 */
#include "gpu/sanitizer/events_internal.h"

#include <time.h>

#include "gpu/sanitizer/events.h"

#define PATIENCE_NS UINT64_C(5000000000)

/* Something ran that was not followed: what is known of the objects' contents may be wrong. */
static bool unseen;
/* A kernel that we do not wait for any more, and where it runs. */
static CUstream late_stream;
static struct space *late;

void events_missed(void)
{
	__atomic_store_n(&unseen, true, __ATOMIC_RELEASE);
}

void events_unpatched(void)
{
	events_sink->coverage("modules",
			      "the code of a module could not be patched; its kernels are not "
			      "followed",
			      1, 0);
	events_missed();
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Waits until the stream has nothing left to do; not for ever: a kernel may wait for another kernel
 * or for the host.
 */
CUresult events_wait_for(CUstream stream)
{
	const struct timespec nap = {.tv_nsec = 50000};
	uint64_t start = now_ns(), waited;
	CUresult result;

	while ((result = driver.cuStreamQuery(stream)) == CUDA_ERROR_NOT_READY) {
		waited = now_ns() - start;
		if (waited > PATIENCE_NS)
			break;
		if (waited > 1000000)
			nanosleep(&nap, NULL);
	}
	return result;
}

bool events_is_late(void)
{
	return late;
}

bool events_still_late(void)
{
	struct visit visit;
	bool running = true;

	if (!late)
		return false;
	if (visit_enter(&visit, space_context(late)))
		running = driver.cuStreamQuery(late_stream) == CUDA_ERROR_NOT_READY;
	visit_leave(&visit);
	if (!running) {
		space_set_busy(late, false);
		late = NULL;
	}
	return running;
}

void events_give_up_waiting(struct space *space, CUstream stream)
{
	late = space;
	late_stream = stream;
	space_set_busy(space, true);
	events_missed();
	events_sink->coverage("kernels",
			      "a kernel that ran for more than 5 seconds was not waited for; what "
			      "it and the calls during it wrote is unknown",
			      1, 0);
}

void events_wait_abandon(const struct space *space)
{
	if (late == space)
		late = NULL;
}

void events_forget_unseen(const struct gpu_call *call)
{
	if (!__atomic_exchange_n(&unseen, false, __ATOMIC_ACQ_REL))
		return;
	for (unsigned i = 0; i < event_space_count; i++) {
		struct visit visit;

		if (visit_enter(&visit, space_context(event_spaces[i])) &&
		    space_forget_all(event_spaces[i]) == 0)
			space_digests(event_spaces[i], event_content, (void *)call);
		visit_leave(&visit);
	}
}
