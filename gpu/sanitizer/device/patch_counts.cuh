/*
 * gpu/sanitizer/device/patch_counts.cuh: counts how often threads access units of objects (pass
 * `access`): in an image of the patches of its own, made with FOLLOW_ACCESSES.
 *
 * Each access of a thread is one more of each unit that it has a byte of, a unit after the other.
 * Who has nothing to count adds 0 to a word of the record: see joins_atomic().
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_PATCH_COUNTS_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_PATCH_COUNTS_CUH

#include "gpu/sanitizer/device/patch_objects.cuh"

#ifdef FOLLOW_ACCESSES

/* Counts for the units from `unit` to `last`, each `step` after the one before. */
static __device__ __forceinline__ void count_units(bool may, struct device_record *record,
						   uint64_t unit, uint64_t last, uint32_t step)
{
	uint32_t *counts = load_constant(&record->counts), *at;
	uint32_t shift = __ldg(&record->count_shift);

	may = may & counts != NULL;
	for (;; unit += step) {
		may = may & unit <= last;
		if (!any_active(may))
			return;
		at = may ? counts + (unit >> shift) : &record->sizes;
		if (joins_atomic(may))
			add(at, (uint32_t)may);
	}
}

/* Of each lane its own bytes. */
static __device__ __forceinline__ void count_access(struct device_state *state, uint64_t address,
						    uint32_t size, bool may)
{
	struct device_record *record;
	uint64_t offset, length, end;

	record = find_record((struct device_record *)find_hint(state, address), address);
	offset = address - __ldg(&record->address);
	length = __ldg(&record->size);
	may = may & offset < length & size != 0;
	end = offset + size < length ? offset + size : length;
	count_units(may, record, offset / 4, (end - 1) / 4, 1);
}

/* Bytes that the active lanes, which all say the same, share: an access of one thread. */
static __device__ __forceinline__ void count_bulk(struct device_state *state, uint64_t address,
						  uint64_t size)
{
	struct device_record *record;
	uint64_t offset, length, end;
	uint32_t before, active = __activemask();

	if (!any_active(state != NULL & size != 0))
		return;
	record = find_record((struct device_record *)find_hint(state, address), address);
	offset = address - __ldg(&record->address);
	length = __ldg(&record->size);
	end = size < length - offset ? offset + size : length;
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
	count_units(offset < length, record, offset / 4 + __popc(active & before), (end - 1) / 4,
		    __popc(active));
}

#else

#define count_access(...)
#define count_bulk(...)

#endif

#endif
