/*
 * gpu/emulator/runtime/memory.c: runtime API: allocating, freeing and describing memory.
 */
#include <string.h>

#include "gpu/emulator/runtime/runtime.h"

static cudaError_t allocate(const char *name, cudaStream_t stream, enum gpu_memory kind,
			    size_t size, void **result)
{
	uint64_t address;
	int error;

	ATTACH_OF(name);
	error = result ? vflow_emulator_allocate(name, stream, kind, size, &address)
		       : (int)cudaErrorInvalidValue;
	if (!error)
		*result = (void *)(uintptr_t)address;
	return runtime_result_of(name, error);
}

static cudaError_t release(const char *name, cudaStream_t stream, void *pointer, bool host)
{
	ATTACH_OF(name);
	return runtime_result_of(name,
				 vflow_emulator_release(name, stream, runtime_bits(pointer), host));
}

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
	return allocate("cudaMalloc", NULL, GPU_MEMORY_DEVICE, size, devPtr);
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream)
{
	return allocate("cudaMallocAsync", hStream, GPU_MEMORY_DEVICE, size, devPtr);
}
PER_THREAD(cudaMallocAsync, cudaMallocAsync_ptsz);

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
		return runtime_result(cudaErrorInvalidValue);
	return allocate("cudaMallocManaged", NULL, GPU_MEMORY_MANAGED, size, devPtr);
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
	return allocate("cudaMallocHost", NULL, GPU_MEMORY_MAPPED_HOST, size, ptr);
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
	if (flags &
	    ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
		return runtime_result(cudaErrorInvalidValue);
	return allocate("cudaHostAlloc", NULL, GPU_MEMORY_MAPPED_HOST, size, pHost);
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
	uint64_t bytes, address;
	int error;

	ATTACH();
	error = devPtr && pitch ? vflow_emulator_allocate_pitch("cudaMallocPitch", width, height,
								&bytes, &address)
				: (int)cudaErrorInvalidValue;
	if (!error) {
		*devPtr = (void *)(uintptr_t)address;
		*pitch = bytes;
	}
	return runtime_result(error);
}

cudaError_t cudaFree(void *devPtr)
{
	return release("cudaFree", NULL, devPtr, false);
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream)
{
	return release("cudaFreeAsync", hStream, devPtr, false);
}
PER_THREAD(cudaFreeAsync, cudaFreeAsync_ptsz);

cudaError_t cudaFreeHost(void *ptr)
{
	return release("cudaFreeHost", NULL, ptr, true);
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags)
{
	struct emulator_pointer pointer;
	int error;

	ATTACH();
	error = pDevice && !flags ? vflow_emulator_pointer(runtime_bits(pHost), &pointer)
				  : (int)cudaErrorInvalidValue;
	if (!error && pointer.kind != GPU_MEMORY_MAPPED_HOST)
		error = cudaErrorInvalidValue;
	if (!error)
		*pDevice = pHost;
	return runtime_result(error);
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
	(void)flags;
	ATTACH();
	return runtime_result(vflow_emulator_register("cudaHostRegister", runtime_bits(ptr), size));
}

cudaError_t cudaHostUnregister(void *ptr)
{
	ATTACH();
	return runtime_result(vflow_emulator_unregister("cudaHostUnregister", runtime_bits(ptr)));
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
	uint64_t free_bytes, total_bytes;
	int error;

	ATTACH();
	error = free && total ? vflow_emulator_check(true) : (int)cudaErrorInvalidValue;
	if (!error)
		error = vflow_emulator_memory_info(&free_bytes, &total_bytes);
	if (!error) {
		*free = free_bytes;
		*total = total_bytes;
	}
	return runtime_result(error);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
	struct emulator_pointer pointer;
	int error;

	ATTACH();
	if (!attributes)
		return runtime_result(cudaErrorInvalidValue);
	error = vflow_emulator_pointer(runtime_bits(ptr), &pointer);
	if (error && error != cudaErrorInvalidValue)
		return runtime_result(error);
	memset(attributes, 0, sizeof(*attributes));
	attributes->device = -2; /* cudaInvalidDeviceId */
	attributes->hostPointer = (void *)(uintptr_t)ptr;
	if (error)
		return cudaSuccess;
	attributes->device = 0;
	attributes->devicePointer = (void *)(uintptr_t)ptr;
	attributes->type = cudaMemoryTypeDevice;
	if (pointer.kind == GPU_MEMORY_MAPPED_HOST)
		attributes->type = cudaMemoryTypeHost;
	else if (pointer.kind == GPU_MEMORY_MANAGED)
		attributes->type = cudaMemoryTypeManaged;
	else
		attributes->hostPointer = NULL;
	return cudaSuccess;
}
