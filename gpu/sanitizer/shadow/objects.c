/* gpu/sanitizer/shadow/objects.c: the objects of a context. */
#include <stdlib.h>
#include <string.h>

#include "gpu/sanitizer/shadow/space_internal.h"

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
	if (memory == GPU_MEMORY_DEVICE)
		space->allocated += size;
	if (follow_it)
		object_follow(object);
	return object;
}

bool space_has_shared(const struct space *space)
{
	return space->shared_count;
}

uint8_t object_shared_by(const struct object *object)
{
	const struct space *space = object->space;

	if (object->coarse)
		return NOT_SHARED;
	if (object->external_writers || space->share_all || (object->shared && space->share_hosts))
		return SHARED_EXTERNAL;
	return object->shared ? SHARED_HOST : NOT_SHARED;
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
	if (object->memory == GPU_MEMORY_DEVICE)
		space->allocated -= object->size;
	space->shared_count -= object->shared;
	space->seen_count -= object->seen;
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
	/* records of variables always have SITE_OF_VARIABLE */
	if (object->slot == NO_SLOT || object->memory == GPU_MEMORY_GLOBAL)
		return;
	space->unfinished = true;
	space_check(space, driver.cuMemcpyHtoDAsync(
				   object_record(object) + offsetof(struct device_record, site),
				   &object->site, sizeof(object->site), space->stream));
}

void object_upload(struct object *object, size_t member, const void *value, size_t size)
{
	struct space *space = object->space;

	if (object->slot == NO_SLOT || space->failed)
		return;
	space->unfinished = true;
	space_check(space, driver.cuMemcpyHtoDAsync(object_record(object) + member, value, size,
						    space->stream));
}

/* -- other writers ------------------------------------------------------------------------ */

static void upload_shared(struct object *object, uint32_t seen_before)
{
	const uint8_t shared = object_shared_by(object);

	object_upload(object, offsetof(struct device_record, shared), &shared, sizeof(shared));
	object_note_seen(object, seen_before);
}

void object_share(struct object *object)
{
	const uint32_t before = object_seen_epoch(object);

	if (object->shared)
		return;
	object->space->shared_count++;
	object->shared = true;
	if (object->slot != NO_SLOT) /* else its record will say so from the start */
		upload_shared(object, before);
}

void object_share_external(struct object *object)
{
	const uint32_t before = object_seen_epoch(object);

	if (object->external_writers)
		return;
	object->external_writers = true;
	upload_shared(object, before);
}

void space_share(struct space *space, enum share share)
{
	bool *all = share == SHARE_ALL ? &space->share_all : &space->share_hosts;

	if (*all)
		return;
	/* those that the host writes to are exposed already */
	if (share == SHARE_ALL)
		space->all_seen |= space_all_seen(space);
	*all = true;
	for (uint32_t i = 0; i < space->object_count; i++)
		if (share == SHARE_ALL || space->objects[i]->shared)
			upload_shared(space->objects[i], share == SHARE_ALL ? 0 : EPOCH_LAST);
}
