/*
 * graph/build/analysis/transfers.c: the analysis of what copies from and to the host moved: what a
 * call path sends again, and what comes back to a device that still holds it.
 *
 * The first is said wherever the bytes went: into memory that held something else in between, too.
 * The second is of parts of objects; of whole ones, contents.c says it.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>
#include <utlist.h>

#include "graph/build/live.h"
#include "util/memory.h"
#include "util/pair_map.h"

/* Small transfers are often equal by chance, and so are zeros. */
enum { LEAST = 1024 };                          /* bytes */
enum { KEPT = 1 << 20, KEPT_OF_OBJECT = 1024 }; /* contents that are remembered of a process */

struct sent_key {
	uint64_t bytes;
	uint32_t vertex, device;
	uint8_t digest[GPU_DIGEST_SIZE];
};

struct sent { /* by a vertex, to a device */
	struct sent_key key;
	bool again;
	UT_hash_handle hh;
};

struct fetched_key {
	uint64_t bytes;
	uint32_t device, unused;
	uint8_t digest[GPU_DIGEST_SIZE];
};

/* What the host has got of a device; the last time. */
struct fetched {
	struct fetched_key key;
	uint32_t vertex, object;
	uint64_t offset;
	bool counted;
	struct fetched *next, *prev; /* of the same object, which holds it */
	UT_hash_handle hh;
};

struct holder { /* an object of which something was fetched that it still holds */
	struct live_object live;
	uint32_t count;
	struct fetched *fetched; /* the oldest first */
};

struct written { /* blocks of an object, by the last event */
	uint32_t object;
	uint64_t first, last;
};

struct transfers {
	struct profile *profile;
	struct pair_map rows;   /* of profile->uploads, by vertex and site */
	struct pair_map routes; /* by vertices: of upload and download */
	struct pair_map trips;  /* of profile->round_trips, by route and site */
	struct sent *sent;
	struct fetched *fetched;
	struct live holders; /* of the process */
	struct written *written;
	uint32_t written_count, written_capacity;
};

static void *begin(struct profile *profile)
{
	struct transfers *transfers = xcalloc(1, sizeof(*transfers));

	transfers->profile = profile;
	transfers->holders.object_size = sizeof(struct holder);
	return transfers;
}

/* -- what is sent again -- */

static struct profile_upload *row_of(struct transfers *transfers, uint32_t vertex, uint32_t site)
{
	struct profile *profile = transfers->profile;
	uint32_t index;

	if (pair_map_find(&transfers->rows, vertex, site, profile->upload_count, &index))
		return &profile->uploads[index];
	ARRAY_RESERVE(profile->uploads, profile->upload_count, profile->upload_capacity);
	profile->uploads[profile->upload_count] =
		(struct profile_upload){.vertex = vertex, .site = site};
	return &profile->uploads[profile->upload_count++];
}

/* Whether the vertex has sent the bytes to the device before; NULL: it has not. */
static struct sent *find_sent(struct transfers *transfers, uint32_t vertex, uint32_t device,
			      const struct gpu_transfer *transfer)
{
	struct sent_key key = {.bytes = transfer->bytes, .vertex = vertex, .device = device};
	struct sent *sent;

	memcpy(key.digest, transfer->digest, sizeof(key.digest));
	HASH_FIND(hh, transfers->sent, &key, sizeof(key), sent);
	if (sent || HASH_COUNT(transfers->sent) >= KEPT)
		return sent;
	sent = xcalloc(1, sizeof(*sent));
	sent->key = key;
	HASH_ADD(hh, transfers->sent, key, sizeof(sent->key), sent);
	return NULL;
}

static void count_upload(struct transfers *transfers, uint32_t vertex,
			 const struct profile_object *object, const struct gpu_transfer *transfer)
{
	struct profile_upload *row = row_of(transfers, vertex, object->site);
	struct sent *sent = NULL;

	row->copies++;
	profile_add(&row->bytes, transfer->bytes);
	if (transfer->bytes >= LEAST && !transfer->zero)
		sent = find_sent(transfers, vertex, object->device, transfer);
	if (!sent)
		return;
	row->repeated++;
	profile_add(&row->repeated_bytes, transfer->bytes);
	if (!sent->again) {
		row->contents++;
		profile_add(&row->content_bytes, transfer->bytes);
	}
	sent->again = true;
}

/* -- round trips -- */

static struct profile_round_trip *trip_of(struct transfers *transfers, uint32_t upload,
					  uint32_t site, uint32_t download)
{
	struct profile *profile = transfers->profile;
	uint32_t route, index;

	pair_map_find(&transfers->routes, upload, download, transfers->routes.count, &route);
	if (pair_map_find(&transfers->trips, route, site, profile->round_trip_count, &index))
		return &profile->round_trips[index];
	ARRAY_RESERVE(profile->round_trips, profile->round_trip_count,
		      profile->round_trip_capacity);
	profile->round_trips[profile->round_trip_count] =
		(struct profile_round_trip){.upload = upload, .site = site, .download = download};
	return &profile->round_trips[profile->round_trip_count++];
}

static struct fetched_key key_of(const struct transfers *transfers, uint32_t object,
				 const struct gpu_transfer *transfer)
{
	struct fetched_key key = {.bytes = transfer->bytes,
				  .device = transfers->profile->objects[object].device};

	memcpy(key.digest, transfer->digest, sizeof(key.digest));
	return key;
}

static struct fetched *find_fetched(struct transfers *transfers, uint32_t object,
				    const struct gpu_transfer *transfer)
{
	const struct fetched_key key = key_of(transfers, object, transfer);
	struct fetched *fetched;

	HASH_FIND(hh, transfers->fetched, &key, sizeof(key), fetched);
	return fetched;
}

/* The object does not hold it any more, or somebody else gave it to the host later. */
static void forget(struct transfers *transfers, struct holder *holder, struct fetched *fetched)
{
	DL_DELETE(holder->fetched, fetched);
	holder->count--;
	HASH_DEL(transfers->fetched, fetched);
	free(fetched);
	if (holder->fetched)
		return;
	live_drop(&transfers->holders, holder);
}

static void fetch(struct transfers *transfers, uint32_t vertex, uint32_t object,
		  const struct gpu_transfer *transfer)
{
	struct fetched *fetched = find_fetched(transfers, object, transfer);
	struct holder *holder;

	if (fetched)
		forget(transfers, live_find(&transfers->holders, fetched->object), fetched);
	if (HASH_COUNT(transfers->fetched) >= KEPT)
		return;
	fetched = xcalloc(1, sizeof(*fetched));
	fetched->key = key_of(transfers, object, transfer);
	fetched->vertex = vertex;
	fetched->object = object;
	fetched->offset = transfer->offset;
	HASH_ADD(hh, transfers->fetched, key, sizeof(fetched->key), fetched);
	holder = live_object(&transfers->holders, object);
	if (holder->count == KEPT_OF_OBJECT)
		forget(transfers, holder, holder->fetched);
	DL_APPEND(holder->fetched, fetched);
	holder->count++;
}

static void send_back(struct transfers *transfers, uint32_t vertex, uint32_t object,
		      const struct gpu_transfer *transfer)
{
	const struct profile_object *objects = transfers->profile->objects;
	struct fetched *fetched = find_fetched(transfers, object, transfer);
	struct profile_round_trip *trip;

	if (!fetched || (objects[object].size == transfer->bytes &&
			 objects[fetched->object].size == transfer->bytes))
		return;
	trip = trip_of(transfers, vertex, objects[object].site, fetched->vertex);
	trip->uploads++;
	profile_add(&trip->upload_bytes, transfer->bytes);
	if (fetched->counted)
		return;
	fetched->counted = true;
	trip->downloads++;
	profile_add(&trip->download_bytes, transfer->bytes);
}

/* Blocks `first` to `last` of the object hold something else now. */
static void overwrite(struct transfers *transfers, uint32_t object, uint64_t first, uint64_t last)
{
	struct holder *holder = live_find(&transfers->holders, object);
	struct fetched *fetched, *next;

	if (!holder)
		return;
	for (fetched = holder->fetched; fetched; fetched = next) {
		uint64_t from = fetched->offset / GPU_ROW_BLOCK;
		uint64_t to = (fetched->offset + fetched->key.bytes - 1) / GPU_ROW_BLOCK;

		next = fetched->next;
		if (from <= last && first <= to) /* the last one takes the holder along */
			forget(transfers, holder, fetched);
	}
}

/* What the last event has written: its record, if it has one, has come. */
static void settle(struct transfers *transfers)
{
	for (uint32_t i = 0; i < transfers->written_count; i++) {
		const struct written *written = &transfers->written[i];

		overwrite(transfers, written->object, written->first, written->last);
	}
	transfers->written_count = 0;
}

/* -- what it is told -- */

static void take(void *state, const struct build_event *event, const struct build_row *rows,
		 uint32_t count)
{
	const uint32_t extents =
		UINT32_C(1) << TRACE_METRIC_FIRST_BLOCK | UINT32_C(1) << TRACE_METRIC_LAST_BLOCK;
	struct transfers *transfers = state;

	(void)event;
	settle(transfers);
	for (uint32_t i = 0; i < count; i++) {
		const bool known = (rows[i].metrics & extents) == extents;

		if (rows[i].access != TRACE_WRITE ||
		    !live_find(&transfers->holders, rows[i].object))
			continue;
		ARRAY_RESERVE(transfers->written, transfers->written_count,
			      transfers->written_capacity);
		transfers->written[transfers->written_count++] =
			(struct written){.object = rows[i].object,
					 .first = known ? rows[i].first_block : 0,
					 .last = known ? rows[i].last_block : UINT64_MAX};
	}
}

static void forget_all(struct transfers *transfers)
{
	struct holder *holder;

	while ((holder = live_any(&transfers->holders)))
		overwrite(transfers, holder->live.index, 0, UINT64_MAX);
}

static int take_transfer(struct transfers *transfers, const struct build_event *event,
			 const struct build_record *record, struct error *error)
{
	const struct gpu_transfer *transfer = record->payload;
	const struct profile_object *object = &transfers->profile->objects[record->object];

	if (!transfer->bytes || transfer->offset > object->size ||
	    transfer->bytes > object->size - transfer->offset) {
		error_set(error, "a transfer of bytes that its object does not have");
		return -1;
	}
	if (!record->of_call || event->vertex == PROFILE_NO_VERTEX)
		return 0;
	if (transfer->from_host) {
		count_upload(transfers, event->vertex, object, transfer);
		if (transfer->bytes >= LEAST && !transfer->zero)
			send_back(transfers, event->vertex, record->object, transfer);
	} else if (transfer->bytes >= LEAST && !transfer->zero && !record->freed &&
		   profile_is_device_memory(object)) {
		fetch(transfers, event->vertex, record->object, transfer);
	}
	return 0;
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	struct transfers *transfers = state;

	if (record->kind == GPU_RECORD_TRANSFER)
		return take_transfer(transfers, event, record, error);
	/* a call that was not analysed may have written anything */
	if (record->object == BUILD_NO_OBJECT)
		forget_all(transfers);
	return 0;
}

static void freed(void *state, const struct build_event *event, uint32_t object)
{
	struct transfers *transfers = state;

	(void)event;
	settle(transfers);
	overwrite(transfers, object, 0, UINT64_MAX);
}

static void process_end(void *state, const struct build_event *last)
{
	struct transfers *transfers = state;
	struct sent *sent, *next_sent;

	(void)last;
	transfers->written_count = 0;
	HASH_ITER(hh, transfers->sent, sent, next_sent)
	{
		HASH_DEL(transfers->sent, sent);
		free(sent);
	}
	forget_all(transfers);
}

static void end(void *state)
{
	struct transfers *transfers = state;

	live_release(&transfers->holders);
	pair_map_release(&transfers->rows);
	pair_map_release(&transfers->routes);
	pair_map_release(&transfers->trips);
	free(transfers->written);
	free(transfers);
}

const struct build_analysis build_transfers = {
	.name = "transfers",
	.kinds = (const uint32_t[]){GPU_RECORD_TRANSFER, GPU_RECORD_READ_UNSEEN, 0},
	.begin = begin,
	.event = take,
	.freed = freed,
	.record = take_record,
	.process_end = process_end,
	.end = end,
};
