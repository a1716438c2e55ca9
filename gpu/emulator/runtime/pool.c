/*
 * gpu/emulator/runtime/pool.c: runtime API: pools of stream-ordered memory.
 *
 * Freed memory goes back to the device at once, so a pool is its attributes; only the current
 * device's memory is counted.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/runtime/runtime.h"

struct CUmemPoolHandle_st {
	uint64_t attributes[cudaMemPoolAttrUsedMemHigh + 1];
};

EXPORT cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const void *properties);
EXPORT cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool);
EXPORT cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const void *list, size_t count);

static struct CUmemPoolHandle_st default_pool = {.attributes = {0, 1, 1, 1}};
static cudaMemPool_t current = &default_pool;

static cudaError_t give(cudaMemPool_t *memPool, int device, cudaMemPool_t pool)
{
	ATTACH();
	if (!memPool || device)
		return runtime_result(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	*memPool = pool;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
	return give(memPool, device, &default_pool);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
	return give(memPool, device, current);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool)
{
	ATTACH();
	if (device || !memPool)
		return runtime_result(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	current = memPool;
	return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const void *properties)
{
	cudaMemPool_t made;

	ATTACH();
	made = memPool && properties ? malloc(sizeof(*made)) : NULL;
	if (!made)
		return runtime_result(memPool && properties ? cudaErrorMemoryAllocation
							    : cudaErrorInvalidValue);
	*made = (struct CUmemPoolHandle_st){.attributes = {0, 1, 1, 1}};
	*memPool = made;
	return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool)
{
	ATTACH();
	if (!memPool || memPool == &default_pool)
		return runtime_result(cudaErrorInvalidValue);
	if (current == memPool)
		current = &default_pool;
	free(memPool);
	return cudaSuccess;
}

/* The first three are ints, the others count bytes. */
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
	ATTACH();
	if (!memPool || !value || (unsigned)attr < 1 || attr > cudaMemPoolAttrUsedMemHigh)
		return runtime_result(cudaErrorInvalidValue);
	memcpy(&memPool->attributes[attr], value, attr < cudaMemPoolAttrReleaseThreshold ? 4 : 8);
	return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
	uint64_t free_bytes, total, used;
	int error;

	ATTACH();
	if (!memPool || !value || (unsigned)attr < 1 || attr > cudaMemPoolAttrUsedMemHigh)
		return runtime_result(cudaErrorInvalidValue);
	error = vflow_emulator_memory_info(&free_bytes, &total);
	if (error)
		return runtime_result(error);
	used = total - free_bytes;
	if (attr >= cudaMemPoolAttrReservedMemCurrent) {
		uint64_t *kept = &memPool->attributes[attr];
		bool high = attr == cudaMemPoolAttrReservedMemHigh ||
			    attr == cudaMemPoolAttrUsedMemHigh;

		*kept = high && *kept > used ? *kept : used;
	}
	memcpy(value, &memPool->attributes[attr], attr < cudaMemPoolAttrReleaseThreshold ? 4 : 8);
	return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
	(void)minBytesToKeep;
	ATTACH();
	return runtime_result(memPool ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const void *list, size_t count)
{
	ATTACH();
	return runtime_result(memPool && (list || !count) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
				    cudaStream_t stream)
{
	uint64_t address;
	int error;

	ATTACH();
	error = ptr && memPool ? vflow_emulator_allocate("cudaMallocFromPoolAsync", stream,
							 GPU_MEMORY_DEVICE, size, &address)
			       : (int)cudaErrorInvalidValue;
	if (!error)
		*ptr = (void *)(uintptr_t)address;
	return runtime_result(error);
}
ALIAS(cudaMallocFromPoolAsync, cudaMallocFromPoolAsync_ptsz);
