/*
 * graph/build/fates.c: the analysis that follows what was written until it is read, written over
 * or freed.
 *
 * Known of an object: whose bytes it holds, and whether anybody has read any of those since their
 * writer began to write there.  Only bytes of a writer that nobody has read any of count as dead or
 * unread: less than are, never more.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include <uthash.h>

#include "graph/build/pair.h"
#include "util/memory.h"

struct share { /* of an object: bytes of one last writer */
	uint32_t writer;
	uint64_t live;
	bool read;
	/* by the event of this number */
	uint64_t event, read_now;
	struct share *next;
};

struct object {
	uint32_t index;
	struct share *shares;
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

/* The writer's share, as of this event; others that have lost all bytes before it go. */
static struct share *share_of(struct object *object, uint32_t writer, uint64_t event)
{
	struct share **at = &object->shares, *share;

	while ((share = *at) && share->writer != writer) {
		if (share->live || share->event == event) {
			at = &share->next;
			continue;
		}
		*at = share->next;
		free(share);
	}
	if (!share) {
		share = *at = xcalloc(1, sizeof(*share));
		share->writer = writer;
	}
	if (share->event != event) {
		share->event = event;
		share->read_now = 0;
	}
	return share;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* All that the writer has in the object is read and written over by this event. */
static void consume(struct fates *fates, const struct build_event *event,
		    const struct object *object, const struct share *share)
{
	struct profile_fate *row = row_of(fates, share->writer, object->index);

	row->consumer = !row->consumed || row->consumer == event->vertex ? event->vertex
									 : PROFILE_NO_VERTEX;
	row->consumed++;
}

static void take_reads(struct fates *fates, const struct build_event *event,
		       const struct build_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct object *object;

		if (rows[i].access != TRACE_READ)
			continue;
		object = object_of(fates, rows[i].object);
		share_of(object, rows[i].writer, event->number)->read_now = rows[i].bytes;
		if (rows[i].writer == event->vertex)
			row_of(fates, event->vertex, rows[i].object)->read_own++;
	}
}

/* The bytes that were written over, of each of their writers. */
static void take_overwritten(struct fates *fates, const struct build_event *event,
			     const struct build_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct object *object;
		struct share *share;
		uint64_t bytes;

		if (rows[i].access != TRACE_WRITE)
			continue;
		object = object_of(fates, rows[i].object);
		share = share_of(object, rows[i].writer, event->number);
		bytes = least(rows[i].bytes, share->live);
		if (bytes && share->writer != event->vertex && !share->read &&
		    share->read_now == share->live && bytes == share->live)
			consume(fates, event, object, share);
		if (bytes && !share->read && !share->read_now)
			build_add(&row_of(fates, share->writer, object->index)->dead_bytes, bytes);
		share->live -= bytes;
	}
}

/* The event's own bytes. */
static void take_written(struct fates *fates, const struct build_event *event,
			 const struct build_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct profile_fate *row;
		struct object *object;
		struct share *own;

		if (rows[i].access != TRACE_WRITE)
			continue;
		object = object_of(fates, rows[i].object);
		own = share_of(object, event->vertex, event->number);
		if (!own->live)
			own->read = false;
		own->live += rows[i].bytes;
		row = row_of(fates, event->vertex, rows[i].object);
		build_add(&row->bytes, rows[i].bytes);
		row->writes += object->event != event->number;
		object->event = event->number;
	}
}

/* What was read before the event's own writes; its own bytes, too: an atomic reads them. */
static void mark_read(struct fates *fates, const struct build_event *event,
		      const struct build_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct object *object;

		if (rows[i].access != TRACE_READ)
			continue;
		object = object_of(fates, rows[i].object);
		share_of(object, rows[i].writer, event->number)->read = true;
		share_of(object, event->vertex, event->number)->read = true;
	}
}

static void take(void *state, const struct build_event *event, const struct build_row *rows,
		 uint32_t count)
{
	struct fates *fates = state;

	if (event->vertex == PROFILE_NO_VERTEX)
		return;
	take_reads(fates, event, rows, count);
	take_overwritten(fates, event, rows, count);
	take_written(fates, event, rows, count);
	mark_read(fates, event, rows, count);
}

static void end_object(struct fates *fates, struct object *object)
{
	struct share *share, *next;

	for (share = object->shares; share; share = next) {
		next = share->next;
		if (share->live && !share->read)
			build_add(&row_of(fates, share->writer, object->index)->unread_bytes,
				  share->live);
		free(share);
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

	(void)last;
	HASH_ITER(hh, fates->objects, object, next)
	end_object(fates, object);
}

static void end(void *state)
{
	struct fates *fates = state;

	build_pairs_free(&fates->rows);
	free(fates);
}

const struct build_analysis build_fates = {
	.name = "fates",
	.begin = begin,
	.event = take,
	.freed = freed,
	.process_end = process_end,
	.end = end,
};
