/*
 * gpu/sanitizer/schedule/skipped.c: launches that are not analysed run on while the program goes
 * on; they must be over before anything is analysed that they may write.
 */
#include "gpu/sanitizer/schedule/events_internal.h"

#include <pthread.h>

/* Streams with skipped launches, each with an event of ours behind the last one. */
static struct skipped {
	struct space *space;
	uintptr_t stream;
	CUevent event;
	enum {
		SKIPPED_OVER,
		SKIPPED_RUNS,
		SKIPPED_TIMED_OUT, /* an await of it timed out */
	} state;
} skipped[64];
static unsigned skipped_count;

static struct skipped *find(struct space *space, uintptr_t stream)
{
	for (unsigned i = 0; i < skipped_count; i++)
		if (skipped[i].space == space && skipped[i].stream == stream)
			return &skipped[i];
	if (skipped_count == sizeof(skipped) / sizeof(*skipped) ||
	    driver.cuEventCreate(&skipped[skipped_count].event, CU_EVENT_DISABLE_TIMING) !=
		    CUDA_SUCCESS)
		return NULL;
	skipped[skipped_count].space = space;
	skipped[skipped_count].stream = stream;
	skipped[skipped_count].state = SKIPPED_OVER;
	return &skipped[skipped_count++];
}

void skipped_launched(struct space *space, CUstream stream)
{
	bool of_thread = stream == CU_STREAM_PER_THREAD;
	struct skipped *found =
		find(space, of_thread ? (uintptr_t)pthread_self() : (uintptr_t)stream);

	if (!found || driver.cuEventRecord(found->event, stream) != CUDA_SUCCESS)
		await_stream(NULL, stream);
	else if (found->state == SKIPPED_OVER)
		found->state = SKIPPED_RUNS;
}

/* Waits until it is over.  False: it still runs. */
static bool end(struct skipped *one)
{
	CUresult result = CUDA_SUCCESS;
	struct entered_context entered;

	if (context_enter(&entered, space_context(one->space)))
		result = one->state == SKIPPED_TIMED_OUT ? driver.cuEventQuery(one->event)
							 : await_event(one->event);
	context_leave(&entered);
	one->state = result == CUDA_ERROR_NOT_READY ? SKIPPED_TIMED_OUT : SKIPPED_OVER;
	if (one->state == SKIPPED_OVER)
		event_fault(one->space, result);
	return one->state == SKIPPED_OVER;
}

bool skipped_drain(void)
{
	for (unsigned i = 0; i < skipped_count; i++)
		if (skipped[i].state != SKIPPED_OVER && !end(&skipped[i]))
			return false;
	return true;
}

/* Whether it still runs, as the driver says. */
static bool runs(struct skipped *one)
{
	struct entered_context entered;

	if (one->state == SKIPPED_RUNS && context_enter(&entered, space_context(one->space))) {
		if (driver.cuEventQuery(one->event) == CUDA_SUCCESS)
			one->state = SKIPPED_OVER;
		context_leave(&entered);
	}
	return one->state != SKIPPED_OVER;
}

bool skipped_beside(const struct space *space, CUstream stream)
{
	for (unsigned i = 0; i < skipped_count; i++)
		if ((skipped[i].space != space || skipped[i].stream != (uintptr_t)stream) &&
		    runs(&skipped[i]))
			return true;
	return false;
}

bool skipped_on(const struct space *space, CUstream stream)
{
	for (unsigned i = 0; i < skipped_count; i++)
		if (skipped[i].space == space && skipped[i].stream == (uintptr_t)stream)
			return runs(&skipped[i]);
	return false;
}

void skipped_abandon(const struct space *space)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < skipped_count; i++)
		if (skipped[i].space != space)
			skipped[kept++] = skipped[i];
	skipped_count = kept;
}
