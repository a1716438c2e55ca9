/*
 * gpu/sanitizer/device/chunk.cuh: 16 bytes of a block, a lane's share of one half of it: loading,
 * comparing, storing; and the digest of the block that the lanes' chunks make up.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_CHUNK_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_CHUNK_CUH

#include "gpu/sanitizer/device/masks.cuh"

#define CHUNK_BYTES 16
#define CHUNK_ALL 0xffffu

struct chunk {
	uint64_t current[2], value[2];
	unsigned read, written, uninitialised, initialised, redundant;
	unsigned unread, known; /* what was unread, what was initialised, before the API */
	unsigned own;           /* see struct unit_word */
};

/* All bytes of the units of a chunk that have a byte in `mask`. */
static __device__ unsigned whole_units(unsigned mask)
{
	mask |= mask >> 1;
	mask |= mask >> 2;
	return (mask & 0x1111) * 15;
}

/* As values_redundant(), of a chunk. */
static __device__ unsigned redundant_values(unsigned written, unsigned redundant, unsigned width)
{
	unsigned differ = written & ~redundant;

	if (!differ || differ == written)
		return differ ? 0 : written;
	differ |= width > 1 ? differ >> 1 : 0;
	differ |= width > 2 ? differ >> 2 : 0;
	differ |= width > 4 ? differ >> 4 : 0;
	differ &= width > 4 ? 0x0101 : width > 2 ? 0x1111 : width > 1 ? 0x5555 : CHUNK_ALL;
	return written & ~((differ << width) - differ);
}

/* The bytes of a chunk whose units have this writer. */
static __device__ unsigned written_by(const uint32_t writers[4], uint32_t writer)
{
	unsigned bytes = 0;

#pragma unroll
	for (int i = 0; i < 4; i++)
		bytes |= writers[i] == writer ? 15u << 4 * i : 0;
	return bytes;
}

/* As unit_taken_bytes(), of a chunk. */
static __device__ unsigned taken_bytes(const struct chunk *chunk)
{
	return whole_units(chunk->written) & ~chunk->written & chunk->unread & ~chunk->read &
	       ~chunk->own;
}

/* What is unread of a chunk after the API. */
static __device__ unsigned unread_after(const struct chunk *chunk)
{
	return (chunk->unread | chunk->written) & ~chunk->read & ~taken_bytes(chunk);
}

/*
 * The counts that have code of their own: count_chunk(), and for whole blocks tally_unread() and
 * settle_whole().
 */
#define FAST_COUNTS                                                                                \
	(1u << ROW_READ | 1u << ROW_WRITTEN | 1u << ROW_REDUNDANT_BYTES |                          \
	 1u << ROW_REDUNDANT_VALUE_BYTES | 1u << ROW_DEAD_BYTES | 1u << ROW_UNREAD_BYTES |         \
	 1u << ROW_TAKEN_BYTES | 1u << ROW_FIRST_READ_BYTES)

/* The others of such rows (GPU_ROWS_READ or GPU_ROWS_WRITE), which are counted by their rules. */
static constexpr uint32_t ruled_counts(unsigned rows)
{
	uint32_t counts = 0;

#define RULED_SUM(FLAG, of) counts |= GPU_ROWS_##of & rows ? 1u << ROW_##FLAG : 0;
#define RULED_MIN(FLAG, of)
#define RULED_MAX(FLAG, of)
#define ROW_METRIC(member, FLAG, of, aggregate) RULED_##aggregate(FLAG, of)
#include "gpu/rows.def"
	return counts & ~FAST_COUNTS;
}

/* Not 0: blocks that were read, or written, have counts that only their chunks can give. */
static constexpr uint32_t RULED_READS = ruled_counts(GPU_ROWS_READ);
static constexpr uint32_t RULED_WRITES = ruled_counts(GPU_ROWS_WRITE);

/* A chunk as the rules see it: the first bytes of a word. */
static __device__ struct unit_word word_of_chunk(const struct chunk *chunk, unsigned width,
						 bool tracked)
{
	struct unit_word word = {};

	word.read = chunk->read;
	word.written = chunk->written;
	word.uninitialised = chunk->uninitialised;
	word.initialised = chunk->known;
	word.unread = chunk->unread;
	word.redundant = chunk->redundant;
	word.redundant_values = redundant_values(chunk->written, chunk->redundant, width);
	word.can_be_unread = tracked ? WORD_ALL : 0;
	word.own = chunk->own;
	return word;
}

/* Counts what has no code of its own: each by its rule in unit.h. */
static __device__ void count_by_rules(const struct unit_word *word, unsigned bytes,
				      struct counts *counts)
{
#define RULE_SUM(member, FLAG)                                                                     \
	if ((RULED_READS | RULED_WRITES) >> ROW_##FLAG & 1)                                        \
		add_count(counts, ROW_##FLAG, __popc((unsigned)unit_##member(word) & bytes));
#define RULE_MIN(member, FLAG)
#define RULE_MAX(member, FLAG)
#define ROW_METRIC(member, FLAG, of, aggregate) RULE_##aggregate(member, FLAG)
#include "gpu/rows.def"
}

/* The counts of `bytes` of a chunk; `tracked`: some may be left unread. */
static __device__ struct counts count_chunk(const struct chunk *chunk, unsigned bytes,
					    unsigned width, bool tracked)
{
	unsigned read = chunk->read & bytes, written = chunk->written & bytes;
	struct counts counts = {};

	add_count(&counts, ROW_READ, __popc(read));
	add_count(&counts, ROW_WRITTEN, __popc(written));
	if (written) {
		unsigned values = redundant_values(chunk->written, chunk->redundant, width);

		add_count(&counts, ROW_REDUNDANT_BYTES, __popc(chunk->redundant & bytes));
		add_count(&counts, ROW_REDUNDANT_VALUE_BYTES, __popc(values & bytes));
		add_count(&counts, ROW_DEAD_BYTES, __popc(written & chunk->unread & ~read));
		add_count(&counts, ROW_UNREAD_BYTES, tracked ? __popc(written & ~read) : 0);
	}
	if (chunk->unread) {
		add_count(&counts, ROW_TAKEN_BYTES, __popc(taken_bytes(chunk) & bytes));
		add_count(&counts, ROW_FIRST_READ_BYTES, __popc(read & chunk->unread));
	}
	if (RULED_READS | RULED_WRITES) {
		const struct unit_word word = word_of_chunk(chunk, width, tracked);

		count_by_rules(&word, bytes, &counts);
	}
	return counts;
}

/* What memory holds now at this place of the object; zeros past its end. */
static __device__ void load_memory(const struct device_record *record, uint64_t at, uint64_t to[2])
{
	const uint8_t *memory = (const uint8_t *)(record->address + at);

	if (at + CHUNK_BYTES <= record->size && record->address % CHUNK_BYTES == 0) {
		ulonglong2 pair = *(const ulonglong2 *)memory;

		to[0] = pair.x, to[1] = pair.y;
		return;
	}
	to[0] = to[1] = 0;
	for (unsigned i = 0; i < CHUNK_BYTES; i++)
		if (at + i < record->size)
			to[i / 8] |= (uint64_t)memory[i] << i % 8 * 8;
}

/*
 * What the masks of units have of a chunk, as bits of bytes: read, and written from bit 16 on.
 * They have one byte for two lanes.
 */
static __device__ unsigned touched_units(const struct device_record *record, uint64_t index)
{
	unsigned bits = ((const uint8_t *)record->read_units)[index / 2];

	bits |= ((const uint8_t *)record->written_units)[index / 2] << 16;
	return bytes_of_units(bits >> index % 2 * 4 & 0x000f000f);
}

/*
 * What the masks have of a chunk.  Those of units, which this leaves as they are, may have bits of
 * the block if `units` says so.
 */
static __device__ void load_masks(struct device_record *record, uint64_t index, bool units,
				  struct chunk *chunk)
{
	unsigned bits = units ? touched_units(record, index) : 0;

	chunk->read = bits & CHUNK_ALL;
	chunk->written = bits >> 16;
	chunk->uninitialised = 0;
	if (record->uses_bytes) {
		uint16_t *read = (uint16_t *)record->read + index;
		uint16_t *written = (uint16_t *)record->written + index;
		unsigned bits[2] = {*read, *written};

		chunk->read |= bits[0];
		chunk->written |= bits[1];
		if (bits[0])
			*read = 0;
		if (bits[1])
			*written = 0;
	}
	if (record->uses_origin) {
		uint16_t *origin = (uint16_t *)record->origin + index;
		unsigned bits = *origin;

		chunk->uninitialised = bits & ~chunk->written;
		chunk->written |= bits;
		if (bits)
			*origin = 0;
	}
}

/* Which bytes are in memory as they were known. */
static __device__ unsigned equal_bytes(const struct chunk *chunk)
{
	return (unsigned)unit_equal_bytes(chunk->current[0], chunk->value[0]) |
	       (unsigned)unit_equal_bytes(chunk->current[1], chunk->value[1]) << 8;
}

/* Takes over the written bytes.  Returns whether the leaf's digest is out of date. */
static __device__ bool store_chunk(struct walk *walk, uint64_t index, struct chunk *chunk)
{
	struct device_record *record = walk->record;
	unsigned written = chunk->written, equal = CHUNK_ALL, after;

	if (chunk->current[0] != chunk->value[0] || chunk->current[1] != chunk->value[1])
		equal = equal_bytes(chunk);
	chunk->redundant = written & ~chunk->uninitialised & chunk->initialised & equal;
	after = (chunk->initialised | written) & ~chunk->uninitialised;
	if (written & ~equal) {
#pragma unroll
		for (int i = 0; i < 2; i++) {
			uint64_t bytes =
				written == CHUNK_ALL ? ~0ull : unit_spread(written >> 8 * i);

			chunk->value[i] = (chunk->value[i] & ~bytes) | (chunk->current[i] & bytes);
		}
		((ulonglong2 *)record->value)[index] =
			make_ulonglong2(chunk->value[0], chunk->value[1]);
	}
	if (after == chunk->initialised)
		return written & after & ~equal;
	((uint16_t *)record->initialised)[index] = (uint16_t)after;
	walk->initialised += __popc(after) - __popc(chunk->initialised);
	chunk->initialised = after;
	return true;
}

/* The four numbers of each lane added up; lane n has number n / 8. */
static __device__ u64 add_up(uint64_t nh[LEAF_LANES])
{
	unsigned lane = threadIdx.x % 32;
	u64 one, other;

	/* half of the lanes go on with two of the numbers, then a quarter with each */
	one = lane & 16 ? nh[2] : nh[0];
	other = lane & 16 ? nh[3] : nh[1];
	one += __shfl_xor_sync(ALL_LANES, lane & 16 ? nh[0] : nh[2], 16);
	other += __shfl_xor_sync(ALL_LANES, lane & 16 ? nh[1] : nh[3], 16);
	one = (lane & 8 ? other : one) + __shfl_xor_sync(ALL_LANES, lane & 8 ? one : other, 8);
	for (int by = 4; by; by /= 2)
		one += __shfl_xor_sync(ALL_LANES, one, by);
	return one;
}

/* The leaves that a warp has yet to finish, a bit for each; their NH in shared memory. */
struct leaves {
	u64 (*nh)[LEAF_LANES];
	unsigned stale, known, zero;
};

/* Compresses the leaf's content, which lies in the lanes' chunks. */
static __device__ void hash_block(const struct walk *walk, uint64_t block,
				  const struct chunk chunks[2], unsigned place,
				  struct leaves *leaves)
{
	unsigned lane = threadIdx.x % 32, known;
	uint64_t size = walk->record->size - block * LEAF_BYTES, nh[LEAF_LANES] = {0, 0, 0, 0};
	uint64_t nonzero = 0;
	u64 sum;
	bool zero;

#pragma unroll
	for (int k = 0; k < 2; k++) {
		unsigned bits = chunks[k].initialised;
		const uint32_t *keys = walk->keys + k * (LEAF_BYTES / 8) + lane * 4;

#pragma unroll
		for (int i = 0; i < 2; i++) {
			uint64_t value = chunks[k].value[i];

			if (bits != CHUNK_ALL)
				value &= unit_spread(bits >> 8 * i);
			nonzero |= value;
			leaf_add(nh, keys + 2 * i, (uint32_t)value, (uint32_t)(value >> 32));
		}
	}
	leaf_add_mask(nh, walk->keys + LEAF_BYTES / 4 + 2 * lane, chunks[0].initialised,
		      chunks[1].initialised);
	known = sum_of_lanes(__popc(chunks[0].initialised) + __popc(chunks[1].initialised));
	zero = !__any_sync(ALL_LANES, nonzero != 0) &&
	       known == (size < LEAF_BYTES ? size : LEAF_BYTES);
	sum = add_up(nh);
	if (lane % 8 == 0)
		leaves->nh[place][lane / 8] = sum;
	leaves->stale |= 1u << place;
	leaves->known |= (known != 0) << place;
	leaves->zero |= zero << place;
}

/* Makes the digests of the leaves from `first` on, one per lane. */
static __device__ void finish_leaves(struct device_record *record, uint64_t first,
				     const struct leaves *leaves)
{
	unsigned lane = threadIdx.x % 32, zero = leaves->zero >> lane & 1;
	uint64_t change[LEAF_LANES] = {0, 0, 0, 0}, zero_leaves = 0;

	if (leaves->stale >> lane & 1) {
		uint64_t nh[LEAF_LANES], *digest = record->leaves[first + lane];
		uint32_t *flags = &record->states[first + lane].flags;

#pragma unroll
		for (int i = 0; i < (int)LEAF_LANES; i++)
			nh[i] = leaves->nh[lane][i];
		leaf_finish(first + lane, nh, change);
#pragma unroll
		for (int i = 0; i < (int)LEAF_LANES; i++) {
			uint64_t old = digest[i];

			change[i] = leaves->known >> lane & 1 ? change[i] : 0;
			digest[i] = change[i];
			change[i] -= old;
		}
		if (zero != !!(*flags & BLOCK_ZERO)) {
			*flags ^= BLOCK_ZERO;
			zero_leaves = zero ? 1 : ~0ull;
		}
	}
	for (int i = 0; i < (int)LEAF_LANES; i++)
		add_to_object(&record->sum[i], change[i]);
	add_to_object(&record->zero_leaf_count, zero_leaves);
}

#endif
