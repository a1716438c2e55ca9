/*
 * gpu/emulator/interpreter/bits.c: instructions that count, find, move and pick bits.
 */
#include "gpu/emulator/interpreter/rows.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

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

/*
 * PTX takes 8 bits of position and length.  The hardware does for 32 bits; the 64-bit forms, which
 * it does not have, take all 32 (H200).
 */
static inline void field_of(uint32_t *position, uint32_t *length, unsigned bits)
{
	if (bits == 32) {
		*position &= 0xff;
		*length &= 0xff;
	} else {
		*position = *position < 255 ? *position : 255;
		*length = *length < 255 ? *length : 255;
	}
}

static inline uint64_t extract(uint64_t a, uint32_t position, uint32_t length, unsigned bits,
			       bool is_signed)
{
	uint64_t value, sign;
	unsigned last;

	field_of(&position, &length, bits);
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

	field_of(&position, &length, bits);
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

/* d: the low `length` bits of a, extended */
static inline uint32_t sign_extend(uint32_t a, uint32_t length, bool is_signed)
{
	if (!length)
		return 0;
	if (length >= 32)
		return a;
	a &= (1u << length) - 1;
	return is_signed && a >> (length - 1) ? a | ~0u << length : a;
}
EXECUTE_2(szext_clamp_u32, uint32_t, uint32_t, sign_extend(a, b, false))
EXECUTE_2(szext_clamp_s32, uint32_t, uint32_t, sign_extend(a, b, true))
EXECUTE_2(szext_wrap_u32, uint32_t, uint32_t, sign_extend(a, b & 31, false))
EXECUTE_2(szext_wrap_s32, uint32_t, uint32_t, sign_extend(a, b & 31, true))

/* PTX ISA, fns: the |offset|-th set bit from `base` on, up or down. */
static inline uint32_t find_nth(uint32_t mask, uint32_t base, int32_t offset)
{
	int64_t count = (offset < 0 ? -(int64_t)offset : offset) - 1, place = base;

	if (offset == INT32_MIN)
		return 0; /* the H200 does, with base 0 and 31 and all bits but the last set */
	if (!offset)
		return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
	while (place >= 0 && place < 32) {
		if (mask >> place & 1 && !count--)
			return (uint32_t)place;
		place += offset > 0 ? 1 : -1;
	}
	return UINT32_MAX;
}
EXECUTE_3(fns, uint32_t, int32_t, uint32_t, find_nth(a, b, c))

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
static inline uint32_t look_up(uint32_t table, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t result = 0;

	for (unsigned n = 0; n < 8; n++)
		result |= (table >> n & 1 ? WARP_ALL : 0) & (n & 4 ? a : ~a) & (n & 2 ? b : ~b) &
			  (n & 1 ? c : ~c);
	return result;
}

static void lop3(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b), *c = warp_row(w, i->c);
	uint32_t table = (uint32_t)*warp_row(w, i->e);

	FOR_LANES(w, d[l] = look_up(table, (uint32_t)a[l], (uint32_t)b[l], (uint32_t)c[l]););
}

/* lop3.or d|p, a, b, c, table, q:  p = (d != 0) or q */
static void lop3_predicate(struct warp *w, const struct ptx_instruction *i)
{
	const uint32_t other = warp_predicate(w, (uint32_t)i->immediate);
	const uint64_t *d = warp_row(w, i->d);
	uint32_t result = 0;

	lop3(w, i);
	if (i->d == PTX_MISSING) {
		const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b),
			       *c = warp_row(w, i->c);
		const uint32_t table = (uint32_t)*warp_row(w, i->e);

		for (unsigned l = 0; l < PTX_LANES; l++)
			result |= (uint32_t)(look_up(table, (uint32_t)a[l], (uint32_t)b[l],
						     (uint32_t)c[l]) != 0)
				  << l;
	} else {
		for (unsigned l = 0; l < PTX_LANES; l++)
			result |= (uint32_t)((uint32_t)d[l] != 0) << l;
	}
	warp_set_predicate(w, i->q, i->boolean == PTX_MOD_AND ? result & other : result | other);
}

/* clang-format off */
const struct ptx_opcode interpreter_bits[] = {
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
	{"szext", "dsu", T(U32), 0, M(CLAMP), 0, szext_clamp_u32},
	{"szext", "dsu", T(S32), 0, M(CLAMP), 0, szext_clamp_s32},
	{"szext", "dsu", T(U32), 0, M(WRAP), 0, szext_wrap_u32},
	{"szext", "dsu", T(S32), 0, M(WRAP), 0, szext_wrap_s32},
	{"fns", "dsuu", T(B32), 0, 0, 0, fns},
	{"lop3", "essssZ", T(B32), 0, M(AND), 0, lop3_predicate},
	{"lop3", "essssZ", T(B32), 0, M(OR), 0, lop3_predicate},
	{"lop3", "dssss", T(B32), 0, 0, 0, lop3},
	{0},
};
/* clang-format on */
