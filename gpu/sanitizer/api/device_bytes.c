/* gpu/sanitizer/api/device_bytes.c: see device_bytes.h. */
#include "gpu/sanitizer/api/device_bytes.h"

#include <string.h>

#include "gpu/nvidia/apis.h"
#include "gpu/sanitizer/driver.h"

#define ROW_PADDING 512
#define CONTEXT_BYTES (UINT64_C(512) << 20) /* measured: 500 MiB on an H200 */

uint64_t api_channel_bytes(CUarray_format format)
{
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
		return 1;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		return 2;
	case CU_AD_FORMAT_UNSIGNED_INT32:
	case CU_AD_FORMAT_SIGNED_INT32:
	case CU_AD_FORMAT_FLOAT:
		return 4;
	default:
		return 0; /* compressed formats and such */
	}
}

static uint64_t array_bytes(const CUDA_ARRAY3D_DESCRIPTOR *array)
{
	uint64_t texels;

	if (!array) /* the driver returns an error */
		return 0;
	/* arrays of one or two dimensions have 0 for the others */
	texels = array->Width * (array->Height ? array->Height : 1) *
		 (array->Depth ? array->Depth : 1);
	return texels * api_channel_bytes(array->Format) * array->NumChannels;
}

static uint64_t flat_array_bytes(const CUDA_ARRAY_DESCRIPTOR *array)
{
	if (!array)
		return 0;
	return array_bytes(&(CUDA_ARRAY3D_DESCRIPTOR){.Width = array->Width,
						      .Height = array->Height,
						      .Format = array->Format,
						      .NumChannels = array->NumChannels});
}

/*
 * What a limit of all threads takes that fit on the device.  Limits that are not here take little.
 */
static uint64_t limit_bytes(CUlimit limit, uint64_t value)
{
	int processors = 0, threads = 0;
	CUdevice device;

	if (limit == CU_LIMIT_MALLOC_HEAP_SIZE || limit == CU_LIMIT_PRINTF_FIFO_SIZE)
		return value;
	if (limit != CU_LIMIT_STACK_SIZE || driver.cuCtxGetDevice(&device) != CUDA_SUCCESS)
		return 0;
	driver.cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
	driver.cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
				    device);
	return value * (uint64_t)processors * (uint64_t)threads;
}

/* The second parameter, a pointer, of a function that has it. */
static const void *second(const uint64_t *words)
{
	return (const void *)(uintptr_t)words[1];
}

uint64_t api_device_bytes(const char *function, const void *parameters)
{
	const uint64_t *words = parameters;

	if (api_is(function, "cuMemAllocPitch"))
		return words[2] * words[3] + words[3] * ROW_PADDING;
	if (api_is(function, "cuMemCreate") ||
	    (!strncmp(function, "cuMemAlloc", strlen("cuMemAlloc")) && !strstr(function, "Host")))
		return words[1];
	if (api_is(function, "cuArrayCreate"))
		return flat_array_bytes(second(words));
	if (api_is(function, "cuArray3DCreate"))
		return array_bytes(second(words));
	if (api_is(function, "cuMipmappedArrayCreate"))
		return 2 *
		       array_bytes(second(words)); /* the smaller levels are less than the first */
	if (api_is(function, "cuCtxCreate") || api_is(function, "cuGreenCtxCreate"))
		return CONTEXT_BYTES;
	if (api_is(function, "cuCtxSetLimit"))
		return limit_bytes(*(const CUlimit *)parameters, words[1]);
	return 0;
}
