/*
 * gpu/sanitizer/pass.c: what the running API touched, and the pass after it.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/analysis/sha256.h"
#include "gpu/sanitizer/space_internal.h"

#define THREADS 256
#define LIST_ROWS 65535 /* of a grid */

/* -- what the running API touched --------------------------------------------------------- */

void object_list(struct object *object)
{
	if (object->listed)
		return;
	object->listed = true;
	object->space->touched[object->space->touched_count++] = object;
}

static uint64_t blocks_for_rows(uint64_t width, uint64_t height)
{
	return (height * (width / WORD_BYTES + 2) + THREADS - 1) / THREADS;
}

int space_mark(struct object *object, uint64_t offset, uint64_t pitch, uint64_t width,
	       uint64_t height, uint32_t marks)
{
	CUdeviceptr record = object_record(object);

	object_list(object);
	return space_launch(object->space, PASS_MARK, blocks_for_rows(width, height), 1, THREADS,
			    (void *[]){&record, &offset, &pitch, &width, &height, &marks})
		       ? 0
		       : -1;
}

int space_mark_copy(struct object *to, uint64_t offset, uint64_t pitch, struct object *from,
		    uint64_t from_offset, uint64_t from_pitch, uint64_t width, uint64_t height)
{
	CUdeviceptr to_record, from_record;

	if (!object_need_body(to))
		return 0;
	to_record = object_record(to);
	from_record = object_record(from);
	object_list(to);
	return space_launch(to->space, PASS_MARK_COPY, blocks_for_rows(width, height), 1, THREADS,
			    (void *[]){&to_record, &offset, &pitch, &from_record, &from_offset,
				       &from_pitch, &width, &height})
		       ? 0
		       : -1;
}

void space_take_touched(struct space *space)
{
	for (uint32_t i = 0; i < space->slot_capacity && space->list[i]; i++) {
		struct object *object = space->owners[space->list[i] - 1];

		if (object)
			object_list(object);
		space->list[i] = 0;
	}
}

struct object *const *space_touched(struct space *space, uint32_t *count)
{
	*count = space->touched_count;
	return space->touched;
}

/* -- passes over lists of objects --------------------------------------------------------- */

/* Hands the touched objects to the passes, through the list that the patches use, too. */
static void write_list(struct space *space)
{
	for (uint32_t i = 0; i < space->touched_count; i++)
		space->list[i] = space->touched[i]->slot + 1;
}

static void clear_list(struct space *space)
{
	memset(space->list, 0, space->touched_count * sizeof(*space->list));
	for (uint32_t i = 0; i < space->touched_count; i++)
		space->touched[i]->listed = false;
	space->touched_count = 0;
}

static uint64_t most_blocks(const struct space *space)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < space->touched_count; i++)
		if (space->touched[i]->size > most)
			most = space->touched[i]->size;
	return (most + LEAF_BYTES - 1) / LEAF_BYTES;
}

/*
 * Runs a pass over the listed objects; `items` for the largest of them.  The first two parameters
 * of the kernel are the records and the list.
 */
static bool over_list(struct space *space, enum pass_kernel kernel, uint64_t items, void *third,
		      void *fourth)
{
	for (uint32_t at = 0; at < space->touched_count; at += LIST_ROWS) {
		uint32_t rows = space->touched_count - at;
		CUdeviceptr list = space->device_list + at * sizeof(uint32_t);

		if (!space_launch(space, kernel, (items + THREADS - 1) / THREADS,
				  rows < LIST_ROWS ? rows : LIST_ROWS, THREADS,
				  (void *[]){&space->records, &list, third, fourth}))
			return false;
	}
	return true;
}

static bool hash(struct space *space)
{
	uint64_t nodes = most_blocks(space);

	for (uint32_t level = 0; space->digests; level++) {
		CUdeviceptr blank = space->blanks + (level ? level - 1 : 0) * DIGEST_BYTES;

		if (!over_list(space, PASS_HASH, nodes, &level, &blank))
			return false;
		if (nodes <= 1)
			break;
		nodes = (nodes + NODE_CHILDREN - 1) / NODE_CHILDREN;
	}
	return true;
}

static bool gather(struct space *space)
{
	return space_launch(space, PASS_GATHER, 1, 1, 1024,
			    (void *[]){&space->state, &space->records, &space->device_list,
				       &space->touched_count, &space->rows, &space->device_results,
				       &space->device_result_objects}) &&
	       space_wait(space);
}

static int by_id(const void *a, const void *b)
{
	const struct object *x = *(struct object *const *)a, *y = *(struct object *const *)b;

	return (x->id > y->id) - (x->id < y->id);
}

static int by_object(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->object->id != y->object->id)
		return x->object->id > y->object->id ? 1 : -1;
	return (x->writer > y->writer) - (x->writer < y->writer);
}

static void take_rows(struct space *space)
{
	for (uint32_t i = 0; i < space->results->row_count; i++) {
		const struct result_row *row = &space->results->rows[i];

		space->row_buffer[i] = (struct row){.read = row->read,
						    .written = row->written,
						    .redundant = row->redundant,
						    .object = space->owners[row->slot],
						    .writer = row->writer};
	}
	qsort(space->row_buffer, space->results->row_count, sizeof(*space->row_buffer), by_object);
}

int space_settle(struct space *space, uint32_t writer, const struct row **rows, uint32_t *count)
{
	*rows = space->row_buffer;
	*count = 0;
	for (uint32_t i = 0; i < space->touched_count;)
		if (object_need_body(space->touched[i]))
			i++; /* else it left the list */
	if (!space->touched_count)
		return 0;
	for (uint32_t i = 0; i < space->touched_count; i++)
		space->touched[i]->blank = false;
	qsort(space->touched, space->touched_count, sizeof(struct object *), by_id);
	write_list(space);
	if (!over_list(space, PASS_SETTLE, most_blocks(space) * LEAF_WORDS, &writer,
		       &space->rows) ||
	    !hash(space) || !gather(space))
		return -1;
	if (space->results->row_count > ROW_LIMIT) {
		for (uint32_t i = 0; i < space->touched_count; i++)
			space_forget(space->touched[i]);
		if (!space_check(space,
				 driver.cuMemsetD8Async(space->rows, 0, sizeof(struct device_rows),
							space->stream)) ||
		    !hash(space) || !gather(space))
			return -1;
		return 1;
	}
	take_rows(space);
	*count = space->results->row_count;
	return 0;
}

/* As gpu/analysis/shadow_digest.c makes it. */
static void digest_object(const struct space *space, const struct object *object,
			  const struct result_object *result, uint8_t digest[DIGEST_BYTES])
{
	static const uint8_t zeros[DIGEST_BYTES];
	uint64_t level = (object->size + LEAF_BYTES - 1) / LEAF_BYTES;
	const uint8_t *root = result->root;
	uint8_t message[8 + DIGEST_BYTES + 4];
	size_t size = 8 + DIGEST_BYTES;
	unsigned top = 0;

	for (; level > 1; level = (level + NODE_CHILDREN - 1) / NODE_CHILDREN)
		top++;
	if (!memcmp(root, zeros, DIGEST_BYTES))
		root = space->blank[top];
	for (unsigned i = 0; i < 8; i++)
		message[i] = (uint8_t)(object->size >> 8 * i);
	memcpy(message + 8, root, DIGEST_BYTES);
	if (!result->initialised_bytes)
		for (unsigned i = 0; i < 4; i++)
			message[size++] = (uint8_t)(object->id >> 8 * i);
	sha256(message, size, digest);
}

void space_digests(struct space *space,
		   void (*content)(void *data, uint32_t object, const uint8_t digest[DIGEST_BYTES],
				   bool zero),
		   void *data)
{
	for (uint32_t i = 0; space->digests && i < space->touched_count; i++) {
		const struct result_object *result = &space->result_objects[i];
		struct object *object = space->touched[i];
		uint8_t digest[DIGEST_BYTES];

		if (!object->id || (!object->reported && !result->initialised_bytes))
			continue; /* not announced, or never held anything */
		digest_object(space, object, result, digest);
		if (object->reported && !memcmp(digest, object->digest, DIGEST_BYTES))
			continue;
		memcpy(object->digest, digest, DIGEST_BYTES);
		object->reported = true;
		content(data, object->id, digest,
			result->zero_leaf_count == (object->size + LEAF_BYTES - 1) / LEAF_BYTES);
	}
	clear_list(space);
}

/* -- forgetting --------------------------------------------------------------------------- */

void space_forget(struct object *object)
{
	struct space *space = object->space;
	const uint32_t unknown = GPU_WRITER_UNKNOWN;
	uint32_t place = object->slot + 1;
	CUdeviceptr one = space->device_results + offsetof(struct pass_results, rows);

	if (object->slot == NO_SLOT)
		return;
	object->unknown = true;
	if (!object->body.device || !object->id)
		return;
	/* the rows are read already, so their memory serves as a list of one */
	if (!space_wait(space))
		return;
	memcpy(space->results->rows, &place, sizeof(place));
	space_launch(space, PASS_FORGET, (object->size / WORD_BYTES + THREADS) / THREADS, 1,
		     THREADS, (void *[]){&space->records, &one, (void *)&unknown});
}

/* Nothing is known of the object any more, once forget_touched() has run. */
static void forgotten(struct object *object)
{
	object->unknown = true; /* for later, if it has no body or id yet */
	object->blank = object->id;
	if (object->body.device && object->id)
		object_list(object);
}

static int forget_touched(struct space *space)
{
	const uint32_t unknown = GPU_WRITER_UNKNOWN;

	if (!space->touched_count)
		return 0;
	write_list(space);
	return over_list(space, PASS_FORGET, most_blocks(space) * LEAF_WORDS, (void *)&unknown,
			 NULL) &&
			       hash(space) && gather(space)
		       ? 0
		       : -1;
}

int space_forget_all(struct space *space)
{
	space_take_touched(space);
	for (uint32_t slot = 0; slot < space->slot_capacity; slot++)
		if (space->owners[slot])
			object_list(space->owners[slot]);
	write_list(space);
	if (!over_list(space, PASS_CLEAR, most_blocks(space) * LEAF_WORDS, NULL, NULL) ||
	    !space_wait(space))
		return -1;
	clear_list(space);
	for (uint32_t slot = 0; slot < space->slot_capacity; slot++) {
		struct object *object = space->owners[slot];

		if (!object)
			continue;
		forgotten(object);
	}
	return forget_touched(space);
}

void space_forget_later(struct object *object)
{
	struct space *space = object->space;

	if (object->slot == NO_SLOT || object->later || object->blank)
		return;
	if (space->later_count == space->later_capacity) {
		uint32_t capacity = space->later_capacity ? 2 * space->later_capacity : 64;
		struct object **more =
			reallocarray(space->later, capacity, sizeof(struct object *));

		if (!more) {
			space->forget_all = true;
			return;
		}
		space->later = more;
		space->later_capacity = capacity;
	}
	object->later = true;
	space->later[space->later_count++] = object;
}

void space_forget_variables(struct space *space, CUmodule module)
{
	for (uint32_t i = 0; i < space->object_count; i++)
		if (space->objects[i]->module == module && !space->objects[i]->constant)
			space_forget_later(space->objects[i]);
}

bool space_has_forgotten(const struct space *space)
{
	return space->later_count || space->forget_all;
}

int space_forget_listed(struct space *space)
{
	/* the list of touched objects serves: one that is in use must not be disturbed */
	bool all = space->forget_all || (space->later_count && space->list[0]);

	if (!all && !space->later_count)
		return 1;
	for (uint32_t i = 0; i < space->later_count; i++) {
		space->later[i]->later = false;
		if (!all)
			forgotten(space->later[i]);
	}
	space->later_count = 0;
	space->forget_all = false;
	return all ? space_forget_all(space) : forget_touched(space);
}
