/*
 * collect/guest/memory.c: arrays and hash tables that report failure instead of ending a process
 * that is not ours.
 */
#include "collect/guest/guest.h"

#include <stdlib.h>
#include <string.h>

void *guest_reserve(void *array, uint32_t count, uint32_t *capacity, size_t size)
{
	uint32_t larger = *capacity ? *capacity * 2 : 64;

	if (count < *capacity)
		return array;
	if (larger <= *capacity) /* 2^31 elements */
		return NULL;
	array = reallocarray(array, larger, size);
	if (array)
		*capacity = larger;
	return array;
}

uint32_t table_hash(uint32_t hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * UINT32_C(0x01000193);
	return hash;
}

/* Spreads the high bits, which decide little in FNV, over the low ones, which pick the slot. */
static uint32_t home(const struct table *table, uint32_t hash)
{
	hash ^= hash >> 16;
	hash *= UINT32_C(0x85ebca6b);
	return (hash ^ hash >> 13) & (table->capacity - 1);
}

uint32_t table_find(const struct table *table, uint32_t hash, uint32_t *position)
{
	const struct table_slot *slot;

	if (!table->capacity)
		return 0;
	do {
		uint32_t at = (home(table, hash) + *position) & (table->capacity - 1);

		slot = &table->slots[at];
		++*position;
	} while (slot->id && slot->hash != hash);
	return slot->id;
}

static void insert(struct table *table, uint32_t hash, uint32_t id)
{
	uint32_t at = home(table, hash);

	while (table->slots[at].id)
		at = (at + 1) & (table->capacity - 1);
	table->slots[at] = (struct table_slot){hash, id};
}

int table_add(struct table *table, uint32_t hash, uint32_t id)
{
	/* at most half full: searches end soon */
	if (table->count >= table->capacity / 2) {
		struct table larger = {.capacity = table->capacity ? table->capacity * 2 : 64};

		if (larger.capacity)
			larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
		if (!larger.slots)
			return -1;
		for (uint32_t i = 0; i < table->capacity; i++)
			if (table->slots[i].id)
				insert(&larger, table->slots[i].hash, table->slots[i].id);
		larger.count = table->count;
		free(table->slots);
		*table = larger;
	}
	insert(table, hash, id);
	table->count++;
	return 0;
}
