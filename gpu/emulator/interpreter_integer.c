/*
 * gpu/emulator/interpreter_integer.c: integer arithmetic, logic, shifts, comparison, selection.
 *
 * Results are kept truncated to the type's width.  An integer division by zero gives all ones,
 * as the hardware does; PTX leaves it open.
 */
#include "gpu/emulator/interpreter_warp.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

/* An executor of three or four operands: the expression sees a, b, c of the C type. */
#define EXECUTE_2(name, ctype, result, expression)                                                 \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b);                   \
		FOR_LANES(w, {                                                                     \
			ctype a = (ctype)a_[l];                                                    \
			ctype b = (ctype)b_[l];                                                    \
			d_[l] = (result)(expression);                                              \
		});                                                                                \
	}

#define EXECUTE_3(name, ctype, ctype3, result, expression)                                         \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b),                   \
			       *c_ = warp_row(w, i->c);                                            \
		FOR_LANES(w, {                                                                     \
			ctype a = (ctype)a_[l];                                                    \
			ctype b = (ctype)b_[l];                                                    \
			ctype3 c = (ctype3)c_[l];                                                  \
			d_[l] = (result)(expression);                                              \
		});                                                                                \
	}

#define EXECUTE_1(name, ctype, result, expression)                                                 \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a);                                            \
		FOR_LANES(w, {                                                                     \
			ctype a = (ctype)a_[l];                                                    \
			d_[l] = (result)(expression);                                              \
		});                                                                                \
	}

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
		  !b ? UINT64_MAX : b == -1 ? -(uint64_t)a : (uint64_t)(a / b))                    \
	EXECUTE_2(rem_s##bits, int##bits##_t, uint##bits##_t,                                      \
		  !b ? UINT64_MAX : b == -1 ? 0 : (uint64_t)(a % b))                               \
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
EXECUTE_3(mad_wide_s16, int16_t, uint32_t, uint32_t, (uint32_t)((int32_t)a * b) + c)
EXECUTE_3(mad_wide_u32, uint32_t, uint64_t, uint64_t, (uint64_t)a *b + c)
EXECUTE_3(mad_wide_s32, int32_t, uint64_t, uint64_t, (uint64_t)((int64_t)a * b) + c)

EXECUTE_2(mul_hi_u16, uint16_t, uint16_t, (uint32_t)a *b >> 16)
EXECUTE_2(mul_hi_s16, int16_t, uint16_t, (int32_t)a *b >> 16)
EXECUTE_2(mul_hi_u32, uint32_t, uint32_t, (uint64_t)a *b >> 32)
EXECUTE_2(mul_hi_s32, int32_t, uint32_t, (int64_t)a *b >> 32)
EXECUTE_2(mul_hi_u64, uint64_t, uint64_t, (unsigned __int128)a *b >> 64)
EXECUTE_2(mul_hi_s64, int64_t, uint64_t, (__int128)a *b >> 64)
EXECUTE_3(mad_hi_u16, uint16_t, uint64_t, uint16_t, ((uint32_t)a * b >> 16) + c)
EXECUTE_3(mad_hi_s16, int16_t, uint64_t, uint16_t, (uint64_t)((int32_t)a * b >> 16) + c)
EXECUTE_3(mad_hi_u32, uint32_t, uint64_t, uint32_t, ((uint64_t)a * b >> 32) + c)
EXECUTE_3(mad_hi_s32, int32_t, uint64_t, uint32_t, (uint64_t)((int64_t)a * b >> 32) + c)
EXECUTE_3(mad_hi_u64, uint64_t, uint64_t, uint64_t, (uint64_t)((unsigned __int128)a * b >> 64) + c)
EXECUTE_3(mad_hi_s64, int64_t, uint64_t, uint64_t, (uint64_t)((__int128)a * b >> 64) + c)

static inline uint32_t mul24(int32_t a, int32_t b)
{
	return (uint32_t)((int64_t)(int32_t)((uint32_t)a << 8) * (int32_t)((uint32_t)b << 8) >> 16);
}
EXECUTE_2(mul24_lo_u32, uint32_t, uint32_t, (a & 0xffffff) * (b & 0xffffff))
EXECUTE_2(mul24_lo_s32, int32_t, uint32_t, mul24(a, b))
EXECUTE_3(mad24_lo_u32, uint32_t, uint32_t, uint32_t, (a & 0xffffff) * (b & 0xffffff) + c)
EXECUTE_3(mad24_lo_s32, int32_t, uint32_t, uint32_t, mul24(a, b) + c)

static inline uint32_t saturate_s32(int64_t value)
{
	return (uint32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}
EXECUTE_2(add_sat_s32, int32_t, uint32_t, saturate_s32((int64_t)a + b))
EXECUTE_2(sub_sat_s32, int32_t, uint32_t, saturate_s32((int64_t)a - b))

/* One lane's bit of the carry flag in and out. */
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
	EXECUTE_CARRY(sub_cc_##bits, uint##bits##_t, wide, bits, 0, 1, a - b - carry)              \
	EXECUTE_CARRY(subc_##bits, uint##bits##_t, wide, bits, 1, 0, a - b - carry)                \
	EXECUTE_CARRY(subc_cc_##bits, uint##bits##_t, wide, bits, 1, 1, a - b - carry)             \
	EXECUTE_CARRY(mad_lo_cc_##bits, uint##bits##_t, wide, bits, 0, 1,                          \
		      (wide)(uint##bits##_t)(a * b) + c + carry)                                   \
	EXECUTE_CARRY(madc_lo_##bits, uint##bits##_t, wide, bits, 1, 0,                            \
		      (wide)(uint##bits##_t)(a * b) + c + carry)                                   \
	EXECUTE_CARRY(madc_lo_cc_##bits, uint##bits##_t, wide, bits, 1, 1,                         \
		      (wide)(uint##bits##_t)(a * b) + c + carry)                                   \
	EXECUTE_CARRY(mad_hi_cc_u##bits, uint##bits##_t, wide, bits, 0, 1, (a * b >> bits) + c + carry) \
	EXECUTE_CARRY(madc_hi_u##bits, uint##bits##_t, wide, bits, 1, 0, (a * b >> bits) + c + carry) \
	EXECUTE_CARRY(madc_hi_cc_u##bits, uint##bits##_t, wide, bits, 1, 1, (a * b >> bits) + c + carry)
CARRIES(32, uint64_t)
CARRIES(64, unsigned __int128)

EXECUTE_1(popc_32, uint32_t, uint32_t, __builtin_popcount(a))
EXECUTE_1(popc_64, uint64_t, uint32_t, __builtin_popcountll(a))
EXECUTE_1(clz_32, uint32_t, uint32_t, a ? __builtin_clz(a) : 32)
EXECUTE_1(clz_64, uint64_t, uint32_t, a ? __builtin_clzll(a) : 64)

static inline uint64_t reverse_bits(uint64_t a)
{
	a = (a >> 1 & 0x5555555555555555) | (a & 0x5555555555555555) << 1;
	a = (a >> 2 & 0x3333333333333333) | (a & 0x3333333333333333) << 2;
	a = (a >> 4 & 0x0f0f0f0f0f0f0f0f) | (a & 0x0f0f0f0f0f0f0f0f) << 4;
	return __builtin_bswap64(a);
}
EXECUTE_1(brev_32, uint32_t, uint32_t, reverse_bits(a) >> 32)
EXECUTE_1(brev_64, uint64_t, uint64_t, reverse_bits(a))

/* The place of the highest bit that differs from the sign; none: all ones. */
static inline uint32_t find_bit(uint64_t a, bool shiftamt, unsigned bits)
{
	unsigned place;

	if (!a)
		return UINT32_MAX;
	place = 63 - (unsigned)__builtin_clzll(a);
	return shiftamt ? bits - 1 - place : place;
}
EXECUTE_1(bfind_u32, uint32_t, uint32_t, find_bit(a, false, 32))
EXECUTE_1(bfind_s32, int32_t, uint32_t, find_bit((uint32_t)(a < 0 ? ~a : a), false, 32))
EXECUTE_1(bfind_u64, uint64_t, uint32_t, find_bit(a, false, 64))
EXECUTE_1(bfind_s64, int64_t, uint32_t, find_bit((uint64_t)(a < 0 ? ~a : a), false, 64))
EXECUTE_1(bfind_shift_u32, uint32_t, uint32_t, find_bit(a, true, 32))
EXECUTE_1(bfind_shift_s32, int32_t, uint32_t, find_bit((uint32_t)(a < 0 ? ~a : a), true, 32))
EXECUTE_1(bfind_shift_u64, uint64_t, uint32_t, find_bit(a, true, 64))
EXECUTE_1(bfind_shift_s64, int64_t, uint32_t, find_bit((uint64_t)(a < 0 ? ~a : a), true, 64))

static inline uint64_t low_mask(unsigned length)
{
	return length >= 64 ? UINT64_MAX : (1ull << length) - 1;
}

static inline uint64_t extract(uint64_t a, uint32_t position, uint32_t length, unsigned bits,
			       bool is_signed)
{
	uint64_t value, sign;
	unsigned last;

	position &= 0xff;
	length &= 0xff;
	if (!length)
		return 0;
	last = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
	sign = is_signed ? a >> last & 1 : 0;
	value = position < bits ? a >> position & low_mask(length) : 0;
	if (sign && position >= bits)
		return UINT64_MAX;
	if (sign && last - position + 1 < 64)
		value |= ~low_mask(last - position + 1);
	return value;
}
EXECUTE_3(bfe_u32, uint32_t, uint32_t, uint32_t, extract(a, b, c, 32, false))
EXECUTE_3(bfe_s32, uint32_t, uint32_t, uint32_t, extract(a, b, c, 32, true))
EXECUTE_3(bfe_u64, uint64_t, uint32_t, uint64_t, extract(a, (uint32_t)b, c, 64, false))
EXECUTE_3(bfe_s64, uint64_t, uint32_t, uint64_t, extract(a, (uint32_t)b, c, 64, true))

static inline uint64_t insert(uint64_t a, uint64_t b, uint32_t position, uint32_t length,
			      unsigned bits)
{
	uint64_t mask;

	position &= 0xff;
	length &= 0xff;
	if (position >= bits)
		return b;
	mask = low_mask(length) << position;
	return (b & ~mask) | (a << position & mask);
}
#define EXECUTE_BFI(bits)                                                                          \
	static void bfi_##bits(struct warp *w, const struct ptx_instruction *i)                    \
	{                                                                                          \
		uint64_t *d = warp_row(w, i->d);                                                   \
		const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b),                     \
			       *c = warp_row(w, i->c), *e = warp_row(w, i->e);                     \
		FOR_LANES(w, d[l] = (uint##bits##_t)insert((uint##bits##_t)a[l],                   \
							   (uint##bits##_t)b[l], (uint32_t)c[l],   \
							   (uint32_t)e[l], bits););                \
	}
EXECUTE_BFI(32)
EXECUTE_BFI(64)

static inline uint32_t bit_mask(uint32_t position, uint32_t length)
{
	return position >= 32 || !length ? 0 : (uint32_t)(low_mask(length) << position);
}
EXECUTE_2(bmsk_clamp, uint32_t, uint32_t, bit_mask(a, b > 32 ? 32 : b))
EXECUTE_2(bmsk_wrap, uint32_t, uint32_t, bit_mask(a & 31, b & 31))

#define PAIR(high, low) ((uint64_t)(high) << 32 | (low))
EXECUTE_3(shf_l_wrap, uint32_t, uint32_t, uint32_t, PAIR(b, a) << (c & 31) >> 32)
EXECUTE_3(shf_r_wrap, uint32_t, uint32_t, uint32_t, PAIR(b, a) >> (c & 31))
EXECUTE_3(shf_l_clamp, uint32_t, uint32_t, uint32_t, PAIR(b, a) << (c > 32 ? 32 : c) >> 32)
EXECUTE_3(shf_r_clamp, uint32_t, uint32_t, uint32_t, PAIR(b, a) >> (c > 32 ? 32 : c))

/* prmt without a mode: each nibble of the selector picks a byte, or its sign */
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t bytes = PAIR(b, a);
	uint32_t result = 0;

	for (unsigned n = 0; n < 4; n++) {
		uint32_t pick = selector >> n * 4;
		uint32_t byte = (uint32_t)(bytes >> (pick & 7) * 8) & 0xff;

		if (pick & 8)
			byte = byte & 0x80 ? 0xff : 0;
		result |= byte << n * 8;
	}
	return result;
}
EXECUTE_3(prmt, uint32_t, uint32_t, uint32_t, permute(a, b, c))

/* The modes of prmt are selectors that depend on the low two bits of c. */
static inline uint32_t selector_of(enum ptx_modifier mode, uint32_t c)
{
	static const uint16_t f4e[] = {0x3210, 0x4321, 0x5432, 0x6543},
			      b4e[] = {0x5670, 0x6701, 0x7012, 0x0123},
			      rc8[] = {0x0000, 0x1111, 0x2222, 0x3333},
			      ecl[] = {0x3210, 0x3211, 0x3222, 0x3333},
			      ecr[] = {0x0000, 0x1110, 0x2210, 0x3210},
			      rc16[] = {0x1010, 0x3232, 0x1010, 0x3232};

	switch (mode) {
	case PTX_MOD_F4E:
		return f4e[c & 3];
	case PTX_MOD_B4E:
		return b4e[c & 3];
	case PTX_MOD_RC8:
		return rc8[c & 3];
	case PTX_MOD_ECL:
		return ecl[c & 3];
	case PTX_MOD_ECR:
		return ecr[c & 3];
	default:
		return rc16[c & 3];
	}
}
EXECUTE_3(prmt_f4e, uint32_t, uint32_t, uint32_t, permute(a, b, selector_of(PTX_MOD_F4E, c)))
EXECUTE_3(prmt_b4e, uint32_t, uint32_t, uint32_t, permute(a, b, selector_of(PTX_MOD_B4E, c)))
EXECUTE_3(prmt_rc8, uint32_t, uint32_t, uint32_t, permute(a, b, selector_of(PTX_MOD_RC8, c)))
EXECUTE_3(prmt_ecl, uint32_t, uint32_t, uint32_t, permute(a, b, selector_of(PTX_MOD_ECL, c)))
EXECUTE_3(prmt_ecr, uint32_t, uint32_t, uint32_t, permute(a, b, selector_of(PTX_MOD_ECR, c)))
EXECUTE_3(prmt_rc16, uint32_t, uint32_t, uint32_t, permute(a, b, selector_of(PTX_MOD_RC16, c)))

/* lop3 has its table as an immediate operand */
static void lop3(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b), *c = warp_row(w, i->c);
	uint32_t table = (uint32_t)*warp_row(w, i->e);

	FOR_LANES(w, {
		uint32_t result = 0;
		for (unsigned n = 0; n < 8; n++)
			if (table >> n & 1)
				result |= (n & 4 ? (uint32_t)a[l] : ~(uint32_t)a[l]) &
					  (n & 2 ? (uint32_t)b[l] : ~(uint32_t)b[l]) &
					  (n & 1 ? (uint32_t)c[l] : ~(uint32_t)c[l]);
		d[l] = result;
	});
}

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

#define SIGNS(type) T(U##type) | T(S##type)
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
		{"madc", "dsss", T(U##type), 0, M(HI), 0, madc_hi_u##type}
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
	{"popc", "ds", T(B32), 0, 0, 0, popc_32}, {"popc", "ds", T(B64), 0, 0, 0, popc_64},
	{"clz", "ds", T(B32), 0, 0, 0, clz_32}, {"clz", "ds", T(B64), 0, 0, 0, clz_64},
	{"brev", "ds", T(B32), 0, 0, 0, brev_32}, {"brev", "ds", T(B64), 0, 0, 0, brev_64},
	{"bfind", "ds", T(U32), 0, 0, 0, bfind_u32}, {"bfind", "ds", T(S32), 0, 0, 0, bfind_s32},
	{"bfind", "ds", T(U64), 0, 0, 0, bfind_u64}, {"bfind", "ds", T(S64), 0, 0, 0, bfind_s64},
	{"bfind", "ds", T(U32), 0, M(SHIFTAMT), 0, bfind_shift_u32},
	{"bfind", "ds", T(S32), 0, M(SHIFTAMT), 0, bfind_shift_s32},
	{"bfind", "ds", T(U64), 0, M(SHIFTAMT), 0, bfind_shift_u64},
	{"bfind", "ds", T(S64), 0, M(SHIFTAMT), 0, bfind_shift_s64},
	{"bfe", "dsuu", T(U32), 0, 0, 0, bfe_u32}, {"bfe", "dsuu", T(S32), 0, 0, 0, bfe_s32},
	{"bfe", "dsuu", T(U64), 0, 0, 0, bfe_u64}, {"bfe", "dsuu", T(S64), 0, 0, 0, bfe_s64},
	{"bfi", "dssuu", T(B32), 0, 0, 0, bfi_32}, {"bfi", "dssuu", T(B64), 0, 0, 0, bfi_64},
	{"bmsk", "dss", T(B32), 0, M(CLAMP), 0, bmsk_clamp},
	{"bmsk", "dss", T(B32), 0, M(WRAP), 0, bmsk_wrap},
	{"shf", "dssu", T(B32), 0, M(L) | M(WRAP), 0, shf_l_wrap},
	{"shf", "dssu", T(B32), 0, M(R) | M(WRAP), 0, shf_r_wrap},
	{"shf", "dssu", T(B32), 0, M(L) | M(CLAMP), 0, shf_l_clamp},
	{"shf", "dssu", T(B32), 0, M(R) | M(CLAMP), 0, shf_r_clamp},
	{"prmt", "dsss", T(B32), 0, 0, 0, prmt}, {"prmt", "dsss", T(B32), 0, M(F4E), 0, prmt_f4e},
	{"prmt", "dsss", T(B32), 0, M(B4E), 0, prmt_b4e},
	{"prmt", "dsss", T(B32), 0, M(RC8), 0, prmt_rc8},
	{"prmt", "dsss", T(B32), 0, M(ECL), 0, prmt_ecl},
	{"prmt", "dsss", T(B32), 0, M(ECR), 0, prmt_ecr},
	{"prmt", "dsss", T(B32), 0, M(RC16), 0, prmt_rc16},
	{"lop3", "dssss", T(B32), 0, 0, 0, lop3},
	{"dp4a", "dsss", T(U32), T(U32), 0, 0, dp4a_uu}, {"dp4a", "dsss", T(U32), T(S32), 0, 0, dp4a_us},
	{"dp4a", "dsss", T(S32), T(U32), 0, 0, dp4a_su}, {"dp4a", "dsss", T(S32), T(S32), 0, 0, dp4a_ss},
	{"mov", "M", T(B16) | T(U16) | T(S16) | T(F16) | T(BF16), 0, 0, 0, mov_16},
	{"mov", "M", T(B32) | T(U32) | T(S32) | T(F32), 0, 0, 0, mov_32},
	{"mov", "M", T(B64) | T(U64) | T(S64) | T(F64), 0, 0, 0, mov_64},
	{"mov", "M", T(PRED), 0, 0, 0, ptx_execute_mov_predicate},
	{0},
};
