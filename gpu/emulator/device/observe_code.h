/*
 * gpu/emulator/device/observe_code.h: tells the sink which modules are loaded, and which of their
 * kernels are launched.  The image of a module is its PTX, and an instruction of that counts as one
 * of machine code, of 16 bytes.  The device lock is held.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_OBSERVE_CODE_H
#define VFLOW_GPU_EMULATOR_DEVICE_OBSERVE_CODE_H

#include "gpu/emulator/device/module.h"

#define EMULATOR_INSTRUCTION_BYTES UINT64_C(16)

/* Nothing is told without this. */
void observe_code_start(const struct gpu_sink *sink);
/* The running call has loaded the module: gives it a number. */
void observe_code_loaded(struct emulator_module *module);
/* The kernel has run. */
void observe_code_launched(struct emulator_kernel *kernel);
/* ... in this call, which has ended and was analysed: tells how it stores. */
void observe_code_stores(const struct gpu_call *call, const struct emulator_kernel *kernel);

#endif
