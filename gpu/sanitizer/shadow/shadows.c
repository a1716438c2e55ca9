/*
 * gpu/sanitizer/shadow/shadows.c: the shadows of followed objects: their records, and base and
 * detail shadows in memory of the GPU, or of the host.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/analysis/leaf.h"
#include "gpu/sanitizer/shadow/space_internal.h"

#define BLOCK_BYTES LEAF_BYTES
#define BLOCK_WORDS LEAF_WORDS

/*
 * After so many awaited launches objects without a detail shadow get theirs if they have at most so
 * many bytes together, or a small part of the free memory.
 */
#define STALL_LIMIT 50
#define COMPLETE_LIMIT (UINT64_C(64) << 20)
#define COMPLETE_PART 32
/*
 * A new object gets its detail shadow at once if it has at most so many bytes, or a small part of
 * the free memory, until so many bytes of such objects were not touched yet.
 */
#define PREALLOCATE_SIZE (16 << 10)
#define PREALLOCATE_BYTES (UINT64_C(64) << 20)
/* Accesses are counted by units of objects that are at most such a part of the free memory. */
#define COUNTS_PART 16
#define OBJECT_RING_LEAST 16384 /* results of objects for which there is always room */

/* -- records ------------------------------------------------------------------------------ */

CUdeviceptr object_record(const struct object *object)
{
	return object->space->records + object->slot * sizeof(struct device_record);
}

/* Moves device memory to a larger allocation, whose end is zero. */
static bool enlarge(struct space *space, CUdeviceptr *memory, size_t old_size, size_t size)
{
	struct shadow_memory smaller = {.device = *memory};
	CUdeviceptr larger;

	if (!space_check(space, driver.cuMemAlloc(&larger, size)) ||
	    !space_check(space, driver.cuMemsetD8Async(larger, 0, size, space->stream)) ||
	    (old_size && !space_check(space, driver.cuMemcpyDtoDAsync(larger, *memory, old_size,
								      space->stream))) ||
	    !space_wait(space))
		return false;
	memory_release(&smaller);
	*memory = larger;
	return true;
}

size_t object_ring_bytes(const struct space *space, uint32_t count)
{
	return count *
	       (sizeof(struct result_object) +
		(space->accesses ? sizeof(struct accessed_slice) + sizeof(struct gpu_frequency)
				 : 0));
}

/* Makes the ring of objects' results, a power of 2, large enough for two results of each object. */
static bool more_results(struct space *space, uint32_t capacity)
{
	uint32_t count = capacity < OBJECT_RING_LEAST / 2 ? OBJECT_RING_LEAST : 2 * capacity;
	size_t size = object_ring_bytes(space, count);
	struct result_object *old = space->result_objects;
	CUdeviceptr device;
	void *results;

	if (count == space->object_ring)
		return true;
	if (!space_map_host(space, &results, &device, size)) {
		space_unmap_host(results, size);
		return false;
	}
	/* the driver refuses addresses that are registered already, when mmap() gives them again */
	if (old)
		driver.cuMemHostUnregister(old);
	space_unmap_host(old, object_ring_bytes(space, space->object_ring));
	space->result_objects = results;
	space->device_objects = device;
	space->object_ring = count;
	return true;
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
	/* an object may be in it twice: touched by an API, and forgotten */
	touched = reallocarray(space->touched, 2 * (size_t)capacity, sizeof(struct touched));
	if (touched)
		space->touched = touched;
	if (!owners || !slots || !touched)
		return false;
	table_invalidate(space);
	if (!commands_await(space, true))
		return false;
	if (!enlarge(space, &space->records, old * sizeof(struct device_record),
		     capacity * sizeof(struct device_record)) ||
	    !enlarge(space, &space->listed, old / 8, capacity / 8) ||
	    !enlarge(space, &space->listed_words, old / 256, capacity / 256) ||
	    !more_results(space, capacity)) {
		space_describe(space); /* some of it was moved */
		return false;
	}
	for (uint32_t slot = capacity; slot-- > old;) {
		space->owners[slot] = NULL;
		space->free_slots[space->free_count++] = slot;
	}
	space->slot_capacity = capacity;
	return space_describe(space);
}

static bool upload_record(const struct object *object, struct device_record *record, size_t size)
{
	struct space *space = object->space;

	space->unfinished = true;
	/* the copy out of pageable memory is staged before the call returns */
	return space_check(space, driver.cuMemcpyHtoDAsync(object_record(object), record, size,
							   space->stream));
}

/* Cuts `size` bytes off memory that starts at `base`. */
static uint64_t carve(uint64_t base, uint64_t *used, uint64_t size)
{
	uint64_t start = *used;

	*used += (size + 63) / 64 * 64;
	return base + start;
}

static uint64_t lay_out_base(struct device_record *record, uint64_t base, bool accesses)
{
	const uint64_t bytes = MASK_BYTES(record->size), units = UNIT_MASK_BYTES(record->size);
	uint64_t used = 0, touched = (record->blocks + 31) / 32 * 4;

	/* patches access a word beyond the masks of bytes */
	record->read = (uint64_t *)carve(base, &used, 2 * bytes);
	record->written = record->read + bytes / 8;
	record->read_units = (uint32_t *)carve(base, &used, 2 * units + touched);
	record->written_units = record->read_units + units / 4;
	record->touched_blocks = record->written_units + units / 4;
	if (!accesses)
		return used;
	record->accessed =
		(struct device_accessed *)carve(base, &used, sizeof(*record->accessed) + units);
	record->counts = (uint32_t *)carve(
		base, &used, (uint64_t)record->blocks * (BLOCK_BYTES >> record->count_shift));
	return used;
}

static uint64_t lay_out_detail(struct device_record *record, uint64_t base, bool digests)
{
	uint64_t used = 0, blocks = record->blocks, masks = blocks * BLOCK_WORDS * 8;

	if (!record->coarse) {
		record->value = (uint8_t *)carve(base, &used, blocks * BLOCK_BYTES);
		record->writer = (uint32_t *)carve(base, &used, blocks * BLOCK_BYTES);
	}
	record->states =
		(struct device_block *)carve(base, &used, blocks * sizeof(struct device_block));
	if (record->coarse)
		return used;
	record->initialised = (uint64_t *)carve(base, &used, masks);
	record->origin = (uint64_t *)carve(base, &used, masks);
	record->unread = (uint64_t *)carve(base, &used, masks);
	if (digests)
		record->leaves = (uint64_t(*)[DIGEST_LANES])carve(base, &used,
								  blocks * sizeof(*record->leaves));
	return used;
}

void object_describe(const struct object *object, struct device_record *record)
{
	memset(record, 0, sizeof(*record));
	record->address = object->address;
	record->size = object->size;
	record->limit = PATCH_LIMIT(object->address, object->size);
	record->slot = object->slot;
	record->blocks = (uint32_t)((object->size + BLOCK_BYTES - 1) / BLOCK_BYTES);
	record->site = object->memory == GPU_MEMORY_GLOBAL ? SITE_OF_VARIABLE : object->site;
	record->shared = object_shared_by(object);
	record->coarse = object->coarse;
	record->count_shift = object->coarse_counts ? FREQUENCY_SHIFT : 0;
	record->seen_epoch = object_seen_epoch(object);
	record->state = (struct device_state *)(uintptr_t)object->space->state;
	lay_out_base(record, object->base.device, object->space->accesses);
	if (object->detail.device)
		lay_out_detail(record, object->detail.device, object->space->digests);
}

void object_unfollow(struct object *object)
{
	struct space *space = object->space;

	if (object->slot != NO_SLOT) {
		if (object->detail.device) {
			space->detail_blocks -= (object->size + BLOCK_BYTES - 1) / BLOCK_BYTES;
		} else {
			space->lacking_details--;
			space->lacking_detail_bytes -= object->size;
		}
		table_note(object, true);
		space->owners[object->slot] = NULL;
		space->free_slots[space->free_count++] = object->slot;
	}
	if (object->forget_listed)
		for (uint32_t i = 0; i < space->forget_count; i++)
			if (space->forget_list[i] == object) {
				space->forget_list[i] = space->forget_list[--space->forget_count];
				break;
			}
	if (object->untouched_detail)
		space->untouched_detail_bytes -= object->size;
	object->untouched_detail = false;
	space->forgotten -= object->forgotten;
	object->forgotten = object->forget_listed = false;
	object->slot = NO_SLOT;
	space_release(space, &object->base);
	space_release(space, &object->detail);
}

static void report_shortage(const struct object *object, enum shortage what)
{
	object->space->shortage(object, what);
}

static void give_up(struct object *object)
{
	object_seen(object);
	report_shortage(object, SHORTAGE_GIVEN_UP);
	object_unfollow(object);
}

/* Allocates a part of a shadow, all zero. */
static bool get_memory(struct object *object, struct shadow_memory *memory, uint64_t size)
{
	struct space *space = object->space;
	bool on_host = object->base.host;

	if (!space_check(space, memory_get(memory, size, space->stream)))
		return false;
	if (memory->host && !on_host)
		report_shortage(object, SHORTAGE_ON_HOST);
	return true;
}

static uint64_t shadow_size(const struct object *object)
{
	struct device_record record;

	object_describe(object, &record);
	return lay_out_base(&record, 0, object->space->accesses) +
	       lay_out_detail(&record, 0, object->space->digests);
}

/*
 * Whether the detail shadow is allocated with the base shadow.  To await the first launch that
 * touches the object takes longer than all else; but what is never touched should not take much
 * memory.
 */
static bool preallocates_detail(const struct object *object)
{
	return !object->coarse &&
	       object->space->untouched_detail_bytes + object->size <= PREALLOCATE_BYTES &&
	       (object->size <= PREALLOCATE_SIZE ||
		memory_available_on_device(COMPLETE_PART * object->size));
}

void object_was_touched(struct object *object)
{
	object->touched = true;
	object->still_unknown = false;
	if (object->untouched_detail)
		object->space->untouched_detail_bytes -= object->size;
	object->untouched_detail = false;
}

void object_follow(struct object *object)
{
	struct space *space = object->space;
	struct device_record record;

	if (space->failed || space->busy || object->size > OBJECT_SIZE_LIMIT || !object->size ||
	    (!space->free_count && !more_slots(space)))
		return;
	object->coarse_counts =
		space->accesses && !memory_available_on_device(COUNTS_PART * object->size);
	/* a base shadow without room for a detail shadow is of no use, nor a large one on the host
	 */
	if (!memory_available(shadow_size(object))) {
		object->coarse = true;
		if (!memory_available_on_device(shadow_size(object)))
			return;
		report_shortage(object, SHORTAGE_COARSE);
	}
	object_describe(object, &record);
	if (!get_memory(object, &object->base, lay_out_base(&record, 0, object->space->accesses)))
		return;
	if (preallocates_detail(object) &&
	    get_memory(object, &object->detail, lay_out_detail(&record, 0, space->digests))) {
		object->untouched_detail = true;
		space->untouched_detail_bytes += object->size;
	}
	object->slot = space->free_slots[--space->free_count];
	object->made_at = space->all_seen_count;
	object_describe(object, &record);
	space->owners[object->slot] = object;
	if (object->detail.device) {
		space->detail_blocks += record.blocks;
	} else {
		space->lacking_details++;
		space->lacking_detail_bytes += object->size;
	}
	table_note(object, false);
	if (!upload_record(object, &record, sizeof(record)))
		object_unfollow(object);
}

void object_follow_transient(struct object *object)
{
	object->coarse = true;
	object_follow(object);
}

static bool get_detail(struct object *object)
{
	struct device_record record;

	object_describe(object, &record);
	return get_memory(object, &object->detail,
			  lay_out_detail(&record, 0, object->space->digests));
}

bool object_need_detail(struct object *object)
{
	struct space *space = object->space;
	struct device_record record;

	if (object->slot == NO_SLOT || object->detail.device)
		return object->slot != NO_SLOT;
	if (!get_detail(object)) {
		bool impossible = object->coarse;

		object->coarse = true;
		if (impossible || !get_detail(object)) {
			give_up(object);
			return false;
		}
		report_shortage(object, SHORTAGE_COARSE);
	}
	object_describe(object, &record);
	record.uses_bytes = true; /* perhaps */
	space->lacking_details--;
	space->lacking_detail_bytes -= object->size;
	space->detail_blocks += record.blocks;
	/* the running API may have touched it */
	if (!upload_record(object, &record, offsetof(struct device_record, sizes))) {
		give_up(object);
		return false;
	}
	if (object->unknown)
		space_forget(object);
	return true;
}

bool space_wants_details(struct space *space)
{
	if (space->stalls <= STALL_LIMIT || !space->lacking_details)
		return false;
	if (space->lacking_detail_bytes <= COMPLETE_LIMIT ||
	    memory_available_on_device(COMPLETE_PART * space->lacking_detail_bytes))
		return true;
	space->stalls = 0; /* count stalls anew */
	return false;
}

bool space_lacks_details(const struct space *space)
{
	return space->lacking_details;
}

void space_allocate_details(struct space *space)
{
	space->stalls = 0;
	for (uint32_t slot = 0; slot < space->slot_capacity && space->lacking_details; slot++)
		if (space->owners[slot])
			object_need_detail(space->owners[slot]);
}

/* -- eviction ----------------------------------------------------------------------------- */

/*
 * Finds the object with the largest detail or base shadow on the device, or NULL.  Detail shadows
 * are accessed less, and are evicted first.
 */
static struct object *find_largest(struct space *space, bool details)
{
	struct object *largest = NULL;
	uint64_t most = 0;

	for (uint32_t i = 0; i < space->object_count; i++) {
		struct object *object = space->objects[i];
		const struct shadow_memory *part = details ? &object->detail : &object->base;

		if (object->slot == NO_SLOT || !part->device || part->host || part->size <= most ||
		    (details && object->coarse))
			continue;
		largest = object;
		most = part->size;
	}
	return largest;
}

/*
 * Replaces a detail shadow for which the host has no room by a coarse one: what was known of the
 * object's content is lost.
 */
static void coarsen(struct object *object)
{
	struct space *space = object->space;

	if (object->coarse || !space_wait(space)) {
		give_up(object);
		return;
	}
	object_seen(object);
	memory_release(&object->detail);
	space->detail_blocks -= (object->size + BLOCK_BYTES - 1) / BLOCK_BYTES;
	space->lacking_details++;
	space->lacking_detail_bytes += object->size;
	object->coarse = object->unknown = true;
	report_shortage(object, SHORTAGE_COARSE);
	object_need_detail(object);
}

static void move_to_host(struct object *object, bool detail)
{
	struct space *space = object->space;
	struct device_record record;
	bool first = !object->detail.host && !object->base.host;

	if (!memory_to_host(detail ? &object->detail : &object->base, space->stream)) {
		if (detail)
			coarsen(object);
		else
			give_up(object);
		return;
	}
	/* passes change the record on the device: it is read back */
	if (!space_check(space, driver.cuMemcpyDtoHAsync(&record, object_record(object),
							 sizeof(record), space->stream)) ||
	    !space_wait(space)) {
		give_up(object);
		return;
	}
	lay_out_base(&record, object->base.device, space->accesses);
	if (object->detail.device)
		lay_out_detail(&record, object->detail.device, space->digests);
	if (!upload_record(object, &record, sizeof(record))) {
		give_up(object);
		return;
	}
	if (first)
		report_shortage(object, SHORTAGE_ON_HOST);
}

void space_evict(struct space *space, uint64_t bytes)
{
	struct object *object;

	if (!memory_fits(bytes))
		memory_release_cached(space->context, false);
	for (int bases = 0; bases < 2; bases++)
		while (!memory_fits(bytes) && (object = find_largest(space, !bases)))
			move_to_host(object, !bases);
}

/*
 * Updates the addresses of the detail shadow in the record, and nothing else: the patches of what
 * runs write to the rest.
 */
static bool upload_addresses(const struct object *object)
{
	const size_t first = offsetof(struct device_record, value);
	const size_t leaves = offsetof(struct device_record, leaves);
	CUdeviceptr to = object_record(object);
	struct device_record record;

	object_describe(object, &record);
	return space_check(object->space,
			   driver.cuMemcpyHtoDAsync(
				   to + first, &record.value,
				   offsetof(struct device_record, initialised_bytes) - first,
				   object->space->stream)) &&
	       space_check(object->space,
			   driver.cuMemcpyHtoDAsync(to + leaves, &record.leaves,
						    sizeof(record.leaves), object->space->stream));
}

/* Moves the detail shadow to the host, or forgets its content. */
static void evict_detail_nowait(struct object *object)
{
	struct space *space = object->space;
	struct shadow_memory detail = object->detail, copy = {0};
	bool first = !object->base.host, passes = space->ticket != space->ticket_taken;

	memory_copy_to_host(&detail, &copy, space->stream);
	object->detail = copy;
	if (copy.device && first)
		report_shortage(object, SHORTAGE_ON_HOST);
	if (!copy.device) {
		space->detail_blocks -= (object->size + BLOCK_BYTES - 1) / BLOCK_BYTES;
		space->lacking_details++;
		space->lacking_detail_bytes += object->size;
		object->unknown = true;
		report_shortage(object, SHORTAGE_FORGOTTEN);
	}
	space->stream_hung = !upload_addresses(object) ||
			     !space_wait_for(space, 1000 + (unsigned)(detail.size >> 20));
	if (!space->stream_hung && passes && space_pass_began(space)) {
		/* the pass may have written to the detail shadow after it was copied */
		space_forget_later(object);
		space->stream_hung = true;
	}
	/* a free that cannot be done yet would make the program's allocations wait */
	space->stream_hung = space->stream_hung || !memory_release_nowait(&detail, space->stream);
	memory_defer_release(&detail, space->context); /* does nothing if it was released */
}

void space_release_cached(struct space *space)
{
	if (!space->stream_hung)
		memory_release_cached_nowait(space->context, space->stream);
}

void space_evict_nowait(struct space *space, uint64_t bytes)
{
	struct object *object;

	if (!memory_fits(bytes))
		space_release_cached(space);
	while (!space->stream_hung && !memory_fits(bytes) && (object = find_largest(space, true)))
		evict_detail_nowait(object);
}
