/*
 * gpu/cupti/touches.c: see touches.h.
 *
 * The host faults on a page that the device has, but not where the page came back by itself, or
 * where the host reads the device's memory.
 */
#include "gpu/cupti/touches.h"

#include <stdatomic.h>
#include <string.h>

#include "collect/coverage/coverage.h"
#include "gpu/cupti/driver.h"
#include "gpu/nvidia/apis.h"

static const struct gpu_sink *sink;
static atomic_bool asked, begun, moved;

void touches_start(const struct gpu_sink *to)
{
	sink = to;
}

bool touches_wanted(void)
{
	return sink;
}

static bool has(CUdevice device, CUdevice_attribute attribute)
{
	int value = 0;

	return driver.cuDeviceGetAttribute &&
	       driver.cuDeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS && value;
}

/* CUPTI takes the configuration once there is a context. */
static void begin(CUcontext context)
{
	CUpti_ActivityUnifiedMemoryCounterConfig counter = {
		.scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES,
		.kind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
		.enable = 1};
	const char *reason = NULL;
	uint32_t device = 0;
	CUptiResult result;

	if (atomic_exchange(&asked, true))
		return;
	cuptiGetDeviceId(context, &device);
	if (!has((CUdevice)device, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS) ||
	    has((CUdevice)device, CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST))
		atomic_store(&moved, true);
	result = cuptiActivityConfigureUnifiedMemoryCounter(&counter, 1);
	if (result != CUPTI_SUCCESS) { /* of all devices is not to be had everywhere */
		counter.scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE;
		counter.deviceId = device;
		result = cuptiActivityConfigureUnifiedMemoryCounter(&counter, 1);
	}
	if (result == CUPTI_SUCCESS)
		result = cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
	if (result == CUPTI_SUCCESS) {
		atomic_store(&begun, true);
		return;
	}
	if (cuptiGetResultString(result, &reason) != CUPTI_SUCCESS || !reason)
		reason = "unknown error";
	sink->coverage(COVERAGE_USE_UNWATCHED, reason, 1, 0);
}

void touches_note(const char *function, CUcontext context)
{
	if (api_is(function, "cuMemAllocManaged") || api_is(function, "cuModuleGetGlobal") ||
	    api_is(function, "cuLibraryGetManaged"))
		begin(context);
	else if (strstr(function, "Prefetch") || api_is(function, "cuMemAdvise") ||
		 api_is(function, "cuStreamAttachMemAsync"))
		atomic_store(&moved, true);
}

enum gpu_touches touches_known(void)
{
	if (!atomic_load(&begun))
		return GPU_TOUCHES_NONE;
	return atomic_load(&moved) ? GPU_TOUCHES_SOME : GPU_TOUCHES_ALL;
}

void touches_take(const CUpti_Activity *record)
{
	/* the first members are the same in all versions of the record */
	const CUpti_ActivityUnifiedMemoryCounter2 *counter = (const void *)record;

	if (sink &&
	    counter->counterKind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT)
		sink->touched(counter->start, (uintptr_t)counter->value);
}
