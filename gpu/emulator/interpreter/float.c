/*
 * gpu/emulator/interpreter/float.c: f32 and f64 arithmetic.
 *
 * The common forms (rounding to nearest, no .ftz or .sat) have executors of their own; one
 * general executor per operation serves the rest.  Approximations are those of libm, which are
 * nearer than PTX asks for.
 */
#include "gpu/emulator/interpreter/float.h"
#include "gpu/emulator/interpreter/warp.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

/* Keeps the compiler from moving the operation out of its rounding mode. */
#define PIN(type, name, value)                                                                     \
	volatile type name##_pinned = (value);                                                     \
	type name = name##_pinned

#define ROUNDED(type, result, expression)                                                          \
	do {                                                                                       \
		volatile type pinned_ = (expression);                                              \
		result = pinned_;                                                                  \
	} while (0)

/* Which of two NaN operands goes through. */
#define NAN_OF_add(value, a, b, c) double_result(value, a, b)
#define NAN_OF_sub(value, a, b, c) double_result(value, a, b)
#define NAN_OF_mul(value, a, b, c) double_result(value, a, b)
#define NAN_OF_fma fused_result
#define NAN_OF_fma_minus_product fused_result
#define NAN_OF_fma_minus_addend fused_result
#define NAN_OF_min(value, a, b, c) double_result(value, a, b)
#define NAN_OF_max(value, a, b, c) double_result(value, a, b)
#define NAN_OF_div(value, a, b, c) ordered_result(value, a, b)

#define FLOAT_EXECUTOR(name, expression)                                                           \
	static void name##_f32(struct warp *w, const struct ptx_instruction *i)                    \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b);                   \
		FOR_LANES(w, {                                                                     \
			float a = float_of(a_[l]);                                                 \
			float b = float_of(b_[l]);                                                 \
			d_[l] = float_bits(expression);                                            \
		});                                                                                \
	}

#define DOUBLE_EXECUTOR(name, expression)                                                          \
	static void name##_f64(struct warp *w, const struct ptx_instruction *i)                    \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b);                   \
		FOR_LANES(w, {                                                                     \
			double a = double_of(a_[l]);                                               \
			double b = double_of(b_[l]);                                               \
			d_[l] = NAN_OF_##name(expression, a_[l], b_[l], 0);                        \
		});                                                                                \
	}

/*
 * Any rounding, .ftz, .sat: slower, lane by lane.  An operand that the opcode lacks is
 * PTX_MISSING, a row that may be read.
 */
#define GENERAL_FLOAT(name, expression)                                                            \
	static void name##_general_f32(struct warp *w, const struct ptx_instruction *i)            \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *rows_[] = {warp_row(w, i->a), warp_row(w, i->b),                   \
					   warp_row(w, i->c)};                                     \
		const bool ftz = i->flags & PTX_FLAG_FTZ, sat = i->flags & PTX_FLAG_SAT;           \
		const int old = fegetround();                                                      \
		fesetround(rounding_mode(i->rounding));                                            \
		for (uint32_t m = w->mask; m; m &= m - 1) {                                        \
			unsigned l = (unsigned)__builtin_ctz(m);                                   \
			float in_[3], r_;                                                          \
			for (unsigned n = 0; n < 3; n++) {                                         \
				in_[n] = float_of(rows_[n][l]);                                    \
				if (ftz)                                                           \
					in_[n] = flush_float(in_[n]);                              \
			}                                                                          \
			PIN(float, a, in_[0]);                                                     \
			PIN(float, b, in_[1]);                                                     \
			PIN(float, c, in_[2]);                                                     \
			(void)c;                                                                   \
			ROUNDED(float, r_, expression);                                            \
			if (ftz)                                                                   \
				r_ = flush_float(r_);                                              \
			if (sat)                                                                   \
				r_ = saturate_float(r_);                                           \
			d_[l] = float_bits(r_);                                                    \
		}                                                                                  \
		fesetround(old);                                                                   \
	}

#define GENERAL_DOUBLE(name, expression)                                                           \
	static void name##_general_f64(struct warp *w, const struct ptx_instruction *i)            \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b),                   \
			       *c_ = warp_row(w, i->c);                                            \
		const int old = fegetround();                                                      \
		fesetround(rounding_mode(i->rounding));                                            \
		for (uint32_t m = w->mask; m; m &= m - 1) {                                        \
			unsigned l = (unsigned)__builtin_ctz(m);                                   \
			double r_;                                                                 \
			PIN(double, a, double_of(a_[l]));                                          \
			PIN(double, b, double_of(b_[l]));                                          \
			PIN(double, c, double_of(c_[l]));                                          \
			(void)c;                                                                   \
			ROUNDED(double, r_, expression);                                           \
			d_[l] = NAN_OF_##name(r_, a_[l], b_[l], i->c == PTX_MISSING ? 0 : c_[l]);  \
		}                                                                                  \
		fesetround(old);                                                                   \
	}

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

/*
 * Four lanes at a time where they lie, in the low halves of 64 bits: what the high ones hold
 * (zeros, or the sign of an integer) is calculated with and thrown away, for less than packing
 * costs.
 */
static inline __m256 row_load(const uint64_t *row)
{
	return _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)row));
}

static inline void row_store(uint64_t *row, __m256 value)
{
	const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
	const __m256 canonical =
		_mm256_blendv_ps(value, nan, _mm256_cmp_ps(value, value, _CMP_UNORD_Q));

	_mm256_storeu_si256((__m256i *)row, _mm256_and_si256(_mm256_castps_si256(canonical),
							     _mm256_set1_epi64x(UINT32_MAX)));
}

/* `a`, `b` and `c` in the expressions are values of a lane, or of four. */
#define FLOAT_ROW_EXECUTOR(name, expression, vector)                                               \
	static void name##_f32(struct warp *w, const struct ptx_instruction *i)                    \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a), *b_ = warp_row(w, i->b),                   \
			       *c_ = warp_row(w, i->c);                                            \
		(void)c_;                                                                          \
		if (w->mask == WARP_ALL) {                                                         \
			for (unsigned l = 0; l < PTX_LANES; l += 4) {                              \
				const __m256 a = row_load(a_ + l), b = row_load(b_ + l);           \
				row_store(d_ + l, vector);                                         \
			}                                                                          \
			return;                                                                    \
		}                                                                                  \
		for (uint32_t m = w->mask; m; m &= m - 1) {                                        \
			unsigned l = (unsigned)__builtin_ctz(m);                                   \
			float a = float_of(a_[l]);                                                 \
			float b = float_of(b_[l]);                                                 \
			d_[l] = float_bits(expression);                                            \
		}                                                                                  \
	}
FLOAT_ROW_EXECUTOR(add, a + b, _mm256_add_ps(a, b))
FLOAT_ROW_EXECUTOR(sub, a - b, _mm256_sub_ps(a, b))
FLOAT_ROW_EXECUTOR(mul, a *b, _mm256_mul_ps(a, b))
FLOAT_ROW_EXECUTOR(fma_by_machine, __builtin_fmaf(a, b, float_of(c_[l])),
		   _mm256_fmadd_ps(a, b, row_load(c_ + l)))
FLOAT_ROW_EXECUTOR(fma_minus_product, __builtin_fmaf(-a, b, float_of(c_[l])),
		   _mm256_fnmadd_ps(a, b, row_load(c_ + l)))
FLOAT_ROW_EXECUTOR(fma_minus_addend, __builtin_fmaf(a, b, -float_of(c_[l])),
		   _mm256_fmsub_ps(a, b, row_load(c_ + l)))
#else
FLOAT_EXECUTOR(add, a + b)
FLOAT_EXECUTOR(sub, a - b)
FLOAT_EXECUTOR(mul, a *b)
#endif
FLOAT_EXECUTOR(div, a / b)

#define OPERATION(name, expression)                                                                \
	DOUBLE_EXECUTOR(name, expression)                                                          \
	GENERAL_FLOAT(name, expression)                                                            \
	GENERAL_DOUBLE(name, expression)

OPERATION(add, a + b)
OPERATION(sub, a - b)
OPERATION(mul, a *b)
OPERATION(div, a / b)
/* div.approx multiplies by 1 / b, which is 0 for |b| above 2^126 (PTX ISA, div) */
#define DIVIDE_APPROX(a, b)                                                                        \
	(fabsf(b) > 0x1p126f && !isinf(b) ? (isinf(a) ? NAN : copysignf(0, b) * (a)) : (a) / (b))
GENERAL_FLOAT(div_approx, DIVIDE_APPROX(a, b))

/* The larger of two: the number if one is NaN; +0 is larger than -0. */
#define LARGER(a, b) (a != a ? b : b != b ? a : a == b ? (signbit(a) ? b : a) : a > b ? a : b)
#define SMALLER(a, b) (a != a ? b : b != b ? a : a == b ? (signbit(a) ? a : b) : a < b ? a : b)
FLOAT_EXECUTOR(max, LARGER(a, b))
FLOAT_EXECUTOR(min, SMALLER(a, b))
DOUBLE_EXECUTOR(max, LARGER(a, b))
DOUBLE_EXECUTOR(min, SMALLER(a, b))
GENERAL_FLOAT(max, LARGER(a, b))
GENERAL_FLOAT(min, SMALLER(a, b))
GENERAL_FLOAT(max_nan, a != a || b != b ? NAN : LARGER(a, b))
GENERAL_FLOAT(min_nan, a != a || b != b ? NAN : SMALLER(a, b))
/* .xorsign.abs: of the magnitudes, with the sign of the product */
#define XORSIGN(a, b, value) ((value) * (signbit(a) != signbit(b) ? -1.0f : 1.0f))
GENERAL_FLOAT(max_xorsign, XORSIGN(a, b, LARGER(fabsf(a), fabsf(b))))
GENERAL_FLOAT(min_xorsign, XORSIGN(a, b, SMALLER(fabsf(a), fabsf(b))))
GENERAL_FLOAT(max_nan_xorsign, a != a || b != b ? NAN : XORSIGN(a, b, LARGER(fabsf(a), fabsf(b))))
GENERAL_FLOAT(min_nan_xorsign, a != a || b != b ? NAN : XORSIGN(a, b, SMALLER(fabsf(a), fabsf(b))))

#if defined(__FMA__)
static bool have_fma(void)
{
	return true;
}
#define FMA_TARGET
#elif defined(__x86_64__)
/* libm's fma is a call; the machine's is one instruction where it exists */
static bool have_fma(void)
{
	return __builtin_cpu_supports("fma");
}
#define FMA_TARGET __attribute__((target("fma")))
#else
static bool have_fma(void)
{
	return false;
}
#define FMA_TARGET
#endif

#define FMA_F32(name, attribute)                                                                   \
	attribute static void name##_f32(struct warp *w, const struct ptx_instruction *i)          \
	{                                                                                          \
		uint64_t *d = warp_row(w, i->d);                                                   \
		const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b),                     \
			       *c = warp_row(w, i->c);                                             \
		FOR_LANES(w, d[l] = float_bits(__builtin_fmaf(float_of(a[l]), float_of(b[l]),      \
							      float_of(c[l]))););                  \
	}
#define FMA_F64(name, attribute)                                                                   \
	attribute static void name##_f64(struct warp *w, const struct ptx_instruction *i)          \
	{                                                                                          \
		uint64_t *d = warp_row(w, i->d);                                                   \
		const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b),                     \
			       *c = warp_row(w, i->c);                                             \
		FOR_LANES(w, d[l] = fused_result(__builtin_fma(double_of(a[l]), double_of(b[l]),   \
							       double_of(c[l])),                   \
						 a[l], b[l], c[l]););                              \
	}
#if !defined(__AVX2__) || !defined(__FMA__)
FMA_F32(fma_by_machine, FMA_TARGET)
#endif
FMA_F64(fma_by_machine, FMA_TARGET)
FMA_F32(fma_by_libm, )
FMA_F64(fma_by_libm, )
GENERAL_FLOAT(fma, fmaf(a, b, c))
GENERAL_DOUBLE(fma, fma(a, b, c))
#if !defined(__AVX2__) || !defined(__FMA__)
#define fma_minus_product_f32 fma_minus_product_general_f32
#define fma_minus_addend_f32 fma_minus_addend_general_f32
#endif
GENERAL_FLOAT(fma_minus_product, fmaf(-a, b, c))
GENERAL_DOUBLE(fma_minus_product, fma(-a, b, c))
GENERAL_FLOAT(fma_minus_addend, fmaf(a, b, -c))
GENERAL_DOUBLE(fma_minus_addend, fma(a, b, -c))

static void fma_f32(struct warp *w, const struct ptx_instruction *i)
{
	(have_fma() ? fma_by_machine_f32 : fma_by_libm_f32)(w, i);
}

static void fma_f64(struct warp *w, const struct ptx_instruction *i)
{
	(have_fma() ? fma_by_machine_f64 : fma_by_libm_f64)(w, i);
}

/* One operand. */
#define UNARY(name, expression32, expression64)                                                    \
	GENERAL_UNARY_F32(name, expression32)                                                      \
	GENERAL_UNARY_F64(name, expression64)

#define GENERAL_UNARY_F32(name, expression)                                                        \
	static void name##_f32(struct warp *w, const struct ptx_instruction *i)                    \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a);                                            \
		const bool ftz = i->flags & PTX_FLAG_FTZ, sat = i->flags & PTX_FLAG_SAT;           \
		const int old = fegetround();                                                      \
		fesetround(rounding_mode(i->rounding));                                            \
		for (uint32_t m = w->mask; m; m &= m - 1) {                                        \
			unsigned l = (unsigned)__builtin_ctz(m);                                   \
			float in_ = float_of(a_[l]), r_;                                           \
			if (ftz)                                                                   \
				in_ = flush_float(in_);                                            \
			PIN(float, a, in_);                                                        \
			ROUNDED(float, r_, expression);                                            \
			if (ftz)                                                                   \
				r_ = flush_float(r_);                                              \
			if (sat)                                                                   \
				r_ = saturate_float(r_);                                           \
			d_[l] = float_bits(r_);                                                    \
		}                                                                                  \
		fesetround(old);                                                                   \
	}

#define GENERAL_UNARY_F64(name, expression)                                                        \
	static void name##_f64(struct warp *w, const struct ptx_instruction *i)                    \
	{                                                                                          \
		uint64_t *d_ = warp_row(w, i->d);                                                  \
		const uint64_t *a_ = warp_row(w, i->a);                                            \
		const int old = fegetround();                                                      \
		fesetround(rounding_mode(i->rounding));                                            \
		for (uint32_t m = w->mask; m; m &= m - 1) {                                        \
			unsigned l = (unsigned)__builtin_ctz(m);                                   \
			double r_;                                                                 \
			PIN(double, a, double_of(a_[l]));                                          \
			ROUNDED(double, r_, expression);                                           \
			d_[l] = double_bits(r_);                                                   \
		}                                                                                  \
		fesetround(old);                                                                   \
	}

UNARY(rcp, 1 / a, 1 / a)
UNARY(sqrt, sqrtf(a), sqrt(a))
UNARY(rsqrt, (float)(1 / sqrt((double)a)), 1 / sqrt(a))
GENERAL_UNARY_F32(sin, sinf(a))
GENERAL_UNARY_F32(cos, cosf(a))
GENERAL_UNARY_F32(lg2, log2f(a))
GENERAL_UNARY_F32(ex2, exp2f(a))
GENERAL_UNARY_F32(tanh, tanhf(a))

/* rcp.approx.ftz.f64 and rsqrt's look at the upper half of the operand and give an upper half */
static inline double upper_half(double value)
{
	return double_of(double_bits(value) & 0xffffffff00000000);
}
static inline double flush_double(double value)
{
	return fabs(value) < DBL_MIN ? copysign(0, value) : value;
}
GENERAL_UNARY_F64(rcp_approx, upper_half(flush_double(1 / flush_double(upper_half(a)))))
GENERAL_UNARY_F64(rsqrt_approx, upper_half(1 / sqrt(flush_double(upper_half(a)))))

/* Sign operations look at bits; a NaN becomes the one that f32 has, one of f64 a quiet one. */
#define SIGN_OPERATION(name, expression32, expression64)                                           \
	static void name##_f32(struct warp *w, const struct ptx_instruction *i)                    \
	{                                                                                          \
		uint64_t *d = warp_row(w, i->d);                                                   \
		const uint64_t *a_ = warp_row(w, i->a);                                            \
		const bool ftz = i->flags & PTX_FLAG_FTZ;                                          \
		FOR_LANES(w, {                                                                     \
			uint32_t a = ftz ? (uint32_t)raw_float_bits(flush_float(float_of(a_[l])))  \
					 : (uint32_t)a_[l];                                        \
			d[l] = expression32;                                                       \
		});                                                                                \
	}                                                                                          \
	static void name##_f64(struct warp *w, const struct ptx_instruction *i)                    \
	{                                                                                          \
		uint64_t *d = warp_row(w, i->d);                                                   \
		const uint64_t *a_ = warp_row(w, i->a);                                            \
		FOR_LANES(w, {                                                                     \
			uint64_t a = a_[l];                                                        \
			d[l] = expression64;                                                       \
		});                                                                                \
	}
#define IS_NAN_32(a) ((0x7fffffffu & (a)) > 0x7f800000u)
SIGN_OPERATION(neg, IS_NAN_32(a) ? 0x7fffffffu : a ^ 0x80000000u,
	       is_nan_64(a) ? a | 1ull << 51 : a ^ 0x8000000000000000u)
SIGN_OPERATION(abs, IS_NAN_32(a) ? 0x7fffffffu : a & 0x7fffffffu,
	       is_nan_64(a) ? a | 1ull << 51 : a & 0x7fffffffffffffffu)

static void copysign_f32(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b);

	FOR_LANES(w, d[l] = (a[l] & 0x80000000u) | (b[l] & 0x7fffffffu););
}

static void copysign_f64(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b);

	FOR_LANES(w, d[l] = (a[l] & 1ull << 63) | (b[l] & ~(1ull << 63)););
}

#define ROUNDINGS (M(RN) | M(RZ) | M(RM) | M(RP))
/* clang-format off */
/* clang-format off */
#define BINARY(op)                                                                                 \
	{#op, "dss", T(F32), 0, 0, M(RN), op##_f32},                                               \
		{#op, "dss", T(F32), 0, 0, ROUNDINGS | M(FTZ) | M(SAT), op##_general_f32},         \
		{#op, "dss", T(F64), 0, 0, M(RN), op##_f64},                                       \
		{#op, "dss", T(F64), 0, 0, ROUNDINGS, op##_general_f64}
/* fma, and its old name */
#define FUSED(op)                                                                                  \
	{op, "dsss", T(F32), 0, 0, M(RN), fma_f32},                                                \
		{op, "dsss", T(F32), 0, 0, ROUNDINGS | M(FTZ) | M(SAT), fma_general_f32},          \
		{op, "dsss", T(F64), 0, 0, M(RN), fma_f64},                                        \
		{op, "dsss", T(F64), 0, 0, ROUNDINGS, fma_general_f64}
/* c - a * b and a * b - c, which PTX has no words for: see gpu/ptx/contract.c */
#define CONTRACTED(op, name)                                                                       \
	{op, "dsss", T(F32), 0, 0, M(RN), name##_f32},                                             \
		{op, "dsss", T(F32), 0, 0, M(RN) | M(FTZ) | M(SAT), name##_general_f32},           \
		{op, "dsss", T(F64), 0, 0, M(RN), name##_general_f64}
#define APPROXIMATE (M(APPROX) | M(FTZ))

const struct ptx_opcode interpreter_float[] = {
	BINARY(add), BINARY(sub), BINARY(mul), FUSED("fma"), FUSED("mad"),
	CONTRACTED("fma-product", fma_minus_product), CONTRACTED("fma-addend", fma_minus_addend),
	{"div", "dss", T(F32), 0, 0, M(RN) | M(FULL), div_f32},
	{"div", "dss", T(F32), 0, M(APPROX), M(FTZ), div_approx_general_f32},
	{"div", "dss", T(F32), 0, 0, ROUNDINGS | M(FTZ) | M(FULL), div_general_f32},
	{"div", "dss", T(F64), 0, 0, M(RN), div_f64},
	{"div", "dss", T(F64), 0, 0, ROUNDINGS, div_general_f64},
	{"max", "dss", T(F32), 0, 0, 0, max_f32}, {"max", "dss", T(F64), 0, 0, 0, max_f64},
	{"min", "dss", T(F32), 0, 0, 0, min_f32}, {"min", "dss", T(F64), 0, 0, 0, min_f64},
	{"max", "dss", T(F32), 0, 0, M(FTZ), max_general_f32},
	{"min", "dss", T(F32), 0, 0, M(FTZ), min_general_f32},
	{"max", "dss", T(F32), 0, M(PROPAGATE), M(FTZ), max_nan_general_f32},
	{"min", "dss", T(F32), 0, M(PROPAGATE), M(FTZ), min_nan_general_f32},
	{"max", "dss", T(F32), 0, M(XORSIGN) | M(ABS), M(FTZ), max_xorsign_general_f32},
	{"min", "dss", T(F32), 0, M(XORSIGN) | M(ABS), M(FTZ), min_xorsign_general_f32},
	{"max", "dss", T(F32), 0, M(PROPAGATE) | M(XORSIGN) | M(ABS), M(FTZ),
	 max_nan_xorsign_general_f32},
	{"min", "dss", T(F32), 0, M(PROPAGATE) | M(XORSIGN) | M(ABS), M(FTZ),
	 min_nan_xorsign_general_f32},
	{"neg", "ds", T(F32), 0, 0, M(FTZ), neg_f32}, {"neg", "ds", T(F64), 0, 0, 0, neg_f64},
	{"abs", "ds", T(F32), 0, 0, M(FTZ), abs_f32}, {"abs", "ds", T(F64), 0, 0, 0, abs_f64},
	{"copysign", "dss", T(F32), 0, 0, 0, copysign_f32},
	{"copysign", "dss", T(F64), 0, 0, 0, copysign_f64},
	{"rcp", "ds", T(F32), 0, 0, ROUNDINGS | APPROXIMATE, rcp_f32},
	{"rcp", "ds", T(F64), 0, 0, ROUNDINGS, rcp_f64},
	{"rcp", "ds", T(F64), 0, M(APPROX) | M(FTZ), 0, rcp_approx_f64},
	{"sqrt", "ds", T(F32), 0, 0, ROUNDINGS | APPROXIMATE, sqrt_f32},
	{"sqrt", "ds", T(F64), 0, 0, ROUNDINGS, sqrt_f64},
	{"rsqrt", "ds", T(F32), 0, 0, APPROXIMATE, rsqrt_f32},
	{"rsqrt", "ds", T(F64), 0, M(APPROX) | M(FTZ), 0, rsqrt_approx_f64},
	{"rsqrt", "ds", T(F64), 0, M(APPROX), 0, rsqrt_f64},
	{"sin", "ds", T(F32), 0, 0, APPROXIMATE, sin_f32},
	{"cos", "ds", T(F32), 0, 0, APPROXIMATE, cos_f32},
	{"lg2", "ds", T(F32), 0, 0, APPROXIMATE, lg2_f32},
	{"ex2", "ds", T(F32), 0, 0, APPROXIMATE, ex2_f32},
	{"tanh", "ds", T(F32), 0, M(APPROX), 0, tanh_f32},
	{0},
};
/* clang-format on */
/* clang-format on */
