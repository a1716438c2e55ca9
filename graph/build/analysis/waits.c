/*
 * graph/build/analysis/waits.c: the analysis of the pass `waits`: which calls wait for the device,
 * for what, and how long they did.  They are calls of the timeline (timeline.c).
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include "util/memory.h"

struct waits {
	struct profile *profile;
	uint64_t left_out;
};

static void *begin(struct profile *profile)
{
	struct waits *waits = xcalloc(1, sizeof(*waits));

	waits->profile = profile;
	return waits;
}

static bool has_stream(uint32_t scope)
{
	return scope == GPU_WAIT_STREAM || scope == GPU_WAIT_EVENT || scope == GPU_WAIT_QUEUE ||
	       scope == GPU_WAIT_NEEDS || scope == GPU_WAIT_HOST;
}

static int record(void *state, const struct build_event *event, const struct build_record *record,
		  struct error *error)
{
	const struct gpu_wait *wait = record->payload;
	struct waits *waits = state;
	struct profile *profile = waits->profile;
	uint64_t took = event->end_ns - event->start_ns;
	bool of_event = wait->scope == GPU_WAIT_EVENT || wait->scope == GPU_WAIT_NEEDS;

	if (!record->of_call)
		return 0;
	if (!wait->scope || wait->scope > GPU_WAIT_HOST || wait->own > 1 || wait->after_ns > took ||
	    wait->wait_ns > took - wait->after_ns ||
	    wait->recorded_ns > (of_event ? event->start_ns : 0))
		return error_set(error,
				 "a wait that is longer than its call, or for what cannot be");
	/* a wait that the timeline does not hold */
	if (event->call > profile->timeline_count || profile->wait_count == PROFILE_TIMELINE_MAX) {
		waits->left_out += wait->wait_ns > 0;
		return 0;
	}
	ARRAY_RESERVE(profile->waits, profile->wait_count, profile->wait_capacity);
	profile->waits[profile->wait_count++] = (struct profile_wait){
		.call = (uint32_t)(event->call - 1),
		.scope = wait->scope,
		.own = wait->own,
		.device = has_stream(wait->scope) ? wait->device : event->device,
		.stream = has_stream(wait->scope) ? wait->stream : event->stream,
		.start_ns = event->start_ns + wait->after_ns,
		.wait_ns = wait->wait_ns,
		.recorded_ns = of_event ? event->start_ns - wait->recorded_ns : PROFILE_UNKNOWN,
	};
	return 0;
}

static void end(void *state)
{
	struct waits *waits = state;

	if (waits->left_out)
		profile_add_coverage(waits->profile, COVERAGE_WAITS_FIRST_ONLY, NULL,
				     waits->left_out, 0);
	free(waits);
}

const struct build_analysis build_waits = {
	.name = "waits",
	.pass = "waits",
	.kinds = (const uint32_t[]){GPU_RECORD_WAIT, 0},
	.all_calls = true,
	.begin = begin,
	.record = record,
	.end = end,
};
