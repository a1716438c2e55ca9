#include "advice/timing.h"

#include <stddef.h>
#include <stdlib.h>

#include "replay/once.h"
#include "util/memory.h"

/* From rows that are in order of their calls, whose numbers are at this offset of a row. */
static uint32_t *index_rows(uint32_t calls, const void *rows, uint32_t count, size_t size,
			    size_t offset)
{
	uint32_t *first = xcalloc(calls + (size_t)1, sizeof(*first));
	uint32_t row = 0;

	for (uint32_t c = 0; c <= calls; c++) {
		/* rows of no call come last */
		while (row < count &&
		       c > *(const uint32_t *)((const char *)rows + row * size + offset))
			row++;
		first[c] = row;
	}
	return first;
}

/* As far as pass `time` alone shows it: see struct replay_times. */
static uint64_t span_ns(const struct profile *profile, const uint64_t *once)
{
	uint64_t start = UINT64_MAX, end = 0;

	for (uint32_t i = 0; i < profile->gpu_time_count; i++) {
		const struct profile_gpu_time *time = &profile->gpu_times[i];
		uint64_t issued = time->start_ns;

		if (time->call < profile->timeline_count)
			issued = profile->timeline[time->call].start_ns + once[time->call];
		start = issued < start ? issued : start;
		end = time->end_ns > end ? time->end_ns : end;
	}
	for (uint32_t i = 0; i < profile->wait_count; i++) {
		const struct profile_wait *wait = &profile->waits[i];

		if (wait->wait_ns && wait->start_ns + wait->wait_ns > end)
			end = wait->start_ns + wait->wait_ns;
	}
	return end > start ? end - start : 0;
}

struct timing *timing_new(const struct profile *profile)
{
	const uint32_t calls = profile->timeline_count;
	struct timing *timing;

	if (!calls)
		return NULL;
	timing = xcalloc(1, sizeof(*timing));
	timing->profile = profile;
	timing->once = replay_once(profile);
	timing->span_ns = span_ns(profile, timing->once);
	timing->operations =
		index_rows(calls, profile->gpu_times, profile->gpu_time_count,
			   sizeof(*profile->gpu_times), offsetof(struct profile_gpu_time, call));
	timing->waits = index_rows(calls, profile->waits, profile->wait_count,
				   sizeof(*profile->waits), offsetof(struct profile_wait, call));
	timing->orders = index_rows(calls, profile->stream_orders, profile->stream_order_count,
				    sizeof(*profile->stream_orders),
				    offsetof(struct profile_stream_order, call));
	timing->apis = xcalloc(profile->api_count, sizeof(*timing->apis));
	for (uint32_t c = 0; c < calls; c++) {
		const struct profile_timed_call *call = &profile->timeline[c];
		struct timing_api *api = &timing->apis[call->api];
		uint64_t wait_ns = timing_wait_ns(timing, c);

		api->calls++;
		api->waits += wait_ns > 0;
		profile_add(&api->host_ns, call->end_ns - call->start_ns);
		profile_add(&api->wait_ns, wait_ns);
	}
	return timing;
}

void timing_free(struct timing *timing)
{
	if (!timing)
		return;
	free(timing->operations);
	free(timing->waits);
	free(timing->orders);
	free(timing->once);
	free(timing->apis);
	free(timing);
}

uint64_t timing_wait_ns(const struct timing *timing, uint32_t call)
{
	uint64_t sum = 0;

	for (uint32_t w = timing->waits[call]; w < timing->waits[call + 1]; w++)
		profile_add(&sum, timing->profile->waits[w].wait_ns);
	return sum;
}
