/*
 * gpu/emulator/interpreter_half.c: arithmetic on f16 and bf16, alone and in pairs.
 *
 * Values are doubles: sums and products of two are exact there, so the rounding to the type is
 * the only one.  A fused product rounds to odd first, which the second rounding cannot see.
 */
#include "gpu/emulator/interpreter_float.h"
#include "gpu/emulator/interpreter_warp.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

static bool is_bf16(enum ptx_type type)
{
	return type == PTX_BF16 || type == PTX_BF16X2;
}

static unsigned parts_of(enum ptx_type type)
{
	return type == PTX_F16X2 || type == PTX_BF16X2 ? 2 : 1;
}

static float flush_half(enum ptx_type type, float value)
{
	float least = is_bf16(type) ? FLT_MIN : 0x1p-14f;

	return fabsf(value) < least ? copysignf(0, value) : value;
}

static double value_of(const struct ptx_instruction *i, uint64_t bits)
{
	uint16_t half = (uint16_t)bits;
	float value = is_bf16(i->type) ? bf16_to_float(half) : half_to_float(half);

	return i->flags & PTX_FLAG_FTZ ? flush_half(i->type, value) : value;
}

static uint16_t bits_of(const struct ptx_instruction *i, double value)
{
	const bool toward_zero = i->rounding == PTX_MOD_RZ;
	uint16_t bits;

	if (i->flags & PTX_FLAG_SAT)
		value = saturate_double(value);
	if (i->flags & PTX_FLAG_RELU && value < 0)
		value = 0;
	bits = is_bf16(i->type) ? double_to_bf16(value, toward_zero)
				: double_to_half(value, toward_zero);
	if (i->flags & PTX_FLAG_FTZ && !(bits & (is_bf16(i->type) ? 0x7f80 : 0x7c00)))
		bits &= 0x8000;
	return bits;
}

/* a * b + c, rounded to odd: exact, or a neighbour whose last bit is set. */
static double fused(double a, double b, double c)
{
	double product = a * b, sum = product + c, back = sum - product;
	double error = (product - (sum - back)) + (c - back);
	uint64_t bits = double_bits(sum);

	if (isinf(sum) || sum != sum || error == 0 || bits & 1)
		return sum;
	/* the exact value lies between sum and a neighbour, both around an odd one */
	bits = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
	return double_of(bits);
}

static double larger(double a, double b)
{
	return a != a ? b : b != b ? a : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}

static double smaller(double a, double b)
{
	return a != a ? b : b != b ? a : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}

#define HALF_EXECUTOR(name, expression)                                                            \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b),                   \
			       *c_ = warp_row(w, i->c);                                            \
		const unsigned parts = parts_of(i->type);                                          \
                                                                                                   \
		for (uint32_t m = w->mask; m; m &= m - 1) {                                        \
			unsigned l = (unsigned)__builtin_ctz(m);                                   \
			uint64_t result = 0;                                                       \
                                                                                                   \
			for (unsigned n = 0; n < parts; n++) {                                     \
				double a = value_of(i, a_[l] >> 16 * n);                           \
				double b = value_of(i, b_[l] >> 16 * n);                           \
				double c = value_of(i, c_[l] >> 16 * n);                           \
                                                                                                   \
				(void)b;                                                           \
				(void)c;                                                           \
				result |= (uint64_t)bits_of(i, expression) << 16 * n;              \
			}                                                                          \
			d_[l] = result;                                                            \
		}                                                                                  \
	}

HALF_EXECUTOR(add_half, a + b)
HALF_EXECUTOR(sub_half, a - b)
HALF_EXECUTOR(mul_half, a *b)
HALF_EXECUTOR(fma_half, fused(a, b, c))
HALF_EXECUTOR(max_half, larger(a, b))
HALF_EXECUTOR(min_half, smaller(a, b))
HALF_EXECUTOR(max_nan_half, a != a || b != b ? NAN : larger(a, b))
HALF_EXECUTOR(min_nan_half, a != a || b != b ? NAN : smaller(a, b))
HALF_EXECUTOR(ex2_half, exp2(a))
HALF_EXECUTOR(tanh_half, tanh(a))

/* Sign operations look at bits. */
static void neg_half(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);
	const uint64_t signs = parts_of(i->type) == 2 ? 0x80008000 : 0x8000;

	FOR_LANES(w, d[l] = a[l] ^ signs;);
}

static void abs_half(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);
	const uint64_t rest = parts_of(i->type) == 2 ? 0x7fff7fff : 0x7fff;

	FOR_LANES(w, d[l] = a[l] & rest;);
}

/* cvt.rn.f16x2.f32 d, a, b: a goes to the upper half. */
static void pack(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b);

	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);

		d[l] = (uint64_t)bits_of(i, float_of(a[l])) << 16 | bits_of(i, float_of(b[l]));
	}
}

/* The 19 bits that tensor cores look at; rounds to nearest, ties away from zero. */
static void to_tf32(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);

	FOR_LANES(w, {
		uint32_t bits = (uint32_t)a[l];
		bool finite = (bits & 0x7f800000) != 0x7f800000;

		d[l] = finite ? (bits + 0x1000) & 0xffffe000
		       : bits & 0x7fffff ? 0x7fffffff
					 : bits;
	});
}

#define HALVES (T(F16) | T(BF16) | T(F16X2) | T(BF16X2))
#define ROUNDED (M(RN) | M(FTZ) | M(SAT) | M(RELU))
#define PAIR_ROUNDINGS (M(RN) | M(RZ) | M(RELU))

const struct ptx_opcode interpreter_half[] = {
	{"add", "dss", HALVES, 0, 0, ROUNDED, add_half},
	{"sub", "dss", HALVES, 0, 0, ROUNDED, sub_half},
	{"mul", "dss", HALVES, 0, 0, ROUNDED, mul_half},
	{"fma", "dsss", HALVES, 0, 0, ROUNDED, fma_half},
	{"max", "dss", HALVES, 0, 0, M(FTZ), max_half},
	{"min", "dss", HALVES, 0, 0, M(FTZ), min_half},
	{"max", "dss", HALVES, 0, M(PROPAGATE), M(FTZ), max_nan_half},
	{"min", "dss", HALVES, 0, M(PROPAGATE), M(FTZ), min_nan_half},
	{"neg", "ds", HALVES, 0, 0, M(FTZ), neg_half},
	{"abs", "ds", HALVES, 0, 0, M(FTZ), abs_half},
	{"ex2", "ds", HALVES, 0, M(APPROX), M(FTZ), ex2_half},
	{"tanh", "ds", HALVES, 0, M(APPROX), 0, tanh_half},
	{"cvt", "dtt", T(F16X2) | T(BF16X2), T(F32), 0, PAIR_ROUNDINGS, pack},
	{"cvt", "dt", T(TF32), T(F32), M(RNA), M(RELU), to_tf32},
	{0},
};
