/*
 * gpu/analysis/value_stats.h: what the values are that a kernel loads or stores (pass `values`;
 * ValueExpert 3.3 to 3.8, GVProf 3).
 *
 * A value comes as bits of a type.  All members but the reference are sums, minima, maxima, or ands
 * and ors: they do not depend on the order in which values come, and parts can be joined.
 */
#ifndef VFLOW_GPU_ANALYSIS_VALUE_STATS_H
#define VFLOW_GPU_ANALYSIS_VALUE_STATS_H

#include "gpu/value.h"

struct value_stats {
	uint64_t count, zeros, repeats;
	uint64_t all, any;    /* and, or of the bits */
	uint64_t least, most; /* as by value_key(), of those that are no NaN and not infinite */
	uint64_t finite;      /* how many these are */
	uint32_t misfits;     /* 1 << enum gpu_value_fit: that some value does not fit */
	bool off_grid; /* some does not lie at a multiple of its size from the object's start */
	bool uneven;   /* no line goes through all */
	uint64_t index_least, index_most; /* in the object, in steps of the type's size */
	bool sloped;                      /* there are two indices: slopes are there */
	/*
	 * Lines through a value that was chosen before: of integers the least and the largest slope
	 * to another one; of floats the largest lower and the least upper bound of a slope that
	 * meets each value within 2 ulp.  As keys, of int64_t and of double.
	 */
	uint64_t reference, reference_index;
	uint64_t slope_least, slope_most;
	double sum, squares; /* of the differences to the reference, of finite floats */
};

/* -- keys --------------------------------------------------------------------------------- */

/* Keys have the order of their values, as unsigned numbers. */
VFLOW_DEVICE uint64_t value_signed_key(int64_t value)
{
	return (uint64_t)value ^ UINT64_C(1) << 63;
}

VFLOW_DEVICE uint64_t value_double_key(double value)
{
	const uint64_t bits = value_bits_of(value);

	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

VFLOW_DEVICE double value_key_double(uint64_t key)
{
	return value_double_of(key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key);
}

/* Floats by their numbers, which for all types are doubles. */
VFLOW_DEVICE uint64_t value_key(unsigned type, uint64_t bits)
{
	if (value_is_float(type))
		return value_double_key(value_number(type, bits));
	return value_is_signed(type) ? value_signed_key(value_integer(type, bits)) : bits;
}

/* -- what fits ---------------------------------------------------------------------------- */

VFLOW_DEVICE bool value_fits_integer(double value)
{
	const bool near = (value >= -0x1p53) & (value <= 0x1p53);

	return near & ((double)(int64_t)(near ? value : 0) == value) &
	       (value_bits_of(value) != UINT64_C(1) << 63);
}

/*
 * Whether the double is one of a type with so many mantissa bits and such exponents.  Without a
 * branch, which would part the lanes of a warp (gpu/sanitizer/device/values.cu).
 */
VFLOW_DEVICE bool value_fits_float(double value, int mantissa, int least, int most)
{
	const uint64_t bits = value_bits_of(value), fraction = (UINT64_C(1) << 52) - 1;
	const int exponent = (int)(bits >> 52 & 2047) - 1023;
	/* subnormals have fewer */
	const int lacking = 52 - mantissa + (exponent < least ? least - exponent : 0);
	const uint64_t cut = (UINT64_C(1) << (lacking < 63 ? lacking : 63)) - 1;
	const bool regular = (exponent <= most) & (exponent >= least - mantissa) & !(bits & cut);
	/* of infinity; a NaN has bits of its own */
	const bool infinite = (exponent == 1024) & !(bits & fraction);

	return (value == 0) | regular | infinite;
}

/* 1 << enum gpu_value_fit of those that the finite or infinite float does not fit. */
VFLOW_DEVICE uint32_t value_misfits(double value)
{
	return (uint32_t)!value_fits_integer(value) << GPU_VALUE_FITS_INTEGER |
	       (uint32_t)!value_fits_float(value, 10, -14, 15) << GPU_VALUE_FITS_F16 |
	       (uint32_t)!value_fits_float(value, 7, -126, 127) << GPU_VALUE_FITS_BF16 |
	       (uint32_t)!value_fits_float(value, 23, -126, 127) << GPU_VALUE_FITS_F32;
}

/* A number that has nothing to do with the index, for sums that only a line can give. */
VFLOW_DEVICE uint64_t value_hash(uint64_t index)
{
	index = (index ^ index >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	index = (index ^ index >> 27) * UINT64_C(0x94d049bb133111eb);
	return (index ^ index >> 31) | 1;
}

/* -- lines -------------------------------------------------------------------------------- */

/* The distance of the float from its neighbour, away from 0. */
VFLOW_DEVICE double value_ulp(unsigned type, double value)
{
	static const int least[] = {-14, -126, -126, -1022};
	const unsigned mantissa = value_mantissa(type);
	int exponent = (int)(value_bits_of(value) >> 52 & 2047) - 1023 - (int)mantissa;
	const int lowest = least[type - GPU_VALUE_F16] - (int)mantissa;

	if (exponent < lowest)
		exponent = lowest;
	/* 2^exponent, also where that is subnormal as a double */
	return exponent >= -1022 ? value_double_of((uint64_t)(exponent + 1023) << 52)
				 : value_double_of(UINT64_C(1) << (exponent + 1074));
}

VFLOW_DEVICE void value_add_slope(struct value_stats *stats, unsigned type, uint64_t bits,
				  uint64_t index)
{
	const int64_t distance = (int64_t)(index - stats->reference_index);
	uint64_t least, most;

	if (!distance) {
		stats->uneven |= bits != stats->reference;
		return;
	}
	if (value_is_float(type)) {
		const double value = value_number(type, bits);
		const double difference = value - value_number(type, stats->reference);
		const double slack = 2 * value_ulp(type, value);
		const double a = (difference - slack) / (double)distance;
		const double b = (difference + slack) / (double)distance;

		if (!value_is_finite(a) || !value_is_finite(b)) {
			stats->uneven = true;
			return;
		}
		/* the largest lower bound, the least upper one */
		least = value_double_key(a < b ? a : b);
		most = value_double_key(a < b ? b : a);
		if (!stats->sloped || least > stats->slope_least)
			stats->slope_least = least;
		if (!stats->sloped || most < stats->slope_most)
			stats->slope_most = most;
	} else {
		const int64_t difference =
			(int64_t)((uint64_t)value_integer(type, bits) -
				  (uint64_t)value_integer(type, stats->reference));

		if (distance != -1 && difference % distance) {
			stats->uneven = true;
			return;
		}
		least = value_signed_key(distance == -1 ? (int64_t) - (uint64_t)difference
							: difference / distance);
		if (!stats->sloped || least < stats->slope_least)
			stats->slope_least = least;
		if (!stats->sloped || least > stats->slope_most)
			stats->slope_most = least;
	}
	stats->sloped = true;
}

/* -- values ------------------------------------------------------------------------------- */

/* Of no values; the reference is one of those that are to come, there or elsewhere, or 0. */
VFLOW_DEVICE struct value_stats value_stats_none(unsigned type, uint64_t bits, uint64_t offset)
{
	struct value_stats stats;

	memset(&stats, 0, sizeof(stats));
	stats.all = stats.least = stats.index_least = UINT64_MAX;
	/* sums need a number, and no line goes through others */
	stats.reference =
		value_is_float(type) && !value_is_finite(value_number(type, bits)) ? 0 : bits;
	stats.reference_index = offset / value_size(type);
	return stats;
}

/*
 * `bits` has no more than the type; `offset` in bytes from the object's start; `repeated`: the
 * thread had this value there before.
 */
VFLOW_DEVICE void value_stats_add(struct value_stats *stats, unsigned type, uint64_t bits,
				  uint64_t offset, bool repeated)
{
	const unsigned size = value_size(type);
	const uint64_t index = offset / size;
	const bool is_float = value_is_float(type);
	const double value = is_float ? value_number(type, bits) : 0;
	const bool finite = !is_float || value_is_finite(value);

	stats->count++;
	stats->zeros += !bits;
	stats->repeats += repeated;
	stats->all &= bits;
	stats->any |= bits;
	stats->off_grid |= offset % size != 0;
	stats->index_least = index < stats->index_least ? index : stats->index_least;
	stats->index_most = index > stats->index_most ? index : stats->index_most;
	if (finite) {
		const uint64_t key = value_key(type, bits);

		stats->finite++;
		stats->least = key < stats->least ? key : stats->least;
		stats->most = key > stats->most ? key : stats->most;
	}
	if (is_float) {
		const double difference = value - value_number(type, stats->reference);

		/* NaNs have bits that a narrower type may lack */
		stats->misfits |= value == value ? value_misfits(value) : ~0u;
		if (value_is_finite(difference)) {
			stats->sum += difference;
			stats->squares += difference * difference;
		}
	}
	if (!stats->uneven)
		value_add_slope(stats, type, bits, index);
}

/*
 * Whether value = slope * index + intercept holds of all values, of two indices or more, with a
 * slope that is not 0.  Both as the record VALUES has them.
 */
bool value_stats_line(const struct value_stats *stats, unsigned type, uint64_t *slope,
		      uint64_t *intercept);
/* Adds the values of `more`, which has the same reference and type. */
void value_stats_join(struct value_stats *stats, const struct value_stats *more, unsigned type);

#endif
