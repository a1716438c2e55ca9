/*
 * gpu/emulator/driver_pool.c: driver API: pools of stream-ordered memory.
 *
 * Freed memory goes back to the device at once, so a pool is its attributes; the device's memory
 * is counted, whichever pool it came from.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/driver.h"

struct CUmemPoolHandle_st {
	uint64_t attributes[CU_MEMPOOL_ATTR_USED_MEM_HIGH + 1];
};

static struct CUmemPoolHandle_st default_pool = {.attributes = {0, 1, 1, 1}};
static CUmemoryPool current = &default_pool;

static CUresult give(CUmemoryPool *pool, CUdevice dev, CUmemoryPool which)
{
	int error = vflow_emulator_check(false);

	if (error || !pool || dev)
		return error ? (CUresult)error
			     : dev ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	*pool = which;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
	return give(pool_out, dev, &default_pool);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
	return give(pool, dev, current);
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
	if (dev || !pool)
		return dev ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	current = pool;
	return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
	CUmemoryPool made;
	int error = vflow_emulator_check(false);

	if (error || !pool || !poolProps)
		return error ? (CUresult)error : CUDA_ERROR_INVALID_VALUE;
	made = malloc(sizeof(*made));
	if (!made)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*made = (struct CUmemPoolHandle_st){.attributes = {0, 1, 1, 1}};
	*pool = made;
	return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	if (!pool || pool == &default_pool)
		return CUDA_ERROR_INVALID_VALUE;
	if (current == pool)
		current = &default_pool;
	free(pool);
	return CUDA_SUCCESS;
}

/* The first three are ints, the others count bytes. */
static size_t size_of(CUmemPool_attribute attr)
{
	return attr < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD ? 4 : 8;
}

static bool is_attribute(CUmemoryPool pool, CUmemPool_attribute attr, const void *value)
{
	return pool && value && (unsigned)attr >= 1 && attr <= CU_MEMPOOL_ATTR_USED_MEM_HIGH;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
	if (!is_attribute(pool, attr, value))
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&pool->attributes[attr], value, size_of(attr));
	return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
	uint64_t free_bytes, total, used;
	int error;

	if (!is_attribute(pool, attr, value))
		return CUDA_ERROR_INVALID_VALUE;
	error = vflow_emulator_memory_info(&free_bytes, &total);
	if (error)
		return (CUresult)error;
	used = total - free_bytes;
	if (attr >= CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) {
		uint64_t *kept = &pool->attributes[attr];
		bool high = attr == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH ||
			    attr == CU_MEMPOOL_ATTR_USED_MEM_HIGH;

		*kept = high && *kept > used ? *kept : used;
	}
	memcpy(value, &pool->attributes[attr], size_of(attr));
	return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
	(void)minBytesToKeep;
	return pool ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
	return pool && (map || !count) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location)
{
	if (!flags || !memPool || !location)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = location->type == CU_MEM_LOCATION_TYPE_DEVICE && !location->id
			 ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
			 : CU_MEM_ACCESS_FLAGS_PROT_NONE;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
				 CUstream hStream)
{
	uint64_t address;
	int error = dptr && pool ? vflow_emulator_allocate("cuMemAllocFromPoolAsync", hStream,
							   GPU_MEMORY_DEVICE, bytesize, &address)
				 : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*dptr = address;
	return (CUresult)error;
}
ALIAS(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync_ptsz);
