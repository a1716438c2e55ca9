/* gpu/emulator/device/observe_memory.c: see observe_memory.h. */
#include "gpu/emulator/device/observe_memory.h"

#include "gpu/emulator/device/device.h"

static const struct gpu_sink *sink;
static uint64_t allocated, most; /* by the program; the last that was told */
static uint64_t pinned;          /* memory of the host, which the emulated device has in its own */
static bool began;

void observe_memory_start(const struct gpu_sink *to)
{
	sink = to;
}

static void tell(uint64_t more, uint64_t bytes, bool first)
{
	const uint64_t unused = memory_free() + pinned + more;
	const struct gpu_device_memory memory = {.total = memory_total(),
						 .unused = unused < memory_total() ? unused
										   : memory_total(),
						 .allocated = bytes,
						 .first = first};

	sink->record(NULL, &(struct gpu_record){.kind = GPU_RECORD_DEVICE_MEMORY,
						.payload = &memory,
						.size = sizeof(memory)});
}

void observe_memory_allocated(const struct allocation *allocation)
{
	if (sink && allocation->kind == GPU_MEMORY_MAPPED_HOST &&
	    memory_is_device(allocation->address))
		pinned += allocation->size;
	if (!sink || !allocation->object || allocation->kind != GPU_MEMORY_DEVICE)
		return;
	if (!began) /* as it was before this one */
		tell(allocation->size, 0, true);
	began = true;
	allocated += allocation->size;
	if (allocated <= most + most / 20)
		return;
	most = allocated;
	tell(0, allocated, false);
}

void observe_memory_released(const struct allocation *allocation)
{
	if (sink && allocation->kind == GPU_MEMORY_MAPPED_HOST &&
	    memory_is_device(allocation->address))
		pinned -= allocation->size < pinned ? allocation->size : pinned;
	if (sink && allocation->object && allocation->kind == GPU_MEMORY_DEVICE)
		allocated -= allocation->size < allocated ? allocation->size : allocated;
}
