/* gpu/sanitizer/device/listed.cuh: the list of the objects that the running API touched. */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_LISTED_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_LISTED_CUH

#include "gpu/sanitizer/device/warp.cuh"

/*
 * The first word of the list from this one on that is not 0, and what it is; the warp looks for it
 * together.  Words of words are only looked at where there are more than 1024 slots.
 */
static __device__ uint32_t find_listed(const struct device_state *state, uint32_t word,
				       uint32_t *bits)
{
	uint32_t lane = threadIdx.x % 32, group = word / 32, groups = state->slots / 1024;
	uint32_t words = group < groups ? state->listed[group * 32 + lane] : 0;
	unsigned found = __ballot_sync(ALL_LANES, lane >= word % 32 && words);

	if (found) {
		*bits = __shfl_sync(ALL_LANES, words, __ffs((int)found) - 1);
		return group * 32 + __ffs((int)found) - 1;
	}
	for (group++; group < groups; group += 32) {
		words = group + lane < groups ? state->listed_words[group + lane] : 0;
		found = __ballot_sync(ALL_LANES, words != 0);
		if (found) {
			words = __shfl_sync(ALL_LANES, words, __ffs((int)found) - 1);
			word = (group + __ffs((int)found) - 1) * 32 + __ffs((int)words) - 1;
			*bits = state->listed[word];
			return word;
		}
	}
	return UINT32_MAX;
}

/* The same for slots. */
static __device__ uint32_t next_listed(const struct device_state *state, uint32_t slot)
{
	uint32_t word = slot / 32;
	uint32_t bits = slot < state->slots ? state->listed[word] & ~0u << slot % 32 : 0;

	if (!bits)
		word = find_listed(state, word + 1, &bits);
	return word == UINT32_MAX ? word : word * 32 + __ffs((int)bits) - 1;
}

/*
 * Calls f(first, bits) for 32 slots of records at a time, if the running API touched objects among
 * them: those of the bits.  The warp does it together.
 */
template <typename F> static __device__ void each_listed(const struct device_state *state, F f)
{
	uint32_t bits;

	for (uint32_t word = find_listed(state, 0, &bits); word != UINT32_MAX;
	     word = find_listed(state, word + 1, &bits))
		f(word * 32, bits);
}

#endif
