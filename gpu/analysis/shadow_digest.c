/* gpu/analysis/shadow_digest.c: a SHA-256 hash tree per object; only what changed is hashed again.
 */
#include "gpu/analysis/shadow_internal.h"

#include <string.h>
#include <utlist.h>

static const uint8_t zeros[BLOCK_BYTES];

void shadow_digest_prepare(struct shadow *shadow)
{
	uint64_t initialised[LEAF_WORDS] = {0};
	uint8_t children[NODE_CHILDREN][SHA256_SIZE];

	sha256_leaf(zeros, initialised, shadow->blank[0]);
	for (unsigned level = 1; level < TREE_LEVELS; level++) {
		for (unsigned i = 0; i < NODE_CHILDREN; i++)
			memcpy(children[i], shadow->blank[level - 1], SHA256_SIZE);
		sha256_node(children, shadow->blank[level]);
	}
	memset(initialised, 0xff, sizeof(initialised));
	sha256_leaf(zeros, initialised, shadow->zero_leaf);
}

/* Hashes one block again and keeps count of the leaves that are all zero. */
static void hash_leaf(struct shadow_object *object, uint64_t block)
{
	const uint64_t *initialised = object->initialised + block * BLOCK_WORDS;
	const uint8_t *value = object->value + block * BLOCK_BYTES;
	uint64_t size = object->size - block * BLOCK_BYTES, known = 0;
	uint8_t *digest = object->tree[block];
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
	if (!known)
		memset(digest, 0, SHA256_SIZE);
	else if (zero && size == BLOCK_BYTES)
		memcpy(digest, object->shadow->zero_leaf, SHA256_SIZE);
	else
		sha256_leaf(value, initialised, digest);
}

/* The digest of a node; one that was never made stands for uninitialised memory. */
static const uint8_t *node_digest(const struct shadow_object *object, unsigned level, uint64_t node)
{
	const uint8_t *digest = object->tree[object->level_start[level] + node];

	return memcmp(digest, zeros, SHA256_SIZE) ? digest : object->shadow->blank[level];
}

static void hash_node(struct shadow_object *object, unsigned level, uint64_t node)
{
	uint64_t below = object->level_start[level] - object->level_start[level - 1];
	uint8_t children[NODE_CHILDREN][SHA256_SIZE];

	for (unsigned i = 0; i < NODE_CHILDREN; i++) {
		uint64_t child = node * NODE_CHILDREN + i;

		memcpy(children[i],
		       child < below ? node_digest(object, level - 1, child)
				     : object->shadow->blank[level - 1],
		       SHA256_SIZE);
	}
	sha256_node(children, object->tree[object->level_start[level] + node]);
}

#define NONE UINT64_MAX

/*
 * Something below this node was hashed again.  Nodes come in ascending order, so one per level
 * waits: it is complete when the next one comes, and then it is its parent's turn to wait.
 */
static void await_node(struct shadow_object *object, uint64_t waiting[TREE_LEVELS], unsigned level,
		       uint64_t node)
{
	for (; level < object->levels && waiting[level] != node; level++) {
		uint64_t complete = waiting[level];

		waiting[level] = node;
		if (complete == NONE)
			return;
		hash_node(object, level, complete);
		node = complete / NODE_CHILDREN;
	}
}

static void hash_stale(struct shadow_object *object)
{
	uint64_t waiting[TREE_LEVELS], cursor = 0, block;

	for (unsigned level = 0; level < TREE_LEVELS; level++)
		waiting[level] = NONE;
	while (block_set_take(&object->stale_blocks, &cursor, &block)) {
		hash_leaf(object, block);
		await_node(object, waiting, 1, block / NODE_CHILDREN);
	}
	for (unsigned level = 1; level < object->levels && waiting[level] != NONE; level++) {
		hash_node(object, level, waiting[level]);
		await_node(object, waiting, level + 1, waiting[level] / NODE_CHILDREN);
	}
}

/*
 * The digest of the whole object.  One without any initialised byte (everything in it was
 * forgotten) has unknown content: its id makes it differ from all others.
 */
static void digest_object(const struct shadow_object *object, uint8_t digest[SHA256_SIZE])
{
	uint8_t message[8 + SHA256_SIZE + 4];
	size_t size = 8 + SHA256_SIZE;

	for (unsigned i = 0; i < 8; i++)
		message[i] = (uint8_t)(object->size >> 8 * i);
	memcpy(message + 8, node_digest(object, object->levels - 1, 0), SHA256_SIZE);
	if (!object->initialised_bytes)
		for (unsigned i = 0; i < 4; i++)
			message[size++] = (uint8_t)(object->id >> 8 * i);
	sha256(message, size, digest);
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
		uint8_t digest[SHA256_SIZE];

		DL_DELETE2(shadow->stale, object, stale.prev, stale.next);
		object->stale.listed = false;
		hash_stale(object);
		if (!object->reported && !object->initialised_bytes)
			continue; /* never held anything */
		digest_object(object, digest);
		if (object->reported && !memcmp(digest, object->digest, SHA256_SIZE))
			continue;
		memcpy(object->digest, digest, SHA256_SIZE);
		object->reported = true;
		changed(data, object->id, digest, object->zero_leaf_count == object->blocks);
	}
}
