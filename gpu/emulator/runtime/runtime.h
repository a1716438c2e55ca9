/*
 * gpu/emulator/runtime/runtime.h: what the files of the runtime API share.
 *
 * Compiled once per major version (CUDART_MAJOR 11, 12, 13).  Every entry ends in
 * runtime_result(), which keeps the thread's last error and tells the observer of it.
 */
#ifndef VFLOW_GPU_EMULATOR_RUNTIME_RUNTIME_H
#define VFLOW_GPU_EMULATOR_RUNTIME_RUNTIME_H

#include "gpu/emulator/device/core.h"
#include "gpu/emulator/include/cuda_runtime_api.h"

#define EXPORT __attribute__((visibility("default")))

/* `other` is the same function under another name. */
#define ALIAS(function, other)                                                                     \
	extern __typeof__(function) other __attribute__((alias(#function), visibility("default")))

/*
 * Remembers an error for cudaGetLastError(); success changes nothing.  What entries share takes
 * the name of the entry.
 */
cudaError_t runtime_result_of(const char *name, int error);
#define runtime_result(error) runtime_result_of(__func__, error)

/* Returns from the entry when the device cannot be used by this process. */
#define ATTACH_OF(name)                                                                            \
	do {                                                                                       \
		int attach_error = vflow_emulator_attach();                                        \
		if (attach_error)                                                                  \
			return runtime_result_of(name, attach_error);                              \
	} while (0)
#define ATTACH() ATTACH_OF(__func__)

/* What the program registered, loaded on first use: registry.c. */
int registry_kernel(const void *function, struct emulator_kernel **kernel);
int registry_variable(const void *symbol, uint64_t *address, uint64_t *size);

/* copy.c: which sides the program says a copy has.  An error, or 0. */
int runtime_sides(struct emulator_copy *copy, enum cudaMemcpyKind kind);
/* array.c: channels, their size and kind.  An error, or 0. */
int runtime_channels(const struct cudaChannelFormatDesc *desc, struct emulator_array_shape *shape);

int runtime_copy_3d(const struct cudaMemcpy3DParms *p, struct emulator_copy *what);

static inline uint64_t runtime_bits(const void *pointer)
{
	return (uintptr_t)pointer;
}

#endif
