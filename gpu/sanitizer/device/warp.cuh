/*
 * gpu/sanitizer/device/warp.cuh: what a warp of the pass counts: rows, and numbers of the object.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_WARP_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_WARP_CUH

#include "gpu/analysis/leaf.h"
#include "gpu/analysis/unit.h"
#include "gpu/analysis/values.h"
#include "gpu/provider.h"
#include "gpu/sanitizer/device/device_state.h"

#define ALL_LANES 0xffffffffu
#define CACHED_ROWS 64u

typedef unsigned long long u64; /* as atomics and shuffles want it */

/* -- rows --------------------------------------------------------------------------------- */

/* Each of the first so many lanes has one of a row's numbers: its counts, then its extents. */
#define ROW_LANES (ROW_COUNTS + ROW_EXTENTS)

static_assert(ROW_LANES <= 32, "a row has more numbers than a warp has lanes: let add_row(), "
			       "add_at() and count_of_lane() take the counts in two rounds");

/*
 * Counts of bytes by enum row_count, two in a number, so that the sums of a warp's lanes are two
 * for one: at most COUNT_MOST of a lane.
 */
#define COUNT_MOST 2047u
#define COUNT_PAIRS ((ROW_COUNTS + 1) / 2)

struct counts {
	uint32_t pairs[COUNT_PAIRS]; /* count n is in pair n / 2: its low half, or its high one */
};

/* `which` is a constant: so the pairs stay in registers. */
static __device__ __forceinline__ void add_count(struct counts *counts, unsigned which,
						 uint32_t bytes)
{
	counts->pairs[which / 2] += bytes << which % 2 * 16;
}

static __device__ __forceinline__ uint32_t get_count(const struct counts *counts, unsigned which)
{
	return counts->pairs[which / 2] >> which % 2 * 16 & 0xffff;
}

static __device__ void add_counts(struct counts *to, const struct counts *from)
{
#pragma unroll
	for (unsigned i = 0; i < COUNT_PAIRS; i++)
		to->pairs[i] += from->pairs[i];
}

/* Rows of the objects that this block of threads works on; what does not fit goes to memory. */
struct row_cache {
	u64 keys[CACHED_ROWS];
	uint32_t numbers[ROW_LANES][CACHED_ROWS]; /* counts, then extents */
	uint32_t gathered;
	uint32_t blocks; /* of objects that were looked at */
	bool full;       /* some rows went to memory */
};

static __device__ void clear_cache(struct row_cache *cache)
{
	if (threadIdx.x >= CACHED_ROWS)
		return;
	cache->keys[threadIdx.x] = 0;
#pragma unroll
	for (unsigned i = 0; i < ROW_LANES; i++)
		cache->numbers[i][threadIdx.x] = 0;
}

static __device__ uint32_t hash_key(u64 key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 40);
}

/* The lane's count, of those of the warp. */
static __device__ uint32_t count_of_lane(const struct counts *counts)
{
	unsigned lane = threadIdx.x % 32;
	uint32_t pair = counts->pairs[0];

#pragma unroll
	for (unsigned i = 1; i < COUNT_PAIRS; i++)
		pair = lane < 2 * i ? pair : counts->pairs[i];
	return lane % 2 ? pair >> 16 : pair & 0xffff;
}

/* The place of a row in memory, or NULL: there are too many, and the host gives all of them up. */
static __device__ struct device_row *find_row(struct device_rows *rows, u64 key)
{
	uint32_t at = hash_key(key) % ROW_SLOTS;

	for (;; at = (at + 1) % ROW_SLOTS) {
		struct device_row *row = &rows->slots[at];
		u64 old = *(volatile uint64_t *)&row->key;

		if (!old && !(old = atomicCAS((u64 *)&row->key, 0ull, key))) {
			uint32_t place = atomicAdd(&rows->count, 1);

			if (place < ROW_LIMIT)
				rows->used[place] = at;
			return row;
		}
		if (old == key)
			return row;
		if (*(volatile uint32_t *)&rows->count > ROW_LIMIT)
			return NULL;
	}
}

/* Adds to a row in memory.  Called by the first ROW_LANES lanes, each with its own number. */
static __device__ __noinline__ void add_row(struct device_rows *rows, u64 key, uint32_t number)
{
	struct device_row *row = find_row(rows, key);
	unsigned lane = threadIdx.x % 32;

	if (!row || !number)
		return;
	if (lane < ROW_COUNTS)
		atomicAdd((u64 *)&row->counts[lane], (u64)number);
	else
		atomicMax(&row->extents[lane - ROW_COUNTS], number);
}

/* The same to the row at this place of the cache. */
static __device__ void add_at(struct row_cache *cache, uint32_t at, uint32_t number)
{
	unsigned lane = threadIdx.x % 32;

	if (lane < ROW_COUNTS)
		atomicAdd(&cache->numbers[lane][at], number);
	else
		atomicMax(&cache->numbers[lane][at], number);
}

static __device__ void add_cached_row(struct row_cache *cache, struct device_rows *rows, u64 key,
				      uint32_t number)
{
	uint32_t start = hash_key(key);

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t at = (start + i) % CACHED_ROWS;
		u64 old = *(volatile u64 *)&cache->keys[at];

		if (!old)
			old = atomicCAS(&cache->keys[at], 0ull, key);
		if (!old || old == key) {
			add_at(cache, at, number);
			return;
		}
	}
	cache->full = true;
	add_row(rows, key, number);
}

/* Moves the rows of the cache to memory. */
static __device__ void empty_cache(const struct row_cache *cache, struct device_rows *rows)
{
	for (uint32_t i = threadIdx.x; i < CACHED_ROWS; i += PASS_THREADS) {
		struct device_row *row = cache->keys[i] ? find_row(rows, cache->keys[i]) : NULL;

		if (!row)
			continue;
#pragma unroll
		for (int k = 0; k < ROW_COUNTS; k++)
			if (cache->numbers[k][i])
				atomicAdd((u64 *)&row->counts[k], (u64)cache->numbers[k][i]);
#pragma unroll
		for (int k = 0; k < ROW_EXTENTS; k++)
			atomicMax(&row->extents[k], cache->numbers[ROW_COUNTS + k][i]);
	}
}

/* Hands a row of the cache to the host. */
static __device__ void put_cached_row(struct result_row *to, const struct row_cache *cache,
				      uint32_t at)
{
	to->slot = (uint32_t)(cache->keys[at] >> 32) - 1;
	to->writer = (uint32_t)cache->keys[at];
#pragma unroll
	for (int k = 0; k < ROW_COUNTS; k++)
		to->counts[k] = cache->numbers[k][at];
#pragma unroll
	for (int k = 0; k < ROW_EXTENTS; k++)
		to->extents[k] = cache->numbers[ROW_COUNTS + k][at];
}

/* -- a warp's work ------------------------------------------------------------------------ */

/* What a warp knows of the object that it works on, and of the row that it counts. */
struct notes {
	uint32_t extents[ROW_EXTENTS];
	uint32_t width; /* of the values that the API stored */
	uint32_t epoch; /* 0: nothing of the object is left unread */
	uint32_t seen;  /* the last epoch in which it was seen */
};

static __shared__ struct notes notes_of_warps[PASS_THREADS / 32];

static __device__ struct notes *notes_of_warp(void)
{
	return &notes_of_warps[threadIdx.x / 32];
}

/* What the warp has counted; `key` is the same in all lanes, `counts` the lane's part. */
struct walk {
	struct device_record *record;
	struct device_rows *rows;
	struct row_cache *cache;
	const uint32_t *keys;  /* of leaves */
	u64 (*nh)[LEAF_LANES]; /* of the warp: see struct leaves */
	uint32_t slot, writer;
	u64 key; /* of the bytes counted below */
	struct counts counts;
	uint32_t most;   /* of a count of a lane */
	int initialised; /* bytes */
};

/* What a pass has to know of an object before it looks at its blocks; by one lane. */
static __device__ void note_object(struct notes *notes, const struct device_record *record,
				   uint32_t epoch, uint32_t seen)
{
	notes->seen = seen > record->seen_epoch ? seen : record->seen_epoch;
	notes->epoch = epoch > notes->seen ? epoch : 0;
	notes->width = values_width(record->sizes, record->known_sizes);
}

/* One of four words, which can so stay in registers. */
static __device__ uint32_t pick(const uint32_t words[4], unsigned which)
{
	return which == 0 ? words[0] : which == 1 ? words[1] : which == 2 ? words[2] : words[3];
}

static __device__ uint32_t sum_of_lanes(uint32_t value)
{
#if __CUDA_ARCH__ >= 800
	return __reduce_add_sync(ALL_LANES, value);
#else
	for (int by = 16; by; by /= 2)
		value += __shfl_xor_sync(ALL_LANES, value, by);
	return value;
#endif
}

static __device__ void flush_row(struct walk *walk)
{
	struct counts counts = walk->counts;
	unsigned lane = threadIdx.x % 32;
	uint32_t others = 0;
	bool more;

#pragma unroll
	for (unsigned i = 1; i < COUNT_PAIRS; i++)
		others |= counts.pairs[i];
	more = __any_sync(ALL_LANES, others);
	counts.pairs[0] = sum_of_lanes(counts.pairs[0]);
	if (more)
#pragma unroll
		for (unsigned i = 1; i < COUNT_PAIRS; i++)
			counts.pairs[i] = sum_of_lanes(counts.pairs[i]);
	if (lane < ROW_LANES && (counts.pairs[0] || more)) {
		uint32_t number = count_of_lane(&counts);

		if (lane >= ROW_COUNTS) {
			number = notes_of_warp()->extents[lane - ROW_COUNTS];
			notes_of_warp()->extents[lane - ROW_COUNTS] = 0;
		}
		add_cached_row(walk->cache, walk->rows, walk->key, number);
	}
	walk->counts = {};
	walk->most = 0;
}

/*
 * Counts bytes, at most `most` of a lane, that `writer` (XOR the site) wrote last; called by whole
 * warps.
 */
static __device__ void count(struct walk *walk, uint32_t writer, const struct counts *counts,
			     uint32_t most)
{
	u64 key = (u64)(walk->slot + 1) << 32 | (writer ^ walk->record->site);

	if (key != walk->key || walk->most + most > COUNT_MOST) {
		if (walk->key)
			flush_row(walk);
		walk->key = key;
	}
	walk->most += most;
	add_counts(&walk->counts, counts);
}

/* The blocks from `first` to `last` are counted, too, for what was read, or written. */
static __device__ void extend(bool reads, bool writes, uint32_t first, uint32_t last)
{
	unsigned which = threadIdx.x % 32 - ROW_COUNTS;
	uint32_t extent = which % 2 ? last + 1 : ~first;

	if (which < ROW_EXTENTS && (which < ROW_WRITTEN_FROM ? reads : writes) &&
	    notes_of_warp()->extents[which] < extent)
		notes_of_warp()->extents[which] = extent;
}

/* What the running API did to the object is over. */
static __device__ void reset_object(struct device_record *record, uint32_t known_sizes)
{
	record->touched = record->uses_bytes = record->uses_origin = 0;
	record->known_sizes = known_sizes;
	record->sizes = 0;
	record->seen_sizes = values_retained(known_sizes);
}

/* Adds a number of each lane to one of the object's. */
static __device__ void add_to_object(uint64_t *to, u64 number)
{
	if (!__any_sync(ALL_LANES, number != 0))
		return;
	for (int by = 16; by; by /= 2)
		number += __shfl_xor_sync(ALL_LANES, number, by);
	if (threadIdx.x % 32 == 0 && number)
		atomicAdd((u64 *)to, number);
}

#endif
