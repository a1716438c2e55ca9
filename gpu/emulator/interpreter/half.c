/*
 * gpu/emulator/interpreter/half.c: arithmetic on f16 and bf16, alone and in pairs.
 *
 * Values are doubles: sums and products of two are exact there, so the rounding to the type is
 * the only one.  A fused product rounds to odd first, which the second rounding cannot see.
 */
#include "gpu/emulator/interpreter/float.h"
#include "gpu/emulator/interpreter/warp.h"

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
	const enum ptx_modifier rounding = i->rounding == PTX_MOD_RZ ? PTX_MOD_RZ : PTX_MOD_RN;
	uint16_t bits;

	if (i->flags & PTX_FLAG_SAT)
		value = saturate_double(value);
	if (i->flags & PTX_FLAG_RELU && value <= 0)
		value = 0;
	if (i->flags & PTX_FLAG_SATFINITE && fabs(value) > largest_half(i->type))
		value = copysign(largest_half(i->type), value);
	bits = is_bf16(i->type) ? double_to_bf16(value, rounding) : double_to_half(value, rounding);
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
/* .xorsign.abs: of the magnitudes, with the sign of the product */
static double with_sign(double a, double b, double value)
{
	return signbit(a) != signbit(b) ? -value : value;
}
HALF_EXECUTOR(max_xorsign_half, with_sign(a, b, larger(fabs(a), fabs(b))))
HALF_EXECUTOR(min_xorsign_half, with_sign(a, b, smaller(fabs(a), fabs(b))))
HALF_EXECUTOR(max_nan_xorsign_half,
	      a != a || b != b ? NAN : with_sign(a, b, larger(fabs(a), fabs(b))))
HALF_EXECUTOR(min_nan_xorsign_half,
	      a != a || b != b ? NAN : with_sign(a, b, smaller(fabs(a), fabs(b))))
HALF_EXECUTOR(ex2_half, exp2(a))
HALF_EXECUTOR(tanh_half, tanh(a))

/* Sign operations look at bits; a NaN becomes the one that arithmetic gives. */
static uint16_t with_sign_bits(const struct ptx_instruction *i, uint16_t bits, bool negate)
{
	const uint16_t infinity = is_bf16(i->type) ? 0x7f80 : 0x7c00;

	if ((bits & 0x7fff) > infinity)
		return 0x7fff;
	if (i->flags & PTX_FLAG_FTZ && !(bits & infinity))
		bits &= 0x8000;
	return negate ? bits ^ 0x8000 : bits & 0x7fff;
}

#define SIGN_EXECUTOR(name, negate)                                                                \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		uint64_t *d = warp_row(w, i->d);                                                   \
		const uint64_t *a = warp_row(w, i->a);                                             \
		const bool pair = parts_of(i->type) == 2;                                          \
                                                                                                   \
		FOR_LANES(                                                                         \
			w,                                                                         \
			d[l] = with_sign_bits(i, (uint16_t)a[l], negate) |                         \
			       (pair ? (uint64_t)with_sign_bits(i, (uint16_t)(a[l] >> 16), negate) \
						<< 16                                              \
				     : 0););                                                       \
	}
SIGN_EXECUTOR(neg_half, true)
SIGN_EXECUTOR(abs_half, false)

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

/*
 * 8 bits with `digits` of fraction and the smallest normal value 2^least; `largest` is what too
 * large values become, NaN has all bits set.
 */
static uint8_t narrow_8(double value, int digits, int least, double largest)
{
	const uint8_t sign = signbit(value) ? 0x80 : 0;
	double magnitude = fabs(value), whole;
	int exponent;

	if (value != value)
		return 0x7f;
	if (magnitude > largest)
		magnitude = largest;
	exponent = magnitude < ldexp(1, least) ? least - digits : ilogb(magnitude) - digits;
	whole = nearbyint(ldexp(magnitude, -exponent));
	if (ldexp(whole, exponent) > largest)
		return narrow_8(copysign(largest, value), digits, least, largest);
	return (uint8_t)(sign |
			 (((uint32_t)(exponent - least + digits) << digits) + (uint32_t)whole));
}

static uint8_t to_8(const struct ptx_instruction *i, double value)
{
	if (i->flags & PTX_FLAG_RELU && value <= 0)
		value = 0;
	return i->type == PTX_E4M3X2 ? narrow_8(value, 3, -6, 448) : narrow_8(value, 2, -14, 57344);
}

/* e5m2 is the upper half of an f16; e4m3 has no infinities and one NaN */
static double from_8(enum ptx_type type, uint8_t bits)
{
	double value;

	if (type == PTX_E5M2X2)
		return half_to_float((uint16_t)(bits << 8));
	if ((bits & 0x7f) == 0x7f)
		return NAN;
	value = bits & 0x78 ? ldexp(8 + (bits & 7), (bits >> 3 & 15) - 10) : ldexp(bits & 7, -9);
	return bits & 0x80 ? -value : value;
}

/* cvt.rn.satfinite.e4m3x2.f32 d, a, b */
static void pack_8(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b);

	FOR_LANES(w, d[l] = (uint64_t)to_8(i, float_of(a[l])) << 8 | to_8(i, float_of(b[l])););
}

static void pack_8_half(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);

	FOR_LANES(w, d[l] = (uint64_t)to_8(i, half_to_float((uint16_t)(a[l] >> 16))) << 8 |
			    to_8(i, half_to_float((uint16_t)a[l])););
}

static void unpack_8(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);

	FOR_LANES(w, d[l] = (uint64_t)bits_of(i, from_8(i->second, (uint8_t)(a[l] >> 8))) << 16 |
			    bits_of(i, from_8(i->second, (uint8_t)a[l])););
}

/* The 19 bits that tensor cores look at; .rna: to nearest, ties away from zero. */
static void to_tf32(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);

	FOR_LANES(w, {
		uint32_t bits = (uint32_t)a[l];
		bool finite = (bits & 0x7f800000) != 0x7f800000;
		uint32_t half = i->rounding == PTX_MOD_RNA  ? 0x1000
				: i->rounding == PTX_MOD_RN ? 0xfff + (bits >> 13 & 1)
							    : 0;

		if (i->flags & PTX_FLAG_RELU && bits >> 31 && bits << 1 <= 0xff000000)
			bits = 0;
		/* .rna leaves a NaN as it is, the others make it one (H200) */
		if (i->rounding != PTX_MOD_RNA && bits << 1 > 0xff000000)
			bits = 0x7fffe000;
		bits = (finite ? bits + half : bits) & 0xffffe000;
		/* so the largest number comes before infinity, and NaNs change (H200) */
		if (i->flags & PTX_FLAG_SATFINITE && (bits & 0x7f800000) == 0x7f800000 &&
		    bits != 0x7fffe000)
			bits -= 0x2000;
		d[l] = bits;
	});
}

#define HALVES (T(F16) | T(BF16) | T(F16X2) | T(BF16X2))
#define ROUNDED (M(RN) | M(FTZ) | M(SAT))
#define PAIR_ROUNDINGS (M(RN) | M(RZ) | M(RELU) | M(SATFINITE))

const struct ptx_opcode interpreter_half[] = {
	{"add", "dss", HALVES, 0, 0, ROUNDED, add_half},
	{"sub", "dss", HALVES, 0, 0, ROUNDED, sub_half},
	{"mul", "dss", HALVES, 0, 0, ROUNDED, mul_half},
	{"fma", "dsss", HALVES, 0, 0, ROUNDED | M(RELU), fma_half},
	{"max", "dss", HALVES, 0, 0, M(FTZ), max_half},
	{"min", "dss", HALVES, 0, 0, M(FTZ), min_half},
	{"max", "dss", HALVES, 0, M(PROPAGATE), M(FTZ), max_nan_half},
	{"min", "dss", HALVES, 0, M(PROPAGATE), M(FTZ), min_nan_half},
	{"max", "dss", HALVES, 0, M(XORSIGN) | M(ABS), M(FTZ), max_xorsign_half},
	{"min", "dss", HALVES, 0, M(XORSIGN) | M(ABS), M(FTZ), min_xorsign_half},
	{"max", "dss", HALVES, 0, M(PROPAGATE) | M(XORSIGN) | M(ABS), M(FTZ), max_nan_xorsign_half},
	{"min", "dss", HALVES, 0, M(PROPAGATE) | M(XORSIGN) | M(ABS), M(FTZ), min_nan_xorsign_half},
	{"neg", "ds", HALVES, 0, 0, M(FTZ), neg_half},
	{"abs", "ds", HALVES, 0, 0, M(FTZ), abs_half},
	{"ex2", "ds", HALVES, 0, M(APPROX), M(FTZ), ex2_half},
	{"tanh", "ds", HALVES, 0, M(APPROX), 0, tanh_half},
	{"cvt", "dtt", T(F16X2) | T(BF16X2), T(F32), 0, PAIR_ROUNDINGS, pack},
	{"cvt", "dt", T(TF32), T(F32), 0, M(RNA) | M(RN) | M(RZ) | M(RELU) | M(SATFINITE), to_tf32},
	{"cvt", "dtt", T(E4M3X2) | T(E5M2X2), T(F32), M(RN) | M(SATFINITE), M(RELU), pack_8},
	{"cvt", "dt", T(E4M3X2) | T(E5M2X2), T(F16X2), M(RN) | M(SATFINITE), M(RELU), pack_8_half},
	{"cvt", "dt", T(F16X2), T(E4M3X2) | T(E5M2X2), M(RN), M(RELU), unpack_8},
	{0},
};
