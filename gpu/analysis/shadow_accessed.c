/* gpu/analysis/shadow_accessed.c: what of objects was accessed: see accessed.h. */
#include "gpu/analysis/shadow_internal.h"

#include <stdlib.h>

#include "gpu/analysis/frequency.h"

void shadow_follow_accesses(struct shadow *shadow)
{
	shadow->accesses = true;
}

void shadow_count(struct shadow_object *object, uint64_t offset, uint64_t size)
{
	if (!object->counts || !size || offset >= object->size || size > object->size - offset)
		return;
	for (uint64_t unit = offset / UNIT_BYTES; unit <= (offset + size - 1) / UNIT_BYTES; unit++)
		__atomic_fetch_add(&object->counts[unit], 1, __ATOMIC_RELAXED);
}

/* Adds up how often these of 64 units were accessed, from number `first` on. */
static void note_counts(const struct shadow_object *object, uint64_t first, uint64_t units)
{
	const uint64_t part = frequency_part(object->size);
	struct gpu_frequency *sums = &object->shadow->frequency;
	struct frequency_word word = {0};

	for (; units; units &= units - 1) {
		const uint64_t unit = first + unit_first(units);
		const uint32_t count = object->counts[unit];

		if (!count) /* by a copy or set, or unseen */
			continue;
		frequency_add(&word, count, 1);
		sums->parts[unit / part] += count;
	}
	sums->elements += word.elements;
	sums->accesses += word.accesses;
	sums->squares_low += word.squares_low;
	sums->squares_high += word.squares_high;
	sums->most = sums->most > word.most ? sums->most : word.most;
	for (unsigned i = 0; i < FREQUENCY_OFTEN; i++)
		sums->often[i] += word.often[i / 8] >> i % 8 * 8 & 0xff;
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
		note_counts(object, unit, units);
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

bool shadow_end_frequency(struct shadow_object *object)
{
	struct shadow *shadow = object->shadow;
	struct object_frequency *frequencies;

	if (!shadow->frequency.elements)
		return true;
	if (!frequency_varies(&shadow->frequency)) {
		shadow->frequency = (struct gpu_frequency){0};
		return true;
	}
	if (shadow->frequency_count == shadow->frequency_capacity) {
		frequencies = reallocarray(shadow->frequencies, shadow->frequency_capacity * 2 + 8,
					   sizeof(*frequencies));
		if (!frequencies)
			return false;
		shadow->frequencies = frequencies;
		shadow->frequency_capacity = shadow->frequency_capacity * 2 + 8;
	}
	shadow->frequency.granularity = UNIT_BYTES;
	shadow->frequencies[shadow->frequency_count++] =
		(struct object_frequency){object->id, shadow->frequency};
	shadow->frequency = (struct gpu_frequency){0};
	return true;
}

void shadow_slices(struct shadow *shadow,
		   void (*accessed)(void *data, uint32_t object, const struct gpu_slice *slice),
		   void *data)
{
	for (size_t i = 0; i < shadow->slice_count; i++)
		accessed(data, shadow->slices[i].object, &shadow->slices[i].slice);
}

void shadow_frequencies(struct shadow *shadow,
			void (*accessed)(void *data, uint32_t object,
					 const struct gpu_frequency *frequency),
			void *data)
{
	for (size_t i = 0; i < shadow->frequency_count; i++)
		accessed(data, shadow->frequencies[i].object, &shadow->frequencies[i].frequency);
}

bool shadow_accessed(const struct shadow_object *object, struct gpu_accessed *accessed)
{
	if (!object->accessed || object->forgotten || object->exposed ||
	    object->made_at != object->shadow->all_seen)
		return false;
	*accessed = accessed_figures(object->accessed, object->size);
	return true;
}
