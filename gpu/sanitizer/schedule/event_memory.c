/*
 * gpu/sanitizer/schedule/event_memory.c: allocations and frees.
 */
#include "gpu/nvidia/apis.h"
#include "gpu/sanitizer/schedule/events_internal.h"

#include <string.h>

void event_release(const struct api_call *api_call, const struct operation *operation,
		   struct object *object)
{
	struct gpu_accessed accessed;
	const bool follows = event_accessed(object, &accessed);
	const uint32_t id = object->id;
	struct gpu_call call;

	event_begin(&call, GPU_FREE, event_public_name(api_call->name),
		    operation ? operation->stream : NULL, api_call,
		    operation ? operation_node(operation) : NULL);
	events_sink->released(&call, id);
	events_object_gone(id);
	space_remove(object);
	events_sink->end(&call, NULL, 0);
	if (follows)
		event_tell_accessed(&call, id, &accessed);
}

void event_alloc(const struct api_call *api_call, const struct operation *operation)
{
	struct space *space = events_make_space(operation->context);
	struct object *object;
	struct gpu_call call;

	object = space_find(space, operation->address);
	if (object && object->address == operation->address) {
		if (operation->may_be_known && object->size == operation->size)
			return;
		event_release(api_call, operation, object); /* a graph freed it by itself */
	}
	object = space_add(space, operation->address, operation->size, operation->memory, false);
	if (!object)
		return;
	event_begin(&call, GPU_ALLOC, event_public_name(api_call->name), operation->stream,
		    api_call, operation_node(operation));
	object_identify(object, event_introduce(&call, object), call.context);
	events_sink->end(&call, NULL, 0);
	object->external_writers = operation->external_writers;
	if (!operation->transient)
		object_follow(object);
	else if (!operation->unordered)
		object_follow_transient(object);
	if (!operation->transient && object->memory == GPU_MEMORY_DEVICE)
		event_device_allocated(space);
	if (operation->transient)
		events_sink->coverage(operation->unordered ? COVERAGE_GRAPH_MEMORY_NOT_FOLLOWED
							   : COVERAGE_GRAPH_MEMORY_NOT_COMPARED,
				      NULL, 1, operation->size);
	else if (object->slot == NO_SLOT)
		events_sink->coverage(queues_timed_out() ? COVERAGE_OBJECT_BESIDE_TIMED_OUT
				      : object->size > OBJECT_SIZE_LIMIT
					      ? COVERAGE_OBJECT_TOO_LARGE
					      : COVERAGE_OBJECT_WITHOUT_SHADOW,
				      NULL, 1, operation->size);
	else if (object->memory != GPU_MEMORY_DEVICE)
		events_sink->coverage(object->memory == GPU_MEMORY_MANAGED ? COVERAGE_MANAGED_MEMORY
									   : COVERAGE_PINNED_MEMORY,
				      NULL, 1, operation->size);
}

static void shadow_on_host(const struct object *object)
{
	events_sink->coverage(COVERAGE_SHADOW_ON_HOST, NULL, 1, object->size);
}

static void shadow_coarse(const struct object *object)
{
	events_sink->coverage(COVERAGE_SHADOW_COARSE, NULL, 1, object->size);
}

static void shadow_forgotten(const struct object *object)
{
	events_sink->coverage(COVERAGE_OBJECT_FORGOTTEN, NULL, 1, object->size);
}

static void shadow_given_up(const struct object *object)
{
	uint8_t digest[DIGEST_BYTES] = {0};

	events_sink->coverage(COVERAGE_OBJECT_GIVEN_UP, NULL, 1, object->size);
	if (!object->reported)
		return;
	/* a digest that no content has: others begin with a hash, which is not all but zero */
	memcpy(digest, &object->id, sizeof(object->id));
	event_content(NULL, object->id, digest, false);
}

void event_shortage(const struct object *object, enum shortage what)
{
	static void (*const say[])(const struct object *object) = {
		[SHORTAGE_ON_HOST] = shadow_on_host,
		[SHORTAGE_COARSE] = shadow_coarse,
		[SHORTAGE_FORGOTTEN] = shadow_forgotten,
		[SHORTAGE_GIVEN_UP] = shadow_given_up,
	};

	say[what](object);
}

void event_free(const struct api_call *api_call, const struct operation *operation)
{
	struct object *object = events_find_object(operation->context, operation->address);

	if (!object || object->address != operation->address)
		return;
	/* the memory may be mapped elsewhere, with what is in it */
	if (api_is(api_call->name, "cuMemUnmap")) {
		object_seen(object);
		event_seen(NULL, object->space);
	}
	event_release(api_call, operation, object);
}
