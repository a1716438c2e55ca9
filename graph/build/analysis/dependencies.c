/*
 * graph/build/analysis/dependencies.c: the analysis that keeps the dependency graph of the first
 * calls of a run (build/predecessors.h): all edges into a call, or none of it and of later ones.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include "graph/build/predecessors.h"
#include "util/memory.h"

struct dependencies {
	struct profile *profile;
	struct predecessors *predecessors;
	uint32_t calls; /* whose edges are kept, all from the first one on */
	bool full;
};

static void *begin(struct profile *profile)
{
	struct dependencies *dependencies = xcalloc(1, sizeof(*dependencies));

	dependencies->profile = profile;
	dependencies->predecessors = predecessors_new();
	return dependencies;
}

static void keep_last(struct dependencies *dependencies)
{
	struct profile *profile = dependencies->profile;
	const struct predecessor *list;
	uint32_t call, count = predecessors_take(dependencies->predecessors, &call, &list);

	if (dependencies->full || !count)
		return;
	if (count > PROFILE_DEPENDENCIES_MAX - profile->dependency_count) {
		dependencies->full = true;
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		ARRAY_RESERVE(profile->dependencies, profile->dependency_count,
			      profile->dependency_capacity);
		profile->dependencies[profile->dependency_count++] = (struct profile_dependency){
			.to = call,
			.from = list[i].call,
			.why = list[i].why,
			.object = list[i].object,
		};
	}
}

static void object(void *state, const struct build_event *event, uint32_t index)
{
	struct dependencies *dependencies = state;

	(void)event;
	keep_last(dependencies);
	if (!dependencies->full)
		predecessors_object(dependencies->predecessors, index);
}

static void take_event(void *state, const struct build_event *event, const struct build_row *rows,
		       uint32_t count)
{
	struct dependencies *dependencies = state;

	keep_last(dependencies);
	if (event->number > PROFILE_EVENTS_MAX)
		dependencies->full = true;
	if (dependencies->full)
		return;
	dependencies->calls = (uint32_t)event->number;
	predecessors_event(dependencies->predecessors, event, rows, count);
}

static void freed(void *state, const struct build_event *event, uint32_t index)
{
	struct dependencies *dependencies = state;

	(void)event;
	if (!dependencies->full)
		predecessors_freed(dependencies->predecessors, index);
}

static int record(void *state, const struct build_event *event, const struct build_record *record,
		  struct error *error)
{
	struct dependencies *dependencies = state;

	(void)event;
	return dependencies->full ? 0
				  : predecessors_record(dependencies->predecessors, record, error);
}

static void process_end(void *state, const struct build_event *last)
{
	struct dependencies *dependencies = state;

	(void)last;
	keep_last(dependencies);
	predecessors_process_end(dependencies->predecessors);
}

/* Rows are about events that the profile holds. */
static void leave_out(struct dependencies *dependencies)
{
	struct profile *profile = dependencies->profile;
	uint32_t calls = dependencies->full ? dependencies->calls - 1 : dependencies->calls;

	if (calls > profile->event_rows)
		calls = profile->event_rows;
	while (profile->dependency_count &&
	       profile->dependencies[profile->dependency_count - 1].to >= calls)
		profile->dependency_count--;
	if (calls < profile->event_count)
		profile_add_coverage(profile, COVERAGE_DEPENDENCIES_FIRST_ONLY, NULL,
				     profile->event_count - calls, 0);
}

static void end(void *state)
{
	struct dependencies *dependencies = state;
	uint64_t unordered = predecessors_unordered(dependencies->predecessors);

	leave_out(dependencies);
	if (unordered)
		profile_add_coverage(dependencies->profile, COVERAGE_STREAM_ORDER_UNKNOWN, NULL,
				     unordered, 0);
	predecessors_free(dependencies->predecessors);
	free(dependencies);
}

const struct build_analysis build_dependencies = {
	.name = "dependencies",
	.kinds = (const uint32_t[]){GPU_RECORD_WAIT, GPU_RECORD_ORDER, GPU_RECORD_STREAM, 0},
	.begin = begin,
	.object = object,
	.event = take_event,
	.freed = freed,
	.record = record,
	.process_end = process_end,
	.end = end,
};
