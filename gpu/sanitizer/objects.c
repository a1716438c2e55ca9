/* gpu/sanitizer/objects.c: the objects of a context, and the table that the patches search. */
#include <stdlib.h>
#include <string.h>

#include "gpu/sanitizer/space_internal.h"

/* -- the list by address ------------------------------------------------------------------ */

/* How many objects start at or before the address. */
static uint32_t place(const struct space *space, uint64_t address)
{
	uint32_t low = 0, high = space->object_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (space->objects[middle]->address > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct object *space_find(struct space *space, uint64_t address)
{
	uint32_t at = place(space, address);
	struct object *object = at ? space->objects[at - 1] : NULL;

	return object && address - object->address < object->size ? object : NULL;
}

static bool insert(struct space *space, struct object *object)
{
	uint32_t at = place(space, object->address);

	if (space->object_count == space->object_capacity) {
		uint32_t capacity = space->object_capacity ? 2 * space->object_capacity : 256;
		struct object **more =
			reallocarray(space->objects, capacity, sizeof(struct object *));

		if (!more)
			return false;
		space->objects = more;
		space->object_capacity = capacity;
	}
	memmove(&space->objects[at + 1], &space->objects[at],
		(space->object_count - at) * sizeof(struct object *));
	space->objects[at] = object;
	space->object_count++;
	return true;
}

struct object *space_add(struct space *space, uint64_t address, uint64_t size,
			 enum gpu_memory memory, bool follow_it)
{
	struct object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
	*object = (struct object){.space = space,
				  .address = address,
				  .size = size,
				  .memory = memory,
				  .slot = NO_SLOT};
	if (!insert(space, object)) {
		free(object);
		return NULL;
	}
	if (memory == GPU_MEMORY_MANAGED || memory == GPU_MEMORY_MAPPED_HOST)
		object_share(object);
	if (follow_it)
		object_follow(object);
	return object;
}

void object_share(struct object *object)
{
	object->space->shared_count += !object->shared;
	object->shared = true;
}

bool space_has_shared(const struct space *space)
{
	return space->shared_count;
}

void space_forget_shared(struct space *space)
{
	for (uint32_t i = 0; space->shared_count && i < space->object_count; i++)
		if (space->objects[i]->shared)
			space_forget_later(space->objects[i]);
}

void space_remove(struct object *object)
{
	struct space *space = object->space;
	uint32_t at = place(space, object->address);

	while (at && space->objects[at - 1] != object)
		at--;
	if (at) {
		memmove(&space->objects[at - 1], &space->objects[at],
			(space->object_count - at) * sizeof(struct object *));
		space->object_count--;
	}
	space->shared_count -= object->shared;
	object_unfollow(object);
	free(object->name);
	free(object);
}

void space_remove_module(struct space *space, CUmodule module)
{
	for (uint32_t i = space->object_count; i-- > 0;)
		if (space->objects[i]->module == module)
			space_remove(space->objects[i]);
}

void object_identify(struct object *object, uint32_t id, uint32_t site)
{
	struct space *space = object->space;

	object->id = id;
	object->site = site;
	/* variables have SITE_OF_VARIABLE for good */
	if (object->slot == NO_SLOT || object->memory == GPU_MEMORY_GLOBAL)
		return;
	space->unfinished = true;
	space_check(space, driver.cuMemcpyHtoDAsync(
				   object_record(object) + offsetof(struct device_record, site),
				   &object->site, sizeof(object->site), space->stream));
}

/* -- the table ---------------------------------------------------------------------------- */

bool space_is_published(const struct space *space)
{
	return space->published;
}

struct entry {
	uint64_t start;
	CUdeviceptr record;
};

static int by_start(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Adds the followed objects of a space to a table.  Returns how many there are then. */
static uint32_t add_entries(struct entry *entries, uint32_t count, const struct space *space)
{
	for (uint32_t i = 0; i < space->object_count; i++) {
		const struct object *object = space->objects[i];

		if (object->slot != NO_SLOT)
			entries[count++] = (struct entry){object->address, object_record(object)};
	}
	return count;
}

static bool make_room(struct space *space, uint32_t wanted)
{
	uint32_t capacity = space->slot_capacity > wanted ? space->slot_capacity : 2 * wanted;

	if (space->table_capacity >= wanted)
		return true;
	if (space->table && space_wait(space))
		driver.cuMemFree(space->table);
	space->table = 0;
	space->table_capacity = 0;
	if (!space_check(space, driver.cuMemAlloc(&space->table, capacity * sizeof(struct entry))))
		return false;
	space->table_capacity = capacity;
	return true;
}

static bool put_table(struct space *space, CUdeviceptr to, const void *from, size_t size)
{
	return !size || space_check(space, driver.cuMemcpyHtoDAsync(to, from, size, space->stream));
}

static bool upload(struct space *space, const struct entry *entries, uint32_t count)
{
	const struct device_state state = {
		.starts = (const uint64_t *)(uintptr_t)space->table,
		.count = count,
		.room = space->table_capacity,
		.records = (struct device_record *)(uintptr_t)space->records,
		.list = (uint32_t *)(uintptr_t)space->list};
	const size_t size = count * sizeof(uint64_t);
	uint64_t *table = calloc(count + 1, 2 * sizeof(uint64_t));
	bool done;

	if (!table)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		table[i] = entries[i].start;
		table[count + i] = entries[i].record;
	}
	done = space_check(space,
			   driver.cuMemcpyHtoDAsync(space->state, &state,
						    offsetof(struct device_state, touched_count),
						    space->stream)) &&
	       put_table(space, space->table, table, size) &&
	       put_table(space, space->table + space->table_capacity * sizeof(uint64_t),
			 table + count, size) &&
	       space_wait(space);
	free(table);
	return done;
}

int space_publish(struct space *space, struct space *const *peers, unsigned peer_count)
{
	uint32_t count = space->object_count;
	struct entry *entries;

	if (space->published && !peer_count && !space->foreign)
		return 0;
	for (unsigned i = 0; i < peer_count; i++)
		count += peers[i]->object_count;
	space->published = false;
	if (!make_room(space, count))
		return -1;
	entries = calloc(count + 1, sizeof(*entries));
	if (!entries)
		return -1;
	count = add_entries(entries, 0, space);
	for (unsigned i = 0; i < peer_count; i++)
		count = add_entries(entries, count, peers[i]);
	if (peer_count)
		qsort(entries, count, sizeof(*entries), by_start);
	space->foreign = peer_count;
	space->published = upload(space, entries, count);
	free(entries);
	return space->published ? 0 : -1;
}
