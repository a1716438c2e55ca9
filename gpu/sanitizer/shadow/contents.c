/*
 * gpu/sanitizer/shadow/contents.c: what passes found of objects beside rows: digests, and sizes of
 * accesses.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/analysis/leaf.h"
#include "gpu/analysis/values.h"
#include "gpu/sanitizer/shadow/space_internal.h"

/* -- sizes -------------------------------------------------------------------------------- */

static int by_touched_id(const void *a, const void *b)
{
	const struct touched *x = a, *y = b;

	return (x->object->id > y->object->id) - (x->object->id < y->object->id);
}

void space_atomics(struct space *space,
		   void (*atomics)(void *data, uint32_t object, uint32_t sizes), void *data)
{
	bool any = false;

	for (uint32_t i = 0; i < space->touched_count && !any; i++)
		any = space->touched[i].result &&
		      values_of_kind(space->touched[i].result->sizes, VALUES_ATOMIC);
	if (!any)
		return;
	qsort(space->touched, space->touched_count, sizeof(*space->touched), by_touched_id);
	for (uint32_t i = 0; i < space->touched_count; i++) {
		const struct touched *touched = &space->touched[i];

		if (touched->result && touched->object->id &&
		    values_of_kind(touched->result->sizes, VALUES_ATOMIC))
			atomics(data, touched->object->id, touched->result->sizes);
	}
}

/* -- digests ------------------------------------------------------------------------------ */

static int by_id(const void *a, const void *b)
{
	const struct touched *x = a, *y = b;

	if (x->object->id != y->object->id)
		return x->object->id > y->object->id ? 1 : -1;
	return !!y->result - !!x->result; /* the result of a pass is newer */
}

/* Mostly they are in order: slots are given out in the order of ids, and passes list them so. */
static void sort_touched(struct space *space)
{
	for (uint32_t i = 1; i < space->touched_count; i++)
		if (by_id(&space->touched[i - 1], &space->touched[i]) > 0) {
			qsort(space->touched, space->touched_count, sizeof(*space->touched), by_id);
			return;
		}
}

static void list_forgotten(struct space *space)
{
	for (uint32_t slot = 0; space->forgotten && slot < space->slot_capacity; slot++) {
		struct object *object = space->owners[slot];

		if (!object || !object->forgotten)
			continue;
		object->forgotten = false;
		space->forgotten--;
		space->touched[space->touched_count++] = (struct touched){.object = object};
	}
}

static void report(struct object *object, const struct result_object *result,
		   void (*content)(void *data, uint32_t object, const uint8_t digest[DIGEST_BYTES],
				   bool zero),
		   void *data)
{
	static const struct result_object nothing;
	uint8_t digest[DIGEST_BYTES];
	bool unknown;

	if (!result)
		result = &nothing;
	unknown = !result->initialised_bytes;
	if (!object->id || (!object->reported && unknown))
		return; /* the sink does not know the object, or nothing was ever written to it */
	leaf_object(object->size, result->sum, unknown ? object->id : 0, digest);
	if (object->reported && !memcmp(digest, object->digest, DIGEST_BYTES))
		return;
	memcpy(object->digest, digest, DIGEST_BYTES);
	object->reported = true;
	content(data, object->id, digest,
		result->zero_leaf_count == (object->size + LEAF_BYTES - 1) / LEAF_BYTES);
}

void space_digests(struct space *space,
		   void (*content)(void *data, uint32_t object, const uint8_t digest[DIGEST_BYTES],
				   bool zero),
		   void *data)
{
	if (!space->digests)
		return;
	list_forgotten(space);
	sort_touched(space);
	for (uint32_t i = 0; i < space->touched_count; i++)
		if (!i || space->touched[i].object != space->touched[i - 1].object)
			report(space->touched[i].object, space->touched[i].result, content, data);
	space->touched_count = 0;
}
