/*
 * gpu/emulator/runtime/stream.c: runtime API: streams and events.
 */
#include "gpu/emulator/runtime/runtime.h"

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority)
{
	struct emulator_stream *stream;
	int error;

	ATTACH();
	error = pStream ? vflow_emulator_stream_create(&stream, flags, priority)
			: (int)cudaErrorInvalidValue;
	if (!error)
		*pStream = (cudaStream_t)stream;
	return runtime_result(error);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
	return DELEGATE(cudaStreamCreateWithPriority(pStream, flags, 0));
}

cudaError_t cudaStreamCreate(cudaStream_t *pStream)
{
	return DELEGATE(cudaStreamCreateWithPriority(pStream, 0, 0));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	ATTACH();
	return runtime_result(vflow_emulator_stream_destroy(stream));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	ATTACH();
	return runtime_result(vflow_emulator_synchronize("cudaStreamSynchronize", stream, NULL));
}
PER_THREAD(cudaStreamSynchronize, cudaStreamSynchronize_ptsz);

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	ATTACH();
	return runtime_result(vflow_emulator_query("cudaStreamQuery", stream, NULL));
}
PER_THREAD(cudaStreamQuery, cudaStreamQuery_ptsz);

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	ATTACH();
	return runtime_result(
		vflow_emulator_stream_wait(stream, event, flags & cudaEventWaitExternal));
}
PER_THREAD(cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz);

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
				  void *userData, unsigned int flags)
{
	int error;

	ATTACH();
	error = callback && !flags ? vflow_emulator_host_function("cudaStreamAddCallback", stream)
				   : (int)cudaErrorInvalidValue;
	if (!error)
		callback(stream, cudaSuccess, userData);
	return runtime_result(error);
}
PER_THREAD(cudaStreamAddCallback, cudaStreamAddCallback_ptsz);

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
	bool captured;
	int error;

	ATTACH();
	error = fn ? vflow_emulator_capture_host(stream, fn, userData, &captured)
		   : (int)cudaErrorInvalidValue;
	if (!error && !captured &&
	    !(error = vflow_emulator_host_function("cudaLaunchHostFunc", stream)))
		fn(userData);
	return runtime_result(error);
}
PER_THREAD(cudaLaunchHostFunc, cudaLaunchHostFunc_ptsz);

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags)
{
	ATTACH();
	return runtime_result(flags ? vflow_emulator_stream_check(hStream, flags, NULL)
				    : (int)cudaErrorInvalidValue);
}
PER_THREAD(cudaStreamGetFlags, cudaStreamGetFlags_ptsz);

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority)
{
	ATTACH();
	return runtime_result(priority ? vflow_emulator_stream_check(hStream, NULL, priority)
				       : (int)cudaErrorInvalidValue);
}
PER_THREAD(cudaStreamGetPriority, cudaStreamGetPriority_ptsz);

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	struct emulator_event *made;
	int error;

	ATTACH();
	error = event ? vflow_emulator_event_create(&made, flags) : (int)cudaErrorInvalidValue;
	if (!error)
		*event = (cudaEvent_t)made;
	return runtime_result(error);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	return DELEGATE(cudaEventCreateWithFlags(event, cudaEventDefault));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	ATTACH();
	return runtime_result(vflow_emulator_event_record(event, stream, false));
}
PER_THREAD(cudaEventRecord, cudaEventRecord_ptsz);

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	ATTACH();
	return runtime_result(
		vflow_emulator_event_record(event, stream, flags & cudaEventRecordExternal));
}
PER_THREAD(cudaEventRecordWithFlags, cudaEventRecordWithFlags_ptsz);

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	ATTACH();
	return runtime_result(event ? vflow_emulator_query("cudaEventQuery", NULL, event)
				    : vflow_emulator_event_check(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	ATTACH();
	return runtime_result(
		event ? vflow_emulator_synchronize("cudaEventSynchronize", NULL, event)
		      : (int)cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	ATTACH();
	return runtime_result(vflow_emulator_event_destroy(event));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	ATTACH();
	return runtime_result(
		ms ? vflow_emulator_event_elapsed("cudaEventElapsedTime", start, end, ms)
		   : (int)cudaErrorInvalidValue);
}
#if CUDART_MAJOR == 12
ALIAS(cudaEventElapsedTime, cudaEventElapsedTime_v2);
#endif
