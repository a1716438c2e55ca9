/*
 * gpu/emulator/interpreter_compare.c: setp, selp, and predicates, which are lane masks.
 */
#include "gpu/emulator/interpreter_float.h"
#include "gpu/emulator/interpreter_warp.h"

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
COMPARE_INTEGER(32)
COMPARE_INTEGER(64)

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
SETP_FLOAT(setp_f32, AS_FLOAT)
SETP_FLOAT(setp_ftz_f32, AS_FLUSHED)
SETP_FLOAT(setp_f64, AS_DOUBLE)

/* Registers keep their bits, whatever their type: one selp for all. */
static void selp(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b);
	uint32_t p = warp_predicate(w, i->c);

	FOR_LANES(w, d[l] = p >> l & 1 ? a[l] : b[l];);
}

void ptx_execute_mov_predicate(struct warp *w, const struct ptx_instruction *i)
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
#define INTEGER_COMPARISONS                                                                        \
	(M(EQ) | M(NE) | M(LT) | M(LE) | M(GT) | M(GE) | M(LO) | M(LS) | M(HI) | M(HS))
#define FLOAT_COMPARISONS                                                                          \
	(M(EQ) | M(NE) | M(LT) | M(LE) | M(GT) | M(GE) | M(EQU) | M(NEU) | M(LTU) | M(LEU) |       \
	 M(GTU) | M(GEU) | M(NUM) | M(ISNAN))
#define SETP(types, comparisons, execute)                                                          \
	{"setp", "pss?P", types, 0, 0, comparisons | BOOLEANS, execute}

const struct ptx_opcode interpreter_compare[] = {
	SETP(T(U16) | T(B16), INTEGER_COMPARISONS, setp_u16), SETP(T(S16), INTEGER_COMPARISONS, setp_s16),
	SETP(T(U32) | T(B32), INTEGER_COMPARISONS, setp_u32), SETP(T(S32), INTEGER_COMPARISONS, setp_s32),
	SETP(T(U64) | T(B64), INTEGER_COMPARISONS, setp_u64), SETP(T(S64), INTEGER_COMPARISONS, setp_s64),
	SETP(T(F32), FLOAT_COMPARISONS, setp_f32), SETP(T(F32), FLOAT_COMPARISONS | M(FTZ), setp_ftz_f32),
	SETP(T(F64), FLOAT_COMPARISONS, setp_f64),
	{"selp", "dssP", ~T(PRED) & ~T(B8) & ~T(U8) & ~T(S8), 0, 0, 0, selp},
	{"not", "pP", T(PRED), 0, 0, 0, not_predicate},
	{"and", "pPP", T(PRED), 0, 0, 0, and_predicate},
	{"or", "pPP", T(PRED), 0, 0, 0, or_predicate},
	{"xor", "pPP", T(PRED), 0, 0, 0, xor_predicate},
	{0},
};
