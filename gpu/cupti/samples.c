/*
 * gpu/cupti/samples.c: see samples.h.
 *
 * The order of the calls matters: enabling comes first, then what reasons there are, then the
 * configuration.  The names in the data are CUPTI's, shared between its records: never freed here.
 */
#include "gpu/cupti/samples.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cupti_pcsampling.h>

#include "collect/coverage/coverage.h"
#include "gpu/cupti/calls.h"
#include "gpu/cupti/driver.h"
#include "gpu/cupti/sample_counts.h"
#include "gpu/nvidia/now.h"
#include "util/start_environment.h"

#define PREFIX "smsp__pcsamp_warps_issue_stalled_"
#define LATENCY "_not_issued"

enum {
	PERIOD = 16,      /* of 2^16 cycles */
	LEAST_PERIOD = 5, /* CUPTI's limits */
	MOST_PERIOD = 31,
	PCS = 16384, /* that one piece of data has room for */
	REASONS_MAX = 1024,
	SCRATCH_BYTES = 16 << 20,
	TAKE_NS = 20 * 1000 * 1000, /* samples are taken so often */
	GIVE_UP_S = 5,
	NOT_A_REASON = UINT32_MAX,
};

/* CUPTI's index of a reason. */
struct reason {
	uint32_t number; /* of gpu/stall_reasons.def */
	bool latency;
};

struct sampled {
	struct sampled *next;
	CUcontext context;
	uint32_t device;
	CUpti_PCSamplingData last, taken; /* what disabling gives; what is asked for */
	uint64_t samples, other;
	bool over; /* it is not sampled any more */
};

static const struct gpu_sink *sink;
static bool wanted;
static uint32_t period;
/* Of what follows; held while CUPTI is asked, so that threads that make or end contexts wait. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sampled *contexts;
static struct reason reasons[REASONS_MAX];
static uint64_t dropped;
static bool full;         /* a buffer was: nobody knows how much was lost by that */
static char failure[256]; /* of taking samples; "": none */
static pthread_t taker;
static bool taker_runs;
static atomic_bool stopping;

bool samples_wanted(void)
{
	const char *value = start_variable("VFLOW_STALLS");

	return value && *value;
}

CUptiResult samples_start(CUpti_SubscriberHandle subscriber, const struct gpu_sink *to)
{
	static const CUpti_CallbackId ids[] = {
		CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
		CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING};
	const char *value = start_variable("VFLOW_STALLS_PERIOD");
	unsigned long given = value ? strtoul(value, NULL, 10) : 0;
	CUptiResult result = CUPTI_SUCCESS;

	period = given >= LEAST_PERIOD && given <= MOST_PERIOD ? (uint32_t)given : PERIOD;
	sink = to;
	wanted = true;
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids) && result == CUPTI_SUCCESS; i++)
		result = cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, ids[i]);
	return result;
}

/* "cuptiPCSamplingEnable: CUPTI_ERROR_...: what to do" */
static void describe(char text[256], const char *function, CUptiResult result)
{
	const char *name = NULL, *mend = "";

	if (cuptiGetResultString(result, &name) != CUPTI_SUCCESS || !name)
		name = "unknown error";
	if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
	    result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
		mend = "; the driver lets only administrators sample: run it as root, or load the "
		       "kernel module with NVreg_RestrictProfilingToAdminUsers=0";
	snprintf(text, 256, "%s: %s (%d)%s", function, name, (int)result, mend);
}

/* -- what CUPTI has -- */

/* "smsp__pcsamp_warps_issue_stalled_wait_not_issued" */
static struct reason reason_of(const char *name)
{
	static const struct {
		uint32_t number;
		const char *name;
	} known[] = {
#define STALL_REASON(number, NAME, name, blame) {(number), (name)},
#include "gpu/stall_reasons.def"
	};
	size_t length;
	bool latency;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return (struct reason){NOT_A_REASON, false}; /* sums */
	name += strlen(PREFIX);
	length = strlen(name);
	latency = length > strlen(LATENCY) && !strcmp(name + length - strlen(LATENCY), LATENCY);
	length -= latency ? strlen(LATENCY) : 0;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i].name) == length && !strncmp(known[i].name, name, length))
			return (struct reason){known[i].number, latency};
	if (!latency)
		sink->coverage(COVERAGE_STALLS_REASON_UNKNOWN, name, 1, 0);
	return (struct reason){0, latency};
}

/* The numbers of all reasons; NULL: it has failed, as `text` says. */
static uint32_t *read_reasons(CUcontext context, size_t *count, char text[256])
{
	CUpti_PCSamplingGetNumStallReasonsParams number = {
		.size = CUpti_PCSamplingGetNumStallReasonsParamsSize,
		.ctx = context,
		.numStallReasons = count};
	CUpti_PCSamplingGetStallReasonsParams all = {
		.size = CUpti_PCSamplingGetStallReasonsParamsSize, .ctx = context};
	CUptiResult result = cuptiPCSamplingGetNumStallReasons(&number);
	char *names;

	if (result != CUPTI_SUCCESS) {
		describe(text, "cuptiPCSamplingGetNumStallReasons", result);
		return NULL;
	}
	all.numStallReasons = *count;
	all.stallReasonIndex = calloc(*count + 1, sizeof(*all.stallReasonIndex));
	all.stallReasons = calloc(*count + 1, sizeof(*all.stallReasons));
	names = calloc(*count + 1, CUPTI_STALL_REASON_STRING_SIZE);
	if (!all.stallReasonIndex || !all.stallReasons || !names) {
		snprintf(text, 256, "no memory for the names of %zu reasons", *count);
		result = CUPTI_ERROR_OUT_OF_MEMORY;
	} else {
		for (size_t i = 0; i < *count; i++)
			all.stallReasons[i] = names + i * CUPTI_STALL_REASON_STRING_SIZE;
		result = cuptiPCSamplingGetStallReasons(&all);
		if (result != CUPTI_SUCCESS)
			describe(text, "cuptiPCSamplingGetStallReasons", result);
	}
	for (size_t i = 0; i < *count && result == CUPTI_SUCCESS; i++)
		if (all.stallReasonIndex[i] < REASONS_MAX)
			reasons[all.stallReasonIndex[i]] = reason_of(all.stallReasons[i]);
	free(names);
	free(all.stallReasons);
	if (result == CUPTI_SUCCESS)
		return all.stallReasonIndex;
	free(all.stallReasonIndex);
	return NULL;
}

static bool make_room(CUpti_PCSamplingData *data, size_t reason_count)
{
	CUpti_PCSamplingPCData *pcs = calloc(PCS, sizeof(*pcs));
	CUpti_PCSamplingStallReason *all = calloc(PCS * reason_count + 1, sizeof(*all));

	*data = (CUpti_PCSamplingData){.size = sizeof(*data), .collectNumPcs = PCS, .pPcData = pcs};
	for (size_t i = 0; pcs && all && i < PCS; i++)
		pcs[i].stallReason = all + i * reason_count;
	if (pcs && all)
		return true;
	free(pcs);
	free(all);
	data->pPcData = NULL;
	return false;
}

static void free_room(CUpti_PCSamplingData *data)
{
	if (data->pPcData)
		free(data->pPcData[0].stallReason);
	free(data->pPcData);
	data->pPcData = NULL;
}

/* False: it has failed, as `text` says. */
static bool configure(struct sampled *sampled, uint32_t *indices, size_t count, char text[256])
{
	CUpti_PCSamplingConfigurationInfo settings[] = {
		{.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE,
		 .attributeData.collectionModeData.collectionMode =
			 CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS},
		{.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD,
		 .attributeData.samplingPeriodData.samplingPeriod = period},
		{.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON,
		 .attributeData.stallReasonData = {.stallReasonCount = count,
						   .pStallReasonIndex = indices}},
		{.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE,
		 .attributeData.scratchBufferSizeData.scratchBufferSize = SCRATCH_BYTES},
		{.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER,
		 .attributeData.samplingDataBufferData.samplingDataBuffer = &sampled->last},
	};
	CUpti_PCSamplingConfigurationInfoParams all = {
		.size = CUpti_PCSamplingConfigurationInfoParamsSize,
		.ctx = sampled->context,
		.numAttributes = sizeof(settings) / sizeof(*settings),
		.pPCSamplingConfigurationInfo = settings};
	CUptiResult result = cuptiPCSamplingSetConfigurationAttribute(&all);
	char which[80];

	for (size_t i = 0; i < all.numAttributes; i++)
		if (settings[i].attributeStatus != CUPTI_SUCCESS) {
			snprintf(which, sizeof(which),
				 "cuptiPCSamplingSetConfigurationAttribute, attribute %d",
				 (int)settings[i].attributeType);
			describe(text, which, settings[i].attributeStatus);
			return false;
		}
	if (result == CUPTI_SUCCESS)
		return true;
	describe(text, "cuptiPCSamplingSetConfigurationAttribute", result);
	return false;
}

/* -- samples -- */

/* `lock` is held. */
static void take(struct sampled *sampled, const CUpti_PCSamplingData *data)
{
	sampled->samples += data->totalSamples;
	sampled->other += data->nonUsrKernelsTotalSamples;
	dropped += data->droppedSamples;
	full |= data->hardwareBufferFull != 0;
	for (size_t i = 0; i < data->totalNumPcs && i < PCS; i++) {
		const CUpti_PCSamplingPCData *pc = &data->pPcData[i];

		for (size_t k = 0; k < pc->stallReasonCount; k++) {
			uint32_t index = pc->stallReason[k].pcSamplingStallReasonIndex;

			if (index < REASONS_MAX && pc->stallReason[k].samples &&
			    reasons[index].number != NOT_A_REASON)
				sample_counts_add(pc->cubinCrc, pc->functionName, pc->pcOffset,
						  reasons[index].number, pc->stallReason[k].samples,
						  reasons[index].latency);
		}
	}
}

/* `lock` is held. */
static void take_all(struct sampled *sampled)
{
	CUpti_PCSamplingGetDataParams request = {.size = CUpti_PCSamplingGetDataParamsSize,
						 .ctx = sampled->context,
						 .pcSamplingData = &sampled->taken};

	do {
		CUptiResult result;

		sampled->taken.totalNumPcs = sampled->taken.remainingNumPcs = 0;
		result = cuptiPCSamplingGetData(&request);
		if (result == CUPTI_ERROR_OUT_OF_MEMORY) {
			full = true; /* the hardware's buffer */
			return;
		}
		if (result != CUPTI_SUCCESS) {
			if (!*failure)
				describe(failure, "cuptiPCSamplingGetData", result);
			return;
		}
		take(sampled, &sampled->taken);
	} while (sampled->taken.remainingNumPcs && sampled->taken.totalNumPcs);
}

/* `lock` is held. */
static void end(struct sampled *sampled)
{
	CUpti_PCSamplingDisableParams request = {.size = CUpti_PCSamplingDisableParamsSize,
						 .ctx = sampled->context};
	CUptiResult result;

	if (sampled->over)
		return;
	sampled->over = true;
	take_all(sampled);
	result = cuptiPCSamplingDisable(&request);
	if (result != CUPTI_SUCCESS) {
		if (!*failure)
			describe(failure, "cuptiPCSamplingDisable", result);
		return;
	}
	/* what does not fit in there is gone */
	full |= sampled->last.totalNumPcs >= PCS;
	take(sampled, &sampled->last);
	free_room(&sampled->last); /* CUPTI has let go of it */
	free_room(&sampled->taken);
}

static void *take_samples(void *unused)
{
	const struct timespec pause = {.tv_nsec = TAKE_NS};

	(void)unused;
	calls_own(true); /* what CUPTI calls for us is nobody's event */
	while (!atomic_load(&stopping)) {
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&lock);
		for (struct sampled *at = contexts; at; at = at->next)
			if (!at->over)
				take_all(at);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

/* `lock` is held. */
static void start_taker(void)
{
	sigset_t all, before;

	if (taker_runs)
		return;
	sigfillset(&all); /* signals are the program's */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	taker_runs = pthread_create(&taker, NULL, take_samples, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* -- contexts and modules -- */

/*
 * Our thread may hold the lock and wait in CUPTI for what the calling thread holds, which is inside
 * of the driver: better to lose the samples of a context.
 */
static bool lock_soon(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += GIVE_UP_S;
	return pthread_mutex_timedlock(&lock, &until) == 0;
}

static void start_sampling(CUcontext context)
{
	CUpti_PCSamplingEnableParams enable = {.size = CUpti_PCSamplingEnableParamsSize,
					       .ctx = context};
	struct sampled *sampled = calloc(1, sizeof(*sampled));
	char text[256] = "no memory for samples";
	uint32_t *indices = NULL;
	size_t count = 0;
	CUptiResult result;

	if (!sampled)
		return;
	sampled->context = context;
	cuptiGetDeviceId(context, &sampled->device);
	if (!lock_soon()) {
		sink->coverage(COVERAGE_STALLS_NOT_SAMPLED, "CUPTI was busy", 1, 0);
		free(sampled);
		return;
	}
	result = cuptiPCSamplingEnable(&enable);
	if (result != CUPTI_SUCCESS) {
		describe(text, "cuptiPCSamplingEnable", result);
	} else {
		indices = read_reasons(context, &count, text);
		if (indices && count <= REASONS_MAX && make_room(&sampled->last, count) &&
		    make_room(&sampled->taken, count) && configure(sampled, indices, count, text)) {
			sampled->next = contexts;
			contexts = sampled;
			start_taker();
			sampled = NULL;
		} else {
			cuptiPCSamplingDisable(&(CUpti_PCSamplingDisableParams){
				.size = CUpti_PCSamplingDisableParamsSize, .ctx = context});
		}
	}
	pthread_mutex_unlock(&lock);
	free(indices);
	if (!sampled)
		return;
	sink->coverage(COVERAGE_STALLS_NOT_SAMPLED, text, 1, 0);
	free_room(&sampled->last);
	free_room(&sampled->taken);
	free(sampled);
}

/* Samples of what is unloaded are taken before other code can be in its place. */
static void take_before(CUcontext context, bool ends)
{
	if (!lock_soon()) {
		if (!*failure)
			snprintf(failure, sizeof(failure), "CUPTI was busy when a %s ended",
				 ends ? "context" : "module");
		return;
	}
	for (struct sampled *at = contexts; at; at = at->next) {
		if (at->over || at->context != context)
			continue;
		if (ends)
			end(at);
		else
			take_all(at);
	}
	pthread_mutex_unlock(&lock);
}

static void note_module(const CUpti_ModuleResourceData *module)
{
	CUpti_GetCubinCrcParams request = {.size = CUpti_GetCubinCrcParamsSize};

	if (!module || !module->pCubin || !module->cubinSize)
		return;
	request.cubin = module->pCubin;
	request.cubinSize = module->cubinSize;
	if (cuptiGetCubinCrc(&request) == CUPTI_SUCCESS)
		sample_counts_code(request.cubinCrc, module->pCubin, module->cubinSize);
}

void samples_resource(CUpti_CallbackId id, const CUpti_ResourceData *data)
{
	bool before;

	if (!wanted || atomic_load(&stopping))
		return;
	before = calls_own(true);
	switch (id) {
	case CUPTI_CBID_RESOURCE_CONTEXT_CREATED:
		start_sampling(data->context);
		break;
	case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
		take_before(data->context, true);
		break;
	case CUPTI_CBID_RESOURCE_MODULE_LOADED:
		note_module(data->resourceDescriptor);
		break;
	case CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
		take_before(data->context, false);
		break;
	default:
		break;
	}
	calls_own(before);
}

void samples_kernel(const CUpti_ActivityKernel9 *kernel)
{
	if (!wanted)
		return;
	sample_counts_launch(&(struct sample_launch){
		.kernel = kernel->name,
		.time_ns = kernel->end > kernel->start ? kernel->end - kernel->start : 0,
		.geometry = {.grid = {(uint32_t)kernel->gridX, (uint32_t)kernel->gridY,
				      (uint32_t)kernel->gridZ},
			     .block = {(uint32_t)kernel->blockX, (uint32_t)kernel->blockY,
				       (uint32_t)kernel->blockZ},
			     .registers = kernel->registersPerThread,
			     .static_bytes = (uint32_t)kernel->staticSharedMemory,
			     .dynamic_bytes = (uint32_t)kernel->dynamicSharedMemory,
			     .local_bytes = kernel->localMemoryPerThread}});
}

/* -- the end -- */

static uint32_t has(uint32_t device, CUdevice_attribute attribute)
{
	int value = 0;

	if (!driver.cuDeviceGetAttribute ||
	    driver.cuDeviceGetAttribute(&value, attribute, (CUdevice)device) != CUDA_SUCCESS)
		return 0;
	return value > 0 ? (uint32_t)value : 0;
}

static void tell_context(const struct sampled *sampled)
{
	const struct gpu_stall_device device = {
		.samples = sampled->samples,
		.other_samples = sampled->other,
		.device = sampled->device,
		.period = period,
		.multiprocessors = has(sampled->device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
		.warps = has(sampled->device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) /
			 32,
		.blocks = has(sampled->device, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
		.registers =
			has(sampled->device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
		.shared_bytes = has(sampled->device,
				    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
		.kilohertz = has(sampled->device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
		.memory_kilohertz = has(sampled->device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE),
		.bus_bits = has(sampled->device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)};

	sink->record(NULL, &(struct gpu_record){.kind = GPU_RECORD_STALL_DEVICE,
						.payload = &device,
						.size = sizeof(device)});
}

void samples_finish(void)
{
	char larger[16];
	bool before;

	if (!wanted || atomic_exchange(&stopping, true))
		return;
	if (taker_runs)
		pthread_join(taker, NULL);
	before = calls_own(true);
	pthread_mutex_lock(&lock);
	for (struct sampled *at = contexts; at; at = at->next)
		end(at);
	snprintf(larger, sizeof(larger), "%u",
		 period + 2 < MOST_PERIOD ? period + 2 : (uint32_t)MOST_PERIOD);
	if (*failure)
		sink->coverage(COVERAGE_STALLS_FAILED, failure, 1, 0);
	else if (dropped || full)
		sink->coverage(COVERAGE_STALLS_LOST, larger, dropped + full, 0);
	else {
		for (struct sampled *at = contexts; at; at = at->next)
			tell_context(at);
		sample_counts_tell(sink);
	}
	pthread_mutex_unlock(&lock);
	calls_own(before);
}
