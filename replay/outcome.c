/* replay/outcome.c: see replay/outcome.h. */
#include "replay/outcome.h"

#include <inttypes.h>
#include <stdlib.h>

#include "replay/request.h"
#include "util/duration.h"
#include "util/json.h"
#include "util/memory.h"
#include "util/text.h"

static uint64_t saved(const struct replay_times *times, uint64_t after)
{
	return times->before_ns > after ? times->before_ns - after : 0;
}

static double percent(uint64_t part, uint64_t of)
{
	return of ? 100 * (double)part / (double)of : 0;
}

char *outcome_lane_name(const struct profile *profile, const struct replay_lane *lane)
{
	char *process =
		profile->process_count > 1
			? xasprintf("process %" PRIu32 ", ", profile->processes[lane->process].pid)
			: xstrdup("");
	char *name;

	if (!lane->is_stream)
		name = xasprintf("%sthread %" PRIu32, process, lane->thread);
	else if (lane->device)
		name = xasprintf("%sdevice %" PRIu32 ", stream %" PRIu32, process, lane->device,
				 lane->stream);
	else if (lane->stream)
		name = xasprintf("%sstream %" PRIu32, process, lane->stream);
	else
		name = xasprintf("%sdefault stream", process);
	free(process);
	return name;
}

char *outcome_sentence(const struct replay_times *times)
{
	char before[24], after[24], saves[24], span[24];
	uint64_t less = saved(times, times->after_ns);

	duration_format(times->before_ns, before);
	duration_format(times->after_ns, after);
	if (times->after_ns > times->before_ns)
		return xasprintf("%s, after %s: %s longer", before, after,
				 duration_format(times->after_ns - times->before_ns, saves));
	if (!less)
		return xasprintf("%s, before and after: not on the critical path", before);
	duration_format(less, saves);
	/* that much is only of calls before or after the operations */
	if (less > times->span_ns)
		return xasprintf("%s, after %s: saves %s", before, after, saves);
	return xasprintf("%s, after %s: saves %s (%.1f%% of %s)", before, after, saves,
			 percent(less, times->span_ns), duration_format(times->span_ns, span));
}

static void put_changes(FILE *out, const struct outcome *outcome)
{
	static const char *const what[] = {
		[REPLAY_REMOVE] = "without",        [REPLAY_NO_WAIT] = "no wait in",
		[REPLAY_ASYNC] = "asynchronous",    [REPLAY_MOVE] = "waits later",
		[REPLAY_SHORTEN] = "shorter",       [REPLAY_HOIST] = "out of its loop",
		[REPLAY_NARROW] = "waits for less",
	};
	enum { SHOWN = 10 };

	for (uint32_t i = 0; i < outcome->change_count && i < SHOWN; i++) {
		const struct replay_change *change = &outcome->changes[i];
		char *subject = request_subject(change), time[24];

		fprintf(out, "%-16s %s", what[change->kind], subject);
		if (change->kind == REPLAY_SHORTEN && change->scaled)
			fprintf(out, ": %.4g%% of its time", 100 * change->fraction);
		else if (change->kind == REPLAY_MOVE && change->at_call)
			fprintf(out, ": before call %" PRIu32, change->call + 1);
		else if (change->kind == REPLAY_NARROW)
			fprintf(out, ": stream %" PRIu32 " only", change->stream);
		else if (change->kind == REPLAY_SHORTEN || change->kind == REPLAY_MOVE)
			fprintf(out, ": %s%s", duration_format(change->ns, time),
				change->kind == REPLAY_MOVE ? " of its own time" : "");
		fputc('\n', out);
		free(subject);
	}
	if (outcome->change_count > SHOWN)
		fprintf(out, "%-16s %" PRIu32 " more changes\n", "", outcome->change_count - SHOWN);
}

static void put_use(FILE *out, const struct replay_use *use)
{
	char busy[24], wait[24], idle[24];

	fprintf(out, " %9s %9s %9s", use->busy ? duration_format(use->busy, busy) : "-",
		use->wait ? duration_format(use->wait, wait) : "-",
		use->idle ? duration_format(use->idle, idle) : "-");
}

void outcome_text(FILE *out, const struct outcome *outcome)
{
	const struct replay_result *result = outcome->result;
	char *sentence = outcome_sentence(&outcome->times), most[24], start_up[24];

	put_changes(out, outcome);
	fprintf(out, "%-16s %s%s\n", "run", sentence, outcome->model_time ? "; model time" : "");
	free(sentence);
	fprintf(out, "%-16s %s from the first operation to the last; start-up before it: %s\n", "",
		duration_format(outcome->times.span_ns, most),
		duration_format(outcome->times.startup_ns, start_up));
	if (!result)
		fprintf(out, "%-16s by the formula of Diogenes, not by a replay\n", "");
	if (outcome->times.measured_ns > outcome->times.before_ns)
		fprintf(out, "%-16s without %s of the profiler's own work that the run had\n", "",
			duration_format(outcome->times.measured_ns - outcome->times.before_ns,
					most));
	if (outcome->times.after_most_ns > outcome->times.after_ns)
		fprintf(out,
			"%-16s at worst %s: operations that would newly run side by side may slow "
			"each other down\n",
			"", duration_format(outcome->times.after_most_ns, most));
	fprintf(out, "%-16s %" PRIu64 " call%s changed of %" PRIu32 "%s\n", "",
		outcome->times.changed, text_plural(outcome->times.changed, " is", "s are"),
		outcome->profile->timeline_count,
		outcome->truncated ? ", the first of the run: later ones are not known" : "");
	if (!result)
		return;
	fprintf(out, "\n%-24s %29s %29s\n%-24s", "", "before", "after", "");
	for (int i = 0; i < 2; i++)
		fprintf(out, " %9s %9s %9s", "busy", "waits", "idle");
	fputc('\n', out);
	for (uint32_t i = 0; i < result->lane_count; i++) {
		const struct replay_lane *lane = &result->lanes[i];
		char *name;

		if (lane->is_stream && !lane->before.busy && !lane->after.busy)
			continue;
		name = outcome_lane_name(outcome->profile, lane);
		fprintf(out, "%-24s", name);
		put_use(out, &lane->before);
		put_use(out, &lane->after);
		fputc('\n', out);
		free(name);
	}
}

/* -- JSON -- */

static void json_use(struct json *json, const char *name, const struct replay_use *use,
		     bool is_stream)
{
	json_name(json, name);
	json_begin(json, '{');
	json_named_count(json, "busy_ns", use->busy);
	if (!is_stream)
		json_named_count(json, "wait_ns", use->wait);
	json_named_count(json, "idle_ns", use->idle);
	json_end(json, '}');
}

static void json_flag(struct json *json, const char *name, bool value)
{
	json_name(json, name);
	json_raw(json, value ? "true" : "false");
}

void outcome_json(FILE *out, const struct outcome *outcome)
{
	const struct replay_times *times = &outcome->times;
	const struct replay_result *result = outcome->result;
	struct json json = {.file = out, .style = JSON_INDENTED};

	json_begin(&json, '{');
	json_named_text(&json, "estimate", result ? "replay" : "diogenes");
	json_named_count(&json, "measured_ns", times->measured_ns);
	json_named_count(&json, "before_ns", times->before_ns);
	json_named_count(&json, "span_ns", times->span_ns);
	json_named_count(&json, "startup_ns", times->startup_ns);
	json_named_count(&json, "after_ns", times->after_ns);
	json_named_count(&json, "after_most_ns", times->after_most_ns);
	json_named_count(&json, "saves_ns", saved(times, times->after_ns));
	json_named_count(&json, "saves_least_ns", saved(times, times->after_most_ns));
	json_named_count(&json, "changed_calls", times->changed);
	json_named_count(&json, "calls", outcome->profile->timeline_count);
	json_flag(&json, "model_time", outcome->model_time);
	json_flag(&json, "first_calls_only", outcome->truncated);
	if (result) {
		json_name(&json, "lanes");
		json_begin(&json, '[');
		for (uint32_t i = 0; i < result->lane_count; i++) {
			const struct replay_lane *lane = &result->lanes[i];

			json_begin(&json, '{');
			json_named_count(&json, "pid",
					 outcome->profile->processes[lane->process].pid);
			if (lane->is_stream) {
				json_named_count(&json, "device", lane->device);
				json_named_count(&json, "stream", lane->stream);
			} else {
				json_named_count(&json, "thread", lane->thread);
			}
			json_use(&json, "before", &lane->before, lane->is_stream);
			json_use(&json, "after", &lane->after, lane->is_stream);
			json_end(&json, '}');
		}
		json_end(&json, ']');
	}
	json_end(&json, '}');
	fputc('\n', out);
}
