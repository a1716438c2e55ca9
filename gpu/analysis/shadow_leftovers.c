/*
 * gpu/analysis/shadow_leftovers.c: unread bytes in units whose last writer did not write them.
 *
 * Rows go by the last writer of a unit, and so do the masks of unread bytes.  What a writer leaves
 * unread when another one writes to the same units is kept here: a mask of its block and writer,
 * until it is read, written over or seen.  Most blocks have none; where structures or pixels are
 * written member by member, each writer costs 0.14 bytes per byte.
 */
#include "gpu/analysis/shadow_internal.h"

#include <stdlib.h>

/* Of a block; what more of them leave is not known (unit_taken_bytes()). */
#define WRITERS_MOST 8

void shadow_keep_leftovers(struct shadow *shadow)
{
	shadow->keeps_leftovers = true;
}

static void release(struct shadow_object *object, struct leftover **at)
{
	struct leftover *leftover = *at;

	*at = leftover->next;
	free(leftover);
	object->leftover_count--;
}

static struct leftover *leftover_of(struct shadow_object *object, uint64_t block, uint32_t writer)
{
	struct leftover **at = &object->leftovers[block], *leftover;
	unsigned count = 0;

	for (leftover = *at; leftover; leftover = leftover->next, count++)
		if (leftover->writer == writer)
			return leftover;
	leftover = count < WRITERS_MOST ? calloc(1, sizeof(*leftover)) : NULL;
	if (!leftover)
		return NULL;
	leftover->writer = writer;
	leftover->next = *at;
	*at = leftover;
	object->leftover_count++;
	return leftover;
}

uint64_t shadow_leave(struct shadow_object *object, uint64_t index, uint32_t writer, uint64_t bytes)
{
	struct leftover *leftover;

	if (!object->leftovers || !bytes)
		return 0;
	leftover = leftover_of(object, index / BLOCK_WORDS, writer);
	if (!leftover)
		return 0;
	leftover->bytes[index % BLOCK_WORDS] |= bytes;
	return bytes;
}

void shadow_prune_leftovers(struct shadow_object *object, uint64_t block)
{
	struct leftover **at = &object->leftovers[block];

	while (*at) {
		uint64_t any = 0;

		for (unsigned i = 0; i < BLOCK_WORDS; i++)
			any |= (*at)->bytes[i];
		if (any)
			at = &(*at)->next;
		else
			release(object, at);
	}
}

void shadow_drop_leftovers(struct shadow_object *object, uint64_t block)
{
	while (object->leftovers[block])
		release(object, &object->leftovers[block]);
}

void shadow_release_leftovers(struct shadow_object *object)
{
	for (uint64_t block = 0; object->leftover_count; block++)
		shadow_drop_leftovers(object, block);
}

bool shadow_list_leftovers(struct shadow *shadow, uint32_t object)
{
	for (uint32_t i = 0; i < shadow->tallies.count; i++) {
		const struct gpu_left_bytes *left = &shadow->tallies.items[i].left;

		if (!left->first_read_bytes && !left->dead_bytes)
			continue;
		if (shadow->left_count == shadow->left_capacity) {
			const size_t capacity = shadow->left_capacity * 2 + 8;
			struct object_left *more =
				reallocarray(shadow->left, capacity, sizeof(*more));

			if (!more)
				return false;
			shadow->left = more;
			shadow->left_capacity = capacity;
		}
		shadow->left[shadow->left_count] = (struct object_left){object, *left};
		shadow->left[shadow->left_count++].left.writer = shadow->tallies.items[i].writer;
	}
	return true;
}

void shadow_leftovers(struct shadow *shadow,
		      void (*used)(void *data, uint32_t object, const struct gpu_left_bytes *left),
		      void *data)
{
	for (size_t i = 0; i < shadow->left_count; i++)
		used(data, shadow->left[i].object, &shadow->left[i].left);
}
