/*
 * gpu/cupti/touches.h: pages of managed memory that the host touches after the device had them, by
 * CUPTI's records of page faults.
 */
#ifndef VFLOW_GPU_CUPTI_TOUCHES_H
#define VFLOW_GPU_CUPTI_TOUCHES_H

#include <stdbool.h>

#include <cupti.h>

#include "gpu/provider.h"

void touches_start(const struct gpu_sink *sink);
/* Whether touches_start() was called. */
bool touches_wanted(void);

/* A function of the driver that the program has called is over, in this context. */
void touches_note(const char *function, CUcontext context);

/* What the records tell: see gpu_provider. */
enum gpu_touches touches_known(void);

/* A record of kind UNIFIED_MEMORY_COUNTER. */
void touches_take(const CUpti_Activity *record);

#endif
