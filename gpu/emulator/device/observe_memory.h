/*
 * gpu/emulator/device/observe_memory.h: tells the sink how much memory of the device is used, when
 * that is more than it was before.  The device lock is held.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_OBSERVE_MEMORY_H
#define VFLOW_GPU_EMULATOR_DEVICE_OBSERVE_MEMORY_H

#include "gpu/emulator/state/memory.h"
#include "gpu/provider.h"

/* Nothing is told without this. */
void observe_memory_start(const struct gpu_sink *sink);
/* The sink knows the allocation; its release. */
void observe_memory_allocated(const struct allocation *allocation);
void observe_memory_released(const struct allocation *allocation);

#endif
