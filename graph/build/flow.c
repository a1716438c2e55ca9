/* graph/build/flow.c: see build/flow.h. */
#include "graph/build/flow.h"

#include <stdlib.h>

#include "util/memory.h"

#define NANOSECONDS UINT64_C(1000000000)

static void start(struct process *process, const struct trace_process *record)
{
	struct profile *profile = process->run->profile;
	uint64_t date = record->start_realtime_ns / NANOSECONDS;

	process->index = profile->process_count;
	ARRAY_RESERVE(profile->processes, profile->process_count, profile->process_capacity);
	process_describe(record, &profile->processes[profile->process_count++]);
	if (!profile->date || date < profile->date)
		profile->date = date;
}

/* -- objects -- */

static uint32_t add_object(struct process *process, const struct trace_object *record)
{
	struct profile *profile = process->run->profile;

	ARRAY_RESERVE(profile->objects, profile->object_count, profile->object_capacity);
	profile->objects[profile->object_count] = (struct profile_object){
		.process = process->index,
		.size = record->size,
		.address = record->address,
		.memory = record->memory,
		.device = record->device,
		.name = *record->text ? process_clean_name(record->text) : NULL,
	};
	return profile->object_count++;
}

static int place_object(struct process *process, struct process_object *object)
{
	const struct build_event *event = &process->event;
	struct profile_object *to = &process->run->profile->objects[object->profile];

	if (event->vertex == NO_VERTEX)
		return -1;
	to->site = event->vertex;
	to->start_ns = event->end_ns;
	merge_object_size(process->run->merge, event->vertex, to->size);
	return 0;
}

static void free_object(struct process *process, const struct process_object *object)
{
	uint64_t ns = process->event.end_ns;

	/* 0 means never */
	process->run->profile->objects[object->profile].end_ns = ns ? ns : 1;
}

/* -- rows -- */

enum { /* the accesses of a metric */
       OF_READ = 1 << TRACE_READ,
       OF_WRITE = 1 << TRACE_WRITE,
       OF_BOTH = OF_READ | OF_WRITE
};

/* Bits of the metrics that rows of this access have. */
static uint32_t metrics_of(enum trace_access access)
{
	uint32_t metrics = 0;

#define ROW_METRIC(member, FLAG, of, aggregate)                                                    \
	metrics |= (uint32_t)(OF_##of >> access & 1) << TRACE_METRIC_##FLAG;
#include "gpu/rows.def"
	return metrics;
}

/* Whether each metric can be so in an object of this size; none is of another access. */
static bool metrics_hold(const struct trace_row *row, uint32_t there, uint64_t size)
{
	const uint64_t SUM = size, MIN = size ? (size - 1) / GPU_ROW_BLOCK : 0, MAX = MIN;
	bool hold = true;

#define EDGE_METRIC(member, FLAG, of)                                                              \
	hold &= row->member <= (OF_##of >> row->access & 1 ? row->bytes : 0);
#define ROW_METRIC(member, FLAG, of, aggregate)                                                    \
	hold &= row->member <= (OF_##of >> row->access & 1 ? aggregate : 0);
#include "gpu/rows.def"
	return hold &&
	       (!(there >> TRACE_METRIC_LAST_BLOCK & 1) || row->first_block <= row->last_block);
}

/* `metrics`: bits of those that the row has. */
static int check_row(const struct process *process, const struct trace_row *row, uint32_t metrics,
		     struct error *error)
{
	const struct contexts *contexts = &process->contexts;
	bool host = row->access == TRACE_FROM_HOST || row->access == TRACE_TO_HOST;
	uint64_t size;

	if (!process_is_live(process, row->object))
		return error_set(error, "a row of object %u, which does not live", row->object);
	if (row->access < TRACE_READ || row->access > TRACE_TO_HOST)
		return error_set(error, "access %u: expected 1 to 4", row->access);
	size = process->run->profile->objects[process->objects[row->object - 1].profile].size;
	if (row->bytes > size)
		return error_set(error, "a row with more bytes than object %u has", row->object);
	if (!metrics_hold(row, metrics, size))
		return error_set(error,
				 "a row of object %u with a metric that is larger than its bytes "
				 "or its object, or that its access does not have",
				 row->object);
	if (host || row->writer == TRACE_WRITER_HOST || row->writer == TRACE_WRITER_UNKNOWN)
		return 0;
	if (row->writer > contexts->count || !contexts->uses[row->writer - 1].called ||
	    merge_vertex(process->run->merge, contexts->uses[row->writer - 1].context) == NO_VERTEX)
		return error_set(error, "writer %u, which never wrote", row->writer);
	return 0;
}

/* The vertex that the row's bytes come from; `writer` as in the trace. */
static uint32_t writer_of(const struct process *process, enum trace_access access, uint32_t writer)
{
	struct merge *merge = process->run->merge;

	if (access == TRACE_TO_HOST)
		return process->event.vertex;
	if (access == TRACE_FROM_HOST || writer == TRACE_WRITER_HOST)
		return merge_host(merge);
	if (writer == TRACE_WRITER_UNKNOWN)
		return merge_unknown(merge);
	return merge_vertex(merge, process->contexts.uses[writer - 1].context);
}

static int read_rows(struct process *process, const struct trace_event *event, struct error *error)
{
	size_t at = 0;

	if (process->row_capacity < event->row_count) {
		process->row_capacity = event->row_count;
		free(process->rows);
		process->rows = xcalloc(process->row_capacity, sizeof(*process->rows));
	}
	for (uint32_t i = 0; i < event->row_count; i++) {
		struct trace_row row;
		uint32_t metrics = trace_row(event, &at, &row);

		if (check_row(process, &row, metrics, error) != 0)
			return -1;
		process->rows[i] = (struct build_row){
			.object = process->objects[row.object - 1].profile,
			.writer = row.writer,
			.access = (enum trace_access)row.access,
			.metrics = metrics & metrics_of((enum trace_access)row.access),
			.bytes = row.bytes,
#define ROW_METRIC(member, FLAG, of, aggregate) .member = row.member,
#include "gpu/rows.def"
		};
	}
	/* of good rows only: it may make the unknown vertex */
	for (uint32_t i = 0; i < event->row_count; i++)
		process->rows[i].writer =
			writer_of(process, process->rows[i].access, process->rows[i].writer);
	return 0;
}

static int take_rows(struct process *process, const struct trace_event *event, struct error *error)
{
	if (event->row_count && process->event.vertex == NO_VERTEX)
		return error_set(error, "an event with rows that touches no memory");
	if (read_rows(process, event, error) != 0)
		return -1;
	for (uint32_t i = 0; i < event->row_count; i++)
		merge_flow(process->run->merge, &process->event, &process->rows[i]);
	return 0;
}

/* -- calls, and the end -- */

static void take_call(struct process *process, const struct trace_event *event, uint32_t context)
{
	struct build_event *to = &process->event;

	process_set_event(process, event, context, false);
	to->vertex = merge_invoke(process->run->merge, context, to->end_ns - to->start_ns);
	process->run->profile->event_count++;
	if (process->run->join)
		join_count_call(process->run->join, context);
}

/* Objects whose allocation the trace does not have are no objects: they have no site. */
static void drop_unplaced(struct process *process)
{
	struct profile *profile = process->run->profile;

	for (uint32_t left = process->object_count - process->placed; left; left--)
		free(profile->objects[--profile->object_count].name);
}

static void end(struct process *process)
{
	drop_unplaced(process);
	if (process->index == UINT32_MAX)
		return;
	process->run->profile->processes[process->index].ended = process->ended;
	if (process->run->join)
		join_keep_process(process->run->join, process->index);
}

const struct process_role flow_role = {
	.start = start,
	.object = add_object,
	.call = take_call,
	.place = place_object,
	.rows = take_rows,
	.freed = free_object,
	.end = end,
};
