/*
 * graph/build/analysis/device_memory.c: the analysis that says how much memory of each device was
 * used, by the driver's figures, when the process had allocated most.
 */
#include "graph/build/analysis.h"

#include "gpu/records.h"
#include "util/memory.h"

enum { MOST_ROWS = 4096 };

static void *begin(struct profile *profile)
{
	return profile;
}

static bool makes_sense(const struct gpu_device_memory *memory)
{
	return memory->total <= PROFILE_NUMBER_MAX && memory->unused <= memory->total &&
	       memory->allocated <= PROFILE_NUMBER_MAX && memory->own <= PROFILE_NUMBER_MAX;
}

/* The process's row for the device; NULL: there is none. */
static struct profile_device_memory *row_of(struct profile *profile, uint32_t process,
					    uint32_t device)
{
	for (uint32_t i = profile->device_memory_count; i--;) {
		struct profile_device_memory *row = &profile->device_memory[i];

		if (row->process != process)
			break; /* processes come one after the other */
		if (row->device == device)
			return row;
	}
	return NULL;
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	struct profile *profile = state;
	const struct gpu_device_memory *memory = record->payload;
	struct profile_device_memory *row = row_of(profile, event->process, memory->device);

	if (!makes_sense(memory))
		return error_set(error, "more memory of a device is unused than there is");
	if (!row) {
		if (profile->device_memory_count == MOST_ROWS)
			return 0;
		ARRAY_RESERVE(profile->device_memory, profile->device_memory_count,
			      profile->device_memory_capacity);
		row = &profile->device_memory[profile->device_memory_count++];
		*row = (struct profile_device_memory){.process = event->process,
						      .device = memory->device,
						      .first_unused = memory->unused};
	}
	if (memory->allocated < row->allocated)
		return 0;
	row->total = memory->total;
	row->unused = memory->unused;
	row->allocated = memory->allocated;
	row->own = memory->own;
	return 0;
}

const struct build_analysis build_device_memory = {
	.name = "device_memory",
	.kinds = (const uint32_t[]){GPU_RECORD_DEVICE_MEMORY, 0},
	.begin = begin,
	.record = take_record,
};
