/* replay/heap.h: numbers by their keys, the smallest first; equal keys by their numbers. */
#ifndef VFLOW_REPLAY_HEAP_H
#define VFLOW_REPLAY_HEAP_H

#include <stdint.h>

struct heap_item {
	uint64_t key;
	uint32_t value;
};

/* Zeroed: empty.  items[0] is the smallest. */
struct heap {
	struct heap_item *items;
	uint32_t count, capacity;
};

void heap_push(struct heap *heap, uint64_t key, uint32_t value);
struct heap_item heap_pop(struct heap *heap); /* of one that is not empty */
void heap_release(struct heap *heap);

#endif
