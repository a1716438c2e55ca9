/*
 * graph/build/analysis/allocations.c: the analysis that looks at how the objects of each site were
 * used: those that no operation accessed until they were freed, or their process ended in order,
 * and those that were allocated again after one of the same size had been freed.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include <uthash.h>

#include "util/memory.h"
#include "util/pair_map.h"

struct size_key {
	uint64_t size;
	uint32_t site, process;
};

struct room { /* objects of a site and size that have been freed and not allocated again */
	struct size_key key;
	uint64_t count;
	UT_hash_handle hh;
};

struct allocations {
	struct profile *profile;
	struct room *rooms;
	struct pair_map rows; /* of profile->sites, by site and 0 */
	bool *touched;        /* by index of the object */
	uint32_t touched_count;
};

static void *begin(struct profile *profile)
{
	struct allocations *allocations = xcalloc(1, sizeof(*allocations));

	allocations->profile = profile;
	return allocations;
}

static struct profile_site *row_of(struct allocations *allocations, uint32_t site)
{
	struct profile *profile = allocations->profile;
	uint32_t index;

	if (pair_map_find(&allocations->rows, site, 0, profile->site_count, &index))
		return &profile->sites[index];
	ARRAY_RESERVE(profile->sites, profile->site_count, profile->site_capacity);
	profile->sites[profile->site_count] = (struct profile_site){.site = site};
	return &profile->sites[profile->site_count++];
}

static struct room *room_of(struct allocations *allocations, const struct profile_object *object)
{
	struct size_key key = {object->size, object->site, object->process};
	struct room *room;

	HASH_FIND(hh, allocations->rooms, &key, sizeof(key), room);
	if (!room) {
		room = xcalloc(1, sizeof(*room));
		room->key = key;
		HASH_ADD(hh, allocations->rooms, key, sizeof(room->key), room);
	}
	return room;
}

static void make_object(void *state, const struct build_event *event, uint32_t index)
{
	struct allocations *allocations = state;
	const struct profile_object *object = &allocations->profile->objects[index];
	struct profile_site *row = row_of(allocations, object->site);
	struct room *room = room_of(allocations, object);

	(void)event;
	row->objects++;
	profile_add(&row->bytes, object->size);
	if (room->count) {
		room->count--;
		row->repeated++;
		profile_add(&row->repeated_bytes, object->size);
	}
	if (index >= allocations->touched_count) {
		uint32_t count = 2 * index + 64;

		allocations->touched = xreallocarray(allocations->touched, count, sizeof(bool));
		for (uint32_t i = allocations->touched_count; i < count; i++)
			allocations->touched[i] = false;
		allocations->touched_count = count;
	}
}

static void touch(void *state, const struct build_event *event, const struct build_row *rows,
		  uint32_t count)
{
	struct allocations *allocations = state;

	(void)event;
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].object < allocations->touched_count)
			allocations->touched[rows[i].object] = true;
}

static void freed(void *state, const struct build_event *event, uint32_t index)
{
	struct allocations *allocations = state;

	(void)event;
	room_of(allocations, &allocations->profile->objects[index])->count++;
}

static void end(void *state)
{
	struct allocations *allocations = state;
	const struct profile *profile = allocations->profile;
	struct room *room, *next;

	for (uint32_t i = 0; i < profile->object_count; i++) {
		const struct profile_object *object = &profile->objects[i];
		struct profile_site *row = row_of(allocations, object->site);

		if (i < allocations->touched_count && allocations->touched[i])
			continue;
		/* of one that was killed nobody knows what it would have used */
		if (!object->end_ns && !profile->processes[object->process].ended)
			continue;
		row->untouched++;
		profile_add(&row->untouched_bytes, profile->objects[i].size);
	}
	HASH_ITER(hh, allocations->rooms, room, next)
	{
		HASH_DEL(allocations->rooms, room);
		free(room);
	}
	pair_map_release(&allocations->rows);
	free(allocations->touched);
	free(allocations);
}

const struct build_analysis build_allocations = {
	.name = "allocations",
	.begin = begin,
	.object = make_object,
	.event = touch,
	.freed = freed,
	.end = end,
};
