/*
 * gpu/emulator/interpreter/compare.c: setp, selp, and predicates, which are lane masks.
 */
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "gpu/emulator/interpreter/float.h"
#include "gpu/emulator/interpreter/warp.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

/* All lanes are compared; those that do not run are masked out afterwards. */
#define COMPARE_CASE(modifier, value, expression)                                                  \
	case PTX_MOD_##modifier:                                                                   \
		for (unsigned l = 0; l < PTX_LANES; l++) {                                         \
			value(a, a_[l]);                                                           \
			value(b, b_[l]);                                                           \
			result |= (uint32_t)(expression) << l;                                     \
		}                                                                                  \
		break

static void set_predicates(struct warp *w, const struct ptx_instruction *i, uint32_t result)
{
	uint32_t c = 0, inverse = ~result;

	if (i->c != PTX_MISSING)
		c = warp_predicate(w, i->c);
	if (i->boolean == PTX_MOD_AND) {
		result &= c;
		inverse &= c;
	} else if (i->boolean == PTX_MOD_OR) {
		result |= c;
		inverse |= c;
	} else if (i->boolean == PTX_MOD_XOR) {
		result ^= c;
		inverse ^= c;
	}
	warp_set_predicate(w, i->d, result);
	warp_set_predicate(w, i->q, inverse);
}

#define COMPARE_INTEGER(bits)                                                                      \
	static void setp_u##bits(struct warp *w, const struct ptx_instruction *i)                  \
	{                                                                                          \
		COMPARE_BODY(uint##bits##_t)                                                       \
	}                                                                                          \
	static void setp_s##bits(struct warp *w, const struct ptx_instruction *i)                  \
	{                                                                                          \
		COMPARE_BODY(int##bits##_t)                                                        \
	}
#define COMPARE_BODY(ctype)                                                                        \
	const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b);                           \
	uint32_t result = 0;                                                                       \
                                                                                                   \
	switch (i->compare) {                                                                      \
		COMPARE_ALL(ctype, EQ, ==);                                                        \
		COMPARE_ALL(ctype, NE, !=);                                                        \
		COMPARE_ALL(ctype, LT, <);                                                         \
		COMPARE_ALL(ctype, LO, <);                                                         \
		COMPARE_ALL(ctype, LE, <=);                                                        \
		COMPARE_ALL(ctype, LS, <=);                                                        \
		COMPARE_ALL(ctype, GT, >);                                                         \
		COMPARE_ALL(ctype, HI, >);                                                         \
		COMPARE_ALL(ctype, GE, >=);                                                        \
		COMPARE_ALL(ctype, HS, >=);                                                        \
	default:                                                                                   \
		break;                                                                             \
	}                                                                                          \
	set_predicates(w, i, result);
#define COMPARE_ALL(ctype, modifier, operator)                                                     \
	case PTX_MOD_##modifier:                                                                   \
		for (unsigned l = 0; l < PTX_LANES; l++)                                           \
			result |= (uint32_t)((ctype)a_[l] operator(ctype) b_[l]) << l;             \
		break
COMPARE_INTEGER(16)
COMPARE_INTEGER(64)

#ifdef __AVX2__
/* The low halves of eight lanes, in the order 0 1 4 5 2 3 6 7. */
static inline __m256 low_halves(const uint64_t *row)
{
	return _mm256_shuffle_ps(_mm256_loadu_ps((const float *)(const void *)row),
				 _mm256_loadu_ps((const float *)(const void *)(row + 4)), 0x88);
}

static inline uint32_t in_order(uint32_t bits)
{
	return (bits & 0xc3c3c3c3) | (bits & 0x0c0c0c0c) << 2 | (bits & 0x30303030) >> 2;
}

/* `vector` compares eight values x and y, all ones where it is so. */
#define COMPARE_LOW(vector)                                                                        \
	for (unsigned l = 0; l < PTX_LANES; l += 8) {                                              \
		const __m256 x = low_halves(a_ + l), y = low_halves(b_ + l);                       \
		result |= (uint32_t)_mm256_movemask_ps(vector) << l;                               \
	}                                                                                          \
	result = in_order(result)
#define AS_INTEGERS(value) _mm256_xor_si256(_mm256_castps_si256(value), flip)
#define IS_GREATER(x, y) _mm256_castsi256_ps(_mm256_cmpgt_epi32(AS_INTEGERS(x), AS_INTEGERS(y)))
#define IS_EQUAL(x, y) _mm256_castsi256_ps(_mm256_cmpeq_epi32(AS_INTEGERS(x), AS_INTEGERS(y)))

/* Unsigned numbers are compared as signed ones with the top bit turned. */
static inline void compare_low(struct warp *w, const struct ptx_instruction *i, __m256i flip)
{
	const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b);
	uint32_t result = 0;

	switch (i->compare) {
	case PTX_MOD_EQ:
	case PTX_MOD_NE:
		COMPARE_LOW(IS_EQUAL(x, y));
		break;
	case PTX_MOD_GT:
	case PTX_MOD_HI:
	case PTX_MOD_LE:
	case PTX_MOD_LS:
		COMPARE_LOW(IS_GREATER(x, y));
		break;
	default:
		COMPARE_LOW(IS_GREATER(y, x));
	}
	if (i->compare == PTX_MOD_NE || i->compare == PTX_MOD_LE || i->compare == PTX_MOD_LS ||
	    i->compare == PTX_MOD_GE || i->compare == PTX_MOD_HS)
		result = ~result;
	set_predicates(w, i, result);
}

static void setp_u32(struct warp *w, const struct ptx_instruction *i)
{
	compare_low(w, i, _mm256_set1_epi32(INT32_MIN));
}

static void setp_s32(struct warp *w, const struct ptx_instruction *i)
{
	compare_low(w, i, _mm256_setzero_si256());
}
#else
COMPARE_INTEGER(32)
#endif

/* eq ... ge are false for NaN, equ ... geu true; != is the other way round in C */
#define ORDERED(a, b) (!isunordered(a, b))
#define COMPARE_FLOAT(value)                                                                       \
	COMPARE_CASE(EQ, value, a == b);                                                           \
	COMPARE_CASE(NE, value, ORDERED(a, b) && a != b);                                          \
	COMPARE_CASE(LT, value, a < b);                                                            \
	COMPARE_CASE(LE, value, a <= b);                                                           \
	COMPARE_CASE(GT, value, a > b);                                                            \
	COMPARE_CASE(GE, value, a >= b);                                                           \
	COMPARE_CASE(EQU, value, !ORDERED(a, b) || a == b);                                        \
	COMPARE_CASE(NEU, value, a != b);                                                          \
	COMPARE_CASE(LTU, value, !(a >= b));                                                       \
	COMPARE_CASE(LEU, value, !(a > b));                                                        \
	COMPARE_CASE(GTU, value, !(a <= b));                                                       \
	COMPARE_CASE(GEU, value, !(a < b));                                                        \
	COMPARE_CASE(NUM, value, ORDERED(a, b));                                                   \
	COMPARE_CASE(ISNAN, value, !ORDERED(a, b))
#define AS_FLOAT(name, bits) float name = float_of(bits)
#define AS_FLUSHED(name, bits) float name = flush_float(float_of(bits))
#define AS_DOUBLE(name, bits) double name = double_of(bits)

#define SETP_FLOAT(name, value)                                                                    \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b);                   \
		uint32_t result = 0;                                                               \
                                                                                                   \
		switch (i->compare) {                                                              \
			COMPARE_FLOAT(value);                                                      \
		default:                                                                           \
			break;                                                                     \
		}                                                                                  \
		set_predicates(w, i, result);                                                      \
	}
#ifdef __AVX2__
#define COMPARE_SINGLE(modifier, predicate)                                                        \
	case PTX_MOD_##modifier:                                                                   \
		COMPARE_LOW(_mm256_cmp_ps(x, y, predicate));                                       \
		break

static void setp_f32(struct warp *w, const struct ptx_instruction *i)
{
	const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b);
	uint32_t result = 0;

	switch (i->compare) {
		COMPARE_SINGLE(EQ, _CMP_EQ_OQ);
		COMPARE_SINGLE(NE, _CMP_NEQ_OQ);
		COMPARE_SINGLE(LT, _CMP_LT_OQ);
		COMPARE_SINGLE(LE, _CMP_LE_OQ);
		COMPARE_SINGLE(GT, _CMP_GT_OQ);
		COMPARE_SINGLE(GE, _CMP_GE_OQ);
		COMPARE_SINGLE(EQU, _CMP_EQ_UQ);
		COMPARE_SINGLE(NEU, _CMP_NEQ_UQ);
		COMPARE_SINGLE(LTU, _CMP_NGE_UQ);
		COMPARE_SINGLE(LEU, _CMP_NGT_UQ);
		COMPARE_SINGLE(GTU, _CMP_NLE_UQ);
		COMPARE_SINGLE(GEU, _CMP_NLT_UQ);
		COMPARE_SINGLE(NUM, _CMP_ORD_Q);
		COMPARE_SINGLE(ISNAN, _CMP_UNORD_Q);
	default:
		break;
	}
	set_predicates(w, i, result);
}
#else
SETP_FLOAT(setp_f32, AS_FLOAT)
#endif
SETP_FLOAT(setp_ftz_f32, AS_FLUSHED)
SETP_FLOAT(setp_f64, AS_DOUBLE)

/* Whether two values of f16, bf16, f32 or f64 compare so. */
static bool compare_floats(uint8_t comparison, double a, double b)
{
	switch (comparison) {
	case PTX_MOD_EQ:
		return a == b;
	case PTX_MOD_NE:
		return ORDERED(a, b) && a != b;
	case PTX_MOD_LT:
		return a < b;
	case PTX_MOD_LE:
		return a <= b;
	case PTX_MOD_GT:
		return a > b;
	case PTX_MOD_GE:
		return a >= b;
	case PTX_MOD_EQU:
		return !ORDERED(a, b) || a == b;
	case PTX_MOD_NEU:
		return a != b;
	case PTX_MOD_LTU:
		return !(a >= b);
	case PTX_MOD_LEU:
		return !(a > b);
	case PTX_MOD_GTU:
		return !(a <= b);
	case PTX_MOD_GEU:
		return !(a < b);
	case PTX_MOD_NUM:
		return ORDERED(a, b);
	default:
		return !ORDERED(a, b);
	}
}

static double part_of(enum ptx_type type, bool ftz, uint64_t bits)
{
	float value;

	switch (type) {
	case PTX_F64:
		return double_of(bits);
	case PTX_F16:
	case PTX_F16X2:
		value = half_to_float((uint16_t)bits);
		return ftz && fabsf(value) < 0x1p-14f ? copysignf(0, value) : value;
	case PTX_BF16:
	case PTX_BF16X2:
		return bf16_to_float((uint16_t)bits);
	default:
		return ftz ? flush_float(float_of(bits)) : float_of(bits);
	}
}

static bool is_pair(enum ptx_type type)
{
	return type == PTX_F16X2 || type == PTX_BF16X2;
}

static uint32_t combine(const struct warp *w, const struct ptx_instruction *i, uint32_t result)
{
	uint32_t c;

	if (i->c == PTX_MISSING)
		return result;
	c = warp_predicate(w, i->c);
	return i->boolean == PTX_MOD_AND  ? result & c
	       : i->boolean == PTX_MOD_OR ? result | c
					  : result ^ c;
}

/* Lane masks of a comparison of floats: of the lower parts, and of the upper ones. */
static void compare_halves(struct warp *w, const struct ptx_instruction *i, enum ptx_type type,
			   uint32_t result[2])
{
	const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b);
	const bool ftz = i->flags & PTX_FLAG_FTZ;

	result[0] = result[1] = 0;
	for (unsigned n = 0; n < (is_pair(type) ? 2 : 1); n++)
		for (unsigned l = 0; l < PTX_LANES; l++)
			result[n] |= (uint32_t)compare_floats(i->compare,
							      part_of(type, ftz, a[l] >> 16 * n),
							      part_of(type, ftz, b[l] >> 16 * n))
				     << l;
}

/* Of pairs, p is about the lower parts and q about the upper ones. */
static void setp_half(struct warp *w, const struct ptx_instruction *i)
{
	uint32_t result[2];

	compare_halves(w, i, i->type, result);
	if (!is_pair(i->type)) {
		set_predicates(w, i, result[0]);
		return;
	}
	warp_set_predicate(w, i->d, combine(w, i, result[0]));
	warp_set_predicate(w, i->q, combine(w, i, result[1]));
}

static uint32_t compare_integers(struct warp *w, const struct ptx_instruction *i)
{
	const unsigned shift = 64 - ptx_type_size(i->second) * 8;
	const bool is_signed = i->second == PTX_S16 || i->second == PTX_S32 || i->second == PTX_S64;
	/* in the upper bits unsigned values compare as signed ones do with the top bit flipped */
	const uint64_t top = is_signed ? 0 : 1ull << 63;
	const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b);
	uint32_t less = 0, equal = 0;

	for (unsigned l = 0; l < PTX_LANES; l++) {
		int64_t x = (int64_t)(a[l] << shift ^ top), y = (int64_t)(b[l] << shift ^ top);

		less |= (uint32_t)(x < y) << l;
		equal |= (uint32_t)(x == y) << l;
	}
	switch (i->compare) {
	case PTX_MOD_EQ:
		return equal;
	case PTX_MOD_NE:
		return ~equal;
	case PTX_MOD_LT:
	case PTX_MOD_LO:
		return less;
	case PTX_MOD_LE:
	case PTX_MOD_LS:
		return less | equal;
	case PTX_MOD_GT:
	case PTX_MOD_HI:
		return ~(less | equal);
	default:
		return ~less;
	}
}

/* set: all ones, or 1.0 of a floating-point type, for true; of a pair: of one half */
static uint64_t truth(enum ptx_type type, bool pair)
{
	switch (type) {
	case PTX_F32:
		return 0x3f800000;
	case PTX_F16:
	case PTX_F16X2:
		return 0x3c00;
	case PTX_BF16:
	case PTX_BF16X2:
		return 0x3f80;
	case PTX_U16:
	case PTX_S16:
		return UINT16_MAX;
	default:
		return pair ? UINT16_MAX : UINT32_MAX;
	}
}

static void set_integers(struct warp *w, const struct ptx_instruction *i)
{
	const uint32_t result = combine(w, i, compare_integers(w, i));
	const uint64_t one = truth(i->type, false);
	uint64_t *d = warp_row(w, i->d);

	FOR_LANES(w, d[l] = result >> l & 1 ? one : 0;);
}

static void set_floats(struct warp *w, const struct ptx_instruction *i)
{
	const uint64_t one = truth(i->type, is_pair(i->second));
	uint64_t *d = warp_row(w, i->d);
	uint32_t result[2];

	compare_halves(w, i, i->second, result);
	result[0] = combine(w, i, result[0]);
	result[1] = is_pair(i->second) ? combine(w, i, result[1]) : 0;
	FOR_LANES(w, d[l] = (result[0] >> l & 1 ? one : 0) | (result[1] >> l & 1 ? one << 16 : 0););
}

/* slct: a where c >= 0, which NaN is not and -0 is */
static void select_integer(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b), *c = warp_row(w, i->c);

	FOR_LANES(w, d[l] = (int32_t)c[l] >= 0 ? a[l] : b[l];);
}

static void select_float(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b), *c = warp_row(w, i->c);
	const bool ftz = i->flags & PTX_FLAG_FTZ;

	FOR_LANES(w, {
		float value = ftz ? flush_float(float_of(c[l])) : float_of(c[l]);

		d[l] = value >= 0 ? a[l] : b[l];
	});
}

/* Zeros count as normal numbers (PTX ISA, testp). */
static bool has_property(uint8_t property, bool finite, bool nan, bool subnormal)
{
	switch (property) {
	case PTX_MOD_FINITE:
		return finite;
	case PTX_MOD_INFINITE:
		return !finite && !nan;
	case PTX_MOD_NUMBER:
		return !nan;
	case PTX_MOD_NOTANUMBER:
		return nan;
	case PTX_MOD_NORMAL:
		return finite && !subnormal;
	default:
		return subnormal;
	}
}

static void test_property(struct warp *w, const struct ptx_instruction *i)
{
	const uint64_t *a = warp_row(w, i->a);
	uint32_t result = 0;

	for (unsigned l = 0; l < PTX_LANES; l++) {
		double value = part_of(i->type, false, a[l]);
		double least = i->type == PTX_F64 ? DBL_MIN : FLT_MIN;

		result |= (uint32_t)has_property(i->compare, isfinite(value), isnan(value),
						 value != 0 && fabs(value) < least)
			  << l;
	}
	warp_set_predicate(w, i->d, result);
}

/* Registers keep their bits, whatever their type: one selp for all. */
static void selp(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b);
	uint32_t p = warp_predicate(w, i->c);

	FOR_LANES(w, d[l] = p >> l & 1 ? a[l] : b[l];);
}

void execute_mov_predicate(struct warp *w, const struct ptx_instruction *i)
{
	warp_set_predicate(w, i->d, warp_predicate(w, i->a));
}

static void not_predicate(struct warp *w, const struct ptx_instruction *i)
{
	warp_set_predicate(w, i->d, ~warp_predicate(w, i->a));
}

static void and_predicate(struct warp *w, const struct ptx_instruction *i)
{
	warp_set_predicate(w, i->d, warp_predicate(w, i->a) & warp_predicate(w, i->b));
}

static void or_predicate(struct warp *w, const struct ptx_instruction *i)
{
	warp_set_predicate(w, i->d, warp_predicate(w, i->a) | warp_predicate(w, i->b));
}

static void xor_predicate(struct warp *w, const struct ptx_instruction *i)
{
	warp_set_predicate(w, i->d, warp_predicate(w, i->a) ^ warp_predicate(w, i->b));
}

#define BOOLEANS (M(AND) | M(OR) | M(XOR))
#define SIGNED_COMPARISONS (M(EQ) | M(NE) | M(LT) | M(LE) | M(GT) | M(GE))
#define INTEGER_COMPARISONS (SIGNED_COMPARISONS | M(LO) | M(LS) | M(HI) | M(HS))
#define FLOAT_COMPARISONS                                                                          \
	(M(EQ) | M(NE) | M(LT) | M(LE) | M(GT) | M(GE) | M(EQU) | M(NEU) | M(LTU) | M(LEU) |       \
	 M(GTU) | M(GEU) | M(NUM) | M(ISNAN))
/* clang-format off */
#define SETP(types, comparisons, execute)                                                          \
	{"setp", "pss?P", types, 0, 0, comparisons | BOOLEANS, execute}
/* clang-format on */

#define SET_RESULTS (T(U32) | T(S32) | T(F32) | T(F16) | T(BF16))
#define HALF_RESULTS (T(U16) | T(S16) | T(U32) | T(S32))
#define REGISTERS                                                                                  \
	(T(B16) | T(U16) | T(S16) | T(B32) | T(U32) | T(S32) | T(F32) | T(B64) | T(U64) | T(S64) | \
	 T(F64))
#define PROPERTIES (M(FINITE) | M(INFINITE) | M(NUMBER) | M(NOTANUMBER) | M(NORMAL) | M(SUBNORMAL))

const struct ptx_opcode interpreter_compare[] = {
	SETP(T(U16) | T(B16), INTEGER_COMPARISONS, setp_u16),
	SETP(T(S16), SIGNED_COMPARISONS, setp_s16),
	SETP(T(U32) | T(B32), INTEGER_COMPARISONS, setp_u32),
	SETP(T(S32), SIGNED_COMPARISONS, setp_s32),
	SETP(T(U64) | T(B64), INTEGER_COMPARISONS, setp_u64),
	SETP(T(S64), SIGNED_COMPARISONS, setp_s64),
	SETP(T(F32), FLOAT_COMPARISONS, setp_f32),
	SETP(T(F32), FLOAT_COMPARISONS | M(FTZ), setp_ftz_f32),
	SETP(T(F64), FLOAT_COMPARISONS, setp_f64),
	SETP(T(F16) | T(BF16) | T(F16X2) | T(BF16X2), FLOAT_COMPARISONS | M(FTZ), setp_half),
	{"set", "dtt?P", SET_RESULTS,
	 T(U16) | T(S16) | T(B16) | T(U32) | T(S32) | T(B32) | T(U64) | T(S64) | T(B64), 0,
	 INTEGER_COMPARISONS | BOOLEANS, set_integers},
	{"set", "dtt?P", SET_RESULTS, T(F32) | T(F64), 0, FLOAT_COMPARISONS | BOOLEANS | M(FTZ),
	 set_floats},
	{"set", "dtt?P", HALF_RESULTS | T(F16) | T(BF16), T(F16), 0,
	 FLOAT_COMPARISONS | BOOLEANS | M(FTZ), set_floats},
	{"set", "dtt?P", HALF_RESULTS | T(BF16), T(BF16), 0, FLOAT_COMPARISONS | BOOLEANS,
	 set_floats},
	{"set", "dtt?P", T(F16X2) | T(U32) | T(S32), T(F16X2), 0,
	 FLOAT_COMPARISONS | BOOLEANS | M(FTZ), set_floats},
	{"set", "dtt?P", T(BF16X2) | T(U32) | T(S32), T(BF16X2), 0, FLOAT_COMPARISONS | BOOLEANS,
	 set_floats},
	{"slct", "dsst", REGISTERS, T(S32), 0, 0, select_integer},
	{"slct", "dsst", REGISTERS, T(F32), 0, M(FTZ), select_float},
	{"testp", "ps", T(F32) | T(F64), 0, 0, PROPERTIES, test_property},
	{"selp", "dssP", REGISTERS, 0, 0, 0, selp},
	{"not", "pP", T(PRED), 0, 0, 0, not_predicate},
	{"and", "pPP", T(PRED), 0, 0, 0, and_predicate},
	{"or", "pPP", T(PRED), 0, 0, 0, or_predicate},
	{"xor", "pPP", T(PRED), 0, 0, 0, xor_predicate},
	{0},
};
