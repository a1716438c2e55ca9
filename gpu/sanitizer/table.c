/* gpu/sanitizer/table.c: the table in which the patches search for the objects of addresses. */
#include <stdlib.h>

#include "gpu/sanitizer/hints.h"
#include "gpu/sanitizer/space_internal.h"

bool space_is_published(const struct space *space)
{
	return space->published;
}

static int by_start(const void *a, const void *b)
{
	const struct device_entry *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Adds the followed objects of a space.  Returns how many there are then. */
static uint32_t add_entries(struct device_entry *entries, uint32_t count, const struct space *space)
{
	for (uint32_t i = 0; i < space->object_count; i++) {
		const struct object *object = space->objects[i];

		if (object->slot != NO_SLOT)
			entries[count++] = (struct device_entry){
				.start = object->address,
				.size = object->size,
				.record = (struct device_record *)(uintptr_t)object_record(object)};
	}
	return count;
}

/* The hints come first, then a record without bytes, then the entries. */
#define NOTHING (HINTS_MAX * sizeof(uint64_t))
#define ENTRIES (NOTHING + sizeof(struct device_record))

static bool make_room(struct space *space, uint32_t wanted)
{
	uint32_t capacity = space->slot_capacity > wanted ? space->slot_capacity : 2 * wanted;

	if (space->table && space->table_capacity >= wanted)
		return true;
	if (space->table && space_wait(space))
		driver.cuMemFree(space->table);
	space->table = 0;
	space->table_capacity = 0;
	if (!space_check(space,
			 driver.cuMemAlloc(&space->table,
					   ENTRIES + capacity * sizeof(struct device_entry))) ||
	    !space_check(space, driver.cuMemsetD8Async(space->table, 0, ENTRIES, space->stream)))
		return false;
	space->table_capacity = capacity;
	return true;
}

static bool put(struct space *space, CUdeviceptr to, const void *from, size_t size)
{
	return !size || space_check(space, driver.cuMemcpyHtoDAsync(to, from, size, space->stream));
}

static uint64_t as_seen(const struct space *space, const struct device_hint *hint,
			const struct device_entry *entries)
{
	if (!hint->count)
		return space->table + NOTHING;
	if (hint->count == 1)
		return (uintptr_t)entries[hint->first].record;
	return HINT_MANY | (uint64_t)hint->count << 32 | hint->first;
}

static bool upload(struct space *space, const struct device_entry *entries, uint32_t count)
{
	CUdeviceptr at = space->table + ENTRIES;
	struct device_hint *hints = malloc(HINTS_MAX * sizeof(*hints));
	struct device_state state = {.entries = (const struct device_entry *)(uintptr_t)at,
				     .hints = (const uint64_t *)(uintptr_t)space->table,
				     .records = (struct device_record *)(uintptr_t)space->records,
				     .listed = (uint32_t *)(uintptr_t)space->listed,
				     .listed_words = (uint32_t *)(uintptr_t)space->listed_words,
				     .slots = space->slot_capacity};
	uint32_t made = hints ? hints_make(hints, &state.hint_shift, entries, count) : 0;
	uint64_t *seen = malloc((made + 1) * sizeof(*seen));
	bool done = seen;

	for (uint32_t i = 0; done && i < made; i++)
		seen[i] = as_seen(space, &hints[i], entries);
	state.hint_mask = made - 1;
	done = done && made &&
	       put(space, space->state, &state, offsetof(struct device_state, progress)) &&
	       put(space, space->table, seen, made * sizeof(*seen)) &&
	       put(space, at, entries, count * sizeof(*entries)) && space_wait(space);
	free(seen);
	free(hints);
	return done;
}

/* Whether the table has what the space and its peers have now. */
static bool is_current(const struct space *space, struct space *const *peers, unsigned peer_count)
{
	if (!space->published || space->foreign != peer_count)
		return false;
	for (unsigned i = 0; i < peer_count; i++)
		if (space->foreign_changes[i] != peers[i]->changes)
			return false;
	return true;
}

int space_publish(struct space *space, struct space *const *peers, unsigned peer_count)
{
	uint32_t count = space->object_count;
	struct device_entry *entries;

	if (is_current(space, peers, peer_count))
		return 0;
	for (unsigned i = 0; i < peer_count; i++)
		count += peers[i]->object_count;
	space->published = false;
	if (!make_room(space, count))
		return -1;
	entries = calloc(count + 1, sizeof(*entries));
	if (!entries)
		return -1;
	count = add_entries(entries, 0, space);
	for (unsigned i = 0; i < peer_count; i++)
		count = add_entries(entries, count, peers[i]);
	if (peer_count)
		qsort(entries, count, sizeof(*entries), by_start);
	space->foreign = peer_count;
	for (unsigned i = 0; i < peer_count; i++)
		space->foreign_changes[i] = peers[i]->changes;
	space->published = upload(space, entries, count);
	free(entries);
	return space->published ? 0 : -1;
}
