/*
 * graph/build/analysis/fates.c: the analysis that follows what was written until it is read,
 * written over or freed.
 *
 * Rows say how many bytes of a last writer are read for the first time, are written over or get
 * lost, since another one wrote to their units (gpu/rows.def), so that the unread bytes of each
 * (object, vertex) are a sum that needs no look at memory: what is left when the object is freed,
 * or at the end of a process that ended in order, nobody has read.  GPU_RECORD_READ_UNSEEN sets it
 * to 0.  What was lost counts as read; LEFT_BYTES says what became of bytes that were not lost, in
 * units of other writers.  Where providers do not deliver those metrics, nothing is known to be
 * dead or unread.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include <uthash.h>

#include "graph/build/live.h"
#include "graph/build/unread.h"
#include "graph/profile/table.h"
#include "util/memory.h"
#include "util/pair_map.h"

struct part { /* of an object: bytes of one last writer */
	struct live_part live;
	bool wrote;    /* it has written to the object itself */
	uint32_t row;  /* of profile->fates, + 1; 0: not known yet */
	uint64_t seen; /* its object's when it was brought up to date */
	uint64_t unread;
	struct unread_range written, read;
	/* by its last invocations, since none of its bytes was unread */
	uint64_t writes, bytes;
	bool was_read; /* some of these */
	/* by the event of this number */
	uint64_t event, bytes_read, overwritten;
	uint64_t wrote_at; /* the last event by which it wrote */
};

struct object {
	struct live_object live;
	struct device *device;
	uint64_t seen;  /* grows when it may have been read */
	uint64_t event; /* the last one that wrote to it */
};

struct device {
	uint32_t number;
	uint64_t seen; /* grows when all its live objects may have been read */
	UT_hash_handle hh;
};

enum steadiness { STEADY_UNKNOWN, STEADY, NOT_STEADY };

struct fates {
	struct profile *profile;
	bool written;           /* there are rows that write */
	bool lacking;           /* ... and such as lack a metric */
	uint64_t takes, taken;  /* rows with bytes that were lost, and these bytes */
	struct live live;       /* of the process */
	struct device *devices; /* of the process */
	struct pair_map rows;   /* of profile->fates, by vertex and site */
	struct unread_total *totals;
	uint32_t total_capacity;
	enum steadiness *steady; /* of vertices */
	uint32_t steady_count;
};

static void *begin(struct profile *profile)
{
	struct fates *fates = xcalloc(1, sizeof(*fates));

	fates->profile = profile;
	fates->live = (struct live){.object_size = sizeof(struct object),
				    .part_size = sizeof(struct part)};
	return fates;
}

/* Index of the row of the vertex and the object's site. */
static uint32_t find_row(struct fates *fates, uint32_t vertex, uint32_t object)
{
	struct profile *profile = fates->profile;
	uint32_t count = profile->fate_count;
	uint32_t index = table_find_row(&profile_table_fate, profile, &fates->rows, vertex,
					profile->objects[object].site);

	if (index < count)
		return index;
	profile->fates[index].consumer = PROFILE_NO_VERTEX;
	profile->fates[index].steady = PROFILE_UNKNOWN;
	ARRAY_RESERVE(fates->totals, count, fates->total_capacity);
	fates->totals[index] =
		(struct unread_total){.written = UNREAD_NOTHING, .read = UNREAD_NOTHING};
	return index;
}

static struct profile_fate *row_of(struct fates *fates, const struct object *object,
				   struct part *part)
{
	if (!part->row)
		part->row = find_row(fates, part->live.vertex, object->live.index) + 1;
	return &fates->profile->fates[part->row - 1];
}

/* -- objects, and who wrote to them -- */

static struct device *device_of(struct fates *fates, uint32_t number)
{
	struct device *device;

	HASH_FIND(hh, fates->devices, &number, sizeof(number), device);
	if (device)
		return device;
	device = xcalloc(1, sizeof(*device));
	device->number = number;
	HASH_ADD(hh, fates->devices, number, sizeof(device->number), device);
	return device;
}

static void make_object(void *state, const struct build_event *event, uint32_t index)
{
	struct fates *fates = state;
	struct object *object = live_object(&fates->live, index);

	object->device = device_of(fates, event->device);
}

/* Bytes of these blocks may be read, of those that the fate's vertex wrote. */
static void widen_fate(const struct fates *fates, const struct object *object,
		       struct profile_fate *fate, uint64_t first_block, uint64_t last_block)
{
	const uint64_t size = fates->profile->objects[object->live.index].size;
	const uint64_t first = first_block * GPU_ROW_BLOCK;
	uint64_t end = (last_block + 1) * GPU_ROW_BLOCK;

	if (end > size)
		end = size; /* the last block is seldom full */
	if (!fate->read_end || first < fate->read_first)
		fate->read_first = first;
	if (end > fate->read_end)
		fate->read_end = end;
}

/* Somebody may have read what is left of it: whoever it is. */
static void set_seen(struct fates *fates, const struct object *object, struct part *part)
{
	if (part->unread) {
		struct profile_fate *fate = row_of(fates, object, part);

		fate->readers++;
		fate->consumer = PROFILE_NO_VERTEX;
		widen_fate(fates, object, fate, part->written.first, part->written.last);
	}
	part->was_read |= part->unread > 0;
	part->unread = 0;
	part->read = UNREAD_EVERYTHING;
}

static void bring_up_to_date(struct fates *fates, const struct object *object, struct part *part)
{
	const uint64_t seen = object->seen + object->device->seen;

	if (part->seen != seen && part->wrote)
		set_seen(fates, object, part);
	part->seen = seen;
}

/* The writer's part, as of this event. */
static struct part *part_of(struct fates *fates, struct object *object, uint32_t writer,
			    uint64_t event)
{
	struct part *part = live_part(&fates->live, object, writer);

	bring_up_to_date(fates, object, part);
	if (part->event != event) {
		part->event = event;
		part->bytes_read = part->overwritten = 0;
	}
	return part;
}

/* -- calls -- */

/* A trace may say anything: never less than nothing. */
static void take_from(uint64_t *unread, uint64_t bytes)
{
	*unread -= bytes < *unread ? bytes : *unread;
}

static void widen_read(struct part *part, uint64_t first_block, uint64_t last_block)
{
	const struct unread_range range = {first_block, last_block};

	if (part->wrote)
		unread_widen(&part->read, range);
}

static void take_read(struct fates *fates, const struct build_event *event,
		      const struct build_row *row)
{
	struct object *object = live_find(&fates->live, row->object);
	struct part *part = part_of(fates, object, row->writer, event->number);
	struct profile_fate *fate = row_of(fates, object, part);

	part->bytes_read = row->bytes;
	part->was_read |= row->first_read_bytes > 0;
	take_from(&part->unread, row->first_read_bytes);
	widen_read(part, row->first_block, row->last_block);
	if (build_row_has(row, TRACE_METRIC_LAST_BLOCK))
		widen_fate(fates, object, fate, row->first_block, row->last_block);
	fate->read_own += row->writer == event->vertex;
}

/* What the write does to the bytes of the last writer. */
static void take_write(struct fates *fates, const struct build_event *event,
		       const struct build_row *row)
{
	struct object *object = live_find(&fates->live, row->object);
	struct part *part = part_of(fates, object, row->writer, event->number);
	struct profile_fate *fate;

	part->overwritten = row->bytes;
	take_from(&part->unread, row->dead_bytes);
	take_from(&part->unread, row->taken_bytes);
	if (row->taken_bytes) { /* somebody may read them, and no row will say so */
		widen_read(part, row->first_block, row->last_block);
		widen_fate(fates, object, row_of(fates, object, part), row->first_block,
			   row->last_block);
		part->was_read = true;
		fates->takes++;
		profile_add(&fates->taken, row->taken_bytes);
	}
	if (row->dead_bytes)
		profile_add(&row_of(fates, object, part)->dead_bytes, row->dead_bytes);
	part = part_of(fates, object, event->vertex, event->number);
	fate = row_of(fates, object, part);
	profile_add(&fate->bytes, row->bytes);
	fate->writes += object->event != event->number;
	object->event = event->number;
}

/*
 * All that the last invocations left in the object has become of: nobody has read it, if nobody
 * has read a byte of it.
 */
static void end_writes(struct fates *fates, const struct object *object, struct part *part)
{
	struct profile_fate *fate = row_of(fates, object, part);

	if (!part->was_read) {
		fate->unread_writes += part->writes;
		profile_add(&fate->unread_writes_bytes, part->bytes);
	}
	part->writes = part->bytes = 0;
	part->was_read = false;
}

/* ... and to those of the vertex that wrote. */
static void give_written(struct fates *fates, const struct build_event *event,
			 const struct build_row *row)
{
	const struct unread_range range = {row->first_block, row->last_block};
	struct object *object = live_find(&fates->live, row->object);
	struct part *part = part_of(fates, object, event->vertex, event->number);

	if (!part->wrote)
		part->written = part->read = UNREAD_NOTHING;
	part->wrote = true;
	if (part->wrote_at != event->number) {
		if (!part->unread)
			end_writes(fates, object, part);
		part->wrote_at = event->number;
		part->writes++;
	}
	profile_add(&part->bytes, row->bytes);
	part->was_read |= row->unread_bytes < row->bytes;
	profile_add(&part->unread, row->unread_bytes);
	unread_widen(&part->written, range);
	if (row->unread_bytes < row->bytes) /* it has read some of it itself, or anybody can */
		widen_read(part, row->first_block, row->last_block);
}

/* An event of this vertex reads some of what the fate's vertex wrote, which is another one. */
static void add_reader(struct profile_fate *fate, uint32_t vertex)
{
	if (!fate->readers || fate->consumer == vertex)
		fate->consumer = vertex;
	else
		fate->consumer = PROFILE_NO_VERTEX;
	fate->readers++;
}

/*
 * Whether the event read, of what a writer had left in the object, as many bytes as it wrote over;
 * whoever reads others is a consumer, too, if of nothing.
 */
static void take_consumed(struct fates *fates, const struct build_event *event,
			  const struct build_row *row)
{
	struct profile_fate *fate;
	struct object *object;
	struct part *part;

	if (row->writer == event->vertex)
		return;
	object = live_find(&fates->live, row->object);
	part = part_of(fates, object, row->writer, event->number);
	if (!part->bytes_read)
		return;
	fate = row_of(fates, object, part);
	add_reader(fate, event->vertex);
	if (part->bytes_read == part->overwritten)
		profile_add(&fate->consumed_bytes, part->bytes_read);
}

static bool has_metrics(const struct build_row *row)
{
	if (row->access == TRACE_READ)
		return build_row_has(row, TRACE_METRIC_FIRST_READ_BYTES) &&
		       build_row_has(row, TRACE_METRIC_LAST_BLOCK);
	return build_row_has(row, TRACE_METRIC_DEAD_BYTES) &&
	       build_row_has(row, TRACE_METRIC_UNREAD_BYTES) &&
	       build_row_has(row, TRACE_METRIC_TAKEN_BYTES) &&
	       build_row_has(row, TRACE_METRIC_LAST_BLOCK);
}

static void take(void *state, const struct build_event *event, const struct build_row *rows,
		 uint32_t count)
{
	struct fates *fates = state;

	for (uint32_t i = 0; i < count; i++) {
		if (rows[i].access != TRACE_READ && rows[i].access != TRACE_WRITE)
			continue;
		fates->lacking |= !has_metrics(&rows[i]);
		if (rows[i].access == TRACE_READ)
			take_read(fates, event, &rows[i]);
		else
			take_write(fates, event, &rows[i]);
	}
	/* a vertex may write over its own bytes: what it adds comes after what it takes */
	for (uint32_t i = 0; i < count; i++) {
		if (rows[i].access == TRACE_WRITE) {
			fates->written = true;
			give_written(fates, event, &rows[i]);
		} else if (rows[i].access == TRACE_READ) {
			take_consumed(fates, event, &rows[i]);
		}
	}
}

/* What became of bytes in units of other writers than the one that wrote them. */
static int take_left(struct fates *fates, const struct build_event *event,
		     const struct build_record *record, struct error *error)
{
	const struct gpu_left_bytes *left = record->payload;
	struct object *object = live_find(&fates->live, record->object);
	struct profile_fate *fate;
	struct part *part;
	uint64_t size;

	if (!object) /* it has just been freed */
		return 0;
	size = fates->profile->objects[record->object].size;
	if (left->first_read_bytes > size || left->dead_bytes > size ||
	    left->first_block > left->last_block ||
	    left->last_block > (size ? (size - 1) / GPU_ROW_BLOCK : 0))
		return error_set(error, "bytes that cannot be of their object");
	part = part_of(fates, object, record->writer, event->number);
	fate = row_of(fates, object, part);
	take_from(&part->unread, left->first_read_bytes);
	take_from(&part->unread, left->dead_bytes);
	profile_add(&fate->dead_bytes, left->dead_bytes);
	if (!left->first_read_bytes)
		return 0;
	part->was_read = true;
	widen_read(part, left->first_block, left->last_block);
	widen_fate(fates, object, fate, left->first_block, left->last_block);
	if (part->bytes_read) /* rows have said that the event reads some */
		return 0;
	if (record->writer == event->vertex)
		fate->read_own++;
	else
		add_reader(fate, event->vertex);
	return 0;
}

/* Several kernels of one name may be launched from one place. */
static void take_stores(struct fates *fates, uint32_t vertex, bool steady)
{
	if (vertex == PROFILE_NO_VERTEX)
		return;
	if (vertex >= fates->steady_count) {
		fates->steady = xreallocarray(fates->steady, vertex + 1, sizeof(*fates->steady));
		while (fates->steady_count <= vertex)
			fates->steady[fates->steady_count++] = STEADY_UNKNOWN;
	}
	if (!steady)
		fates->steady[vertex] = NOT_STEADY;
	else if (fates->steady[vertex] == STEADY_UNKNOWN)
		fates->steady[vertex] = STEADY;
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	struct fates *fates = state;
	const struct gpu_read_unseen *seen = record->payload;
	struct object *object;

	if (record->kind == GPU_RECORD_LEFT_BYTES)
		return take_left(fates, event, record, error);
	if (record->kind == GPU_RECORD_STORES) {
		const struct gpu_stores *stores = record->payload;

		take_stores(fates, event->vertex, stores->steady == 1);
	} else if (record->kind == GPU_RECORD_SIZES) {
		if (event->vertex != PROFILE_NO_VERTEX) {
			uint32_t row = find_row(fates, event->vertex, record->object);

			fates->profile->fates[row].atomics = 1;
		}
	} else if (record->object == BUILD_NO_OBJECT) {
		device_of(fates, seen->device)->seen++;
	} else {
		object = live_find(&fates->live, record->object);
		if (object) /* else it has just been freed */
			object->seen++;
	}
	return 0;
}

/* -- the end of an object -- */

static void end_part(struct fates *fates, const struct object *object, struct part *part,
		     bool freed)
{
	const uint64_t size = fates->profile->objects[object->live.index].size;
	struct profile_fate *fate = row_of(fates, object, part);
	struct unread_total *total = &fates->totals[part->row - 1];

	profile_add(&fate->unread_bytes, part->unread);
	end_writes(fates, object, part);
	if (freed)
		profile_add(&total->freed, part->unread);
	unread_widen(&total->written, part->written);
	unread_widen(&total->read, part->read);
	if (size > total->size)
		total->size = size;
}

static void end_object(struct fates *fates, struct object *object, bool freed, bool known)
{
	for (struct live_part *at = object->live.parts; at; at = at->next) {
		struct part *part = (struct part *)at;

		if (!part->wrote)
			continue;
		bring_up_to_date(fates, object, part);
		if (!known)
			set_seen(fates, object, part);
		end_part(fates, object, part, freed);
	}
	live_drop(&fates->live, object);
}

static void take_free(void *state, const struct build_event *event, uint32_t index)
{
	struct fates *fates = state;
	struct object *object = live_find(&fates->live, index);

	(void)event;
	if (object)
		end_object(fates, object, true, true);
}

static void process_end(void *state, const struct build_event *last)
{
	struct fates *fates = state;
	/* of one that was killed nobody knows what it would have read */
	const bool known = fates->profile->processes[last->process].ended;
	struct device *device, *next;
	struct object *object;

	while ((object = live_any(&fates->live)))
		end_object(fates, object, false, known);
	HASH_ITER(hh, fates->devices, device, next)
	{
		HASH_DEL(fates->devices, device);
		free(device);
	}
}

/* A trace may say anything: of nothing more is lost than was written, or nothing is known of it. */
static void drop_impossible(struct fates *fates)
{
	uint64_t dropped = 0;

	for (uint32_t i = 0; i < fates->profile->fate_count; i++) {
		struct profile_fate *fate = &fates->profile->fates[i];
		uint64_t lost = fate->dead_bytes;

		profile_add(&lost, fate->unread_bytes);
		if (lost <= fate->bytes && fate->unread_writes_bytes <= fate->bytes)
			continue;
		dropped++;
		fate->dead_bytes = fate->unread_bytes = 0;
		fate->unread_writes = fate->unread_writes_bytes = 0;
		fates->totals[i] =
			(struct unread_total){.written = UNREAD_NOTHING, .read = UNREAD_NOTHING};
	}
	if (dropped)
		profile_add_coverage(fates->profile, COVERAGE_UNREAD_IMPOSSIBLE, NULL, dropped, 0);
}

static void set_steady(const struct fates *fates)
{
	for (uint32_t i = 0; i < fates->profile->fate_count; i++) {
		struct profile_fate *fate = &fates->profile->fates[i];

		if (fate->vertex < fates->steady_count &&
		    fates->steady[fate->vertex] != STEADY_UNKNOWN)
			fate->steady = fates->steady[fate->vertex] == STEADY;
	}
}

static void end(void *state)
{
	struct fates *fates = state;

	drop_impossible(fates);
	set_steady(fates);
	if (fates->takes)
		profile_add_coverage(fates->profile, COVERAGE_UNREAD_SHARED_UNITS, NULL,
				     fates->takes, fates->taken);
	if (fates->lacking) {
		/* that kernels were not looked into is said already */
		if (!profile_is_by_arguments(fates->profile))
			profile_add_coverage(fates->profile, COVERAGE_VALUES_UNKNOWN, NULL, 1, 0);
	} else if (fates->written) {
		unread_finish(fates->profile, fates->totals);
	}
	live_release(&fates->live);
	pair_map_release(&fates->rows);
	free(fates->totals);
	free(fates->steady);
	free(fates);
}

const struct build_analysis build_fates = {
	.name = "fates",
	.kinds = (const uint32_t[]){GPU_RECORD_READ_UNSEEN, GPU_RECORD_SIZES, GPU_RECORD_LEFT_BYTES,
				    GPU_RECORD_STORES, 0},
	.begin = begin,
	.object = make_object,
	.event = take,
	.freed = take_free,
	.record = take_record,
	.process_end = process_end,
	.end = end,
};
