/*
 * gpu/sanitizer/callback/calls_room.c: how much of the device's memory a call of the program is
 * about to take, as far as its parameters say: shadows make way for it.
 */
#include <string.h>

#include "gpu/sanitizer/callback/calls_internal.h"
#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/schedule/events.h"

#define ROW_PADDING 512
#define CONTEXT_BYTES (UINT64_C(512) << 20) /* measured: 500 MiB on an H200 */

static uint64_t array_bytes(const CUDA_ARRAY3D_DESCRIPTOR *array)
{
	uint64_t texels;

	if (!array) /* the driver will call it an error */
		return 0;
	/* a dimension that is 0 is none */
	texels = array->Width * (array->Height ? array->Height : 1) *
		 (array->Depth ? array->Depth : 1);
	return texels * events_format_bytes(array->Format) * array->NumChannels;
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

/* Of what all threads have that fit on the device; other limits are small. */
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

/* Only of a function that has so many parameters. */
static const void *second(const uint64_t *words)
{
	return (const void *)(uintptr_t)words[1];
}

uint64_t calls_wanted_bytes(const char *function, const void *parameters)
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
