/* replay/perfetto.c: see perfetto.h. */
#include "replay/perfetto.h"

#include <inttypes.h>
#include <stdlib.h>

#include "replay/lanes.h"
#include "util/memory.h"
#include "util/perfetto/perfetto.h"

/* Calls; the viewer takes long with more. */
enum { CALLS_MOST = 100000 };

struct trace {
	struct perfetto *perfetto;
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

/* What comes of the event is put by put(). */
static struct perfetto_event slice(const struct trace *trace, uint32_t process, uint32_t lane,
				   struct replay_span span, const char *category, const char *name)
{
	return (struct perfetto_event){
		.type = PERFETTO_SLICE,
		.category = category,
		.name = name,
		.process = process_of(trace, process),
		.track = lane + 1,
		.start_ns = span.start_ns - trace->outcome->result->start_ns,
		.end_ns = span.end_ns - trace->outcome->result->start_ns,
	};
}

static void put(struct trace *trace, const struct perfetto_event *event)
{
	trace->perfetto->writer->event(trace->perfetto, event);
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
	struct perfetto_event out;

	if (is_gone(span))
		return;
	out = slice(trace, call->process, lanes_thread(&trace->lanes, call), span, "call",
		    api->name);
	perfetto_number(&out, "call", index + UINT64_C(1));
	perfetto_text(&out, "callpath", api->place.callpath);
	if (api->vertex != PROFILE_NO_VERTEX)
		perfetto_number(&out, "vertex", api->vertex);
	if (is_gone(after))
		perfetto_text(&out, "change", "not made any more");
	put(trace, &out);
}

static void put_wait(struct trace *trace, uint32_t index)
{
	const struct profile *profile = trace->outcome->profile;
	const struct profile_wait *wait = &profile->waits[index];
	const struct profile_timed_call *call = &profile->timeline[wait->call];
	const struct replay_span span =
		trace->after ? trace->outcome->result->waits[index]
			     : (struct replay_span){wait->start_ns, wait->start_ns + wait->wait_ns};
	struct perfetto_event out;

	if (wait->call >= trace->calls || is_gone(span) || span.end_ns <= span.start_ns)
		return;
	out = slice(trace, call->process, lanes_thread(&trace->lanes, call), span, "wait",
		    "waits for the device");
	put(trace, &out);
}

static void put_operation(struct trace *trace, uint32_t index)
{
	const struct profile *profile = trace->outcome->profile;
	const struct profile_gpu_time *time = &profile->gpu_times[index];
	const struct profile_timed_call *call = &profile->timeline[time->call];
	const struct replay_span after = trace->outcome->result->operations[index];
	const struct replay_span span =
		trace->after ? after : (struct replay_span){time->start_ns, time->end_ns};
	struct perfetto_event out;

	if (time->call >= trace->calls || is_gone(span))
		return;
	out = slice(trace, call->process,
		    trace->after ? trace->outcome->result->operation_lanes[index]
				 : lanes_stream(&trace->lanes, call),
		    span, profile->apis[call->api].kind, profile->apis[call->api].name);
	perfetto_number(&out, "call", time->call + UINT64_C(1));
	if (is_gone(after))
		perfetto_text(&out, "change", "not there any more");
	put(trace, &out);
}

static void put_names(struct trace *trace)
{
	const struct replay_result *result = trace->outcome->result;
	const struct profile *profile = trace->outcome->profile;
	const struct perfetto_writer *writer = trace->perfetto->writer;

	for (uint32_t p = 0; p < profile->process_count; p++) {
		const char *of = profile->processes[p].arguments;
		char *name = xasprintf("%s: %s", trace->after ? "after" : "before", of ? of : "");

		writer->process(trace->perfetto, process_of(trace, p), name, NULL,
				process_of(trace, p));
		free(name);
	}
	for (uint32_t i = 0; i < result->lane_count; i++) {
		char *name = outcome_lane_name(profile, &result->lanes[i]);

		writer->track(trace->perfetto, process_of(trace, result->lanes[i].process), i + 1,
			      name);
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
	struct trace trace = {.outcome = outcome, .calls = all < CALLS_MOST ? all : CALLS_MOST};
	char *sentence = outcome_sentence(&outcome->times);
	const char *run = outcome->profile->command;
	const struct perfetto_argument about[] = {
		{.name = "run", .text = run ? run : ""},
		{.name = "whatif", .text = sentence},
		{.name = "times", .text = outcome->model_time ? "model time" : "ns of the run"},
		{.name = "calls_left_out", .number = all - trace.calls},
	};

	lanes_index(&trace.lanes, outcome->result);
	trace.perfetto = perfetto_json.begin(out, about, sizeof(about) / sizeof(*about));
	put_timeline(&trace);
	trace.after = true;
	if (outcome->change_count)
		put_timeline(&trace);
	trace.perfetto->writer->end(trace.perfetto);
	lanes_release(&trace.lanes);
	free(sentence);
}
