/* gpu/sanitizer/shadow/values.c: the values that launches load and store: see space.h. */
#include <stdlib.h>
#include <string.h>

#include "gpu/sanitizer/device/value_slots.h"
#include "gpu/sanitizer/shadow/space_internal.h"

bool space_follow_values(struct space *space, uint32_t nth)
{
	const uint32_t header[] = {nth ? nth : 1, 0};

	space->value_slots = calloc(VALUE_SLOTS, sizeof(*space->value_slots));
	return space->value_slots &&
	       space_check(space,
			   driver.cuMemAlloc(&space->values, sizeof(struct device_values))) &&
	       space_check(space,
			   driver.cuMemsetD8Async(space->values, 0, sizeof(struct device_values),
						  space->stream)) &&
	       space_check(space, driver.cuMemcpyHtoDAsync(space->values, header, sizeof(header),
							   space->stream)) &&
	       space_describe(space) && space_wait(space);
}

bool space_has_values(const struct space *space)
{
	return space->values && !space->failed;
}

/* Forgets all, for the next launch. */
static bool clear(struct space *space)
{
	const size_t left = offsetof(struct device_values, left);

	return space_check(space, driver.cuMemsetD8Async(space->values + left, 0,
							 sizeof(struct device_values) - left,
							 space->stream)) &&
	       space_wait(space);
}

static bool fetch(struct space *space, void *to, size_t at, size_t size)
{
	return space_check(space,
			   driver.cuMemcpyDtoHAsync(to, space->values + at, size, space->stream)) &&
	       space_wait(space);
}

static int by_key(const void *left, const void *right)
{
	const struct value_slot *const *a = left, *const *b = right;

	return ((*a)->key > (*b)->key) - ((*a)->key < (*b)->key);
}

/* In the order of their keys: that of the table differs from run to run. */
static bool each_slot(struct space *space, space_value *each, void *data)
{
	const struct value_slot **used = calloc(VALUE_SLOTS, sizeof(*used));
	struct counted_value counts[VALUE_COUNTS];
	uint32_t count = 0;
	bool fine = used != NULL;

	for (uint32_t i = 0; i < VALUE_SLOTS && used; i++)
		if (space->value_slots[i].key)
			used[count++] = &space->value_slots[i];
	if (count)
		qsort(used, count, sizeof(*used), by_key);
	for (uint32_t i = 0; i < count && fine; i++) {
		const struct value_slot *slot = used[i];
		const uint32_t record = VALUE_KEY_RECORD(slot->key);
		const size_t at = offsetof(struct device_values, counts) +
				  (size_t)(slot - space->value_slots) * sizeof(counts);

		fine = fetch(space, counts, at, sizeof(counts));
		if (fine && record < space->slot_capacity && space->owners[record])
			each(data, space->owners[record], slot, counts);
	}
	free(used);
	return fine;
}

int space_values(struct space *space, space_value *each, void *data, uint64_t *left)
{
	*left = 0;
	if (!space->values || space->failed)
		return 0;
	if (!fetch(space, left, offsetof(struct device_values, left), sizeof(*left)) ||
	    !fetch(space, space->value_slots, offsetof(struct device_values, slots),
		   VALUE_SLOTS * sizeof(*space->value_slots)))
		return -1;
	return each_slot(space, each, data) && clear(space) ? 0 : -1;
}

int space_drop_values(struct space *space)
{
	return !space->values || space->failed || clear(space) ? 0 : -1;
}
