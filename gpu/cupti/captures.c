/* gpu/cupti/captures.c: see captures.h. */
#include "gpu/cupti/captures.h"

#include "gpu/cupti/driver.h"

static bool captures;

void captures_begin(void)
{
	__atomic_store_n(&captures, true, __ATOMIC_RELAXED);
}

bool captures_stream(uintptr_t stream)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

	if (!stream || !__atomic_load_n(&captures, __ATOMIC_RELAXED))
		return false;
	return driver.cuStreamIsCapturing((CUstream)stream, &status) == CUDA_SUCCESS &&
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}
