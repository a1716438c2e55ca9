/*
 * gpu/sanitizer/device/values.cu: what the Sanitizer calls before each memory instruction of
 * kernels whose values are looked at (pass `values`): it takes the place of patches.cu, whose words
 * on lanes and branches hold here, too.  No lane is left out of an atomic: what has nothing to say
 * adds nothing to the last slot.
 */
#include <sanitizer_patching.h>

#include "gpu/analysis/value_stats.h"
#include "gpu/sanitizer/device/patch_objects.cuh"
#include "gpu/sanitizer/device/value_slots.h"

#define PATCH extern "C" __device__ __noinline__ SanitizerPatchResult
#define NOWHERE VALUE_SLOTS

static __device__ __forceinline__ void swap_if(uint64_t *at, uint64_t expected, uint64_t wanted)
{
	/* red has no cas */
	asm volatile(
		"{ .reg .b64 before; atom.relaxed.gpu.global.cas.b64 before, [%0], %1, %2; }" ::"l"(
			at),
		"l"(expected), "l"(wanted)
		: "memory");
}

static __device__ __forceinline__ void raise(uint64_t *at, uint64_t number)
{
	asm volatile("red.relaxed.gpu.global.max.u64 [%0], %1;" ::"l"(at), "l"(number) : "memory");
}

static __device__ __forceinline__ void add_real(double *at, double number)
{
	asm volatile("red.relaxed.gpu.global.add.f64 [%0], %1;" ::"l"(at), "d"(number) : "memory");
}

/* The slot of a key; NOWHERE for lanes that have none, or find no room. */
static __device__ __forceinline__ uint32_t find_slot(struct device_values *values, uint64_t key,
						     bool may)
{
	uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 40) % VALUE_SLOTS;
	uint32_t found = NOWHERE, searching = may;

	for (uint32_t n = 0; n < VALUE_PROBES; n++) {
		uint64_t *where = &values->slots[searching ? at : NOWHERE].key, seen;
		uint32_t mine;

		if (!any_active(searching))
			break;
		/* of the last slot the key is and stays 0 */
		seen = load_relaxed(where);
		swap_if(where, 0, searching & (seen == 0) ? key : 0);
		seen = load_relaxed(where);
		mine = searching & (seen == key);
		found = mine ? at : found;
		searching = searching & !mine;
		at = (at + 1) % VALUE_SLOTS;
	}
	add(&values->left, (uint64_t)searching);
	return found;
}

/* Counts a value that is not 0. */
static __device__ __forceinline__ void count_value(struct device_values *values, uint32_t slot,
						   uint64_t bits)
{
	uint32_t at = (uint32_t)((bits * 0x9e3779b97f4a7c15u) >> 48) % VALUE_COUNTS;
	uint32_t searching = slot != NOWHERE & bits != 0;

	for (uint32_t n = 0; n < COUNT_PROBES; n++) {
		struct counted_value *where = &values->counts[searching ? slot : NOWHERE][at];
		uint32_t mine;
		uint64_t seen;

		if (!any_active(searching))
			break;
		seen = load_relaxed(&where->bits);
		swap_if(&where->bits, 0, searching & (seen == 0) ? bits : 0);
		seen = load_relaxed(&where->bits);
		mine = searching & (seen == bits);
		add(&where->count, (uint64_t)mine);
		searching = searching & !mine;
		at = (at + 1) % VALUE_COUNTS;
	}
	add(&values->slots[slot].lost, (uint64_t)searching);
}

static __device__ __forceinline__ uint64_t load_value(const void *at, uint32_t log)
{
	uint64_t value;
	uint32_t half;

	/* the same for all lanes */
	if (log == 3) {
		asm volatile("ld.volatile.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
		return value;
	}
	if (log == 2)
		asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(half) : "l"(at) : "memory");
	else if (log == 1)
		asm volatile("ld.volatile.u16 %0, [%1];" : "=r"(half) : "l"(at) : "memory");
	else
		asm volatile("ld.volatile.u8 %0, [%1];" : "=r"(half) : "l"(at) : "memory");
	return half;
}

static __device__ __forceinline__ double number_of(uint64_t bits, uint32_t log)
{
	float half;

	asm("{ .reg .b16 h; cvt.u16.u32 h, %1; cvt.f32.f16 %0, h; }"
	    : "=f"(half)
	    : "r"((uint32_t)bits));
	return log == 3   ? __longlong_as_double((long long)bits)
	       : log == 2 ? (double)__uint_as_float((uint32_t)bits)
			  : (double)half;
}

static __device__ __forceinline__ void add_float(struct value_slot *slot, uint64_t bits,
						 uint32_t log, bool counts)
{
	const double value = number_of(bits, log);
	const bool finite = value_is_finite(value), number = value == value;
	const uint64_t key = value_double_key(value);
	const uint64_t misfits = value_misfits(value) | (uint32_t)number - 1;

	raise(&slot->float_most, counts & finite ? key : 0);
	raise(&slot->float_not, counts & finite ? ~key : 0);
	add(&slot->finite, (uint64_t)(counts & finite));
	or_bits(&slot->misfits, counts ? misfits : 0);
	add_real(&slot->sum, counts & finite ? value : 0);
	add_real(&slot->squares, counts & finite ? value * value : 0);
}

/* A value of 1 << log bytes at this offset of the object. */
static __device__ __forceinline__ void add_value(struct device_values *values, uint64_t key,
						 uint64_t bits, uint64_t offset, uint32_t log,
						 uint32_t flags, bool may)
{
	const uint32_t at = find_slot(values, key, may);
	const bool counts = at != NOWHERE;
	struct value_slot *slot = &values->slots[at];
	const uint32_t shift = 64 - (8u << log);
	const uint64_t index = offset >> log, h = value_hash(index) & -(uint64_t)counts;
	const uint64_t mask = ~0ull >> shift;
	const int64_t extended = (int64_t)(bits << shift) >> shift;
	const uint64_t signed_key = value_signed_key(extended);

	add(&slot->count, (uint64_t)counts);
	add(&slot->zeros, (uint64_t)(counts & bits == 0));
	or_bits(&slot->unset, counts ? ~bits & mask : 0);
	or_bits(&slot->any, counts ? bits : 0);
	or_bits(&slot->flags, counts ? (uint64_t)flags : 0);
	raise(&slot->unsigned_most, counts ? bits : 0);
	raise(&slot->unsigned_not, counts ? ~bits : 0);
	raise(&slot->signed_most, counts ? signed_key : 0);
	raise(&slot->signed_not, counts ? ~signed_key : 0);
	raise(&slot->index_most, counts ? index : 0);
	raise(&slot->index_not, counts ? ~index : 0);
	add(&slot->off_grid, (uint64_t)(counts & (offset & (1u << log) - 1) != 0));
	add(&slot->hash, h);
	add(&slot->hash_index, h * index);
	add(&slot->hash_value, h * (uint64_t)extended);
	if (log)
		add_float(slot, bits, log, counts);
	count_value(values, at, bits);
}

/* Whether the block is one of those that are looked at: the same for a warp. */
static __device__ __forceinline__ bool is_sampled(uint32_t nth)
{
	const uint32_t block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);

	return block % nth == 0;
}

PATCH vflow_values_access(void *data, uint64_t pc, void *pointer, uint32_t size, uint32_t flags,
			  const void *stored)
{
	struct device_state *state = (struct device_state *)data;
	const uint64_t address = (uint64_t)pointer;
	const uint32_t kind =
		flags & (SANITIZER_MEMORY_DEVICE_FLAG_READ | SANITIZER_MEMORY_DEVICE_FLAG_WRITE);
	struct device_values *values;
	struct device_record *record;
	uint64_t offset, pc_key;
	const char *from;
	bool may;

	if (!any_active(state != NULL))
		return SANITIZER_PATCH_SUCCESS;
	values = load_constant(&state->values);
	if (!any_active(values != NULL)) /* there was no memory for it */
		return SANITIZER_PATCH_SUCCESS;
	/* an atomic's operand is not told */
	if (any_active(kind == 3 | (flags & SANITIZER_MEMORY_DEVICE_FLAG_PREFETCH) != 0) ||
	    !any_active(is_sampled(__ldg(&values->nth))))
		return SANITIZER_PATCH_SUCCESS;
	record = find_record((struct device_record *)find_hint(state, address), address);
	offset = address - __ldg(&record->address);
	/* slots of a peer's records are others */
	may = offset < __ldg(&record->size) & __ldg(&record->slot) < 1u << VALUE_RECORD_BITS &
	      load_constant(&record->state) == state;
	pc_key = pc & ((1ull << VALUE_PC_BITS) - 1);
	from = kind == SANITIZER_MEMORY_DEVICE_FLAG_WRITE ? (const char *)stored
							  : (const char *)pointer;
	may = may & from != NULL;
	/* what is nowhere is read of the state, which is larger than any access */
	from = may ? from : (const char *)state;
	for (uint32_t log = size >= 8 ? 3 : size >= 4 ? 2 : size >= 2 ? 1 : 0;; log--) {
		const uint64_t key = VALUE_KEY(pc_key, __ldg(&record->slot), log);

		for (uint32_t at = 0; at < size; at += 1u << log)
			add_value(values, key, load_value(from + at, log), offset + at, log,
				  kind | size << 8, may);
		if (log != 3)
			break;
	}
	return SANITIZER_PATCH_SUCCESS;
}
