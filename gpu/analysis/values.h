/*
 * gpu/analysis/values.h: how wide the values are that an API stores to an object
 * (doc/definitions.md, "Bytes that are counted").
 *
 * `sizes` says what one API did to one object: a bit for each size of its accesses, which is what
 * the instruction moves per lane (a v2.f32 8 bytes, a v4.f32 16), shifted left by 8 times the kind
 * of access.  Larger than 8 are all alike.  Those of an object are the sizes of all its analysed
 * APIs, or'ed.
 */
#ifndef VFLOW_GPU_ANALYSIS_VALUES_H
#define VFLOW_GPU_ANALYSIS_VALUES_H

#include <stdint.h>

#include "gpu/analysis/device.h"

/* Kinds of access: numbers of the Sanitizer's flags for read, write and both. */
#define VALUES_BULK 0u /* a write whose values have no size: bulk stores, copies, sets */
#define VALUES_LOAD 1u
#define VALUES_STORE 2u
#define VALUES_ATOMIC 3u /* and reductions: they read and write their operand */

#define VALUES_WIDE 16u   /* 16 bytes and more, and VALUES_BULK */
#define VALUES_SINGLE 15u /* the sizes of one value: 1, 2, 4, 8 */

/* `size` is a power of two; a bulk access has VALUES_WIDE. */
VFLOW_DEVICE uint32_t values_sizes(unsigned kind, unsigned size)
{
	return (size < VALUES_WIDE ? size : VALUES_WIDE) << 8 * kind;
}

/* Of one kind: the bits of its sizes. */
VFLOW_DEVICE uint32_t values_of_kind(uint32_t sizes, unsigned kind)
{
	return sizes >> 8 * kind & 0xff;
}

/* The bits of all sizes that were stored, by whatever kind of access. */
VFLOW_DEVICE uint32_t values_stored(uint32_t sizes)
{
	return (sizes | sizes >> 8 * VALUES_STORE | sizes >> 8 * VALUES_ATOMIC) & 0xff;
}

/*
 * Of the sizes that are `known` of an object, those that its next API has whether it uses them or
 * not, so that the accesses of most kernels need not be told apart: loads always (who asks for them
 * asks for those of all APIs), stores as long as all that were ever stored have the same width,
 * whichever of the sizes an API uses.  Atomics never, which are of interest by themselves.
 * So an API that is the first to store values of another width to an object stores the wider ones.
 */
VFLOW_DEVICE uint32_t values_retained(uint32_t known)
{
	const uint32_t stored = values_stored(known), single = stored & VALUES_SINGLE;
	const uint32_t all = (stored | values_of_kind(known, VALUES_LOAD)) & VALUES_SINGLE;
	uint32_t retained = known & 0xffu << 8 * VALUES_LOAD;

	if (!(single & (single - 1)) && (single == stored || !single || all < 2 * single))
		retained |= known & 0xffu << 8 * VALUES_STORE;
	return retained;
}

/*
 * Bytes of a value that an API with these `sizes` stored to an object with the sizes `known` before
 * it: 1, 2, 4 or 8.  Atomics store values of their size.
 */
VFLOW_DEVICE unsigned values_width(uint32_t sizes, uint32_t known)
{
	uint32_t stored = values_stored(sizes | values_retained(known));

	if (stored & ~VALUES_SINGLE) {
		known |= sizes;
		stored |= known >> 8 * VALUES_LOAD | known >> 8 * VALUES_STORE |
			  known >> 8 * VALUES_ATOMIC;
	}
	stored &= VALUES_SINGLE;
	return stored & 8 || !stored ? 8 : stored & 4 ? 4 : stored & 2 ? 2 : 1;
}

/* All bytes of the values of `width` bytes, aligned to it, that have a byte in `mask`. */
VFLOW_DEVICE uint64_t values_whole(uint64_t mask, unsigned width)
{
	const uint64_t first = width == 8   ? UINT64_C(0x0101010101010101)
			       : width == 4 ? UINT64_C(0x1111111111111111)
			       : width == 2 ? UINT64_C(0x5555555555555555)
					    : UINT64_MAX;

	for (unsigned step = 1; step < width; step *= 2)
		mask |= mask >> step;
	mask &= first;
	return (mask << width) - mask;
}

/*
 * Written bytes of values of which every written byte is redundant; `redundant` as by
 * unit_redundant().
 */
VFLOW_DEVICE uint64_t values_redundant(uint64_t written, uint64_t redundant, unsigned width)
{
	return written & ~values_whole(written & ~redundant, width);
}

#endif
