/*
 * gpu/sanitizer/device/warp.cuh: what a warp of the pass counts: rows, and numbers of the object.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_WARP_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_WARP_CUH

#include "gpu/analysis/leaf.h"
#include "gpu/analysis/unit.h"
#include "gpu/provider.h"
#include "gpu/sanitizer/device/device_state.h"

#define ALL_LANES 0xffffffffu
#define CACHED_ROWS 64u

typedef unsigned long long u64; /* as atomics and shuffles want it */

/* -- rows --------------------------------------------------------------------------------- */

/* Rows of the objects that this block of threads works on; what does not fit goes to memory. */
struct row_cache {
	u64 keys[CACHED_ROWS];
	uint32_t read[CACHED_ROWS], written[CACHED_ROWS], redundant[CACHED_ROWS];
	uint32_t gathered;
	uint32_t blocks; /* of objects that were looked at */
	bool full;       /* some rows went to memory */
};

static __device__ uint32_t hash_key(u64 key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 40);
}

static __device__ void add_row(struct device_rows *rows, u64 key, u64 read, u64 written,
			       u64 redundant)
{
	uint32_t at = hash_key(key) % ROW_SLOTS;

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

static __device__ void add_cached_row(struct row_cache *cache, struct device_rows *rows, u64 key,
				      uint32_t read, uint32_t written, uint32_t redundant)
{
	uint32_t start = hash_key(key);

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t at = (start + i) % CACHED_ROWS;
		u64 old = *(volatile u64 *)&cache->keys[at];

		if (!old)
			old = atomicCAS(&cache->keys[at], 0ull, key);
		if (!old || old == key) {
			atomicAdd(&cache->read[at], read);
			atomicAdd(&cache->written[at], written);
			atomicAdd(&cache->redundant[at], redundant);
			return;
		}
	}
	cache->full = true;
	add_row(rows, key, read, written, redundant);
}

/* A row as the host reads it. */
static __device__ struct result_row make_row(u64 key, u64 read, u64 written, u64 redundant)
{
	struct result_row row;

	row.read = read;
	row.written = written;
	row.redundant = redundant;
	row.slot = (uint32_t)(key >> 32) - 1;
	row.writer = (uint32_t)key;
	return row;
}

/* -- a warp's work ------------------------------------------------------------------------ */

/* What the warp has counted; `key` is the same in all lanes, the rest is the lane's part. */
struct walk {
	struct device_record *record;
	struct device_rows *rows;
	struct row_cache *cache;
	const uint32_t *keys;  /* of leaves */
	u64 (*nh)[LEAF_LANES]; /* of the warp: see struct leaves */
	uint32_t slot, writer;
	u64 key; /* of the bytes counted below */
	uint32_t read, written, redundant;
	int initialised; /* bytes */
};

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
	uint32_t read = sum_of_lanes(walk->read), written = sum_of_lanes(walk->written);
	uint32_t redundant = sum_of_lanes(walk->redundant);

	if (threadIdx.x % 32 == 0 && (read || written || redundant))
		add_cached_row(walk->cache, walk->rows, walk->key, read, written, redundant);
	walk->read = walk->written = walk->redundant = 0;
}

/* Counts bytes that `writer` (XOR the site) wrote last; called by whole warps. */
static __device__ void count(struct walk *walk, uint32_t writer, uint32_t read, uint32_t written,
			     uint32_t redundant)
{
	u64 key = (u64)(walk->slot + 1) << 32 | (writer ^ walk->record->site);

	if (key != walk->key) {
		if (walk->key)
			flush_row(walk);
		walk->key = key;
	}
	walk->read += read;
	walk->written += written;
	walk->redundant += redundant;
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
