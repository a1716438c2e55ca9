#include "query/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum { BLOCK = 64 * 1024 };

struct arena_block {
	struct arena_block *next;
	size_t size, used;
	alignas(max_align_t) char bytes[];
};

static struct arena_block *new_block(struct arena *arena, size_t size)
{
	struct arena_block *block = xmalloc(sizeof(*block) + size);

	block->size = size;
	block->used = 0;
	block->next = NULL;
	arena->total += size;
	return block;
}

/* Makes a block current that has room: one that was given back, or a new one after the current. */
static void advance(struct arena *arena, size_t size)
{
	struct arena_block *next = arena->current ? arena->current->next : arena->first;

	/* blocks after the current one are free: those that are too small never come to use */
	while (next && next->size < size) {
		struct arena_block *small = next;

		next = next->next;
		arena->total -= small->size;
		free(small);
	}
	if (!next)
		next = new_block(arena, size > BLOCK ? size : BLOCK);
	if (arena->current)
		arena->current->next = next;
	else
		arena->first = next;
	next->used = 0;
	arena->current = next;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	void *memory;

	size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (!arena->current || arena->current->size - arena->current->used < size)
		advance(arena, size);
	memory = arena->current->bytes + arena->current->used;
	arena->current->used += size;
	return memset(memory, 0, size);
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
	return memcpy(arena_alloc(arena, length + 1), text, length);
}

struct arena_mark arena_mark(const struct arena *arena)
{
	return (struct arena_mark){arena->current, arena->current ? arena->current->used : 0};
}

void arena_release(struct arena *arena, struct arena_mark mark)
{
	arena->current = mark.block;
	if (mark.block)
		mark.block->used = mark.used;
}

void arena_charge(struct arena *arena, size_t bytes)
{
	arena->total += bytes;
}

void arena_free(struct arena *arena)
{
	for (struct arena_block *block = arena->first, *next; block; block = next) {
		next = block->next;
		free(block);
	}
	*arena = (struct arena){0};
}
