/*
 * gpu/sanitizer/device/marks.cuh: setting the masks of what copies and sets touch.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_MARKS_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_MARKS_CUH

#include "gpu/sanitizer/device/warp.cuh"

static __device__ uint64_t thread_of_grid(void)
{
	return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ uint64_t threads_of_grid(void)
{
	return (uint64_t)gridDim.x * blockDim.x;
}

static __device__ void set_bit(uint32_t *bits, uint64_t n)
{
	uint32_t bit = 1u << n % 32;

	if (!(*(volatile uint32_t *)&bits[n / 32] & bit))
		atomicOr(&bits[n / 32], bit);
}

/* The bits of word `word` that lie in [first, first + size); size is not 0. */
static __device__ uint64_t range_bits(uint64_t word, uint64_t first, uint64_t size)
{
	uint64_t last = first + size - 1, bits = WORD_ALL;

	if (word == first / WORD_BYTES)
		bits &= WORD_ALL << first % WORD_BYTES;
	if (word == last / WORD_BYTES)
		bits &= WORD_ALL >> (63 - last % WORD_BYTES);
	return bits;
}

/* A thread's share of `height` rows of `width` bytes: calls f(word, bits, row's number). */
template <typename F>
static __device__ void each_word(uint64_t offset, uint64_t pitch, uint64_t width, uint64_t height,
				 F f)
{
	uint64_t row_words = width / WORD_BYTES + 2, row = 0, start = thread_of_grid();

	if (start >= row_words * height)
		return;
	if (height > 1)
		row = start / row_words, start %= row_words;
	while (row < height) {
		uint64_t at = offset + row * pitch, word = at / WORD_BYTES + start;

		if (word <= (at + width - 1) / WORD_BYTES)
			f(word, range_bits(word, at, width), row);
		start += threads_of_grid();
		if (start >= row_words) {
			row += height > 1 ? start / row_words : 1;
			start %= row_words;
		}
	}
}

static __device__ void add_bits(uint64_t *mask, uint64_t bits)
{
	if (bits == WORD_ALL)
		*mask = bits;
	else if (bits)
		atomicOr((u64 *)mask, (u64)bits);
}

/* Puts the object into the list of the running API. */
static __device__ void list_object(struct device_state *state, struct device_record *record,
				   bool uses_bytes, bool writes)
{
	if (thread_of_grid())
		return;
	record->touched = 1;
	if (uses_bytes)
		record->uses_bytes = 1;
	if (writes)
		atomicOr(&record->sizes, values_sizes(VALUES_BULK, VALUES_WIDE));
	set_bit(state->listed, record->slot);
	set_bit(state->listed_words, record->slot / 32);
}

/* The running API reads or writes rows of bytes of one object. */
static __device__ __forceinline__ void mark(struct device_state *state,
					    struct device_record *record, const struct marks *marks)
{
	uint64_t offset = marks->offset, pitch = marks->pitch, width = marks->width;
	uint64_t height = marks->height, *read = record->read, *written = record->written;
	uint32_t *touched = record->touched_blocks, block_words = LEAF_WORDS;
	uint32_t which = marks->marks;
	bool units = (offset | width | (height > 1 ? pitch : 0)) % UNIT_BYTES == 0;

	list_object(state, record, !units, which & MARK_WRITTEN);
	if (units) {
		read = (uint64_t *)record->read_units;
		written = (uint64_t *)record->written_units;
		offset /= UNIT_BYTES, pitch /= UNIT_BYTES, width /= UNIT_BYTES;
		block_words /= UNIT_BYTES;
	}
	each_word(offset, pitch, width, height, [=](uint64_t word, uint64_t bits, uint64_t row) {
		if (which & MARK_READ)
			add_bits(&read[word], bits);
		if (which & MARK_WRITTEN)
			add_bits(&written[word], bits);
		if (word % block_words == 0 || word == (offset + row * pitch) / WORD_BYTES)
			set_bit(touched, word / block_words);
	});
}

/* ... called by the only block of threads of a pass, before it looks for what was touched. */
static __device__ __noinline__ void mark_first(struct device_state *state,
					       const struct marks *marks)
{
	mark(state, &state->records[marks->slot], marks);
	__syncthreads();
}

#endif
