/* replay/heap.c: see replay/heap.h. */
#include "replay/heap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/memory.h"

static bool is_less(struct heap_item a, struct heap_item b)
{
	return a.key != b.key ? a.key < b.key : a.value < b.value;
}

void heap_push(struct heap *heap, uint64_t key, uint32_t value)
{
	const struct heap_item item = {key, value};
	uint32_t at;

	ARRAY_RESERVE(heap->items, heap->count, heap->capacity);
	for (at = heap->count++; at && is_less(item, heap->items[(at - 1) / 2]); at = (at - 1) / 2)
		heap->items[at] = heap->items[(at - 1) / 2];
	heap->items[at] = item;
}

struct heap_item heap_pop(struct heap *heap)
{
	const struct heap_item first = heap->items[0], last = heap->items[--heap->count];
	uint32_t at = 0;

	while (2 * at + 1 < heap->count) {
		uint32_t child = 2 * at + 1;

		if (child + 1 < heap->count && is_less(heap->items[child + 1], heap->items[child]))
			child++;
		if (!is_less(heap->items[child], last))
			break;
		heap->items[at] = heap->items[child];
		at = child;
	}
	heap->items[at] = last;
	return first;
}

void heap_release(struct heap *heap)
{
	free(heap->items);
	*heap = (struct heap){NULL, 0, 0};
}
