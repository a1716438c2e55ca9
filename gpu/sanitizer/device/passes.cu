/*
 * gpu/sanitizer/device/passes.cu: the shadow memory on the device: what copies and sets touch, what
 * is forgotten, and the pass after each API.
 */
#include "gpu/sanitizer/device/commands.cuh"
#include "gpu/sanitizer/device/settle.cuh"

#define KERNEL extern "C" __global__ void

/* -- copies and sets ---------------------------------------------------------------------- */

/* The running API reads or writes rows of bytes of one object. */
KERNEL vflow_mark(struct device_state *state, const __grid_constant__ struct marks marks)
{
	mark(state, &state->records[marks.slot], &marks);
}

/* `count` <= 64 bits of a mask from bit `first` on. */
static __device__ uint64_t bits_from(const uint64_t *mask, uint64_t first, unsigned count)
{
	uint64_t bits = mask[first / 64] >> first % 64;

	if (first % 64 + count > 64)
		bits |= mask[first / 64 + 1] << (64 - first % 64);
	return bits & WORD_ALL >> (64 - count);
}

/*
 * Writes rows of bytes that were copied from another object of the device (or this one), perhaps of
 * another context.
 */
KERNEL vflow_mark_copy(struct device_state *state, uint32_t slot, uint64_t offset, uint64_t pitch,
		       const struct device_record *from, uint64_t from_offset, uint64_t from_pitch,
		       uint64_t width, uint64_t height)
{
	struct device_record *to = &state->records[slot];

	list_object(state, to, false, true);
	each_word(offset, pitch, width, height, [=](uint64_t word, uint64_t bits, uint64_t row) {
		unsigned first = unit_first(bits), count = unit_count(bits);
		uint64_t at = word * WORD_BYTES + first - (offset + row * pitch);
		uint64_t known = from->value ? bits_from(from->initialised,
							 from_offset + row * from_pitch + at, count)
						       << first
					     : 0;

		if (to->coarse)
			known = bits;
		if (known == WORD_ALL) {
			((uint16_t *)to->written_units)[word] = 0xffff;
		} else if (known) {
			to->uses_bytes = 1;
			add_bits(&to->written[word], known);
		}
		if (bits & ~known) {
			to->uses_origin = 1;
			add_bits(&to->origin[word], bits & ~known);
		}
		if (word % LEAF_WORDS == 0 || word == (offset + row * pitch) / WORD_BYTES)
			set_bit(to->touched_blocks, word / LEAF_WORDS);
	});
}

/* -- forgetting --------------------------------------------------------------------------- */

/* The running API failed, or nobody knows what it did: its masks are cleared. */
KERNEL vflow_clear(struct device_state *state, uint32_t slot)
{
	struct device_record *record = &state->records[slot];

	for (uint64_t word = thread_of_grid(); word < record->blocks * LEAF_WORDS;
	     word += threads_of_grid()) {
		record->read[word] = 0;
		record->written[word] = 0;
		((uint16_t *)record->read_units)[word] = 0;
		((uint16_t *)record->written_units)[word] = 0;
		if (record->value)
			record->origin[word] = 0;
		CLEAR_COUNTS(record, word);
		if (word % (32 * LEAF_WORDS) == 0)
			record->touched_blocks[word / (32 * LEAF_WORDS)] = 0;
	}
	if (thread_of_grid() == 0)
		reset_object(record, record->known_sizes);
}

/* Something that was not analysed may have written anywhere in the object. */
KERNEL vflow_forget(struct device_state *state, uint32_t slot, uint32_t unknown)
{
	forget_object(&state->records[slot], unknown);
}
