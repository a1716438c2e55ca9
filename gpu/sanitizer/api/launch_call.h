/*
 * gpu/sanitizer/api/launch_call.h: which kernel a call of the driver launches, from its parameters.
 */
#ifndef VFLOW_GPU_SANITIZER_API_LAUNCH_CALL_H
#define VFLOW_GPU_SANITIZER_API_LAUNCH_CALL_H

#include <cuda.h>
#include <stdbool.h>
#include <string.h>

/*
 * The stream that a handle stands for in a function of this name: 0 is the thread's own in
 * ..._ptsz and _ptds.
 */
static inline CUstream api_stream(const char *name, CUstream stream)
{
	bool own = strstr(name, "_ptsz") || strstr(name, "_ptds");

	return stream || !own ? stream : CU_STREAM_PER_THREAD;
}

struct launch_call {
	CUfunction function;
	CUstream stream; /* the thread's own is CU_STREAM_PER_THREAD */
	void **values, **extra;
};

/* `api`: the driver's function, `parameters`: its operands.  False: it does not launch one kernel.
 */
bool launch_call_read(struct launch_call *call, const char *api, const void *parameters);

/*
 * The parameter block of a launch as its kernel will see it, from pointers to the values, or from
 * `extra`.  The caller frees it.  NULL: it cannot be known.  Call the driver.
 */
void *launch_call_block(CUfunction function, void **values, void **extra, size_t *size);
/* Modules or contexts were unloaded: what is kept of their functions may be another's now. */
void launch_call_functions_gone(void);
void *launch_call_parameters(CUfunction function, const char *api, const void *parameters,
			     size_t *size);

#endif
