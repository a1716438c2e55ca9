/*
 * gpu/emulator/interpreter/convert.c: cvt between every pair of integer, f16, f32 and f64 types.
 *
 * Each source type has a reader to the widest value of its kind, each destination a writer; an
 * instruction is one pair of them.
 */
#include "gpu/emulator/interpreter/float.h"
#include "gpu/emulator/interpreter/warp.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

float half_to_float(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31;
	uint32_t fraction = half & 0x3ff;

	if (exponent == 31)
		return float_of(sign | 0x7f800000 | fraction << 13);
	if (exponent)
		return float_of(sign | (exponent + 112) << 23 | fraction << 13);
	return sign ? -0x1p-24f * (float)fraction : 0x1p-24f * (float)fraction;
}

/* The whole number that a positive one becomes; the machine's rounding mode does not matter. */
static double round_magnitude(double scaled, enum ptx_modifier rounding, bool negative)
{
	double whole = floor(scaled), rest = scaled - whole;

	switch (rounding) {
	case PTX_MOD_RZ:
		return whole;
	case PTX_MOD_RM:
		return whole + (negative && rest != 0);
	case PTX_MOD_RP:
		return whole + (!negative && rest != 0);
	default:
		return whole + (rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0));
	}
}

/*
 * Rounds to a 16-bit type with `digits` stored bits of fraction and the smallest normal value
 * 2^least.  Infinity's bits follow those of the largest value.
 */
static uint16_t narrow(double value, enum ptx_modifier rounding, int digits, int least)
{
	const bool negative = signbit(value);
	const uint16_t sign = negative ? 0x8000 : 0;
	const uint16_t infinity = (uint16_t)(0x7fff >> digits << digits);
	/* what too large a number becomes */
	const bool stays =
		rounding == PTX_MOD_RZ || rounding == (negative ? PTX_MOD_RP : PTX_MOD_RM);
	const uint16_t huge = stays ? infinity - 1 : infinity;
	double magnitude = fabs(value), whole;
	int exponent;
	uint32_t bits;

	if (value != value)
		return 0x7fff;
	if (isinf(value))
		return sign | infinity;
	/* the unit of the last place: that of the value's binade, or of subnormals */
	exponent = magnitude < ldexp(1, least) ? least - digits : ilogb(magnitude) - digits;
	if (exponent > 1 - least)
		return sign | huge;
	whole = round_magnitude(ldexp(magnitude, -exponent), rounding, negative);
	/* a carry into the next binade, and out of the subnormals, comes out right by addition */
	bits = ((uint32_t)(exponent - least + digits) << digits) + (uint32_t)whole;
	return sign | (uint16_t)(bits < infinity ? bits : huge);
}

uint16_t double_to_half(double value, enum ptx_modifier rounding)
{
	return narrow(value, rounding, 10, -14);
}

uint16_t double_to_bf16(double value, enum ptx_modifier rounding)
{
	return narrow(value, rounding, 7, -126);
}

/* Integers: read as 64 bits of their sign. */
static int64_t read_integer(enum ptx_type type, uint64_t bits)
{
	switch (type) {
	case PTX_U8:
		return (uint8_t)bits;
	case PTX_S8:
		return (int8_t)bits;
	case PTX_U16:
		return (uint16_t)bits;
	case PTX_S16:
		return (int16_t)bits;
	case PTX_U32:
		return (uint32_t)bits;
	case PTX_S32:
		return (int32_t)bits;
	default:
		return (int64_t)bits;
	}
}

static bool is_signed(enum ptx_type type)
{
	return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
}

/* Narrow results are extended to the register by the destination's sign. */
static uint64_t write_integer(enum ptx_type type, uint64_t bits)
{
	return (uint64_t)read_integer(type, bits);
}

/* .sat: the nearest value that the destination has */
static uint64_t saturate(enum ptx_type type, int64_t value, bool huge)
{
	unsigned bits = ptx_type_size(type) * 8;
	int64_t most = bits == 64 ? INT64_MAX : (int64_t)((1ull << (bits - is_signed(type))) - 1);
	int64_t least = is_signed(type) ? -(int64_t)((1ull << (bits - 1)) - 1) - 1 : 0;

	if (huge) /* a u64 above INT64_MAX */
		return type == PTX_U64 ? (uint64_t)value : (uint64_t)most;
	return (uint64_t)(value > most ? most : value < least ? least : value);
}

static void integer_to_integer(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);
	const enum ptx_type to = i->type, from = i->second;

	if (i->flags & PTX_FLAG_SAT)
		FOR_LANES(w, {
			int64_t value = read_integer(from, a[l]);
			d[l] = saturate(to, value, from == PTX_U64 && value < 0);
		});
	else
		FOR_LANES(w, d[l] = write_integer(to, (uint64_t)read_integer(from, a[l])););
}

/* The pairs that nvcc emits by the thousand. */
static void extend_s32(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);

	FOR_LANES(w, d[l] = (uint64_t)(int32_t)a[l];);
}

static void low_32(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);

	FOR_LANES(w, d[l] = (uint32_t)a[l];);
}

static void s32_to_f32(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);

	FOR_LANES(w, d[l] = float_bits((float)(int32_t)a[l]););
}

/* A number of either half type. */
static uint64_t narrow_bits(enum ptx_type type, double value, enum ptx_modifier rounding)
{
	return type == PTX_BF16 ? double_to_bf16(value, rounding) : double_to_half(value, rounding);
}

/* How a magnitude is rounded to that many digits: PTX_MOD_RN ..., or */
#define TO_ODD PTX_MODIFIER_COUNT /* the last digit says whether anything was cut */

/* In integers: compilers take for granted that numbers are rounded to nearest. */
static double round_digits(uint64_t magnitude, int digits, unsigned rounding, bool negative)
{
	const int extra = 64 - digits - __builtin_clzll(magnitude | 1);
	uint64_t rest, half, whole;

	if (extra <= 0)
		return (double)(int64_t)magnitude;
	rest = magnitude & ((1ull << extra) - 1);
	half = 1ull << (extra - 1);
	whole = magnitude >> extra;
	switch (rounding) {
	case PTX_MOD_RZ:
		break;
	case PTX_MOD_RM:
		whole += negative && rest;
		break;
	case PTX_MOD_RP:
		whole += !negative && rest;
		break;
	case TO_ODD:
		whole |= rest != 0;
		break;
	default:
		whole += rest > half || (rest == half && whole & 1);
	}
	return (double)(int64_t)whole * (double)(1ull << extra);
}

static double number_of(enum ptx_type from, int64_t value, int digits, unsigned rounding)
{
	if (from == PTX_U64 || value >= 0)
		return round_digits((uint64_t)value, digits, rounding, false);
	return -round_digits(-(uint64_t)value, digits, rounding, true);
}

static void integer_to_float(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);
	const bool half = i->type == PTX_F16 || i->type == PTX_BF16;
	const int digits = i->type == PTX_F32 ? FLT_MANT_DIG : DBL_MANT_DIG;

	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);
		/* halves are rounded once more, which must see what was cut */
		double value = number_of(i->second, read_integer(i->second, a[l]), digits,
					 half ? TO_ODD : i->rounding);

		if (i->flags & PTX_FLAG_SAT)
			value = saturate_double(value);
		d[l] = half                 ? narrow_bits(i->type, value, i->rounding)
		       : i->type == PTX_F32 ? raw_float_bits((float)value)
					    : double_bits(value);
	}
}

static double read_float(const struct ptx_instruction *i, uint64_t bits)
{
	if (i->second == PTX_F64)
		return double_of(bits);
	if (i->second == PTX_F16)
		return half_to_float((uint16_t)bits);
	if (i->second == PTX_BF16)
		return bf16_to_float((uint16_t)bits);
	return i->flags & PTX_FLAG_FTZ ? float_of(float_bits(flush_float(float_of(bits))))
				       : float_of(bits);
}

static double round_integral(uint8_t mode, double value)
{
	switch (mode) {
	case PTX_MOD_RNI:
		return nearbyint(value);
	case PTX_MOD_RMI:
		return floor(value);
	case PTX_MOD_RPI:
		return ceil(value);
	default:
		return trunc(value);
	}
}

/* Out of range: the nearest value.  NaN: 0, or the top bit alone with a 64-bit type. */
static void float_to_integer(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);
	const unsigned bits = ptx_type_size(i->type) * 8;
	const double most = ldexp(1, (int)(bits - is_signed(i->type)));
	const double least = is_signed(i->type) ? -most : 0;
	const uint64_t nan = i->second == PTX_F64 || bits == 64 ? 1ull << (bits - 1) : 0;

	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);
		double value = read_float(i, a[l]);
		uint64_t result;

		value = round_integral(i->rounding, value);
		if (value != value)
			result = nan;
		else if (value >= most)
			result = is_signed(i->type) ? (1ull << (bits - 1)) - 1
						    : UINT64_MAX >> (64 - bits);
		else if (value < least)
			result = is_signed(i->type) ? 1ull << (bits - 1) : 0;
		else
			result = is_signed(i->type) ? (uint64_t)(int64_t)value : (uint64_t)value;
		d[l] = write_integer(i->type, result);
	}
}

/* The NaN of a half type with the sign and the first digits of one of f64. */
static uint64_t narrow_nan(enum ptx_type type, uint64_t bits)
{
	const uint64_t sign = bits >> 48 & 0x8000;

	return type == PTX_BF16 ? sign | 0x7fc0 | (bits >> 45 & 0x3f)
				: sign | 0x7e00 | (bits >> 42 & 0x1ff);
}

/* f64 to f32 rounds in the machine's mode, f16 in double_to_half(). */
static void float_to_float(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a);
	const bool integral = i->rounding >= PTX_MOD_RNI && i->rounding <= PTX_MOD_RPI;
	const int old = fegetround();

	fesetround(integral ? FE_TONEAREST : rounding_mode(i->rounding));
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);
		volatile double value = read_float(i, a[l]);
		volatile float single;

		if (integral)
			value = round_integral(i->rounding, value);
		if (i->flags & PTX_FLAG_SAT)
			value = saturate_double(value);
		if (i->flags & PTX_FLAG_RELU && value <= 0)
			value = 0;
		if (i->flags & PTX_FLAG_SATFINITE && fabs(value) > largest_half(i->type))
			value = copysign(largest_half(i->type), value);
		if (i->type == PTX_F64) {
			d[l] = value != value ? double_bits(value) | 1ull << 51
					      : double_bits(value);
		} else if (i->type == PTX_F16 || i->type == PTX_BF16) {
			d[l] = value != value && i->second == PTX_F64
				       ? narrow_nan(i->type, double_bits(value))
				       : narrow_bits(i->type, value, i->rounding);
		} else if (i->second == PTX_BF16 && !integral && !i->flags) {
			d[l] = (uint64_t)(uint16_t)a[l] << 16; /* the same number, even a NaN */
		} else {
			single = (float)value;
			if (i->flags & PTX_FLAG_FTZ)
				single = flush_float(single);
			d[l] = i->second == PTX_F64 ? raw_float_bits(single) : float_bits(single);
		}
	}
	fesetround(old);
}

/* cvt.pack: a above b, and what was in c above them */
static uint32_t clamp(uint64_t value, int32_t least, int32_t most)
{
	const int32_t number = (int32_t)value;

	return (uint32_t)(number < least ? least : number > most ? most : number);
}

#define PACK(name, least, most, bits)                                                              \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		const uint32_t mask = (1u << bits) - 1;                                            \
		uint64_t *d = warp_row(w, i->d);                                                   \
		const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b),                     \
			       *c = warp_row(w, i->c);                                             \
                                                                                                   \
		FOR_LANES(w, {                                                                     \
			uint32_t high = clamp(a[l], least, most) & mask;                           \
			uint32_t low = clamp(b[l], least, most) & mask;                            \
			d[l] = (uint32_t)(bits < 16 ? c[l] << 2 * bits : 0) | high << bits | low;  \
		});                                                                                \
	}
PACK(pack_u16, 0, 65535, 16)
PACK(pack_s16, -32768, 32767, 16)
PACK(pack_u8, 0, 255, 8)
PACK(pack_s8, -128, 127, 8)
PACK(pack_u4, 0, 15, 4)
PACK(pack_s4, -8, 7, 4)
PACK(pack_u2, 0, 3, 2)
PACK(pack_s2, -2, 1, 2)

#define INTEGERS (T(U8) | T(S8) | T(U16) | T(S16) | T(U32) | T(S32) | T(U64) | T(S64))
#define BYTES (T(U8) | T(S8))
#define FLOATS (T(F16) | T(BF16) | T(F32) | T(F64))
#define ROUNDINGS (M(RN) | M(RZ) | M(RM) | M(RP))
#define INTEGRAL (M(RNI) | M(RZI) | M(RMI) | M(RPI))

const struct ptx_opcode interpreter_convert[] = {
	{"cvt", "dt", T(U64) | T(S64), T(S32), 0, 0, extend_s32},
	{"cvt", "dt", T(U64) | T(S64), T(U32), 0, 0, low_32},
	{"cvt", "dt", T(U32), T(U64) | T(S64), 0, 0, low_32},
	{"cvt", "dt", INTEGERS, INTEGERS, 0, M(SAT), integer_to_integer},
	{"cvt", "dt", T(F32), T(S32), M(RN), 0, s32_to_f32},
	{"cvt", "dt", FLOATS & ~T(BF16), INTEGERS, 0, ROUNDINGS | M(SAT), integer_to_float},
	{"cvt", "dt", T(BF16), INTEGERS & ~BYTES, 0, ROUNDINGS, integer_to_float},
	{"cvt", "dt", INTEGERS, FLOATS & ~T(BF16), 0, INTEGRAL | M(FTZ) | M(SAT), float_to_integer},
	{"cvt", "dt", INTEGERS, T(BF16), 0, INTEGRAL, float_to_integer},
	{"cvt", "dt", FLOATS, FLOATS, 0, ROUNDINGS | INTEGRAL | M(FTZ) | M(SAT) | M(RELU),
	 float_to_float},
	{"cvt", "dt", T(F16) | T(BF16), T(F32), M(SATFINITE), M(RN) | M(RZ) | M(RELU),
	 float_to_float},
	{"cvt.pack.sat.u16.s32", "duu", 0, 0, 0, 0, pack_u16},
	{"cvt.pack.sat.s16.s32", "duu", 0, 0, 0, 0, pack_s16},
	{"cvt.pack.sat.u8.s32.b32", "duuu", 0, 0, 0, 0, pack_u8},
	{"cvt.pack.sat.s8.s32.b32", "duuu", 0, 0, 0, 0, pack_s8},
	{"cvt.pack.sat.u4.s32.b32", "duuu", 0, 0, 0, 0, pack_u4},
	{"cvt.pack.sat.s4.s32.b32", "duuu", 0, 0, 0, 0, pack_s4},
	{"cvt.pack.sat.u2.s32.b32", "duuu", 0, 0, 0, 0, pack_u2},
	{"cvt.pack.sat.s2.s32.b32", "duuu", 0, 0, 0, 0, pack_s2},
	{0},
};
