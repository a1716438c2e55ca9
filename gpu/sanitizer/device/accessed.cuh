/*
 * gpu/sanitizer/device/accessed.cuh: what of objects is accessed (pass `access`): in an image of
 * the passes of its own, made with FOLLOW_ACCESSES.
 *
 * A pass takes the masks of a block over into the object's mask of accessed units before it clears
 * them, and widens the slice of the running API.  No two warps have the same block.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_ACCESSED_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_ACCESSED_CUH

#include "gpu/analysis/accessed.h"
#include "gpu/sanitizer/device/frequency.cuh"

#ifdef FOLLOW_ACCESSES

/* A lane has the bits of 32 units from number 32 * `word` on, lower ones than the lane after it. */
static __device__ void widen_slice(struct device_accessed *accessed, uint64_t word, uint32_t bits)
{
	unsigned some = __ballot_sync(ALL_LANES, bits != 0), lane = threadIdx.x % 32;

	if (!some)
		return;
	if (lane == (unsigned)__ffs((int)some) - 1)
		atomicMax((u64 *)&accessed->slice.from, ~(u64)(32 * word + __ffs((int)bits) - 1));
	if (lane == 31 - (unsigned)__clz((int)some))
		atomicMax((u64 *)&accessed->slice.end, (u64)(32 * word + 32 - __clz((int)bits)));
}

/* The units that the running API has accessed, from number 32 * `word` on. */
static __device__ uint32_t units_of_word(const struct device_record *record, uint64_t word)
{
	uint32_t units = record->read_units[word] | record->written_units[word];

	for (unsigned i = 0; i < 2; i++) {
		uint64_t at = 2 * word + i, bytes = 0;

		if (record->uses_bytes)
			bytes = record->read[at] | record->written[at];
		if (record->uses_origin)
			bytes |= record->origin[at];
		units |= accessed_units(bytes) << 16 * i;
	}
	return units;
}

/* The warp is about to settle the blocks from `first` on whose bits are set. */
static __device__ __noinline__ void note_accessed_blocks(const struct device_record *record,
							 uint64_t first, uint32_t bits)
{
	struct device_accessed *accessed = record->accessed;
	unsigned lane = threadIdx.x % 32;

	if (!accessed)
		return;
	/* a lane for each of the eight words of four blocks */
	while (bits) {
		uint32_t rest = bits, units = 0;
		uint64_t word = 0;

		for (unsigned i = 0; i < lane / BLOCK_UNIT_WORDS; i++)
			rest &= rest - 1;
		if (rest) {
			word = (first + __ffs((int)rest) - 1) * BLOCK_UNIT_WORDS +
			       lane % BLOCK_UNIT_WORDS;
			units = units_of_word(record, word);
		}
		if (units)
			accessed->units[word] |= units;
		widen_slice(accessed, word, units);
		tally_counts(record, word, units);
		for (unsigned i = 0; i < 32 / BLOCK_UNIT_WORDS; i++)
			bits &= bits - 1;
	}
}

/*
 * The same where each lane has a chunk, of these bytes: all lanes of the warp have the same object.
 * `slice`: a slice is asked for.
 */
static __device__ void note_accessed_chunk(const struct device_record *record, uint64_t chunk,
					   unsigned bytes, bool slice)
{
	struct device_accessed *accessed = record->accessed;
	uint64_t word = chunk / 8; /* of eight chunks of four units */
	uint32_t units = accessed_units(bytes) << chunk % 8 * 4;

	if (!accessed)
		return;
	for (int by = 1; by < 8; by *= 2)
		units |= __shfl_xor_sync(ALL_LANES, units, by);
	if (chunk % 8)
		units = 0;
	if (units)
		accessed->units[word] |= units;
	if (!slice)
		return;
	widen_slice(accessed, word, units);
	tally_counts(record, word, units);
}

/*
 * Hands the slice of an object over to the host, and how often what of it was accessed, beside the
 * result in this place of the ring if `fits`, and makes ready for the next API.
 */
static __device__ void hand_slice(const struct device_state *state, struct device_record *record,
				  uint64_t place, bool fits)
{
	struct accessed_slice *slices = RESULT_SLICES(state->result_objects, state->object_mask);
	struct accessed_slice slice = {};

	if (record->accessed) {
		slice.from = __ldcg(&record->accessed->slice.from);
		slice.end = __ldcg(&record->accessed->slice.end);
		record->accessed->slice.from = record->accessed->slice.end = 0;
	}
	if (fits)
		slices[place & state->object_mask] = slice;
	hand_frequency(state, record, place, fits);
}

#define CLEAR_COUNTS clear_counts
#define NOTE_ACCESSED_BLOCKS note_accessed_blocks
#define NOTE_ACCESSED_CHUNK note_accessed_chunk
#define HAND_SLICE hand_slice

#else

#define CLEAR_COUNTS(...)
#define NOTE_ACCESSED_BLOCKS(...)
#define NOTE_ACCESSED_CHUNK(...)
#define HAND_SLICE(...)

#endif

#endif
