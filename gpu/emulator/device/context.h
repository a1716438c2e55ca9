/*
 * gpu/emulator/device/context.h: CUDA contexts, as the driver API shows them.
 *
 * A context stays allocated after its destruction (only then not alive): programs keep handles.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_CONTEXT_H
#define VFLOW_GPU_EMULATOR_DEVICE_CONTEXT_H

#include "gpu/emulator/device/device.h"

struct emulator_context {
	bool alive;
	unsigned flags;
};

/* Returns 0 or OUT_OF_MEMORY: 64 are enough for everybody. */
int context_push(struct emulator_context *context);
/* NULL: the stack was empty. */
struct emulator_context *context_pop(void);

#endif
