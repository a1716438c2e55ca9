/* graph/build/live.c: see build/live.h. */
#include "graph/build/live.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum { BLOCK = 64 }; /* parts */

void *live_find(const struct live *live, uint32_t index)
{
	return index < live->capacity ? live->objects[index] : NULL;
}

static void make_room(struct live *live, uint32_t index)
{
	uint32_t old = live->capacity;

	while (live->capacity <= index)
		live->capacity = live->capacity ? 2 * live->capacity : 64;
	live->objects = xreallocarray(live->objects, live->capacity, sizeof(*live->objects));
	memset(live->objects + old, 0, (live->capacity - old) * sizeof(*live->objects));
}

void *live_object(struct live *live, uint32_t index)
{
	struct live_object *object = live_find(live, index);

	if (object)
		return object;
	if (index >= live->capacity)
		make_room(live, index);
	object = xcalloc(1, live->object_size);
	object->index = index;
	live->objects[index] = object;
	if (live->first == live->end)
		live->first = live->end = index;
	if (index < live->first)
		live->first = index;
	if (index >= live->end)
		live->end = index + 1;
	return object;
}

static struct live_part *part_at(const struct live *live, uint32_t number)
{
	return (void *)(live->blocks[number / BLOCK] + number % BLOCK * live->part_size);
}

void *live_find_part(struct live *live, void *of, uint32_t vertex)
{
	struct live_object *object = of;
	uint32_t number;

	/* mostly of the same last writer as before */
	if (object->last && object->last->vertex == vertex)
		return object->last;
	number = pair_map_get(&live->by_vertex, object->index, vertex);
	if (number == UINT32_MAX)
		return NULL;
	return object->last = part_at(live, number);
}

/* Not zeroed but for its number. */
static struct live_part *take_spare(struct live *live)
{
	struct live_part *part = live->spare;

	if (part) {
		live->spare = part->next;
		return part;
	}
	if (live->part_count == live->block_count * BLOCK) {
		ARRAY_RESERVE(live->blocks, live->block_count, live->block_capacity);
		live->blocks[live->block_count++] = xcalloc(BLOCK, live->part_size);
	}
	part = part_at(live, live->part_count);
	part->number = live->part_count++;
	return part;
}

void *live_part(struct live *live, void *of, uint32_t vertex)
{
	struct live_part *part = live_find_part(live, of, vertex);
	struct live_object *object = of;
	uint32_t number;

	if (part)
		return part;
	part = take_spare(live);
	number = part->number;
	memset(part, 0, live->part_size);
	part->number = number;
	part->vertex = vertex;
	part->next = object->parts;
	object->parts = object->last = part;
	pair_map_find(&live->by_vertex, object->index, vertex, number, &number);
	return part;
}

void live_drop(struct live *live, void *of)
{
	struct live_object *object = of;
	struct live_part *part, *next;

	for (part = object->parts; part; part = next) {
		next = part->next;
		pair_map_remove(&live->by_vertex, object->index, part->vertex);
		part->next = live->spare;
		live->spare = part;
	}
	live->objects[object->index] = NULL;
	free(object);
}

void *live_any(struct live *live)
{
	while (live->first < live->end && !live->objects[live->first])
		live->first++;
	return live->first < live->end ? live->objects[live->first] : NULL;
}

void live_release(struct live *live)
{
	struct live_object *object;

	while ((object = live_any(live)))
		live_drop(live, object);
	pair_map_release(&live->by_vertex);
	for (uint32_t i = 0; i < live->block_count; i++)
		free(live->blocks[i]);
	free(live->blocks);
	free(live->objects);
	*live = (struct live){.object_size = live->object_size, .part_size = live->part_size};
}
