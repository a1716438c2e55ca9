/*
 * gpu/analysis/leaf.h: the digest of an object's content, kept up to date leaf by leaf.
 *
 * A leaf covers 1 KiB of the object: its bytes (uninitialised ones as 0) and the mask of
 * initialised bytes; bytes past the object's end count as uninitialised.  It is compressed to 4 x
 * 64 bits by the universal hash NH (Black, Halevi, Krawczyk, Krovetz, Rogaway: "UMAC", CRYPTO '99;
 * four Toeplitz shifts: two given leaves collide with a chance of 2^-128); each of the four then
 * goes through a bijection of its own that depends on the leaf's index.  The object's digest is the
 * sum of its leaves' digests, through bijections that depend on its size: a leaf that changes costs
 * one subtraction and one addition, and the order in which leaves are hashed does not matter.  A
 * leaf without initialised bytes counts 0.  (SHA-256 of every leaf is bound by a GPU's arithmetic,
 * 0.75 TB/s on an H200 and nothing else done; a tree of nodes cost a tiny launch 47 us per level.
 * SHA-256 of the sum adds nothing against chance, and was most of the host's work for an object.)
 *
 * The keys are fixed: a program could be made to find collisions, but only its own report would
 * suffer.
 */
#ifndef VFLOW_GPU_ANALYSIS_LEAF_H
#define VFLOW_GPU_ANALYSIS_LEAF_H

#include <string.h>

#include "gpu/analysis/device.h"
#include "gpu/analysis/unit.h"

#define LEAF_BYTES 1024u
#define LEAF_WORDS (LEAF_BYTES / WORD_BYTES)
#define LEAF_LANES 4u /* numbers in a digest */
#define LEAF_DIGEST (8 * LEAF_LANES)
#define LEAF_UNKNOWN UINT64_C(0x9e3779b97f4a7c15)
#define LEAF_PARTS 32u /* of a mask: see leaf_add_mask() */
#define LEAF_KEYS (LEAF_BYTES / 4 + 2 * LEAF_PARTS + 2 * (LEAF_LANES - 1))

VFLOW_DEVICE uint32_t leaf_key(unsigned i)
{
	uint64_t x = (i + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)(x >> 32 ^ x >> 1);
}

/* Adds one pair of numbers of the leaf's message; `keys` are those from the pair's place on. */
VFLOW_DEVICE void leaf_add(uint64_t sum[LEAF_LANES], const uint32_t *keys, uint32_t a, uint32_t b)
{
	for (unsigned i = 0; i < LEAF_LANES; i++)
		sum[i] += (uint64_t)(uint32_t)(a + keys[2 * i]) * (uint32_t)(b + keys[2 * i + 1]);
}

/*
 * Adds a part of the mask: the 16 bits of bytes 16n to 16n + 15, and those of the same bytes of the
 * leaf's other half.  All set: nothing to add.
 */
VFLOW_DEVICE void leaf_add_mask(uint64_t sum[LEAF_LANES], const uint32_t *keys, uint32_t low,
				uint32_t high)
{
	if (low != 0xffff || high != 0xffff)
		leaf_add(sum, keys, low, high);
}

/* Number `lane` of the digest of the leaf `index` of its object. */
VFLOW_DEVICE uint64_t leaf_finish_lane(uint64_t index, unsigned lane, uint64_t sum)
{
	/* odd, and without a plan: square roots of primes */
	const uint64_t step = lane == 0   ? UINT64_C(0x6a09e667f3bcc909)
			      : lane == 1 ? UINT64_C(0xbb67ae8584caa73b)
			      : lane == 2 ? UINT64_C(0x3c6ef372fe94f82b)
					  : UINT64_C(0xa54ff53a5f1d36f1);

	sum ^= (index + 1) * step;
	sum = (sum ^ sum >> 32) * UINT64_C(0xd6e8feb86659fd93);
	sum = (sum ^ sum >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return sum ^ sum >> 32;
}

VFLOW_DEVICE void leaf_finish(uint64_t index, const uint64_t sum[LEAF_LANES],
			      uint64_t digest[LEAF_LANES])
{
	for (unsigned i = 0; i < LEAF_LANES; i++)
		digest[i] = leaf_finish_lane(index, i, sum[i]);
}

/*
 * The whole leaf `index`; `value` is padded to LEAF_BYTES, `keys` are leaf_key(0) to
 * leaf_key(LEAF_KEYS - 1).
 */
VFLOW_DEVICE void leaf_digest(uint64_t index, const uint8_t value[LEAF_BYTES],
			      const uint64_t initialised[LEAF_WORDS], const uint32_t *keys,
			      uint64_t digest[LEAF_LANES])
{
	uint64_t sum[LEAF_LANES] = {0}, known = 0;

	for (unsigned i = 0; i < LEAF_WORDS; i++)
		known |= initialised[i];
	for (unsigned i = 0; i < LEAF_LANES; i++)
		digest[i] = 0;
	if (!known)
		return;
	for (unsigned i = 0; i < LEAF_WORDS; i++) {
		uint32_t word[WORD_UNITS] = {0};

		unit_replace((uint8_t *)word, value + i * WORD_BYTES, initialised[i]);
		for (unsigned k = 0; k < WORD_UNITS; k += 2)
			leaf_add(sum, keys + i * WORD_UNITS + k, word[k], word[k + 1]);
	}
	for (unsigned i = 0; i < LEAF_PARTS; i++)
		leaf_add_mask(sum, keys + LEAF_BYTES / 4 + 2 * i,
			      (uint32_t)(initialised[i / 4] >> i % 4 * 16 & 0xffff),
			      (uint32_t)(initialised[8 + i / 4] >> i % 4 * 16 & 0xffff));
	leaf_finish(index, sum, digest);
}

/*
 * The digest of an object with this sum of leaves' digests, little-endian.  One without any
 * initialised byte has unknown content: its `id` (else 0) makes it differ from all others.
 */
VFLOW_DEVICE void leaf_object(uint64_t size, const uint64_t sum[LEAF_LANES], uint32_t id,
			      uint8_t digest[LEAF_DIGEST])
{
	for (unsigned i = 0; i < LEAF_LANES; i++) {
		uint64_t number = leaf_finish_lane(size, i, sum[i] + id * LEAF_UNKNOWN);

		memcpy(digest + 8 * i, &number, sizeof(number));
	}
}

#endif
