/*
 * gpu/sanitizer/objects.c: followed objects: their records, masks and bodies in GPU memory, and
 * the table that the patches search.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/analysis/leaf.h"
#include "gpu/sanitizer/space_internal.h"

#define BLOCK_BYTES LEAF_BYTES
#define BLOCK_WORDS LEAF_WORDS
#define SIZE_LIMIT (UINT64_C(1) << 40)      /* the passes count blocks with 32 bits */
#define COMPLETE_LIMIT (UINT64_C(64) << 20) /* bytes of untouched objects that get bodies */
#define HELD_UP_LIMIT 50
#define OBJECTS_WAITING 16384 /* in results of passes that were not taken yet */

/* -- the list by address ------------------------------------------------------------------ */

/* How many objects start at or before the address. */
static uint32_t place(const struct space *space, uint64_t address)
{
	uint32_t low = 0, high = space->object_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (space->objects[middle]->address > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct object *space_find(struct space *space, uint64_t address)
{
	uint32_t at = place(space, address);
	struct object *object = at ? space->objects[at - 1] : NULL;

	return object && address - object->address < object->size ? object : NULL;
}

static bool insert(struct space *space, struct object *object)
{
	uint32_t at = place(space, object->address);

	if (space->object_count == space->object_capacity) {
		uint32_t capacity = space->object_capacity ? 2 * space->object_capacity : 256;
		struct object **more =
			reallocarray(space->objects, capacity, sizeof(struct object *));

		if (!more)
			return false;
		space->objects = more;
		space->object_capacity = capacity;
	}
	memmove(&space->objects[at + 1], &space->objects[at],
		(space->object_count - at) * sizeof(struct object *));
	space->objects[at] = object;
	space->object_count++;
	return true;
}

/* -- records ------------------------------------------------------------------------------ */

CUdeviceptr object_record(const struct object *object)
{
	return object->space->records + object->slot * sizeof(struct device_record);
}

/* A larger copy of device memory; the rest is zero. */
static bool enlarge(struct space *space, CUdeviceptr *memory, size_t old_size, size_t size)
{
	CUdeviceptr larger;

	if (!space_check(space, driver.cuMemAlloc(&larger, size)) ||
	    !space_check(space, driver.cuMemsetD8Async(larger, 0, size, space->stream)) ||
	    (old_size && !space_check(space, driver.cuMemcpyDtoDAsync(larger, *memory, old_size,
								      space->stream))) ||
	    !space_wait(space))
		return false;
	if (old_size)
		driver.cuMemFree(*memory);
	*memory = larger;
	return true;
}

/* The ring has room for what every object's results need twice, a power of 2. */
static bool more_results(struct space *space, uint32_t capacity)
{
	uint32_t count = capacity < OBJECTS_WAITING / 2 ? OBJECTS_WAITING : 2 * capacity;

	/* what the driver still thinks registered could not be registered again */
	if (space->result_objects)
		driver.cuMemHostUnregister(space->result_objects);
	space_unmap_host(space->result_objects, space->object_ring * sizeof(struct result_object));
	space->object_ring = count;
	return space_map_host(space, (void **)&space->result_objects, &space->device_objects,
			      count * sizeof(struct result_object)) &&
	       space_describe(space);
}

static bool more_slots(struct space *space)
{
	uint32_t old = space->slot_capacity, capacity = old ? 2 * old : 1024;
	void *owners, *slots, *touched;

	owners = reallocarray(space->owners, capacity, sizeof(struct object *));
	if (owners)
		space->owners = owners;
	slots = reallocarray(space->free_slots, capacity, sizeof(uint32_t));
	if (slots)
		space->free_slots = slots;
	/* those of an API, and those that were forgotten */
	touched = reallocarray(space->touched, 2 * (size_t)capacity, sizeof(struct touched));
	if (touched)
		space->touched = touched;
	if (!owners || !slots || !touched ||
	    !enlarge(space, &space->records, old * sizeof(struct device_record),
		     capacity * sizeof(struct device_record)) ||
	    !enlarge(space, &space->list, old * sizeof(uint32_t), capacity * sizeof(uint32_t)) ||
	    !more_results(space, capacity))
		return false;
	for (uint32_t slot = capacity; slot-- > old;) {
		space->owners[slot] = NULL;
		space->free_slots[space->free_count++] = slot;
	}
	space->slot_capacity = capacity;
	space->published = false;
	return true;
}

static bool put_record(const struct object *object, struct device_record *record)
{
	struct space *space = object->space;

	space->unfinished = true;
	/* the copy out of pageable memory is staged before the call returns */
	return space_check(space, driver.cuMemcpyHtoDAsync(object_record(object), record,
							   sizeof(*record), space->stream));
}

/* Cuts `size` bytes off memory that starts at `base`. */
static uint64_t carve(uint64_t base, uint64_t *used, uint64_t size)
{
	uint64_t start = *used;

	*used += (size + 63) / 64 * 64;
	return base + start;
}

static uint64_t lay_out_head(struct device_record *record, uint64_t base)
{
	uint64_t used = 0, masks = record->blocks * BLOCK_WORDS * 8;

	record->read = (uint64_t *)carve(base, &used, masks);
	record->written = (uint64_t *)carve(base, &used, masks);
	record->touched_blocks = (uint32_t *)carve(base, &used, (record->blocks + 31) / 32 * 4);
	return used;
}

static uint64_t lay_out_body(struct device_record *record, uint64_t base, bool digests)
{
	uint64_t used = 0, masks = record->blocks * BLOCK_WORDS * 8;

	record->value = (uint8_t *)carve(base, &used, record->blocks * BLOCK_BYTES);
	record->writer = (uint32_t *)carve(base, &used, record->blocks * BLOCK_BYTES);
	record->states = (struct device_block *)carve(base, &used,
						      record->blocks * sizeof(struct device_block));
	record->initialised = (uint64_t *)carve(base, &used, masks);
	record->origin = (uint64_t *)carve(base, &used, masks);
	if (digests)
		record->leaves = (uint64_t(*)[DIGEST_LANES])carve(
			base, &used, record->blocks * sizeof(*record->leaves));
	return used;
}

static void describe(const struct object *object, struct device_record *record)
{
	memset(record, 0, sizeof(*record));
	record->address = object->address;
	record->size = object->size;
	record->blocks = (object->size + BLOCK_BYTES - 1) / BLOCK_BYTES;
	record->site = object->memory == GPU_MEMORY_GLOBAL ? SITE_OF_VARIABLE : object->site;
	record->shared = object->shared;
	record->state = (struct device_state *)(uintptr_t)object->space->state;
	lay_out_head(record, object->head.device);
	if (object->body.device)
		lay_out_body(record, object->body.device, object->space->digests);
}

/* Takes the object off the device; no API's list may hold it. */
static void object_unfollow(struct object *object)
{
	struct space *space = object->space;

	if (object->slot != NO_SLOT) {
		if (object->body.device) {
			space->body_blocks -= (object->size + BLOCK_BYTES - 1) / BLOCK_BYTES;
		} else {
			space->bodiless--;
			space->bodiless_bytes -= object->size;
		}
		space->owners[object->slot] = NULL;
		space->free_slots[space->free_count++] = object->slot;
		space->published = false;
	}
	if (object->later)
		for (uint32_t i = 0; i < space->later_count; i++)
			if (space->later[i] == object) {
				space->later[i] = space->later[--space->later_count];
				break;
			}
	space->forgotten -= object->forgotten;
	object->forgotten = object->later = false;
	object->slot = NO_SLOT;
	if (object->head.device && !space->busy && space_wait(space)) {
		memory_release(&object->head);
		memory_release(&object->body);
	}
	object->head = object->body = (struct shadow_memory){0};
}

static void give_up(struct object *object)
{
	event_shadow_given_up(object);
	object_unfollow(object);
}

/* Memory for a part of a shadow, all zero. */
static bool get_memory(struct object *object, struct shadow_memory *memory, uint64_t size)
{
	struct space *space = object->space;
	bool on_host = object->head.host;

	if (!space_check(space, memory_get(memory, size, space->stream)))
		return false;
	if (memory->host && !on_host)
		event_shadow_on_host(object);
	return true;
}

static void follow(struct object *object)
{
	struct space *space = object->space;
	struct device_record record;

	if (space->failed || space->busy || object->size > SIZE_LIMIT || !object->size ||
	    (!space->free_count && !more_slots(space)))
		return;
	describe(object, &record);
	/* masks without hope for the rest are of no use */
	if (!memory_has(lay_out_head(&record, 0) + lay_out_body(&record, 0, space->digests)) ||
	    !get_memory(object, &object->head, lay_out_head(&record, 0)))
		return;
	describe(object, &record);
	object->slot = space->free_slots[--space->free_count];
	space->owners[object->slot] = object;
	space->bodiless++;
	space->bodiless_bytes += object->size;
	space->published = false;
	if (!put_record(object, &record))
		object_unfollow(object);
}

bool object_need_body(struct object *object)
{
	struct space *space = object->space;
	struct device_record record;

	if (object->slot == NO_SLOT || object->body.device)
		return object->slot != NO_SLOT;
	describe(object, &record);
	if (!get_memory(object, &object->body, lay_out_body(&record, 0, space->digests))) {
		give_up(object);
		return false;
	}
	describe(object, &record);
	space->bodiless--;
	space->bodiless_bytes -= object->size;
	space->body_blocks += record.blocks;
	if (!put_record(object, &record)) {
		give_up(object);
		return false;
	}
	if (object->unknown)
		space_forget(object);
	return true;
}

bool space_wants_bodies(const struct space *space)
{
	return space->held_up > HELD_UP_LIMIT && space->bodiless &&
	       space->bodiless_bytes <= COMPLETE_LIMIT;
}

void space_complete(struct space *space)
{
	space->held_up = 0;
	for (uint32_t slot = 0; slot < space->slot_capacity && space->bodiless; slot++)
		if (space->owners[slot])
			object_need_body(space->owners[slot]);
}

struct object *space_add(struct space *space, uint64_t address, uint64_t size,
			 enum gpu_memory memory, bool follow_it)
{
	struct object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
	*object = (struct object){.space = space,
				  .address = address,
				  .size = size,
				  .memory = memory,
				  .slot = NO_SLOT};
	if (!insert(space, object)) {
		free(object);
		return NULL;
	}
	if (memory == GPU_MEMORY_MANAGED || memory == GPU_MEMORY_MAPPED_HOST)
		object_share(object);
	if (follow_it)
		follow(object);
	return object;
}

void object_share(struct object *object)
{
	object->space->shared_count += !object->shared;
	object->shared = true;
}

bool space_has_shared(const struct space *space)
{
	return space->shared_count;
}

void space_forget_shared(struct space *space)
{
	for (uint32_t i = 0; space->shared_count && i < space->object_count; i++)
		if (space->objects[i]->shared)
			space_forget_later(space->objects[i]);
}

void space_remove(struct object *object)
{
	struct space *space = object->space;
	uint32_t at = place(space, object->address);

	while (at && space->objects[at - 1] != object)
		at--;
	if (at) {
		memmove(&space->objects[at - 1], &space->objects[at],
			(space->object_count - at) * sizeof(struct object *));
		space->object_count--;
	}
	space->shared_count -= object->shared;
	object_unfollow(object);
	free(object->name);
	free(object);
}

void space_remove_module(struct space *space, CUmodule module)
{
	for (uint32_t i = space->object_count; i-- > 0;)
		if (space->objects[i]->module == module)
			space_remove(space->objects[i]);
}

void object_identify(struct object *object, uint32_t id, uint32_t site)
{
	struct space *space = object->space;

	object->id = id;
	object->site = site;
	/* variables have SITE_OF_VARIABLE for good */
	if (object->slot == NO_SLOT || object->memory == GPU_MEMORY_GLOBAL)
		return;
	space->unfinished = true;
	space_check(space, driver.cuMemcpyHtoDAsync(
				   object_record(object) + offsetof(struct device_record, site),
				   &object->site, sizeof(object->site), space->stream));
}

/* -- the table ---------------------------------------------------------------------------- */

bool space_is_published(const struct space *space)
{
	return space->published;
}

struct entry {
	uint64_t start;
	CUdeviceptr record;
};

static int by_start(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Adds the followed objects of a space to a table.  Returns how many there are then. */
static uint32_t add_entries(struct entry *entries, uint32_t count, const struct space *space)
{
	for (uint32_t i = 0; i < space->object_count; i++) {
		const struct object *object = space->objects[i];

		if (object->slot != NO_SLOT)
			entries[count++] = (struct entry){object->address, object_record(object)};
	}
	return count;
}

static bool make_room(struct space *space, uint32_t wanted)
{
	uint32_t capacity = space->slot_capacity > wanted ? space->slot_capacity : 2 * wanted;

	if (space->table_capacity >= wanted)
		return true;
	if (space->table && space_wait(space))
		driver.cuMemFree(space->table);
	space->table = 0;
	space->table_capacity = 0;
	if (!space_check(space, driver.cuMemAlloc(&space->table, capacity * sizeof(struct entry))))
		return false;
	space->table_capacity = capacity;
	return true;
}

static bool put_table(struct space *space, CUdeviceptr to, const void *from, size_t size)
{
	return !size || space_check(space, driver.cuMemcpyHtoDAsync(to, from, size, space->stream));
}

static bool upload(struct space *space, const struct entry *entries, uint32_t count)
{
	const struct device_state state = {
		.starts = (const uint64_t *)(uintptr_t)space->table,
		.count = count,
		.room = space->table_capacity,
		.records = (struct device_record *)(uintptr_t)space->records,
		.list = (uint32_t *)(uintptr_t)space->list};
	const size_t size = count * sizeof(uint64_t);
	uint64_t *table = calloc(count + 1, 2 * sizeof(uint64_t));
	bool done;

	if (!table)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		table[i] = entries[i].start;
		table[count + i] = entries[i].record;
	}
	done = space_check(space,
			   driver.cuMemcpyHtoDAsync(space->state, &state,
						    offsetof(struct device_state, touched_count),
						    space->stream)) &&
	       put_table(space, space->table, table, size) &&
	       put_table(space, space->table + space->table_capacity * sizeof(uint64_t),
			 table + count, size) &&
	       space_wait(space);
	free(table);
	return done;
}

int space_publish(struct space *space, struct space *const *peers, unsigned peer_count)
{
	uint32_t count = space->object_count;
	struct entry *entries;

	if (space->published && !peer_count && !space->foreign)
		return 0;
	for (unsigned i = 0; i < peer_count; i++)
		count += peers[i]->object_count;
	space->published = false;
	if (!make_room(space, count))
		return -1;
	entries = calloc(count + 1, sizeof(*entries));
	if (!entries)
		return -1;
	count = add_entries(entries, 0, space);
	for (unsigned i = 0; i < peer_count; i++)
		count = add_entries(entries, count, peers[i]);
	if (peer_count)
		qsort(entries, count, sizeof(*entries), by_start);
	space->foreign = peer_count;
	space->published = upload(space, entries, count);
	free(entries);
	return space->published ? 0 : -1;
}

/* -- memory ------------------------------------------------------------------------------- */

/* The part of a shadow on the device whose move helps most: bodies are touched less than masks. */
static struct object *find_largest(struct space *space, bool bodies)
{
	struct object *largest = NULL;

	for (uint32_t i = 0; i < space->object_count; i++) {
		struct object *object = space->objects[i];
		const struct shadow_memory *part = bodies ? &object->body : &object->head;

		if (object->slot != NO_SLOT && part->device && !part->host &&
		    (!largest || object->size > largest->size))
			largest = object;
	}
	return largest;
}

static void move_to_host(struct object *object, bool body)
{
	struct space *space = object->space;
	struct device_record record;
	bool first = !object->body.host && !object->head.host;

	if (!memory_to_host(body ? &object->body : &object->head, space->stream)) {
		give_up(object);
		return;
	}
	/* what changes in the record while passes run, they have written: it is read back */
	if (!space_check(space, driver.cuMemcpyDtoHAsync(&record, object_record(object),
							 sizeof(record), space->stream)) ||
	    !space_wait(space)) {
		give_up(object);
		return;
	}
	lay_out_head(&record, object->head.device);
	if (object->body.device)
		lay_out_body(&record, object->body.device, space->digests);
	if (!put_record(object, &record)) {
		give_up(object);
		return;
	}
	if (first)
		event_shadow_on_host(object);
}

void space_give_way(struct space *space, uint64_t bytes)
{
	struct object *object;

	for (int heads = 0; heads < 2; heads++)
		while (!memory_fits(bytes) && (object = find_largest(space, !heads)))
			move_to_host(object, !heads);
}
