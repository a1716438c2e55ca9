/*
 * gpu/sanitizer/passes.cu: the shadow memory on the device.  After each API these kernels do to the
 * blocks that it touched what gpu/analysis/shadow*.c does on the CPU.
 *
 * `list` holds record slots + 1; blockIdx.y says which of them.
 */
#include "gpu/analysis/sha256.h"
#include "gpu/analysis/unit.h"
#include "gpu/provider.h"
#include "gpu/sanitizer/device_state.h"

#define KERNEL extern "C" __global__ void
#define ALL_LANES 0xffffffffu

typedef unsigned long long u64; /* as atomics and shuffles want it */

static __device__ struct device_record *listed(struct device_record *records, const uint32_t *list)
{
	return &records[list[blockIdx.y] - 1];
}

static __device__ uint64_t thread_of_row(void)
{
	return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ uint64_t threads_of_row(void)
{
	return (uint64_t)gridDim.x * blockDim.x;
}

static __device__ bool has_bit(const uint32_t *bits, uint64_t n)
{
	return bits[n / 32] >> n % 32 & 1;
}

static __device__ void set_bit(uint32_t *bits, uint64_t n)
{
	uint32_t bit = 1u << n % 32;

	if (!(*(volatile uint32_t *)&bits[n / 32] & bit))
		atomicOr(&bits[n / 32], bit);
}

static __device__ void clear_bit(uint32_t *bits, uint64_t n)
{
	atomicAnd(&bits[n / 32], ~(1u << n % 32));
}

static __device__ u64 sum_of_lanes(u64 value)
{
	for (int by = 16; by; by /= 2)
		value += __shfl_down_sync(ALL_LANES, value, by);
	return value; /* in lane 0 */
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

/* -- copies and sets ---------------------------------------------------------------------- */

/* A thread's share of `height` rows of `width` bytes: calls f(word, bits, row's offset). */
template <typename F>
static __device__ void each_word(uint64_t offset, uint64_t pitch, uint64_t width, uint64_t height,
				 F f)
{
	uint64_t row_words = width / WORD_BYTES + 2;

	for (uint64_t i = thread_of_row(); i < row_words * height; i += threads_of_row()) {
		uint64_t row = offset + i / row_words * pitch;
		uint64_t word = row / WORD_BYTES + i % row_words;

		if (word <= (row + width - 1) / WORD_BYTES)
			f(word, range_bits(word, row, width), i / row_words);
	}
}

static __device__ void add_bits(uint64_t *mask, uint64_t bits)
{
	if (bits)
		atomicOr((u64 *)mask, (u64)bits);
}

/* The running API reads or writes rows of bytes of one object. */
KERNEL vflow_mark(struct device_record *record, uint64_t offset, uint64_t pitch, uint64_t width,
		  uint64_t height, uint32_t marks)
{
	each_word(offset, pitch, width, height, [=](uint64_t word, uint64_t bits, uint64_t) {
		if (marks & MARK_READ)
			add_bits(&record->read[word], bits);
		if (marks & MARK_WRITTEN)
			add_bits(&record->written[word], bits);
		set_bit(record->touched_blocks, word / LEAF_WORDS);
	});
}

/* `count` <= 64 bits of a mask from bit `first` on. */
static __device__ uint64_t bits_from(const uint64_t *mask, uint64_t first, unsigned count)
{
	uint64_t bits = mask[first / 64] >> first % 64;

	if (first % 64 + count > 64)
		bits |= mask[first / 64 + 1] << (64 - first % 64);
	return bits & WORD_ALL >> (64 - count);
}

/* Writes rows of bytes that were copied from another object (or this one). */
KERNEL vflow_mark_copy(struct device_record *to, uint64_t offset, uint64_t pitch,
		       const struct device_record *from, uint64_t from_offset, uint64_t from_pitch,
		       uint64_t width, uint64_t height)
{
	each_word(offset, pitch, width, height, [=](uint64_t word, uint64_t bits, uint64_t row) {
		unsigned first = unit_first(bits), count = unit_count(bits);
		uint64_t at = word * WORD_BYTES + first - (offset + row * pitch);
		uint64_t known = from->value ? bits_from(from->initialised,
							 from_offset + row * from_pitch + at, count)
						       << first
					     : 0;

		add_bits(&to->written[word], known);
		add_bits(&to->origin[word], bits & ~known);
		set_bit(to->touched_blocks, word / LEAF_WORDS);
	});
}

/* -- the pass ----------------------------------------------------------------------------- */

struct tally {
	uint64_t read, written, redundant;
	uint32_t writer;
};

static __device__ void add_row(struct device_rows *rows, uint32_t slot, uint32_t writer, u64 read,
			       u64 written, u64 redundant)
{
	u64 key = (u64)(slot + 1) << 32 | writer;
	uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 40) % ROW_SLOTS;

	for (;; at = (at + 1) % ROW_SLOTS) {
		u64 old = *(volatile uint64_t *)&rows->keys[at];

		if (!old && !(old = atomicCAS((u64 *)&rows->keys[at], 0ull, key))) {
			uint32_t place = atomicAdd(&rows->count, 1);

			if (place < ROW_LIMIT)
				rows->used[place] = at;
			break;
		}
		if (old == key)
			break;
		if (*(volatile uint32_t *)&rows->count > ROW_LIMIT)
			return; /* too many: the host gives all of them up */
	}
	if (read)
		atomicAdd((u64 *)&rows->read[at], read);
	if (written)
		atomicAdd((u64 *)&rows->written[at], written);
	if (redundant)
		atomicAdd((u64 *)&rows->redundant[at], redundant);
}

static __device__ void count_bytes(struct device_rows *rows, uint32_t slot, struct tally *tally,
				   const struct unit_word *word, uint64_t redundant, uint64_t bytes,
				   uint32_t writer)
{
	if (tally->writer != writer && (tally->read || tally->written)) {
		add_row(rows, slot, tally->writer, tally->read, tally->written, tally->redundant);
		tally->read = tally->written = tally->redundant = 0;
	}
	tally->writer = writer;
	tally->read += unit_count(word->read & bytes);
	tally->written += unit_count(word->written & bytes);
	tally->redundant += unit_count(redundant & bytes);
}

/* Adds up what the lanes of a warp counted for the same writer. */
static __device__ void flush(struct device_rows *rows, uint32_t slot, const struct tally *tally)
{
	unsigned lane = threadIdx.x % 32;
	unsigned waiting = __ballot_sync(ALL_LANES, tally->read || tally->written);

	while (waiting) {
		uint32_t writer = __shfl_sync(ALL_LANES, tally->writer, __ffs((int)waiting) - 1);
		bool mine = (waiting >> lane & 1) && tally->writer == writer;
		u64 read = sum_of_lanes(mine ? tally->read : 0);
		u64 written = sum_of_lanes(mine ? tally->written : 0);
		u64 redundant = sum_of_lanes(mine ? tally->redundant : 0);

		if (lane == 0)
			add_row(rows, slot, writer, read, written, redundant);
		waiting &= ~__ballot_sync(ALL_LANES, mine);
	}
}

/* What memory holds now in one word of the object; zeros past its end. */
static __device__ void load_memory(const struct device_record *record, uint64_t word, uint64_t to[8])
{
	uint64_t at = word * WORD_BYTES;
	const uint8_t *memory = (const uint8_t *)(record->address + at);

	if (at + WORD_BYTES <= record->size && record->address % 16 == 0) {
#pragma unroll
		for (int i = 0; i < 4; i++) {
			ulonglong2 pair = __ldcg((const ulonglong2 *)memory + i);

			to[2 * i] = pair.x;
			to[2 * i + 1] = pair.y;
		}
		return;
	}
#pragma unroll
	for (int i = 0; i < 8; i++) {
		to[i] = 0;
		for (int k = 0; k < 8; k++)
			if (at + 8 * i + k < record->size)
				to[i] |= (uint64_t)memory[8 * i + k] << 8 * k;
	}
}

static __device__ void load_value(const struct device_record *record, uint64_t index, uint64_t to[8])
{
#pragma unroll
	for (int i = 0; i < 4; i++) {
		ulonglong2 pair = ((const ulonglong2 *)record->value)[index * 4 + i];

		to[2 * i] = pair.x, to[2 * i + 1] = pair.y;
	}
}

static __device__ void store_value(struct device_record *record, uint64_t index,
				   const uint64_t from[8])
{
#pragma unroll
	for (int i = 0; i < 4; i++)
		((ulonglong2 *)record->value)[index * 4 + i] =
			make_ulonglong2(from[2 * i], from[2 * i + 1]);
}

/* Takes over what the host put into units that the API read.  Returns the bytes of those. */
static __device__ uint64_t store_host(struct device_record *record, uint64_t index,
				      struct unit_word *word, uint32_t writers[WORD_UNITS],
				      int64_t *initialised_bytes)
{
	uint64_t fresh[8], value[8], bytes, known = word->initialised;

	load_memory(record, index, fresh);
	load_value(record, index, value);
	bytes = unit_from_host(word, unit_equal((const uint8_t *)value, (const uint8_t *)fresh));
	if (!bytes)
		return 0;
	unit_set_writer(writers, bytes, GPU_WRITER_HOST ^ record->site);
	unit_replace((uint8_t *)value, (const uint8_t *)fresh, bytes);
	store_value(record, index, value);
	word->initialised |= bytes & range_bits(index, 0, record->size);
	record->initialised[index] = word->initialised;
	*initialised_bytes += (int64_t)unit_count(word->initialised) - unit_count(known);
	return bytes;
}

/* One word that the running API touched.  Returns whether its digest is out of date. */
static __device__ bool settle_word(struct device_record *record, uint64_t index, uint32_t slot,
				   uint32_t writer, struct device_rows *rows, struct tally *tally,
				   int64_t *initialised_bytes)
{
	uint64_t fresh[8], value[8], origin = record->origin[index], units, equal, redundant = 0;
	struct unit_word word = {record->read[index], record->written[index], 0,
				 record->initialised[index]};
	uint32_t writers[WORD_UNITS];
	uint64_t from_host = 0;
	bool changed = false;

	word.uninitialised = origin & ~word.written;
	word.written |= origin;
	if (!word.read && !word.written)
		return false;
#pragma unroll
	for (int i = 0; i < WORD_UNITS / 4; i++) {
		uint4 four = ((const uint4 *)record->writer)[index * 4 + i];

		writers[4 * i] = four.x, writers[4 * i + 1] = four.y;
		writers[4 * i + 2] = four.z, writers[4 * i + 3] = four.w;
	}
	if (record->shared && word.read) {
		from_host = store_host(record, index, &word, writers, initialised_bytes);
		changed = from_host;
	}
	if (word.written) {
		uint64_t after = unit_initialised(&word);

		load_memory(record, index, fresh);
		load_value(record, index, value);
		equal = unit_equal((const uint8_t *)value, (const uint8_t *)fresh);
		redundant = unit_redundant(&word, equal);
		if (word.written & ~equal) {
			unit_replace((uint8_t *)value, (const uint8_t *)fresh, word.written);
			store_value(record, index, value);
		}
		changed |= after != word.initialised || (word.written & after & ~equal);
		if (after != word.initialised) {
			record->initialised[index] = after;
			*initialised_bytes += (int64_t)unit_count(after) - unit_count(word.initialised);
		}
	}
	units = unit_whole(word.read | word.written);
#pragma unroll
	for (int i = 0; i < WORD_UNITS; i++)
		if (units >> 4 * i & 1) {
			uint64_t bytes = unit_written_by(writers, writers[i]) & units;

			count_bytes(rows, slot, tally, &word, redundant, bytes,
				    writers[i] ^ record->site);
			units &= ~bytes;
		}
	if (word.written || from_host) {
		unit_set_writer(writers, word.written, writer ^ record->site);
#pragma unroll
		for (int i = 0; i < WORD_UNITS / 4; i++)
			((uint4 *)record->writer)[index * 4 + i] =
				make_uint4(writers[4 * i], writers[4 * i + 1], writers[4 * i + 2],
					   writers[4 * i + 3]);
	}
	record->read[index] = 0;
	record->written[index] = 0;
	if (origin)
		record->origin[index] = 0;
	return changed;
}

/* Sixteen lanes take a block, each one a word of it. */
KERNEL vflow_settle(struct device_record *records, const uint32_t *list, uint32_t writer,
		    struct device_rows *rows)
{
	struct device_record *record = listed(records, list);
	uint32_t slot = list[blockIdx.y] - 1, lane = threadIdx.x % LEAF_WORDS;
	unsigned half = 0xffffu << (threadIdx.x & 16);
	struct tally tally = {0, 0, 0, 0};
	int64_t initialised_bytes = 0;
	u64 more;

	for (uint64_t block = thread_of_row() / LEAF_WORDS; block < record->blocks;
	     block += threads_of_row() / LEAF_WORDS) {
		bool stale;

		if (!has_bit(record->touched_blocks, block))
			continue;
		stale = settle_word(record, block * LEAF_WORDS + lane, slot, writer, rows, &tally,
				    &initialised_bytes);
		stale = __any_sync(half, stale);
		if (lane == 0) {
			clear_bit(record->touched_blocks, block);
			if (stale && record->tree)
				set_bit(record->stale[0], block);
		}
	}
	__syncwarp();
	flush(rows, slot, &tally);
	more = sum_of_lanes((u64)initialised_bytes);
	if (threadIdx.x % 32 == 0 && more)
		atomicAdd((u64 *)&record->initialised_bytes, more);
}

/* Forgets what the running API touched. */
KERNEL vflow_clear(struct device_record *records, const uint32_t *list)
{
	struct device_record *record = listed(records, list);

	for (uint64_t word = thread_of_row(); word < record->blocks * LEAF_WORDS;
	     word += threads_of_row()) {
		record->read[word] = 0;
		record->written[word] = 0;
		if (record->value)
			record->origin[word] = 0;
		if (word % LEAF_WORDS == 0)
			clear_bit(record->touched_blocks, word / LEAF_WORDS);
	}
	if (thread_of_row() == 0)
		record->touched = 0;
}

/* Something that was not analysed may have written anywhere in the object. */
KERNEL vflow_forget(struct device_record *records, const uint32_t *list, uint32_t unknown)
{
	struct device_record *record = listed(records, list);

	for (uint64_t word = thread_of_row(); word < record->blocks * LEAF_WORDS;
	     word += threads_of_row()) {
		for (unsigned i = 0; i < WORD_UNITS; i++)
			record->writer[word * WORD_UNITS + i] = unknown ^ record->site;
		record->initialised[word] = 0;
		if (word % LEAF_WORDS == 0 && record->tree)
			set_bit(record->stale[0], word / LEAF_WORDS);
	}
	if (thread_of_row() == 0)
		record->initialised_bytes = 0;
}

/* The object holds what its allocation put there. */
KERNEL vflow_initialise(struct device_record *record)
{
	for (uint64_t i = thread_of_row(); i < record->size; i += threads_of_row())
		record->value[i] = ((const uint8_t *)record->address)[i];
	for (uint64_t word = thread_of_row(); word < record->blocks * LEAF_WORDS;
	     word += threads_of_row()) {
		if (word * WORD_BYTES < record->size)
			record->initialised[word] = range_bits(word, 0, record->size);
		if (word % LEAF_WORDS == 0 && record->tree)
			set_bit(record->stale[0], word / LEAF_WORDS);
	}
	if (thread_of_row() == 0)
		record->initialised_bytes = record->size;
}

/* -- digests ------------------------------------------------------------------------------ */

static __device__ void hash_leaf(struct device_record *record, uint64_t block)
{
	const uint64_t *initialised = record->initialised + block * LEAF_WORDS;
	const uint8_t *value = record->value + block * LEAF_BYTES;
	uint64_t size = record->size - block * LEAF_BYTES, known = 0, any = 0;
	uint8_t *digest = record->tree[block];
	bool zero;

	if (size > LEAF_BYTES)
		size = LEAF_BYTES;
	for (unsigned i = 0; i < LEAF_WORDS; i++)
		known += unit_count(initialised[i]);
	/* values of bytes that were never initialised are zero, too */
	for (unsigned i = 0; known == size && i < LEAF_BYTES / 8; i++)
		any |= ((const uint64_t *)value)[i];
	zero = known == size && !any;
	if (zero != has_bit(record->zero_leaves, block)) {
		atomicAdd((u64 *)&record->zero_leaf_count, zero ? 1ull : ~0ull);
		atomicXor(&record->zero_leaves[block / 32], 1u << block % 32);
	}
	if (known)
		sha256_leaf(value, initialised, digest);
	else
		memset(digest, 0, SHA256_SIZE);
}

static __device__ void hash_node(struct device_record *record, unsigned level, uint64_t node,
				 const uint8_t *blank)
{
	uint64_t below = record->level_start[level] - record->level_start[level - 1];
	SHA256_ALIGNED uint8_t pair[SHA256_BLOCK];
	uint32_t state[8];

	sha256_start(state);
	for (unsigned i = 0; i < NODE_CHILDREN; i++) {
		uint64_t child = node * NODE_CHILDREN + i;
		const uint8_t *digest = blank;

		if (child < below) {
			const uint8_t *own = record->tree[record->level_start[level - 1] + child];
			uint64_t any = 0;

			for (unsigned k = 0; k < SHA256_SIZE / 8; k++)
				any |= ((const uint64_t *)own)[k];
			digest = any ? own : blank;
		}
		for (unsigned k = 0; k < SHA256_SIZE / 8; k++)
			((uint64_t *)pair)[i % 2 * 4 + k] = ((const uint64_t *)digest)[k];
		if (i % 2)
			sha256_block(state, pair);
	}
	sha256_finish(state, NULL, NODE_CHILDREN * SHA256_SIZE,
		      record->tree[record->level_start[level] + node]);
}

/* Hashes the stale nodes of one level; `blank`: of uninitialised memory one level below. */
KERNEL vflow_hash(struct device_record *records, const uint32_t *list, uint32_t level,
		  const uint8_t *blank)
{
	struct device_record *record = listed(records, list);
	uint64_t count;

	if (level >= record->levels)
		return;
	count = level ? 1 : record->blocks;
	if (level)
		count = (record->level_start[level] - record->level_start[level - 1] +
			 NODE_CHILDREN - 1) / NODE_CHILDREN;
	for (uint64_t node = thread_of_row(); node < count; node += threads_of_row()) {
		if (!has_bit(record->stale[level], node))
			continue;
		clear_bit(record->stale[level], node);
		if (level)
			hash_node(record, level, node, blank);
		else
			hash_leaf(record, node);
		if (level + 1 < record->levels)
			set_bit(record->stale[level + 1], node / NODE_CHILDREN);
	}
}

/* -- results ------------------------------------------------------------------------------ */

/* One block of threads: hands rows and facts to the host and makes ready for the next API. */
KERNEL vflow_gather(struct device_state *state, struct device_record *records,
		    const uint32_t *list, uint32_t listed_count, struct device_rows *rows,
		    struct pass_results *results,
		    struct result_object *objects)
{
	uint32_t count = rows->count;

	for (uint32_t i = threadIdx.x; i < count && count <= ROW_LIMIT; i += blockDim.x) {
		uint32_t at = rows->used[i];
		struct result_row row;

		row.read = rows->read[at];
		row.written = rows->written[at];
		row.redundant = rows->redundant[at];
		row.slot = (uint32_t)(rows->keys[at] >> 32) - 1;
		row.writer = (uint32_t)rows->keys[at];
		results->rows[i] = row;
		rows->keys[at] = rows->read[at] = rows->written[at] = rows->redundant[at] = 0;
	}
	for (uint32_t i = threadIdx.x; i < listed_count; i += blockDim.x) {
		struct device_record *record = &records[list[i] - 1];
		struct result_object object;

		object.initialised_bytes = record->initialised_bytes;
		object.zero_leaf_count = record->zero_leaf_count;
		memset(object.root, 0, DIGEST_BYTES);
		if (record->tree)
			memcpy(object.root, record->tree[record->level_start[record->levels - 1]],
			       DIGEST_BYTES);
		objects[i] = object;
		record->touched = 0;
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		results->row_count = count;
		rows->count = 0;
		state->touched_count = 0;
	}
}
