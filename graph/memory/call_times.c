/* graph/memory/call_times.c: see call_times.h. */
#include "graph/memory/call_times.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct call_time {
	uint32_t vertex;           /* id; PROFILE_NO_VERTEX: a release */
	uint64_t start_ns, end_ns; /* of its operations on the device, else of the call */
};

struct call_times {
	struct call_time *calls; /* by number */
	uint32_t count;
	uint64_t end_ns; /* of the process */
};

/* Waits have no number. */
static bool is_counted(const struct profile_api *api)
{
	return api->vertex != PROFILE_NO_VERTEX || !strcmp(api->kind, "free");
}

/* Calls that have operations: from the first one's start to the last one's end. */
static void take_operations(const struct profile *profile, uint32_t process,
			    const uint32_t *numbers, struct call_times *times)
{
	bool *seen = xcalloc(times->count + 1, sizeof(*seen));

	for (uint32_t i = 0; i < profile->gpu_time_count; i++) {
		const struct profile_gpu_time *row = &profile->gpu_times[i];
		struct call_time *call;
		uint32_t number;

		if (row->process != process || row->call == PROFILE_NO_ROW ||
		    row->call >= profile->timeline_count)
			continue;
		number = numbers[row->call];
		if (number == UINT32_MAX)
			continue;
		call = &times->calls[number];
		if (!seen[number] || row->start_ns < call->start_ns)
			call->start_ns = row->start_ns;
		if (!seen[number] || row->end_ns > call->end_ns)
			call->end_ns = row->end_ns;
		seen[number] = true;
	}
	free(seen);
}

struct call_times *call_times_new(const struct profile *profile, uint32_t process)
{
	struct call_times *times;
	uint32_t *numbers;

	if (!profile->timeline_count)
		return NULL;
	times = xcalloc(1, sizeof(*times));
	times->calls = xcalloc(profile->timeline_count, sizeof(*times->calls));
	times->end_ns = profile->processes[process].time_end_ns;
	numbers = xcalloc(profile->timeline_count, sizeof(*numbers));
	for (uint32_t i = 0; i < profile->timeline_count; i++) {
		const struct profile_timed_call *call = &profile->timeline[i];
		const struct profile_api *api = &profile->apis[call->api];

		numbers[i] = UINT32_MAX;
		if (call->process != process || !is_counted(api))
			continue;
		numbers[i] = times->count;
		times->calls[times->count++] =
			(struct call_time){api->vertex, call->start_ns, call->end_ns};
	}
	take_operations(profile, process, numbers, times);
	free(numbers);
	if (!times->count) {
		call_times_free(times);
		return NULL;
	}
	return times;
}

void call_times_free(struct call_times *times)
{
	if (!times)
		return;
	free(times->calls);
	free(times);
}

/* NULL: that run made another call there. */
static const struct call_time *call_at(const struct call_times *times, uint64_t number,
				       uint32_t vertex)
{
	return number < times->count && times->calls[number].vertex == vertex
		       ? &times->calls[number]
		       : NULL;
}

uint64_t call_times_between(const struct call_times *times, const struct call_stretch *stretch)
{
	const struct call_time *from = call_at(times, stretch->from, stretch->from_vertex);
	const struct call_time *to = NULL;
	uint64_t end = times->end_ns;

	if (stretch->to != PROFILE_UNKNOWN) {
		to = call_at(times, stretch->to, stretch->to_vertex);
		if (!to)
			return PROFILE_UNKNOWN;
		end = to->start_ns;
	}
	if (!from)
		return PROFILE_UNKNOWN;
	return end > from->end_ns ? end - from->end_ns : 0;
}
