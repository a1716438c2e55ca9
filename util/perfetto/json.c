/* util/perfetto/json.c: Chrome's trace format: JSON, an array of events.  Times are in us. */
#include <inttypes.h>
#include <stdlib.h>

#include "util/json.h"
#include "util/memory.h"
#include "util/perfetto/perfetto.h"

struct trace {
	struct perfetto perfetto; /* first: what others know of it */
	struct json json;
};

/* Begins an event, on a line of its own. */
static void begin_event(struct json *json, const char *phase)
{
	json_line(json);
	json_begin(json, '{');
	json_named_text(json, "ph", phase);
}

static void put_time(struct json *json, const char *name, uint64_t ns)
{
	json_name(json, name);
	json_raw(json, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}

static void put_argument(struct json *json, const struct perfetto_argument *argument)
{
	json_name(json, argument->name);
	if (argument->text)
		json_text(json, argument->text);
	else if (argument->is_flag)
		json_raw(json, argument->number ? "true" : "false");
	else
		json_count(json, argument->number);
}

static struct perfetto *begin(FILE *file, const struct perfetto_argument *about, uint32_t count)
{
	struct trace *trace = xcalloc(1, sizeof(*trace));
	struct json *json = &trace->json;

	trace->perfetto = (struct perfetto){&perfetto_json, file};
	*json = (struct json){.file = file, .style = JSON_IN_HTML};
	json_begin(json, '{');
	json_named_text(json, "displayTimeUnit", "ns");
	json_name(json, "otherData");
	json_begin(json, '{');
	for (uint32_t i = 0; i < count; i++)
		put_argument(json, &about[i]);
	json_end(json, '}');
	json_name(json, "traceEvents");
	json_begin(json, '[');
	return &trace->perfetto;
}

/* Says something of a process or, if it is not 0, of a track: a text or, if that is NULL, a number.
 */
static void say(struct json *json, const char *what, uint32_t process, uint32_t track,
		const char *name, const char *text, uint32_t number)
{
	begin_event(json, "M");
	json_named_text(json, "name", what);
	json_named_count(json, "pid", process);
	if (track)
		json_named_count(json, "tid", track);
	json_name(json, "args");
	json_begin(json, '{');
	if (text)
		json_named_text(json, name, text);
	else
		json_named_count(json, name, number);
	json_end(json, '}');
	json_end(json, '}');
}

static void put_process(struct perfetto *perfetto, uint32_t process, const char *name,
			const char *label, uint32_t order)
{
	struct json *json = &((struct trace *)perfetto)->json;

	say(json, "process_name", process, 0, "name", name ? name : "", 0);
	say(json, "process_sort_index", process, 0, "sort_index", NULL, order);
	if (label)
		say(json, "process_labels", process, 0, "labels", label, 0);
}

static void put_track(struct perfetto *perfetto, uint32_t process, uint32_t track, const char *name)
{
	struct json *json = &((struct trace *)perfetto)->json;

	say(json, "thread_name", process, track, "name", name, 0);
	say(json, "thread_sort_index", process, track, "sort_index", NULL, track);
}

/* An end of an arrow, on the slice. */
static void put_arrow(struct json *json, const struct perfetto_event *event, bool ends, uint32_t id)
{
	begin_event(json, ends ? "f" : "s");
	if (ends)
		json_named_text(json, "bp", "e");
	json_named_text(json, "cat", event->arrows);
	json_named_text(json, "name", event->arrows);
	json_named_count(json, "id", id);
	json_named_count(json, "pid", event->process);
	json_named_count(json, "tid", event->track);
	put_time(json, "ts", event->start_ns);
	json_end(json, '}');
}

/* Begins an event of this phase with what all have but metadata. */
static void begin_timed(struct json *json, const struct perfetto_event *event, const char *phase,
			uint64_t ns)
{
	begin_event(json, phase);
	json_named_text(json, "cat", event->category); /* counters have none */
	json_named_text(json, "name", event->name);
	json_named_count(json, "pid", event->process);
	if (event->type != PERFETTO_COUNTER)
		json_named_count(json, "tid", event->type == PERFETTO_SLICE ? event->track : 1);
	put_time(json, "ts", ns);
}

static void put_id(struct json *json, const struct perfetto_event *event)
{
	json_name(json, "id");
	json_raw(json, "\"0x%" PRIx32 "\"", event->id);
}

static void put_arguments(struct json *json, const struct perfetto_event *event)
{
	if (!event->argument_count && event->type != PERFETTO_COUNTER)
		return;
	json_name(json, "args");
	json_begin(json, '{');
	if (event->type == PERFETTO_COUNTER)
		json_named_count(json, "live", event->value);
	for (uint32_t i = 0; i < event->argument_count; i++)
		put_argument(json, &event->arguments[i]);
	json_end(json, '}');
}

static void put_event(struct perfetto *perfetto, const struct perfetto_event *event)
{
	static const char *const phases[] = {[PERFETTO_SLICE] = "X",
					     [PERFETTO_SPAN] = "b",
					     [PERFETTO_INSTANT] = "i",
					     [PERFETTO_COUNTER] = "C"};
	struct json *json = &((struct trace *)perfetto)->json;

	begin_timed(json, event, phases[event->type], event->start_ns);
	if (event->type == PERFETTO_SLICE)
		put_time(json, "dur", event->end_ns - event->start_ns);
	else if (event->type == PERFETTO_SPAN)
		put_id(json, event);
	else if (event->type == PERFETTO_INSTANT)
		json_named_text(json, "s", "p");
	put_arguments(json, event);
	json_end(json, '}');
	if (event->type == PERFETTO_SPAN) {
		begin_timed(json, event, "e", event->end_ns);
		put_id(json, event);
		json_end(json, '}');
	}
	for (uint32_t i = 0; i < event->start_count; i++)
		put_arrow(json, event, false, event->starts[i]);
	for (uint32_t i = 0; i < event->end_count; i++)
		put_arrow(json, event, true, event->first_end + i);
}

static void end(struct perfetto *perfetto)
{
	struct trace *trace = (struct trace *)perfetto;

	fputc('\n', perfetto->file);
	json_end(&trace->json, ']');
	json_end(&trace->json, '}');
	fputc('\n', perfetto->file);
	free(trace);
}

const struct perfetto_writer perfetto_json = {begin, put_process, put_track, put_event, end};
