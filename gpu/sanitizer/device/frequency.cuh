/*
 * gpu/sanitizer/device/frequency.cuh: how often the running API has accessed elements of objects:
 * the part of accessed.cuh that adds up what patches have counted (patch_counts.cuh).
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_FREQUENCY_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_FREQUENCY_CUH

#include "gpu/analysis/frequency.h"
#include "gpu/sanitizer/device/masks.cuh"

#ifdef FOLLOW_ACCESSES

/* Adds up numbers of all lanes. */
static __device__ void add_lanes(uint64_t *to, u64 number)
{
	if (!__any_sync(ALL_LANES, number != 0))
		return;
	for (int by = 16; by; by /= 2)
		number += __shfl_xor_sync(ALL_LANES, number, by);
	if (threadIdx.x % 32 == 0)
		atomicAdd((u64 *)to, number);
}

/* The same of accesses to parts of the object, which mostly are the same for all lanes. */
static __device__ void add_part(struct gpu_frequency *sums, unsigned part, u64 accesses)
{
	const unsigned some = __ballot_sync(ALL_LANES, accesses != 0);
	unsigned first;

	if (!some)
		return;
	first = __shfl_sync(ALL_LANES, part, __ffs((int)some) - 1);
	if (__all_sync(ALL_LANES, !accesses || part == first))
		add_lanes(&sums->parts[first], accesses);
	else if (accesses)
		atomicAdd((u64 *)&sums->parts[part], accesses);
}

/* Takes the counts of a lane's units, from number 32 * `word` on, and clears them. */
static __device__ void take_counts(const struct device_record *record, uint64_t word,
				   uint32_t units, struct frequency_word *mine, unsigned *part,
				   u64 *accesses)
{
	struct gpu_frequency *sums = &record->accessed->frequency;
	const uint64_t length = frequency_part(record->size);
	uint64_t end = 0; /* of the part */

	for (uint32_t left = units; left; left &= left - 1) {
		const uint64_t unit = 32 * word + __ffs((int)left) - 1;
		uint32_t *at = &record->counts[unit >> record->count_shift], count = *at;
		const uint32_t shared = record->count_shift ? __popc(left) : 1;

		if (!count) /* by a copy or set, or unseen */
			continue;
		*at = 0;
		frequency_add(mine, count, shared);
		if (unit >= end) {
			if (*accesses)
				atomicAdd((u64 *)&sums->parts[*part], *accesses);
			*part = (unsigned)(unit / length);
			*accesses = 0;
			end = (*part + 1) * length;
		}
		*accesses += count;
	}
}

/*
 * A lane has the bits of 32 units from number 32 * `word` on that the API has accessed; all lanes
 * have the same object.  A coarse count is of such a word: 1 << FREQUENCY_SHIFT units.
 */
static __device__ __noinline__ void tally_counts(const struct device_record *record, uint64_t word,
						 uint32_t units)
{
	struct gpu_frequency *sums = &record->accessed->frequency;
	struct frequency_word mine = {};
	unsigned part = 0;
	u64 accesses = 0, most;

	if (!record->counts || !__any_sync(ALL_LANES, units != 0))
		return;
	take_counts(record, word, units, &mine, &part, &accesses);
	__syncwarp();
	add_part(sums, part, accesses);
	add_lanes(&sums->elements, mine.elements);
	add_lanes(&sums->accesses, mine.accesses);
	add_lanes(&sums->squares_low, mine.squares_low);
	add_lanes(&sums->squares_high, mine.squares_high);
	for (int i = 0; i < FREQUENCY_OFTEN; i++)
		add_lanes(&sums->often[i], mine.often[i / 8] >> i % 8 * 8 & 0xff);
	most = mine.most;
	for (int by = 16; by; by /= 2) {
		u64 other = __shfl_xor_sync(ALL_LANES, most, by);

		most = most > other ? most : other;
	}
	if (threadIdx.x % 32 == 0 && most)
		atomicMax((u64 *)&sums->most, most);
}

/* See hand_slice(). */
static __device__ void hand_frequency(const struct device_state *state,
				      struct device_record *record, uint64_t place, bool fits)
{
	struct gpu_frequency *results =
		RESULT_FREQUENCIES(state->result_objects, state->object_mask);
	struct gpu_frequency *to = &results[place & state->object_mask], found = {};
	const volatile struct gpu_frequency *sums;

	if (record->accessed && record->counts) {
		sums = &record->accessed->frequency;
		found.elements = __ldcg(&record->accessed->frequency.elements);
	}
	if (found.elements) {
		found.accesses = sums->accesses;
		found.squares_low = sums->squares_low;
		found.squares_high = sums->squares_high;
		found.most = sums->most;
		found.granularity = UNIT_BYTES << record->count_shift;
		for (int i = 0; i < FREQUENCY_PARTS; i++)
			found.parts[i] = sums->parts[i];
		for (int i = 0; i < FREQUENCY_OFTEN; i++)
			found.often[i] = sums->often[i];
		record->accessed->frequency = {};
	}
	if (!fits)
		return;
	if (found.elements && frequency_varies(&found))
		*to = found;
	else
		to->elements = 0;
}

/* The 16 units of a word of 64 bytes. */
static __device__ void clear_counts(const struct device_record *record, uint64_t word)
{
	if (!record->counts)
		return;
	for (unsigned i = 0; i < WORD_UNITS; i++)
		record->counts[(word * WORD_UNITS + i) >> record->count_shift] = 0;
}

#endif

#endif
