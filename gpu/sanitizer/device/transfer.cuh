/*
 * gpu/sanitizer/device/transfer.cuh: the digest of what a copy moves, which runs behind the copy on
 * its stream (gpu/analysis/transfer.h).  It reads memory as it is, without any shadow.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_TRANSFER_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_TRANSFER_CUH

#include "gpu/analysis/transfer.h"
#include "gpu/sanitizer/device/chunk.cuh"

/* 16 bytes of memory, of which `left` are there; zeros instead of others. */
static __device__ void load_bytes(uint64_t address, uint64_t left, uint64_t to[2])
{
	to[0] = to[1] = 0;
	if (left >= CHUNK_BYTES && address % CHUNK_BYTES == 0) {
		const ulonglong2 pair = *(const ulonglong2 *)address;

		to[0] = pair.x, to[1] = pair.y;
	} else if (left >= CHUNK_BYTES && address % 4 == 0) {
		for (unsigned i = 0; i < 4; i++)
			to[i / 2] |= (uint64_t)((const uint32_t *)address)[i] << i % 2 * 32;
	} else {
		for (unsigned i = 0; i < CHUNK_BYTES && i < left; i++)
			to[i / 8] |= (uint64_t)((const uint8_t *)address)[i] << i % 8 * 8;
	}
}

/* Adds the lane's chunks of one leaf to `nh`.  Returns whether any byte of them is not 0. */
static __device__ bool add_chunks(uint64_t address, uint64_t size, const uint32_t *keys,
				  uint64_t nh[LEAF_LANES])
{
	unsigned lane = threadIdx.x % 32, there[2];
	uint64_t nonzero = 0;

#pragma unroll
	for (unsigned k = 0; k < 2; k++) {
		const uint64_t at = k * (LEAF_BYTES / 2) + lane * CHUNK_BYTES;
		const uint64_t left = at < size ? size - at : 0;
		uint64_t chunk[2];

		load_bytes(address + at, left, chunk);
		nonzero |= chunk[0] | chunk[1];
		there[k] = left < CHUNK_BYTES ? (1u << left) - 1 : CHUNK_ALL;
		for (unsigned i = 0; i < 2; i++)
			leaf_add(nh, keys + k * (LEAF_BYTES / 8) + lane * 4 + 2 * i,
				 (uint32_t)chunk[i], (uint32_t)(chunk[i] >> 32));
	}
	leaf_add_mask(nh, keys + LEAF_BYTES / 4 + 2 * lane, there[0], there[1]);
	return nonzero;
}

/* Adds what this block of threads found to `to`, and writes the result if it is the last. */
static __device__ void add_transfer(struct device_transfer *to, struct result_transfer *result,
				    const u64 sum[LEAF_LANES], uint32_t nonzero, uint32_t number)
{
	if (threadIdx.x < LEAF_LANES)
		atomicAdd((u64 *)&to->sum[threadIdx.x], sum[threadIdx.x]);
	if (threadIdx.x == 0 && nonzero)
		atomicOr(&to->nonzero, 1u);
	__threadfence();
	__syncthreads();
	if (threadIdx.x || atomicAdd(&to->finished, 1u) != gridDim.x - 1)
		return;
	__threadfence();
	for (unsigned i = 0; i < LEAF_LANES; i++) {
		result->sum[i] = atomicExch((u64 *)&to->sum[i], 0ull);
	}
	result->nonzero = atomicExch(&to->nonzero, 0u);
	to->finished = 0;
	__threadfence_system();
	result->number = number;
}

/*
 * The digest of at most TRANSFER_IN_PASS bytes, by a single block of threads; `keys` are ready when
 * all threads are here.  It is handed over with what the pass finds.
 */
static __device__ __forceinline__ void transfer_few(const struct transfer_box *box,
						    struct result_transfer *result, uint32_t number,
						    const uint32_t *keys)
{
	__shared__ u64 sum[LEAF_LANES];
	const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	uint64_t size, nh[LEAF_LANES] = {0, 0, 0, 0}, total = 0;
	bool any = false;

	if (threadIdx.x < LEAF_LANES)
		sum[threadIdx.x] = 0;
	__syncthreads();
	if (warp < transfer_leaves(box)) {
		uint64_t address = transfer_leaf(box, warp, &size);

		any = add_chunks(address, size, keys, nh);
		total = leaf_finish_lane(warp, lane / 8, add_up(nh));
		if (lane % 8 == 0)
			atomicAdd(&sum[lane / 8], (u64)total);
	}
	any = __syncthreads_or(any);
	if (threadIdx.x)
		return;
	for (unsigned i = 0; i < LEAF_LANES; i++)
		result->sum[i] = sum[i];
	result->nonzero = any;
	result->number = number;
}

/* Called by the only block of threads of a pass; makes `keys`. */
static __device__ __noinline__ void transfer_first(const struct transfer_in_pass *transfer,
						   uint32_t *keys)
{
	for (unsigned i = threadIdx.x; i < LEAF_KEYS; i += PASS_THREADS)
		keys[i] = leaf_key(i);
	transfer_few(&transfer->box, transfer->result, transfer->number, keys);
}

extern "C" __global__ void vflow_transfer(struct device_transfer *to,
					  struct result_transfer *result,
					  const __grid_constant__ struct transfer_box box,
					  uint32_t number)
{
	__shared__ uint32_t keys[LEAF_KEYS], nonzero;
	__shared__ u64 sum[LEAF_LANES];
	const uint64_t warps = (uint64_t)gridDim.x * (blockDim.x / 32);
	const unsigned lane = threadIdx.x % 32;
	uint64_t total = 0;
	bool any = false;

	for (unsigned i = threadIdx.x; i < LEAF_KEYS; i += blockDim.x)
		keys[i] = leaf_key(i);
	if (threadIdx.x < LEAF_LANES)
		sum[threadIdx.x] = 0;
	if (threadIdx.x == 0)
		nonzero = 0;
	__syncthreads();
	for (uint64_t leaf = thread_of_grid() / 32; leaf < transfer_leaves(&box); leaf += warps) {
		uint64_t size, nh[LEAF_LANES] = {0, 0, 0, 0};
		uint64_t address = transfer_leaf(&box, leaf, &size);

		any |= add_chunks(address, size, keys, nh);
		total += leaf_finish_lane(leaf, lane / 8, add_up(nh));
	}
	if (lane % 8 == 0)
		atomicAdd(&sum[lane / 8], (u64)total);
	if (any)
		nonzero = 1;
	__syncthreads();
	add_transfer(to, result, sum, nonzero, number);
}

#endif
