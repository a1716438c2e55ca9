/*
 * gpu/emulator/interpreter/float.h: bits to floating-point values and back, as PTX wants them.
 */
#ifndef VFLOW_GPU_EMULATOR_INTERPRETER_FLOAT_H
#define VFLOW_GPU_EMULATOR_INTERPRETER_FLOAT_H

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef INTERPRETER_AVX2
#include "gpu/emulator/interpreter/avx2.h"
#endif
#include "gpu/ptx/instruction.h"

static inline float float_of(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float value;

	memcpy(&value, &low, sizeof(value));
	return value;
}

static inline double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint64_t raw_float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Arithmetic on f32 makes one NaN only (PTX ISA, "Floating-Point Instructions"). */
static inline uint64_t float_bits(float value)
{
	return value != value ? 0x7fffffff : raw_float_bits(value);
}

static inline uint64_t double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline bool is_nan_64(uint64_t bits)
{
	return (bits & INT64_MAX) > 0x7ff0000000000000;
}

#define QUIET_64 (1ull << 51)

/*
 * The bits of a result of f64 arithmetic: a NaN operand goes through, quieted.  Of two a quiet one
 * before one that is not, then b (H200).
 */
static inline uint64_t double_result(double value, uint64_t a, uint64_t b)
{
	const bool second = is_nan_64(b) && (b & QUIET_64 || !is_nan_64(a) || !(a & QUIET_64));
	uint64_t nan = second ? b : is_nan_64(a) ? a : 0xfff8000000000000;

	return value != value ? nan | QUIET_64 : double_bits(value);
}

static inline bool is_quiet_64(uint64_t bits)
{
	return is_nan_64(bits) && bits & QUIET_64;
}

/* The same of fma: c if it is not quiet, then those that are, b, a and c (H200). */
static inline uint64_t fused_result(double value, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t nan = is_nan_64(c) && !is_quiet_64(c) ? c
		       : is_quiet_64(b)                ? b
		       : is_quiet_64(a)                ? a
		       : is_nan_64(c)                  ? c
		       : is_nan_64(b)                  ? b
		       : is_nan_64(a)                  ? a
						       : 0xfff8000000000000;

	return value != value ? nan | QUIET_64 : double_bits(value);
}

/* Of a division, or of an atomic operation in shared memory: that of `first` (H200). */
static inline uint64_t ordered_result(double value, uint64_t first, uint64_t second)
{
	uint64_t nan = is_nan_64(first) ? first : is_nan_64(second) ? second : 0xfff8000000000000;

	return value != value ? nan | QUIET_64 : double_bits(value);
}

/* .ftz: subnormal values are zeros of their sign */
static inline float flush_float(float value)
{
	return fabsf(value) < FLT_MIN ? copysignf(0, value) : value;
}

/* .sat: [0, 1]; NaN is 0 */
static inline float saturate_float(float value)
{
	return value > 1 ? 1 : value > 0 ? value : 0;
}

static inline double saturate_double(double value)
{
	return value > 1 ? 1 : value > 0 ? value : 0;
}

/* The rounding mode of fesetround() for .rn, .rz, .rm, .rp. */
static inline int rounding_mode(uint8_t modifier)
{
	switch (modifier) {
	case PTX_MOD_RZ:
		return FE_TOWARDZERO;
	case PTX_MOD_RM:
		return FE_DOWNWARD;
	case PTX_MOD_RP:
		return FE_UPWARD;
	default:
		return FE_TONEAREST;
	}
}

float half_to_float(uint16_t half);
/* From double, so that one rounding is all there is: PTX_MOD_RN, RZ, RM, RP. */
uint16_t double_to_half(double value, enum ptx_modifier rounding);
uint16_t double_to_bf16(double value, enum ptx_modifier rounding);

static inline double largest_half(enum ptx_type type)
{
	return type == PTX_BF16 || type == PTX_BF16X2 ? 0x1.fep127 : 65504;
}

static inline float bf16_to_float(uint16_t bits)
{
	return float_of((uint64_t)bits << 16);
}

#endif
