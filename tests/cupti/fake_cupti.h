/*
 * CUPTI, the driver and the clock as a test has them: what came of the device is said by ran(), and
 * goes to the provider when it asks.  The clock goes on by 100 ns each time that it is asked.
 */
#ifndef VFLOW_TESTS_CUPTI_FAKE_CUPTI_H
#define VFLOW_TESTS_CUPTI_FAKE_CUPTI_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cupti.h>

#include "gpu/cupti/driver.h"
#include "tests/cupti/fake_sampling.h"

static uint64_t clock_now = 1000;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	uint64_t ns = __atomic_add_fetch(&clock_now, 100, __ATOMIC_RELAXED);

	(void)clock;
	*now = (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
				 .tv_nsec = (long)(ns % 1000000000)};
	return 0;
}

/* -- the driver ---------------------------------------------------------------------------- */

struct driver driver;
static CUstream captured;

static CUresult attribute(void *value, CUpointer_attribute which, CUdeviceptr address)
{
	(void)which;
	if (address < 0x1000)
		return CUDA_ERROR_INVALID_VALUE;
	*(unsigned *)value = address < 0x10000 ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
	return CUDA_SUCCESS;
}

static CUresult capturing(CUstream stream, CUstreamCaptureStatus *status)
{
	*status = stream == captured ? CU_STREAM_CAPTURE_STATUS_ACTIVE
				     : CU_STREAM_CAPTURE_STATUS_NONE;
	return CUDA_SUCCESS;
}

/* A graph of a kernel, an event, and a graph of a set. */
static CUresult nodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	*count = graph == (CUgraph)0x99 ? 1 : 3;
	for (size_t i = 0; nodes && i < *count; i++)
		nodes[i] = (CUgraphNode)(*count * 10 + i);
	return CUDA_SUCCESS;
}

static CUresult node_type(CUgraphNode node, CUgraphNodeType *type)
{
	*type = node == (CUgraphNode)10   ? CU_GRAPH_NODE_TYPE_MEMSET
		: node == (CUgraphNode)30 ? CU_GRAPH_NODE_TYPE_KERNEL
		: node == (CUgraphNode)31 ? CU_GRAPH_NODE_TYPE_EVENT_RECORD
					  : CU_GRAPH_NODE_TYPE_GRAPH;
	return CUDA_SUCCESS;
}

static CUresult child(CUgraphNode node, CUgraph *graph)
{
	*graph = (CUgraph)0x99;
	return node == (CUgraphNode)32 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

#define NONBLOCKING_STREAM 0xbbb

static CUresult stream_flags(CUstream stream, unsigned *flags)
{
	*flags = (uintptr_t)stream == NONBLOCKING_STREAM ? CU_STREAM_NON_BLOCKING : 0;
	return CUDA_SUCCESS;
}

static int concurrent = 1;

static CUresult device_attribute(int *value, CUdevice_attribute which, CUdevice device)
{
	(void)device;
	*value = which == CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS && concurrent;
	return CUDA_SUCCESS;
}

static CUresult kernel_of_function(const char **name, CUfunction function)
{
	*name = "_Z1fv";
	return function == (CUfunction)0x66 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

int driver_load(void)
{
	driver.cuDeviceGetAttribute = device_attribute;
	driver.cuFuncGetName = kernel_of_function;
	driver.cuPointerGetAttribute = attribute;
	driver.cuStreamGetFlags = stream_flags;
	driver.cuGraphGetNodes = nodes;
	driver.cuGraphNodeGetType = node_type;
	driver.cuGraphChildGraphNodeGetGraph = child;
	driver.cuStreamIsCapturing = capturing;
	return 0;
}

/* -- CUPTI --------------------------------------------------------------------------------- */

static CUpti_CallbackFunc callback;
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static CUptiResult subscribe_result, enable_result, unified_result;
static unsigned subscribers, flushes;
static CUpti_ActivityKernel9 records[4096]; /* what has come and was not asked for yet */
static unsigned record_count;
static size_t dropped;
static uint8_t copied_from; /* CUpti_ActivityMemoryKind, of copies that ran */
static pthread_mutex_t record_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc function,
			   void *data)
{
	(void)subscriber, (void)data;
	callback = function;
	subscribers += subscribe_result == CUPTI_SUCCESS;
	return subscribe_result;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
	(void)subscriber;
	subscribers--;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber,
			      CUpti_CallbackDomain domain)
{
	(void)enable, (void)subscriber, (void)domain;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
	*text = result == CUPTI_SUCCESS ? "none" : "an error";
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *device)
{
	*device = (uint32_t)(uintptr_t)context;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc function)
{
	return function ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
					   CUpti_BuffersCallbackCompleteFunc completed)
{
	request = requested;
	complete = completed;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
	return kind == CUPTI_ACTIVITY_KIND_MEMSET ? enable_result : CUPTI_SUCCESS;
}

CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(
	CUpti_ActivityUnifiedMemoryCounterConfig *counters, uint32_t count)
{
	return count == 1 && counters->kind ==
				       CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT
		       ? unified_result
		       : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t used, CUpti_Activity **record)
{
	uint8_t *next = *record ? (uint8_t *)*record + sizeof(*records) : buffer;

	if (next >= buffer + used)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)next;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *count)
{
	(void)context, (void)stream;
	*count = dropped;
	dropped = 0;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
	uint8_t *buffer;
	size_t size, most;

	(void)flag;
	pthread_mutex_lock(&record_lock);
	flushes++;
	request(&buffer, &size, &most);
	if (size < sizeof(records))
		abort();
	memcpy(buffer, records, record_count * sizeof(*records));
	size = record_count * sizeof(*records);
	record_count = 0;
	complete(NULL, 0, buffer, 1 << 20, size);
	pthread_mutex_unlock(&record_lock);
	return CUPTI_SUCCESS;
}

/* The device was at the operation of this id. */
static void ran(CUpti_ActivityKind kind, uint32_t correlation, uint64_t start_ns, uint64_t end_ns)
{
	CUpti_ActivityKernel9 *record = &records[record_count++];

	memset(record, 0, sizeof(*record));
	if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
		record->kind = kind;
		record->correlationId = correlation;
		record->start = start_ns;
		record->end = end_ns;
	} else if (kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
		*(CUpti_ActivityMemcpy5 *)record =
			(CUpti_ActivityMemcpy5){.kind = kind,
						.correlationId = correlation,
						.srcKind = copied_from,
						.start = start_ns,
						.end = end_ns};
	} else if (kind == CUPTI_ACTIVITY_KIND_MEMCPY2) {
		*(CUpti_ActivityMemcpyPtoP4 *)record =
			(CUpti_ActivityMemcpyPtoP4){.kind = kind,
						    .correlationId = correlation,
						    .start = start_ns,
						    .end = end_ns};
	} else {
		*(CUpti_ActivityMemset4 *)record =
			(CUpti_ActivityMemset4){.kind = kind,
						.correlationId = correlation,
						.start = start_ns,
						.end = end_ns};
	}
}

static void ran_kernel(uint32_t correlation, uint64_t start_ns, uint64_t end_ns)
{
	ran(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, correlation, start_ns, end_ns);
}

/* An instruction of the host faulted on a page of managed memory. */
static void faulted(uint64_t ns, uint64_t instruction)
{
	memset(&records[record_count], 0, sizeof(*records));
	*(CUpti_ActivityUnifiedMemoryCounter2 *)&records[record_count++] =
		(CUpti_ActivityUnifiedMemoryCounter2){
			.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
			.counterKind =
				CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
			.value = instruction,
			.start = ns,
			.address = 0x20000};
}

static void ran_node(uint32_t correlation, uint64_t start_ns, uint64_t end_ns)
{
	ran_kernel(correlation, start_ns, end_ns);
	records[record_count - 1].graphNodeId = 7;
}

#endif
