/*
 * gpu/cupti/calls.h: from CUPTI's callbacks to pending calls.
 *
 * A thread's API calls nest (cudaMalloc calls cuMemAlloc); the outermost one is what the program
 * called.  What happens inside it is noted, and begins as events of the sink when it has returned:
 * there, as for the Sanitizer's provider, call paths are taken.
 */
#ifndef VFLOW_GPU_CUPTI_CALLS_H
#define VFLOW_GPU_CUPTI_CALLS_H

#include <stdbool.h>

#include <cupti.h>

#include "gpu/provider.h"

/* Returns 0, or -1: there is no memory. */
int calls_start(const struct gpu_sink *sink);
void calls_stop(void);

/* For cuptiSubscribe(). */
void CUPTIAPI calls_callback(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id,
			     const void *details);

/* What the calling thread calls from now on is the provider's own, and no event, or is not. Returns
 * how it was before. */
bool calls_own(bool own);

/* Gets the records of all that is over, and ends all calls: at exit, when no more will come. */
void calls_finish(void);

#endif
