/*
 * graph/build/analysis/writes.c: the analysis that looks at what each invocation wrote by itself:
 * whether it changed anything, whether it was the first one to write to the object, and whether it
 * had read anything new.
 *
 * Memory that the host can write unseen is never unchanged: it may have been changed in between.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include "graph/build/live.h"
#include "graph/profile/table.h"
#include "util/memory.h"
#include "util/pair_map.h"

struct writer { /* a vertex that has written to an object */
	struct live_part live;
	uint32_t row; /* of profile->writes, + 1; 0: it is not one yet */
};

struct object {
	struct live_object live;
	uint64_t version; /* another one after each change */
	bool zero;        /* all of it, as far as is known */
	/* by the event of this number */
	uint64_t event;
	uint64_t written, unchanged;
	bool read;
};

struct input { /* of a vertex's last invocation: a sum over the versions of what it read */
	uint64_t sum;
	uint32_t process; /* where that was, + 1 */
};

struct writes {
	struct profile *profile;
	struct live live;     /* of the process */
	struct input *inputs; /* by vertex */
	uint32_t input_count;
	struct pair_map rows; /* of profile->writes, by vertex and site */
	uint64_t versions;
	struct object **touched; /* by the last event */
	uint32_t touched_count, touched_capacity;
	uint32_t vertex; /* of the last event */
};

static void *begin(struct profile *profile)
{
	struct writes *writes = xcalloc(1, sizeof(*writes));

	writes->profile = profile;
	writes->live = (struct live){.object_size = sizeof(struct object),
				     .part_size = sizeof(struct writer)};
	writes->vertex = PROFILE_NO_VERTEX;
	return writes;
}

/* Index of the row of the vertex and the object's site. */
static uint32_t find_row(struct writes *writes, uint32_t vertex, uint32_t object)
{
	return table_find_row(&profile_table_write, writes->profile, &writes->rows, vertex,
			      writes->profile->objects[object].site);
}

static struct object *object_of(struct writes *writes, uint32_t index)
{
	struct object *object = live_object(&writes->live, index);

	if (!object->version)
		object->version = ++writes->versions;
	return object;
}

/* Sums up what the event did to each object. */
static void gather(struct writes *writes, const struct build_event *event,
		   const struct build_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct object *object;

		if (rows[i].access != TRACE_READ && rows[i].access != TRACE_WRITE)
			continue;
		object = object_of(writes, rows[i].object);
		if (object->event != event->number) {
			object->event = event->number;
			object->written = object->unchanged = 0;
			object->read = false;
			ARRAY_RESERVE(writes->touched, writes->touched_count,
				      writes->touched_capacity);
			writes->touched[writes->touched_count++] = object;
		}
		if (rows[i].access == TRACE_READ) {
			object->read = true;
		} else {
			object->written += rows[i].bytes;
			object->unchanged += build_row_unchanged(&rows[i]);
		}
	}
}

static struct input *input_of(struct writes *writes, uint32_t vertex)
{
	if (vertex >= writes->input_count) {
		uint32_t count = 2 * vertex + 64;

		writes->inputs = xreallocarray(writes->inputs, count, sizeof(*writes->inputs));
		for (uint32_t v = writes->input_count; v < count; v++)
			writes->inputs[v] = (struct input){0};
		writes->input_count = count;
	}
	return &writes->inputs[vertex];
}

/* Whether the vertex has read the same objects with the same content as the time before. */
static bool reads_again(struct writes *writes, const struct build_event *event)
{
	struct input *input = input_of(writes, event->vertex);
	uint64_t sum = 0;
	bool again;

	for (uint32_t i = 0; i < writes->touched_count; i++) {
		const struct object *object = writes->touched[i];
		uint64_t mixed = (object->version ^ (uint64_t)object->live.index << 40) *
				 UINT64_C(0x9e3779b97f4a7c15);

		sum += object->read ? mixed ^ mixed >> 29 : 0;
	}
	again = input->process == event->process + 1 && input->sum == sum;
	*input = (struct input){sum, event->process + 1};
	return again;
}

static bool host_writes(const struct profile_object *object)
{
	return object->memory == TRACE_MEMORY_MANAGED || object->memory == TRACE_MEMORY_MAPPED_HOST;
}

static void add_write(struct writes *writes, uint32_t vertex, struct object *object,
		      bool same_input)
{
	bool comparable = !host_writes(&writes->profile->objects[object->live.index]);
	bool unchanged = comparable && object->unchanged == object->written;
	struct writer *writer = live_part(&writes->live, object, vertex);
	struct profile_write *row;
	bool first = !writer->row;

	if (first)
		writer->row = find_row(writes, vertex, object->live.index) + 1;
	row = &writes->profile->writes[writer->row - 1];
	row->writes++;
	profile_add(&row->bytes, object->written);
	if (comparable)
		profile_add(&row->unchanged_bytes, object->unchanged);
	if (unchanged) {
		row->unchanged_writes++;
		profile_add(&row->unchanged_writes_bytes, object->written);
		row->unchanged_first += first;
		row->same_input += same_input;
	} else {
		row->changed_later += !first;
		object->version = ++writes->versions;
	}
}

/* The last event's records have come. */
static void settle(struct writes *writes)
{
	for (uint32_t i = 0; i < writes->touched_count; i++) {
		const struct object *object = writes->touched[i];
		uint32_t row;

		if (!object->zero || !object->written ||
		    object->written != writes->profile->objects[object->live.index].size)
			continue;
		row = find_row(writes, writes->vertex, object->live.index);
		writes->profile->writes[row].zero_writes++;
	}
	writes->touched_count = 0;
}

static void take(void *state, const struct build_event *event, const struct build_row *rows,
		 uint32_t count)
{
	struct writes *writes = state;
	bool again;

	settle(writes);
	writes->vertex = event->vertex;
	if (event->vertex == PROFILE_NO_VERTEX)
		return;
	gather(writes, event, rows, count);
	again = reads_again(writes, event);
	for (uint32_t i = 0; i < writes->touched_count; i++)
		if (writes->touched[i]->written)
			add_write(writes, event->vertex, writes->touched[i], again);
}

static int take_content(void *state, const struct build_event *event,
			const struct build_record *record, struct error *error)
{
	struct writes *writes = state;
	struct object *object;

	(void)event;
	(void)error;
	if (record->freed)
		return 0;
	object = object_of(writes, record->object);
	object->zero = ((const struct gpu_content *)record->payload)->zero;
	/* what has changed it may have had no rows */
	object->version = ++writes->versions;
	return 0;
}

static void freed(void *state, const struct build_event *event, uint32_t index)
{
	struct writes *writes = state;
	struct object *object;

	(void)event;
	settle(writes);
	object = live_find(&writes->live, index);
	if (object)
		live_drop(&writes->live, object);
}

static void process_end(void *state, const struct build_event *last)
{
	struct writes *writes = state;
	struct object *object;

	(void)last;
	settle(writes);
	while ((object = live_any(&writes->live)))
		live_drop(&writes->live, object);
}

static void end(void *state)
{
	struct writes *writes = state;

	live_release(&writes->live);
	pair_map_release(&writes->rows);
	free(writes->inputs);
	free(writes->touched);
	free(writes);
}

const struct build_analysis build_writes = {
	.name = "writes",
	.kinds = (const uint32_t[]){GPU_RECORD_CONTENT, 0},
	.begin = begin,
	.event = take,
	.freed = freed,
	.record = take_content,
	.process_end = process_end,
	.end = end,
};
