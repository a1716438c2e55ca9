/*
 * gpu/emulator/driver/pool.c: driver API: pools of stream-ordered memory.
 *
 * Freed memory goes back to the device at once, so a pool is its attributes; the device's memory
 * is counted, whichever pool it came from.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/driver/driver.h"

struct CUmemPoolHandle_st {
	struct CUmemPoolHandle_st *next;
	uint64_t attributes[CU_MEMPOOL_ATTR_USED_MEM_HIGH + 1];
};

static struct CUmemPoolHandle_st default_pool = {.attributes = {0, 1, 1, 1}};
/* The default pool is the last of the list. */
static CUmemoryPool pools = &default_pool, current = &default_pool;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static CUmemoryPool *find(CUmemoryPool pool)
{
	CUmemoryPool *at = &pools;

	while (*at && *at != pool)
		at = &(*at)->next;
	return at;
}

int vflow_emulator_pool_check(const void *pool)
{
	bool known;

	pthread_mutex_lock(&lock);
	known = pool && *find((CUmemoryPool)(uintptr_t)pool);
	pthread_mutex_unlock(&lock);
	return known ? 0 : CUDA_ERROR_INVALID_VALUE;
}

static CUresult give(CUmemoryPool *pool, CUdevice dev, CUmemoryPool which)
{
	int error = vflow_emulator_check(false);

	if (error || !pool || dev)
		return error ? (CUresult)error
		       : dev ? CUDA_ERROR_INVALID_DEVICE
			     : CUDA_ERROR_INVALID_VALUE;
	*pool = which;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
	return RESULT(give(pool_out, dev, &default_pool));
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
	return RESULT(give(pool, dev, __atomic_load_n(&current, __ATOMIC_RELAXED)));
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
	CUresult result = CUDA_ERROR_INVALID_VALUE;

	if (dev || !pool)
		return RESULT(dev ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
	pthread_mutex_lock(&lock);
	if (*find(pool)) {
		__atomic_store_n(&current, pool, __ATOMIC_RELAXED);
		result = CUDA_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return RESULT(result);
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
	CUmemoryPool made;
	int error = vflow_emulator_check(false);

	if (error || !pool || !poolProps)
		return RESULT(error ? (CUresult)error : CUDA_ERROR_INVALID_VALUE);
	made = malloc(sizeof(*made));
	if (!made)
		return RESULT(CUDA_ERROR_OUT_OF_MEMORY);
	pthread_mutex_lock(&lock);
	*made = (struct CUmemPoolHandle_st){.attributes = {0, 1, 1, 1}, .next = pools};
	pools = made;
	pthread_mutex_unlock(&lock);
	*pool = made;
	return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	CUmemoryPool *at;
	bool known;

	if (!pool || pool == &default_pool)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	pthread_mutex_lock(&lock);
	at = find(pool);
	known = *at;
	if (known) {
		*at = pool->next;
		if (current == pool)
			__atomic_store_n(&current, &default_pool, __ATOMIC_RELAXED);
		free(pool);
	}
	pthread_mutex_unlock(&lock);
	return RESULT(known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* The first three attributes are ints, the others numbers of bytes. */
static size_t size_of(CUmemPool_attribute attr)
{
	return attr < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD ? 4 : 8;
}

/* Where an existing pool keeps the attribute, with the lock held; NULL: no such attribute. */
static uint64_t *take_attribute(CUmemoryPool pool, CUmemPool_attribute attr, const void *value)
{
	if (!pool || !value || (unsigned)attr < 1 || attr > CU_MEMPOOL_ATTR_USED_MEM_HIGH)
		return NULL;
	pthread_mutex_lock(&lock);
	if (*find(pool))
		return &pool->attributes[attr];
	pthread_mutex_unlock(&lock);
	return NULL;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
	uint64_t *kept = take_attribute(pool, attr, value);

	if (!kept)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	memcpy(kept, value, size_of(attr));
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
	uint64_t free_bytes, total, used, *kept;
	int error = vflow_emulator_memory_info(&free_bytes, &total);

	if (error)
		return RESULT(error);
	kept = take_attribute(pool, attr, value);
	if (!kept)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	used = total - free_bytes;
	if (attr >= CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) {
		bool high = attr == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH ||
			    attr == CU_MEMPOOL_ATTR_USED_MEM_HIGH;

		*kept = high && *kept > used ? *kept : used;
	}
	memcpy(value, kept, size_of(attr));
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
	(void)minBytesToKeep;
	return RESULT(vflow_emulator_pool_check(pool));
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
	return RESULT(map || !count ? (CUresult)vflow_emulator_pool_check(pool)
				    : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location)
{
	if (!flags || !location || vflow_emulator_pool_check(memPool))
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	*flags = location->type == CU_MEM_LOCATION_TYPE_DEVICE && !location->id
			 ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
			 : CU_MEM_ACCESS_FLAGS_PROT_NONE;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
				 CUstream hStream)
{
	uint64_t address;
	int error = dptr ? vflow_emulator_pool_check(pool) : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		error = vflow_emulator_allocate("cuMemAllocFromPoolAsync", hStream,
						GPU_MEMORY_DEVICE, bytesize, &address);
	if (!error)
		*dptr = address;
	return RESULT(error);
}
PER_THREAD(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync_ptsz);
