/*
 * gpu/cupti/samples.h: CUPTI's sampling of program counters, for the pass `stalls`.
 *
 * Sampling is continuous: kernels run as they do without it.  A thread of its own takes the samples
 * from CUPTI, whose decoder is what limits how many there can be: where samples are lost, none are
 * told.
 */
#ifndef VFLOW_GPU_CUPTI_SAMPLES_H
#define VFLOW_GPU_CUPTI_SAMPLES_H

#include <stdbool.h>

#include <cupti.h>

#include "gpu/provider.h"

/* Whether the pass is wanted (VFLOW_STALLS). */
bool samples_wanted(void);

/* Has CUPTI tell of contexts and modules.  Returns CUPTI_SUCCESS, or why not. */
CUptiResult samples_start(CUpti_SubscriberHandle subscriber, const struct gpu_sink *sink);

/* A callback of CUPTI_CB_DOMAIN_RESOURCE: such may call the driver, as the calling thread's own. */
void samples_resource(CUpti_CallbackId id, const CUpti_ResourceData *data);

/* A record of a kernel that has run. */
void samples_kernel(const CUpti_ActivityKernel9 *kernel);

/* Takes the last samples and tells all: at exit.  The calling thread waits for ours. */
void samples_finish(void);

#endif
