/* gpu/analysis/shadow_settle.c: the pass after each API: rows, last writers, values. */
#include "gpu/analysis/shadow_internal.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* -- counts per last writer --------------------------------------------------------------- */

static uint32_t slot_of(const struct tallies *tallies, uint32_t writer)
{
	uint32_t last = (UINT32_C(1) << tallies->bits) - 1;
	uint32_t slot = writer * UINT32_C(2654435769) >> (32 - tallies->bits);

	while (tallies->slots[slot] && tallies->items[tallies->slots[slot] - 1].writer != writer)
		slot = (slot + 1) & last;
	return slot;
}

/* Doubles the table: half as many items as slots. */
static bool grow(struct tallies *tallies)
{
	unsigned bits = tallies->bits ? tallies->bits + 1 : 6;
	struct tally *items;
	uint32_t *slots;

	if (bits > 31)
		return false;
	items = realloc(tallies->items, (sizeof(*items) << bits) / 2);
	if (!items)
		return false;
	tallies->items = items;
	slots = calloc((size_t)1 << bits, sizeof(*slots));
	if (!slots)
		return false;
	free(tallies->slots);
	tallies->slots = slots;
	tallies->bits = bits;
	for (uint32_t i = 0; i < tallies->count; i++) {
		items[i].slot = slot_of(tallies, items[i].writer);
		slots[items[i].slot] = i + 1;
	}
	return true;
}

static struct tally *tally_of(struct tallies *tallies, uint32_t writer)
{
	uint32_t slot;

	if (tallies->last < tallies->count && tallies->items[tallies->last].writer == writer)
		return &tallies->items[tallies->last];
	if (tallies->count == (UINT32_C(1) << tallies->bits) / 2 && !grow(tallies)) {
		tallies->failed = true;
		return &tallies->lost;
	}
	slot = slot_of(tallies, writer);
	if (!tallies->slots[slot]) {
		tallies->items[tallies->count] = (struct tally){.writer = writer, .slot = slot};
		tallies->slots[slot] = ++tallies->count;
	}
	tallies->last = tallies->slots[slot] - 1;
	return &tallies->items[tallies->last];
}

static void clear_tallies(struct tallies *tallies)
{
	for (uint32_t i = 0; i < tallies->count; i++)
		tallies->slots[tallies->items[i].slot] = 0;
	tallies->count = 0;
}

static int by_writer(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	return (x->writer > y->writer) - (x->writer < y->writer);
}

/* -- one object --------------------------------------------------------------------------- */

struct settling {
	struct shadow_object *object;
	struct tallies *tallies;
	uint32_t writer; /* the API's context, XOR site */
	unsigned width;  /* of the values that it stored */
	uint64_t from_host, to_host, unwritten;
	/* the block: whether something of it was unread before, and can be after the API */
	bool was_unread, can_be_unread;
};

/* The masks of a word; what came from and went to the host is counted here. */
static struct unit_word load_word(struct settling *settling, uint64_t index)
{
	const struct shadow_object *object = settling->object;
	struct unit_word word = {.read = object->read[index],
				 .written = object->written[index],
				 .initialised = object->initialised[index],
				 .unread = settling->was_unread ? object->unread[index] : 0,
				 .can_be_unread = settling->can_be_unread ? WORD_ALL : 0};

	if (object->uses_to_host)
		settling->to_host += unit_count(object->to_host[index]);
	if (object->uses_origin) {
		uint64_t origin = object->origin[index];

		settling->from_host += unit_count(origin & word.written);
		word.uninitialised = origin & ~word.written;
		word.written |= origin;
	}
	return word;
}

static void add_bytes(uint64_t *sum, uint64_t mask)
{
	if (mask)
		*sum += mask == WORD_ALL ? WORD_BYTES : unit_count(mask);
}

/*
 * Adds to a row what the word, of this block, has of each metric of such rows (GPU_ROWS_READ or
 * GPU_ROWS_WRITE); blocks come in order.  `touched`: its bytes with this access; `bytes`: those of
 * the row's last writer.
 */
static inline void count_access(struct gpu_row *row, unsigned rows, const struct unit_word *word,
				uint64_t touched, uint64_t bytes, uint64_t block)
{
	if (!row->bytes)
		row->first_block = block;
	row->last_block = block;
	add_bytes(&row->bytes, touched & bytes);
#define COUNT_SUM(member) add_bytes(&row->member, unit_##member(word) & bytes);
#define COUNT_MIN(member)
#define COUNT_MAX(member)
#define ROW_METRIC(member, FLAG, of, aggregate)                                                    \
	if (GPU_ROWS_##of & rows) {                                                                \
		COUNT_##aggregate(member)                                                          \
	}
#include "gpu/rows.def"
}

/* `bytes` are those of units whose last writer is `writer`. */
static void count_word(struct settling *settling, const struct unit_word *word, uint32_t writer,
		       uint64_t bytes, uint64_t block)
{
	struct tally *tally = tally_of(settling->tallies, writer);

	if (word->read & bytes)
		count_access(&tally->read, GPU_ROWS_READ, word, word->read, bytes, block);
	if (word->written & bytes)
		count_access(&tally->written, GPU_ROWS_WRITE, word, word->written, bytes, block);
}

/* What memory holds in a word of the object; zeros past its end. */
static const uint8_t *load_memory(const struct shadow_object *object, uint64_t index,
				  uint8_t tail[WORD_BYTES])
{
	const uint8_t *fresh = object->memory + index * WORD_BYTES;

	if (object->size - index * WORD_BYTES >= WORD_BYTES)
		return fresh;
	memset(tail, 0, WORD_BYTES);
	memcpy(tail, fresh, object->size - index * WORD_BYTES);
	return tail;
}

/* Takes over what the host put into units that the API read. */
static void store_host(struct shadow_object *object, uint64_t index, struct unit_word *word)
{
	uint8_t *value = object->value + index * WORD_BYTES, tail[WORD_BYTES];
	const uint8_t *fresh = load_memory(object, index, tail);
	uint64_t bytes = unit_from_host(word, unit_equal(value, fresh)), known;

	if (!bytes)
		return;
	shadow_mix(object, index / BLOCK_WORDS);
	unit_set_writer(object->writer + index * WORD_UNITS, bytes, GPU_WRITER_HOST ^ object->site);
	unit_replace(value, fresh, bytes);
	known = word->initialised | (bytes & object_bits(object, index));
	object->initialised_bytes += unit_count(known) - unit_count(word->initialised);
	object->initialised[index] = word->initialised = known;
	shadow_stale(object, index / BLOCK_WORDS, index / BLOCK_WORDS);
}

/* Takes over the written bytes of a word.  Returns which of them are redundant. */
static uint64_t store_word(struct shadow_object *object, uint64_t index,
			   const struct unit_word *word)
{
	uint8_t *value = object->value + index * WORD_BYTES, tail[WORD_BYTES];
	const uint8_t *fresh = load_memory(object, index, tail);
	uint64_t initialised = unit_initialised(word), equal;

	equal = unit_equal(value, fresh);
	if (word->written & ~equal)
		unit_replace(value, fresh, word->written);
	if (initialised != word->initialised) {
		object->initialised[index] = initialised;
		object->initialised_bytes += unit_count(initialised);
		object->initialised_bytes -= unit_count(word->initialised);
	}
	if (initialised != word->initialised || (word->written & initialised & ~equal))
		shadow_stale(object, index / BLOCK_WORDS, index / BLOCK_WORDS);
	return unit_redundant(word, equal);
}

/* Counts what the API read and wrote over of a word's leftovers. */
static void use_leftovers(struct settling *settling, const struct unit_word *word, uint64_t index)
{
	const uint64_t block = index / BLOCK_WORDS;

	for (struct leftover *at = settling->object->leftovers[block]; at; at = at->next) {
		uint64_t *bytes = &at->bytes[index % BLOCK_WORDS];
		struct gpu_left_bytes *left;

		if (!(*bytes & (word->read | word->written)))
			continue;
		left = &tally_of(settling->tallies, at->writer)->left;
		if (*bytes & word->read) {
			if (!left->first_read_bytes)
				left->first_block = block;
			left->last_block = block;
		}
		left->first_read_bytes += unit_count(*bytes & word->read);
		left->dead_bytes += unit_count(*bytes & word->written & ~word->read);
		*bytes &= ~(word->read | word->written);
	}
}

/* Keeps what others leave unread in units that the API writes to.  Returns these bytes. */
static uint64_t keep_leftovers(struct shadow_object *object, uint64_t index, uint64_t taken,
			       bool mixed)
{
	const uint32_t *writers = object->writer + index * WORD_UNITS;
	uint64_t kept = 0;

	if (!mixed)
		return shadow_leave(object, index, object->block_writer[index / BLOCK_WORDS],
				    taken);
	while (taken) {
		const uint32_t writer = writers[unit_first(taken) / UNIT_BYTES];
		const uint64_t bytes = unit_written_by(writers, writer) & taken;

		kept |= shadow_leave(object, index, writer, bytes);
		taken &= ~bytes;
	}
	return kept;
}

/* The bytes of a word that the API loaded while nobody had written to their units. */
static uint64_t unwritten_bytes(const struct shadow_object *object, uint64_t index, bool mixed)
{
	const uint64_t bytes = object->unwritten[index];

	if (mixed)
		return bytes & unit_written_by(object->writer + index * WORD_UNITS, 0);
	return object->block_writer[index / BLOCK_WORDS] ? 0 : bytes;
}

static void settle_word(struct settling *settling, uint64_t index, bool whole)
{
	struct shadow_object *object = settling->object;
	uint32_t *writers = object->writer + index * WORD_UNITS;
	struct unit_word word = load_word(settling, index);
	uint64_t left = unit_whole(word.read | word.written), kept = 0;
	bool mixed;

	if (!left)
		return;
	if (object->shared && word.read)
		store_host(object, index, &word);
	mixed = bit_get(object->mixed, index / BLOCK_WORDS);
	if (object->uses_unwritten)
		settling->unwritten += unit_count(unwritten_bytes(object, index, mixed));
	if (word.written)
		word.redundant = store_word(object, index, &word);
	if (word.redundant)
		word.redundant_values =
			values_redundant(word.written, word.redundant, settling->width);
	if (object->leftovers)
		use_leftovers(settling, &word, index);
	if (unit_taken_bytes(&word)) {
		word.own = mixed ? unit_written_by(writers, settling->writer)
			   : object->block_writer[index / BLOCK_WORDS] == settling->writer
				   ? WORD_ALL
				   : 0;
		kept = keep_leftovers(object, index, unit_taken_bytes(&word), mixed);
		word.own |= kept;
	}
	if (!mixed) {
		count_word(settling, &word, object->block_writer[index / BLOCK_WORDS], WORD_ALL,
			   index / BLOCK_WORDS);
	} else {
		while (left) {
			uint32_t writer = writers[unit_first(left) / UNIT_BYTES];
			uint64_t bytes = unit_written_by(writers, writer);

			count_word(settling, &word, writer, bytes, index / BLOCK_WORDS);
			left &= ~bytes;
		}
	}
	if (settling->can_be_unread)
		object->unread[index] = unit_unread(&word) & ~kept;
	if (whole || !word.written)
		return;
	if (!mixed && object->block_writer[index / BLOCK_WORDS] == settling->writer)
		return;
	shadow_mix(object, index / BLOCK_WORDS);
	unit_set_writer(writers, word.written, settling->writer);
}

/* Counts a block that was wholly written with the values it had.  False: it was not, or not only.
 */
static bool settle_rewritten(struct settling *settling, uint64_t block)
{
	const struct shadow_object *object = settling->object;
	uint64_t first = block * BLOCK_WORDS, read = 0, initialised = WORD_ALL;
	struct unit_word word = {.written = WORD_ALL,
				 .initialised = WORD_ALL,
				 .redundant = WORD_ALL,
				 .redundant_values = WORD_ALL,
				 .can_be_unread = settling->can_be_unread ? WORD_ALL : 0};
	struct tally *tally;

	for (unsigned i = 0; i < BLOCK_WORDS; i++) {
		read |= object->read[first + i];
		initialised &= object->initialised[first + i];
	}
	if (read || initialised != WORD_ALL || object->uses_origin ||
	    (object->leftovers && object->leftovers[block]) || bit_get(object->mixed, block) ||
	    memcmp(object->value + block * BLOCK_BYTES, object->memory + block * BLOCK_BYTES,
		   BLOCK_BYTES))
		return false;
	tally = tally_of(settling->tallies, object->block_writer[block]);
	for (unsigned i = 0; i < BLOCK_WORDS; i++) {
		word.unread = settling->was_unread ? object->unread[first + i] : 0;
		count_access(&tally->written, GPU_ROWS_WRITE, &word, WORD_ALL, WORD_ALL, block);
	}
	if (settling->can_be_unread)
		memset(object->unread + first, 0xff, BLOCK_WORDS * sizeof(*object->unread));
	return true;
}

/* Makes the mask of unread bytes ready, if the block has or gets any. */
static void prepare_unread(struct settling *settling, uint64_t block, bool written)
{
	struct shadow_object *object = settling->object;
	struct shadow *shadow = object->shadow;
	const uint64_t epoch = object->unread_epoch[block];

	settling->was_unread = epoch > object->seen_epoch && epoch > shadow->seen_epoch;
	if (object->leftovers && !settling->was_unread)
		shadow_drop_leftovers(object, block);
	settling->can_be_unread = settling->was_unread || (written && !object->exposed);
	if (!settling->can_be_unread || settling->was_unread)
		return;
	memset(object->unread + block * BLOCK_WORDS, 0, BLOCK_WORDS * sizeof(*object->unread));
	object->unread_epoch[block] = shadow->epoch;
	object->written_epoch = shadow->written_epoch = shadow->epoch;
}

static void settle_block(struct settling *settling, uint64_t block)
{
	struct shadow_object *object = settling->object;
	uint64_t first = block * BLOCK_WORDS, all = WORD_ALL, any = 0;
	bool whole;

	for (unsigned i = 0; i < BLOCK_WORDS; i++) {
		const uint64_t written = object->written[first + i] |
					 (object->uses_origin ? object->origin[first + i] : 0);

		all &= written;
		any |= written;
	}
	whole = all == WORD_ALL;
	prepare_unread(settling, block, any);
	if (!whole || !settle_rewritten(settling, block))
		for (unsigned i = 0; i < BLOCK_WORDS; i++)
			settle_word(settling, first + i, whole);
	if (whole) {
		object->block_writer[block] = settling->writer;
		bit_put(object->mixed, block, false);
	}
	if (object->leftovers)
		shadow_prune_leftovers(object, block);
	shadow_clear_block(object, block);
}

static bool reserve_rows(struct shadow *shadow, size_t more)
{
	size_t capacity = shadow->row_capacity;
	struct gpu_row *rows;

	if (capacity - shadow->row_count >= more)
		return true;
	capacity = capacity * 2 + more;
	rows = reallocarray(shadow->rows, capacity, sizeof(*rows));
	if (!rows)
		return false;
	shadow->rows = rows;
	shadow->row_capacity = capacity;
	return true;
}

static void add_row(struct shadow *shadow, struct gpu_row row)
{
	if (row.bytes)
		shadow->rows[shadow->row_count++] = row;
}

static void add_tally(struct shadow *shadow, uint32_t object, uint32_t writer,
		      enum gpu_access access, struct gpu_row row)
{
	row.object = object;
	row.writer = writer;
	row.access = access;
	add_row(shadow, row);
}

static void add_rows(struct shadow *shadow, const struct shadow_object *object)
{
	const struct tally *items = shadow->tallies.items;
	const uint32_t count = shadow->tallies.count;

	for (uint32_t i = 0; i < count; i++)
		add_tally(shadow, object->id, items[i].writer, GPU_READ, items[i].read);
	for (uint32_t i = 0; i < count; i++)
		add_tally(shadow, object->id, items[i].writer, GPU_WRITE, items[i].written);
}

static bool add_atomics(struct shadow *shadow, const struct shadow_object *object)
{
	struct atomics *atomics;

	if (!values_of_kind(object->sizes, VALUES_ATOMIC))
		return true;
	if (shadow->atomics_count == shadow->atomics_capacity) {
		atomics = reallocarray(shadow->atomics, shadow->atomics_capacity * 2 + 8,
				       sizeof(*atomics));
		if (!atomics)
			return false;
		shadow->atomics = atomics;
		shadow->atomics_capacity = shadow->atomics_capacity * 2 + 8;
	}
	shadow->atomics[shadow->atomics_count++] = (struct atomics){object->id, object->sizes};
	return true;
}

/* Returns whether there was memory enough for the rows. */
static bool settle_object(struct shadow *shadow, struct shadow_object *object, uint32_t context)
{
	struct tallies *tallies = &shadow->tallies;
	struct settling settling = {.object = object,
				    .tallies = tallies,
				    .writer = context ^ object->site,
				    .width = values_width(object->sizes, object->known_sizes)};
	uint64_t cursor = 0, block;

	while (block_set_take(&object->touched_blocks, &cursor, &block)) {
		if (object->accessed)
			shadow_note_accessed(object, block);
		settle_block(&settling, block);
	}
	object->known_sizes |= object->sizes;
	if (tallies->failed || !reserve_rows(shadow, (size_t)tallies->count * 2 + 2) ||
	    !add_atomics(shadow, object) || !shadow_end_slice(object) ||
	    !shadow_end_frequency(object))
		return false;
	for (uint32_t i = 0; i < tallies->count; i++)
		tallies->items[i].writer ^= object->site;
	qsort(tallies->items, tallies->count, sizeof(*tallies->items), by_writer);
	if (!shadow_list_leftovers(shadow, object->id) ||
	    !shadow_list_unwritten(shadow, object->id, settling.unwritten))
		return false;
	add_rows(shadow, object);
	add_row(shadow, (struct gpu_row){.object = object->id,
					 .writer = GPU_WRITER_HOST,
					 .access = GPU_FROM_HOST,
					 .bytes = settling.from_host});
	add_row(shadow, (struct gpu_row){.object = object->id,
					 .writer = GPU_WRITER_HOST,
					 .access = GPU_TO_HOST,
					 .bytes = settling.to_host});
	return true;
}

static int by_id(const struct shadow_object *a, const struct shadow_object *b)
{
	return (a->id > b->id) - (a->id < b->id);
}

int shadow_settle(struct shadow *shadow, uint32_t context, const struct gpu_row **rows,
		  size_t *count)
{
	struct shadow_object *object;
	bool settled = true;

	shadow->row_count = shadow->left_count = shadow->unwritten_count = 0;
	shadow->atomics_count = shadow->slice_count = shadow->frequency_count = 0;
	DL_SORT2(shadow->touched, by_id, touched.prev, touched.next);
	DL_FOREACH2(shadow->touched, object, touched.next)
	{
		settled = settle_object(shadow, object, context);
		clear_tallies(&shadow->tallies);
		if (!settled)
			break;
	}
	if (!settled) {
		DL_FOREACH2(shadow->touched, object, touched.next)
		shadow_forget(object, 0, object->size);
		shadow_all_seen(shadow);
		shadow->row_count = shadow->left_count = shadow->unwritten_count = 0;
		shadow->atomics_count = shadow->slice_count = shadow->frequency_count = 0;
		shadow->frequency = (struct gpu_frequency){0};
		shadow->tallies.failed = false;
	}
	shadow_abandon(shadow);
	*rows = shadow->rows;
	*count = shadow->row_count;
	return settled ? 0 : -1;
}
