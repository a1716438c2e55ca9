/*
 * gpu/emulator/state/texture.h: the textures and surfaces that there are, by the handles that
 * kernels have.  What a fetch from one returns: interpreter/sampler.h.
 *
 * Not thread-safe: the device lock is held.
 */
#ifndef VFLOW_GPU_EMULATOR_STATE_TEXTURE_H
#define VFLOW_GPU_EMULATOR_STATE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum emulator_channel { CHANNEL_SIGNED, CHANNEL_UNSIGNED, CHANNEL_FLOAT };

/* Rows of texels, one after the other; `depth` counts layers and cube faces too. */
struct emulator_array_shape {
	uint64_t width, height, depth; /* texels; at least 1 each */
	uint32_t channels, channel_bytes;
	enum emulator_channel kind;
	bool layered, cube;
	uint32_t dimensions;   /* 1, 2, 3 as the program made it */
	uint64_t pitch, slice; /* bytes; array_create sets them */
	uint64_t address;
};

enum emulator_addressing { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };

struct emulator_texture {
	void *array; /* NULL: linear memory, of this shape */
	struct emulator_array_shape shape;
	enum emulator_addressing addressing[3];
	bool linear_filter, normalized_values, normalized_coordinates;
	float border[4];
};

/* Copies what is given; the new handle, or 0: no memory. */
uint64_t texture_add(const struct emulator_texture *texture);
uint64_t surface_add(const struct emulator_texture *surface);
/* False: there is no such texture, or surface. */
bool texture_remove(uint64_t handle);
bool surface_remove(uint64_t handle);
/* NULL: there is none.  Valid until it is removed. */
const struct emulator_texture *texture_find(uint64_t handle);
const struct emulator_texture *surface_find(uint64_t handle);

#endif
