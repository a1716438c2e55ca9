/*
 * graph/build/build.c: reads the traces of a run, one process after the other.
 *
 * The reader has checked the form of each record; here it is checked that they make sense
 * together.  What does not ends the trace at that offset, like a cut.
 */
#include "graph/build/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collect/trace.h"
#include "graph/build/analyses.h"
#include "graph/build/coverage.h"
#include "graph/build/merge.h"
#include "graph/build/sources.h"
#include "util/memory.h"
#include "util/text.h"

#define NAME_LIMIT 4096
#define TEXT_LIMIT (64 << 10) /* of a command line */
#define FRAME_DEPTH_MAX 2048  /* the guest records 1024 */
#define NANOSECONDS UINT64_C(1000000000)

struct object {
	uint32_t context; /* of the allocation, as number of the merge */
	uint32_t profile; /* index into profile->objects */
	uint64_t freed;   /* number of the event that freed it; 0: none has */
};

/* One process; ids in the trace are indices here, less 1. */
struct process {
	struct profile *profile;
	struct merge *merge;
	struct analyses *analyses;
	uint32_t index; /* in profile->processes; UINT32_MAX: not yet */
	uint64_t run_start_ns;
	uint32_t *modules, module_count, module_capacity;
	uint32_t *frames, *depths, frame_count, frame_capacity, depth_capacity;
	uint32_t *contexts, context_count, context_capacity;
	bool *seen; /* by context: it had an event in this process */
	uint32_t seen_capacity;
	struct object *objects;
	uint32_t object_count, object_capacity;
	uint32_t placed; /* objects before it know their time */
	struct coverage *coverage;
	struct build_event event; /* the last one */
	uint32_t last_context;    /* its id; 0: no event yet */
	struct build_row *rows;   /* of an event */
	uint32_t row_capacity;
	uint64_t unknown_records, unknown_bytes;
};

static int take_process(struct process *process, const struct trace_process *record,
			struct error *error)
{
	const struct trace_record *head = &record->record;
	struct profile_process *to;
	char *arguments = NULL;
	size_t size = 0;
	FILE *out;

	if (process->index != UINT32_MAX)
		return error_set(error, "a second process record");
	process->index = process->event.process = process->profile->process_count;
	ARRAY_RESERVE(process->profile->processes, process->profile->process_count,
		      process->profile->process_capacity);
	to = &process->profile->processes[process->profile->process_count++];
	out = open_memstream(&arguments, &size);
	if (!out)
		return error_set(error, "no memory");
	for (const char *text = trace_text(head, record->text, 3); text && *text;) {
		fprintf(out, "%s%s", ftell(out) ? " " : "", text);
		text += strlen(text) + 1;
		if (text >= (const char *)head + head->size)
			break;
	}
	fclose(out);
	*to = (struct profile_process){
		.pid = record->process,
		.parent = record->parent,
		.provider = text_clean(record->text, strlen(record->text), NAME_LIMIT),
		.arguments = text_clean(arguments, size, TEXT_LIMIT),
	};
	for (unsigned i = 1; i <= 2; i++) {
		const char *text = trace_text(head, record->text, i);

		*(i == 1 ? &to->device : &to->executable) =
			text_clean(text, strlen(text), NAME_LIMIT);
	}
	free(arguments);
	if (!process->profile->date ||
	    record->start_realtime_ns / NANOSECONDS < process->profile->date)
		process->profile->date = record->start_realtime_ns / NANOSECONDS;
	return 0;
}

static int expect_next(const char *what, uint32_t id, uint32_t count, struct error *error)
{
	if (id == count + 1 && id)
		return 0;
	return error_set(error, "%s %u: expected %u", what, id, count + 1);
}

static int take_module(struct process *process, const struct trace_module *record,
		       struct error *error)
{
	if (expect_next("module", record->id, process->module_count, error) != 0)
		return -1;
	ARRAY_RESERVE(process->modules, process->module_count, process->module_capacity);
	process->modules[process->module_count++] =
		merge_module(process->merge, record->text, record->build_id, record->build_id_size);
	return 0;
}

static int take_frame(struct process *process, const struct trace_frame *record,
		      struct error *error)
{
	uint32_t parent = record->parent ? record->parent - 1 : NO_FRAME;
	uint32_t depth;

	if (expect_next("frame", record->id, process->frame_count, error) != 0)
		return -1;
	if (record->parent >= record->id || !record->module ||
	    record->module > process->module_count || record->kind != TRACE_FRAME_NATIVE ||
	    record->offset > PROFILE_NUMBER_MAX)
		return error_set(error, "frame %u: its parent, module, kind or offset cannot be",
				 record->id);
	depth = record->parent ? process->depths[parent] + 1 : 1;
	if (depth > FRAME_DEPTH_MAX)
		return error_set(error, "frame %u: deeper than %d", record->id, FRAME_DEPTH_MAX);
	ARRAY_RESERVE(process->depths, process->frame_count, process->depth_capacity);
	process->depths[process->frame_count] = depth;
	ARRAY_RESERVE(process->frames, process->frame_count, process->frame_capacity);
	process->frames[process->frame_count++] =
		merge_frame(process->merge, record->parent ? process->frames[parent] : NO_FRAME,
			    process->modules[record->module - 1], record->offset);
	return 0;
}

static int take_context(struct process *process, const struct trace_context *record,
			struct error *error)
{
	if (expect_next("context", record->id, process->context_count, error) != 0)
		return -1;
	if (record->frame > process->frame_count || record->kind < TRACE_ALLOC ||
	    record->kind > TRACE_SYNC || record->id == TRACE_WRITER_UNKNOWN)
		return error_set(error, "context %u: its frame or kind cannot be", record->id);
	ARRAY_RESERVE(process->seen, process->context_count, process->seen_capacity);
	process->seen[process->context_count] = false;
	ARRAY_RESERVE(process->contexts, process->context_count, process->context_capacity);
	process->contexts[process->context_count++] =
		merge_context(process->merge, (enum trace_kind)record->kind, record->text,
			      record->frame ? process->frames[record->frame - 1] : NO_FRAME);
	return 0;
}

static int take_object(struct process *process, const struct trace_object *record,
		       struct error *error)
{
	struct profile *profile = process->profile;

	if (expect_next("object", record->id, process->object_count, error) != 0)
		return -1;
	if (!record->context || record->context > process->context_count ||
	    record->size > PROFILE_NUMBER_MAX || record->memory < TRACE_MEMORY_DEVICE ||
	    record->memory > TRACE_MEMORY_ARRAY)
		return error_set(error, "object %u: its context, size or memory cannot be",
				 record->id);
	ARRAY_RESERVE(process->objects, process->object_count, process->object_capacity);
	process->objects[process->object_count++] = (struct object){
		.context = process->contexts[record->context - 1],
		.profile = profile->object_count,
	};
	ARRAY_RESERVE(profile->objects, profile->object_count, profile->object_capacity);
	profile->objects[profile->object_count++] = (struct profile_object){
		.process = process->index,
		.size = record->size,
		.address = record->address,
		.memory = record->memory,
		.name = *record->text ? text_clean(record->text, strlen(record->text), NAME_LIMIT)
				      : NULL,
	};
	return 0;
}

static bool is_live(const struct process *process, uint32_t object)
{
	return object && object <= process->object_count && !process->objects[object - 1].freed &&
	       object <= process->placed;
}

/* Bits of the metrics that rows of this access have. */
static uint32_t metrics_of(enum trace_access access)
{
	uint32_t metrics = 0;

#define ROW_METRIC(member, FLAG, of)                                                               \
	metrics |= access == TRACE_##of ? UINT32_C(1) << TRACE_METRIC_##FLAG : 0;
#include "gpu/rows.def"
	return metrics;
}

/* None is more than the row's bytes, and none is of another access. */
static bool metrics_hold(const struct trace_row *row)
{
	const struct {
		enum trace_access access;
		uint64_t bytes;
	} metrics[] = {
#define ROW_METRIC(member, FLAG, access) {TRACE_##access, row->member},
#include "gpu/rows.def"
	};

	for (size_t i = 0; i < TRACE_METRICS; i++)
		if (metrics[i].bytes > (row->access == metrics[i].access ? row->bytes : 0))
			return false;
	return true;
}

static int check_row(const struct process *process, const struct trace_row *row,
		     struct error *error)
{
	bool host = row->access == TRACE_FROM_HOST || row->access == TRACE_TO_HOST;

	if (!is_live(process, row->object))
		return error_set(error, "a row of object %u, which does not live", row->object);
	if (row->access < TRACE_READ || row->access > TRACE_TO_HOST)
		return error_set(error, "access %u: expected 1 to 4", row->access);
	if (row->bytes > process->profile->objects[process->objects[row->object - 1].profile].size)
		return error_set(error, "a row with more bytes than object %u has", row->object);
	if (!metrics_hold(row))
		return error_set(error,
				 "a row of object %u with a metric that is larger than its bytes, "
				 "or that its access does not have",
				 row->object);
	if (host || row->writer == TRACE_WRITER_HOST || row->writer == TRACE_WRITER_UNKNOWN)
		return 0;
	if (row->writer > process->context_count || !process->seen[row->writer - 1] ||
	    merge_vertex(process->merge, process->contexts[row->writer - 1]) == NO_VERTEX)
		return error_set(error, "writer %u, which never wrote", row->writer);
	return 0;
}

/* The vertex that the row's bytes come from; `writer` as in the trace. */
static uint32_t writer_of(const struct process *process, enum trace_access access, uint32_t writer)
{
	if (access == TRACE_TO_HOST)
		return process->event.vertex;
	if (access == TRACE_FROM_HOST || writer == TRACE_WRITER_HOST)
		return merge_host(process->merge);
	if (writer == TRACE_WRITER_UNKNOWN)
		return merge_unknown(process->merge);
	return merge_vertex(process->merge, process->contexts[writer - 1]);
}

static int read_rows(struct process *process, const struct trace_event *event, struct error *error)
{
	if (process->row_capacity < event->row_count) {
		process->row_capacity = event->row_count;
		free(process->rows);
		process->rows = xcalloc(process->row_capacity, sizeof(*process->rows));
	}
	for (uint32_t i = 0; i < event->row_count; i++) {
		struct trace_row row;
		uint32_t metrics = trace_row(event, i, &row);

		if (check_row(process, &row, error) != 0)
			return -1;
		process->rows[i] = (struct build_row){
			.object = process->objects[row.object - 1].profile,
			.writer = row.writer,
			.access = (enum trace_access)row.access,
			.metrics = metrics & metrics_of((enum trace_access)row.access),
			.bytes = row.bytes,
#define ROW_METRIC(member, FLAG, of) .member = row.member,
#include "gpu/rows.def"
		};
	}
	/* of good rows only: it may make the unknown vertex */
	for (uint32_t i = 0; i < event->row_count; i++)
		process->rows[i].writer =
			writer_of(process, process->rows[i].access, process->rows[i].writer);
	return 0;
}

static uint64_t since_start(const struct process *process, uint64_t ns)
{
	uint64_t since = ns > process->run_start_ns ? ns - process->run_start_ns : 0;

	return since > PROFILE_NUMBER_MAX ? PROFILE_NUMBER_MAX : since;
}

/* The event is the allocation of the objects since the last one. */
static int place_objects(struct process *process, struct error *error)
{
	const struct build_event *event = &process->event;

	for (; process->placed < process->object_count; process->placed++) {
		const struct object *object = &process->objects[process->placed];
		struct profile_object *to = &process->profile->objects[object->profile];

		if (object->context != process->contexts[process->last_context - 1] ||
		    event->vertex == NO_VERTEX)
			return error_set(error, "object %u is not of the event after it",
					 process->placed + 1);
		to->site = event->vertex;
		to->start_ns = event->end_ns;
		merge_object_size(process->merge, event->vertex, to->size);
		analyses_object(process->analyses, event, object->profile);
	}
	return 0;
}

static void begin_event(struct process *process, const struct trace_event *event)
{
	uint32_t context = process->contexts[event->context - 1];

	/* an allocation may write what it allocates: its own rows know it as a writer */
	process->seen[event->context - 1] = true;
	process->last_context = event->context;
	process->event = (struct build_event){
		.number = process->event.number + 1,
		.process = process->index,
		.thread = event->thread,
		.device = event->device,
		.stream = event->stream,
		.name = merge_context_name(process->merge, context),
		.invocation = event->invocation,
		.start_ns = since_start(process, event->start_ns),
		.end_ns = since_start(process, event->end_ns),
	};
	process->event.vertex = merge_invoke(process->merge, context,
					     process->event.end_ns - process->event.start_ns);
	process->profile->event_count++;
}

static int take_event(struct process *process, const struct trace_event *event, struct error *error)
{
	if (!event->context || event->context > process->context_count)
		return error_set(error, "an event of context %u: expected 1 to %u", event->context,
				 process->context_count);
	if (event->start_ns > event->end_ns || event->invocation > PROFILE_NUMBER_MAX)
		return error_set(error,
				 "an event of context %u that ends before it starts, or of "
				 "an invocation that cannot be",
				 event->context);
	begin_event(process, event);
	if (place_objects(process, error) != 0)
		return -1;
	if (event->row_count && process->event.vertex == NO_VERTEX)
		return error_set(error, "an event with rows that touches no memory");
	if (read_rows(process, event, error) != 0)
		return -1;
	for (uint32_t i = 0; i < event->row_count; i++)
		merge_flow(process->merge, &process->event, &process->rows[i]);
	analyses_event(process->analyses, &process->event, process->rows, event->row_count);
	return 0;
}

static int take_free(struct process *process, const struct trace_free *record, struct error *error)
{
	struct object *object;

	if (!is_live(process, record->object) || record->context != process->last_context)
		return error_set(error, "object %u is freed, but does not live or not by the event",
				 record->object);
	object = &process->objects[record->object - 1];
	object->freed = process->event.number;
	/* 0 means never */
	process->profile->objects[object->profile].end_ns =
		process->event.end_ns ? process->event.end_ns : 1;
	analyses_freed(process->analyses, &process->event, object->profile);
	return 0;
}

/* `object`: its id in the trace, 0: none. */
static int take_record(struct process *process, uint32_t object, struct build_record *record,
		       struct error *error)
{
	const struct object *of = NULL;

	if (object && object <= process->placed)
		of = &process->objects[object - 1];
	record->freed = of && of->freed;
	if ((object && !of) || (record->freed && of->freed != process->event.number))
		return error_set(error, "a record of object %u, which does not live", object);
	record->object = of ? of->profile : BUILD_NO_OBJECT;
	return analyses_record(process->analyses, &process->event, record, error);
}

static int take_fact(struct process *process, const struct trace_fact *fact, struct error *error)
{
	struct build_record record = {.kind = fact->kind,
				      .of_call = fact->context != 0,
				      .payload = fact->payload,
				      .size = fact->size};

	if (!analyses_know(process->analyses, fact->kind)) {
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

static int take(struct process *process, const struct trace_record *record, struct error *error)
{
	if (process->index == UINT32_MAX && record->type != TRACE_PROCESS)
		return error_set(error, "expected the process record first");
	switch ((enum trace_type)record->type) {
	case TRACE_PROCESS:
		return take_process(process, (const struct trace_process *)record, error);
	case TRACE_MODULE:
		return take_module(process, (const struct trace_module *)record, error);
	case TRACE_FRAME:
		return take_frame(process, (const struct trace_frame *)record, error);
	case TRACE_CONTEXT:
		return take_context(process, (const struct trace_context *)record, error);
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
	case TRACE_END:
		process->profile->processes[process->index].ended = true;
		return 0;
	}
	return 0;
}

/* -- one trace -- */

/* Objects whose allocation the trace does not have are no objects: they have no site. */
static void drop_unplaced(struct process *process)
{
	while (process->object_count > process->placed) {
		struct profile *profile = process->profile;

		process->object_count--;
		profile->object_count--;
		free(profile->objects[profile->object_count].name);
	}
}

static void free_process(struct process *process)
{
	coverage_free(process->coverage, process->profile);
	free(process->modules);
	free(process->frames);
	free(process->depths);
	free(process->contexts);
	free(process->seen);
	free(process->objects);
	free(process->rows);
}

static void read_trace(struct profile *profile, struct merge *merge, struct analyses *analyses,
		       struct trace_reader *reader, uint64_t run_start_ns)
{
	struct process process = {
		.profile = profile,
		.merge = merge,
		.analyses = analyses,
		.coverage = coverage_new(),
		.index = UINT32_MAX,
		.run_start_ns = run_start_ns,
		.event = {.number = profile->event_count, .vertex = NO_VERTEX, .name = ""},
	};
	const struct trace_record *record;
	struct error error;
	uint64_t offset = trace_reader_offset(reader);
	unsigned pid;
	int result;

	while ((result = trace_next(reader, &record, &error)) == 1) {
		result = take(&process, record, &error);
		if (result != 0) {
			error_prefix(&error, "damaged at offset %llu", (unsigned long long)offset);
			break;
		}
		offset = trace_reader_offset(reader);
	}
	drop_unplaced(&process);
	pid = process.index == UINT32_MAX ? 0 : profile->processes[process.index].pid;
	if (result != 0) {
		error_prefix(&error, "process %u: the trace is cut", pid);
		coverage_damaged(profile, &error);
	} else if (process.index == UINT32_MAX) {
		profile_add_coverage(profile, COVERAGE_TRACE_EMPTY, NULL, 1, 0);
	} else if (!profile->processes[process.index].ended) {
		profile_add_coverage(profile, COVERAGE_TRACE_UNFINISHED, NULL, 1, 0);
	}
	if (process.unknown_records)
		profile_add_coverage(profile, COVERAGE_RECORDS_UNKNOWN, NULL,
				     process.unknown_records, process.unknown_bytes);
	if (process.index != UINT32_MAX)
		analyses_process_end(analyses, &process.event);
	free_process(&process);
}

/* -- the folder -- */

struct profile *build_profile(const char *trace_folder, struct error *error)
{
	return build_profile_with(trace_folder, build_analyses, error);
}

struct profile *build_profile_with(const char *trace_folder,
				   const struct build_analysis *const *table, struct error *error)
{
	struct profile *profile = profile_new();
	struct build_source *sources;
	struct analyses *analyses;
	struct merge *merge;
	uint32_t count;

	if (build_find_sources(trace_folder, profile, &sources, &count, error) != 0) {
		profile_free(profile);
		return NULL;
	}
	merge = merge_new(profile);
	analyses = analyses_begin(table, profile);
	for (uint32_t i = 0; i < count; i++) {
		struct error reason;
		struct trace_reader *reader = trace_open(sources[i].path, &reason);

		if (reader)
			read_trace(profile, merge, analyses, reader, sources[0].start_ns);
		else
			coverage_damaged(profile, &reason);
		trace_reader_close(reader);
		free(sources[i].path);
	}
	free(sources);
	merge_finish(merge);
	analyses_end(analyses);
	merge_free(merge);
	profile->command = xstrdup(profile->process_count ? profile->processes[0].arguments : "");
	return profile;
}
