/*
 * gpu/sanitizer/device/patch_marks.cuh: what patches say of an object that is touched: bits of
 * masks, the list of touched objects, sizes of accesses, the heartbeat.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_PATCH_MARKS_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_PATCH_MARKS_CUH

#include <sanitizer_patching.h>

#include "gpu/analysis/values.h"
#include "gpu/sanitizer/device/patch_words.cuh"

#define READ SANITIZER_MEMORY_DEVICE_FLAG_READ
#define WRITE SANITIZER_MEMORY_DEVICE_FLAG_WRITE
#define GROUP 8192u              /* bytes of an object that share a byte of touched_blocks */
#define HEARTBEAT_CYCLES 0x1ff0u /* show_heartbeat() in 16 of 8192 cycles */
#define SPREAD 2654435769u       /* 2^32 over the golden ratio: a multiplier for hashing */

/* The first touches of a launch list the object: nobody waits to see whether others do. */
static __device__ __forceinline__ void list_object(bool may, struct device_record *record,
						   struct device_state *state)
{
	uint32_t slot = __ldg(&record->slot), *at = &load_constant(&state->listed)[slot / 32];
	bool lists = may;

	/* all lanes would send it, to one word, from wherever a launch begins */
	if (__activemask() != ~0u)
		lists = may & !(load_relaxed(at) >> slot % 32 & 1);
	if (any_active(lists) && joins_atomic(lists)) {
		or_bits(at, (uint32_t)lists << slot % 32);
		OPAQUE("r", slot);
		or_bits(&load_constant(&state->listed_words)[slot / 1024],
			(uint32_t)lists << slot / 32 % 32);
	}
	store(may, &record->touched, 1); /* so that the multiprocessor's own cache knows */
}

/* How many blocks the masks of units have room for. */
static __device__ __forceinline__ uint32_t room(uint64_t size)
{
	uint32_t blocks = (uint32_t)(size / 1024) + 1;

	OPAQUE("r", blocks);
	return blocks;
}

static __device__ __forceinline__ uint8_t *group_byte(uint32_t *units, uint32_t blocks,
						      uint32_t group)
{
	return (uint8_t *)units + 64ull * blocks + group; /* behind both: UNIT_MASK_BYTES, twice */
}

/*
 * A block was touched: sets the byte of touched_blocks of its GROUP, since for that no atomic is
 * needed, and the multiprocessor's own cache knows it then: so who comes here has looked there.
 */
static __device__ __forceinline__ void touch_group(bool may, struct device_record *record,
						   uint8_t *at, uint32_t group)
{
	struct device_state *state = (struct device_state *)reload((uint64_t *)&record->state);
	uint32_t counts;

	store(may, at, 0xff);
	/* now and then, to show that the launch gets on */
	counts = may & !(group & 63);
	if (any_active(counts) && joins_atomic(counts))
		add(&state->progress, counts);
	may = !load_l1(&record->touched) & may;
	if (any_active(may))
		list_object(may, record, state);
}

/*
 * Sets bits in a word of a mask.  A word that is not empty says that its block was touched.
 * Returns whether somebody has to see to that.
 */
template <typename WORD>
static __device__ __forceinline__ uint32_t mark(bool may, WORD *at, WORD bits)
{
	WORD seen = load_relaxed(at);

	may = (seen & bits) != bits & may;
	if (any_active(may)) {
		if (!may)
			bits = 0;
		if (joins_atomic(may))
			or_bits(at, bits);
	}
	return !seen & may;
}

static __device__ __forceinline__ bool is_first_lane(void)
{
	uint32_t lane;

	asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
	return lane == 0;
}

/* Accesses of `size` bytes, a power of two, of the kind VALUES_... `kind`. */
static __device__ __forceinline__ void note_sizes(bool may, struct device_record *record,
						  uint32_t size, uint32_t kind)
{
	uint32_t sizes = size << 8 * kind, place = may ? (uint32_t)(uintptr_t)record : 0, before;
	uint32_t seen;
	bool fresh;

	/*
	 * the first accesses of all warps of a launch may come here: of a whole warp's lanes with
	 * the same object one sends it, or the one word would be changed for each of them
	 */
	asm volatile("shfl.up.b32 %0, %1, 1, 0;" : "=r"(before) : "r"(place));
	may = may & (before != place | is_first_lane() | __activemask() != ~0u);
	seen = load_relaxed(&record->sizes);
	fresh = may & (seen & sizes) != sizes;
	if (any_active(fresh) && joins_atomic(fresh))
		or_bits(&record->sizes, fresh ? sizes : 0);
	/* all that are sent, so that multiprocessors do not take from each other what they need */
	store(may, &record->seen_sizes, load_l1(&record->seen_sizes) | seen | sizes);
}

/*
 * Now and then an access tells where it is, in one of 64 bits: a kernel that only looks at what it
 * has touched before may be at work on it, or wait for somebody to change one word of it.
 */
static __device__ __forceinline__ void show_heartbeat(struct device_state *state, uint64_t address)
{
	uint32_t clock, place;

	asm volatile("mov.u32 %0, %%clock;" : "=r"(clock));
	if (clock & HEARTBEAT_CYCLES)
		return;
	place = (uint32_t)(address >> 10) * SPREAD >> 26;
	or_bits((uint32_t *)&state->heartbeat + place / 32, 1u << place % 32);
}

#endif
