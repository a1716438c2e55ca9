/*
 * gpu/sanitizer/device/masks.cuh: what the running API touched of a block: bits of units and, where
 * those are in use, of bytes.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_MASKS_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_MASKS_CUH

#include "gpu/sanitizer/device/warp.cuh"

#define KEEP_LIMIT (UINT64_C(1) << 30) /* bytes of an object whose masks are worth it */
#define BLOCK_UNIT_WORDS (LEAF_BYTES / UNIT_BYTES / 32)

/* A block's part of a mask of units, or of bytes. */
static __device__ ulonglong2 *of_block(uint32_t *units, uint64_t block)
{
	return (ulonglong2 *)(units + block * BLOCK_UNIT_WORDS);
}

static __device__ ulonglong2 *of_block(uint64_t *bytes, uint64_t block)
{
	return (ulonglong2 *)(bytes + block * LEAF_WORDS);
}

/* The bits of bytes for those of four units, and for those from bit 16 on. */
static __device__ unsigned bytes_of_units(unsigned units)
{
	units = units * 65 & 0x03030303;
	units = units * 9 & 0x11111111;
	return units * 15;
}

/* The same for 16 units, the low ones, as a word. */
static __device__ uint64_t word_of_units(unsigned units)
{
	unsigned low = bytes_of_units((units & 0xf) | (units & 0xf0) << 12);
	unsigned high = bytes_of_units((units >> 8 & 0xf) | (units & 0xf000) << 4);

	return (uint64_t)high << 32 | low;
}

/* What one API did to a block, in bytes. */
struct block_tally {
	struct device_block state;
	uint32_t read, written;
	uint32_t dead, unread, first_read;
};

/* How many of 128 bytes have their own bit or their unit's. */
static __device__ uint32_t count_bytes(ulonglong2 bytes, uint32_t units)
{
	return __popcll(bytes.x | word_of_units(units)) +
	       __popcll(bytes.y | word_of_units(units >> 16));
}

/* How many bytes of a block were read and written, by both masks. */
static __device__ __noinline__ uint2 count_both(const struct device_record *record, uint64_t block)
{
	const ulonglong2 *read = of_block(record->read, block);
	const ulonglong2 *written = of_block(record->written, block);
	const uint32_t *read_units = record->read_units + block * BLOCK_UNIT_WORDS;
	const uint32_t *written_units = record->written_units + block * BLOCK_UNIT_WORDS;
	uint2 counts = {0, 0};

#pragma unroll 4
	for (unsigned i = 0; i < BLOCK_UNIT_WORDS; i++) {
		counts.x += count_bytes(read[i], read_units[i]);
		counts.y += count_bytes(written[i], written_units[i]);
	}
	return counts;
}

/* One block per lane. */
static __device__ struct block_tally tally_block(const struct device_record *record, uint64_t block)
{
	const ulonglong2 *read = of_block(record->read_units, block);
	const ulonglong2 *written = of_block(record->written_units, block);
	struct block_tally tally = {record->states[block], 0, 0, 0, 0, 0};

	if (record->uses_bytes) {
		uint2 counts = count_both(record, block);

		tally.read = counts.x;
		tally.written = counts.y;
		return tally;
	}
#pragma unroll
	for (int i = 0; i < 2; i++) {
		tally.read += UNIT_BYTES * (__popcll(read[i].x) + __popcll(read[i].y));
		tally.written += UNIT_BYTES * (__popcll(written[i].x) + __popcll(written[i].y));
	}
	return tally;
}

static __device__ void clear_masks(struct device_record *record, uint64_t block, bool writes,
				   bool reads)
{
	ulonglong2 *read_units = of_block(record->read_units, block);
	ulonglong2 *written_units = of_block(record->written_units, block);
	ulonglong2 *read = of_block(record->read, block);
	ulonglong2 *written = of_block(record->written, block);

#pragma unroll
	for (int i = 0; i < 2; i++) {
		if (reads)
			read_units[i] = make_ulonglong2(0, 0);
		if (writes)
			written_units[i] = make_ulonglong2(0, 0);
	}
	if (!record->uses_bytes)
		return;
#pragma unroll
	for (int i = 0; i < (int)LEAF_WORDS / 2; i++) {
		if (reads)
			read[i] = make_ulonglong2(0, 0);
		if (writes)
			written[i] = make_ulonglong2(0, 0);
	}
}

/* The flags of a block of which nothing, or all, or some is unread since this epoch. */
static __device__ uint32_t unread_flags(uint32_t flags, bool any, bool all, uint32_t epoch)
{
	flags &= BLOCK_UNREAD - 1;
	return any ? flags | epoch << BLOCK_EPOCH | (all ? BLOCK_UNREAD : 0) : flags;
}

/* What was found of unread bytes; `left`: after the API. */
struct unread_tally {
	uint32_t first_read, dead, left;
};

/*
 * Goes through the mask of unread bytes of a block that was read, or written as a whole, or both.
 * `was`: some are unread; `known`: those in the mask.
 */
static __device__ __noinline__ struct unread_tally tally_unread_mask(
	const struct device_record *record, uint64_t block, bool was, bool known, bool written)
{
	const ulonglong2 *read = of_block(record->read, block);
	ulonglong2 *unread = of_block(record->unread, block);
	const uint32_t *read_units = record->read_units + block * BLOCK_UNIT_WORDS;
	struct unread_tally tally = {0, 0, 0};

#pragma unroll 4
	for (unsigned i = 0; i < BLOCK_UNIT_WORDS; i++) {
		uint32_t units = read_units[i];
		uint64_t touched[2] = {word_of_units(units), word_of_units(units >> 16)};
		ulonglong2 pair = known ? unread[i] : make_ulonglong2(0, 0);
		uint64_t before[2] = {pair.x, pair.y};

		if (record->uses_bytes) {
			ulonglong2 bytes = read[i];

			touched[0] |= bytes.x;
			touched[1] |= bytes.y;
		}
#pragma unroll
		for (int k = 0; k < 2; k++) {
			struct unit_word word = {touched[k], written ? WORD_ALL : 0, 0, 0,
						 was && !known ? WORD_ALL : before[k]};

			tally.first_read += unit_count(unit_first_read_bytes(&word));
			tally.dead += unit_count(unit_dead_bytes(&word));
			before[k] = unit_unread(&word);
			tally.left += unit_count(before[k]);
		}
		if (!known || before[0] != pair.x || before[1] != pair.y)
			unread[i] = make_ulonglong2(before[0], before[1]);
	}
	return tally;
}

/*
 * The same, without the mask where all or nothing is read, and is unread.  `epoch`, `seen`: see
 * struct notes.
 */
static __device__ uint32_t tally_unread(const struct device_record *record, uint64_t block,
					uint32_t epoch, uint32_t seen, struct block_tally *tally)
{
	uint32_t flags = tally->state.flags;
	bool was = flags >> BLOCK_EPOCH > seen, all = was && flags & BLOCK_UNREAD;

	if (!epoch || !(was ? tally->read | tally->written : tally->written))
		return flags;
	if (was != all || (tally->read && tally->read < LEAF_BYTES)) {
		struct unread_tally found =
			tally_unread_mask(record, block, was, was && !all, tally->written);

		tally->first_read = found.first_read;
		tally->dead = found.dead;
		tally->unread = tally->written ? found.left : 0;
		return unread_flags(flags, found.left, found.left == LEAF_BYTES, epoch);
	}
	tally->first_read = all ? tally->read : 0;
	tally->dead = all && !tally->read ? tally->written : 0;
	tally->unread = tally->read ? 0 : tally->written;
	return unread_flags(flags, !tally->read, true, epoch);
}

/*
 * Of masks that the lanes of warps mark here and there, the L2 cache would have little by the time
 * that the next launch does so: the registers that the Sanitizer saves push them out.  So it is
 * asked to keep those rather than others.  (A line of the cache has the units of four blocks.)
 */
static __device__ void keep_mask(const struct device_record *record, uint64_t block)
{
#if __CUDA_ARCH__ >= 800
	if (record->size <= KEEP_LIMIT)
		asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(record->read_units +
									  block * BLOCK_UNIT_WORDS)
			     : "memory");
#endif
}

#endif
