/*
 * gpu/emulator/driver/memory.c: driver API: memory, copies and sets.
 */
#include "gpu/emulator/driver/driver.h"

#undef cuMemGetInfo
#undef cuMemAlloc
#undef cuMemAllocPitch
#undef cuMemFree
#undef cuMemGetAddressRange
#undef cuMemAllocHost
#undef cuMemHostGetDevicePointer
#undef cuMemHostRegister
#undef cuMemcpyHtoD
#undef cuMemcpyDtoH
#undef cuMemcpyDtoD
#undef cuMemcpyHtoDAsync
#undef cuMemcpyDtoHAsync
#undef cuMemcpyDtoDAsync
#undef cuMemsetD8
#undef cuMemsetD16
#undef cuMemsetD32
#undef cuMemsetD2D8
#undef cuMemsetD2D16
#undef cuMemsetD2D32

static uint64_t bits(const void *pointer)
{
	return (uintptr_t)pointer;
}

/* -- allocating --------------------------------------------------------------------------- */

CUresult cuMemGetInfo_v2(size_t *free, size_t *total)
{
	uint64_t free_bytes, total_bytes;
	int error = vflow_emulator_check(true);

	if (!error)
		error = vflow_emulator_memory_info(&free_bytes, &total_bytes);
	if (!error && free)
		*free = free_bytes;
	if (!error && total)
		*total = total_bytes;
	return RESULT(error);
}
ALIAS(cuMemGetInfo_v2, cuMemGetInfo);

static CUresult allocate(const char *name, CUstream stream, enum gpu_memory kind, size_t size,
			 CUdeviceptr *result)
{
	uint64_t address;
	int error = result && size ? vflow_emulator_allocate(name, stream, kind, size, &address)
				   : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*result = address;
	return (CUresult)error;
}

CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
	return RESULT(allocate("cuMemAlloc", NULL, GPU_MEMORY_DEVICE, bytesize, dptr));
}
ALIAS(cuMemAlloc_v2, cuMemAlloc);

CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
			    unsigned int ElementSizeBytes)
{
	uint64_t pitch, address;
	int error;

	if (!dptr || !pPitch || !WidthInBytes || !Height ||
	    (ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16))
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	error = vflow_emulator_allocate_pitch("cuMemAllocPitch", WidthInBytes, Height, &pitch,
					      &address);
	if (!error) {
		*dptr = address;
		*pPitch = pitch;
	}
	return RESULT(driver_result(error));
}
ALIAS(cuMemAllocPitch_v2, cuMemAllocPitch);

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
	(void)flags;
	return RESULT(allocate("cuMemAllocManaged", NULL, GPU_MEMORY_MANAGED, bytesize, dptr));
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
	return RESULT(allocate("cuMemAllocAsync", hStream, GPU_MEMORY_DEVICE, bytesize, dptr));
}
PER_THREAD(cuMemAllocAsync, cuMemAllocAsync_ptsz);

CUresult cuMemFree_v2(CUdeviceptr dptr)
{
	return RESULT(vflow_emulator_release("cuMemFree", NULL, dptr, false));
}
ALIAS(cuMemFree_v2, cuMemFree);

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
	return RESULT(vflow_emulator_release("cuMemFreeAsync", hStream, dptr, false));
}
PER_THREAD(cuMemFreeAsync, cuMemFreeAsync_ptsz);

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
	CUdeviceptr address;
	CUresult result;

	(void)Flags;
	if (!pp)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	result = allocate("cuMemHostAlloc", NULL, GPU_MEMORY_MAPPED_HOST, bytesize, &address);
	if (!result)
		*pp = (void *)(uintptr_t)address;
	return RESULT(result);
}

CUresult cuMemAllocHost_v2(void **pp, size_t bytesize)
{
	return DELEGATE(cuMemHostAlloc(pp, bytesize, 0));
}
ALIAS(cuMemAllocHost_v2, cuMemAllocHost);

CUresult cuMemFreeHost(void *p)
{
	return RESULT(vflow_emulator_release("cuMemFreeHost", NULL, bits(p), true));
}

CUresult cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
	(void)Flags;
	return RESULT(vflow_emulator_register("cuMemHostRegister", bits(p), bytesize));
}
ALIAS(cuMemHostRegister_v2, cuMemHostRegister);

CUresult cuMemHostUnregister(void *p)
{
	return RESULT(vflow_emulator_unregister("cuMemHostUnregister", bits(p)));
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
	struct emulator_pointer pointer;
	int error = pdptr && !Flags ? vflow_emulator_pointer(bits(p), &pointer)
				    : CUDA_ERROR_INVALID_VALUE;

	if (!error && pointer.kind != GPU_MEMORY_MAPPED_HOST)
		error = CUDA_ERROR_INVALID_VALUE;
	if (!error)
		*pdptr = bits(p);
	return RESULT(error);
}
ALIAS(cuMemHostGetDevicePointer_v2, cuMemHostGetDevicePointer);

CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
	struct emulator_pointer pointer;
	int error = vflow_emulator_pointer(dptr, &pointer);

	if (!error && pbase)
		*pbase = pointer.address;
	if (!error && psize)
		*psize = pointer.size;
	return RESULT(error == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_NOT_FOUND : (CUresult)error);
}
ALIAS(cuMemGetAddressRange_v2, cuMemGetAddressRange);

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
	struct emulator_pointer pointer;
	int error = data ? vflow_emulator_pointer(ptr, &pointer) : CUDA_ERROR_INVALID_VALUE;
	bool host = !error && pointer.kind == GPU_MEMORY_MAPPED_HOST;

	if (error)
		return RESULT(error);
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned *)data = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*(CUdeviceptr *)data = ptr;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if (!host && pointer.kind != GPU_MEMORY_MANAGED)
			return RESULT(CUDA_ERROR_INVALID_VALUE);
		*(void **)data = (void *)(uintptr_t)ptr;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(unsigned *)data = pointer.kind == GPU_MEMORY_MANAGED;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)data = 0;
		return CUDA_SUCCESS;
	default:
		return RESULT(
			vflow_emulator_unsupported("this attribute of cuPointerGetAttribute"));
	}
}

/* -- copies ------------------------------------------------------------------------------- */

static CUresult copy(const char *name, CUstream stream, uint64_t to, enum emulator_side to_side,
		     uint64_t from, enum emulator_side from_side, size_t bytes)
{
	struct emulator_copy what = {.to = to,
				     .from = from,
				     .to_side = to_side,
				     .from_side = from_side,
				     .width = bytes,
				     .height = 1};

	return driver_result(vflow_emulator_copy(name, stream, &what));
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
	return RESULT(copy("cuMemcpy", NULL, dst, SIDE_ANY, src, SIDE_ANY, ByteCount));
}
PER_THREAD(cuMemcpy, cuMemcpy_ptds);

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
	return RESULT(copy("cuMemcpyAsync", hStream, dst, SIDE_ANY, src, SIDE_ANY, ByteCount));
}
PER_THREAD(cuMemcpyAsync, cuMemcpyAsync_ptsz);

CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
	return RESULT(copy("cuMemcpyHtoD", NULL, dstDevice, SIDE_DEVICE, bits(srcHost), SIDE_HOST,
			   ByteCount));
}
ALIAS_V2(cuMemcpyHtoD, ptds);

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
			      CUstream hStream)
{
	return RESULT(copy("cuMemcpyHtoDAsync", hStream, dstDevice, SIDE_DEVICE, bits(srcHost),
			   SIDE_HOST, ByteCount));
}
ALIAS_V2(cuMemcpyHtoDAsync, ptsz);

CUresult cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
	return RESULT(copy("cuMemcpyDtoH", NULL, bits(dstHost), SIDE_HOST, srcDevice, SIDE_DEVICE,
			   ByteCount));
}
ALIAS_V2(cuMemcpyDtoH, ptds);

CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
			      CUstream hStream)
{
	return RESULT(copy("cuMemcpyDtoHAsync", hStream, bits(dstHost), SIDE_HOST, srcDevice,
			   SIDE_DEVICE, ByteCount));
}
ALIAS_V2(cuMemcpyDtoHAsync, ptsz);

CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)
{
	return RESULT(copy("cuMemcpyDtoD", NULL, dstDevice, SIDE_DEVICE, srcDevice, SIDE_DEVICE,
			   ByteCount));
}
ALIAS_V2(cuMemcpyDtoD, ptds);

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
			      CUstream hStream)
{
	return RESULT(copy("cuMemcpyDtoDAsync", hStream, dstDevice, SIDE_DEVICE, srcDevice,
			   SIDE_DEVICE, ByteCount));
}
ALIAS_V2(cuMemcpyDtoDAsync, ptsz);

/* -- sets --------------------------------------------------------------------------------- */

static CUresult fill(const char *name, CUstream stream, CUdeviceptr to, size_t pitch,
		     uint32_t value, uint32_t element, size_t width, size_t height)
{
	return driver_result(
		vflow_emulator_fill(name, stream, to, pitch, value, element, width, height));
}

CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N)
{
	return RESULT(fill("cuMemsetD8", NULL, dstDevice, 0, uc, 1, N, 1));
}
ALIAS_V2(cuMemsetD8, ptds);

CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)
{
	return RESULT(fill("cuMemsetD8Async", hStream, dstDevice, 0, uc, 1, N, 1));
}
PER_THREAD(cuMemsetD8Async, cuMemsetD8Async_ptsz);

CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N)
{
	return RESULT(fill("cuMemsetD16", NULL, dstDevice, 0, us, 2, N, 1));
}
ALIAS_V2(cuMemsetD16, ptds);

CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream)
{
	return RESULT(fill("cuMemsetD16Async", hStream, dstDevice, 0, us, 2, N, 1));
}
PER_THREAD(cuMemsetD16Async, cuMemsetD16Async_ptsz);

CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N)
{
	return RESULT(fill("cuMemsetD32", NULL, dstDevice, 0, ui, 4, N, 1));
}
ALIAS_V2(cuMemsetD32, ptds);

CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream)
{
	return RESULT(fill("cuMemsetD32Async", hStream, dstDevice, 0, ui, 4, N, 1));
}
PER_THREAD(cuMemsetD32Async, cuMemsetD32Async_ptsz);

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, uint32_t value,
				 unsigned int flags)
{
	if (flags & ~1u) /* bit 0, no memory barrier: memory is always ordered here */
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	return RESULT(fill("cuStreamWriteValue32", stream, addr, 0, value, 4, 1, 1));
}
PER_THREAD(cuStreamWriteValue32_v2, cuStreamWriteValue32_v2_ptsz);

CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
			 size_t Height)
{
	return RESULT(fill("cuMemsetD2D8", NULL, dstDevice, dstPitch, uc, 1, Width, Height));
}
ALIAS_V2(cuMemsetD2D8, ptds);

CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
			   size_t Height, CUstream hStream)
{
	return RESULT(
		fill("cuMemsetD2D8Async", hStream, dstDevice, dstPitch, uc, 1, Width, Height));
}
PER_THREAD(cuMemsetD2D8Async, cuMemsetD2D8Async_ptsz);

CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
			  size_t Height)
{
	return RESULT(fill("cuMemsetD2D16", NULL, dstDevice, dstPitch, us, 2, Width, Height));
}
ALIAS_V2(cuMemsetD2D16, ptds);

CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
			    size_t Height, CUstream hStream)
{
	return RESULT(
		fill("cuMemsetD2D16Async", hStream, dstDevice, dstPitch, us, 2, Width, Height));
}
PER_THREAD(cuMemsetD2D16Async, cuMemsetD2D16Async_ptsz);

CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
			  size_t Height)
{
	return RESULT(fill("cuMemsetD2D32", NULL, dstDevice, dstPitch, ui, 4, Width, Height));
}
ALIAS_V2(cuMemsetD2D32, ptds);

CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
			    size_t Height, CUstream hStream)
{
	return RESULT(
		fill("cuMemsetD2D32Async", hStream, dstDevice, dstPitch, ui, 4, Width, Height));
}
PER_THREAD(cuMemsetD2D32Async, cuMemsetD2D32Async_ptsz);
