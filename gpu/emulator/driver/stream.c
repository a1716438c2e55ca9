/*
 * gpu/emulator/driver/stream.c: driver API: streams and events.
 */
#include "gpu/emulator/driver/driver.h"

#undef cuStreamDestroy
#undef cuEventDestroy
#undef cuEventElapsedTime

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
	struct emulator_stream *stream;
	int error = phStream ? vflow_emulator_stream_create(&stream, flags, priority)
			     : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*phStream = (CUstream)stream;
	return RESULT(error);
}

CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
	return DELEGATE(cuStreamCreateWithPriority(phStream, Flags, 0));
}

CUresult cuStreamDestroy_v2(CUstream hStream)
{
	return RESULT(vflow_emulator_stream_destroy(hStream));
}
ALIAS(cuStreamDestroy_v2, cuStreamDestroy);

CUresult cuStreamQuery(CUstream hStream)
{
	return RESULT(vflow_emulator_query("cuStreamQuery", hStream, NULL));
}
PER_THREAD(cuStreamQuery, cuStreamQuery_ptsz);

CUresult cuStreamSynchronize(CUstream hStream)
{
	return RESULT(vflow_emulator_synchronize("cuStreamSynchronize", hStream, NULL));
}
PER_THREAD(cuStreamSynchronize, cuStreamSynchronize_ptsz);

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
	return RESULT(vflow_emulator_stream_wait(hStream, hEvent, Flags & CU_EVENT_WAIT_EXTERNAL));
}
PER_THREAD(cuStreamWaitEvent, cuStreamWaitEvent_ptsz);

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
			     unsigned int flags)
{
	int error = vflow_emulator_host_function("cuStreamAddCallback", hStream);

	if (error || !callback || flags)
		return RESULT(error ? (CUresult)error : CUDA_ERROR_INVALID_VALUE);
	callback(hStream, CUDA_SUCCESS, userData);
	return CUDA_SUCCESS;
}
PER_THREAD(cuStreamAddCallback, cuStreamAddCallback_ptsz);

CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
	struct emulator_event *event;
	int error = phEvent ? vflow_emulator_event_create(&event, Flags) : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*phEvent = (CUevent)event;
	return RESULT(error);
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream)
{
	return RESULT(vflow_emulator_event_record(hEvent, hStream, false));
}
PER_THREAD(cuEventRecord, cuEventRecord_ptsz);

CUresult cuEventQuery(CUevent hEvent)
{
	return RESULT(hEvent ? vflow_emulator_query("cuEventQuery", NULL, hEvent)
			     : vflow_emulator_event_check(hEvent));
}

CUresult cuEventSynchronize(CUevent hEvent)
{
	return RESULT((hEvent ? vflow_emulator_synchronize("cuEventSynchronize", NULL, hEvent)
			      : (int)CUDA_ERROR_INVALID_HANDLE));
}

CUresult cuEventDestroy_v2(CUevent hEvent)
{
	return RESULT(vflow_emulator_event_destroy(hEvent));
}
ALIAS(cuEventDestroy_v2, cuEventDestroy);

CUresult cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
	if (!pMilliseconds)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	return RESULT(
		vflow_emulator_event_elapsed("cuEventElapsedTime", hStart, hEnd, pMilliseconds));
}
ALIAS(cuEventElapsedTime_v2, cuEventElapsedTime);
