/*
 * gpu/emulator/runtime/pool.c: runtime API: pools of stream-ordered memory, which are the driver's.
 */
#include "gpu/emulator/include/cuda.h"
#include "gpu/emulator/runtime/runtime.h"

EXPORT cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const void *properties);
EXPORT cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool);
EXPORT cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const void *list, size_t count);
EXPORT cudaError_t cudaMemPoolGetAccess(int *flags, cudaMemPool_t memPool, void *location);

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
	ATTACH();
	return runtime_result((int)cuDeviceGetDefaultMemPool(memPool, device));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
	ATTACH();
	return runtime_result((int)cuDeviceGetMemPool(memPool, device));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool)
{
	ATTACH();
	return runtime_result((int)cuDeviceSetMemPool(device, memPool));
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const void *properties)
{
	ATTACH();
	return runtime_result((int)cuMemPoolCreate(memPool, properties));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool)
{
	ATTACH();
	return runtime_result((int)cuMemPoolDestroy(memPool));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
	ATTACH();
	return runtime_result(
		(int)cuMemPoolSetAttribute(memPool, (CUmemPool_attribute)attr, value));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
	ATTACH();
	return runtime_result(
		(int)cuMemPoolGetAttribute(memPool, (CUmemPool_attribute)attr, value));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
	ATTACH();
	return runtime_result((int)cuMemPoolTrimTo(memPool, minBytesToKeep));
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const void *list, size_t count)
{
	ATTACH();
	return runtime_result((int)cuMemPoolSetAccess(memPool, list, count));
}

cudaError_t cudaMemPoolGetAccess(int *flags, cudaMemPool_t memPool, void *location)
{
	ATTACH();
	return runtime_result(
		(int)cuMemPoolGetAccess((CUmemAccess_flags *)flags, memPool, location));
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
				    cudaStream_t stream)
{
	uint64_t address;
	int error;

	ATTACH();
	error = ptr ? vflow_emulator_pool_check(memPool) : (int)cudaErrorInvalidValue;
	if (!error)
		error = vflow_emulator_allocate("cudaMallocFromPoolAsync", stream,
						GPU_MEMORY_DEVICE, size, &address);
	if (!error)
		*ptr = (void *)(uintptr_t)address;
	return runtime_result(error);
}
PER_THREAD(cudaMallocFromPoolAsync, cudaMallocFromPoolAsync_ptsz);
