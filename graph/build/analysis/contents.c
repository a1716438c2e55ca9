/*
 * graph/build/analysis/contents.c: the analysis that knows which objects hold which content: what
 * the host sends back to a device that still holds it, and which objects are given what another one
 * holds.
 *
 * An object that was given such content shares it, until it gets another one.  It could have been
 * spared if its readers could have read the other object: while it was read, somebody held the
 * content longer than it, and it was not changed in place.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "graph/build/live.h"
#include "util/memory.h"
#include "util/pair_map.h"

/* Of one device: others cannot do with what it holds. */
struct content_key {
	uint64_t size;
	uint32_t device;
	uint8_t digest[GPU_DIGEST_SIZE];
};

struct object {
	struct live_object live;
	struct content *content; /* NULL: not known, or never written */
	struct object *next, *previous;
	uint64_t since;   /* event that gave the content */
	uint32_t row;     /* of profile->shares, + 1; 0: it shares nothing */
	uint64_t changes; /* of the content's oldest, when it got that */
	bool needed;      /* some reader could not have read another object */
	bool was_read;
	/* by the event of this number */
	uint64_t event, read, written, from_host, to_host;
};

struct content {
	struct content_key key;
	bool zero;              /* many objects are so by chance: no round trip */
	struct object *objects; /* the newest first */
	struct object *oldest;
	uint64_t changes; /* how often the oldest one got other content */
	/* the last time that the host got it */
	bool downloaded, counted;
	uint32_t download;
	UT_hash_handle hh;
};

struct pair_rows { /* rows of a table by three numbers */
	struct pair_map outer, inner;
};

struct contents {
	struct profile *profile;
	struct live live; /* of the process */
	struct content *contents;
	struct pair_rows shares, trips;
	struct object **touched; /* by the last event */
	uint32_t touched_count, touched_capacity;
	uint32_t vertex; /* of the last event */
	uint64_t event;  /* its number */
	uint32_t kept;   /* contents that no object holds, for downloads */
};

enum { KEPT = 65536 }; /* contents of which only downloads are known */

static void *begin(struct profile *profile)
{
	struct contents *contents = xcalloc(1, sizeof(*contents));

	contents->profile = profile;
	contents->live = (struct live){.object_size = sizeof(struct object)};
	contents->vertex = PROFILE_NO_VERTEX;
	return contents;
}

/* Whether the row is there; its number, or `next` for one that is new. */
static bool find_row(struct pair_rows *rows, uint32_t a, uint32_t b, uint32_t c, uint32_t next,
		     uint32_t *index)
{
	uint32_t outer;

	pair_map_find(&rows->outer, a, b, rows->outer.count, &outer);
	return pair_map_find(&rows->inner, outer, c, next, index);
}

/* -- what objects hold -- */

static void drop_content(struct contents *contents, struct content *content)
{
	if (content->objects)
		return;
	if (content->downloaded && contents->kept < KEPT) {
		contents->kept++;
		return;
	}
	HASH_DEL(contents->contents, content);
	free(content);
}

/* Its readers are known: counts what it shared. */
static void end_share(struct contents *contents, struct object *object)
{
	struct profile_share *row;

	if (!object->row)
		return;
	row = &contents->profile->shares[object->row - 1];
	if (object->was_read && !object->needed) {
		row->spared++;
		profile_add(&row->bytes, contents->profile->objects[object->live.index].size);
	}
	object->row = 0;
}

/* The object gets another content, or goes. */
static void leave(struct contents *contents, struct object *object)
{
	struct content *content = object->content;

	end_share(contents, object);
	if (!content)
		return;
	if (object->previous)
		object->previous->next = object->next;
	else
		content->objects = object->next;
	if (object->next)
		object->next->previous = object->previous;
	if (object == content->oldest) {
		content->oldest = object->previous;
		content->changes++;
	}
	object->content = NULL;
	drop_content(contents, content);
}

static void begin_share(struct contents *contents, struct object *object,
			const struct object *holder)
{
	struct profile *profile = contents->profile;
	uint32_t site = profile->objects[object->live.index].site;
	uint32_t of = profile->objects[holder->live.index].site, index;

	if (!find_row(&contents->shares, contents->vertex, site, of, profile->share_count,
		      &index)) {
		ARRAY_RESERVE(profile->shares, profile->share_count, profile->share_capacity);
		profile->shares[profile->share_count++] = (struct profile_share){
			.vertex = contents->vertex, .site = site, .holder = of};
	}
	profile->shares[index].writes++;
	object->row = index + 1;
	object->needed = object->was_read = false;
}

static void join(struct contents *contents, struct object *object,
		 const struct gpu_content *payload)
{
	const struct profile_object *of = &contents->profile->objects[object->live.index];
	struct content_key key;
	struct content *content;

	memset(&key, 0, sizeof(key)); /* with the padding: it is hashed */
	key.size = of->size;
	key.device = of->device;
	memcpy(key.digest, payload->digest, sizeof(key.digest));
	HASH_FIND(hh, contents->contents, &key, sizeof(key), content);
	if (!content) {
		content = xcalloc(1, sizeof(*content));
		content->key = key;
		content->zero = payload->zero;
		HASH_ADD(hh, contents->contents, key, sizeof(content->key), content);
	} else if (!content->objects) {
		contents->kept -= content->downloaded && contents->kept;
	}
	if (content->oldest && contents->vertex != PROFILE_NO_VERTEX)
		begin_share(contents, object, content->oldest);
	object->content = content;
	object->changes = content->changes;
	object->since = contents->event;
	object->previous = NULL;
	object->next = content->objects;
	if (content->objects)
		content->objects->previous = object;
	else
		content->oldest = object;
	content->objects = object;
}

/* -- round trips -- */

static void add_trip(struct contents *contents, const struct object *object,
		     struct content *content)
{
	struct profile *profile = contents->profile;
	uint32_t site = profile->objects[object->live.index].site, index;
	struct profile_round_trip *trip;

	if (!find_row(&contents->trips, contents->vertex, site, content->download,
		      profile->round_trip_count, &index)) {
		ARRAY_RESERVE(profile->round_trips, profile->round_trip_count,
			      profile->round_trip_capacity);
		profile->round_trips[profile->round_trip_count++] = (struct profile_round_trip){
			.upload = contents->vertex, .site = site, .download = content->download};
	}
	trip = &profile->round_trips[index];
	trip->uploads++;
	profile_add(&trip->upload_bytes, content->key.size);
	if (content->counted)
		return;
	content->counted = true;
	trip->downloads++;
	profile_add(&trip->download_bytes, content->key.size);
}

/* Whether an object held the content before the last event. */
static bool was_held(const struct contents *contents, const struct content *content)
{
	for (const struct object *object = content->objects; object; object = object->next)
		if (object->since < contents->event)
			return true;
	return false;
}

/* The content of the object is what the last event has left there. */
static void look_at_transfer(struct contents *contents, struct object *object)
{
	uint64_t size = contents->profile->objects[object->live.index].size;
	struct content *content = object->content;

	if (!content || content->zero)
		return;
	if (object->to_host == size) {
		content->downloaded = true;
		content->counted = false;
		content->download = contents->vertex;
	}
	if (object->from_host == size && content->downloaded && was_held(contents, content))
		add_trip(contents, object, content);
}

/* -- what it is told -- */

/* The last event's records have come. */
static void settle(struct contents *contents)
{
	for (uint32_t i = 0; i < contents->touched_count; i++) {
		struct object *object = contents->touched[i];

		look_at_transfer(contents, object);
		if (!object->row || !object->read || object->since == contents->event)
			continue;
		object->was_read = true;
		/* the one that had the content before it has another one now */
		object->needed |= object->changes != object->content->changes;
	}
	contents->touched_count = 0;
}

static void gather(struct contents *contents, const struct build_event *event,
		   const struct build_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct object *object = live_object(&contents->live, rows[i].object);

		if (object->event != event->number) {
			object->event = event->number;
			object->read = object->written = object->from_host = object->to_host = 0;
			ARRAY_RESERVE(contents->touched, contents->touched_count,
				      contents->touched_capacity);
			contents->touched[contents->touched_count++] = object;
		}
		switch (rows[i].access) {
		case TRACE_READ:
			object->read += rows[i].bytes;
			break;
		case TRACE_WRITE:
			object->written += rows[i].bytes;
			break;
		case TRACE_FROM_HOST:
			object->from_host += rows[i].bytes;
			break;
		case TRACE_TO_HOST:
			object->to_host += rows[i].bytes;
			break;
		}
	}
}

static void take(void *state, const struct build_event *event, const struct build_row *rows,
		 uint32_t count)
{
	struct contents *contents = state;

	settle(contents);
	contents->vertex = event->vertex;
	contents->event = event->number;
	gather(contents, event, rows, count);
}

static int take_content(void *state, const struct build_event *event,
			const struct build_record *record, struct error *error)
{
	const struct gpu_content *payload = record->payload;
	struct contents *contents = state;
	struct object *object;
	bool touched;

	(void)error;
	if (record->freed)
		return 0;
	object = live_object(&contents->live, record->object);
	if (object->content &&
	    !memcmp(object->content->key.digest, payload->digest, GPU_DIGEST_SIZE))
		return 0;
	touched = object->event == event->number;
	/* changed in place or in part: what was left of the old content is still used */
	if (!touched || object->read ||
	    object->written < contents->profile->objects[object->live.index].size)
		object->needed = true;
	leave(contents, object);
	join(contents, object, payload);
	return 0;
}

static void forget(struct contents *contents, struct object *object)
{
	leave(contents, object);
	live_drop(&contents->live, object);
}

static void freed(void *state, const struct build_event *event, uint32_t index)
{
	struct contents *contents = state;
	struct object *object;

	(void)event;
	settle(contents);
	object = live_find(&contents->live, index);
	if (object)
		forget(contents, object);
}

static void process_end(void *state, const struct build_event *last)
{
	struct contents *contents = state;
	struct object *object;
	struct content *content, *next_content;

	(void)last;
	settle(contents);
	while ((object = live_any(&contents->live)))
		forget(contents, object);
	HASH_ITER(hh, contents->contents, content, next_content)
	{
		HASH_DEL(contents->contents, content);
		free(content);
	}
	contents->kept = 0;
}

static void end(void *state)
{
	struct contents *contents = state;

	live_release(&contents->live);
	pair_map_release(&contents->shares.outer);
	pair_map_release(&contents->shares.inner);
	pair_map_release(&contents->trips.outer);
	pair_map_release(&contents->trips.inner);
	free(contents->touched);
	free(contents);
}

const struct build_analysis build_contents = {
	.name = "contents",
	.kinds = (const uint32_t[]){GPU_RECORD_CONTENT, 0},
	.begin = begin,
	.event = take,
	.freed = freed,
	.record = take_content,
	.process_end = process_end,
	.end = end,
};
