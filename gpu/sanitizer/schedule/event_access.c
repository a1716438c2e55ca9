/* gpu/sanitizer/schedule/event_access.c: tells the sink what of objects is accessed. */
#include "gpu/sanitizer/schedule/events_internal.h"

static void tell_slice(void *data, uint32_t object, const struct gpu_slice *slice)
{
	events_sink->record(data, &(struct gpu_record){.kind = GPU_RECORD_SLICE,
						       .object = object,
						       .payload = slice,
						       .size = sizeof(*slice)});
}

static void tell_frequency(void *data, uint32_t object, const struct gpu_frequency *frequency)
{
	events_sink->record(data, &(struct gpu_record){.kind = GPU_RECORD_FREQUENCY,
						       .object = object,
						       .payload = frequency,
						       .size = sizeof(*frequency)});
}

void event_slices(const struct gpu_call *call, struct space *space)
{
	if (call->api != GPU_KERNEL)
		return;
	space_slices(space, tell_slice, (void *)call);
	space_frequencies(space, tell_frequency, (void *)call);
}

bool event_accessed(struct object *object, struct gpu_accessed *accessed)
{
	/* others are accessed unseen */
	return events_accesses && object->id && object->memory == GPU_MEMORY_DEVICE &&
	       object_accessed(object, accessed);
}

void event_tell_accessed(const struct gpu_call *call, uint32_t object,
			 const struct gpu_accessed *accessed)
{
	events_sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_ACCESSED,
						       .object = object,
						       .payload = accessed,
						       .size = sizeof(*accessed)});
}

static void tell_live(struct object *object)
{
	struct gpu_accessed accessed;

	if (event_accessed(object, &accessed))
		event_tell_accessed(NULL, object->id, &accessed);
}

bool events_have_accesses(void)
{
	return events_sink && events_accesses && event_space_count;
}

void events_accessed_at_end(void)
{
	/* what is pending is over, or will not be known */
	for (unsigned i = 0; i < event_space_count && events_have_accesses(); i++) {
		struct entered_context entered;

		if (queues_timed_out() || space_failed(event_spaces[i]))
			continue;
		if (context_enter(&entered, space_context(event_spaces[i])))
			space_each_object(event_spaces[i], tell_live);
		context_leave(&entered);
	}
}
