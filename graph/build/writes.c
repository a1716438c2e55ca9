/*
 * graph/build/writes.c: the analysis that looks at what each invocation wrote by itself: whether it
 * changed anything, whether it was the first one to write to the object, and whether it had
 * read anything new.
 *
 * Memory that the host can write unseen is never unchanged: it may have been changed in between.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include <uthash.h>

#include "graph/build/pair.h"
#include "util/memory.h"

struct writer { /* a vertex that has written to an object */
	struct build_pair key;
	struct writer *next; /* of the object */
	UT_hash_handle hh;
};

struct object {
	uint32_t index;
	uint64_t version; /* another one after each change */
	bool zero;        /* all of it, as far as is known */
	struct writer *writers;
	/* by the event of this number */
	uint64_t event;
	uint64_t written, unchanged;
	bool read;
	UT_hash_handle hh;
};

struct input { /* of a vertex's last invocation: a sum over the versions of what it read */
	uint32_t vertex;
	uint64_t sum;
	UT_hash_handle hh;
};

struct writes {
	struct profile *profile;
	struct object *objects;
	struct writer *writers;
	struct input *inputs;
	struct build_pair_index *rows; /* of profile->writes */
	uint64_t versions;
	struct object **touched; /* by the last event */
	uint32_t touched_count, touched_capacity;
	uint32_t vertex; /* of the last event */
};

static void *begin(struct profile *profile)
{
	struct writes *writes = xcalloc(1, sizeof(*writes));

	writes->profile = profile;
	writes->vertex = PROFILE_NO_VERTEX;
	return writes;
}

/* The row of the vertex and the object's site. */
static struct profile_write *row_of(struct writes *writes, uint32_t vertex, uint32_t object)
{
	struct profile *profile = writes->profile;
	uint32_t site = profile->objects[object].site, index;

	if (build_pair_find(&writes->rows, vertex, site, profile->write_count, &index))
		return &profile->writes[index];
	ARRAY_RESERVE(profile->writes, profile->write_count, profile->write_capacity);
	profile->writes[profile->write_count] =
		(struct profile_write){.vertex = vertex, .site = site};
	return &profile->writes[profile->write_count++];
}

static struct object *object_of(struct writes *writes, uint32_t index)
{
	struct object *object;

	HASH_FIND(hh, writes->objects, &index, sizeof(index), object);
	if (object)
		return object;
	object = xcalloc(1, sizeof(*object));
	object->index = index;
	object->version = ++writes->versions;
	HASH_ADD(hh, writes->objects, index, sizeof(object->index), object);
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

/* Whether the vertex has read the same objects with the same content as the time before. */
static bool reads_again(struct writes *writes, uint32_t vertex)
{
	struct input *input;
	uint64_t sum = 0;
	bool again;

	for (uint32_t i = 0; i < writes->touched_count; i++) {
		const struct object *object = writes->touched[i];
		uint64_t mixed = (object->version ^ (uint64_t)object->index << 40) *
				 UINT64_C(0x9e3779b97f4a7c15);

		sum += object->read ? mixed ^ mixed >> 29 : 0;
	}
	HASH_FIND(hh, writes->inputs, &vertex, sizeof(vertex), input);
	again = input && input->sum == sum;
	if (!input) {
		input = xcalloc(1, sizeof(*input));
		input->vertex = vertex;
		HASH_ADD(hh, writes->inputs, vertex, sizeof(input->vertex), input);
	}
	input->sum = sum;
	return again;
}

/* Whether the vertex had not written to the object before. */
static bool is_first(struct writes *writes, uint32_t vertex, struct object *object)
{
	struct build_pair key = {vertex, object->index};
	struct writer *writer;

	HASH_FIND(hh, writes->writers, &key, sizeof(key), writer);
	if (writer)
		return false;
	writer = xcalloc(1, sizeof(*writer));
	writer->key = key;
	writer->next = object->writers;
	object->writers = writer;
	HASH_ADD(hh, writes->writers, key, sizeof(writer->key), writer);
	return true;
}

static bool host_writes(const struct profile_object *object)
{
	return object->memory == TRACE_MEMORY_MANAGED || object->memory == TRACE_MEMORY_MAPPED_HOST;
}

static void add_write(struct writes *writes, uint32_t vertex, struct object *object,
		      bool same_input)
{
	struct profile_write *row = row_of(writes, vertex, object->index);
	bool first = is_first(writes, vertex, object);
	bool comparable = !host_writes(&writes->profile->objects[object->index]);
	bool unchanged = comparable && object->unchanged == object->written;

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
		struct object *object = writes->touched[i];

		if (object->zero && object->written &&
		    object->written == writes->profile->objects[object->index].size)
			row_of(writes, writes->vertex, object->index)->zero_writes++;
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
	again = reads_again(writes, event->vertex);
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

static void forget(struct writes *writes, struct object *object)
{
	struct writer *writer, *next;

	for (writer = object->writers; writer; writer = next) {
		next = writer->next;
		HASH_DEL(writes->writers, writer);
		free(writer);
	}
	HASH_DEL(writes->objects, object);
	free(object);
}

static void freed(void *state, const struct build_event *event, uint32_t index)
{
	struct writes *writes = state;
	struct object *object;

	(void)event;
	settle(writes);
	HASH_FIND(hh, writes->objects, &index, sizeof(index), object);
	if (object)
		forget(writes, object);
}

static void process_end(void *state, const struct build_event *last)
{
	struct writes *writes = state;
	struct object *object, *next_object;
	struct input *input, *next_input;

	(void)last;
	settle(writes);
	HASH_ITER(hh, writes->objects, object, next_object)
	forget(writes, object);
	HASH_ITER(hh, writes->inputs, input, next_input)
	{
		HASH_DEL(writes->inputs, input);
		free(input);
	}
}

static void end(void *state)
{
	struct writes *writes = state;

	build_pairs_free(&writes->rows);
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
