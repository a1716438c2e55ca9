/*
 * gpu/emulator/interpreter_float.h: bits to floating-point values and back, as PTX wants them.
 */
#ifndef VFLOW_GPU_EMULATOR_INTERPRETER_FLOAT_H
#define VFLOW_GPU_EMULATOR_INTERPRETER_FLOAT_H

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef INTERPRETER_AVX2
#include "gpu/emulator/interpreter_avx2.h"
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

/*
 * The bits of a result of f64 arithmetic on a, b and c (0 if there is none): a NaN operand goes
 * through, quieted; b before a before c (H200).
 */
static inline uint64_t double_result(double value, uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t quiet = 1ull << 51;
	uint64_t nan = is_nan_64(b)   ? b | quiet
		       : is_nan_64(a) ? a | quiet
		       : is_nan_64(c) ? c | quiet
				      : 0xfff8000000000000;

	return value != value ? nan : double_bits(value);
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
