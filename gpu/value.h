/*
 * gpu/value.h: what the bits of accessed values are (enum gpu_value_type), on the host and on GPUs.
 *
 * A leaf: the providers count values, and whoever reads a profile shows them.
 */
#ifndef VFLOW_GPU_VALUE_H
#define VFLOW_GPU_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "gpu/analysis/device.h"
#include "gpu/records.h"

VFLOW_DEVICE unsigned value_size(unsigned type)
{
	if (type < GPU_VALUE_F16)
		return 1u << (type & 3);
	return type == GPU_VALUE_F64 ? 8 : type == GPU_VALUE_F32 ? 4 : 2;
}

VFLOW_DEVICE bool value_is_float(unsigned type)
{
	return type >= GPU_VALUE_F16 && type <= GPU_VALUE_F64;
}

VFLOW_DEVICE bool value_is_signed(unsigned type)
{
	return type >= GPU_VALUE_S8 && type <= GPU_VALUE_S64;
}

/* Bits of the mantissa that are stored; 0: no float. */
VFLOW_DEVICE unsigned value_mantissa(unsigned type)
{
	switch (type) {
	case GPU_VALUE_F16:
		return 10;
	case GPU_VALUE_BF16:
		return 7;
	case GPU_VALUE_F32:
		return 23;
	case GPU_VALUE_F64:
		return 52;
	default:
		return 0;
	}
}

VFLOW_DEVICE double value_double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

VFLOW_DEVICE uint64_t value_bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

VFLOW_DEVICE double value_float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

VFLOW_DEVICE double value_half_of(uint32_t bits)
{
	const uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
	/* 2^-24 is the smallest step; a half with that exponent has that many of them */
	double value = exponent ? (double)(mantissa | 1024) : (double)mantissa;

	if (exponent == 31)
		return value_float_of((bits & 0x8000) << 16 | 0x7f800000u | mantissa << 13);
	for (uint32_t n = exponent ? exponent - 1 : 0; n; n--)
		value *= 2;
	value *= 0x1p-24;
	return bits & 0x8000 ? -value : value;
}

/* Of a float. */
VFLOW_DEVICE double value_number(unsigned type, uint64_t bits)
{
	switch (type) {
	case GPU_VALUE_F64:
		return value_double_of(bits);
	case GPU_VALUE_F32:
		return value_float_of((uint32_t)bits);
	case GPU_VALUE_BF16:
		return value_float_of((uint32_t)bits << 16);
	default:
		return value_half_of((uint32_t)bits);
	}
}

/* Of an integer, as it is or with its sign extended. */
VFLOW_DEVICE int64_t value_integer(unsigned type, uint64_t bits)
{
	const unsigned shift = 64 - 8 * value_size(type);

	return value_is_signed(type) ? (int64_t)(bits << shift) >> shift : (int64_t)bits;
}

VFLOW_DEVICE bool value_is_finite(double value)
{
	return value - value == 0;
}

#endif
