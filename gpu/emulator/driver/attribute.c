/*
 * gpu/emulator/driver/attribute.c: driver API: what programs ask of contexts, streams and devices,
 * and hints, which change nothing here.
 */
#include <stdio.h>
#include <string.h>

#include "gpu/emulator/device/context.h"
#include "gpu/emulator/driver/driver.h"

#undef cuDeviceGetUuid

/* The lowest and the highest priority; vflow_emulator_stream_create() clamps to them. */
CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
	int error = vflow_emulator_check(true);

	if (!error && leastPriority)
		*leastPriority = 0;
	if (!error && greatestPriority)
		*greatestPriority = -5;
	return RESULT(error);
}

CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
	uint64_t value;
	int error = pvalue ? vflow_emulator_limit((int)limit, &value, false)
			   : (int)CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*pvalue = value;
	return RESULT(error);
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	uint64_t wanted = value;

	return RESULT(vflow_emulator_limit((int)limit, &wanted, true));
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
	int error = vflow_emulator_check(true);

	if (error || !flags)
		return RESULT(error ? (CUresult)error : CUDA_ERROR_INVALID_VALUE);
	*flags = context_current()->flags;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
	int error = vflow_emulator_check(!ctx);

	if (error || !version)
		return RESULT(error ? (CUresult)error : CUDA_ERROR_INVALID_VALUE);
	*version = 3020; /* the version that every driver since CUDA 4 reports */
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
	(void)config;
	return RESULT(vflow_emulator_check(true));
}

CUresult cuStreamGetPriority(CUstream hStream, int *priority)
{
	if (!priority)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	return RESULT(vflow_emulator_stream_check(hStream, NULL, priority));
}
PER_THREAD(cuStreamGetPriority, cuStreamGetPriority_ptsz);

CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
	if (!flags)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	return RESULT(vflow_emulator_stream_check(hStream, flags, NULL));
}
PER_THREAD(cuStreamGetFlags, cuStreamGetFlags_ptsz);

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
	int error = vflow_emulator_check(false);

	if (error || !uuid || dev)
		return RESULT(error ? (CUresult)error
			      : dev ? CUDA_ERROR_INVALID_DEVICE
				    : CUDA_ERROR_INVALID_VALUE);
	memcpy(uuid->bytes, "vflow emulated 0", sizeof(uuid->bytes));
	return CUDA_SUCCESS;
}
ALIAS(cuDeviceGetUuid_v2, cuDeviceGetUuid);

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
	int error = vflow_emulator_check(false);

	if (error || !pciBusId || dev || len < 1)
		return RESULT(error ? (CUresult)error
			      : dev ? CUDA_ERROR_INVALID_DEVICE
				    : CUDA_ERROR_INVALID_VALUE);
	snprintf(pciBusId, (size_t)len, "0000:00:00.0");
	return CUDA_SUCCESS;
}
