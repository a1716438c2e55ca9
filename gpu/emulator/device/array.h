/*
 * gpu/emulator/device/array.h: arrays, which textures and surfaces look into.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_ARRAY_H
#define VFLOW_GPU_EMULATOR_DEVICE_ARRAY_H

#include "gpu/emulator/state/memory.h"
#include "gpu/emulator/state/texture.h"

struct emulator_array {
	const void *handle; /* itself: the key */
	struct allocation *allocation;
	struct emulator_array_shape shape;
};

/* NULL: no such array. */
const struct emulator_array *array_find(const void *handle);

#endif
