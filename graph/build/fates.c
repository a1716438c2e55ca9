/*
 * graph/build/fates.c: the analysis that follows what was written until it is read, written over
 * or freed.
 *
 * Unread bytes are exact by arithmetic on rows (gpu/rows.def), where the provider delivers those
 * metrics; where it does not, nothing is known to be dead or unread.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include <uthash.h>

#include "graph/build/pair.h"
#include "util/memory.h"

struct part { /* of an object: bytes of one last writer */
	uint32_t writer;
	uint64_t unread;
	/* by the event of this number */
	uint64_t event, read, overwritten;
	struct part *next;
};

struct object {
	uint32_t index;
	struct part *parts;
	uint64_t event; /* the last one that wrote to it */
	UT_hash_handle hh;
};

struct fates {
	struct profile *profile;
	struct object *objects;
	struct build_pair_index *rows; /* of profile->fates */
};

static void *begin(struct profile *profile)
{
	struct fates *fates = xcalloc(1, sizeof(*fates));

	fates->profile = profile;
	return fates;
}

static struct profile_fate *row_of(struct fates *fates, uint32_t vertex, uint32_t object)
{
	struct profile *profile = fates->profile;
	uint32_t site = profile->objects[object].site, index;

	if (build_pair_find(&fates->rows, vertex, site, profile->fate_count, &index))
		return &profile->fates[index];
	ARRAY_RESERVE(profile->fates, profile->fate_count, profile->fate_capacity);
	profile->fates[profile->fate_count] = (struct profile_fate){
		.vertex = vertex, .site = site, .consumer = PROFILE_NO_VERTEX};
	return &profile->fates[profile->fate_count++];
}

static struct object *object_of(struct fates *fates, uint32_t index)
{
	struct object *object;

	HASH_FIND(hh, fates->objects, &index, sizeof(index), object);
	if (object)
		return object;
	object = xcalloc(1, sizeof(*object));
	object->index = index;
	HASH_ADD(hh, fates->objects, index, sizeof(object->index), object);
	return object;
}

/* The writer's part, as of this event; others of which nothing is left to say go. */
static struct part *part_of(struct object *object, uint32_t writer, uint64_t event)
{
	struct part **at = &object->parts, *part;

	while ((part = *at) && part->writer != writer) {
		if (part->unread || part->event == event) {
			at = &part->next;
			continue;
		}
		*at = part->next;
		free(part);
	}
	if (!part) {
		part = *at = xcalloc(1, sizeof(*part));
		part->writer = writer;
	}
	if (part->event != event) {
		part->event = event;
		part->read = part->overwritten = 0;
	}
	return part;
}

static void take_from(uint64_t *unread, uint64_t bytes)
{
	*unread -= bytes < *unread ? bytes : *unread;
}

static void take_read(struct fates *fates, const struct build_event *event,
		      const struct build_row *row)
{
	struct object *object = object_of(fates, row->object);
	struct part *part = part_of(object, row->writer, event->number);
	struct profile_fate *fate = row_of(fates, row->writer, row->object);
	uint64_t first = row->first_block * GPU_ROW_BLOCK;
	uint64_t end = (row->last_block + 1) * GPU_ROW_BLOCK;

	part->read = row->bytes;
	take_from(&part->unread, row->first_read_bytes);
	if (build_row_has(row, TRACE_METRIC_LAST_BLOCK)) {
		if (!fate->read_end || first < fate->read_first)
			fate->read_first = first;
		if (end > fate->read_end)
			fate->read_end = end;
	}
	fate->read_own += row->writer == event->vertex;
}

static void take_write(struct fates *fates, const struct build_event *event,
		       const struct build_row *row)
{
	struct object *object = object_of(fates, row->object);
	struct part *part = part_of(object, row->writer, event->number);
	struct profile_fate *fate;

	part->overwritten = row->bytes;
	take_from(&part->unread, row->dead_bytes);
	take_from(&part->unread, row->taken_bytes);
	if (row->dead_bytes)
		profile_add(&row_of(fates, row->writer, row->object)->dead_bytes, row->dead_bytes);
	fate = row_of(fates, event->vertex, row->object);
	profile_add(&fate->bytes, row->bytes);
	fate->writes += object->event != event->number;
	object->event = event->number;
	part_of(object, event->vertex, event->number)->unread +=
		row->unread_bytes + row->taken_bytes;
}

/*
 * Whether the event read, of what a writer had left in the object, as many bytes as it wrote over;
 * whoever reads others is a consumer, too, if of nothing.
 */
static void take_consumed(struct fates *fates, const struct build_event *event,
			  const struct build_row *row)
{
	struct profile_fate *fate;
	struct part *part;

	if (row->writer == event->vertex)
		return;
	part = part_of(object_of(fates, row->object), row->writer, event->number);
	if (!part->read)
		return;
	fate = row_of(fates, row->writer, row->object);
	if (!fate->readers || fate->consumer == event->vertex)
		fate->consumer = event->vertex;
	else
		fate->consumer = PROFILE_NO_VERTEX;
	fate->readers++;
	if (part->read == part->overwritten)
		profile_add(&fate->consumed_bytes, part->read);
}

static void take(void *state, const struct build_event *event, const struct build_row *rows,
		 uint32_t count)
{
	struct fates *fates = state;

	if (event->vertex == PROFILE_NO_VERTEX)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (rows[i].access == TRACE_READ)
			take_read(fates, event, &rows[i]);
		else if (rows[i].access == TRACE_WRITE)
			take_write(fates, event, &rows[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].access == TRACE_READ)
			take_consumed(fates, event, &rows[i]);
}

static void read_all(struct object *object)
{
	for (struct part *part = object->parts; part; part = part->next)
		part->unread = 0;
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	struct fates *fates = state;
	struct object *object;

	(void)error;
	if (record->kind == GPU_RECORD_SIZES) {
		if (event->vertex != PROFILE_NO_VERTEX)
			row_of(fates, event->vertex, record->object)->atomics = 1;
	} else if (record->object == BUILD_NO_OBJECT) {
		/* of one device; objects do not say of which they are */
		for (object = fates->objects; object; object = object->hh.next)
			read_all(object);
	} else if (!record->freed) {
		read_all(object_of(fates, record->object));
	}
	return 0;
}

static void end_object(struct fates *fates, struct object *object)
{
	struct part *part, *next;

	for (part = object->parts; part; part = next) {
		next = part->next;
		if (part->unread)
			profile_add(&row_of(fates, part->writer, object->index)->unread_bytes,
				    part->unread);
		free(part);
	}
	HASH_DEL(fates->objects, object);
	free(object);
}

static void freed(void *state, const struct build_event *event, uint32_t index)
{
	struct fates *fates = state;
	struct object *object;

	(void)event;
	HASH_FIND(hh, fates->objects, &index, sizeof(index), object);
	if (object)
		end_object(fates, object);
}

static void process_end(void *state, const struct build_event *last)
{
	struct fates *fates = state;
	struct object *object, *next;

	HASH_ITER(hh, fates->objects, object, next)
	{
		/* of one that was killed nobody knows what it would have read */
		if (!fates->profile->processes[last->process].ended)
			read_all(object);
		end_object(fates, object);
	}
}

static void end(void *state)
{
	struct fates *fates = state;

	build_pairs_free(&fates->rows);
	free(fates);
}

const struct build_analysis build_fates = {
	.name = "fates",
	.kinds = (const uint32_t[]){GPU_RECORD_READ_UNSEEN, GPU_RECORD_SIZES, 0},
	.begin = begin,
	.event = take,
	.freed = freed,
	.record = take_record,
	.process_end = process_end,
	.end = end,
};
