/*
 * gpu/analysis/accessed.h: how much of an object was accessed, and what is left over in between
 * (DrGPUM, 5.2 and equation 1).
 *
 * Elements are units of 4 bytes from the object's start on: one is accessed when one of its bytes
 * is.  A mask of them has a bit per unit, in words of 64, and a whole number of blocks of 1 KiB.
 */
#ifndef VFLOW_GPU_ANALYSIS_ACCESSED_H
#define VFLOW_GPU_ANALYSIS_ACCESSED_H

#include "gpu/analysis/unit.h"
#include "gpu/provider.h"

/* What an API has accessed of an object, in units; all zero: nothing. */
struct accessed_slice {
	uint64_t from; /* ~ the first, so that the largest counts */
	uint64_t end;
};

/* A bit for each of the 16 units of a word that has a byte in the mask. */
VFLOW_DEVICE unsigned accessed_units(uint64_t bytes)
{
	if (!bytes || bytes == WORD_ALL)
		return bytes ? 0xffff : 0;
	bytes |= bytes >> 1;
	bytes |= bytes >> 2;
	bytes &= UINT64_C(0x1111111111111111);
	bytes = (bytes | bytes >> 3) & UINT64_C(0x0303030303030303);
	bytes = (bytes | bytes >> 6) & UINT64_C(0x000f000f000f000f);
	bytes = (bytes | bytes >> 12) & UINT64_C(0x000000ff000000ff);
	return (unsigned)((bytes | bytes >> 24) & 0xffff);
}

/* Of an object of `size` bytes with this mask, of units that were ever accessed. */
struct gpu_accessed accessed_figures(const uint64_t *units, uint64_t size);
/* Of one with this slice, which is not empty. */
struct gpu_slice accessed_bytes(const struct accessed_slice *slice, uint64_t size);

#endif
