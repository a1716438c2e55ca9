/*
 * gpu/cupti/activity.h: CUPTI's records of what the device did, as times of pending calls.
 */
#ifndef VFLOW_GPU_CUPTI_ACTIVITY_H
#define VFLOW_GPU_CUPTI_ACTIVITY_H

#include <stdbool.h>

#include <cupti.h>

#include "gpu/provider.h"

/*
 * Has CUPTI record kernels, copies and sets on the clock of calls.  Returns CUPTI_SUCCESS, or why
 * not; *what says what failed.
 */
CUptiResult activity_start(const struct gpu_sink *sink, const char **what);

/*
 * Asks for the records that there are; `all`: also for those of operations that are not over, whose
 * times are not known then.  Calls CUPTI, which calls pending_time(): not with a lock that those
 * need.
 */
void activity_flush(bool all);

#endif
