/*
 * gpu/sanitizer/event_memory.c: allocations and frees.
 */
#include "gpu/sanitizer/events_internal.h"

void event_alloc(const struct thread *thread, const struct operation *operation)
{
	struct space *space = events_make_space(operation->context);
	struct object *object;
	struct gpu_call call;

	object = space_find(space, operation->address);
	if (object && object->address == operation->address) {
		if (operation->again && object->size == operation->size)
			return;
		space_remove(object); /* its free was not seen */
	}
	object = space_add(space, operation->address, operation->size, operation->memory, true);
	if (!object)
		return;
	event_begin(&call, GPU_ALLOC, event_public_name(thread->name), operation->stream, thread);
	object_identify(object, event_introduce(&call, object), call.context);
	events_sink->end(&call, NULL, 0);
	if (operation->whole)
		space_forget(object); /* what the graph does with it is not known */
	if (object->slot == NO_SLOT)
		events_sink->coverage("objects", "no GPU memory for the shadow of an allocation", 1,
				      operation->size);
	else if (object->memory != GPU_MEMORY_DEVICE)
		events_sink->coverage(object->memory == GPU_MEMORY_MANAGED ? "managed memory"
									   : "pinned host memory",
				      "what the host writes is seen when the GPU reads it; what is "
				      "overwritten before is not",
				      1, operation->size);
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
	events_object_gone(object->id);
	space_remove(object);
	events_sink->end(&call, NULL, 0);
}
