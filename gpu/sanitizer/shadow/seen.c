/*
 * gpu/sanitizer/shadow/seen.c: what may have been read without an API that says so: epochs (see
 * BLOCK_EPOCH in device_state.h).
 */
#include <stddef.h>

#include "gpu/sanitizer/shadow/space_internal.h"

uint32_t object_seen_epoch(const struct object *object)
{
	return object->exposed || object->constant || object->coarse ||
			       object->memory == GPU_MEMORY_ARRAY ||
			       object_shared_by(object) != NOT_SHARED
		       ? EPOCH_LAST
		       : object->seen_epoch;
}

/* Ends the epoch in which passes have left bytes unread so far.  Returns the one that is over. */
static uint32_t end_epoch(struct space *space)
{
	if (space->view.epoch == EPOCH_LAST)
		return EPOCH_LAST; /* nothing is unread from now on */
	if (space->epoch_ticket != space->ticket) {
		space->epoch_ticket = space->ticket;
		space->view.epoch++;
	}
	return space->view.epoch - 1;
}

bool space_all_seen(struct space *space)
{
	const uint32_t before = space->view.seen_epoch;

	space->view.seen_epoch = end_epoch(space);
	space->all_seen_count++;
	return space->view.seen_epoch != before;
}

void object_note_seen(struct object *object, uint32_t before)
{
	const uint32_t epoch = object_seen_epoch(object);
	struct space *space = object->space;

	if (epoch == before)
		return;
	object_upload(object, offsetof(struct device_record, seen_epoch), &epoch, sizeof(epoch));
	space->seen_count += !object->seen;
	object->seen = true;
}

void object_seen(struct object *object)
{
	const uint32_t before = object_seen_epoch(object);

	object->seen_epoch = end_epoch(object->space);
	object_note_seen(object, before);
}

uint32_t object_seen_by_command(struct object *object)
{
	const uint32_t before = object_seen_epoch(object);
	uint32_t epoch;

	object->seen_epoch = end_epoch(object->space);
	epoch = object_seen_epoch(object);
	if (epoch != before) {
		object->space->seen_count += !object->seen;
		object->seen = true;
	}
	return epoch;
}

void object_expose(struct object *object)
{
	const uint32_t before = object_seen_epoch(object);

	object->exposed = true;
	object_note_seen(object, before);
}

void space_seen(struct space *space, void (*seen)(void *data, uint32_t object), void *data)
{
	if (space->all_seen)
		seen(data, 0);
	for (uint32_t i = 0; i < space->object_count && space->seen_count; i++) {
		struct object *object = space->objects[i];

		if (!object->seen)
			continue;
		object->seen = false;
		space->seen_count--;
		if (object->id && !space->all_seen)
			seen(data, object->id);
	}
	space->all_seen = false;
}
