/*
 * gpu/emulator/device/observe_access.h: the pass `access`: tells the sink what of objects is
 * accessed.  The device lock is held.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_OBSERVE_ACCESS_H
#define VFLOW_GPU_EMULATOR_DEVICE_OBSERVE_ACCESS_H

#include "gpu/analysis/shadow.h"
#include "gpu/emulator/state/memory.h"

/* Nothing is told without this.  Both outlive the process. */
void observe_access_start(const struct gpu_sink *sink, struct shadow *shadow);
/* Whether it was started. */
bool observe_access_active(void);
/* The running call frees the allocation, which still has its shadow. */
void observe_access_released(const struct allocation *allocation);
/* The sink has the end of the call. */
void observe_access_end(const struct gpu_call *call);

#endif
