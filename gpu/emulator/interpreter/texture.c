/*
 * gpu/emulator/interpreter/texture.c: tex, txq, suld, sust.
 *
 * Reads through textures make no edges; what a surface store may have written becomes
 * unknown when the kernel ends.
 */
#include <string.h>

#include "gpu/emulator/interpreter/sampler.h"
#include "gpu/emulator/interpreter/warp.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

static float as_float(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float value;

	memcpy(&value, &low, sizeof(value));
	return value;
}

/* Coordinate number `n` of the operand, in a lane. */
static uint64_t coordinate(const struct warp *w, const struct ptx_instruction *i, unsigned n,
			   unsigned lane)
{
	return warp_row(w, w->module->extras[i->immediate + n])[lane];
}

static void no_object(struct warp *w, unsigned lane, const char *what, uint64_t handle)
{
	warp_fault(w, 1u << lane, FAULT_ILLEGAL_ADDRESS, "0x%llx is no %s object",
		   (unsigned long long)handle, what);
}

static void give(const struct warp *w, const struct ptx_instruction *i, unsigned lane, unsigned n,
		 uint64_t value)
{
	warp_row(w, i->vector == 1 ? i->d : w->module->extras[i->extra + n])[lane] = value;
}

static double number(const struct ptx_instruction *i, uint64_t bits)
{
	return i->second == PTX_F32 ? (double)as_float(bits) : (int32_t)bits;
}

static float texel_of(const struct texture_plane *plane, int64_t x, int64_t y, unsigned n)
{
	float value;

	memcpy(&value,
	       plane->texels + (uint64_t)y * plane->pitch +
		       ((uint64_t)x * plane->channels + n) * sizeof(value),
	       sizeof(value));
	return value;
}

/* Of the texels around, in the order and with the weights of texture_sample().  False: an edge. */
static bool filter_plane(const struct texture_plane *plane, const double at[2], unsigned channels,
			 uint32_t out[4])
{
	double base[2] = {0, 0}, weight[2] = {0, 0};

	for (unsigned n = 0; n < plane->dimensions; n++) {
		const double from = at[n] - 0.5;

		if (!(from >= 0 && from < plane->size[n] - 1))
			return false;
		base[n] = (double)(int64_t)from;
		weight[n] = (double)(int64_t)((from - base[n]) * 256 + 0.5) / 256;
	}
	for (unsigned n = 0; n < channels; n++) {
		double sum = 0;
		float result;

		for (unsigned corner = 0; corner < 1u << plane->dimensions; corner++) {
			const unsigned right = corner & 1, below = corner >> 1;
			double share = (right ? weight[0] : 1 - weight[0]) *
				       (below ? weight[1] : 1 - weight[1]);

			if (share > 0)
				sum += share * texel_of(plane, (int64_t)base[0] + right,
							(int64_t)base[1] + below, n);
		}
		result = (float)sum;
		memcpy(&out[n], &result, sizeof(result));
	}
	return true;
}

static bool nearest_in_plane(const struct texture_plane *plane, const double at[2],
			     unsigned channels, uint32_t out[4])
{
	if (!(at[0] >= 0 && at[0] < plane->size[0] && at[1] >= 0 && at[1] < plane->size[1]))
		return false;
	for (unsigned n = 0; n < channels; n++)
		memcpy(&out[n],
		       plane->texels + (uint64_t)(int64_t)at[1] * plane->pitch +
			       ((uint64_t)(int64_t)at[0] * plane->channels + n) * sizeof(out[n]),
		       sizeof(out[n]));
	return true;
}

/* The usual fetch: of the texels inside one plane.  Which lanes want something else. */
static uint32_t sample_plane(struct warp *w, const struct ptx_instruction *i,
			     const struct texture_plane *plane)
{
	const uint64_t *x = warp_row(w, w->module->extras[i->immediate]);
	const uint64_t *y = warp_row(w, w->module->extras[i->immediate + plane->dimensions - 1]);
	const unsigned channels = plane->channels < i->vector ? plane->channels : i->vector;
	uint32_t others = 0;
	uint64_t *d[4];

	for (unsigned n = 0; n < i->vector; n++)
		d[n] = warp_row(w, i->vector == 1 ? i->d : w->module->extras[i->extra + n]);
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);
		const double at[2] = {number(i, x[l]) * plane->scale[0],
				      plane->dimensions == 2 ? number(i, y[l]) * plane->scale[1]
							     : 0};
		uint32_t out[4] = {0};

		if (!(plane->linear ? filter_plane : nearest_in_plane)(plane, at, channels, out)) {
			others |= 1u << l;
			continue;
		}
		for (unsigned n = 0; n < i->vector; n++)
			d[n][l] = out[n];
	}
	return others;
}

static bool is_same(const uint64_t *row, uint32_t mask)
{
	const uint64_t first = row[__builtin_ctz(mask)];
	uint32_t others = 0;

	for (unsigned l = 0; l < PTX_LANES; l++)
		others |= (uint32_t)(row[l] != first) << l;
	return !(others & mask);
}

static void sample(struct warp *w, const struct ptx_instruction *i, enum texture_geometry geometry,
		   unsigned dimensions)
{
	const bool layered = geometry == TEXTURE_1D_LAYERED || geometry == TEXTURE_2D_LAYERED ||
			     geometry == TEXTURE_CUBE_LAYERED;
	const uint64_t *handles = warp_row(w, i->a);
	const struct emulator_texture *texture = NULL;
	struct texture_plane plane;
	uint32_t lanes = w->mask;
	uint64_t handle = 0;

	if (i->compare < dimensions + layered) {
		warp_fault(w, w->mask, FAULT_ILLEGAL_INSTRUCTION, "a tex with %u coordinates",
			   i->compare);
		return;
	}
	if (is_same(handles, lanes))
		texture = texture_find(handle = handles[__builtin_ctz(lanes)]);
	if (texture && texture_plane(texture, geometry, &plane))
		lanes = sample_plane(w, i, &plane);
	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);
		double at[3] = {0};
		union texel texel;

		if (!texture || handles[l] != handle)
			texture = texture_find(handle = handles[l]);
		if (!texture) {
			no_object(w, l, "texture", handle);
			return;
		}
		for (unsigned n = 0; n < dimensions; n++) {
			uint64_t bits = coordinate(w, i, n + layered, l);

			at[n] = number(i, bits);
		}
		texture_sample(texture, geometry, at,
			       layered ? (uint32_t)coordinate(w, i, 0, l) : 0, &texel);
		for (unsigned n = 0; n < i->vector; n++)
			give(w, i, l, n, texel.u[n]);
	}
	w->block->reads_textures = true;
}

#define GEOMETRY(name, geometry, dimensions)                                                       \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		sample(w, i, geometry, dimensions);                                                \
	}
GEOMETRY(tex_1d, TEXTURE_1D, 1)
GEOMETRY(tex_2d, TEXTURE_2D, 2)
GEOMETRY(tex_3d, TEXTURE_3D, 3)
GEOMETRY(tex_a1d, TEXTURE_1D_LAYERED, 1)
GEOMETRY(tex_a2d, TEXTURE_2D_LAYERED, 2)
GEOMETRY(tex_cube, TEXTURE_CUBE, 3)
GEOMETRY(tex_acube, TEXTURE_CUBE_LAYERED, 3)

static void gather(struct warp *w, const struct ptx_instruction *i, unsigned component,
		   bool layered)
{
	const uint64_t *handles = warp_row(w, i->a);

	if (i->compare < 2u + layered) {
		warp_fault(w, w->mask, FAULT_ILLEGAL_INSTRUCTION, "a tld4 with %u coordinates",
			   i->compare);
		return;
	}
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);
		const struct emulator_texture *texture = texture_find(handles[l]);
		union texel texel;
		double at[2];

		if (!texture) {
			no_object(w, l, "texture", handles[l]);
			return;
		}
		for (unsigned n = 0; n < 2; n++)
			at[n] = (double)as_float(coordinate(w, i, n + layered, l));
		texture_gather(texture, at, layered ? (uint32_t)coordinate(w, i, 0, l) : 0,
			       component, &texel);
		for (unsigned n = 0; n < i->vector; n++)
			give(w, i, l, n, texel.u[n]);
	}
	w->block->reads_textures = true;
}

#define GATHER(letter, component)                                                                  \
	static void gather_##letter(struct warp *w, const struct ptx_instruction *i)               \
	{                                                                                          \
		gather(w, i, component, false);                                                    \
	}                                                                                          \
	static void gather_layer_##letter(struct warp *w, const struct ptx_instruction *i)         \
	{                                                                                          \
		gather(w, i, component, true);                                                     \
	}
GATHER(r, 0)
GATHER(g, 1)
GATHER(b, 2)
GATHER(a, 3)
#define GATHER_ROWS(letter)                                                                        \
	{"tld4." #letter ".2d", "DX", VALUES, T(F32), M(V4), 0, gather_##letter},                  \
	{                                                                                          \
		"tld4." #letter ".a2d", "DX", VALUES, T(F32), M(V4), 0, gather_layer_##letter      \
	}

#define QUERY_SURFACE(name, field)                                                                 \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		const uint64_t *handles = warp_row(w, i->a);                                       \
		uint64_t *d = warp_row(w, i->d);                                                   \
                                                                                                   \
		for (uint32_t m = w->mask; m; m &= m - 1) {                                        \
			unsigned l = (unsigned)__builtin_ctz(m);                                   \
			const struct emulator_texture *surface = surface_find(handles[l]);         \
                                                                                                   \
			if (!surface) {                                                            \
				no_object(w, l, "surface", handles[l]);                            \
				return;                                                            \
			}                                                                          \
			d[l] = surface->shape.field;                                               \
		}                                                                                  \
	}
QUERY_SURFACE(surface_width, width)
QUERY_SURFACE(surface_height, height)
QUERY_SURFACE(surface_depth, depth)

#define QUERY(name, field)                                                                         \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		const uint64_t *handles = warp_row(w, i->a);                                       \
		uint64_t *d = warp_row(w, i->d);                                                   \
                                                                                                   \
		for (uint32_t m = w->mask; m; m &= m - 1) {                                        \
			unsigned l = (unsigned)__builtin_ctz(m);                                   \
			const struct emulator_texture *texture = texture_find(handles[l]);         \
                                                                                                   \
			if (!texture) {                                                            \
				no_object(w, l, "texture", handles[l]);                            \
				return;                                                            \
			}                                                                          \
			d[l] = texture->shape.field;                                               \
		}                                                                                  \
	}
QUERY(query_width, width)
QUERY(query_height, height)
QUERY(query_depth, depth)

static int64_t nearest(int64_t at, int64_t last)
{
	return at < 0 ? 0 : at > last ? last : at;
}

/* Outside: .trap faults, .zero reads 0 and drops stores, .clamp takes the nearest place. */
static uint8_t *surface(struct warp *w, const struct ptx_instruction *i, unsigned lane,
			unsigned dimensions, bool layered, unsigned size, bool *failed,
			struct allocation **allocation)
{
	const uint64_t handle = warp_row(w, i->a)[lane];
	const struct emulator_texture *found = surface_find(handle);
	const struct emulator_array_shape *shape = found ? &found->shape : NULL;
	int64_t at[3] = {0};
	uint8_t *place = NULL;

	*failed = false;
	for (unsigned n = 0; n < dimensions; n++)
		at[n] = (int32_t)coordinate(w, i, n + layered, lane);
	if (layered)
		at[2] = (int32_t)coordinate(w, i, 0, lane);
	if (shape && i->boolean == PTX_MOD_CLAMP) {
		at[0] = nearest(at[0],
				(int64_t)(shape->width * shape->channels * shape->channel_bytes) -
					(int64_t)size);
		at[1] = nearest(at[1], (int64_t)shape->height - 1);
		at[2] = nearest(at[2], (int64_t)shape->depth - 1);
	}
	if (shape)
		place = surface_at(shape, at[0], at[1], at[2], size, allocation);
	if (place || (i->boolean == PTX_MOD_ZERO && shape))
		return place;
	*failed = true;
	if (!shape)
		no_object(w, lane, "surface", handle);
	else
		warp_fault(
			w, 1u << lane, FAULT_ILLEGAL_ADDRESS,
			"%u-byte surface access at x = %lld (bytes), y = %lld, z = %lld: outside",
			size, (long long)at[0], (long long)at[1], (long long)at[2]);
	return NULL;
}

static void load(struct warp *w, const struct ptx_instruction *i, unsigned dimensions, bool layered)
{
	const unsigned size = ptx_type_size(i->type);

	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);
		struct allocation *allocation;
		bool failed;
		const uint8_t *place = surface(w, i, l, dimensions, layered, size * i->vector,
					       &failed, &allocation);

		if (failed)
			return;
		for (unsigned n = 0; n < i->vector; n++) {
			uint64_t value = 0;

			if (place)
				memcpy(&value, place + n * size, size);
			give(w, i, l, n, value);
		}
	}
	w->block->reads_textures = true;
}

static void store(struct warp *w, const struct ptx_instruction *i, unsigned dimensions,
		  bool layered)
{
	const unsigned size = ptx_type_size(i->type);

	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);
		struct allocation *allocation;
		bool failed;
		uint8_t *place = surface(w, i, l, dimensions, layered, size * i->vector, &failed,
					 &allocation);

		if (failed)
			return;
		for (unsigned n = 0; place && n < i->vector; n++)
			memcpy(place + n * size,
			       &warp_row(w, i->vector == 1 ? i->b
							   : w->module->extras[i->extra + n])[l],
			       size);
		if (place)
			__atomic_store_n(&allocation->stored, true, __ATOMIC_RELAXED);
	}
	w->block->stores_surfaces = true;
	if (w->block->launch->stored)
		__atomic_store_n(w->block->launch->stored, true, __ATOMIC_RELAXED);
}

#define SURFACE(geometry, dimensions, layered)                                                     \
	static void suld_##geometry(struct warp *w, const struct ptx_instruction *i)               \
	{                                                                                          \
		load(w, i, dimensions, layered);                                                   \
	}                                                                                          \
	static void sust_##geometry(struct warp *w, const struct ptx_instruction *i)               \
	{                                                                                          \
		store(w, i, dimensions, layered);                                                  \
	}
SURFACE(1d, 1, false)
SURFACE(2d, 2, false)
SURFACE(3d, 3, false)
SURFACE(a1d, 1, true)
SURFACE(a2d, 2, true)

#define VALUES (T(F32) | T(S32) | T(U32))
#define TEX(geometry, coordinates)                                                                 \
	{"tex." #geometry, "DX", VALUES, coordinates, M(V4), 0, tex_##geometry},                   \
		{"tex.level." #geometry, "DXt", VALUES, T(F32), M(V4), 0, tex_##geometry},         \
	{                                                                                          \
		"tex.grad." #geometry, "DXGG", VALUES, T(F32), M(V4), 0, tex_##geometry            \
	}
#define NUMBERS (T(F32) | T(S32))
#define SIZES (T(B8) | T(B16) | T(B32) | T(B64))
#define OUTSIDE (M(TRAP) | M(CLAMP) | M(ZERO) | M(V2) | M(V4))
#define SURFACES(geometry)                                                                         \
	{"suld.b." #geometry, "DX", SIZES, 0, 0, OUTSIDE, suld_##geometry},                        \
	{                                                                                          \
		"sust.b." #geometry, "XS", SIZES, 0, 0, OUTSIDE, sust_##geometry                   \
	}

const struct ptx_opcode interpreter_texture[] = {
	TEX(1d, NUMBERS),
	TEX(2d, NUMBERS),
	TEX(3d, NUMBERS),
	TEX(a1d, NUMBERS),
	TEX(a2d, NUMBERS),
	TEX(cube, T(F32)),
	TEX(acube, T(F32)),
	GATHER_ROWS(r),
	GATHER_ROWS(g),
	GATHER_ROWS(b),
	GATHER_ROWS(a),
	{"txq.width", "dh", T(B32), 0, 0, 0, query_width},
	{"txq.height", "dh", T(B32), 0, 0, 0, query_height},
	{"txq.depth", "dh", T(B32), 0, 0, 0, query_depth},
	{"suq.width", "dh", T(B32), 0, 0, 0, surface_width},
	{"suq.height", "dh", T(B32), 0, 0, 0, surface_height},
	{"suq.depth", "dh", T(B32), 0, 0, 0, surface_depth},
	SURFACES(1d),
	SURFACES(2d),
	SURFACES(3d),
	SURFACES(a1d),
	SURFACES(a2d),
	{0},
};
