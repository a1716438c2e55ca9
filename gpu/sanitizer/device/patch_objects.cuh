/* gpu/sanitizer/device/patch_objects.cuh: which object an access is in, and accesses that are in
 * none. */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_PATCH_OBJECTS_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_PATCH_OBJECTS_CUH

#include "gpu/sanitizer/device/patch_words.cuh"

/* The hint of an address: which object may hold it. */
static __device__ __forceinline__ uint64_t find_hint(struct device_state *state, uint64_t address)
{
	uint32_t bits, mask;
	uint64_t hint;

	asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];"
		     : "=r"(bits), "=r"(mask)
		     : "l"(&state->granule_bits));
	bits = __funnelshift_r((uint32_t)address, (uint32_t)(address >> 32), bits);
	asm volatile("ld.global.u64 %0, [%1];" : "=l"(hint) : "l"(&state->hints[bits & mask]));
	return hint;
}

/*
 * The record of the object that holds the address, if there is one; else of one that does not, of
 * this context.
 */
static __device__ __forceinline__ struct device_record *find_record(struct device_record *record,
								    uint64_t address)
{
	const struct device_candidates *at = (const struct device_candidates *)record;
	bool is_several = __ldg(&at->tag) == CANDIDATES;
	struct device_record *other;
	const struct device_entry *entry;
	uint32_t count;

	if (!any_active(is_several))
		return record;
	/* lanes that know their record look at it as if it were an entry, and lose what they get */
	entry = load_constant(&at->first);
	count = __ldg(&at->count);
	if (!is_several) {
		entry = (const struct device_entry *)record;
		count = 0;
	}
	do {
		uint32_t half = count / 2;

		/* so that the address of the middle need not stay in registers */
		asm("{ .reg .pred p; setp.le.u64 p, %1, %2; @p mad.wide.u32 %0, %3, %4, %0; }"
		    : "+l"(entry)
		    : "l"(__ldg(&entry[half].start)), "l"(address), "r"(half), "n"(sizeof(*entry)));
		count -= half;
	} while (any_active(count > 1));
	if (address - __ldg(&entry->start) < __ldg(&entry->size))
		other = load_constant(&entry->record);
	else
		other = load_constant(&entry->miss_record);
	return is_several ? other : record;
}

/* Memory that no table knows.  There is none below 1 MiB: see vflow_patch_copy_async(). */
static __device__ __forceinline__ bool is_missed(uint64_t address)
{
	return !__isLocal((const void *)address) & !__isShared((const void *)address) &
	       address >> 20 != 0;
}

/* One lane counts the accesses of all that miss; each is of so many bytes, or all share them. */
static __device__ __forceinline__ void count_miss(bool may, struct device_record *record,
						  uint64_t size, bool shared)
{
	struct device_state *state;
	uint32_t votes, before;

	votes = ballot_active(may);
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
	may = may & !(votes & before);
	before = __popc(votes);
	/* it is not above 32: so the compiler loads this no earlier, when registers are few */
	state = (struct device_state *)reload((uint64_t *)&record->state + (before & 64));
	if (!may)
		before = 0;
	if (joins_atomic(may)) {
		add(&state->missed_bytes, shared ? may * size : before * size);
		OPAQUE("r", before);
		add(&state->missed, (uint64_t)before);
	}
}

#endif
