/* gpu/sanitizer/callback/launch_call.h: what a call of the driver launches, as the Sanitizer hands
 * it over.
 */
#ifndef VFLOW_GPU_SANITIZER_CALLBACK_LAUNCH_CALL_H
#define VFLOW_GPU_SANITIZER_CALLBACK_LAUNCH_CALL_H

#include <cuda.h>
#include <stdbool.h>

struct launch_call {
	CUfunction function;
	CUstream stream; /* as the function means it: CU_STREAM_PER_THREAD, too */
	void **values, **extra;
};

/* `api`: the driver's function, `parameters`: its operands.  False: it does not launch one kernel.
 */
bool launch_call_read(struct launch_call *call, const char *api, const void *parameters);

#endif
