/*
 * graph/build/analysis/events.c: the analysis that keeps the first calls of a run for the profile,
 * whole: once one is left out all later ones are, and coverage says how many.
 */
#include "graph/build/analysis.h"

#include <string.h>

#include "util/memory.h"
#include "util/text.h"

#define NAME_LIMIT 4096

static void *begin(struct profile *profile)
{
	return profile;
}

static void keep_accesses(struct profile *profile, const struct build_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct build_row *row = &rows[i];

		if (row->access != TRACE_READ && row->access != TRACE_WRITE)
			continue;
		ARRAY_RESERVE(profile->accesses, profile->access_count, profile->access_capacity);
		profile->accesses[profile->access_count++] = (struct profile_access){
			.object = row->object,
			.writer = row->writer,
			.access = row->access == TRACE_READ ? GRAPH_READ : GRAPH_WRITE,
			.bytes = row->bytes,
#define ROW_METRIC(member, FLAG, access, aggregate)                                                \
	.member = row->metrics >> TRACE_METRIC_##FLAG & 1 ? row->member : PROFILE_UNKNOWN,
#include "gpu/rows.def"
		};
	}
}

static void keep(void *state, const struct build_event *event, const struct build_row *rows,
		 uint32_t count)
{
	struct profile *profile = state;
	uint32_t first = profile->access_count;

	if (profile->event_rows != event->number - 1 || profile->event_rows == PROFILE_EVENTS_MAX ||
	    count > PROFILE_ACCESSES_MAX - first)
		return;
	keep_accesses(profile, rows, count);
	ARRAY_RESERVE(profile->events, profile->event_rows, profile->event_capacity);
	profile->events[profile->event_rows++] = (struct profile_event){
		.vertex = event->vertex,
		.process = event->process,
		.thread = event->thread,
		.device = event->device,
		.stream = event->stream,
		.range = event->range,
		.first_access = first,
		.access_count = profile->access_count - first,
		.invocation = event->invocation,
		.start_ns = event->start_ns,
		.end_ns = event->end_ns,
		.name = event->vertex == PROFILE_NO_VERTEX
				? text_clean(event->name, strlen(event->name), NAME_LIMIT)
				: NULL,
	};
}

static void end(void *state)
{
	struct profile *profile = state;

	if (profile->event_rows < profile->event_count)
		profile_add_coverage(profile, COVERAGE_EVENTS_FIRST_ONLY, NULL,
				     profile->event_count - profile->event_rows, 0);
}

const struct build_analysis build_events = {
	.name = "events",
	.begin = begin,
	.event = keep,
	.end = end,
};
