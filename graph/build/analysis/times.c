/*
 * graph/build/analysis/times.c: the analysis of the pass `time`: how long the device was at each
 * operation, in all and for the first calls one by one.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include "util/memory.h"

struct times {
	struct profile *profile;
	uint64_t left_out;
};

static void *begin(struct profile *profile)
{
	struct times *times = xcalloc(1, sizeof(*times));

	times->profile = profile;
	return times;
}

static void keep(struct times *times, const struct build_event *event, uint64_t start_ns,
		 uint64_t end_ns)
{
	struct profile *profile = times->profile;

	if (profile->gpu_time_count == PROFILE_EVENTS_MAX) {
		times->left_out++;
		return;
	}
	ARRAY_RESERVE(profile->gpu_times, profile->gpu_time_count, profile->gpu_time_capacity);
	profile->gpu_times[profile->gpu_time_count++] = (struct profile_gpu_time){
		.vertex = event->vertex,
		.process = event->process,
		.thread = event->thread,
		.device = event->device,
		.stream = event->stream,
		.invocation = event->invocation,
		.call_ns = event->start_ns,
		.return_ns = event->end_ns,
		.start_ns = start_ns,
		.end_ns = end_ns,
	};
}

static int record(void *state, const struct build_event *event, const struct build_record *record,
		  struct error *error)
{
	const struct gpu_time *time = record->payload;
	struct times *times = state;
	uint64_t start_ns, end_ns;
	struct graph_vertex *vertex;

	if (!record->of_call || event->vertex == PROFILE_NO_VERTEX)
		return 0;
	if (__builtin_add_overflow(event->start_ns, time->after_ns, &start_ns) ||
	    __builtin_add_overflow(start_ns, time->time_ns, &end_ns) || end_ns > PROFILE_NUMBER_MAX)
		return error_set(error, "an operation of the device ends too late");
	vertex = &times->profile->graph->vertices[event->vertex];
	vertex->fields |= VERTEX_TIME_NS;
	profile_add(&vertex->time_ns, time->time_ns);
	keep(times, event, start_ns, end_ns);
	return 0;
}

static void end(void *state)
{
	struct times *times = state;

	if (times->left_out)
		profile_add_coverage(times->profile, COVERAGE_TIMES_FIRST_ONLY, NULL,
				     times->left_out, 0);
	free(times);
}

const struct build_analysis build_times = {
	.name = "times",
	.pass = "time",
	.kinds = (const uint32_t[]){GPU_RECORD_TIME, 0},
	.begin = begin,
	.record = record,
	.end = end,
};
