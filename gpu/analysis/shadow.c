/* gpu/analysis/shadow.c: objects under observation, and what the running API touches. */
#include "gpu/analysis/shadow_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <utlist.h>

/* Bigger shadows are mapped: fresh pages cost nothing, whatever malloc() the program brought. */
#define MAP_FROM ((size_t)256 << 10)
/* Nothing so big can have a shadow in a 47-bit address space; keeps the sums below from wrapping.
 */
#define SIZE_LIMIT (UINT64_C(1) << 46)

struct shadow *shadow_create(bool digests)
{
	struct shadow *shadow = calloc(1, sizeof(*shadow));

	if (!shadow)
		return NULL;
	shadow->digests = digests;
	shadow->epoch = 1;
	if (digests)
		shadow_digest_prepare(shadow);
	return shadow;
}

void shadow_destroy(struct shadow *shadow)
{
	if (!shadow)
		return;
	free(shadow->tallies.items);
	free(shadow->tallies.slots);
	free(shadow->rows);
	free(shadow->atomics);
	free(shadow->left);
	free(shadow->unwritten);
	free(shadow->slices);
	free(shadow->frequencies);
	free(shadow);
}

/* -- sets of blocks ----------------------------------------------------------------------- */

void block_set_add(struct block_set *set, uint64_t first, uint64_t last)
{
	if (first == last) {
		set->blocks[first / 64] |= UINT64_C(1) << first % 64;
		set->groups[first / 4096] |= UINT64_C(1) << first / 64 % 64;
		return;
	}
	for (uint64_t word = first / 64; word <= last / 64; word++)
		set->blocks[word] |= range_bits(word, first, last - first + 1);
	first /= 64, last /= 64;
	for (uint64_t word = first / 64; word <= last / 64; word++)
		set->groups[word] |= range_bits(word, first, last - first + 1);
}

bool block_set_take(struct block_set *set, uint64_t *cursor, uint64_t *block)
{
	for (uint64_t *group = &set->groups[*cursor]; *cursor < set->group_words;
	     ++*cursor, group++) {
		uint64_t word;

		if (!*group)
			continue;
		word = *cursor * 64 + unit_first(*group);
		*block = word * 64 + unit_first(set->blocks[word]);
		set->blocks[word] &= set->blocks[word] - 1;
		if (!set->blocks[word])
			*group &= *group - 1;
		return true;
	}
	return false;
}

/* -- objects ------------------------------------------------------------------------------ */

/* Cuts `count` elements of `size` bytes off the storage; with no storage yet, only counts. */
static void *carve(const struct shadow_object *object, size_t *used, uint64_t count, size_t size)
{
	size_t start = *used;

	*used += (count * size + 63) / 64 * 64;
	return object->storage ? (char *)object->storage + start : NULL;
}

static void carve_set(const struct shadow_object *object, size_t *used, struct block_set *set)
{
	uint64_t words = (object->blocks + 63) / 64;

	set->group_words = (words + 63) / 64;
	set->blocks = carve(object, used, words, sizeof(*set->blocks));
	set->groups = carve(object, used, set->group_words, sizeof(*set->groups));
}

/* Places the arrays in the storage.  Returns the bytes they need. */
static size_t lay_out(struct shadow_object *object)
{
	uint64_t blocks = object->blocks, words = blocks * BLOCK_WORDS;
	size_t used = 0;

	object->value = carve(object, &used, blocks, BLOCK_BYTES);
	object->writer = carve(object, &used, blocks * BLOCK_UNITS, sizeof(*object->writer));
	object->block_writer = carve(object, &used, blocks, sizeof(*object->block_writer));
	object->mixed = carve(object, &used, (blocks + 63) / 64, sizeof(*object->mixed));
	object->initialised = carve(object, &used, words, sizeof(uint64_t));
	object->unread = carve(object, &used, words, sizeof(uint64_t));
	object->unread_epoch = carve(object, &used, blocks, sizeof(uint64_t));
	if (object->shadow->keeps_leftovers)
		object->leftovers = carve(object, &used, blocks, sizeof(*object->leftovers));
	object->read = carve(object, &used, words, sizeof(uint64_t));
	object->to_host = carve(object, &used, words, sizeof(uint64_t));
	object->written = carve(object, &used, words, sizeof(uint64_t));
	object->origin = carve(object, &used, words, sizeof(uint64_t));
	object->unwritten = carve(object, &used, words, sizeof(uint64_t));
	carve_set(object, &used, &object->touched_blocks);
	if (object->shadow->accesses)
		object->accessed = carve(object, &used, words / UNIT_BYTES, sizeof(uint64_t));
	if (object->shadow->accesses)
		object->counts = carve(object, &used, blocks * BLOCK_UNITS, sizeof(uint32_t));
	if (!object->shadow->digests)
		return used;
	carve_set(object, &used, &object->stale_blocks);
	object->zero_leaves = carve(object, &used, (blocks + 63) / 64, sizeof(uint64_t));
	object->leaves = carve(object, &used, blocks, sizeof(*object->leaves));
	return used;
}

struct shadow_object *shadow_object_create(struct shadow *shadow, uint32_t id, uint32_t site,
					   const void *memory, uint64_t size)
{
	struct shadow_object *object;

	if (size > SIZE_LIMIT)
		return NULL;
	object = calloc(1, sizeof(*object));
	if (!object)
		return NULL;
	object->shadow = shadow;
	object->id = id;
	object->site = site;
	object->memory = memory;
	object->size = size;
	object->made_at = shadow->all_seen;
	object->blocks = size ? (size + BLOCK_BYTES - 1) / BLOCK_BYTES : 1;
	object->storage_size = lay_out(object);
	object->mapped = object->storage_size >= MAP_FROM;
	if (object->mapped) {
		object->storage = mmap(NULL, object->storage_size, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (object->storage == MAP_FAILED)
			object->storage = NULL;
	} else {
		object->storage = calloc(1, object->storage_size);
	}
	if (!object->storage) {
		free(object);
		return NULL;
	}
	lay_out(object);
	return object;
}

void shadow_object_destroy(struct shadow_object *object)
{
	if (!object)
		return;
	if (object->touched.listed)
		DL_DELETE2(object->shadow->touched, object, touched.prev, touched.next);
	if (object->stale.listed)
		DL_DELETE2(object->shadow->stale, object, stale.prev, stale.next);
	shadow_release_leftovers(object);
	if (object->mapped)
		munmap(object->storage, object->storage_size);
	else
		free(object->storage);
	free(object);
}

static void list_stale(struct shadow_object *object)
{
	if (object->stale.listed || !object->id)
		return;
	DL_APPEND2(object->shadow->stale, object, stale.prev, stale.next);
	object->stale.listed = true;
}

void shadow_stale(struct shadow_object *object, uint64_t first, uint64_t last)
{
	if (!object->shadow->digests)
		return;
	block_set_add(&object->stale_blocks, first, last);
	list_stale(object);
}

void shadow_object_identify(struct shadow_object *object, uint32_t id, uint32_t site)
{
	object->id = id;
	object->site = site;
	if (object->shadow->digests)
		list_stale(object);
}

void shadow_object_shared(struct shadow_object *object)
{
	object->shared = true;
	shadow_object_exposed(object);
}

bool shadow_object_seen(struct shadow_object *object)
{
	const uint64_t before = object->seen_epoch;

	object->seen_epoch = object->shadow->epoch++;
	return !object->exposed && object->written_epoch > before &&
	       object->written_epoch > object->shadow->seen_epoch;
}

bool shadow_object_exposed(struct shadow_object *object)
{
	const bool unread = shadow_object_seen(object);

	object->exposed = true;
	return unread;
}

bool shadow_all_seen(struct shadow *shadow)
{
	const bool unread = shadow->written_epoch > shadow->seen_epoch;

	shadow->seen_epoch = shadow->epoch++;
	shadow->all_seen++;
	return unread;
}

bool shadow_object_touched(const struct shadow_object *object)
{
	return object->touched.listed;
}

void shadow_mix(struct shadow_object *object, uint64_t block)
{
	uint32_t *writer = object->writer + block * BLOCK_UNITS;

	if (bit_get(object->mixed, block))
		return;
	for (unsigned i = 0; i < BLOCK_UNITS; i++)
		writer[i] = object->block_writer[block];
	bit_put(object->mixed, block, true);
}

static bool inside(const struct shadow_object *object, uint64_t offset, uint64_t size)
{
	return size && size <= object->size && offset <= object->size - size;
}

void shadow_initialised(struct shadow_object *object, uint64_t offset, uint64_t size)
{
	if (!inside(object, offset, size))
		return;
	memcpy(object->value + offset, object->memory + offset, size);
	for (uint64_t word = offset / 64; word <= (offset + size - 1) / 64; word++) {
		uint64_t bits = range_bits(word, offset, size);

		object->initialised_bytes += unit_count(bits & ~object->initialised[word]);
		object->initialised[word] |= bits;
	}
	shadow_stale(object, offset / BLOCK_BYTES, (offset + size - 1) / BLOCK_BYTES);
}

static void forget_block(struct shadow_object *object, uint64_t block, uint64_t offset,
			 uint64_t size)
{
	const uint32_t unknown = GPU_WRITER_UNKNOWN ^ object->site;
	uint64_t first = block * BLOCK_WORDS, lost = 0;
	bool whole = true;

	for (uint64_t word = first; word < first + BLOCK_WORDS; word++)
		if (word * WORD_BYTES < object->size)
			whole &= !(object_bits(object, word) & ~range_bits(word, offset, size)) &&
				 word >= offset / 64 && word <= (offset + size - 1) / 64;
	if (whole) {
		object->block_writer[block] = unknown;
		bit_put(object->mixed, block, false);
	} else {
		shadow_mix(object, block);
	}
	for (uint64_t word = first; word < first + BLOCK_WORDS; word++) {
		uint64_t bits;

		if (word < offset / 64 || word > (offset + size - 1) / 64)
			continue;
		bits = unit_whole(range_bits(word, offset, size));
		if (!whole)
			unit_set_writer(object->writer + word * WORD_UNITS, bits, unknown);
		bits &= object->initialised[word];
		if (bits) {
			object->initialised[word] &= ~bits;
			lost += unit_count(bits);
		}
	}
	if (lost) {
		object->initialised_bytes -= lost;
		shadow_stale(object, block, block);
	}
}

bool shadow_forget(struct shadow_object *object, uint64_t offset, uint64_t size)
{
	if (!inside(object, offset, size))
		return false;
	object->forgotten = true;
	for (uint64_t block = offset / BLOCK_BYTES; block <= (offset + size - 1) / BLOCK_BYTES;
	     block++)
		forget_block(object, block, offset, size);
	return shadow_object_seen(object);
}

void shadow_object_replaced(struct shadow_object *object)
{
	object->replaced = true;
}

/* -- what the running API touches --------------------------------------------------------- */

static void set_bits(uint64_t *mask, uint64_t offset, uint64_t size)
{
	uint64_t word = offset / 64, last = (offset + size - 1) / 64;

	mask[word] |= range_bits(word, offset, size);
	if (word == last)
		return;
	if (last > word + 1)
		memset(mask + word + 1, 0xff, (last - word - 1) * sizeof(*mask));
	mask[last] |= range_bits(last, offset, size);
}

static void list_touched(struct shadow_object *object)
{
	if (object->touched.listed)
		return;
	DL_APPEND2(object->shadow->touched, object, touched.prev, touched.next);
	__atomic_store_n(&object->touched.listed, true, __ATOMIC_RELAXED);
}

void shadow_touch(struct shadow_object *object, uint64_t offset, uint64_t size,
		  enum gpu_access access)
{
	if (!inside(object, offset, size))
		return;
	list_touched(object);
	block_set_add(&object->touched_blocks, offset / BLOCK_BYTES,
		      (offset + size - 1) / BLOCK_BYTES);
	switch (access) {
	case GPU_TO_HOST:
		set_bits(object->to_host, offset, size);
		object->uses_to_host = true;
		/* fall through */
	case GPU_READ:
		set_bits(object->read, offset, size);
		break;
	case GPU_FROM_HOST:
		object->sizes |= values_sizes(VALUES_BULK, VALUES_WIDE);
		set_bits(object->written, offset, size);
		set_bits(object->origin, offset, size);
		object->uses_origin = true;
		break;
	case GPU_WRITE:
		/* a byte that was copied uninitialised is now written */
		if (object->uses_origin)
			for (uint64_t word = offset / 64; word <= (offset + size - 1) / 64; word++)
				object->origin[word] &=
					~range_bits(word, offset, size) | object->written[word];
		set_bits(object->written, offset, size);
		break;
	}
}

void shadow_sizes(struct shadow_object *object, uint32_t sizes)
{
	if (sizes & ~__atomic_load_n(&object->sizes, __ATOMIC_RELAXED))
		__atomic_fetch_or(&object->sizes, sizes, __ATOMIC_RELAXED);
}

/* Most bits are set already, by whoever came first: nobody need wait for the word then. */
static void set_bits_together(uint64_t *mask, uint64_t first, uint64_t size)
{
	for (uint64_t word = first / 64; word <= (first + size - 1) / 64; word++) {
		uint64_t bits = range_bits(word, first, size);

		if (bits & ~__atomic_load_n(&mask[word], __ATOMIC_RELAXED))
			__atomic_fetch_or(&mask[word], bits, __ATOMIC_RELAXED);
	}
}

void shadow_touch_together(struct shadow_object *object, uint64_t offset, uint64_t size,
			   enum gpu_access access)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of lists of touched objects */
	uint64_t first = offset / BLOCK_BYTES, last = (offset + size - 1) / BLOCK_BYTES;

	if (!inside(object, offset, size))
		return;
	if (!__atomic_load_n(&object->touched.listed, __ATOMIC_RELAXED)) {
		pthread_mutex_lock(&lock);
		list_touched(object);
		pthread_mutex_unlock(&lock);
	}
	set_bits_together(object->touched_blocks.blocks, first, last - first + 1);
	set_bits_together(object->touched_blocks.groups, first / 64, last / 64 - first / 64 + 1);
	set_bits_together(access == GPU_READ ? object->read : object->written, offset, size);
}

/* `count` <= 64 bits of a mask from bit `first` on. */
static uint64_t bits_from(const uint64_t *mask, uint64_t first, unsigned count)
{
	uint64_t bits = mask[first / 64] >> first % 64;

	if (first % 64 + count > 64)
		bits |= mask[first / 64 + 1] << (64 - first % 64);
	return bits & WORD_ALL >> (64 - count);
}

void shadow_touch_copy(struct shadow_object *destination, uint64_t destination_offset,
		       struct shadow_object *source, uint64_t source_offset, uint64_t size)
{
	if (!inside(destination, destination_offset, size) || !inside(source, source_offset, size))
		return;
	shadow_touch(source, source_offset, size, GPU_READ);
	shadow_touch(destination, destination_offset, size, GPU_WRITE);
	shadow_sizes(destination, values_sizes(VALUES_BULK, VALUES_WIDE));
	for (uint64_t done = 0; done < size;) {
		uint64_t at = destination_offset + done, left = size - done;
		unsigned room = 64 - at % 64, count = left < room ? (unsigned)left : room;
		uint64_t missing = ~bits_from(source->initialised, source_offset + done, count) &
				   WORD_ALL >> (64 - count);

		if (missing) {
			missing <<= at % 64;
			destination->written[at / 64] &= ~missing;
			destination->origin[at / 64] |= missing;
			destination->uses_origin = true;
		}
		done += count;
	}
}

void shadow_clear_block(struct shadow_object *object, uint64_t block)
{
	const size_t size = BLOCK_WORDS * sizeof(uint64_t);
	uint64_t first = block * BLOCK_WORDS;

	memset(object->read + first, 0, size);
	memset(object->written + first, 0, size);
	if (object->uses_to_host)
		memset(object->to_host + first, 0, size);
	if (object->uses_origin)
		memset(object->origin + first, 0, size);
	if (object->uses_unwritten)
		memset(object->unwritten + first, 0, size);
	if (object->counts)
		memset(object->counts + block * BLOCK_UNITS, 0,
		       BLOCK_UNITS * sizeof(*object->counts));
}

void shadow_abandon(struct shadow *shadow)
{
	while (shadow->touched) {
		struct shadow_object *object = shadow->touched;
		uint64_t cursor = 0, block;

		while (block_set_take(&object->touched_blocks, &cursor, &block))
			shadow_clear_block(object, block);
		DL_DELETE2(shadow->touched, object, touched.prev, touched.next);
		object->touched.listed = false;
		object->uses_to_host = false;
		object->uses_origin = false;
		object->uses_unwritten = false;
		object->sizes = 0;
	}
}

void shadow_atomics(struct shadow *shadow,
		    void (*touched)(void *data, uint32_t object, uint32_t sizes), void *data)
{
	for (size_t i = 0; i < shadow->atomics_count; i++)
		touched(data, shadow->atomics[i].object, shadow->atomics[i].sizes);
}
