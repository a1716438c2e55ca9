/* util/pair_map.h: numbers of pairs of numbers. */
#ifndef VFLOW_UTIL_PAIR_MAP_H
#define VFLOW_UTIL_PAIR_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: empty. */
struct pair_map {
	struct pair_slot *slots;
	uint32_t count, size;
};

/* *value: the pair's; where it is new, false, and its value is `next` (< UINT32_MAX) from now on.
 */
bool pair_map_find(struct pair_map *map, uint32_t first, uint32_t second, uint32_t next,
		   uint32_t *value);
/* UINT32_MAX: it has none. */
uint32_t pair_map_get(const struct pair_map *map, uint32_t first, uint32_t second);
void pair_map_remove(struct pair_map *map, uint32_t first, uint32_t second);
/* It is empty then. */
void pair_map_release(struct pair_map *map);

#endif
