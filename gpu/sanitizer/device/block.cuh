/*
 * gpu/sanitizer/device/block.cuh: a warp settles blocks of 1 KiB: what gpu/analysis/shadow_settle.c
 * does on the CPU.
 *
 * Each lane has two chunks of 16 bytes, one in each half, so that a warp's accesses are contiguous.
 * A warp takes up to 32 blocks, then finishes the digests of those that changed, one per lane.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_BLOCK_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_BLOCK_CUH

#include "gpu/sanitizer/device/accessed.cuh"
#include "gpu/sanitizer/device/chunk.cuh"

/* Counts the touched bytes of a mixed block by their writers. */
static __device__ void count_mixed(struct walk *walk, const struct chunk chunks[2],
				   const uint32_t writers[8], uint32_t block, bool reads,
				   bool writes)
{
	unsigned left = 0, waiting;

#pragma unroll
	for (int i = 0; i < 8; i++)
		if ((chunks[i / 4].read | chunks[i / 4].written) >> i % 4 * 4 & 15)
			left |= 1u << i;
	while ((waiting = __ballot_sync(ALL_LANES, left != 0))) {
		struct counts counts = {};
		uint32_t writer = 0;

#pragma unroll
		for (int i = 7; i >= 0; i--)
			if (left >> i & 1)
				writer = writers[i];
		writer = __shfl_sync(ALL_LANES, writer, __ffs((int)waiting) - 1);
#pragma unroll
		for (int k = 0; k < 2; k++) {
			unsigned bytes = 0;

#pragma unroll
			for (int i = 0; i < 4; i++)
				if ((left >> (4 * k + i) & 1) && writers[4 * k + i] == writer) {
					bytes |= 15u << 4 * i;
					left &= ~(1u << (4 * k + i));
				}
			struct counts more = count_chunk(&chunks[k], bytes, notes_of_warp()->width,
							 notes_of_warp()->epoch);

			add_counts(&counts, &more);
		}
		count(walk, writer, &counts, 2 * CHUNK_BYTES);
		/* each of the writers has some of what there is */
		extend(reads && (!writes || __any_sync(ALL_LANES, get_count(&counts, ROW_READ))),
		       writes && (!reads || __any_sync(ALL_LANES, get_count(&counts, ROW_WRITTEN))),
		       block, block);
	}
}

/*
 * Takes over what the host put into units that the API read and did not write (as
 * unit_from_host()).  Returns the bytes of those.
 */
static __device__ unsigned take_host(struct walk *walk, uint64_t index, struct chunk *chunk)
{
	struct device_record *record = walk->record;
	uint64_t left = record->size - index * CHUNK_BYTES;
	unsigned differ = 0, known;

#pragma unroll
	for (int i = 0; i < 2; i++)
		differ |= (0xff & ~(unsigned)unit_equal_bytes(chunk->current[i], chunk->value[i]))
			  << 8 * i;
	differ = whole_units(whole_units(chunk->read) & ~whole_units(chunk->written) & differ);
	if (!differ)
		return 0;
#pragma unroll
	for (int i = 0; i < 2; i++) {
		uint64_t bytes = unit_spread(differ >> 8 * i);

		chunk->value[i] = (chunk->value[i] & ~bytes) | (chunk->current[i] & bytes);
	}
	((ulonglong2 *)record->value)[index] = make_ulonglong2(chunk->value[0], chunk->value[1]);
	known = chunk->initialised | (differ & (left < CHUNK_BYTES ? (1u << left) - 1 : CHUNK_ALL));
	walk->initialised += __popc(known) - __popc(chunk->initialised);
	((uint16_t *)record->initialised)[index] = (uint16_t)known;
	chunk->initialised = known;
	return differ;
}

/* What is unread of a chunk of a block with these flags, before the API. */
static __device__ unsigned load_unread(const struct walk *walk, uint64_t index, uint32_t flags)
{
	if (!notes_of_warp()->epoch || flags >> BLOCK_EPOCH <= notes_of_warp()->seen)
		return 0;
	return flags & BLOCK_UNREAD ? CHUNK_ALL : ((const uint16_t *)walk->record->unread)[index];
}

/* Takes over what is unread of a block after the API; returns its flags. */
static __device__ uint32_t store_unread(const struct walk *walk, uint64_t index, uint32_t flags,
					const struct chunk chunks[2])
{
	unsigned unread[2] = {unread_after(&chunks[0]), unread_after(&chunks[1])};
	uint16_t *mask = (uint16_t *)walk->record->unread + index;
	bool any = __any_sync(ALL_LANES, unread[0] | unread[1]);
	bool all = __all_sync(ALL_LANES, (unread[0] & unread[1]) == CHUNK_ALL);

	if (any && !all)
#pragma unroll
		for (int k = 0; k < 2; k++)
			mask[32 * k] = (uint16_t)unread[k];
	return unread_flags(flags, any, all, notes_of_warp()->epoch);
}

/* What is initialised of a chunk; `whole`: all of its block. */
static __device__ unsigned load_initialised(const struct device_record *record, uint64_t index,
					    bool whole)
{
	return whole ? CHUNK_ALL : ((const uint16_t *)record->initialised)[index];
}

static __device__ void load_chunk(const struct device_record *record, uint64_t index, bool whole,
				  struct chunk *chunk)
{
	ulonglong2 pair = ((const ulonglong2 *)record->value)[index];

	chunk->value[0] = pair.x, chunk->value[1] = pair.y;
	load_memory(record, index * CHUNK_BYTES, chunk->current);
	chunk->initialised = load_initialised(record, index, whole);
}

static __device__ void load_writers(const struct device_record *record, uint64_t index,
				    uint32_t writers[4])
{
	uint4 four = ((const uint4 *)record->writer)[index];

	writers[0] = four.x, writers[1] = four.y, writers[2] = four.z, writers[3] = four.w;
}

/* `bytes` of a chunk have this writer now. */
static __device__ void set_writers(uint32_t writers[4], unsigned bytes, uint32_t writer)
{
#pragma unroll
	for (int i = 0; i < 4; i++)
		if (bytes >> 4 * i & 15)
			writers[i] = writer;
}

/* Most blocks have none where bytes are in use. */
static __device__ bool has_units(const struct device_record *record, uint64_t block)
{
	unsigned lane = threadIdx.x % 32;
	const uint32_t *units =
		lane < BLOCK_UNIT_WORDS ? record->read_units : record->written_units;

	units += block * BLOCK_UNIT_WORDS + lane % BLOCK_UNIT_WORDS;
	return __any_sync(ALL_LANES, lane < 2 * BLOCK_UNIT_WORDS && *units);
}

static __device__ void settle_block(struct walk *walk, uint64_t block, unsigned place,
				    struct leaves *leaves)
{
	struct device_record *record = walk->record;
	struct device_block *at = &record->states[block], state = *at;
	unsigned lane = threadIdx.x % 32, from_host[2] = {0, 0};
	uint64_t index = block * (LEAF_BYTES / CHUNK_BYTES) + lane;
	uint32_t writer = walk->writer ^ record->site, writers[8];
	bool units = !record->uses_bytes || has_units(record, block);
	bool reads, writes, stale = false, mixed = state.flags & BLOCK_MIXED;
	struct chunk chunks[2];

#pragma unroll
	for (int k = 0; k < 2; k++)
		load_masks(record, index + 32 * k, units, &chunks[k]);
	reads = __any_sync(ALL_LANES, chunks[0].read | chunks[1].read);
	writes = __any_sync(ALL_LANES, chunks[0].written | chunks[1].written);
	if (units && lane < BLOCK_UNIT_WORDS && reads)
		record->read_units[block * BLOCK_UNIT_WORDS + lane] = 0;
	if (units && lane < BLOCK_UNIT_WORDS && writes)
		record->written_units[block * BLOCK_UNIT_WORDS + lane] = 0;
	if (mixed)
#pragma unroll
		for (int k = 0; k < 2; k++)
			load_writers(record, index + 32 * k, &writers[4 * k]);
	else
#pragma unroll
		for (int i = 0; i < 8; i++)
			writers[i] = state.writer;
	if (writes || record->shared)
#pragma unroll
		for (int k = 0; k < 2; k++)
			load_chunk(record, index + 32 * k, state.flags & BLOCK_WHOLE, &chunks[k]);
	else if (RULED_READS)
#pragma unroll
		for (int k = 0; k < 2; k++)
			chunks[k].initialised =
				load_initialised(record, index + 32 * k, state.flags & BLOCK_WHOLE);
	if (record->shared) {
#pragma unroll
		for (int k = 0; k < 2; k++) {
			from_host[k] = take_host(walk, index + 32 * k, &chunks[k]);
			set_writers(&writers[4 * k], from_host[k],
				    (record->shared == SHARED_HOST ? GPU_WRITER_HOST
								   : GPU_WRITER_UNKNOWN) ^
					    record->site);
		}
		stale = from_host[0] | from_host[1];
		mixed |= __any_sync(ALL_LANES, stale);
	}
#pragma unroll
	for (int k = 0; k < 2; k++) {
		chunks[k].redundant = 0;
		chunks[k].known = chunks[k].initialised;
		if (writes)
			stale |= store_chunk(walk, index + 32 * k, &chunks[k]);
	}
	stale = __any_sync(ALL_LANES, stale);
#pragma unroll
	for (int k = 0; k < 2; k++) {
		chunks[k].unread = load_unread(walk, index + 32 * k, state.flags);
		chunks[k].own = written_by(&writers[4 * k], writer);
	}
	if (mixed) {
		count_mixed(walk, chunks, writers, (uint32_t)block, reads, writes);
	} else {
		struct counts counts = count_chunk(&chunks[0], CHUNK_ALL, notes_of_warp()->width,
						   notes_of_warp()->epoch);
		struct counts more = count_chunk(&chunks[1], CHUNK_ALL, notes_of_warp()->width,
						 notes_of_warp()->epoch);

		add_counts(&counts, &more);
		count(walk, state.writer, &counts, 2 * CHUNK_BYTES);
		extend(reads, writes, (uint32_t)block, (uint32_t)block);
	}
	if (notes_of_warp()->epoch &&
	    (writes || __any_sync(ALL_LANES, chunks[0].unread | chunks[1].unread)))
		state.flags = store_unread(walk, index, state.flags, chunks);
	if (!writes && !stale) {
		if (lane == 0 && state.flags != at->flags)
			at->flags = state.flags;
		return;
	}
	if (__all_sync(ALL_LANES, (chunks[0].written & chunks[1].written) == CHUNK_ALL)) {
		state.writer = writer;
		state.flags &= ~BLOCK_MIXED;
	} else if (mixed || state.writer != writer) {
#pragma unroll
		for (int k = 0; k < 2; k++) {
			set_writers(&writers[4 * k], chunks[k].written, writer);
			if (!(state.flags & BLOCK_MIXED) || chunks[k].written || from_host[k])
				((uint4 *)record->writer)[index + 32 * k] =
					make_uint4(writers[4 * k], writers[4 * k + 1],
						   writers[4 * k + 2], writers[4 * k + 3]);
		}
		state.flags |= BLOCK_MIXED;
	}
	if (__all_sync(ALL_LANES, (chunks[0].initialised & chunks[1].initialised) == CHUNK_ALL))
		state.flags |= BLOCK_WHOLE;
	else
		state.flags &= ~BLOCK_WHOLE;
	if (lane == 0 && (state.writer != at->writer || state.flags != at->flags))
		*at = state;
	if (stale && record->leaves)
		hash_block(walk, block, chunks, place, leaves);
}

/* As extend(), by bits of the blocks from `first` on. */
static __device__ void extend_blocks(uint32_t first, unsigned read, unsigned written)
{
	unsigned bits = threadIdx.x % 32 - ROW_COUNTS < ROW_WRITTEN_FROM ? read : written;

	extend(read, written, first + __ffs((int)bits) - 1, first + 31 - __clz((int)bits));
}

/* Counts bytes of blocks that have one writer each, a block per lane. */
static __device__ void count_blocks(struct walk *walk, uint32_t first, bool mine,
				    const struct block_tally *tally)
{
	unsigned waiting = __ballot_sync(ALL_LANES, mine);

	while (waiting) {
		uint32_t writer =
			__shfl_sync(ALL_LANES, tally->state.writer, __ffs((int)waiting) - 1);
		bool same =
			mine && (waiting >> threadIdx.x % 32 & 1) && tally->state.writer == writer;

		struct counts counts = {};
		unsigned read = __ballot_sync(ALL_LANES, same && tally->read);
		unsigned written = __ballot_sync(ALL_LANES, same && tally->written);

		if (same) {
			add_count(&counts, ROW_READ, tally->read);
			add_count(&counts, ROW_WRITTEN, tally->written);
			add_count(&counts, ROW_DEAD_BYTES, tally->dead);
			add_count(&counts, ROW_UNREAD_BYTES, tally->unread);
			add_count(&counts, ROW_FIRST_READ_BYTES, tally->first_read);
		}
		count(walk, writer, &counts, LEAF_BYTES);
		extend_blocks(first, read, written);
		waiting &= ~__ballot_sync(ALL_LANES, same);
	}
}

/*
 * A block whose bytes were all known and have all been written, by one API each time: nothing is
 * left to do but to compare.
 */
static __device__ void settle_whole(struct walk *walk, uint64_t block, uint32_t writer,
				    unsigned place, struct leaves *leaves)
{
	struct device_record *record = walk->record;
	uint64_t index = block * (LEAF_BYTES / CHUNK_BYTES) + threadIdx.x % 32;
	struct chunk chunks[2];
	struct counts counts = {};
	unsigned redundant = 0, values = 0;

#pragma unroll
	for (int k = 0; k < 2; k++)
		load_chunk(record, index + 32 * k, true, &chunks[k]);
#pragma unroll
	for (int k = 0; k < 2; k++) {
		struct chunk *chunk = &chunks[k];

		if (chunk->current[0] == chunk->value[0] && chunk->current[1] == chunk->value[1]) {
			redundant += CHUNK_BYTES;
			values += CHUNK_BYTES;
			continue;
		}
		chunk->redundant = equal_bytes(chunk);
		redundant += __popc(chunk->redundant);
		values += __popc(
			redundant_values(CHUNK_ALL, chunk->redundant, notes_of_warp()->width));
		chunk->value[0] = chunk->current[0];
		chunk->value[1] = chunk->current[1];
		((ulonglong2 *)record->value)[index + 32 * k] =
			make_ulonglong2(chunk->current[0], chunk->current[1]);
	}
	add_count(&counts, ROW_REDUNDANT_BYTES, redundant);
	add_count(&counts, ROW_REDUNDANT_VALUE_BYTES, values);
	count(walk, writer, &counts, 2 * CHUNK_BYTES);
	if (__any_sync(ALL_LANES, redundant != 2 * CHUNK_BYTES) && record->leaves)
		hash_block(walk, block, chunks, place, leaves);
}

/* The blocks from `first` on whose bits are set. */
static __device__ void settle_blocks(struct walk *walk, uint64_t first, uint32_t bits)
{
	struct device_record *record = walk->record;
	unsigned lane = threadIdx.x % 32, plain, whole;
	struct leaves leaves = {walk->nh, 0, 0, 0};
	struct block_tally tally = {{0, 0}, 0, 0, 0, 0, 0};
	uint32_t flags = 0;
	bool simple = false, coarse = record->coarse;

	NOTE_ACCESSED_BLOCKS(record, first, bits);
	/*
	 * Most blocks were only read, or written from end to end, or not touched, since patches say
	 * so of eight at a time.  Of a coarse object nothing but the writer of each is kept.
	 * Counts by rules need the chunks of the others.
	 */
	if ((bits >> lane & 1) && !record->uses_origin) {
		tally = tally_block(record, first + lane);
		simple = coarse || !(tally.read | tally.written) ||
			 (!(RULED_READS && tally.read) && !(RULED_WRITES && tally.written) &&
			  !record->shared && !(tally.state.flags & BLOCK_MIXED) &&
			  (!tally.written ||
			   (tally.written == LEAF_BYTES && tally.state.flags & BLOCK_WHOLE)));
		if (simple) {
			flags = tally_unread(record, first + lane, notes_of_warp()->epoch,
					     notes_of_warp()->seen, &tally);
			clear_masks(record, first + lane, tally.written, tally.read);
		}
		if (tally.read && tally.read < LEAF_BYTES)
			keep_mask(record, first + lane);
	}
	count_blocks(walk, (uint32_t)first, simple && (tally.read | tally.written), &tally);
	plain = __ballot_sync(ALL_LANES, simple);
	whole = __ballot_sync(ALL_LANES, simple && tally.written && !coarse);
	for (unsigned left = whole; left; left &= left - 1) {
		unsigned place = __ffs((int)left) - 1;

		settle_whole(walk, first + place, __shfl_sync(ALL_LANES, tally.state.writer, place),
			     place, &leaves);
	}
	if (simple && tally.written)
		record->states[first + lane].writer = walk->writer ^ record->site;
	if (simple && flags != tally.state.flags)
		record->states[first + lane].flags = flags;
	for (unsigned left = bits & ~plain; left; left &= left - 1) {
		unsigned place = __ffs((int)left) - 1;

		settle_block(walk, first + place, place, &leaves);
	}
	__syncwarp();
	if (leaves.stale)
		finish_leaves(record, first, &leaves);
	__syncwarp();
}

#endif
