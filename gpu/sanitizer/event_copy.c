/*
 * gpu/sanitizer/event_copy.c: copies and sets.
 */
#include "gpu/sanitizer/events_internal.h"

#include "gpu/sanitizer/events.h"

/* Whether the rows of one side of a copy or set lie inside the object. */
static bool fits(const struct object *object, uint64_t address, uint64_t pitch, uint64_t slice,
		 const struct operation *operation)
{
	uint64_t offset = address - object->address, end;

	if (__builtin_mul_overflow(slice, operation->depth - 1, &end) ||
	    __builtin_add_overflow(end, pitch * (operation->height - 1), &end) ||
	    __builtin_add_overflow(end, operation->width, &end))
		return false;
	return end <= object->size - offset;
}

/* Sets the masks of what a copy touches. */
static void mark_copy(struct object *to, struct object *from, const struct operation *operation)
{
	for (uint64_t i = 0; i < operation->depth; i++) {
		uint64_t at = object_is_followed(to)
				      ? operation->address - to->address + i * operation->slice
				      : 0;
		uint64_t from_at = object_is_followed(from)
					   ? operation->from_address - from->address +
						     i * operation->from_slice
					   : 0;

		if (object_is_followed(from))
			space_mark(from, from_at, operation->from_pitch, operation->width,
				   operation->height, MARK_READ);
		if (object_is_followed(to) && object_is_followed(from) && to->space == from->space)
			space_mark_copy(to, at, operation->pitch, from, from_at,
					operation->from_pitch, operation->width, operation->height);
		else if (object_is_followed(to))
			space_mark(to, at, operation->pitch, operation->width, operation->height,
				   MARK_WRITTEN);
	}
}

/* A side that the driver calls device memory, but that we know nothing of. */
static void check_side(bool device, const struct object *object, uint64_t bytes)
{
	if (device && !object)
		events_sink->coverage("copies", "an array or memory whose allocation was not seen",
				      1, bytes);
}

void event_copy(const struct thread *thread, const struct operation *operation)
{
	uint64_t bytes = operation->width * operation->height * operation->depth;
	struct object *to = events_find_object(operation->context, operation->address);
	struct object *from = events_find_object(operation->from_context, operation->from_address);
	struct host_row host = {.bytes = bytes};
	struct gpu_call call;

	check_side(operation->to_device, to, bytes);
	check_side(operation->from_device, from, bytes);
	if (!to && !from && !operation->to_device && !operation->from_device)
		return; /* from host to host */
	if (to)
		event_announce(to);
	if (from)
		event_announce(from);
	event_begin(&call, GPU_COPY, event_public_name(thread->name), operation->stream, thread);
	if ((object_is_followed(to) &&
	     !fits(to, operation->address, operation->pitch, operation->slice, operation)) ||
	    (object_is_followed(from) && !fits(from, operation->from_address, operation->from_pitch,
					       operation->from_slice, operation))) {
		events_sink->coverage("copies", "a copy across the bounds of an allocation", 1,
				      bytes);
		events_missed();
		events_sink->end(&call, NULL, 0);
		return;
	}
	mark_copy(to, from, operation);
	if (to && !from && !operation->from_device)
		host.object = to, host.access = GPU_FROM_HOST;
	else if (from && !to && !operation->to_device)
		host.object = from, host.access = GPU_TO_HOST;
	if (to && from && to->space != from->space && object_is_followed(to)) {
		/* two devices: two passes, one event each would be two invocations */
		events_sink->coverage(
			"copies", "what a copy between two devices read is not counted", 1, bytes);
		events_missed();
	}
	event_settle(&call,
		     to     ? to->space
		     : from ? from->space
			    : events_find_space(operation->context),
		     &host);
}

void event_set(const struct thread *thread, const struct operation *operation)
{
	struct object *object = events_find_object(operation->context, operation->address);
	const struct host_row host = {0};
	struct gpu_call call;

	if (object)
		event_announce(object);
	event_begin(&call, GPU_SET, event_public_name(thread->name), operation->stream, thread);
	if (!object)
		events_sink->coverage("sets", "memory whose allocation was not seen", 1,
				      operation->width);
	if (!object_is_followed(object) || !operation->width) {
		events_sink->end(&call, NULL, 0);
		return;
	}
	if (!fits(object, operation->address, operation->pitch, 0, operation)) {
		events_sink->coverage("sets", "a set across the bounds of an allocation", 1, 0);
		events_missed();
		events_sink->end(&call, NULL, 0);
		return;
	}
	space_mark(object, operation->address - object->address, operation->pitch, operation->width,
		   operation->height, MARK_WRITTEN);
	event_settle(&call, object->space, &host);
}
