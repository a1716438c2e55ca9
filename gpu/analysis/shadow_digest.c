/* gpu/analysis/shadow_digest.c: a digest per object; only the leaves that changed are hashed again.
 */
#include "gpu/analysis/shadow_internal.h"

#include <string.h>
#include <utlist.h>

void shadow_digest_prepare(struct shadow *shadow)
{
	for (unsigned i = 0; i < LEAF_KEYS; i++)
		shadow->leaf_keys[i] = leaf_key(i);
}

/* Hashes one block again and keeps count of the leaves that are all zero. */
static void hash_leaf(struct shadow_object *object, uint64_t block)
{
	static const uint8_t zeros[BLOCK_BYTES];
	const uint64_t *initialised = object->initialised + block * BLOCK_WORDS;
	const uint8_t *value = object->value + block * BLOCK_BYTES;
	uint64_t size = object->size - block * BLOCK_BYTES, known = 0, digest[LEAF_LANES];
	bool zero;

	if (size > BLOCK_BYTES)
		size = BLOCK_BYTES;
	for (unsigned i = 0; i < BLOCK_WORDS; i++)
		known += unit_count(initialised[i]);
	zero = known == size && !memcmp(value, zeros, size);
	if (zero != bit_get(object->zero_leaves, block)) {
		object->zero_leaf_count += zero ? 1 : UINT64_MAX;
		bit_put(object->zero_leaves, block, zero);
	}
	leaf_digest(block, value, initialised, object->shadow->leaf_keys, digest);
	for (unsigned i = 0; i < LEAF_LANES; i++) {
		object->sum[i] += digest[i] - object->leaves[block][i];
		object->leaves[block][i] = digest[i];
	}
}

static bool is_unknown(const struct shadow_object *object)
{
	return !object->initialised_bytes ||
	       (object->replaced && object->initialised_bytes < object->size);
}

static int by_id(const struct shadow_object *a, const struct shadow_object *b)
{
	return (a->id > b->id) - (a->id < b->id);
}

void shadow_digests(struct shadow *shadow,
		    void (*changed)(void *data, uint32_t object,
				    const uint8_t digest[GPU_DIGEST_SIZE], bool zero),
		    void *data)
{
	struct shadow_object *object, *next;

	DL_SORT2(shadow->stale, by_id, stale.prev, stale.next);
	DL_FOREACH_SAFE2(shadow->stale, object, next, stale.next)
	{
		uint8_t digest[LEAF_DIGEST];
		uint64_t cursor = 0, block;

		DL_DELETE2(shadow->stale, object, stale.prev, stale.next);
		object->stale.listed = false;
		while (block_set_take(&object->stale_blocks, &cursor, &block))
			hash_leaf(object, block);
		if (!object->reported && !object->initialised_bytes)
			continue; /* never held anything */
		leaf_object(object->size, object->sum, is_unknown(object) ? object->id : 0, digest);
		if (object->reported && !memcmp(digest, object->digest, LEAF_DIGEST))
			continue;
		memcpy(object->digest, digest, LEAF_DIGEST);
		object->reported = true;
		changed(data, object->id, digest, object->zero_leaf_count == object->blocks);
	}
}
