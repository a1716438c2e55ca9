/*
 * graph/build/analysis/timeline.c: the analysis of the pass `time`: the calls of its run, how long
 * the device was at each operation, and which streams waited for which.  Sums of operations are of
 * all calls; the timeline holds the first.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/pair_map.h"

struct timeline {
	struct profile *profile;
	uint32_t *api_of; /* by context: index of its api, plus 1 */
	uint32_t context_count;
	struct pair_map nonblocking; /* (device, stream) of those of this process */
	uint64_t calls_left_out, rows_left_out;
};

static void *begin(struct profile *profile)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));

	timeline->profile = profile;
	return timeline;
}

static uint32_t api_of(struct timeline *timeline, const struct build_event *event)
{
	struct profile *profile = timeline->profile;

	if (event->context >= timeline->context_count) {
		uint32_t count = 2 * event->context + 64;

		timeline->api_of =
			xreallocarray(timeline->api_of, count, sizeof(*timeline->api_of));
		memset(timeline->api_of + timeline->context_count, 0,
		       (count - timeline->context_count) * sizeof(*timeline->api_of));
		timeline->context_count = count;
	}
	if (!timeline->api_of[event->context]) {
		ARRAY_RESERVE(profile->apis, profile->api_count, profile->api_capacity);
		profile->apis[profile->api_count++] =
			(struct profile_api){.vertex = event->vertex, .context = event->context};
		timeline->api_of[event->context] = profile->api_count;
	}
	return timeline->api_of[event->context] - 1;
}

/* Analyses see all calls of this run: the n-th of them is row n - 1, if it is held. */
static bool is_held(const struct timeline *timeline, const struct build_event *event)
{
	return event->call && event->call <= timeline->profile->timeline_count;
}

static void keep_call(void *state, const struct build_event *event, const struct build_row *rows,
		      uint32_t count)
{
	struct timeline *timeline = state;
	struct profile *profile = timeline->profile;

	(void)rows;
	(void)count;
	if (event->call - 1 != profile->timeline_count ||
	    profile->timeline_count == PROFILE_TIMELINE_MAX) {
		timeline->calls_left_out++;
		return;
	}
	ARRAY_RESERVE(profile->timeline, profile->timeline_count, profile->timeline_capacity);
	profile->timeline[profile->timeline_count] = (struct profile_timed_call){
		.api = api_of(timeline, event),
		.process = event->process,
		.thread = event->thread,
		.device = event->device,
		.stream = event->stream,
		.range = event->range,
		.nonblocking = pair_map_get(&timeline->nonblocking, event->device, event->stream) !=
			       UINT32_MAX,
		.invocation = event->invocation,
		.start_ns = event->start_ns,
		.end_ns = event->end_ns,
	};
	profile->timeline_count++;
}

static void keep_operation(struct timeline *timeline, const struct build_event *event,
			   uint64_t start_ns, uint64_t end_ns)
{
	struct profile *profile = timeline->profile;

	if (!is_held(timeline, event) || profile->gpu_time_count == PROFILE_TIMELINE_MAX) {
		timeline->rows_left_out += is_held(timeline, event);
		return;
	}
	ARRAY_RESERVE(profile->gpu_times, profile->gpu_time_count, profile->gpu_time_capacity);
	profile->gpu_times[profile->gpu_time_count++] = (struct profile_gpu_time){
		.call = (uint32_t)(event->call - 1),
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

static void add_range_time(struct profile_range *range, uint64_t time_ns)
{
	if (range->time_ns == PROFILE_UNKNOWN)
		range->time_ns = 0;
	profile_add(&range->time_ns, time_ns);
}

static int take_time(struct timeline *timeline, const struct build_event *event,
		     const struct gpu_time *time, struct error *error)
{
	uint64_t start_ns, end_ns;
	struct graph_vertex *vertex;

	if (__builtin_add_overflow(event->start_ns, time->after_ns, &start_ns) ||
	    __builtin_add_overflow(start_ns, time->time_ns, &end_ns) || end_ns > PROFILE_NUMBER_MAX)
		return error_set(error, "an operation of the device ends too late");
	keep_operation(timeline, event, start_ns, end_ns);
	if (event->range != PROFILE_NO_ROW)
		add_range_time(&timeline->profile->ranges[event->range], time->time_ns);
	if (event->vertex == PROFILE_NO_VERTEX)
		return 0;
	vertex = &timeline->profile->graph->vertices[event->vertex];
	vertex->fields |= VERTEX_TIME_NS;
	profile_add(&vertex->time_ns, time->time_ns);
	return 0;
}

static int take_order(struct timeline *timeline, const struct build_event *event,
		      const struct gpu_order *order, struct error *error)
{
	struct profile *profile = timeline->profile;

	if (order->recorded_ns > event->start_ns)
		return error_set(error, "an event that was recorded before the run");
	if (!is_held(timeline, event) || profile->stream_order_count == PROFILE_TIMELINE_MAX) {
		timeline->rows_left_out += is_held(timeline, event);
		return 0;
	}
	ARRAY_RESERVE(profile->stream_orders, profile->stream_order_count,
		      profile->stream_order_capacity);
	profile->stream_orders[profile->stream_order_count++] = (struct profile_stream_order){
		.call = (uint32_t)(event->call - 1),
		.device = order->device,
		.stream = order->stream,
		.recorded_ns = event->start_ns - order->recorded_ns,
	};
	return 0;
}

static void take_stream(struct timeline *timeline, const struct build_event *event,
			const struct gpu_stream *stream)
{
	uint32_t value;

	if (stream->nonblocking)
		pair_map_find(&timeline->nonblocking, event->device, event->stream, 0, &value);
	else
		pair_map_remove(&timeline->nonblocking, event->device, event->stream);
	if (is_held(timeline, event))
		timeline->profile->timeline[event->call - 1].nonblocking = stream->nonblocking;
}

static void take_overhead(struct timeline *timeline, const struct build_event *event,
			  const struct gpu_overhead *overhead)
{
	uint64_t ns = overhead->before_ns;

	timeline->profile->timeline[event->call - 1].overhead_ns =
		ns < PROFILE_NUMBER_MAX ? ns : PROFILE_UNKNOWN;
}

static int record(void *state, const struct build_event *event, const struct build_record *record,
		  struct error *error)
{
	struct timeline *timeline = state;

	if (!record->of_call)
		return 0;
	switch (record->kind) {
	case GPU_RECORD_OVERHEAD:
		if (is_held(timeline, event))
			take_overhead(timeline, event, record->payload);
		return 0;
	case GPU_RECORD_TIME:
		return take_time(timeline, event, record->payload, error);
	case GPU_RECORD_ORDER:
		return take_order(timeline, event, record->payload, error);
	case GPU_RECORD_STREAM:
		take_stream(timeline, event, record->payload);
		return 0;
	}
	return 0;
}

static void lifetime(void *state, uint32_t process, uint64_t start_ns, uint64_t end_ns)
{
	struct timeline *timeline = state;
	struct profile_process *of = &timeline->profile->processes[process];

	of->time_start_ns = start_ns;
	of->time_end_ns = end_ns;
	pair_map_release(&timeline->nonblocking);
}

static void end(void *state)
{
	struct timeline *timeline = state;
	struct profile *profile = timeline->profile;

	if (timeline->calls_left_out)
		profile_add_coverage(profile, COVERAGE_TIMELINE_FIRST_ONLY, NULL,
				     timeline->calls_left_out, 0);
	if (timeline->rows_left_out)
		profile_add_coverage(profile, COVERAGE_TIMES_FIRST_ONLY, NULL,
				     timeline->rows_left_out, 0);
	pair_map_release(&timeline->nonblocking);
	free(timeline->api_of);
	free(timeline);
}

const struct build_analysis build_timeline = {
	.name = "timeline",
	.pass = "time",
	.kinds = (const uint32_t[]){GPU_RECORD_TIME, GPU_RECORD_ORDER, GPU_RECORD_STREAM,
				    GPU_RECORD_OVERHEAD, 0},
	.all_calls = true,
	.begin = begin,
	.event = keep_call,
	.record = record,
	.lifetime = lifetime,
	.end = end,
};
