/*
 * gpu/emulator/driver/driver.h: what the files of the driver API share.
 *
 * Entries are named by their current version, as cuda.h maps them; ALIAS exports the other
 * spellings that programs ask for.
 */
#ifndef VFLOW_GPU_EMULATOR_DRIVER_DRIVER_H
#define VFLOW_GPU_EMULATOR_DRIVER_DRIVER_H

#include "gpu/emulator/device/core.h"
#include "gpu/emulator/include/cuda.h"

/* `other` is the same function under another name. */
#define ALIAS(function, other)                                                                     \
	extern __typeof__(function) other                                                          \
		__attribute__((alias(DRIVER_STRING(function)), visibility("default")))
#define DRIVER_STRING(name) DRIVER_STRING_2(name)
#define DRIVER_STRING_2(name) #name

/* An entry under its current name and those of other versions and default streams. */
#define ALIAS_V2(function, suffix)                                                                 \
	ALIAS(function##_v2, function);                                                            \
	PER_THREAD(function##_v2, function##_v2_##suffix)

/* The driver API has one error code for a bad shape and a bad pitch. */
static inline CUresult driver_result(int error)
{
	return error == 9 || error == 12 ? CUDA_ERROR_INVALID_VALUE : (CUresult)error;
}

/* Every entry ends in RESULT(), which tells the observer of an error. */
static inline CUresult driver_return(const char *entry, int error)
{
	if (error)
		vflow_emulator_failed(entry, error);
	return (CUresult)error;
}
#define RESULT(error) driver_return(__func__, (int)(error))

/* driver/module.c: the file's content with a NUL behind it (free() it); NULL: *error says why. */
char *driver_read_file(const char *path, size_t *size, int *error);
/* The packed parameters that `extra` of a launch lists; false: it is malformed. */
bool driver_read_extra(void **extra, struct emulator_launch *launch);

/* driver/graph.c: parameters of nodes in the emulator's form.  Return an error, or 0. */
int driver_kernel_node(const CUDA_KERNEL_NODE_PARAMS *p, struct emulator_node *node);
int driver_copy_node(const CUDA_MEMCPY3D *p, struct emulator_node *node);
int driver_fill_node(const CUDA_MEMSET_NODE_PARAMS *p, struct emulator_node *node);
int driver_host_node(const CUDA_HOST_NODE_PARAMS *p, struct emulator_node *node);

/* driver/array.c: a copy, channels and their kind in the emulator's form.  Return an error or 0. */
int driver_copy_3d(const CUDA_MEMCPY3D *copy, struct emulator_copy *what);
int driver_channels(CUarray_format format, unsigned channels, struct emulator_array_shape *shape);

#endif
