/*
 * gpu/emulator/interpreter/sampler.c: what a fetch from a texture returns, and where a surface's
 * bytes lie.
 *
 * Filtering follows the CUDA programming guide, "Texture Fetching": weights have 8 bits of
 * fraction.
 */
#include "gpu/emulator/interpreter/sampler.h"

#include "gpu/emulator/interpreter/float.h"

/* Where coordinate `at` of `size` texels lies; -1: outside, in the border. */
static int64_t wrap(enum emulator_addressing mode, double at, uint64_t size, bool normalized)
{
	double n = (double)size, place;

	if (at >= 0 && at < n)
		return (int64_t)at;
	place = floor(at);
	if (mode == ADDRESS_BORDER || place != place || (normalized && isinf(place)))
		return -1;
	if (normalized && mode == ADDRESS_WRAP) {
		place = fmod(place, n);
		return (int64_t)(place < 0 ? place + n : place);
	}
	if (normalized && mode == ADDRESS_MIRROR) {
		place = fmod(place, 2 * n);
		if (place < 0)
			place += 2 * n;
		return (int64_t)(place < n ? place : 2 * n - 1 - place);
	}
	return place < 0 ? 0 : (int64_t)size - 1;
}

static double channel(const struct emulator_texture *facts, const uint8_t *at)
{
	const struct emulator_array_shape *shape = &facts->shape;
	const double scale = facts->normalized_values ? 1 : 0;
	uint32_t bits = 0;
	double value;

	memcpy(&bits, at, shape->channel_bytes);
	if (shape->kind == CHANNEL_FLOAT)
		return shape->channel_bytes == 2 ? half_to_float((uint16_t)bits) : float_of(bits);
	if (shape->kind == CHANNEL_UNSIGNED) {
		value = bits;
		return scale != 0 ? value / (shape->channel_bytes == 1 ? 255 : 65535) : value;
	}
	value = shape->channel_bytes == 1   ? (int8_t)bits
		: shape->channel_bytes == 2 ? (int16_t)bits
					    : (int32_t)bits;
	if (scale != 0)
		value = fmax(value / (shape->channel_bytes == 1 ? 127 : 32767), -1);
	return value;
}

/* One texel; an index of -1 is the border. */
static void fetch(const struct emulator_texture *facts, const int64_t index[3], double out[4])
{
	const struct emulator_array_shape *shape = &facts->shape;
	const uint8_t *at;

	for (unsigned n = 0; n < 4; n++)
		out[n] = 0;
	if (index[0] < 0 || index[1] < 0 || index[2] < 0) {
		for (unsigned n = 0; n < shape->channels; n++)
			out[n] = facts->border[n];
		return;
	}
	at = (const uint8_t *)(uintptr_t)shape->address + (uint64_t)index[2] * shape->slice +
	     (uint64_t)index[1] * shape->pitch +
	     (uint64_t)index[0] * shape->channels * shape->channel_bytes;
	if (shape->kind == CHANNEL_FLOAT && shape->channel_bytes == sizeof(float)) {
		for (unsigned n = 0; n < shape->channels; n++) {
			float value;

			memcpy(&value, at + n * sizeof(value), sizeof(value));
			out[n] = value;
		}
		return;
	}
	for (unsigned n = 0; n < shape->channels; n++)
		out[n] = channel(facts, at + n * shape->channel_bytes);
}

/*
 * The face of a cube and the place on it (CUDA programming guide, "Cubemap Textures"): -1 to 1.
 */
static unsigned cube_face(const double *c, double place[2])
{
	const double x = c[0], y = c[1], z = c[2];
	const double ax = fabs(x), ay = fabs(y), az = fabs(z);
	double major, s, t;
	unsigned face;

	if (ax >= ay && ax >= az) {
		face = x < 0;
		major = ax;
		s = x < 0 ? z : -z;
		t = -y;
	} else if (ay >= az) {
		face = 2 + (y < 0);
		major = ay;
		s = x;
		t = y < 0 ? -z : z;
	} else {
		face = 4 + (z < 0);
		major = az;
		s = z < 0 ? -x : x;
		t = -y;
	}
	place[0] = (s / major + 1) / 2;
	place[1] = (t / major + 1) / 2;
	return face;
}

/* The mean of the 2, 4 or 8 texels around, weighted.  interpreter/texture.c has it for a plane. */
static void filter(const struct emulator_texture *facts, unsigned dimensions, const double at[3],
		   const uint64_t size[3], int64_t layer, bool normalized, double out[4])
{
	double base[3], weight[3];

	for (unsigned n = 0; n < dimensions; n++) {
		base[n] = floor(at[n] - 0.5);
		weight[n] = floor((at[n] - 0.5 - base[n]) * 256 + 0.5) / 256;
	}
	for (unsigned n = 0; n < 4; n++)
		out[n] = 0;
	for (unsigned corner = 0; corner < 1u << dimensions; corner++) {
		int64_t index[3] = {0, 0, layer};
		double part[4], share = 1;

		for (unsigned n = 0; n < dimensions; n++) {
			bool upper = corner >> n & 1;

			index[n] = wrap(facts->addressing[n], base[n] + upper, size[n], normalized);
			share *= upper ? weight[n] : 1 - weight[n];
		}
		fetch(facts, index, part);
		for (unsigned n = 0; n < 4 && share > 0; n++)
			out[n] += share * part[n];
	}
}

bool texture_sample(const struct emulator_texture *facts, enum texture_geometry geometry,
		    const double *coordinates, uint32_t layer, union texel *result)
{
	static const unsigned all_dimensions[] = {1, 2, 3, 1, 2, 2, 2};
	const struct emulator_array_shape *shape = &facts->shape;
	const unsigned dimensions = all_dimensions[geometry];
	/* layered 1D arrays keep their layers in the depth, like all others */
	const uint64_t size[3] = {shape->width, shape->height, shape->depth};
	const bool cube = geometry == TEXTURE_CUBE || geometry == TEXTURE_CUBE_LAYERED;
	const bool layered = geometry == TEXTURE_1D_LAYERED || geometry == TEXTURE_2D_LAYERED ||
			     geometry == TEXTURE_CUBE_LAYERED;
	const bool normalized = facts->normalized_coordinates || cube;
	const bool floats = shape->kind == CHANNEL_FLOAT || facts->normalized_values;
	double at[3] = {0}, out[4], place[2];
	int64_t index[3] = {0, 0, 0};

	if (cube) {
		uint64_t face = cube_face(coordinates, place);

		index[2] = (int64_t)((layered ? layer : 0) * 6ull + face);
		at[0] = place[0] * (double)size[0];
		at[1] = place[1] * (double)size[1];
	} else {
		for (unsigned n = 0; n < dimensions; n++)
			at[n] = normalized ? coordinates[n] * (double)size[n] : coordinates[n];
		if (layered)
			index[2] = layer;
	}
	if (dimensions < 3 && (uint64_t)index[2] >= shape->depth)
		index[2] = (int64_t)shape->depth - 1;
	if (facts->linear_filter && floats) {
		filter(facts, dimensions, at, size, index[2], normalized, out);
	} else {
		for (unsigned n = 0; n < dimensions; n++)
			index[n] = wrap(facts->addressing[n], at[n], size[n], normalized);
		fetch(facts, index, out);
	}
	for (unsigned n = 0; n < 4; n++)
		if (floats)
			result->f[n] = (float)out[n];
		else
			result->u[n] = (uint32_t)(int64_t)out[n];
	return floats;
}

bool texture_plane(const struct emulator_texture *facts, enum texture_geometry geometry,
		   struct texture_plane *plane)
{
	const struct emulator_array_shape *shape = &facts->shape;
	const bool flat = geometry == TEXTURE_1D;
	const uint64_t size[2] = {shape->width, flat ? 1 : shape->height};

	if ((!flat && geometry != TEXTURE_2D) || shape->channel_bytes != 4 || !shape->depth ||
	    facts->normalized_values)
		return false;
	*plane = (struct texture_plane){.texels = (const uint8_t *)(uintptr_t)shape->address,
					.pitch = shape->pitch,
					.linear = facts->linear_filter &&
						  shape->kind == CHANNEL_FLOAT,
					.dimensions = flat ? 1 : 2,
					.channels = shape->channels};
	for (unsigned n = 0; n < 2; n++) {
		plane->size[n] = (double)size[n];
		plane->scale[n] = facts->normalized_coordinates ? (double)size[n] : 1;
	}
	return true;
}

void texture_gather(const struct emulator_texture *facts, const double coordinates[2],
		    uint32_t layer, unsigned component, union texel *result)
{
	static const uint8_t right[4] = {0, 1, 1, 0}, below[4] = {1, 1, 0, 0};
	const struct emulator_array_shape *shape = &facts->shape;
	const bool normalized = facts->normalized_coordinates;
	const bool floats = shape->kind == CHANNEL_FLOAT || facts->normalized_values;
	const uint64_t size[2] = {shape->width, shape->height};
	double at[2], out[4];

	for (unsigned n = 0; n < 2; n++)
		at[n] = floor((normalized ? coordinates[n] * (double)size[n] : coordinates[n]) -
			      0.5);
	for (unsigned n = 0; n < 4; n++) {
		const int64_t index[3] = {
			wrap(facts->addressing[0], at[0] + right[n], size[0], normalized),
			wrap(facts->addressing[1], at[1] + below[n], size[1], normalized),
			layer < shape->depth ? layer : (int64_t)shape->depth - 1};

		fetch(facts, index, out);
		if (floats)
			result->f[n] = (float)out[component];
		else
			result->u[n] = (uint32_t)(int64_t)out[component];
	}
}

uint8_t *surface_at(const struct emulator_array_shape *shape, int64_t x, int64_t y, int64_t z,
		    unsigned size, struct allocation **allocation)
{
	if (x < 0 || y < 0 || z < 0 ||
	    (uint64_t)x + size > shape->width * shape->channels * shape->channel_bytes ||
	    (uint64_t)y >= shape->height || (uint64_t)z >= shape->depth || x % size)
		return NULL;
	*allocation = memory_find(shape->address);
	return *allocation ? (uint8_t *)(uintptr_t)shape->address + (uint64_t)z * shape->slice +
				     (uint64_t)y * shape->pitch + (uint64_t)x
			   : NULL;
}
