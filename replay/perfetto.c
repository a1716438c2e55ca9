/* replay/perfetto.c: see perfetto.h. */
#include "replay/perfetto.h"

#include <inttypes.h>
#include <stdlib.h>

#include "replay/lanes.h"
#include "util/memory.h"
#include "util/perfetto.h"

/* Calls; the viewer takes long with more. */
enum { CALLS_MOST = 100000 };

struct trace {
	struct json json;
	const struct outcome *outcome;
	struct lanes lanes;
	uint32_t calls;
	bool after;
};

/* Processes of the trace: those of the run before, then after. */
static uint32_t process_of(const struct trace *trace, uint32_t process)
{
	return 2 * process + 1 + trace->after;
}

static void put_slice(struct trace *trace, uint32_t process, uint32_t lane, struct replay_span span,
		      const char *category, const char *name)
{
	struct json *json = &trace->json;

	perfetto_event(json, "X");
	json_named_text(json, "cat", category);
	json_named_text(json, "name", name);
	json_named_count(json, "pid", process_of(trace, process));
	json_named_count(json, "tid", lane + UINT64_C(1));
	perfetto_time(json, "ts", span.start_ns - trace->outcome->result->start_ns);
	perfetto_time(json, "dur", span.end_ns - span.start_ns);
}

static bool is_gone(struct replay_span span)
{
	return span.start_ns == PROFILE_UNKNOWN;
}

static void put_call(struct trace *trace, uint32_t index)
{
	const struct profile *profile = trace->outcome->profile;
	const struct profile_timed_call *call = &profile->timeline[index];
	const struct profile_api *api = &profile->apis[call->api];
	const struct replay_span after = trace->outcome->result->calls[index];
	const struct replay_span span =
		trace->after ? after : (struct replay_span){call->start_ns, call->end_ns};

	if (is_gone(span))
		return;
	put_slice(trace, call->process, lanes_thread(&trace->lanes, call), span, "call", api->name);
	json_name(&trace->json, "args");
	json_begin(&trace->json, '{');
	json_named_count(&trace->json, "call", index + UINT64_C(1));
	json_named_text(&trace->json, "callpath", api->callpath);
	if (api->vertex != PROFILE_NO_VERTEX)
		json_named_count(&trace->json, "vertex", api->vertex);
	if (is_gone(after))
		json_named_text(&trace->json, "change", "not made any more");
	perfetto_end(&trace->json);
}

static void put_wait(struct trace *trace, uint32_t index)
{
	const struct profile *profile = trace->outcome->profile;
	const struct profile_wait *wait = &profile->waits[index];
	const struct profile_timed_call *call = &profile->timeline[wait->call];
	const struct replay_span span =
		trace->after ? trace->outcome->result->waits[index]
			     : (struct replay_span){wait->start_ns, wait->start_ns + wait->wait_ns};

	if (wait->call >= trace->calls || is_gone(span) || span.end_ns <= span.start_ns)
		return;
	put_slice(trace, call->process, lanes_thread(&trace->lanes, call), span, "wait",
		  "waits for the device");
	json_end(&trace->json, '}');
}

static void put_operation(struct trace *trace, uint32_t index)
{
	const struct profile *profile = trace->outcome->profile;
	const struct profile_gpu_time *time = &profile->gpu_times[index];
	const struct profile_timed_call *call = &profile->timeline[time->call];
	const struct replay_span after = trace->outcome->result->operations[index];
	const struct replay_span span =
		trace->after ? after : (struct replay_span){time->start_ns, time->end_ns};

	if (time->call >= trace->calls || is_gone(span))
		return;
	put_slice(trace, call->process, lanes_stream(&trace->lanes, call), span,
		  profile->apis[call->api].kind, profile->apis[call->api].name);
	json_name(&trace->json, "args");
	json_begin(&trace->json, '{');
	json_named_count(&trace->json, "call", time->call + UINT64_C(1));
	if (is_gone(after))
		json_named_text(&trace->json, "change", "not there any more");
	perfetto_end(&trace->json);
}

static void put_names(struct trace *trace)
{
	const struct replay_result *result = trace->outcome->result;
	const struct profile *profile = trace->outcome->profile;

	for (uint32_t p = 0; p < profile->process_count; p++) {
		const char *of = profile->processes[p].arguments;
		char *name = xasprintf("%s: %s", trace->after ? "after" : "before", of ? of : "");

		perfetto_name_process(&trace->json, process_of(trace, p), name,
				      process_of(trace, p));
		free(name);
	}
	for (uint32_t i = 0; i < result->lane_count; i++) {
		char *name = outcome_lane_name(profile, &result->lanes[i]);

		perfetto_name_track(&trace->json, process_of(trace, result->lanes[i].process),
				    i + 1, name);
		free(name);
	}
}

static void put_timeline(struct trace *trace)
{
	const struct replay_result *result = trace->outcome->result;

	put_names(trace);
	for (uint32_t i = 0; i < trace->calls; i++)
		put_call(trace, i);
	for (uint32_t i = 0; i < result->wait_count; i++)
		put_wait(trace, i);
	for (uint32_t i = 0; i < result->operation_count; i++)
		put_operation(trace, i);
}

void replay_perfetto(FILE *out, const struct outcome *outcome)
{
	const uint32_t all = outcome->result->call_count;
	struct trace trace = {.json = {.file = out, .style = JSON_IN_HTML},
			      .outcome = outcome,
			      .calls = all < CALLS_MOST ? all : CALLS_MOST};
	struct json *json = &trace.json;
	char *sentence = outcome_sentence(&outcome->times);

	lanes_index(&trace.lanes, outcome->result);
	json_begin(json, '{');
	json_named_text(json, "displayTimeUnit", "ns");
	json_name(json, "otherData");
	json_begin(json, '{');
	json_named_text(json, "run", outcome->profile->command);
	json_named_text(json, "whatif", sentence);
	json_named_text(json, "times", outcome->model_time ? "model time" : "ns of the run");
	json_named_count(json, "calls_left_out", all - trace.calls);
	json_end(json, '}');
	json_name(json, "traceEvents");
	json_begin(json, '[');
	put_timeline(&trace);
	trace.after = true;
	if (outcome->change_count)
		put_timeline(&trace);
	fputc('\n', out);
	json_end(json, ']');
	json_end(json, '}');
	fputc('\n', out);
	lanes_release(&trace.lanes);
	free(sentence);
}
