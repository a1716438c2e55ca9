/* gpu/analysis/shadow_accessed.c: what of objects was accessed: see accessed.h. */
#include "gpu/analysis/shadow_internal.h"

#include <stdlib.h>

void shadow_follow_accesses(struct shadow *shadow)
{
	shadow->accesses = true;
}

void shadow_note_accessed(struct shadow_object *object, uint64_t block)
{
	struct accessed_slice *slice = &object->slice;
	uint64_t *accessed = object->accessed + block * BLOCK_UNITS / 64;

	for (unsigned i = 0; i < BLOCK_UNITS / 64; i++) {
		const uint64_t word = block * BLOCK_WORDS + i * UNIT_BYTES;
		const uint64_t unit = block * BLOCK_UNITS + (uint64_t)i * 64;
		uint64_t units = 0;

		for (unsigned k = 0; k < 64 / WORD_UNITS; k++) {
			uint64_t bytes = object->read[word + k] | object->written[word + k];

			if (object->uses_origin)
				bytes |= object->origin[word + k];
			units |= (uint64_t)accessed_units(bytes) << k * WORD_UNITS;
		}
		if (!units)
			continue;
		accessed[i] |= units;
		if (~(unit + unit_first(units)) > slice->from)
			slice->from = ~(unit + unit_first(units));
		slice->end = unit + 64 - (unsigned)__builtin_clzll(units);
	}
}

bool shadow_end_slice(struct shadow_object *object)
{
	struct shadow *shadow = object->shadow;
	struct object_slice *slices;

	if (!object->slice.end)
		return true;
	if (shadow->slice_count == shadow->slice_capacity) {
		slices = reallocarray(shadow->slices, shadow->slice_capacity * 2 + 8,
				      sizeof(*slices));
		if (!slices)
			return false;
		shadow->slices = slices;
		shadow->slice_capacity = shadow->slice_capacity * 2 + 8;
	}
	shadow->slices[shadow->slice_count++] =
		(struct object_slice){object->id, accessed_bytes(&object->slice, object->size)};
	object->slice = (struct accessed_slice){0};
	return true;
}

void shadow_slices(struct shadow *shadow,
		   void (*accessed)(void *data, uint32_t object, const struct gpu_slice *slice),
		   void *data)
{
	for (size_t i = 0; i < shadow->slice_count; i++)
		accessed(data, shadow->slices[i].object, &shadow->slices[i].slice);
}

bool shadow_accessed(const struct shadow_object *object, struct gpu_accessed *accessed)
{
	if (!object->accessed || object->forgotten || object->exposed ||
	    object->made_at != object->shadow->all_seen)
		return false;
	*accessed = accessed_figures(object->accessed, object->size);
	return true;
}
