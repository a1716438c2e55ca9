/*
 * gpu/emulator/interpreter/integer.c: integer arithmetic, logic, shifts, comparison, selection.
 *
 * Results are kept truncated to the type's width.  An integer division by zero gives all ones,
 * as the hardware does; PTX leaves it open.
 */
#include "gpu/emulator/interpreter/rows.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

/* Unsigned arithmetic in at least 64 bits wraps alike for both signs. */
#define ADD_AND_SO_ON(bits)                                                                        \
	EXECUTE_2(add_##bits, uint64_t, uint##bits##_t, a + b)                                     \
	EXECUTE_2(sub_##bits, uint64_t, uint##bits##_t, a - b)                                     \
	EXECUTE_2(mul_##bits, uint64_t, uint##bits##_t, a *b)                                      \
	EXECUTE_3(mad_##bits, uint64_t, uint64_t, uint##bits##_t, a *b + c)                        \
	EXECUTE_1(neg_##bits, uint64_t, uint##bits##_t, -a)                                        \
	EXECUTE_1(abs_##bits, int##bits##_t, uint##bits##_t, a < 0 ? -(uint64_t)a : (uint64_t)a)   \
	EXECUTE_1(mov_##bits, uint64_t, uint##bits##_t, a)                                         \
	EXECUTE_1(not_##bits, uint64_t, uint##bits##_t, ~a)                                        \
	EXECUTE_2(and_##bits, uint64_t, uint##bits##_t, a &b)                                      \
	EXECUTE_2(or_##bits, uint64_t, uint##bits##_t, a | b)                                      \
	EXECUTE_2(xor_##bits, uint64_t, uint##bits##_t, a ^ b)                                     \
	EXECUTE_1(cnot_##bits, uint##bits##_t, uint##bits##_t, a == 0)                             \
	EXECUTE_2(min_u##bits, uint##bits##_t, uint##bits##_t, a < b ? a : b)                      \
	EXECUTE_2(max_u##bits, uint##bits##_t, uint##bits##_t, a > b ? a : b)                      \
	EXECUTE_2(min_s##bits, int##bits##_t, uint##bits##_t, a < b ? a : b)                       \
	EXECUTE_2(max_s##bits, int##bits##_t, uint##bits##_t, a > b ? a : b)                       \
	EXECUTE_2(div_u##bits, uint##bits##_t, uint##bits##_t, b ? a / b : UINT64_MAX)             \
	EXECUTE_2(rem_u##bits, uint##bits##_t, uint##bits##_t, b ? a % b : UINT64_MAX)             \
	EXECUTE_2(div_s##bits, int##bits##_t, uint##bits##_t,                                      \
		  !b        ? UINT64_MAX                                                           \
		  : b == -1 ? -(uint64_t)a                                                         \
			    : (uint64_t)(a / b))                                                   \
	EXECUTE_2(rem_s##bits, int##bits##_t, uint##bits##_t,                                      \
		  !b        ? UINT64_MAX                                                           \
		  : b == -1 ? 0                                                                    \
			    : (uint64_t)(a % b))                                                   \
	EXECUTE_3(sad_u##bits, uint##bits##_t, uint64_t, uint##bits##_t,                           \
		  c + (a < b ? (uint64_t)b - a : (uint64_t)a - b))                                 \
	EXECUTE_3(sad_s##bits, int##bits##_t, uint64_t, uint##bits##_t,                            \
		  c + (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b))             \
	EXECUTE_SHIFT(shl_##bits, uint##bits##_t, bits, (uint64_t)a << b, 0)                       \
	EXECUTE_SHIFT(shr_u##bits, uint##bits##_t, bits, a >> b, 0)                                \
	EXECUTE_SHIFT(shr_s##bits, int##bits##_t, bits, a >> b, a >> (bits - 1))

/* Amounts of the width and more shift everything out. */
#define EXECUTE_SHIFT(name, ctype, bits, inside, outside)                                          \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b);                   \
		FOR_LANES(w, {                                                                     \
			ctype a = (ctype)a_[l];                                                    \
			uint32_t b = (uint32_t)b_[l];                                              \
			d_[l] = b < bits ? (uint##bits##_t)(inside) : (uint##bits##_t)(outside);   \
		});                                                                                \
	}

ADD_AND_SO_ON(16)
ADD_AND_SO_ON(32)
ADD_AND_SO_ON(64)

EXECUTE_2(mul_wide_u16, uint16_t, uint32_t, (uint32_t)a *b)
EXECUTE_2(mul_wide_s16, int16_t, uint32_t, (int32_t)a *b)
EXECUTE_2(mul_wide_u32, uint32_t, uint64_t, (uint64_t)a *b)
EXECUTE_2(mul_wide_s32, int32_t, uint64_t, (int64_t)a *b)
EXECUTE_3(mad_wide_u16, uint16_t, uint32_t, uint32_t, (uint32_t)a *b + c)
EXECUTE_3(mad_wide_s16, int16_t, uint32_t, uint32_t, (uint32_t)((int32_t)a *b) + c)
EXECUTE_3(mad_wide_u32, uint32_t, uint64_t, uint64_t, (uint64_t)a *b + c)
EXECUTE_3(mad_wide_s32, int32_t, uint64_t, uint64_t, (uint64_t)((int64_t)a *b) + c)

EXECUTE_2(mul_hi_u16, uint16_t, uint16_t, (uint32_t)a *b >> 16)
EXECUTE_2(mul_hi_s16, int16_t, uint16_t, (int32_t)a *b >> 16)
EXECUTE_2(mul_hi_u32, uint32_t, uint32_t, (uint64_t)a *b >> 32)
EXECUTE_2(mul_hi_s32, int32_t, uint32_t, (int64_t)a *b >> 32)
EXECUTE_2(mul_hi_u64, uint64_t, uint64_t, (unsigned __int128)a *b >> 64)
EXECUTE_2(mul_hi_s64, int64_t, uint64_t, (__int128)a *b >> 64)
EXECUTE_3(mad_hi_u16, uint16_t, uint64_t, uint16_t, ((uint32_t)a * b >> 16) + c)
EXECUTE_3(mad_hi_s16, int16_t, uint64_t, uint16_t, (uint64_t)((int32_t)a *b >> 16) + c)
EXECUTE_3(mad_hi_u32, uint32_t, uint64_t, uint32_t, ((uint64_t)a * b >> 32) + c)
EXECUTE_3(mad_hi_s32, int32_t, uint64_t, uint32_t, (uint64_t)((int64_t)a *b >> 32) + c)
EXECUTE_3(mad_hi_u64, uint64_t, uint64_t, uint64_t, (uint64_t)((unsigned __int128)a *b >> 64) + c)
EXECUTE_3(mad_hi_s64, int64_t, uint64_t, uint64_t, (uint64_t)((__int128)a *b >> 64) + c)

static inline int64_t product24(int32_t a, int32_t b)
{
	return (int64_t)((int32_t)((uint32_t)a << 8) >> 8) * ((int32_t)((uint32_t)b << 8) >> 8);
}
EXECUTE_2(mul24_lo_u32, uint32_t, uint32_t, (a & 0xffffff) * (b & 0xffffff))
EXECUTE_2(mul24_lo_s32, int32_t, uint32_t, product24(a, b))
EXECUTE_3(mad24_lo_u32, uint32_t, uint32_t, uint32_t, (a & 0xffffff) * (b & 0xffffff) + c)
EXECUTE_3(mad24_lo_s32, int32_t, uint32_t, uint32_t, (uint32_t)product24(a, b) + c)

EXECUTE_2(mul24_hi_u32, uint32_t, uint32_t, (uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16)
EXECUTE_2(mul24_hi_s32, int32_t, uint32_t, product24(a, b) >> 16)
EXECUTE_3(mad24_hi_u32, uint32_t, uint32_t, uint32_t,
	  ((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16) + c)
EXECUTE_3(mad24_hi_s32, int32_t, int32_t, uint32_t, (product24(a, b) >> 16) + c)

static inline uint32_t saturate_s32(int64_t value)
{
	return (uint32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}
EXECUTE_2(add_sat_s32, int32_t, uint32_t, saturate_s32((int64_t)a + b))
EXECUTE_2(sub_sat_s32, int32_t, uint32_t, saturate_s32((int64_t)a - b))
EXECUTE_3(mad_hi_sat_s32, int32_t, int32_t, uint32_t, saturate_s32(((int64_t)a * b >> 32) + c))
EXECUTE_3(mad24_hi_sat_s32, int32_t, int32_t, uint32_t,
	  saturate_s32((int64_t)(int32_t)(product24(a, b) >> 16) + c))

/* Pairs of 16 bits; .relu: negative results become 0. */
#define HALVES(ctype, a, b, expression)                                                            \
	PAIR16(HALF(ctype, a, b, expression, 16), HALF(ctype, a, b, expression, 0))
#define PAIR16(high, low) ((uint32_t)(uint16_t)(high) << 16 | (uint16_t)(low))
#define HALF(ctype, a, b, expression, shift)                                                       \
	(__extension__({                                                                           \
		ctype x = (ctype)((a) >> shift), y = (ctype)((b) >> shift);                        \
		(ctype)(expression);                                                               \
	}))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
EXECUTE_2(add_16x2, uint32_t, uint32_t, HALVES(uint16_t, a, b, x + y))
EXECUTE_2(min_u16x2, uint32_t, uint32_t, HALVES(uint16_t, a, b, SMALLER(x, y)))
EXECUTE_2(max_u16x2, uint32_t, uint32_t, HALVES(uint16_t, a, b, LARGER(x, y)))
EXECUTE_2(min_s16x2, uint32_t, uint32_t, HALVES(int16_t, a, b, SMALLER(x, y)))
EXECUTE_2(max_s16x2, uint32_t, uint32_t, HALVES(int16_t, a, b, LARGER(x, y)))
EXECUTE_2(min_relu_s16x2, uint32_t, uint32_t, HALVES(int16_t, a, b, LARGER(SMALLER(x, y), 0)))
EXECUTE_2(max_relu_s16x2, uint32_t, uint32_t, HALVES(int16_t, a, b, LARGER(LARGER(x, y), 0)))
EXECUTE_2(min_relu_s32, int32_t, uint32_t, LARGER(SMALLER(a, b), 0))
EXECUTE_2(max_relu_s32, int32_t, uint32_t, LARGER(LARGER(a, b), 0))

/*
 * One lane's bit of the carry flag in and out.  A subtraction is a + ~b + 1 as in hardware: the
 * flag is set where nothing was borrowed, and nvcc's division of 128 bits reads it with addc.
 */
#define CARRY_IN (w->carry >> l & 1)
#define CARRY_OUT(bit) (w->carry = (w->carry & ~(1u << l)) | (uint32_t)(bit) << l)

#define EXECUTE_CARRY(name, utype, wide, bits, in, out, value)                                     \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b),                   \
			       *c_ = i->c == PTX_MISSING ? a_ : warp_row(w, i->c);                 \
		for (uint32_t m = w->mask; m; m &= m - 1) {                                        \
			unsigned l = (unsigned)__builtin_ctz(m);                                   \
			wide a = (utype)a_[l], b = (utype)b_[l], c = (utype)c_[l];                 \
			wide carry = in ? CARRY_IN : 0, r = (value);                               \
			(void)c;                                                                   \
			if (out)                                                                   \
				CARRY_OUT((r >> bits) & 1);                                        \
			d_[l] = (utype)r;                                                          \
		}                                                                                  \
	}

#define CARRIES(bits, wide)                                                                        \
	EXECUTE_CARRY(add_cc_##bits, uint##bits##_t, wide, bits, 0, 1, a + b + carry)              \
	EXECUTE_CARRY(addc_##bits, uint##bits##_t, wide, bits, 1, 0, a + b + carry)                \
	EXECUTE_CARRY(addc_cc_##bits, uint##bits##_t, wide, bits, 1, 1, a + b + carry)             \
	EXECUTE_CARRY(sub_cc_##bits, uint##bits##_t, wide, bits, 0, 1,                             \
		      a + (uint##bits##_t) ~b + 1 + carry)                                         \
	EXECUTE_CARRY(subc_##bits, uint##bits##_t, wide, bits, 1, 0,                               \
		      a + (uint##bits##_t) ~b + carry)                                             \
	EXECUTE_CARRY(subc_cc_##bits, uint##bits##_t, wide, bits, 1, 1,                            \
		      a + (uint##bits##_t) ~b + carry)                                             \
	EXECUTE_CARRY(mad_lo_cc_##bits, uint##bits##_t, wide, bits, 0, 1,                          \
		      (wide)(uint##bits##_t)(a * b) + c + carry)                                   \
	EXECUTE_CARRY(madc_lo_##bits, uint##bits##_t, wide, bits, 1, 0,                            \
		      (wide)(uint##bits##_t)(a * b) + c + carry)                                   \
	EXECUTE_CARRY(madc_lo_cc_##bits, uint##bits##_t, wide, bits, 1, 1,                         \
		      (wide)(uint##bits##_t)(a * b) + c + carry)                                   \
	EXECUTE_CARRY(mad_hi_cc_u##bits, uint##bits##_t, wide, bits, 0, 1,                         \
		      (a * b >> bits) + c + carry)                                                 \
	EXECUTE_CARRY(madc_hi_u##bits, uint##bits##_t, wide, bits, 1, 0,                           \
		      (a * b >> bits) + c + carry)                                                 \
	EXECUTE_CARRY(madc_hi_cc_u##bits, uint##bits##_t, wide, bits, 1, 1,                        \
		      (a * b >> bits) + c + carry)                                                 \
	EXECUTE_CARRY(mad_hi_cc_s##bits, uint##bits##_t, wide, bits, 0, 1,                         \
		      HIGH_SIGNED(bits, a, b) + c + carry)                                         \
	EXECUTE_CARRY(madc_hi_s##bits, uint##bits##_t, wide, bits, 1, 0,                           \
		      HIGH_SIGNED(bits, a, b) + c + carry)                                         \
	EXECUTE_CARRY(madc_hi_cc_s##bits, uint##bits##_t, wide, bits, 1, 1,                        \
		      HIGH_SIGNED(bits, a, b) + c + carry)
/* the upper half of a signed product, as unsigned bits: the carry is that of the addition */
#define HIGH_SIGNED(bits, a, b)                                                                    \
	(uint##bits##_t)((__int128)(int##bits##_t)(a) * (int##bits##_t)(b) >> bits)
CARRIES(32, uint64_t)
CARRIES(64, unsigned __int128)

static inline uint32_t dot4(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed)
{
	for (unsigned n = 0; n < 32; n += 8) {
		int32_t x = a_signed ? (int8_t)(a >> n) : (uint8_t)(a >> n);
		int32_t y = b_signed ? (int8_t)(b >> n) : (uint8_t)(b >> n);

		c += (uint32_t)(x * y);
	}
	return c;
}
EXECUTE_3(dp4a_uu, uint32_t, uint32_t, uint32_t, dot4(a, b, c, false, false))
EXECUTE_3(dp4a_us, uint32_t, uint32_t, uint32_t, dot4(a, b, c, false, true))
EXECUTE_3(dp4a_su, uint32_t, uint32_t, uint32_t, dot4(a, b, c, true, false))
EXECUTE_3(dp4a_ss, uint32_t, uint32_t, uint32_t, dot4(a, b, c, true, true))

/* Two halves of a and two bytes of b, from bit `from` on. */
static inline uint32_t dot2(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed,
			    unsigned from)
{
	for (unsigned n = 0; n < 2; n++) {
		int32_t x = a_signed ? (int16_t)(a >> 16 * n) : (uint16_t)(a >> 16 * n);
		int32_t y =
			b_signed ? (int8_t)(b >> (from + 8 * n)) : (uint8_t)(b >> (from + 8 * n));

		c += (uint32_t)(x * y);
	}
	return c;
}
#define DOT2(name, a_signed, b_signed)                                                             \
	EXECUTE_3(dp2a_lo_##name, uint32_t, uint32_t, uint32_t,                                    \
		  dot2(a, b, c, a_signed, b_signed, 0))                                            \
	EXECUTE_3(dp2a_hi_##name, uint32_t, uint32_t, uint32_t,                                    \
		  dot2(a, b, c, a_signed, b_signed, 16))
DOT2(uu, false, false)
DOT2(us, false, true)
DOT2(su, true, false)
DOT2(ss, true, true)
#define DOT2_ROWS(name, first, second)                                                             \
	{"dp2a", "dsss", first, second, M(LO), 0, dp2a_lo_##name},                                 \
	{                                                                                          \
		"dp2a", "dsss", first, second, M(HI), 0, dp2a_hi_##name                            \
	}

#define SIGNS(type) T(U##type) | T(S##type)
/* clang-format off */
#define BITS_3(op, shape, more)                                                                    \
	{#op, shape, SIGNS(16), 0, 0, more, op##_16}, {#op, shape, SIGNS(32), 0, 0, more, op##_32}, \
		{#op, shape, SIGNS(64), 0, 0, more, op##_64}
#define LOGIC(op, shape)                                                                           \
	{#op, shape, T(B16), 0, 0, 0, op##_16}, {#op, shape, T(B32), 0, 0, 0, op##_32},            \
		{#op, shape, T(B64), 0, 0, 0, op##_64}
#define SIGNED_3(op, shape)                                                                        \
	{#op, shape, T(U16), 0, 0, 0, op##_u16}, {#op, shape, T(S16), 0, 0, 0, op##_s16},          \
		{#op, shape, T(U32), 0, 0, 0, op##_u32}, {#op, shape, T(S32), 0, 0, 0, op##_s32},  \
		{#op, shape, T(U64), 0, 0, 0, op##_u64}, {#op, shape, T(S64), 0, 0, 0, op##_s64}
#define CARRY_ROWS(type)                                                                           \
	{"add", "dss", SIGNS(type), 0, M(CC), 0, add_cc_##type},                                   \
		{"addc", "dss", SIGNS(type), 0, M(CC), 0, addc_cc_##type},                         \
		{"addc", "dss", SIGNS(type), 0, 0, 0, addc_##type},                                \
		{"sub", "dss", SIGNS(type), 0, M(CC), 0, sub_cc_##type},                           \
		{"subc", "dss", SIGNS(type), 0, M(CC), 0, subc_cc_##type},                         \
		{"subc", "dss", SIGNS(type), 0, 0, 0, subc_##type},                                \
		{"mad", "dsss", SIGNS(type), 0, M(LO) | M(CC), 0, mad_lo_cc_##type},               \
		{"madc", "dsss", SIGNS(type), 0, M(LO) | M(CC), 0, madc_lo_cc_##type},             \
		{"madc", "dsss", SIGNS(type), 0, M(LO), 0, madc_lo_##type},                        \
		{"mad", "dsss", T(U##type), 0, M(HI) | M(CC), 0, mad_hi_cc_u##type},               \
		{"madc", "dsss", T(U##type), 0, M(HI) | M(CC), 0, madc_hi_cc_u##type},             \
		{"madc", "dsss", T(U##type), 0, M(HI), 0, madc_hi_u##type},                        \
		{"mad", "dsss", T(S##type), 0, M(HI) | M(CC), 0, mad_hi_cc_s##type},               \
		{"madc", "dsss", T(S##type), 0, M(HI) | M(CC), 0, madc_hi_cc_s##type},             \
		{"madc", "dsss", T(S##type), 0, M(HI), 0, madc_hi_s##type}
#define HIGH(op, shape)                                                                            \
	{#op, shape, T(U16), 0, M(HI), 0, op##_hi_u16}, {#op, shape, T(S16), 0, M(HI), 0, op##_hi_s16}, \
		{#op, shape, T(U32), 0, M(HI), 0, op##_hi_u32},                                    \
		{#op, shape, T(S32), 0, M(HI), 0, op##_hi_s32},                                    \
		{#op, shape, T(U64), 0, M(HI), 0, op##_hi_u64},                                    \
		{#op, shape, T(S64), 0, M(HI), 0, op##_hi_s64}
#define WIDE(op, shape)                                                                            \
	{#op, shape, T(U16), 0, M(WIDE), 0, op##_wide_u16},                                        \
		{#op, shape, T(S16), 0, M(WIDE), 0, op##_wide_s16},                                \
		{#op, shape, T(U32), 0, M(WIDE), 0, op##_wide_u32},                                \
		{#op, shape, T(S32), 0, M(WIDE), 0, op##_wide_s32}
#define LOW(op, shape)                                                                             \
	{#op, shape, SIGNS(16), 0, M(LO), 0, op##_16}, {#op, shape, SIGNS(32), 0, M(LO), 0, op##_32}, \
		{#op, shape, SIGNS(64), 0, M(LO), 0, op##_64}

const struct ptx_opcode interpreter_integer[] = {
	BITS_3(add, "dss", 0), BITS_3(sub, "dss", 0),
	{"add", "dss", T(S32), 0, M(SAT), 0, add_sat_s32},
	{"sub", "dss", T(S32), 0, M(SAT), 0, sub_sat_s32},
	CARRY_ROWS(32), CARRY_ROWS(64),
	LOW(mul, "dss"), HIGH(mul, "dss"), WIDE(mul, "dss"),
	LOW(mad, "dsss"), HIGH(mad, "dsss"), WIDE(mad, "dssw"),
	{"add", "dss", T(U16X2) | T(S16X2), 0, 0, 0, add_16x2},
	{"min", "dss", T(U16X2), 0, 0, 0, min_u16x2}, {"max", "dss", T(U16X2), 0, 0, 0, max_u16x2},
	{"min", "dss", T(S16X2), 0, 0, 0, min_s16x2}, {"max", "dss", T(S16X2), 0, 0, 0, max_s16x2},
	{"min", "dss", T(S16X2), 0, M(RELU), 0, min_relu_s16x2},
	{"max", "dss", T(S16X2), 0, M(RELU), 0, max_relu_s16x2},
	{"min", "dss", T(S32), 0, M(RELU), 0, min_relu_s32},
	{"max", "dss", T(S32), 0, M(RELU), 0, max_relu_s32},
	{"mad", "dsss", T(S32), 0, M(HI) | M(SAT), 0, mad_hi_sat_s32},
	{"mul24", "dss", T(U32), 0, M(HI), 0, mul24_hi_u32},
	{"mul24", "dss", T(S32), 0, M(HI), 0, mul24_hi_s32},
	{"mad24", "dsss", T(U32), 0, M(HI), 0, mad24_hi_u32},
	{"mad24", "dsss", T(S32), 0, M(HI), 0, mad24_hi_s32},
	{"mad24", "dsss", T(S32), 0, M(HI) | M(SAT), 0, mad24_hi_sat_s32},
	{"mul24", "dss", T(U32), 0, M(LO), 0, mul24_lo_u32},
	{"mul24", "dss", T(S32), 0, M(LO), 0, mul24_lo_s32},
	{"mad24", "dsss", T(U32), 0, M(LO), 0, mad24_lo_u32},
	{"mad24", "dsss", T(S32), 0, M(LO), 0, mad24_lo_s32},
	SIGNED_3(div, "dss"), SIGNED_3(rem, "dss"), SIGNED_3(min, "dss"), SIGNED_3(max, "dss"),
	SIGNED_3(sad, "dsss"),
	{"neg", "ds", T(S16), 0, 0, 0, neg_16}, {"neg", "ds", T(S32), 0, 0, 0, neg_32},
	{"neg", "ds", T(S64), 0, 0, 0, neg_64}, {"abs", "ds", T(S16), 0, 0, 0, abs_16},
	{"abs", "ds", T(S32), 0, 0, 0, abs_32}, {"abs", "ds", T(S64), 0, 0, 0, abs_64},
	LOGIC(and, "dss"), LOGIC(or, "dss"), LOGIC(xor, "dss"), LOGIC(not, "ds"), LOGIC(cnot, "ds"),
	LOGIC(shl, "dsu"),
	{"shr", "dsu", T(U16) | T(B16), 0, 0, 0, shr_u16}, {"shr", "dsu", T(S16), 0, 0, 0, shr_s16},
	{"shr", "dsu", T(U32) | T(B32), 0, 0, 0, shr_u32}, {"shr", "dsu", T(S32), 0, 0, 0, shr_s32},
	{"shr", "dsu", T(U64) | T(B64), 0, 0, 0, shr_u64}, {"shr", "dsu", T(S64), 0, 0, 0, shr_s64},
	{"dp4a", "dsss", T(U32), T(U32), 0, 0, dp4a_uu}, {"dp4a", "dsss", T(U32), T(S32), 0, 0, dp4a_us},
	{"dp4a", "dsss", T(S32), T(U32), 0, 0, dp4a_su}, {"dp4a", "dsss", T(S32), T(S32), 0, 0, dp4a_ss},
	DOT2_ROWS(uu, T(U32), T(U32)), DOT2_ROWS(us, T(U32), T(S32)),
	DOT2_ROWS(su, T(S32), T(U32)), DOT2_ROWS(ss, T(S32), T(S32)),
	{"mov", "M", T(B16) | T(U16) | T(S16), 0, 0, 0, mov_16},
	{"mov", "M", T(B32) | T(U32) | T(S32) | T(F32), 0, 0, 0, mov_32},
	{"mov", "M", T(B64) | T(U64) | T(S64) | T(F64), 0, 0, 0, mov_64},
	{"mov", "M", T(PRED), 0, 0, 0, execute_mov_predicate},
	{0},
};
/* clang-format on */
