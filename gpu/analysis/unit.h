/*
 * gpu/analysis/unit.h: the shadow-memory algorithm for one word of an object.
 *
 * A word is 64 bytes: 16 units of 4 bytes, each with one last writer.  A mask has one bit per byte,
 * bit n for byte n, so bits 4n to 4n+3 are unit n.  Definitions: doc/definitions.md, "Edge".
 */
#ifndef VFLOW_GPU_ANALYSIS_UNIT_H
#define VFLOW_GPU_ANALYSIS_UNIT_H

#include <stdint.h>
#include <string.h>

#include "gpu/analysis/device.h"

#define UNIT_BYTES 4u
#define WORD_BYTES 64u
#define WORD_UNITS (WORD_BYTES / UNIT_BYTES)
#define WORD_ALL UINT64_MAX

/* What one API did to the bytes of a word, and what was known of them before it. */
struct unit_word {
	uint64_t read;
	uint64_t written;       /* includes `uninitialised` */
	uint64_t uninitialised; /* written with bytes that were not initialised themselves */
	uint64_t initialised;   /* before the API */
	uint64_t unread;        /* before the API: see below */
	/* Of written bytes, as unit_redundant() and values_redundant() (values.h) have them. */
	uint64_t redundant, redundant_values;
	uint64_t can_be_unread; /* ... all, or 0: the API leaves none unread here */
	/*
	 * Bytes whose writer stays known though the API writes to their units: it is the units'
	 * last writer, too, or somebody keeps it.
	 */
	uint64_t own;
};

VFLOW_DEVICE unsigned unit_count(uint64_t mask)
{
#ifdef __CUDA_ARCH__
	return (unsigned)__popcll(mask);
#else
	/* without -mpopcnt the builtin is a call */
	mask -= mask >> 1 & UINT64_C(0x5555555555555555);
	mask = (mask & UINT64_C(0x3333333333333333)) + (mask >> 2 & UINT64_C(0x3333333333333333));
	mask = (mask + (mask >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(mask * UINT64_C(0x0101010101010101) >> 56);
#endif
}

/* Index of the lowest bit; `mask` is not 0. */
VFLOW_DEVICE unsigned unit_first(uint64_t mask)
{
#ifdef __CUDA_ARCH__
	return (unsigned)__ffsll((long long)mask) - 1;
#else
	return (unsigned)__builtin_ctzll(mask);
#endif
}

/* All bytes of the units that have a byte in `mask`. */
VFLOW_DEVICE uint64_t unit_whole(uint64_t mask)
{
	mask |= mask >> 1;
	mask |= mask >> 2;
	return (mask & UINT64_C(0x1111111111111111)) * 15;
}

/* Eight bytes, 0xff where the bit of `bits` (the low eight) is set. */
VFLOW_DEVICE uint64_t unit_spread(uint64_t bits)
{
	uint64_t spread = (bits & 0xff) * UINT64_C(0x0101010101010101);

	spread &= UINT64_C(0x8040201008040201);
	spread = (spread + UINT64_C(0x7f7f7f7f7f7f7f7f)) | spread;
	return (spread >> 7 & UINT64_C(0x0101010101010101)) * 0xff;
}

/* The mask of those of eight bytes that are the same in both numbers. */
VFLOW_DEVICE uint64_t unit_equal_bytes(uint64_t a, uint64_t b)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);

	a ^= b;
	a = ~(((a & low) + low) | a | low) >> 7; /* 1 in each byte that is zero */
	return a * UINT64_C(0x0102040810204080) >> 56;
}

/* The mask of bytes that are the same in both words. */
VFLOW_DEVICE uint64_t unit_equal(const uint8_t *a, const uint8_t *b)
{
	uint64_t equal = 0;

	for (unsigned i = 0; i < WORD_BYTES / 8; i++) {
		uint64_t x, y;

		memcpy(&x, a + 8 * i, 8);
		memcpy(&y, b + 8 * i, 8);
		equal |= unit_equal_bytes(x, y) << (8 * i);
	}
	return equal;
}

/* Copies the bytes of `mask` from `fresh` to `value`. */
VFLOW_DEVICE void unit_replace(uint8_t *value, const uint8_t *fresh, uint64_t mask)
{
	if (mask == WORD_ALL) {
		memcpy(value, fresh, WORD_BYTES);
		return;
	}
	for (unsigned i = 0; i < WORD_BYTES / 8; i++) {
		uint64_t old, new_bytes, bytes = unit_spread(mask >> (8 * i));

		memcpy(&old, value + 8 * i, 8);
		memcpy(&new_bytes, fresh + 8 * i, 8);
		old = (old & ~bytes) | (new_bytes & bytes);
		memcpy(value + 8 * i, &old, 8);
	}
}

/*
 * All bytes of the units that the API read and did not write, and whose value is not the one that
 * the last API left there; `equal` as by unit_equal().
 */
VFLOW_DEVICE uint64_t unit_from_host(const struct unit_word *word, uint64_t equal)
{
	return unit_whole(unit_whole(word->read) & ~unit_whole(word->written) & ~equal);
}

/* Written bytes whose value was known before and is the same after; `equal` as by unit_equal(). */
VFLOW_DEVICE uint64_t unit_redundant(const struct unit_word *word, uint64_t equal)
{
	return word->written & ~word->uninitialised & word->initialised & equal;
}

/* The initialised mask after the API. */
VFLOW_DEVICE uint64_t unit_initialised(const struct unit_word *word)
{
	return (word->initialised | word->written) & ~word->uninitialised;
}

/*
 * Unread bytes: the last writer of their unit wrote them itself, and nobody has read them since.
 * Never those of allocations (what a variable was loaded with, bytes that are not initialised), nor
 * of memory that somebody can read unseen, nor what was written before somebody may have read it
 * unseen: there the mask is 0.  An API that reads a byte and writes it counts as having read it
 * before and after.
 */

/*
 * Unread bytes that the API leaves as they are in units of which it writes others: who wrote them
 * is no longer known by the unit.
 */
VFLOW_DEVICE uint64_t unit_taken_bytes(const struct unit_word *word)
{
	return unit_whole(word->written) & ~word->written & word->unread & ~word->read & ~word->own;
}

/* The unread mask after the API. */
VFLOW_DEVICE uint64_t unit_unread(const struct unit_word *word)
{
	return (word->unread | word->written) & ~word->read & ~unit_taken_bytes(word);
}

/*
 * The rules of the metrics that rows have (gpu/rows.def): which bytes of a word count for
 * `member` is what unit_<member>() returns.  They lie in units of which the API read a byte (a
 * metric of READ) or wrote one (of WRITE), and depend on the masks of no other unit but of its
 * value: rules are also asked of parts of words, of 16 bytes.
 */

VFLOW_DEVICE uint64_t unit_redundant_bytes(const struct unit_word *word)
{
	return word->redundant;
}

VFLOW_DEVICE uint64_t unit_redundant_value_bytes(const struct unit_word *word)
{
	return word->redundant_values;
}

/* Written over, and read by nobody since they had been written. */
VFLOW_DEVICE uint64_t unit_dead_bytes(const struct unit_word *word)
{
	return word->written & word->unread & ~word->read;
}

VFLOW_DEVICE uint64_t unit_unread_bytes(const struct unit_word *word)
{
	return word->written & ~word->read & word->can_be_unread;
}

VFLOW_DEVICE uint64_t unit_first_read_bytes(const struct unit_word *word)
{
	return word->read & word->unread;
}

/* The bytes of the units whose writer is `writer`. */
VFLOW_DEVICE uint64_t unit_written_by(const uint32_t *writers, uint32_t writer)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < WORD_UNITS; i++)
		bytes |= (uint64_t)(writers[i] == writer) << (UNIT_BYTES * i);
	return bytes * 15;
}

/* Makes `writer` the last writer of each unit that has a byte in `written`. */
VFLOW_DEVICE void unit_set_writer(uint32_t *writers, uint64_t written, uint32_t writer)
{
	for (unsigned i = 0; i < WORD_UNITS; i++)
		if (written >> (UNIT_BYTES * i) & 15)
			writers[i] = writer;
}

#endif
