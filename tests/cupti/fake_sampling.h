/*
 * CUPTI's sampling as a test has it: what the device sampled is said by sampled(), and comes when
 * it is asked for, at most `most_at_once` instructions a time; what is left comes with the end.
 */
#ifndef VFLOW_TESTS_CUPTI_FAKE_SAMPLING_H
#define VFLOW_TESTS_CUPTI_FAKE_SAMPLING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cupti.h>
#include <cupti_pcsampling.h>

enum { FAKE_REASONS = 6, FAKE_PCS = 64 };

/* CUPTI's own numbers are not in a row, and two are no reasons. */
static const struct {
	uint32_t index;
	const char *name;
} fake_reasons[FAKE_REASONS] = {
	{3, "smsp__pcsamp_sample_count"},
	{7, "smsp__pcsamp_warps_issue_stalled_long_scoreboard"},
	{8, "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued"},
	{11, "smsp__pcsamp_warps_issue_stalled_selected"},
	{12, "smsp__pcsamp_warps_issue_stalled_of_tomorrow"},
	{40, "smsp__pcsamp_warps_issue_stalled_wait"},
};

static struct fake_pc {
	uint64_t crc, offset;
	char *name;
	uint32_t counts[FAKE_REASONS];
} fake_pcs[FAKE_PCS];
static unsigned fake_pc_count;
static _Atomic unsigned most_at_once = 2;
static CUptiResult sampling_result;
static _Atomic CUptiResult data_result;
static CUpti_PCSamplingData *fake_last; /* of the configuration; NULL: none, or it has ended */
static bool sampling_enabled, reasons_asked;
static uint32_t sampling_period, resources; /* bits of CUpti_CallbackId */
static uint64_t dropped_samples;
static pthread_mutex_t sampling_lock = PTHREAD_MUTEX_INITIALIZER;

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
				CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	(void)enable, (void)subscriber;
	if (domain != CUPTI_CB_DOMAIN_RESOURCE)
		return CUPTI_ERROR_INVALID_PARAMETER;
	resources |= 1u << id;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCubinCrc(CUpti_GetCubinCrcParams *request)
{
	request->cubinCrc = 0x1000 + *(const unsigned char *)request->cubin;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams *request)
{
	sampling_enabled = request->ctx && sampling_result == CUPTI_SUCCESS;
	reasons_asked = false;
	return sampling_result;
}

/* As the real one has it: only after it was enabled. */
CUptiResult cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams *request)
{
	*request->numStallReasons = FAKE_REASONS;
	return sampling_enabled ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

CUptiResult cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams *request)
{
	if (!sampling_enabled || request->numStallReasons != FAKE_REASONS)
		return CUPTI_ERROR_INVALID_OPERATION;
	for (unsigned i = 0; i < FAKE_REASONS; i++) {
		request->stallReasonIndex[i] = fake_reasons[i].index;
		strcpy(request->stallReasons[i], fake_reasons[i].name);
	}
	reasons_asked = true;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingSetConfigurationAttribute(
	CUpti_PCSamplingConfigurationInfoParams *request)
{
	if (!sampling_enabled || !reasons_asked)
		return CUPTI_ERROR_INVALID_OPERATION;
	for (size_t i = 0; i < request->numAttributes; i++) {
		CUpti_PCSamplingConfigurationInfo *at = &request->pPCSamplingConfigurationInfo[i];

		at->attributeStatus = CUPTI_SUCCESS;
		switch (at->attributeType) {
		case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD:
			sampling_period = at->attributeData.samplingPeriodData.samplingPeriod;
			break;
		case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER:
			fake_last = at->attributeData.samplingDataBufferData.samplingDataBuffer;
			break;
		case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE:
			if (at->attributeData.collectionModeData.collectionMode !=
			    CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS)
				at->attributeStatus = CUPTI_ERROR_INVALID_OPERATION;
			break;
		default:
			break;
		}
	}
	return CUPTI_SUCCESS;
}

static void fake_give(CUpti_PCSamplingData *to, unsigned most)
{
	unsigned count = fake_pc_count < most ? fake_pc_count : most;

	to->totalSamples = to->nonUsrKernelsTotalSamples = 0;
	to->droppedSamples = dropped_samples;
	dropped_samples = 0;
	for (unsigned i = 0; i < count; i++) {
		CUpti_PCSamplingPCData *pc = &to->pPcData[i];

		pc->cubinCrc = fake_pcs[i].crc;
		pc->pcOffset = fake_pcs[i].offset;
		pc->functionName = fake_pcs[i].name;
		pc->stallReasonCount = FAKE_REASONS;
		for (unsigned k = 0; k < FAKE_REASONS; k++) {
			pc->stallReason[k].pcSamplingStallReasonIndex = fake_reasons[k].index;
			pc->stallReason[k].samples = fake_pcs[i].counts[k];
			to->totalSamples += strstr(fake_reasons[k].name, "stalled") &&
							    !strstr(fake_reasons[k].name, "_not_")
						    ? fake_pcs[i].counts[k]
						    : 0;
		}
	}
	fake_pc_count -= count;
	memmove(fake_pcs, fake_pcs + count, fake_pc_count * sizeof(*fake_pcs));
	to->totalNumPcs = count;
	to->remainingNumPcs = fake_pc_count;
}

CUptiResult cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams *request)
{
	CUptiResult result = data_result;

	if (!fake_last)
		return CUPTI_ERROR_INVALID_OPERATION;
	pthread_mutex_lock(&sampling_lock);
	if (result == CUPTI_SUCCESS)
		fake_give(request->pcSamplingData, most_at_once);
	pthread_mutex_unlock(&sampling_lock);
	return result;
}

CUptiResult cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams *request)
{
	(void)request;
	sampling_enabled = false;
	if (!fake_last)
		return CUPTI_ERROR_INVALID_OPERATION;
	fake_give(fake_last, FAKE_PCS);
	fake_last = NULL;
	return CUPTI_SUCCESS;
}

/* Counts are in the order of fake_reasons. */
static void sampled(uint64_t crc, const char *name, uint64_t offset,
		    const uint32_t counts[FAKE_REASONS])
{
	struct fake_pc *pc;

	pthread_mutex_lock(&sampling_lock);
	pc = &fake_pcs[fake_pc_count++];
	/* the same text for all instructions of a function, as the real one's: not to be freed */
	*pc = (struct fake_pc){.crc = crc, .offset = offset, .name = (char *)(uintptr_t)name};
	memcpy(pc->counts, counts, sizeof(pc->counts));
	pthread_mutex_unlock(&sampling_lock);
}

#endif
