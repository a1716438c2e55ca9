/*
 * gpu/emulator/device/observe_values.h: the pass `values`: tells the sink with which values
 * launches access objects.  The device lock is held.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_OBSERVE_VALUES_H
#define VFLOW_GPU_EMULATOR_DEVICE_OBSERVE_VALUES_H

#include "gpu/provider.h"

struct ptx_module;
struct values;

/* Nothing is told without this.  Of every nth block; -1: no memory. */
int observe_values_start(const struct gpu_sink *sink, uint64_t nth);
/* A launch of the module's begins: who is to look at its values.  NULL: nobody is. */
struct values *observe_values_launch(const struct ptx_module *module);
/* The launch has failed. */
void observe_values_drop(void);
/* The sink has the end of the launch, if the call is one. */
void observe_values_end(const struct gpu_call *call);

#endif
