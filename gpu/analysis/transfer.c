/* gpu/analysis/transfer.c: the digest of what a copy moves, on the CPU. */
#include "gpu/analysis/transfer.h"

static uint32_t keys[LEAF_KEYS];

/* Several threads may do it at once: they store the same. */
static void make_keys(void)
{
	static bool made;

	if (__atomic_load_n(&made, __ATOMIC_ACQUIRE))
		return;
	for (unsigned i = 0; i < LEAF_KEYS; i++)
		__atomic_store_n(&keys[i], leaf_key(i), __ATOMIC_RELAXED);
	__atomic_store_n(&made, true, __ATOMIC_RELEASE);
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

/* The same of one with fewer bytes. */
static void add_part(struct transfer_sum *sum, uint64_t leaf, const uint8_t *bytes, size_t size)
{
	uint8_t padded[LEAF_BYTES] = {0};
	uint64_t initialised[LEAF_WORDS] = {0}, digest[LEAF_LANES];

	memcpy(padded, bytes, size);
	for (size_t i = 0; i < size; i++) {
		initialised[i / WORD_BYTES] |= UINT64_C(1) << i % WORD_BYTES;
		sum->nonzero |= padded[i];
	}
	leaf_digest(leaf, padded, initialised, keys, digest);
	add(sum, digest);
}

void transfer_add(struct transfer_sum *sum, uint64_t leaf, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	make_keys();
	for (; size >= LEAF_BYTES; size -= LEAF_BYTES, from += LEAF_BYTES)
		add_whole(sum, leaf++, from);
	if (size)
		add_part(sum, leaf, from, size);
}

void transfer_digest(const struct transfer_sum *sum, uint64_t bytes, uint8_t digest[SHA256_SIZE])
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
