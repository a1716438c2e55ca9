/*
 * gpu/sanitizer/event_memory.c: allocations and frees.
 */
#include "gpu/sanitizer/events_internal.h"

void event_alloc(const struct thread *thread, const struct operation *operation)
{
	struct space *space = events_make_space(operation->context);
	struct object *object;
	struct gpu_call call;
	bool follow = operation->memory == GPU_MEMORY_DEVICE;

	if (operation->memory == GPU_MEMORY_MAPPED_HOST) {
		events_sink->coverage("pinned host memory",
				      "what kernels do in memory of the host is not followed", 1,
				      operation->size);
		return;
	}
	object = space_find(space, operation->address);
	if (object && object->address == operation->address)
		space_remove(object); /* its free was not seen */
	object = space_add(space, operation->address, operation->size, operation->memory, follow);
	if (!object)
		return;
	event_begin(&call, GPU_ALLOC, event_public_name(thread->name), operation->stream, thread);
	object_identify(object, event_introduce(&call, object), call.context);
	events_sink->end(&call, NULL, 0);
	if (!follow)
		events_sink->coverage("managed memory",
				      "accesses to managed memory are not followed", 1,
				      operation->size);
	else if (object->slot == NO_SLOT)
		events_sink->coverage("objects", "no GPU memory for the shadow of an allocation", 1,
				      operation->size);
}

void event_free(const struct thread *thread, const struct operation *operation)
{
	struct space *space = events_find_space(operation->context);
	struct object *object = space ? space_find(space, operation->address) : NULL;
	struct gpu_call call;

	for (unsigned i = 0; !object && i < event_space_count; i++)
		object = space_find(event_spaces[i], operation->address);
	if (!object || object->address != operation->address)
		return;
	event_begin(&call, GPU_FREE, event_public_name(thread->name), operation->stream, thread);
	events_sink->released(&call, object->id);
	space_remove(object);
	events_sink->end(&call, NULL, 0);
}
