/*
 * gpu/sanitizer/warp.cuh: what a warp of the pass counts: rows, and numbers of the object.
 */
#ifndef VFLOW_GPU_SANITIZER_WARP_CUH
#define VFLOW_GPU_SANITIZER_WARP_CUH

#include "gpu/analysis/leaf.h"
#include "gpu/analysis/unit.h"
#include "gpu/provider.h"
#include "gpu/sanitizer/device_state.h"

#define ALL_LANES 0xffffffffu
#define NEAR_ROWS 64u

typedef unsigned long long u64; /* as atomics and shuffles want it */

/*
 * Brings a sector of 32 bytes into the near cache, without waiting for it; `at` is aligned to 4.
 * What follows from each other is loaded one after the other, which is most of what a small pass
 * takes: so it asks for all that it will probably need as soon as it knows where that is.
 */
static __device__ void touch(const void *at)
{
#if __CUDA_ARCH__ >= 800
	static __shared__ uint32_t unused[PASS_THREADS];

	/* a load that nobody uses would be left out */
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
		     :
		     : "r"((uint32_t)__cvta_generic_to_shared(&unused[threadIdx.x])), "l"(at));
#else
	(void)at;
#endif
}

/* -- rows --------------------------------------------------------------------------------- */

/* Rows of the objects that this block of threads works on; what does not fit goes to memory. */
static __shared__ struct {
	u64 keys[NEAR_ROWS];
	uint32_t read[NEAR_ROWS], written[NEAR_ROWS], redundant[NEAR_ROWS];
	uint32_t gathered;
	bool full; /* some rows went to memory */
} near_rows;

static __device__ void add_row(struct device_rows *rows, u64 key, u64 read, u64 written,
			       u64 redundant)
{
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

static __device__ void add_near_row(struct device_rows *rows, u64 key, uint32_t read,
				    uint32_t written, uint32_t redundant)
{
	uint32_t start = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 40);

#pragma unroll 1
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t at = (start + i) % NEAR_ROWS;
		u64 old = *(volatile u64 *)&near_rows.keys[at];

		if (!old)
			old = atomicCAS(&near_rows.keys[at], 0ull, key);
		if (!old || old == key) {
			atomicAdd(&near_rows.read[at], read);
			atomicAdd(&near_rows.written[at], written);
			atomicAdd(&near_rows.redundant[at], redundant);
			return;
		}
	}
	near_rows.full = true;
	add_row(rows, key, read, written, redundant);
}

/* -- a warp's work ------------------------------------------------------------------------ */

/* What the warp has counted; `key` is the same in all lanes, the rest is the lane's part. */
struct walk {
	struct device_record *record;
	struct device_rows *rows;
	const uint32_t *keys;  /* of leaves */
	u64 (*nh)[LEAF_LANES]; /* of the warp: see struct leaves */
	uint32_t slot, writer;
	u64 key; /* of the bytes counted below */
	uint32_t read, written, redundant;
	int initialised; /* bytes */
};

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

/* Apart from its many callers: their code would be twice as long, and is fetched for each pass. */
static __device__ __noinline__ void add_lanes(struct device_rows *rows, u64 key, uint32_t read,
					      uint32_t written, uint32_t redundant)
{
	read = sum_of_lanes(read);
	written = sum_of_lanes(written);
	redundant = sum_of_lanes(redundant);
	if (threadIdx.x % 32 == 0 && (read || written || redundant))
		add_near_row(rows, key, read, written, redundant);
}

static __device__ void flush_row(struct walk *walk)
{
	add_lanes(walk->rows, walk->key, walk->read, walk->written, walk->redundant);
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
	unsigned lanes = __ballot_sync(ALL_LANES, number != 0);

	if (__popc(lanes) > 2) {
		for (int by = 16; by; by /= 2)
			number += __shfl_xor_sync(ALL_LANES, number, by);
		lanes = 1;
	}
	if (lanes >> threadIdx.x % 32 & 1)
		atomicAdd((u64 *)to, number);
}

#endif
