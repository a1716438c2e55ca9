/* gpu/sanitizer/shadow/table.c: the table in which the patches search for the objects of addresses.
 */
#include <stdlib.h>

#include "gpu/sanitizer/shadow/hints.h"
#include "gpu/sanitizer/shadow/space_internal.h"

bool space_is_published(const struct space *space)
{
	return space->published;
}

void space_unpublish(struct space *space)
{
	space->published = false;
}

static int by_start(const void *a, const void *b)
{
	const struct device_entry *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* The objects of this space have changed: its table and those of its peers are out of date. */
static void changed(struct space *space)
{
	static uint64_t changes;

	space->published = false;
	space->changes = ++changes;
}

static struct device_entry entry_of(const struct object *object, CUdeviceptr empty_record)
{
	return (struct device_entry){
		.start = object->address,
		.size = object->size,
		.record = (struct device_record *)(uintptr_t)object_record(object),
		.miss_record = (struct device_record *)(uintptr_t)empty_record};
}

void table_note(const struct object *object, bool gone)
{
	struct space *space = object->space;

	changed(space);
	if (space->table_changes < TABLE_CHANGES)
		space->table_change[space->table_changes++] =
			(struct table_change){entry_of(object, space->empty_record), gone};
	else
		space->table_unknown = true;
}

void table_invalidate(struct space *space)
{
	changed(space);
	space->table_unknown = true;
}

/* Adds the followed objects of a space.  Returns how many there are then. */
static uint32_t add_entries(struct device_entry *entries, uint32_t count, const struct space *space,
			    CUdeviceptr empty_record)
{
	for (uint32_t i = 0; i < space->object_count; i++)
		if (space->objects[i]->slot != NO_SLOT)
			entries[count++] = entry_of(space->objects[i], empty_record);
	return count;
}

/* -- on the device ------------------------------------------------------------------------ */

static bool upload(struct space *space, CUdeviceptr to, const void *from, size_t size)
{
	return !size || space_check(space, driver.cuMemcpyHtoDAsync(to, from, size, space->stream));
}

/* Makes a record of no bytes, for addresses without an object. */
static bool make_empty_record(struct space *space)
{
	struct device_record empty_record = {
		.state = (struct device_state *)(uintptr_t)space->state};

	if (space->empty_record)
		return true;
	if (!space_check(space, driver.cuMemAlloc(&space->empty_record, sizeof(empty_record)))) {
		space->empty_record = 0;
		return false;
	}
	/* lanes that have no object load words of masks, too */
	empty_record.read_units = (uint32_t *)(uintptr_t)space->empty_record;
	empty_record.read = empty_record.written = (uint64_t *)(uintptr_t)space->empty_record;
	return upload(space, space->empty_record, &empty_record, sizeof(empty_record));
}

static bool make_room(struct space *space, uint64_t size)
{
	if (space->table_size >= size)
		return true;
	if (space->table && space_wait(space))
		driver.cuMemFree(space->table);
	space->table_size = 0;
	if (!space_check(space, driver.cuMemAlloc(&space->table, size))) {
		space->table = 0;
		return false;
	}
	space->table_size = size;
	return true;
}

_Static_assert(offsetof(struct device_candidates, limit) == offsetof(struct device_record, limit) &&
		       offsetof(struct device_candidates, tag) ==
			       offsetof(struct device_record, seen_sizes),
	       "patches load these before they know which of the two it is");

static uint64_t records_size(const struct space *space)
{
	return space->slot_capacity * sizeof(struct device_record);
}

/* A hint as the device has it; fills in what it needs in the arena. */
static uint64_t device_hint(const struct space *space, struct hint *hint)
{
	struct hints *hints = space->hints;
	const struct device_entry *entries = hint_entries(hints, hint);
	const CUdeviceptr place = space->table + hint->place;

	if (!hint->count)
		return space->empty_record;
	/* misses beside an object of a peer count in this context: see miss_record */
	if (hint->count == 1 && hint_is_own(entries, space->records, records_size(space)))
		return (uintptr_t)entries->record;
	*(struct device_candidates *)(hints->arena + hint->place) = (struct device_candidates){
		.first = (const struct device_entry *)(uintptr_t)(place + HINT_HEADER),
		.count = hint->count,
		.tag = CANDIDATES};
	return place;
}

/* What is uploaded in one copy; see struct device_state. */
struct hint_table {
	uint32_t granule_bits, hint_mask;
	uint64_t hints[HINTS_MAX];
};

_Static_assert(offsetof(struct device_state, hints) - offsetof(struct device_state, granule_bits) ==
		       offsetof(struct hint_table, hints),
	       "the two have the same layout");

static bool upload_all(struct space *space)
{
	struct hints *hints = space->hints;
	struct hint_table *hint_table = malloc(sizeof(*hint_table));
	bool done;

	if (!hint_table)
		return false;
	hint_table->granule_bits = hints->bits;
	hint_table->hint_mask = hints->hint_count - 1;
	for (uint32_t i = 0; i < hints->hint_count; i++)
		hint_table->hints[i] = device_hint(space, &hints->hints[i]);
	done = upload(space, space->state + offsetof(struct device_state, granule_bits), hint_table,
		      offsetof(struct hint_table, hints) +
			      hints->hint_count * sizeof(*hint_table->hints)) &&
	       upload(space, space->table, hints->arena, hints->used) && space_wait(space);
	free(hint_table);
	return done;
}

/* changes that are uploaded one by one: each takes two copies */
#define CHANGES_INCREMENTAL 16

static bool upload_changes(struct space *space)
{
	struct hints *hints = space->hints;
	const CUdeviceptr first = space->state + offsetof(struct device_state, hints);

	if (hints->changed_count > CHANGES_INCREMENTAL)
		return upload_all(space);
	for (uint32_t i = 0; i < hints->changed_count; i++) {
		struct hint *hint = &hints->hints[hints->changed[i]];
		const uint64_t hint_table = device_hint(space, hint);

		if (!upload(space, first + hints->changed[i] * sizeof(hint_table), &hint_table,
			    sizeof(hint_table)) ||
		    (hint_table == space->table + hint->place &&
		     !upload(space, space->table + hint->place, hints->arena + hint->place,
			     HINT_HEADER + hint->count * sizeof(struct device_entry))))
			return false;
	}
	return space_wait(space);
}

/* -- publishing --------------------------------------------------------------------------- */

/* Whether the table is up to date with the space and its peers. */
static bool is_current(const struct space *space, struct space *const *peers, unsigned peer_count)
{
	if (!space->published || space->table_peers != peer_count)
		return false;
	for (unsigned i = 0; i < peer_count; i++)
		if (space->table_peer_changes[i] != peers[i]->changes)
			return false;
	return true;
}

/* Makes the table of all objects anew. */
static bool publish_all(struct space *space, struct space *const *peers, unsigned peer_count)
{
	uint32_t count = space->object_count;
	struct device_entry *entries;
	bool done;

	for (unsigned i = 0; i < peer_count; i++)
		count += peers[i]->object_count;
	entries = malloc((count + 1) * sizeof(*entries));
	if (!entries)
		return false;
	count = add_entries(entries, 0, space, space->empty_record);
	for (unsigned i = 0; i < peer_count; i++)
		count = add_entries(entries, count, peers[i], space->empty_record);
	if (peer_count)
		qsort(entries, count, sizeof(*entries), by_start);
	done = hints_make(space->hints, entries, count, space->records, records_size(space)) == 0 &&
	       make_room(space, space->hints->size) && upload_all(space);
	free(entries);
	return done;
}

/* Applies the noted changes to the hints.  False: they must be made anew. */
static bool apply_changes(struct space *space)
{
	bool fine = space->hints->hint_count && !space->table_peers && !space->table_unknown;

	for (uint32_t i = 0; fine && i < space->table_changes; i++) {
		struct table_change *change = &space->table_change[i];

		fine = (change->gone ? hints_remove : hints_add)(space->hints, &change->entry);
	}
	return fine;
}

int space_publish(struct space *space, struct space *const *peers, unsigned peer_count)
{
	bool done;

	if (is_current(space, peers, peer_count))
		return 0;
	space->published = false;
	if (!space->hints)
		space->hints = calloc(1, sizeof(*space->hints));
	if (!space->hints || !make_empty_record(space))
		return -1;
	done = !peer_count && apply_changes(space) ? upload_changes(space)
						   : publish_all(space, peers, peer_count);
	space->table_changes = 0;
	space->table_unknown = !done;
	hints_clear_changes(space->hints);
	space->table_peers = peer_count;
	for (unsigned i = 0; i < peer_count; i++)
		space->table_peer_changes[i] = peers[i]->changes;
	space->published = done;
	return done ? 0 : -1;
}
