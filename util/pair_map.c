/* util/pair_map.c: see util/pair_map.h.  Open addressing with linear probing. */
#include "util/pair_map.h"

#include <stdlib.h>

#include "util/memory.h"

struct pair_slot {
	uint32_t first, second;
	uint32_t value; /* + 1; 0: nothing is here */
};

/* Where the pair is looked for first. */
static uint32_t home_of(const struct pair_map *map, uint32_t first, uint32_t second)
{
	uint64_t hash = ((uint64_t)first << 32 | second) * UINT64_C(0x9e3779b97f4a7c15);

	hash = (hash ^ hash >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
	return (uint32_t)(hash >> 32) & (map->size - 1);
}

/* Where the pair is, or else would be.  The map has room. */
static struct pair_slot *slot_of(const struct pair_map *map, uint32_t first, uint32_t second)
{
	uint32_t at = home_of(map, first, second);

	while (map->slots[at].value &&
	       (map->slots[at].first != first || map->slots[at].second != second))
		at = (at + 1) & (map->size - 1);
	return &map->slots[at];
}

static void grow(struct pair_map *map)
{
	struct pair_map larger = {.count = map->count, .size = map->size ? 2 * map->size : 64};

	larger.slots = xcalloc(larger.size, sizeof(*larger.slots));
	for (uint32_t i = 0; i < map->size; i++)
		if (map->slots[i].value)
			*slot_of(&larger, map->slots[i].first, map->slots[i].second) =
				map->slots[i];
	free(map->slots);
	*map = larger;
}

bool pair_map_find(struct pair_map *map, uint32_t first, uint32_t second, uint32_t next,
		   uint32_t *value)
{
	struct pair_slot *slot;

	if (2 * (uint64_t)map->count >= map->size)
		grow(map);
	slot = slot_of(map, first, second);
	if (slot->value) {
		*value = slot->value - 1;
		return true;
	}
	*slot = (struct pair_slot){first, second, next + 1};
	*value = next;
	map->count++;
	return false;
}

uint32_t pair_map_get(const struct pair_map *map, uint32_t first, uint32_t second)
{
	return map->size ? slot_of(map, first, second)->value - 1 : UINT32_MAX;
}

void pair_map_remove(struct pair_map *map, uint32_t first, uint32_t second)
{
	struct pair_slot *free_slot = map->size ? slot_of(map, first, second) : NULL;
	uint32_t mask = map->size - 1, at;

	if (!free_slot || !free_slot->value)
		return;
	map->count--;
	/* those after it that are found only past it come here */
	for (at = (uint32_t)(free_slot - map->slots + 1) & mask; map->slots[at].value;
	     at = (at + 1) & mask) {
		uint32_t home = home_of(map, map->slots[at].first, map->slots[at].second);

		if (((at - home) & mask) < ((at - (uint32_t)(free_slot - map->slots)) & mask))
			continue;
		*free_slot = map->slots[at];
		free_slot = &map->slots[at];
	}
	free_slot->value = 0;
}

void pair_map_release(struct pair_map *map)
{
	free(map->slots);
	*map = (struct pair_map){0};
}
