/* gpu/cupti/waits.c: see waits.h. */
#include "gpu/cupti/waits.h"

#include <stdlib.h>
#include <string.h>

#include "collect/coverage/coverage.h"

enum {
	DEVICES_MAX = 64,
	HISTORY = 64,      /* operations of a stream that events may stand for */
	SLACK_NS = 2000,   /* the clocks of host and device agree to that */
	STAGED_NS = 20000, /* the last part of pageable memory may arrive after its call */
	PROOF_NS = 50000,  /* a wait so long cannot go unseen */
	MISSES_MAX = 4,    /* before the looks are not believed any more */
};

/* When the operations of a stream ended: those of the last calls, in a ring. */
struct history {
	struct {
		uint64_t returned_ns, end_ns;
	} last[HISTORY];
	uint32_t count;
	uint64_t end_ns; /* the latest */
};

static const struct gpu_sink *sink;
static bool wanted, hooked;
static uint32_t seen, missed; /* waits of calls that do nothing else */

static struct history *histories; /* by stream; default streams of all devices are one */
static uint32_t history_count;
static uint64_t blocking_end[DEVICES_MAX], all_end[DEVICES_MAX];

void waits_start(const struct gpu_sink *to, bool looks)
{
	sink = to;
	wanted = true;
	hooked = looks;
}

bool waits_wanted(void)
{
	return wanted;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* -- what the device did -- */

static struct history *history_of(uint32_t stream)
{
	if (stream >= history_count) {
		uint32_t count = stream < 32 ? 64 : 2 * stream;
		struct history *more = reallocarray(histories, count, sizeof(*more));

		if (!more)
			return NULL;
		memset(more + history_count, 0, (count - history_count) * sizeof(*more));
		histories = more;
		history_count = count;
	}
	return &histories[stream];
}

void waits_operation(const struct wait_call *call, bool nonblocking, uint64_t end_ns)
{
	struct history *history = wanted ? history_of(call->stream) : NULL;
	uint32_t device = call->device % DEVICES_MAX;

	if (!history)
		return;
	history->last[history->count % HISTORY].returned_ns = call->end_ns;
	history->last[history->count++ % HISTORY].end_ns = end_ns;
	history->end_ns = max(history->end_ns, end_ns);
	all_end[device] = max(all_end[device], end_ns);
	if (!nonblocking)
		blocking_end[device] = max(blocking_end[device], end_ns);
}

/* When what had been put into the stream by then was done; 0: not known. */
static uint64_t end_of_point(const struct stream_point *point)
{
	const struct history *history = history_of(point->stream);

	for (uint32_t i = 1; history && i <= HISTORY && i <= history->count; i++)
		if (history->last[(history->count - i) % HISTORY].returned_ns <= point->ns)
			return history->last[(history->count - i) % HISTORY].end_ns;
	return 0;
}

static uint64_t end_of(const struct wait_call *call, const struct gpu_wait *wait)
{
	const struct history *history;
	uint64_t end = wait->own ? call->operation_end_ns : 0;

	switch ((enum gpu_wait_scope)wait->scope) {
	case GPU_WAIT_ALL:
		return max(end, all_end[call->device % DEVICES_MAX]);
	case GPU_WAIT_DEFAULT:
		return max(end, blocking_end[call->device % DEVICES_MAX]);
	case GPU_WAIT_STREAM:
		if (!call->stream) /* comes after those that are ordered with it */
			return max(end, blocking_end[call->device % DEVICES_MAX]);
		history = history_of(call->stream);
		return max(end, history ? history->end_ns : 0);
	case GPU_WAIT_EVENT:
		return end_of_point(&call->event);
	case GPU_WAIT_QUEUE:
	case GPU_WAIT_OWN:
	case GPU_WAIT_OTHER:
	case GPU_WAIT_NEEDS:
	case GPU_WAIT_HOST:
		break;
	}
	return end;
}

/* -- what a call waits for -- */

static enum gpu_wait_scope scope_of_copy(const struct wait_call *call)
{
	if (call->kind == WAIT_COPY)
		return call->stream ? GPU_WAIT_STREAM : GPU_WAIT_DEFAULT;
	return call->memory & WAIT_MEMORY_PAGEABLE ? GPU_WAIT_STREAM : GPU_WAIT_QUEUE;
}

/* 0: it does not wait, unless it was seen to. */
static enum gpu_wait_scope scope_of(const struct wait_call *call)
{
	switch (call->kind) {
	case WAIT_COPY:
		return call->memory & WAIT_MEMORY_HOST ? scope_of_copy(call) : 0;
	case WAIT_HOST_COPY:
		return GPU_WAIT_DEFAULT;
	case WAIT_FREE:
	case WAIT_DEVICE:
		return GPU_WAIT_ALL;
	case WAIT_STREAM:
		return GPU_WAIT_STREAM;
	case WAIT_EVENT:
		return call->event.ns ? GPU_WAIT_EVENT : 0;
	case WAIT_COPY_ASYNC: /* some wait until their memory was copied, others do not */
		return call->memory & WAIT_MEMORY_PAGEABLE && call->operation_end_ns &&
				       call->operation_end_ns <= call->end_ns + STAGED_NS
			       ? GPU_WAIT_STREAM
			       : 0;
	case WAIT_QUESTION:
		return GPU_WAIT_NEEDS;
	case WAIT_HOST_FUNCTION:
		return GPU_WAIT_HOST;
	case WAIT_QUEUED:
	case WAIT_UNKNOWN:
		break;
	}
	return 0;
}

/* Of a call that was seen to wait. */
static enum gpu_wait_scope scope_of_unexpected(const struct wait_call *call)
{
	if (call->kind == WAIT_COPY_ASYNC || call->kind == WAIT_COPY)
		return scope_of_copy(call);
	return call->kind == WAIT_QUEUED ? GPU_WAIT_QUEUE : GPU_WAIT_OTHER;
}

static bool only_waits(const struct wait_call *call)
{
	return call->kind == WAIT_STREAM || call->kind == WAIT_EVENT || call->kind == WAIT_DEVICE;
}

/* -- for how long -- */

static bool looks_are_believed(void)
{
	return hooked && (missed < MISSES_MAX || missed < seen);
}

/* The wait as the device's operations tell it. */
static void measure_by_device(const struct wait_call *call, struct gpu_wait *wait)
{
	uint64_t end = end_of(call, wait);

	if (end <= call->start_ns + SLACK_NS || end > call->end_ns + SLACK_NS)
		return; /* all was done, or the call did not wait for it */
	wait->wait_ns = (end < call->end_ns ? end : call->end_ns) - call->start_ns;
}

static void measure_by_looks(const struct wait_call *call, struct gpu_wait *wait)
{
	uint64_t first = max(call->looks.first_ns, call->start_ns);
	uint64_t last = call->looks.last_ns < call->end_ns ? call->looks.last_ns : call->end_ns;

	if (!call->looks.count || last <= first)
		return;
	wait->after_ns = first - call->start_ns;
	wait->wait_ns = last - first;
}

static void measure(const struct wait_call *call, struct gpu_wait *wait)
{
	struct gpu_wait by_device = *wait;

	measure_by_device(call, &by_device);
	if (hooked)
		measure_by_looks(call, wait);
	if (hooked && only_waits(call) && by_device.wait_ns >= PROOF_NS) {
		seen += wait->wait_ns > 0;
		missed += !wait->wait_ns;
	}
	if (looks_are_believed() && (wait->wait_ns || !only_waits(call) || !by_device.wait_ns))
		return;
	*wait = by_device;
	sink->coverage(COVERAGE_WAITS_BY_DEVICE, NULL, 1, 0);
}

bool waits_find(const struct wait_call *call, struct gpu_wait *wait)
{
	enum gpu_wait_scope scope = scope_of(call);
	bool expected = scope;

	if (!wanted)
		return false;
	*wait = (struct gpu_wait){.scope = expected ? scope : scope_of_unexpected(call)};
	if (call->kind == WAIT_COPY || call->kind == WAIT_COPY_ASYNC)
		wait->own = call->operation_end_ns && wait->scope != GPU_WAIT_QUEUE &&
			    call->operation_end_ns <= call->end_ns + SLACK_NS;
	wait->device = call->device;
	wait->stream = call->stream;
	if (wait->scope == GPU_WAIT_EVENT || wait->scope == GPU_WAIT_NEEDS) {
		wait->device = call->event.device;
		wait->stream = call->event.stream;
		wait->recorded_ns =
			call->event.ns < call->start_ns ? call->start_ns - call->event.ns : 0;
	}
	if (scope >= GPU_WAIT_NEEDS)
		return true;
	if (expected)
		measure(call, wait);
	else if (hooked)
		measure_by_looks(call, wait);
	return expected || wait->wait_ns;
}
