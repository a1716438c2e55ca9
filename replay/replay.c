/* replay/replay.c: see replay/replay.h. */
#include "replay/replay.h"

#include <stdlib.h>

#include "replay/replay_internal.h"
#include "util/memory.h"

/* A replay of the unchanged run may differ by one part in so many. */
enum { DIFFERENCE = 50 };

static uint64_t run_start(const struct replay *replay)
{
	uint64_t start = TIME_MAX;

	for (uint32_t i = 0; i < replay->profile->process_count; i++)
		if (!replay->processes[i].left_out && replay->processes[i].start < start)
			start = replay->processes[i].start;
	return start;
}

static uint64_t run_end(const struct replay *replay, bool base)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < replay->profile->process_count; i++) {
		const struct process *process = &replay->processes[i];

		if (!process->left_out)
			end = time_max(end, base ? process->base_end : process->end);
	}
	return end;
}

/* The calls of each api, in the timeline's order. */
static void index_apis(struct replay *replay)
{
	const struct profile *profile = replay->profile;
	uint32_t *next = xcalloc(profile->api_count + 1, sizeof(*next));

	replay->api_first = xcalloc(profile->api_count + 2, sizeof(*replay->api_first));
	replay->api_calls = xcalloc(replay->call_count + 1, sizeof(*replay->api_calls));
	for (uint32_t i = 0; i < replay->call_count; i++)
		replay->api_first[profile->timeline[i].api + 1]++;
	for (uint32_t i = 0; i < profile->api_count; i++) {
		replay->api_first[i + 1] += replay->api_first[i];
		next[i] = replay->api_first[i];
	}
	for (uint32_t i = 0; i < replay->call_count; i++)
		replay->api_calls[next[profile->timeline[i].api]++] = i;
	free(next);
}

/* With what the run shows on the whole instead of what each operation and wait shows of itself. */
static int check(struct replay *replay, struct error *error)
{
	bool entangled = false;
	const struct walk_options as_measured = {.entangled = &entangled,
						 .last = &replay->span_end};
	const struct walk_options as_modelled = {.medians = true};
	uint64_t start = run_start(replay), run = run_end(replay, false) - start;

	for (int i = 0; i < 2; i++) {
		uint64_t end = replay_walk(replay, i ? &as_modelled : &as_measured, NULL);
		uint64_t took = time_sub(end, start), most = run / DIFFERENCE;

		if (entangled)
			return error_set(error, "no estimate: the run has too many threads that "
						"wait for each other");
		if (took > run + most || took < run - most)
			return error_set(
				error,
				"no estimate: replayed unchanged, the run takes %.6f s and not "
				"%.6f s; the device or the host waited for something that the "
				"profile does not show",
				(double)took / 1e9, (double)run / 1e9);
	}
	return 0;
}

/* Keeps of the calls at whose start the device was quiet those at which it still is. */
static void take_quiet(struct process *process, const struct walk_start *starts)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < process->quiet_count; i++)
		if (starts[process->quiet[i]].quiet)
			process->quiet[kept++] = process->quiet[i];
	process->quiet_count = kept;
}

/* From now on the run is as it would have been without the profiler's own work between calls. */
static void leave_out_overhead(struct replay *replay)
{
	const uint32_t processes = replay->profile->process_count;
	struct walk_start *starts = xcalloc(replay->call_count + 1, sizeof(*starts));
	uint64_t *ends = xcalloc(processes + 1, sizeof(*ends)), overhead = 0;
	bool *beside = xcalloc(replay->operation_count + 1, sizeof(*beside));
	const struct walk_options options = {.process_ends = ends,
					     .starts = starts,
					     .beside = beside,
					     .last = &replay->span_end};

	for (uint32_t i = 0; i < replay->call_count; i++) {
		struct call *call = &replay->calls[i];

		call->base = call->start;
		call->overhead = call->overhead < call->gap ? call->overhead : call->gap;
		call->gap -= call->overhead;
		overhead |= call->overhead;
	}
	for (uint32_t i = 0; i < processes; i++)
		replay->processes[i].base_end = replay->processes[i].end;
	if (overhead) {
		replay_walk(replay, &options, NULL);
		for (uint32_t i = 0; i < replay->call_count; i++)
			replay->calls[i].base = starts[i].time;
		/* no change is to blame for those */
		for (uint32_t i = 0; i < replay->operation_count; i++)
			if (beside[i])
				replay->operations[i].before = NONE;
		for (uint32_t i = 0; i < processes; i++) {
			if (!replay->processes[i].left_out)
				replay->processes[i].base_end = ends[i];
			take_quiet(&replay->processes[i], starts);
		}
	}
	free(beside);
	free(starts);
	free(ends);
}

static void find_span_start(struct replay *replay)
{
	replay->span_start = replay->span_end;
	for (uint32_t i = 0; i < replay->call_count; i++) {
		const struct call *call = &replay->calls[i];

		if (call->operation < call[1].operation &&
		    call->base + call->once < replay->span_start)
			replay->span_start = call->base + call->once;
	}
}

struct replay *replay_new(const struct profile *profile, struct error *error)
{
	struct replay *replay = xcalloc(1, sizeof(*replay));

	replay->profile = profile;
	if (timeline_take(replay, error) != 0) {
		replay_free(replay);
		return NULL;
	}
	index_apis(replay);
	lags_learn(replay);
	if (check(replay, error) != 0) {
		replay_free(replay);
		return NULL;
	}
	leave_out_overhead(replay);
	find_span_start(replay);
	return replay;
}

void replay_free(struct replay *replay)
{
	if (!replay)
		return;
	for (uint32_t i = 0; replay->processes && i < replay->profile->process_count; i++)
		free(replay->processes[i].quiet);
	free(replay->processes);
	free(replay->calls);
	free(replay->operations);
	free(replay->waits);
	free(replay->orders);
	free(replay->threads);
	free(replay->thread_calls);
	free(replay->ranked);
	free(replay->streams);
	free(replay->devices);
	free(replay->api_first);
	free(replay->api_calls);
	free(replay);
}

bool replay_is_truncated(const struct replay *replay)
{
	return replay->truncated;
}

static void take_times(const struct replay *replay, const struct edits *edits,
		       struct walk_options *options, struct replay_times *times)
{
	uint64_t start = run_start(replay);
	bool overlaps = false;

	options->edits = edits;
	times->changed = edits->changed_count;
	times->measured_ns = run_end(replay, false) - start;
	times->before_ns = time_sub(run_end(replay, true), start);
	times->span_ns = replay->span_end - replay->span_start;
	times->startup_ns = time_sub(replay->span_start, start);
	if (!times->span_ns) {
		times->span_ns = times->before_ns;
		times->startup_ns = 0;
	}
	times->after_ns = time_sub(replay_walk(replay, options, &overlaps), start);
	times->after_most_ns = times->after_ns;
	if (overlaps) {
		const struct walk_options apart = {
			.edits = edits, .no_overlap = true, .skip = options->skip};

		times->after_most_ns = time_max(times->after_ns,
						time_sub(replay_walk(replay, &apart, NULL), start));
	}
}

int replay_estimate(const struct replay *replay, const struct replay_change *changes,
		    uint32_t count, struct replay_times *times, struct error *error)
{
	struct walk_options options = {.skip = true};
	struct edits edits;

	if (edits_make(&edits, replay, changes, count, error) != 0)
		return -1;
	take_times(replay, &edits, &options, times);
	edits_release(&edits);
	return 0;
}

/* -- with all that became of it -- */

static struct replay_result *result_new(const struct replay *replay)
{
	const struct replay_span gone = {PROFILE_UNKNOWN, PROFILE_UNKNOWN};
	struct replay_result *result = xcalloc(1, sizeof(*result));

	result->start_ns = run_start(replay);
	result->call_count = replay->call_count;
	result->operation_count = replay->operation_count;
	result->wait_count = replay->wait_count;
	result->calls = xcalloc(replay->call_count + 1, sizeof(gone));
	result->operations = xcalloc(replay->operation_count + 1, sizeof(gone));
	result->waits = xcalloc(replay->wait_count + 1, sizeof(gone));
	result->operation_lanes =
		xcalloc(replay->operation_count + 1, sizeof(*result->operation_lanes));
	for (uint32_t i = 0; i < replay->call_count; i++)
		result->calls[i] = gone;
	for (uint32_t i = 0; i < replay->operation_count; i++)
		result->operations[i] = gone;
	for (uint32_t i = 0; i < replay->wait_count; i++)
		result->waits[i] = gone;
	result->lane_count = replay->thread_count + replay->stream_count;
	result->lanes = xcalloc(result->lane_count + 1, sizeof(*result->lanes));
	for (uint32_t i = 0; i < replay->thread_count; i++)
		result->lanes[i] = (struct replay_lane){.process = replay->threads[i].process,
							.thread = replay->threads[i].number};
	for (uint32_t i = 0; i < replay->stream_count; i++)
		result->lanes[replay->thread_count + i] = (struct replay_lane){
			.is_stream = true,
			.process = replay->streams[i].process,
			.device = replay->devices[replay->streams[i].device].number,
			.stream = replay->streams[i].number,
		};
	return result;
}

void replay_result_free(struct replay_result *result)
{
	if (!result)
		return;
	free(result->lanes);
	free(result->calls);
	free(result->operations);
	free(result->waits);
	free(result->operation_lanes);
	free(result);
}

/* What of the processes' times the lanes did not use. */
static void fill_idle(const struct replay *replay, struct replay_result *result,
		      const uint64_t *ends)
{
	for (uint32_t i = 0; i < result->lane_count; i++) {
		struct replay_lane *lane = &result->lanes[i];
		uint64_t took =
			time_sub(ends[lane->process], replay->processes[lane->process].start);

		lane->after.idle = time_sub(took, time_add(lane->after.busy, lane->after.wait));
	}
}

struct replay_result *replay_run(const struct replay *replay, const struct replay_change *changes,
				 uint32_t count, struct error *error)
{
	struct replay_result *result = result_new(replay), *before = result_new(replay);
	uint64_t *ends = xcalloc(replay->profile->process_count + 1, sizeof(*ends));
	struct walk_options options = {.result = before, .process_ends = ends};
	struct edits edits;

	replay_walk(replay, &options, NULL);
	fill_idle(replay, before, ends);
	if (edits_make(&edits, replay, changes, count, error) != 0) {
		replay_result_free(result);
		result = NULL;
	} else {
		options.result = result;
		take_times(replay, &edits, &options, &result->times);
		fill_idle(replay, result, ends);
		for (uint32_t i = 0; i < result->lane_count; i++)
			result->lanes[i].before = before->lanes[i].after;
		edits_release(&edits);
	}
	replay_result_free(before);
	free(ends);
	return result;
}
