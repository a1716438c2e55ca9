/*
 * gpu/emulator/interpreter/matrix.h: elements of matrices, and products whose fragments are not
 * those of mma.
 */
#ifndef VFLOW_GPU_EMULATOR_INTERPRETER_MATRIX_H
#define VFLOW_GPU_EMULATOR_INTERPRETER_MATRIX_H

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "gpu/emulator/interpreter/float.h"
#include "gpu/emulator/interpreter/warp.h"

static inline unsigned bits_of(enum ptx_element element)
{
	static const uint8_t bits[] = {
		[PTX_ELEMENT_F16] = 16, [PTX_ELEMENT_BF16] = 16, [PTX_ELEMENT_TF32] = 32,
		[PTX_ELEMENT_F32] = 32, [PTX_ELEMENT_F64] = 64,  [PTX_ELEMENT_S8] = 8,
		[PTX_ELEMENT_U8] = 8,   [PTX_ELEMENT_S4] = 4,    [PTX_ELEMENT_U4] = 4,
		[PTX_ELEMENT_B1] = 1,   [PTX_ELEMENT_S32] = 32,  [PTX_ELEMENT_E4M3] = 8,
		[PTX_ELEMENT_E5M2] = 8,
	};

	return bits[element];
}

static inline unsigned per_register(enum ptx_element element)
{
	return element == PTX_ELEMENT_F64 ? 1 : 32 / bits_of(element);
}

static inline bool is_integer(enum ptx_element element)
{
	return (element >= PTX_ELEMENT_S8 && element <= PTX_ELEMENT_B1) ||
	       element == PTX_ELEMENT_S32;
}

static inline double from_8(bool e5m2, uint8_t bits)
{
	double value;

	if (e5m2)
		return half_to_float((uint16_t)(bits << 8));
	if ((bits & 0x7f) == 0x7f)
		return NAN;
	value = bits & 0x78 ? ldexp(8 + (bits & 7), (bits >> 3 & 15) - 10) : ldexp(bits & 7, -9);
	return bits & 0x80 ? -value : value;
}

/* NaNs need not keep their digits: results have one NaN. */
static inline double half_value(uint16_t bits)
{
#ifdef __F16C__
	return (double)_cvtsh_ss(bits);
#else
	return half_to_float(bits);
#endif
}

/* Element `n` of a register, a number that is no integer. */
static inline double float_element(enum ptx_element element, uint64_t bits, unsigned n)
{
	switch (element) {
	case PTX_ELEMENT_F16:
		return half_value((uint16_t)(bits >> 16 * n));
	case PTX_ELEMENT_BF16:
		return bf16_to_float((uint16_t)(bits >> 16 * n));
	case PTX_ELEMENT_TF32: /* the lower 13 bits are not looked at */
		return float_of(bits & 0xffffe000);
	case PTX_ELEMENT_F32:
		return float_of(bits);
	case PTX_ELEMENT_F64:
		return double_of(bits);
	default:
		return from_8(element == PTX_ELEMENT_E5M2, (uint8_t)(bits >> 8 * n));
	}
}

static inline int32_t integer_element(enum ptx_element element, uint64_t bits, unsigned n)
{
	switch (element) {
	case PTX_ELEMENT_S8:
		return (int8_t)(bits >> 8 * n);
	case PTX_ELEMENT_U8:
		return (uint8_t)(bits >> 8 * n);
	case PTX_ELEMENT_S4:
		return (int8_t)((uint8_t)(bits >> 4 * n) << 4) >> 4;
	case PTX_ELEMENT_U4:
		return bits >> 4 * n & 15;
	case PTX_ELEMENT_B1:
		return bits >> n & 1;
	default:
		return (int32_t)bits;
	}
}

/* A double holds every element and every sum of integers exactly. */
static inline double number_element(enum ptx_element element, uint64_t bits, unsigned n)
{
	return is_integer(element) ? integer_element(element, bits, n)
				   : float_element(element, bits, n);
}

/* A sum in f16, f32 or s32. */
static inline uint64_t narrow_sum(enum ptx_element element, double value, bool saturates)
{
	if (element == PTX_ELEMENT_F16)
		return double_to_half(value, PTX_MOD_RN);
	if (element == PTX_ELEMENT_F32)
		return float_bits((float)value);
	if (saturates)
		value = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
	return (uint32_t)(int64_t)value;
}

/* interpreter/quads.c; `rows`: the registers of d, a, b and c, one after the other */
void matrix_multiply_quads(struct warp *warp, const struct ptx_matrix *matrix,
			   const uint32_t *rows);
/* interpreter/sparse.c */
void matrix_multiply_sparse(struct warp *warp, const struct ptx_instruction *i,
			    const struct ptx_matrix *matrix, const uint32_t *rows);

#endif
