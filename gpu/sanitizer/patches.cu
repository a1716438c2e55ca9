/*
 * gpu/sanitizer/patches.cu: what the Sanitizer calls before each memory instruction of the profiled
 * program's kernels.  Sets bits in masks, nothing else: see device_state.h.
 *
 * The lanes of a warp mostly touch the same few words of a mask, so they add up their bits first.
 */
#include <sanitizer_patching.h>

#include "gpu/sanitizer/device_state.h"

#define PATCH extern "C" __device__ __noinline__ SanitizerPatchResult
#define READ SANITIZER_MEMORY_DEVICE_FLAG_READ
#define WRITE SANITIZER_MEMORY_DEVICE_FLAG_WRITE

/* A pointer that does not change during a launch. */
template <typename T> static __device__ __forceinline__ T *constant(T *const *pointer)
{
	return (T *)__ldg((const unsigned long long *)pointer);
}

static __device__ __forceinline__ void set_bits64(uint64_t *at, uint64_t bits)
{
	if (bits == ~0ull) /* no atomic needed to set them all */
		*(volatile uint64_t *)at = bits;
	else if ((*(volatile uint64_t *)at & bits) != bits)
		atomicOr((unsigned long long *)at, (unsigned long long)bits);
}

/* The block has a touched byte; the first block of a launch puts its object into the list. */
static __device__ __forceinline__ void touch_block(struct device_state *state,
						   struct device_record *record, uint64_t block)
{
	uint32_t *at = &constant(&record->touched_blocks)[block / 32], bit = 1u << block % 32;

	if ((*(volatile uint32_t *)at & bit) || (atomicOr(at, bit) & bit))
		return;
	atomicAdd(&state->progress, 1);
	if (*(volatile uint32_t *)&record->touched || atomicExch(&record->touched, 1))
		return;
	*(volatile uint32_t *)&state->list[atomicAdd(&state->touched_count, 1)] =
		(uint32_t)(record - state->records) + 1;
}

static __device__ __forceinline__ void mark(struct device_state *state,
					    struct device_record *record, uint64_t word,
					    uint64_t bits, uint32_t flags)
{
	if (flags & READ)
		set_bits64(&constant(&record->read)[word], bits);
	if (flags & WRITE)
		set_bits64(&constant(&record->written)[word], bits);
	touch_block(state, record, word / 16);
}

/* The followed object that holds the address, or NULL. */
static __device__ __forceinline__ struct device_record *find(const struct device_state *state,
							     uint64_t address)
{
	const uint64_t *starts = constant(&state->starts);
	uint32_t low = 0, high = __ldg(&state->count);
	struct device_record *record;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (__ldg(&starts[middle]) > address)
			high = middle;
		else
			low = middle + 1;
	}
	if (!low)
		return NULL;
	record = &constant(&state->records)[__ldg(&constant(&state->slots)[low - 1])];
	return address - __ldg(&starts[low - 1]) < __ldg(&record->size) ? record : NULL;
}

/*
 * Adds up the bits of the lanes that touch the same word of a mask; true for one lane of them.  (The
 * instruction that would do it at once, redux, is not allowed in patches.)
 */
static __device__ __forceinline__ bool gather(uint64_t *const *mask, uint64_t word, uint32_t size,
					      uint64_t *bits)
{
	unsigned active = __activemask(), before, lane, peers, rest, rank, last;
	bool in_order, same;
	uint64_t first;

	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
	peers = __match_any_sync(active, (unsigned long long)&constant(mask)[word]);
	first = __shfl_sync(active, *bits, __ffs((int)peers) - 1);
	/* mostly each lane touches what follows its predecessor's, or all the same */
	rank = __popc(peers & before) * size;
	in_order = rank < 64 && *bits == first << rank;
	in_order = !(peers & ~__ballot_sync(active, in_order));
	same = !(peers & ~__ballot_sync(active, *bits == first));
	if (__all_sync(active, in_order || same)) {
		last = __popc(peers) * size;
		if (!same)
			*bits = last >= 64 ? ~0ull
					   : ((1ull << last) - 1) << (__ffsll((long long)first) - 1);
	} else {
		for (rest = peers; __any_sync(active, rest); rest &= rest - 1)
			*bits |= __shfl_sync(active, *bits,
					     rest ? __ffs((int)rest) - 1 : (int)lane);
	}
	return !(peers & before);
}

/* At most 16 bytes. */
static __device__ __forceinline__ void touch(struct device_state *state, uint64_t address,
					     uint32_t size, uint32_t flags)
{
	struct device_record *record;
	uint64_t offset, word, bits, left;
	uint32_t shift;

	if (!state || !size)
		return;
	record = find(state, address);
	if (!record)
		return;
	offset = address - __ldg(&record->address);
	left = __ldg(&record->size) - offset;
	if (size > left)
		size = (uint32_t)left;
	word = offset / 64;
	shift = offset % 64;
	bits = (1ull << size) - 1;
	if (shift + size > 64) /* the object is aligned to less than the access */
		mark(state, record, word + 1, bits >> (64 - shift), flags);
	bits <<= shift;
	if (!gather(&record->written, word, size, &bits))
		return;
	mark(state, record, word, bits, flags);
}

/* Any number of bytes; the active lanes, which all say the same, share them. */
static __device__ __forceinline__ void touch_bulk(struct device_state *state, uint64_t address,
						  uint64_t size, uint32_t flags)
{
	struct device_record *record;
	uint64_t offset, last, left;
	unsigned active = __activemask(), before;

	if (!state || !size)
		return;
	record = find(state, address);
	if (!record)
		return;
	offset = address - record->address;
	left = record->size - offset;
	last = offset + (size < left ? size : left) - 1;
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
	for (uint64_t word = offset / 64 + __popc(active & before); word <= last / 64;
	     word += __popc(active)) {
		uint64_t bits = ~0ull;

		if (word == offset / 64)
			bits &= ~0ull << offset % 64;
		if (word == last / 64)
			bits &= ~0ull >> (63 - last % 64);
		mark(state, record, word, bits, flags);
	}
}

PATCH vflow_patch_access(void *state, uint64_t pc, void *address, uint32_t size, uint32_t flags,
			 const void *data)
{
	if (!(flags & SANITIZER_MEMORY_DEVICE_FLAG_PREFETCH))
		touch((struct device_state *)state, (uint64_t)address, size, flags);
	return SANITIZER_PATCH_SUCCESS;
}

/* cp.async: from global to shared memory */
PATCH vflow_patch_copy_async(void *state, uint64_t pc, void *source, uint32_t destination,
			     uint32_t size)
{
	touch((struct device_state *)state, (uint64_t)source, size, READ);
	return SANITIZER_PATCH_SUCCESS;
}

/* cp.async.bulk and cp.reduce.async.bulk: `blocks` of 16 bytes */
PATCH vflow_patch_bulk_read(void *state, uint64_t pc, uint64_t source, uint32_t destination,
			    uint32_t barrier, uint32_t blocks, uint32_t multicast)
{
	touch_bulk((struct device_state *)state, source, (blocks & 0xffff) * 16ull, READ);
	return SANITIZER_PATCH_SUCCESS;
}

PATCH vflow_patch_bulk_write(void *state, uint64_t pc, uint64_t destination, uint32_t source,
			     uint32_t blocks)
{
	touch_bulk((struct device_state *)state, destination, blocks * 16ull, WRITE);
	return SANITIZER_PATCH_SUCCESS;
}

PATCH vflow_patch_bulk_reduction(void *state, uint64_t pc, uint64_t destination, uint32_t source,
				 uint32_t blocks)
{
	touch_bulk((struct device_state *)state, destination, blocks * 16ull, READ | WRITE);
	return SANITIZER_PATCH_SUCCESS;
}
