/* gpu/sanitizer/table.c: the table in which the patches search for the objects of addresses. */
#include <stdlib.h>

#include "gpu/sanitizer/hints.h"
#include "gpu/sanitizer/space_internal.h"

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

/* A record without bytes comes first, then entries, then what hints lead to that name several. */
#define ENTRIES sizeof(struct device_record)
#define AT_MOST(entries)                                                                           \
	(ENTRIES + (entries) * sizeof(struct device_entry) +                                       \
	 HINTS_MAX * sizeof(struct device_several))

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
	if (!space_check(space, driver.cuMemAlloc(&space->table, AT_MOST(capacity))) ||
	    !put(space, space->table, &nothing, sizeof(nothing)))
		return false;
	space->table_capacity = capacity;
	return true;
}

/* What is put onto the device at once; see device_state. */
struct hints {
	uint32_t geometry, padding;
	uint64_t hints[HINTS_MAX];
	struct device_hint made[HINTS_MAX];
};

_Static_assert(offsetof(struct device_state, hints) - offsetof(struct device_state, geometry) ==
		       offsetof(struct hints, hints),
	       "what lies together here does so there");

/* Entries, with room for all that hints can name behind them. */
struct listing {
	struct device_entry *entries;
	uint32_t count, several;
};

static struct device_several *several(const struct listing *listing)
{
	return (struct device_several *)(listing->entries + listing->count);
}

static uint64_t as_seen(const struct space *space, const struct device_hint *hint,
			struct listing *listing)
{
	const CUdeviceptr entries = space->table + ENTRIES;
	const CUdeviceptr first = entries + hint->first * sizeof(struct device_entry);
	const CUdeviceptr own = space->records;
	uint32_t place = listing->several;

	if (!hint->count)
		return space->table;
	/* what lies beside a record of another context is missed in this one */
	if (hint->count == 1 && (uintptr_t)listing->entries[hint->first].record - own <
					space->slot_capacity * sizeof(struct device_record))
		return (uintptr_t)listing->entries[hint->first].record;
	several(listing)[place] = (struct device_several){
		.first = (const struct device_entry *)(uintptr_t)first, .count = hint->count};
	listing->several++;
	return HINT_SEVERAL | (entries + listing->count * sizeof(struct device_entry) +
			       place * sizeof(struct device_several));
}

static bool upload(struct space *space, struct listing *listing)
{
	struct hints *hints = malloc(sizeof(*hints));
	uint32_t bits = 0,
		 made = hints ? hints_make(hints->made, &bits, listing->entries, listing->count)
			      : 0;
	bool done;

	listing->several = 0;
	for (uint32_t i = 0; i < made; i++)
		hints->hints[i] = as_seen(space, &hints->made[i], listing);
	if (made)
		hints->geometry = HINT_GEOMETRY(bits, made);
	done = made &&
	       put(space, space->state + offsetof(struct device_state, geometry), hints,
		   offsetof(struct hints, hints) + made * sizeof(*hints->hints)) &&
	       put(space, space->table + ENTRIES, listing->entries,
		   listing->count * sizeof(struct device_entry) +
			   listing->several * sizeof(struct device_several)) &&
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
	struct listing listing = {0};
	struct device_entry *entries;

	if (is_current(space, peers, peer_count))
		return 0;
	for (unsigned i = 0; i < peer_count; i++)
		count += peers[i]->object_count;
	space->published = false;
	if (!make_room(space, count))
		return -1;
	entries = listing.entries = malloc(AT_MOST(count));
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
	listing.count = count;
	space->published = upload(space, &listing);
	free(entries);
	return space->published ? 0 : -1;
}
