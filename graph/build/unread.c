/*
 * graph/build/unread.c: the analysis of bytes that an operation wrote and nobody read.
 *
 * Rows say how many bytes of a last writer are read for the first time, are written over or pass to
 * another writer (gpu/rows.def), so that the unread bytes of each (object, vertex) are a sum that
 * needs no look at memory: what is left when the object is freed, or at the end of a process that
 * ended in order, nobody has read.  GPU_RECORD_READ_UNSEEN sets it to 0.
 *
 * Which bytes they are is known as far as the blocks of rows tell: nothing of what a vertex wrote
 * is read before the lowest or after the highest block of rows that read bytes of it.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "util/memory.h"

#define UNREAD_ROWS_MAX 1000 /* in the profile: the largest ranges */

/* Of blocks; first > last: empty. */
struct range {
	uint64_t first, last;
};

static const struct range nothing = {UINT64_MAX, 0}, everything = {0, UINT64_MAX};

struct share_key {
	uint32_t object, vertex; /* `object`: of a total it is the site */
};

/* What a vertex wrote to a live object. */
struct share {
	struct share_key key;
	struct share *next; /* of the object */
	uint64_t seen;      /* the device's when it was brought up to date */
	uint64_t unread;
	uint64_t dead; /* was written over unread */
	struct range written, read;
	UT_hash_handle hh;
};

struct live {
	uint32_t object;
	struct share *shares;
	struct device *device;
	UT_hash_handle hh;
};

/* `seen` grows when all live objects may have been read. */
struct device {
	uint32_t number;
	uint64_t seen;
	UT_hash_handle hh;
};

/* What a vertex wrote to all objects of a site. */
struct total {
	struct share_key key;
	uint64_t freed, left, dead;
	uint64_t size; /* of the largest object */
	struct range written, read;
	UT_hash_handle hh;
};

struct unread {
	struct profile *profile;
	bool written;           /* there are rows that write */
	bool lacking;           /* ... and such as lack a metric */
	struct live *objects;   /* of the process */
	struct share *shares;   /* of the process */
	struct device *devices; /* of the process */
	struct total *totals;   /* of the run */
};

static void *begin(struct profile *profile)
{
	struct unread *unread = xcalloc(1, sizeof(*unread));

	unread->profile = profile;
	return unread;
}

/* A trace may say anything: never less than nothing. */
static uint64_t subtract(uint64_t sum, uint64_t less)
{
	return sum > less ? sum - less : 0;
}

static void widen(struct range *range, struct range more)
{
	if (more.first < range->first)
		range->first = more.first;
	if (more.last > range->last)
		range->last = more.last;
}

/* -- objects and who wrote to them -- */

static struct device *device_of(struct unread *unread, uint32_t number)
{
	struct device *device;

	HASH_FIND(hh, unread->devices, &number, sizeof(number), device);
	if (device)
		return device;
	device = xcalloc(1, sizeof(*device));
	device->number = number;
	HASH_ADD(hh, unread->devices, number, sizeof(device->number), device);
	return device;
}

static void take_object(void *state, const struct build_event *event, uint32_t object)
{
	struct unread *unread = state;
	struct live *live = xcalloc(1, sizeof(*live));

	live->object = object;
	live->device = device_of(unread, event->device);
	HASH_ADD(hh, unread->objects, object, sizeof(live->object), live);
}

static struct live *find_live(const struct unread *unread, uint32_t object)
{
	struct live *live;

	HASH_FIND(hh, unread->objects, &object, sizeof(object), live);
	return live;
}

static void set_seen(struct share *share)
{
	share->unread = 0;
	share->read = everything;
}

static void bring_up_to_date(struct share *share, const struct device *device)
{
	if (share->seen != device->seen)
		set_seen(share);
	share->seen = device->seen;
}

/* NULL: the vertex has written nothing that can be unread. */
static struct share *find_share(const struct unread *unread, const struct live *live,
				uint32_t vertex)
{
	const struct share_key key = {live->object, vertex};
	struct share *share;

	HASH_FIND(hh, unread->shares, &key, sizeof(key), share);
	if (share)
		bring_up_to_date(share, live->device);
	return share;
}

static struct share *get_share(struct unread *unread, struct live *live, uint32_t vertex)
{
	struct share *share = find_share(unread, live, vertex);

	if (share)
		return share;
	share = xcalloc(1, sizeof(*share));
	share->key = (struct share_key){live->object, vertex};
	share->seen = live->device->seen;
	share->written = share->read = nothing;
	share->next = live->shares;
	live->shares = share;
	HASH_ADD(hh, unread->shares, key, sizeof(share->key), share);
	return share;
}

/* -- calls -- */

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

/* What the row says of its writer's bytes. */
static void take_from_writer(struct share *share, const struct build_row *row)
{
	const struct range range = {row->first_block, row->last_block};

	if (row->access == TRACE_READ) {
		share->unread = subtract(share->unread, row->first_read_bytes);
		widen(&share->read, range);
		return;
	}
	share->unread = subtract(share->unread, row->dead_bytes);
	share->unread = subtract(share->unread, row->taken_bytes);
	profile_add(&share->dead, row->dead_bytes);
	if (row->taken_bytes) /* from now on rows that read them are of another writer */
		widen(&share->read, range);
}

/* ... and of the bytes of the vertex that wrote. */
static void give_to_vertex(struct share *share, const struct build_row *row)
{
	const struct range range = {row->first_block, row->last_block};

	profile_add(&share->unread, row->unread_bytes);
	profile_add(&share->unread, row->taken_bytes);
	widen(&share->written, range);
	if (row->unread_bytes < row->bytes) /* it has read some of it itself, or anybody can */
		widen(&share->read, range);
}

static void take_event(void *state, const struct build_event *event, const struct build_row *rows,
		       uint32_t count)
{
	struct unread *unread = state;

	for (uint32_t i = 0; i < count; i++) {
		const bool moves = rows[i].access == TRACE_READ || rows[i].access == TRACE_WRITE;
		struct live *live = moves ? find_live(unread, rows[i].object) : NULL;
		struct share *share = live ? find_share(unread, live, rows[i].writer) : NULL;

		unread->written |= rows[i].access == TRACE_WRITE;
		unread->lacking |= moves && !has_metrics(&rows[i]);
		if (share)
			take_from_writer(share, &rows[i]);
	}
	/* a vertex may write over its own bytes: what it adds comes after what it takes */
	for (uint32_t i = 0; i < count; i++) {
		struct live *live =
			rows[i].access == TRACE_WRITE ? find_live(unread, rows[i].object) : NULL;

		if (live)
			give_to_vertex(get_share(unread, live, event->vertex), &rows[i]);
	}
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	struct unread *unread = state;
	const struct gpu_read_unseen *seen = record->payload;
	struct live *live;

	(void)event;
	(void)error;
	if (record->object == BUILD_NO_OBJECT) {
		device_of(unread, seen->device)->seen++;
		return 0;
	}
	live = find_live(unread, record->object);
	for (struct share *share = live ? live->shares : NULL; share; share = share->next) {
		bring_up_to_date(share, live->device);
		set_seen(share);
	}
	return 0;
}

/* -- the end of an object -- */

static struct total *total_of(struct unread *unread, uint32_t site, uint32_t vertex)
{
	const struct share_key key = {site, vertex};
	struct total *total;

	HASH_FIND(hh, unread->totals, &key, sizeof(key), total);
	if (total)
		return total;
	total = xcalloc(1, sizeof(*total));
	total->key = key;
	total->written = total->read = nothing;
	HASH_ADD(hh, unread->totals, key, sizeof(total->key), total);
	return total;
}

enum end { FREED, LEFT, UNKNOWN_END };

static void end_share(struct unread *unread, const struct live *live, struct share *share,
		      enum end end)
{
	const struct profile_object *object = &unread->profile->objects[live->object];
	struct total *total = total_of(unread, object->site, share->key.vertex);

	bring_up_to_date(share, live->device);
	if (end == UNKNOWN_END)
		set_seen(share);
	if (end == FREED)
		profile_add(&total->freed, share->unread);
	else
		profile_add(&total->left, share->unread);
	profile_add(&total->dead, share->dead);
	widen(&total->written, share->written);
	widen(&total->read, share->read);
	if (object->size > total->size)
		total->size = object->size;
}

static void end_object(struct unread *unread, struct live *live, enum end end)
{
	struct share *share, *next;

	for (share = live->shares; share; share = next) {
		next = share->next;
		end_share(unread, live, share, end);
		HASH_DEL(unread->shares, share);
		free(share);
	}
	HASH_DEL(unread->objects, live);
	free(live);
}

static void take_free(void *state, const struct build_event *event, uint32_t object)
{
	struct unread *unread = state;
	struct live *live = find_live(unread, object);

	(void)event;
	if (live)
		end_object(unread, live, FREED);
}

static void end_process(void *state, const struct build_event *last)
{
	struct unread *unread = state;
	const bool ended = unread->profile->processes[last->process].ended;
	struct live *live, *next_live;
	struct device *device, *next_device;

	HASH_ITER(hh, unread->objects, live, next_live)
	{
		end_object(unread, live, ended ? LEFT : UNKNOWN_END);
	}
	HASH_ITER(hh, unread->devices, device, next_device)
	{
		HASH_DEL(unread->devices, device);
		free(device);
	}
}

/* -- the profile -- */

static void set_vertices(struct unread *unread)
{
	struct graph *graph = unread->profile->graph;
	struct total *total, *next;

	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		graph->vertices[v].fields |= VERTEX_UNREAD_FREED_BYTES | VERTEX_UNREAD_END_BYTES;
		graph->vertices[v].unread_freed_bytes = graph->vertices[v].unread_end_bytes = 0;
	}
	HASH_ITER(hh, unread->totals, total, next)
	{
		struct graph_vertex *vertex = &graph->vertices[total->key.vertex];

		profile_add(&vertex->unread_freed_bytes, total->freed);
		profile_add(&vertex->unread_end_bytes, total->left);
	}
}

static void add_row(struct unread *unread, const struct total *total, uint64_t first, uint64_t last)
{
	struct profile *profile = unread->profile;
	const uint64_t end = total->size / GPU_ROW_BLOCK;
	uint64_t bytes = total->freed;

	profile_add(&bytes, total->left);
	profile_add(&bytes, total->dead);
	ARRAY_RESERVE(profile->unread, profile->unread_count, profile->unread_capacity);
	profile->unread[profile->unread_count++] = (struct profile_unread){
		.vertex = total->key.vertex,
		.object = total->key.object,
		.first = first * GPU_ROW_BLOCK,
		.last = last < end ? (last + 1) * GPU_ROW_BLOCK - 1 : total->size - 1,
		.bytes = bytes,
	};
}

/* What was written before and after all that was read. */
static void add_rows(struct unread *unread, const struct total *total)
{
	const struct range written = total->written, read = total->read;

	if (read.first > read.last || read.last < written.first || read.first > written.last) {
		add_row(unread, total, written.first, written.last);
		return;
	}
	if (written.first < read.first)
		add_row(unread, total, written.first, read.first - 1);
	if (read.last < written.last)
		add_row(unread, total, read.last + 1, written.last);
}

/* The largest ranges first. */
static int by_size(const void *a, const void *b)
{
	const struct profile_unread *x = a, *y = b;
	const uint64_t size_x = x->last - x->first, size_y = y->last - y->first;

	if (size_x != size_y)
		return size_x < size_y ? 1 : -1;
	if (x->vertex != y->vertex)
		return x->vertex < y->vertex ? -1 : 1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static void set_rows(struct unread *unread)
{
	struct profile *profile = unread->profile;
	struct total *total, *next;

	HASH_ITER(hh, unread->totals, total, next)
	{
		add_rows(unread, total);
	}
	if (profile->unread_count)
		qsort(profile->unread, profile->unread_count, sizeof(*profile->unread), by_size);
	if (profile->unread_count > UNREAD_ROWS_MAX)
		profile->unread_count = UNREAD_ROWS_MAX;
}

static void end(void *state)
{
	struct unread *unread = state;
	struct total *total, *next;

	if (unread->lacking) {
		profile_add_coverage(unread->profile, COVERAGE_VALUES_UNKNOWN, NULL, 1, 0);
	} else if (unread->written) {
		set_vertices(unread);
		set_rows(unread);
	}
	HASH_ITER(hh, unread->totals, total, next)
	{
		HASH_DEL(unread->totals, total);
		free(total);
	}
	free(unread);
}

static const uint32_t kinds[] = {GPU_RECORD_READ_UNSEEN, 0};

const struct build_analysis build_unread = {
	.name = "unread",
	.kinds = kinds,
	.begin = begin,
	.object = take_object,
	.event = take_event,
	.freed = take_free,
	.record = take_record,
	.process_end = end_process,
	.end = end,
};
