/* gpu/sanitizer/shadow/accessed.c: which parts of objects are accessed: see space.h. */
#include <stdlib.h>

#include "gpu/analysis/accessed.h"
#include "gpu/sanitizer/shadow/space_internal.h"

static int by_id(const void *a, const void *b)
{
	const struct touched *x = a, *y = b;

	return (x->object->id > y->object->id) - (x->object->id < y->object->id);
}

void space_slices(struct space *space,
		  void (*slice)(void *data, uint32_t object, const struct gpu_slice *slice),
		  void *data)
{
	bool sorted = true;

	if (!space->accesses)
		return;
	for (uint32_t i = 1; i < space->touched_count && sorted; i++)
		sorted = by_id(&space->touched[i - 1], &space->touched[i]) < 0;
	if (!sorted)
		qsort(space->touched, space->touched_count, sizeof(*space->touched), by_id);
	for (uint32_t i = 0; i < space->touched_count; i++) {
		const struct touched *touched = &space->touched[i];
		struct gpu_slice found;

		if (!touched->slice || !touched->slice->end || !touched->object->id)
			continue;
		found = accessed_bytes(touched->slice, touched->object->size);
		slice(data, touched->object->id, &found);
	}
}

void space_frequencies(const struct space *space,
		       void (*frequency)(void *data, uint32_t object,
					 const struct gpu_frequency *frequency),
		       void *data)
{
	for (uint32_t i = 0; i < space->touched_count && space->accesses; i++) {
		const struct touched *touched = &space->touched[i];

		if (touched->frequency && touched->frequency->elements && touched->object->id)
			frequency(data, touched->object->id, touched->frequency);
	}
}

bool object_accessed(struct object *object, struct gpu_accessed *accessed)
{
	const uint64_t size = UNIT_MASK_BYTES(object->size);
	struct space *space = object->space;
	struct device_record record;
	uint64_t *units;
	bool copied;

	if (!space->accesses || object->slot == NO_SLOT || space->failed || space->busy)
		return false;
	if (object->unknown || object->exposed || object_shared_by(object) != NOT_SHARED ||
	    object->made_at != space->all_seen_count)
		return false;
	if (!object->touched) { /* nothing is there to be read */
		*accessed = (struct gpu_accessed){.chunks = 1, .largest_bytes = object->size};
		return true;
	}
	units = malloc(size);
	if (!units)
		return false;
	object_describe(object, &record);
	copied = commands_await(space, false) &&
		 space_check(space, driver.cuMemcpyDtoHAsync(
					    units, (CUdeviceptr)(uintptr_t)record.accessed->units,
					    size, space->stream)) &&
		 space_wait(space);
	if (copied)
		*accessed = accessed_figures(units, object->size);
	free(units);
	return copied;
}

uint64_t space_allocated(const struct space *space)
{
	return space->allocated;
}

uint64_t space_own_bytes(const struct space *space)
{
	uint64_t bytes = space->own_bytes;

	for (uint32_t i = 0; i < space->object_count; i++) {
		const struct object *object = space->objects[i];

		bytes += object->base.host ? 0 : object->base.size;
		bytes += object->detail.host ? 0 : object->detail.size;
	}
	return bytes;
}

void space_each_object(struct space *space, void (*each)(struct object *object))
{
	for (uint32_t i = 0; i < space->object_count; i++)
		each(space->objects[i]);
}
