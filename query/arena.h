/*
 * query/arena.h: memory of a query: given out in order, given back all at once or down to a mark.
 */
#ifndef VFLOW_QUERY_ARENA_H
#define VFLOW_QUERY_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *first, *current;
	size_t total; /* bytes of all blocks */
};

struct arena_mark {
	struct arena_block *block;
	size_t used;
};

/* Zeroed, aligned for any type.  Never NULL: the process ends when memory runs out. */
void *arena_alloc(struct arena *arena, size_t size);
char *arena_text(struct arena *arena, const char *text, size_t length);

struct arena_mark arena_mark(const struct arena *arena);
/* Gives back what was taken since the mark; the blocks stay for the next ones. */
void arena_release(struct arena *arena, struct arena_mark mark);
/* Counts memory that belongs to what is in the arena and lives elsewhere: `total` is for limits. */
void arena_charge(struct arena *arena, size_t bytes);
void arena_free(struct arena *arena);

/* Like ARRAY_RESERVE, in an arena: the old array stays where it was until its release. */
#define ARENA_RESERVE(arena, array, count, capacity)                                               \
	do {                                                                                       \
		if ((count) == (capacity)) {                                                       \
			size_t size_ = sizeof(*(array));                                           \
			void *new_;                                                                \
			(capacity) = (capacity) ? 2 * (capacity) : 4;                              \
			new_ = arena_alloc((arena), size_ * (capacity));                           \
			if (count)                                                                 \
				memcpy(new_, (array), size_ *(count));                             \
			(array) = new_;                                                            \
		}                                                                                  \
	} while (0)

#endif
