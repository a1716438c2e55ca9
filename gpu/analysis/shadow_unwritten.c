/* gpu/analysis/shadow_unwritten.c: loads of bytes that nobody has written. */
#include "gpu/analysis/shadow_internal.h"

#include <stdlib.h>

/* Of each `access` bytes from a multiple of that on, all, or none where a bit is not set. */
static uint64_t whole_accesses(uint64_t bits, unsigned access)
{
	const uint64_t starts = access < WORD_BYTES ? WORD_ALL / ((UINT64_C(1) << access) - 1) : 1;

	for (unsigned n = 1; n < access; n *= 2)
		bits &= bits >> n;
	bits &= starts;
	for (unsigned n = 1; n < access; n *= 2)
		bits |= bits << n;
	return bits;
}

void shadow_load(struct shadow_object *object, uint64_t offset, uint64_t size, unsigned access)
{
	/* most objects are initialised as a whole */
	if (object->initialised_bytes == object->size)
		return;
	if (!size || size > object->size || offset > object->size - size || access > WORD_BYTES)
		return;
	for (uint64_t word = offset / WORD_BYTES; word <= (offset + size - 1) / WORD_BYTES;
	     word++) {
		uint64_t bits = range_bits(word, offset, size) & ~object->initialised[word];

		if (!bits)
			continue;
		bits &= ~__atomic_load_n(&object->written[word], __ATOMIC_RELAXED);
		bits = whole_accesses(bits, access);
		if (!(bits & ~__atomic_load_n(&object->unwritten[word], __ATOMIC_RELAXED)))
			continue;
		__atomic_fetch_or(&object->unwritten[word], bits, __ATOMIC_RELAXED);
		__atomic_store_n(&object->uses_unwritten, true, __ATOMIC_RELAXED);
	}
}

bool shadow_list_unwritten(struct shadow *shadow, uint32_t object, uint64_t bytes)
{
	if (!bytes)
		return true;
	if (shadow->unwritten_count == shadow->unwritten_capacity) {
		const size_t capacity = shadow->unwritten_capacity * 2 + 8;
		struct object_unwritten *more =
			reallocarray(shadow->unwritten, capacity, sizeof(*more));

		if (!more)
			return false;
		shadow->unwritten = more;
		shadow->unwritten_capacity = capacity;
	}
	shadow->unwritten[shadow->unwritten_count++] = (struct object_unwritten){object, bytes};
	return true;
}

void shadow_unwritten(struct shadow *shadow,
		      void (*loaded)(void *data, uint32_t object, uint64_t bytes), void *data)
{
	for (size_t i = 0; i < shadow->unwritten_count; i++)
		loaded(data, shadow->unwritten[i].object, shadow->unwritten[i].bytes);
}
