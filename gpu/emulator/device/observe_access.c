/* gpu/emulator/device/observe_access.c: see observe_access.h. */
#include "gpu/emulator/device/observe_access.h"

#include <stdlib.h>

#include "gpu/emulator/device/device.h"

static const struct gpu_sink *sink; /* NULL: accesses are not asked for */
static struct shadow *shadow;

/* Objects that the running call has freed. */
struct released {
	uint32_t object;
	struct gpu_accessed accessed;
};
static struct released *released;
static size_t released_count, released_capacity;

/* Of memory of the device: others are accessed unseen. */
static bool figures_of(const struct allocation *allocation, struct gpu_accessed *accessed)
{
	return sink && allocation->object && allocation->kind == GPU_MEMORY_DEVICE &&
	       allocation->shadow && shadow_accessed(allocation->shadow, accessed);
}

static void tell(const struct gpu_call *call, uint32_t object, const struct gpu_accessed *accessed)
{
	sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_ACCESSED,
						.object = object,
						.payload = accessed,
						.size = sizeof(*accessed)});
}

static void tell_live(struct allocation *allocation, void *data)
{
	struct gpu_accessed accessed;

	(void)data;
	if (figures_of(allocation, &accessed))
		tell(NULL, allocation->object, &accessed);
}

/* Objects that are never freed. */
static void tell_at_exit(void)
{
	if (!device_enter_at_exit())
		return;
	memory_each(tell_live, NULL);
	device_leave();
}

void observe_access_start(const struct gpu_sink *to, struct shadow *of)
{
	sink = to;
	shadow = of;
	shadow_follow_accesses(shadow);
	atexit(tell_at_exit);
}

bool observe_access_active(void)
{
	return sink != NULL;
}

void observe_access_released(const struct allocation *allocation)
{
	struct gpu_accessed accessed;

	if (!figures_of(allocation, &accessed))
		return;
	if (released_count == released_capacity) {
		size_t capacity = 2 * released_capacity + 8;
		struct released *more = reallocarray(released, capacity, sizeof(*more));

		if (!more) /* the profile does not know then */
			return;
		released = more;
		released_capacity = capacity;
	}
	released[released_count++] = (struct released){allocation->object, accessed};
}

static void tell_slice(void *data, uint32_t object, const struct gpu_slice *slice)
{
	sink->record(data, &(struct gpu_record){.kind = GPU_RECORD_SLICE,
						.object = object,
						.payload = slice,
						.size = sizeof(*slice)});
}

static void tell_frequency(void *data, uint32_t object, const struct gpu_frequency *frequency)
{
	sink->record(data, &(struct gpu_record){.kind = GPU_RECORD_FREQUENCY,
						.object = object,
						.payload = frequency,
						.size = sizeof(*frequency)});
}

void observe_access_end(const struct gpu_call *call)
{
	if (!sink)
		return;
	if (call->api == GPU_KERNEL) {
		shadow_slices(shadow, tell_slice, (void *)call);
		shadow_frequencies(shadow, tell_frequency, (void *)call);
	}
	for (size_t i = 0; i < released_count; i++)
		tell(call, released[i].object, &released[i].accessed);
	released_count = 0;
}
