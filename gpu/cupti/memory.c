/* gpu/cupti/memory.c: see memory.h. */
#include "gpu/cupti/memory.h"

#include <search.h>
#include <stdlib.h>

static void *memories; /* a tree */

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

struct memory *memory_find(uint64_t address)
{
	struct memory **found = tfind(&address, &memories, by_address);

	return found ? *found : NULL;
}

static int by_range(const void *key, const void *node)
{
	const struct memory *memory = node;
	uint64_t address = *(const uint64_t *)key;
	uint64_t bytes = memory->kind == GPU_MEMORY_ARRAY || !memory->size ? 1 : memory->size;

	return address < memory->address ? -1 : address - memory->address >= bytes;
}

struct memory *memory_holding(uint64_t address)
{
	struct memory **found = tfind(&address, &memories, by_range);

	return found ? *found : NULL;
}

struct memory *memory_add(uint64_t address)
{
	struct memory *memory = calloc(1, sizeof(*memory)), **node;

	if (!memory)
		return NULL;
	memory->address = address;
	node = tsearch(memory, &memories, by_address);
	if (!node) {
		free(memory);
		return NULL;
	}
	return memory;
}

struct memory *memory_take(uint64_t address)
{
	struct memory *memory = memory_find(address);

	if (memory)
		tdelete(memory, &memories, by_address);
	return memory;
}
