/* graph/build/process.c: see build/process.h. */
#include "graph/build/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/build/records.h"
#include "util/memory.h"
#include "util/text.h"

#define NAME_LIMIT 4096
#define ARGUMENTS_LIMIT (64 << 10) /* bytes of a command line */

/* -- texts -- */

char *process_clean_name(const char *text)
{
	return text_clean(text, strlen(text), NAME_LIMIT);
}

/* The n-th text of the record. */
static char *name_in(const struct trace_process *record, unsigned n)
{
	return process_clean_name(trace_text(&record->record, record->text, n));
}

/* Joined by spaces. */
static char *arguments_in(const struct trace_process *record)
{
	const struct trace_record *head = &record->record;
	char *arguments, *clean;
	size_t size;
	FILE *out = xopen_memstream(&arguments, &size);

	for (const char *text = trace_text(head, record->text, 3); text && *text;
	     text = trace_text(head, text, 1))
		fprintf(out, "%s%s", ftell(out) ? " " : "", text);
	fclose(out);
	clean = text_clean(arguments, size, ARGUMENTS_LIMIT);
	free(arguments);
	return clean;
}

void process_describe(const struct trace_process *record, struct profile_process *process)
{
	*process = (struct profile_process){
		.pid = record->process,
		.parent = record->parent,
		.provider = name_in(record, 0),
		.device = name_in(record, 1),
		.executable = name_in(record, 2),
		.arguments = arguments_in(record),
		.rank = process_clean_name(trace_rank(record)),
		.time_start_ns = PROFILE_UNKNOWN,
		.time_end_ns = PROFILE_UNKNOWN,
		.end = PROFILE_NOWHERE,
	};
}

void process_release_description(struct profile_process *process)
{
	free(process->provider);
	free(process->device);
	free(process->executable);
	free(process->arguments);
	free(process->rank);
}

/* -- records -- */

bool process_is_live(const struct process *process, uint32_t object)
{
	return object && object <= process->object_count && !process->objects[object - 1].freed &&
	       object <= process->placed;
}

static int take_process(struct process *process, const struct trace_process *record,
			struct error *error)
{
	if (process->index != UINT32_MAX)
		return error_set(error, "a second process record");
	process->pid = record->process;
	process->run->role->start(process, record);
	process->event.process = process->index;
	return 0;
}

static int take_object(struct process *process, const struct trace_object *record,
		       struct error *error)
{
	if (contexts_expect("object", record->id, process->object_count, error) != 0)
		return -1;
	if (!record->context || record->context > process->contexts.count ||
	    record->size > PROFILE_NUMBER_MAX || record->memory < TRACE_MEMORY_DEVICE ||
	    record->memory > TRACE_MEMORY_ARRAY)
		return error_set(error, "object %u: its context, size or memory cannot be",
				 record->id);
	ARRAY_RESERVE(process->objects, process->object_count, process->object_capacity);
	process->objects[process->object_count++] = (struct process_object){
		.context = process->contexts.uses[record->context - 1].context,
		.profile = process->run->role->object(process, record),
	};
	return 0;
}

static uint64_t since_start(const struct process *process, uint64_t ns)
{
	uint64_t start = process->run->start_ns, since = ns > start ? ns - start : 0;

	return since > PROFILE_NUMBER_MAX ? PROFILE_NUMBER_MAX : since;
}

void process_set_event(struct process *process, const struct trace_event *event, uint32_t context,
		       bool extra)
{
	process->run->events += !extra;
	process->event = (struct build_event){
		.number = process->run->events,
		.call = ++process->run->calls,
		.extra = extra,
		.vertex = NO_VERTEX,
		.context = context,
		.process = process->index,
		.thread = event->thread,
		.device = event->device,
		.stream = event->stream,
		.range = contexts_range(&process->contexts, event->thread),
		.name = merge_context_name(process->run->merge, context),
		.invocation = event->invocation,
		.start_ns = since_start(process, event->start_ns),
		.end_ns = since_start(process, event->end_ns),
	};
}

/* The event is the allocation of the objects since the last one. */
static int place_objects(struct process *process, uint32_t context, struct error *error)
{
	for (; process->placed < process->object_count; process->placed++) {
		struct process_object *object = &process->objects[process->placed];

		if (object->context != context || process->run->role->place(process, object) != 0)
			return error_set(error, "object %u is not of the event after it",
					 process->placed + 1);
		if (object->profile != BUILD_NO_OBJECT)
			analyses_object(process->run->analyses, &process->event, object->profile);
	}
	return 0;
}

static int take_event(struct process *process, const struct trace_event *event, struct error *error)
{
	const struct process_role *role = process->run->role;
	struct context_use *use;

	if (!event->context || event->context > process->contexts.count)
		return error_set(error, "an event of context %u: expected 1 to %u", event->context,
				 process->contexts.count);
	if (event->start_ns > event->end_ns || event->invocation > PROFILE_NUMBER_MAX)
		return error_set(error,
				 "an event of context %u that ends before it starts, or of "
				 "an invocation that cannot be",
				 event->context);
	use = &process->contexts.uses[event->context - 1];
	/* an allocation may write what it allocates: its own rows know it as a writer */
	use->called = true;
	process->last_context = event->context;
	process->calls++;
	role->call(process, event, use->context);
	if (place_objects(process, use->context, error) != 0 ||
	    (role->rows && role->rows(process, event, error) != 0))
		return -1;
	analyses_event(process->run->analyses, &process->event, process->rows,
		       role->rows ? event->row_count : 0);
	return 0;
}

static int take_free(struct process *process, const struct trace_free *record, struct error *error)
{
	struct process_object *object;

	if (!process_is_live(process, record->object) || record->context != process->last_context)
		return error_set(error, "object %u is freed, but does not live or not by the event",
				 record->object);
	object = &process->objects[record->object - 1];
	object->freed = process->calls;
	if (process->run->role->freed)
		process->run->role->freed(process, object);
	if (process->matched && object->profile != BUILD_NO_OBJECT)
		analyses_freed(process->run->analyses, &process->event, object->profile);
	return 0;
}

/* Whether the graph has what the record is about: the call and the object, each if there is one. */
static bool is_joined(const struct process *process, const struct build_record *record,
		      const struct process_object *of)
{
	return (process->matched || (!record->of_call && !record->freed)) &&
	       (!of || of->profile != BUILD_NO_OBJECT);
}

/* `object`: its id in the trace, 0: none. */
static int take_record(struct process *process, uint32_t object, struct build_record *record,
		       struct error *error)
{
	const struct process_object *of = NULL;

	if (records_check(record, object, error) != 0 ||
	    records_resolve(&process->contexts, record, error) != 0)
		return -1;
	if (object && object <= process->placed)
		of = &process->objects[object - 1];
	record->freed = of && of->freed;
	if ((object && !of) || (record->freed && of->freed != process->calls))
		return error_set(error, "a record of object %u, which does not live", object);
	if (!is_joined(process, record, of)) {
		if (analyses_take(process->run->analyses, record->kind))
			join_drop_record(process->run->join);
		if (object || !record->of_call)
			return 0;
	}
	record->object = of ? of->profile : BUILD_NO_OBJECT;
	return analyses_record(process->run->analyses, &process->event, record, error);
}

static int take_fact(struct process *process, const struct trace_fact *fact, struct error *error)
{
	struct build_record record = {.kind = fact->kind,
				      .of_call = fact->context != 0,
				      .payload = fact->payload,
				      .size = fact->size};

	if (!records_know(fact->kind) && !analyses_know(process->run->analyses, fact->kind)) {
		process->unknown_records++;
		process->unknown_bytes += fact->size;
		return 0;
	}
	if (fact->context && fact->context != process->last_context)
		return error_set(error, "a record of context %u, which is not of the last event",
				 fact->context);
	return take_record(process, fact->object, &record, error);
}

/* The content of an object as traces had it before there were facts. */
static int take_content(struct process *process, const struct trace_content *content,
			struct error *error)
{
	_Alignas(8) struct gpu_content payload = {.zero = content->zero};
	struct build_record record = {
		.kind = GPU_RECORD_CONTENT, .payload = &payload, .size = sizeof(payload)};

	memcpy(payload.digest, content->digest, sizeof(payload.digest));
	return take_record(process, content->object, &record, error);
}

static int take_failed_call(struct process *process, const struct trace_failed_call *record,
			    struct error *error)
{
	const struct contexts *contexts = &process->contexts;

	if (record->frame > contexts->frame_count)
		return error_set(error, "a failed call of frame %u: expected 0 to %u",
				 record->frame, contexts->frame_count);
	if (!process->run->failed_calls)
		return 0;
	return failed_calls_take(process->run->failed_calls, record, process->index,
				 record->frame ? contexts->frames[record->frame - 1] : NO_FRAME,
				 error);
}

static int take(struct process *process, const struct trace_record *record, struct error *error)
{
	struct contexts *contexts = &process->contexts;

	if (process->index == UINT32_MAX && record->type != TRACE_PROCESS)
		return error_set(error, "expected the process record first");
	switch ((enum trace_type)record->type) {
	case TRACE_PROCESS:
		return take_process(process, (const struct trace_process *)record, error);
	case TRACE_MODULE:
		return contexts_take_module(contexts, (const struct trace_module *)record, error);
	case TRACE_PYTHON:
		return contexts_take_python(contexts, (const struct trace_python *)record, error);
	case TRACE_FRAME:
		return contexts_take_frame(contexts, (const struct trace_frame *)record, error);
	case TRACE_CONTEXT:
		return contexts_take(contexts, (const struct trace_context *)record, error);
	case TRACE_RANGE:
		return contexts_take_range(contexts, (const struct trace_range *)record, error);
	case TRACE_THREAD_RANGE:
		return contexts_take_thread_range(contexts,
						  (const struct trace_thread_range *)record, error);
	case TRACE_OBJECT:
		return take_object(process, (const struct trace_object *)record, error);
	case TRACE_EVENT:
		return take_event(process, (const struct trace_event *)record, error);
	case TRACE_FREE:
		return take_free(process, (const struct trace_free *)record, error);
	case TRACE_CONTENT:
		return take_content(process, (const struct trace_content *)record, error);
	case TRACE_FACT:
		return take_fact(process, (const struct trace_fact *)record, error);
	case TRACE_COVERAGE:
	case TRACE_COVERAGE_TEXTS:
		return coverage_take(process->coverage, (const struct trace_coverage *)record,
				     error);
	case TRACE_FAILED_CALL:
		return take_failed_call(process, (const struct trace_failed_call *)record, error);
	case TRACE_END:
		process->ended = true;
		process->end_ns = since_start(process, ((const struct trace_end *)record)->end_ns);
		return 0;
	}
	return 0;
}

/* All records up to the end, or to what cannot be.  0 or -1. */
static int take_all(struct process *process, struct trace_reader *reader, struct error *error)
{
	const struct trace_record *record;
	uint64_t offset = trace_reader_offset(reader);
	int result;

	while ((result = trace_next(reader, &record, error)) == 1) {
		if (take(process, record, error) != 0)
			return error_prefix(error, "damaged at offset %llu",
					    (unsigned long long)offset);
		offset = trace_reader_offset(reader);
	}
	return result;
}

/* Says in how far the trace is not whole.  `damage`: why not all could be read, or NULL. */
static void add_coverage(const struct process *process, struct error *damage)
{
	struct profile *profile = process->run->profile;
	const char *passes = process->run->passes;

	if (damage) {
		error_prefix(damage, "process %u: the trace is cut", process->pid);
		coverage_damaged(profile, passes, damage);
	} else if (process->index == UINT32_MAX) {
		coverage_say(profile, passes, COVERAGE_TRACE_EMPTY, NULL, 1, 0);
	} else if (!process->ended) {
		coverage_say(profile, passes, COVERAGE_TRACE_UNFINISHED, NULL, 1, 0);
	}
	if (process->unknown_records)
		coverage_say(profile, passes, COVERAGE_RECORDS_UNKNOWN, NULL,
			     process->unknown_records, process->unknown_bytes);
}

void process_read(struct run *run, struct trace_reader *reader)
{
	struct process process = {
		.run = run,
		.index = UINT32_MAX,
		.contexts = {.merge = run->merge},
		.coverage = coverage_new(),
		.matched = true,
		.end_ns = PROFILE_UNKNOWN,
		.event = {.number = run->events,
			  .call = run->calls,
			  .vertex = NO_VERTEX,
			  .name = ""},
	};
	struct error error;
	int result;

	process.start_ns = since_start(&process, trace_reader_header(reader)->start_ns);
	result = take_all(&process, reader, &error);
	run->role->end(&process);
	add_coverage(&process, result == 0 ? NULL : &error);
	if (process.index != UINT32_MAX) {
		analyses_lifetime(run->analyses, process.index, process.start_ns, process.end_ns);
		analyses_process_end(run->analyses, &process.event);
	}
	coverage_free(process.coverage, run->profile, run->passes);
	contexts_release(&process.contexts);
	free(process.objects);
	free(process.rows);
}
