/*
 * gpu/analysis/transfer.h: the digest of the bytes that a copy moves, equal on all providers.
 *
 * It is that of an object (leaf.h) of as many bytes, all of them initialised, which holds them: a
 * copy of a whole object has the digest of the object's content.  Of a box each row begins a leaf.
 */
#ifndef VFLOW_GPU_ANALYSIS_TRANSFER_H
#define VFLOW_GPU_ANALYSIS_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/analysis/leaf.h"

/* The bytes of a copy on one side: rows of `width` bytes, of slices of `height` rows. */
struct transfer_box {
	uint64_t address, pitch, slice;
	uint64_t width, height, depth;
};

VFLOW_DEVICE uint64_t transfer_row_leaves(const struct transfer_box *box)
{
	return box->width / LEAF_BYTES + !!(box->width % LEAF_BYTES);
}

VFLOW_DEVICE uint64_t transfer_leaves(const struct transfer_box *box)
{
	return transfer_row_leaves(box) * box->height * box->depth;
}

/* Where the leaf number `leaf` begins, and its bytes. */
VFLOW_DEVICE uint64_t transfer_leaf(const struct transfer_box *box, uint64_t leaf, uint64_t *size)
{
	uint64_t in_row = transfer_row_leaves(box), row = leaf / in_row;
	uint64_t at = leaf % in_row * LEAF_BYTES;

	*size = box->width - at < LEAF_BYTES ? box->width - at : LEAF_BYTES;
	return box->address + row / box->height * box->slice + row % box->height * box->pitch + at;
}

/* What is known of the bytes of some leaves; all 0: of none. */
struct transfer_sum {
	uint64_t sum[LEAF_LANES];
	uint64_t nonzero; /* 0: they are all zero */
};

/* Bytes of one row, from the beginning of the leaf number `leaf` on: `size` of them. */
void transfer_add(struct transfer_sum *sum, uint64_t leaf, const void *bytes, size_t size);
void transfer_digest(const struct transfer_sum *sum, uint64_t bytes, uint8_t digest[LEAF_DIGEST]);

/*
 * Makes one row of rows, and one slice of slices, that lie side by side in memory at both ends of a
 * copy, so that both providers see the same rows.
 */
void transfer_join(struct transfer_box *to, struct transfer_box *from);

#endif
