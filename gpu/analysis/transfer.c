/* gpu/analysis/transfer.c: the digest of what a copy moves, on the CPU. */
#include "gpu/analysis/transfer.h"

#include <pthread.h>

enum { PAIRS = LEAF_BYTES / 8 };

static uint32_t keys[LEAF_KEYS];
/* What pairs of zeros add from this one on, and parts of a mask: no byte, and the first half only.
 */
static uint64_t zero_pairs[PAIRS + 1][LEAF_LANES];
static uint64_t no_parts[LEAF_PARTS + 1][LEAF_LANES], half_parts[LEAF_PARTS + 1][LEAF_LANES];

static void make_tables(void)
{
	const uint32_t *of_mask = keys + LEAF_BYTES / 4;

	for (unsigned i = 0; i < LEAF_KEYS; i++)
		keys[i] = leaf_key(i);
	for (unsigned i = PAIRS; i--;) {
		memcpy(zero_pairs[i], zero_pairs[i + 1], sizeof(zero_pairs[i]));
		leaf_add(zero_pairs[i], keys + 2 * i, 0, 0);
	}
	for (unsigned i = LEAF_PARTS; i--;) {
		memcpy(no_parts[i], no_parts[i + 1], sizeof(no_parts[i]));
		memcpy(half_parts[i], half_parts[i + 1], sizeof(half_parts[i]));
		leaf_add_mask(no_parts[i], of_mask + 2 * i, 0, 0);
		leaf_add_mask(half_parts[i], of_mask + 2 * i, 0xffff, 0);
	}
}

static void add(struct transfer_sum *sum, const uint64_t digest[LEAF_LANES])
{
	for (unsigned i = 0; i < LEAF_LANES; i++)
		sum->sum[i] += digest[i];
}

/* As leaf_digest(), of a leaf whose every byte is initialised. */
static void add_whole(struct transfer_sum *sum, uint64_t leaf, const uint8_t *bytes)
{
	uint64_t nh[LEAF_LANES] = {0}, digest[LEAF_LANES], nonzero = 0;

	for (unsigned i = 0; i < LEAF_BYTES / 8; i++) {
		uint64_t pair;

		memcpy(&pair, bytes + 8 * i, sizeof(pair));
		nonzero |= pair;
		leaf_add(nh, keys + 2 * i, (uint32_t)pair, (uint32_t)(pair >> 32));
	}
	sum->nonzero |= nonzero;
	leaf_finish(leaf, nh, digest);
	add(sum, digest);
}

static void add_sums(uint64_t sum[LEAF_LANES], const uint64_t more[LEAF_LANES],
		     const uint64_t less[LEAF_LANES])
{
	for (unsigned i = 0; i < LEAF_LANES; i++)
		sum[i] += more[i] - less[i];
}

/* The mask of a leaf whose first `size` bytes are initialised, fewer than all. */
static void add_mask_of(uint64_t sum[LEAF_LANES], size_t size)
{
	const uint32_t *of_mask = keys + LEAF_BYTES / 4;
	const bool more_than_half = size >= LEAF_BYTES / 2;
	const unsigned in_half = (unsigned)(size % (LEAF_BYTES / 2)), part = in_half / 16;
	const uint32_t bits = (1u << in_half % 16) - 1;

	if (more_than_half) { /* whole parts up to this one add nothing */
		leaf_add_mask(sum, of_mask + 2 * part, 0xffff, bits);
		add_sums(sum, half_parts[part + 1], half_parts[LEAF_PARTS]);
	} else {
		add_sums(sum, half_parts[0], half_parts[part]);
		leaf_add_mask(sum, of_mask + 2 * part, bits, 0);
		add_sums(sum, no_parts[part + 1], no_parts[LEAF_PARTS]);
	}
}

/* The same of one with fewer bytes, at a cost that depends on how many. */
static void add_part(struct transfer_sum *sum, uint64_t leaf, const uint8_t *bytes, size_t size)
{
	uint64_t nh[LEAF_LANES] = {0}, digest[LEAF_LANES];
	unsigned pairs = 0;

	for (size_t at = 0; at < size; at += 8, pairs++) {
		uint64_t pair = 0;

		memcpy(&pair, bytes + at, size - at < 8 ? size - at : 8);
		sum->nonzero |= pair;
		leaf_add(nh, keys + 2 * pairs, (uint32_t)pair, (uint32_t)(pair >> 32));
	}
	add_sums(nh, zero_pairs[pairs], zero_pairs[PAIRS]);
	add_mask_of(nh, size);
	leaf_finish(leaf, nh, digest);
	add(sum, digest);
}

void transfer_add(struct transfer_sum *sum, uint64_t leaf, const void *bytes, size_t size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const uint8_t *from = bytes;

	pthread_once(&once, make_tables);
	for (; size >= LEAF_BYTES; size -= LEAF_BYTES, from += LEAF_BYTES)
		add_whole(sum, leaf++, from);
	if (size)
		add_part(sum, leaf, from, size);
}

void transfer_digest(const struct transfer_sum *sum, uint64_t bytes, uint8_t digest[LEAF_DIGEST])
{
	leaf_object(bytes, sum->sum, 0, digest);
}

void transfer_join(struct transfer_box *to, struct transfer_box *from)
{
	if (to->height > 1 && to->pitch == to->width && from->pitch == to->width)
		to->width *= to->height, to->height = 1;
	if (to->depth > 1 && to->height == 1 && to->slice == to->width && from->slice == to->width)
		to->width *= to->depth, to->depth = 1;
	from->width = to->width, from->height = to->height, from->depth = to->depth;
}
