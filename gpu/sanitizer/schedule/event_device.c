/* gpu/sanitizer/schedule/event_device.c: how much memory devices have, by the driver's figures. */
#include "gpu/sanitizer/schedule/events_internal.h"

enum { DEVICES = 64 };

/* Those of which something was told. */
static struct device {
	CUdevice device;
	uint64_t most; /* allocated by the program when it was told last */
} devices[DEVICES];
static unsigned device_count;

static struct device *find(CUdevice device)
{
	for (unsigned i = 0; i < device_count; i++)
		if (devices[i].device == device)
			return &devices[i];
	return NULL;
}

/* The device's context is current. */
static void tell(CUdevice device, uint64_t allocated, uint64_t own, bool first)
{
	struct gpu_device_memory memory = {
		.allocated = allocated, .own = own, .device = (uint32_t)device, .first = first};
	size_t unused, total;

	if (driver.cuMemGetInfo(&unused, &total) != CUDA_SUCCESS)
		return;
	memory.unused = unused;
	memory.total = total;
	events_sink->record(NULL, &(struct gpu_record){.kind = GPU_RECORD_DEVICE_MEMORY,
						       .payload = &memory,
						       .size = sizeof(memory)});
}

void event_device_begins(void)
{
	CUdevice device;

	if (!events_sink || device_count == DEVICES ||
	    driver.cuCtxGetDevice(&device) != CUDA_SUCCESS || find(device))
		return;
	devices[device_count++].device = device;
	tell(device, 0, 0, true);
}

void event_device_allocated(const struct space *space)
{
	const CUdevice number = space_device(space);
	struct device *device = find(number);
	uint64_t allocated = 0, own = 0;

	for (unsigned i = 0; i < event_space_count; i++)
		if (space_device(event_spaces[i]) == number)
			allocated += space_allocated(event_spaces[i]);
	if (!device || allocated <= device->most + device->most / 20)
		return;
	device->most = allocated;
	for (unsigned i = 0; i < event_space_count; i++)
		if (space_device(event_spaces[i]) == number)
			own += space_own_bytes(event_spaces[i]);
	tell(number, allocated, own, false);
}
