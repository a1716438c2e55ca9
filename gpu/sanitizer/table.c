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
static uint32_t add_entries(struct device_entry *entries, uint32_t count, const struct space *space,
			    CUdeviceptr nothing)
{
	for (uint32_t i = 0; i < space->object_count; i++) {
		const struct object *object = space->objects[i];

		if (object->slot != NO_SLOT)
			entries[count++] = (struct device_entry){
				.start = object->address,
				.size = object->size,
				.record = (struct device_record *)(uintptr_t)object_record(object),
				.beside = (struct device_record *)(uintptr_t)nothing};
	}
	return count;
}

/* A record without bytes comes first, then what hints lead to that name several, then entries. */
#define SEVERAL sizeof(struct device_record)
#define ENTRIES (SEVERAL + HINTS_MAX * sizeof(struct device_several))

static bool put(struct space *space, CUdeviceptr to, const void *from, size_t size)
{
	return !size || space_check(space, driver.cuMemcpyHtoDAsync(to, from, size, space->stream));
}

static bool make_room(struct space *space, uint32_t wanted)
{
	const struct device_record nothing = {
		.state = (struct device_state *)(uintptr_t)space->state};
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
	    !put(space, space->table, &nothing, sizeof(nothing)))
		return false;
	space->table_capacity = capacity;
	return true;
}

/* What is put onto the device at once; see device_state. */
struct hints {
	uint32_t geometry, padding;
	uint64_t hints[HINTS_MAX];
	struct device_several several[HINTS_MAX];
	uint32_t several_count;
	struct device_hint made[HINTS_MAX];
};

_Static_assert(offsetof(struct device_state, hints) - offsetof(struct device_state, geometry) ==
		       offsetof(struct hints, hints),
	       "what lies together here does so there");

static uint64_t as_seen(const struct space *space, struct hints *hints,
			const struct device_hint *hint, const struct device_entry *entries)
{
	const CUdeviceptr first = space->table + ENTRIES + hint->first * sizeof(*entries);
	const CUdeviceptr own = space->records;
	uint32_t place = hints->several_count;

	if (!hint->count)
		return space->table;
	/* what lies beside a record of another context is missed in this one */
	if (hint->count == 1 && (uintptr_t)entries[hint->first].record - own <
					space->slot_capacity * sizeof(struct device_record))
		return (uintptr_t)entries[hint->first].record;
	hints->several[place] = (struct device_several){
		.first = (const struct device_entry *)(uintptr_t)first, .count = hint->count};
	hints->several_count++;
	return HINT_SEVERAL | (space->table + SEVERAL + place * sizeof(struct device_several));
}

static bool upload(struct space *space, const struct device_entry *entries, uint32_t count)
{
	struct hints *hints = malloc(sizeof(*hints));
	uint32_t bits = 0, made = hints ? hints_make(hints->made, &bits, entries, count) : 0;
	bool done;

	if (hints)
		hints->several_count = 0;
	for (uint32_t i = 0; i < made; i++)
		hints->hints[i] = as_seen(space, hints, &hints->made[i], entries);
	if (made)
		hints->geometry = HINT_GEOMETRY(bits, made);
	done = made &&
	       put(space, space->state + offsetof(struct device_state, geometry), hints,
		   offsetof(struct hints, hints) + made * sizeof(*hints->hints)) &&
	       put(space, space->table + SEVERAL, hints->several,
		   hints->several_count * sizeof(*hints->several)) &&
	       put(space, space->table + ENTRIES, entries, count * sizeof(*entries)) &&
	       space_wait(space);
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
	count = add_entries(entries, 0, space, space->table);
	for (unsigned i = 0; i < peer_count; i++)
		count = add_entries(entries, count, peers[i], space->table);
	if (peer_count)
		qsort(entries, count, sizeof(*entries), by_start);
	space->foreign = peer_count;
	for (unsigned i = 0; i < peer_count; i++)
		space->foreign_changes[i] = peers[i]->changes;
	space->published = upload(space, entries, count);
	free(entries);
	return space->published ? 0 : -1;
}
