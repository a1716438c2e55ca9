/*
 * gpu/analysis/frequency.h: how often a launch accesses the elements of an object (DrGPUM,
 * Definition 3.9), as GPU_RECORD_FREQUENCY has it.
 *
 * Elements are units of 4 bytes.  Each access of a thread counts once for each unit that it has a
 * byte of.  Where there is not memory enough for that, a stretch of 32 units (a word of a mask) has
 * one count, which its units that were accessed share: what differs inside of it is not seen.
 */
#ifndef VFLOW_GPU_ANALYSIS_FREQUENCY_H
#define VFLOW_GPU_ANALYSIS_FREQUENCY_H

#include "gpu/analysis/unit.h"
#include "gpu/provider.h"

#define FREQUENCY_PARTS 16   /* of an object, of equal size; the last may be smaller, or missing */
#define FREQUENCY_OFTEN 16   /* bit numbers of counts; the last is of all larger ones, too */
#define FREQUENCY_SHIFT 5    /* a coarse count is of so many units, as a power of 2 */
#define FREQUENCY_LEAST 0.01 /* of the coefficient of variation: less is not said */

/* What one lane of the passes, or the CPU, has added up of a word of units. */
struct frequency_word {
	uint64_t accesses, squares_low, squares_high;
	uint64_t often[2]; /* a byte for each */
	uint32_t elements, most;
};

/* In units. */
VFLOW_DEVICE uint64_t frequency_part(uint64_t size)
{
	const uint64_t units = size / UNIT_BYTES + (size % UNIT_BYTES != 0);

	return units > FREQUENCY_PARTS ? (units + FREQUENCY_PARTS - 1) / FREQUENCY_PARTS : 1;
}

VFLOW_DEVICE unsigned frequency_often(uint32_t count)
{
#ifdef __CUDA_ARCH__
	const unsigned bit = 31 - (unsigned)__clz((int)count);
#else
	const unsigned bit = 31 - (unsigned)__builtin_clz(count);
#endif

	return bit < FREQUENCY_OFTEN ? bit : FREQUENCY_OFTEN - 1;
}

/* So many units have been accessed so often together. */
VFLOW_DEVICE void frequency_add(struct frequency_word *word, uint32_t count, uint32_t units)
{
	const uint64_t square = (uint64_t)count * count / units;
	const uint32_t each = count / units > 1 ? count / units : 1;
	const unsigned often = frequency_often(each);

	word->accesses += count;
	word->squares_low += (uint32_t)square;
	word->squares_high += square >> 32;
	word->often[often / 8] += (uint64_t)units << often % 8 * 8;
	word->elements += units;
	word->most = word->most > each ? word->most : each;
}

/* The square of the coefficient of variation: variance over the square of the mean. */
VFLOW_DEVICE double frequency_variation(const struct gpu_frequency *frequency)
{
	const double squares =
		(double)frequency->squares_high * 4294967296.0 + (double)frequency->squares_low;
	const double accesses = (double)frequency->accesses;
	const double square = (double)frequency->elements * squares / (accesses * accesses) - 1;

	return accesses > 0 && square > 0 ? square : 0;
}

/* Whether it is said. */
VFLOW_DEVICE bool frequency_varies(const struct gpu_frequency *frequency)
{
	return frequency_variation(frequency) >= FREQUENCY_LEAST * FREQUENCY_LEAST;
}

#endif
