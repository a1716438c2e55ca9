/* gpu/cupti/activity.c: see activity.h. */
#include "gpu/cupti/activity.h"

#include <stdlib.h>

#include "collect/coverage/coverage.h"
#include "gpu/cupti/pending.h"
#include "gpu/cupti/samples.h"
#include "gpu/cupti/touches.h"
#include "gpu/nvidia/now.h"

enum { BUFFER_BYTES = 1 << 20, BUFFER_ALIGN = 8 };

static const struct gpu_sink *sink;

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *records)
{
	*buffer = aligned_alloc(BUFFER_ALIGN, BUFFER_BYTES);
	*size = *buffer ? BUFFER_BYTES : 0;
	*records = 0; /* as many as there is room for */
}

static unsigned memory_bits(uint8_t kind)
{
	switch (kind) {
	case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
		return WAIT_MEMORY_HOST | WAIT_MEMORY_PAGEABLE;
	case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
	case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
		return WAIT_MEMORY_HOST;
	default:
		return 0;
	}
}

/*
 * Records grow at their end from one CUPTI to the next, so that older structs hold what is read
 * here.
 */
static void take(const CUpti_Activity *record)
{
	const CUpti_ActivityKernel9 *kernel = (const void *)record;
	const CUpti_ActivityMemcpy5 *copy = (const void *)record;
	const CUpti_ActivityMemcpyPtoP4 *peer = (const void *)record;
	const CUpti_ActivityMemset4 *set = (const void *)record;

	switch (record->kind) {
	case CUPTI_ACTIVITY_KIND_KERNEL:
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		samples_kernel(kernel);
		pending_time(kernel->correlationId, kernel->start, kernel->end, 0);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		pending_time(copy->correlationId, copy->start, copy->end,
			     memory_bits(copy->srcKind) | memory_bits(copy->dstKind));
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		pending_time(peer->correlationId, peer->start, peer->end, 0);
		break;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		pending_time(set->correlationId, set->start, set->end,
			     memory_bits((uint8_t)set->memoryKind));
		break;
	case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
		touches_take(record);
		break;
	default:
		break;
	}
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
				 size_t used)
{
	CUpti_Activity *record = NULL;
	size_t dropped = 0;

	(void)size;
	while (used && cuptiActivityGetNextRecord(buffer, used, &record) == CUPTI_SUCCESS)
		take(record);
	if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS &&
	    dropped)
		sink->coverage(COVERAGE_TIMES_DROPPED, NULL, dropped, 0);
	free(buffer);
	pending_deliver();
}

CUptiResult activity_start(const struct gpu_sink *to, const char **what)
{
	static const CUpti_ActivityKind kinds[] = {
		CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
		CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET};
	CUptiResult result;

	sink = to;
	*what = "CUPTI does not take vflow's clock";
	result = cuptiActivityRegisterTimestampCallback(now_ns);
	if (result != CUPTI_SUCCESS)
		return result;
	*what = "CUPTI does not take vflow's buffers";
	result = cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
	*what = "CUPTI does not record what the GPU does";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && result == CUPTI_SUCCESS; i++)
		result = cuptiActivityEnable(kinds[i]);
	return result;
}

void activity_flush(bool all)
{
	cuptiActivityFlushAll(all ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
}
