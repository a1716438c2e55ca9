/*
 * gpu/emulator/device/module.h: a loaded module: its PTX, kernels and variables in device memory.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_MODULE_H
#define VFLOW_GPU_EMULATOR_DEVICE_MODULE_H

#include "gpu/emulator/device/device.h"
#include "gpu/ptx/ptx.h"

struct emulator_kernel {
	struct emulator_module *module;
	const struct ptx_kernel *ptx;
	uint64_t max_dynamic_shared_bytes;
	bool launched; /* the sink knows */
};

struct emulator_module {
	struct emulator_module *next;
	const struct emulator_context *context; /* the one it was loaded in */
	struct ptx_module *ptx;
	uint64_t image_bytes;            /* of the PTX that it was made of */
	uint32_t code;                   /* its number for the sink; 0: that does not know it */
	struct emulator_kernel *kernels; /* as many as ptx_kernel_count() */
	struct allocation **variables;   /* as many as ptx_variable_count(); NULL: no storage */
};

/* Under the lock: whether these handles are alive. */
bool module_alive(const struct emulator_module *module);
bool module_kernel_alive(const struct emulator_kernel *kernel);

/* Whether the text could be loaded as a module; if not, *error says why. */
bool module_is_ptx(const char *text, size_t size, struct error *error);

#endif
