/*
 * gpu/emulator/interpreter/sampler.h: textures and surfaces, as kernels read and write them.
 */
#ifndef VFLOW_GPU_EMULATOR_INTERPRETER_SAMPLER_H
#define VFLOW_GPU_EMULATOR_INTERPRETER_SAMPLER_H

#include "gpu/emulator/state/memory.h"
#include "gpu/emulator/state/texture.h"

enum texture_geometry {
	TEXTURE_1D,
	TEXTURE_2D,
	TEXTURE_3D,
	TEXTURE_1D_LAYERED,
	TEXTURE_2D_LAYERED,
	TEXTURE_CUBE,
	TEXTURE_CUBE_LAYERED,
};

/* A texel: floats, or integers extended to 32 bits; channels that the format lacks are 0. */
union texel {
	float f[4];
	uint32_t u[4];
};
/*
 * Coordinates are floats, or with `integral` texel numbers; `layer` counts layers.  True: the
 * result is floats.
 */
bool texture_sample(const struct emulator_texture *texture, enum texture_geometry geometry,
		    const double *coordinates, uint32_t layer, union texel *result);
/*
 * One plane of texels of 32-bit channels, whose samples inside need no more than this.  `scale`:
 * what coordinates are multiplied by; `linear`: a sample is the weighted mean of 2 or 4 texels of
 * floats, else it is the nearest one.  False: it is not so simple.
 */
struct texture_plane {
	const uint8_t *texels;
	double size[2], scale[2];
	uint64_t pitch;
	unsigned dimensions, channels;
	bool linear;
};
bool texture_plane(const struct emulator_texture *texture, enum texture_geometry geometry,
		   struct texture_plane *plane);
/*
 * One channel of the four texels that linear filtering in two dimensions would weigh, in the order
 * of tld4: lower left, lower right, upper right, upper left.
 */
void texture_gather(const struct emulator_texture *texture, const double coordinates[2],
		    uint32_t layer, unsigned component, union texel *result);

/* The bytes of a surface at x (in bytes), y, z.  NULL: outside.  *allocation is the array's. */
uint8_t *surface_at(const struct emulator_array_shape *shape, int64_t x, int64_t y, int64_t z,
		    unsigned size, struct allocation **allocation);

#endif
