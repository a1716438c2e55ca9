/* gpu/sanitizer/shadow/table.c: the table in which the patches search for the objects of addresses.
 */
#include <stdlib.h>

#include "gpu/sanitizer/shadow/hints.h"
#include "gpu/sanitizer/shadow/space_internal.h"

bool space_is_published(const struct space *space)
{
	return space->published;
}

void space_outdate(struct space *space)
{
	space->published = false;
}

static int by_start(const void *a, const void *b)
{
	const struct device_entry *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* What tables say of this space's objects is out of date, those of its peers, too. */
static void changed(struct space *space)
{
	static uint64_t changes;

	space->published = false;
	space->changes = ++changes;
}

static struct device_entry entry_of(const struct object *object, CUdeviceptr nothing)
{
	return (struct device_entry){
		.start = object->address,
		.size = object->size,
		.record = (struct device_record *)(uintptr_t)object_record(object),
		.beside = (struct device_record *)(uintptr_t)nothing};
}

void table_note(const struct object *object, bool gone)
{
	struct space *space = object->space;

	changed(space);
	if (space->table_changes < TABLE_CHANGES)
		space->table_change[space->table_changes++] =
			(struct table_change){entry_of(object, space->nothing), gone};
	else
		space->table_unknown = true;
}

void table_outdate(struct space *space)
{
	changed(space);
	space->table_unknown = true;
}

/* Adds the followed objects of a space.  Returns how many there are then. */
static uint32_t add_entries(struct device_entry *entries, uint32_t count, const struct space *space,
			    CUdeviceptr nothing)
{
	for (uint32_t i = 0; i < space->object_count; i++)
		if (space->objects[i]->slot != NO_SLOT)
			entries[count++] = entry_of(space->objects[i], nothing);
	return count;
}

/* -- on the device ------------------------------------------------------------------------ */

static bool put(struct space *space, CUdeviceptr to, const void *from, size_t size)
{
	return !size || space_check(space, driver.cuMemcpyHtoDAsync(to, from, size, space->stream));
}

/* A record without bytes. */
static bool make_nothing(struct space *space)
{
	struct device_record nothing = {.state = (struct device_state *)(uintptr_t)space->state};

	if (space->nothing)
		return true;
	if (!space_check(space, driver.cuMemAlloc(&space->nothing, sizeof(nothing)))) {
		space->nothing = 0;
		return false;
	}
	/* lanes that have no object look at some memory, too */
	nothing.read_units = (uint32_t *)(uintptr_t)space->nothing;
	nothing.read = nothing.written = (uint64_t *)(uintptr_t)space->nothing;
	return put(space, space->nothing, &nothing, sizeof(nothing));
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

_Static_assert(offsetof(struct device_several, limit) == offsetof(struct device_record, limit) &&
		       offsetof(struct device_several, several) ==
			       offsetof(struct device_record, slot),
	       "patches look at both before they know which it is");

static uint64_t records_size(const struct space *space)
{
	return space->slot_capacity * sizeof(struct device_record);
}

/* As the device sees it, with what it needs in the arena. */
static uint64_t as_seen(const struct space *space, struct hint *hint)
{
	struct hints *hints = space->hints;
	const struct device_entry *entries = hint_entries(hints, hint);
	const CUdeviceptr place = space->table + hint->place;

	if (!hint->count)
		return space->nothing;
	/* what lies beside a record of another context is missed in this one */
	if (hint->count == 1 && hint_is_own(entries, space->records, records_size(space)))
		return (uintptr_t)entries->record;
	*(struct device_several *)(hints->arena + hint->place) = (struct device_several){
		.first = (const struct device_entry *)(uintptr_t)(place + HINT_HEAD),
		.count = hint->count,
		.several = SEVERAL};
	return place;
}

/* What is put onto the device at once; see device_state. */
struct seen {
	uint32_t granule_bits, hint_mask;
	uint64_t hints[HINTS_MAX];
};

_Static_assert(offsetof(struct device_state, hints) - offsetof(struct device_state, granule_bits) ==
		       offsetof(struct seen, hints),
	       "what lies together here does so there");

static bool upload_all(struct space *space)
{
	struct hints *hints = space->hints;
	struct seen *seen = malloc(sizeof(*seen));
	bool done;

	if (!seen)
		return false;
	seen->granule_bits = hints->bits;
	seen->hint_mask = hints->made - 1;
	for (uint32_t i = 0; i < hints->made; i++)
		seen->hints[i] = as_seen(space, &hints->hints[i]);
	done = put(space, space->state + offsetof(struct device_state, granule_bits), seen,
		   offsetof(struct seen, hints) + hints->made * sizeof(*seen->hints)) &&
	       put(space, space->table, hints->arena, hints->used) && space_wait(space);
	free(seen);
	return done;
}

/* Each takes two copies. */
#define CHANGES_ONE_BY_ONE 16

static bool upload_changes(struct space *space)
{
	struct hints *hints = space->hints;
	const CUdeviceptr first = space->state + offsetof(struct device_state, hints);

	if (hints->changed_count > CHANGES_ONE_BY_ONE)
		return upload_all(space);
	for (uint32_t i = 0; i < hints->changed_count; i++) {
		struct hint *hint = &hints->hints[hints->changed[i]];
		const uint64_t seen = as_seen(space, hint);

		if (!put(space, first + hints->changed[i] * sizeof(seen), &seen, sizeof(seen)) ||
		    (seen == space->table + hint->place &&
		     !put(space, space->table + hint->place, hints->arena + hint->place,
			  HINT_HEAD + hint->count * sizeof(struct device_entry))))
			return false;
	}
	return space_wait(space);
}

/* -- publishing --------------------------------------------------------------------------- */

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

/* Makes the hints of all objects anew. */
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
	count = add_entries(entries, 0, space, space->nothing);
	for (unsigned i = 0; i < peer_count; i++)
		count = add_entries(entries, count, peers[i], space->nothing);
	if (peer_count)
		qsort(entries, count, sizeof(*entries), by_start);
	done = hints_make(space->hints, entries, count, space->records, records_size(space)) == 0 &&
	       make_room(space, space->hints->size) && upload_all(space);
	free(entries);
	return done;
}

/* Brings the hints up to date with what was noted.  False: they are to be made anew. */
static bool follow_changes(struct space *space)
{
	bool fine = space->hints->made && !space->foreign && !space->table_unknown;

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
	if (!space->hints || !make_nothing(space))
		return -1;
	done = !peer_count && follow_changes(space) ? upload_changes(space)
						    : publish_all(space, peers, peer_count);
	space->table_changes = 0;
	space->table_unknown = !done;
	hints_seen(space->hints);
	space->foreign = peer_count;
	for (unsigned i = 0; i < peer_count; i++)
		space->foreign_changes[i] = peers[i]->changes;
	space->published = done;
	return done ? 0 : -1;
}
