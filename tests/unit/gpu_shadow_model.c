/*
 * Shadow memory against a model that does everything byte by byte, on random sequences of APIs;
 * digests against what OpenSSL makes of it from scratch.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gpu/analysis/shadow.h"
#include "gpu/analysis/values.h"

#define MAX_SIZE 40000u
#define MAX_OBJECTS 4
#define CONTEXTS 12 /* 1 .. 11 */

struct model {
	struct shadow_object *shadow;
	uint32_t id;
	unsigned size;
	uint8_t memory[MAX_SIZE];
	uint8_t value[MAX_SIZE];
	bool initialised[MAX_SIZE];
	uint32_t writer[MAX_SIZE / 4];
	bool unread[MAX_SIZE], exposed; /* known to be unread */
	uint32_t byte_writer[MAX_SIZE];
	bool left[MAX_SIZE]; /* unread, and another has written to the unit since */
	/* of each writer's, by what the rows say: CONTEXTS stands for the unknown one */
	int64_t unread_bytes[CONTEXTS + 1];
	/* bytes that an access moved, its bits: of loads, stores and atomics; and bulk writes */
	unsigned loads, stores, atomics, all_sizes;
	bool bulk;
	unsigned known_stores, known_stored, known_all; /* of APIs before: `stored` by any means */
	/* the running API */
	bool read[MAX_SIZE], to_host[MAX_SIZE], written[MAX_SIZE], from_host[MAX_SIZE];
	bool from_nothing[MAX_SIZE];
	/* what was reported last */
	bool reported;
	uint8_t digest[GPU_DIGEST_SIZE];
};

static struct model models[MAX_OBJECTS];
static uint32_t next_id;
static uint64_t seed;
static bool keeps_leftovers;

static unsigned below(unsigned limit)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((seed >> 33) % limit);
}

static void create(struct shadow *shadow, struct model *model)
{
	static const unsigned sizes[] = {1,    3,    64,   100,  257,  700,
					 1023, 1024, 1025, 3000, 5000, 40000};

	memset(model, 0, sizeof(*model));
	model->id = next_id++;
	model->size = sizes[below(sizeof(sizes) / sizeof(*sizes))];
	for (unsigned i = 0; i < (model->size + 3) / 4; i++)
		model->writer[i] = 1 + model->id % 3;
	model->shadow = shadow_object_create(shadow, model->id, 1 + model->id % 3, model->memory,
					     model->size);
	assert_non_null(model->shadow);
}

static void end_api(struct model *model)
{
	memset(model->read, 0, sizeof(model->read));
	memset(model->to_host, 0, sizeof(model->to_host));
	memset(model->written, 0, sizeof(model->written));
	memset(model->from_host, 0, sizeof(model->from_host));
	memset(model->from_nothing, 0, sizeof(model->from_nothing));
	model->loads = model->stores = model->atomics = 0;
	model->bulk = false;
}

/* Nobody knows who read it. */
static void see(struct model *model)
{
	memset(model->unread, 0, sizeof(model->unread));
	memset(model->left, 0, sizeof(model->left));
	memset(model->unread_bytes, 0, sizeof(model->unread_bytes));
}

static unsigned widest(unsigned sizes)
{
	return sizes & 8 ? 8 : sizes & 4 ? 4 : sizes & 2 ? 2 : sizes & 1;
}

/* Whether values were equally wide whatever of its known sizes an API stored. */
static bool are_alike(const struct model *model)
{
	unsigned singles = model->known_stored & 15, widths = 0;

	for (unsigned some = 1; some < 32; some++) {
		if (some & ~model->known_stored)
			continue;
		widths |= widest(some & 16 ? model->known_all | some : some);
	}
	return !singles || widths == widest(singles);
}

/* As doc/definitions.md has it, but that stores of sizes that make no difference belong to every
 * API. */
static unsigned width_of(const struct model *model)
{
	unsigned stored = model->stores | model->atomics | (model->bulk ? 16 : 0);
	unsigned own, others = widest(model->all_sizes);

	/* an object of values of one width, until now: the API stores as those before it */
	if (are_alike(model))
		stored |= model->known_stores;
	own = widest(stored);
	if (stored & 16)
		own = own > others ? own : others;
	return own ? own : 8;
}

static bool is_redundant(const struct model *model, unsigned i)
{
	return model->written[i] && model->initialised[i] && !model->from_nothing[i] &&
	       model->value[i] == model->memory[i];
}

/* Whether each byte that was written of the value that byte i is of is redundant. */
static bool is_redundant_value(const struct model *model, unsigned i, unsigned width)
{
	unsigned first = i / width * width;

	for (unsigned k = first; k < first + width && k < model->size; k++)
		if (model->written[k] && !is_redundant(model, k))
			return false;
	return model->written[i];
}

/* Whether the byte stays unread, which another API wrote, and this one writes another of its unit.
 */
static bool is_taken(const struct model *model, unsigned i, uint32_t context)
{
	bool others = false;

	for (unsigned k = i / 4 * 4; k < i / 4 * 4 + 4 && k < model->size; k++)
		others |= model->written[k];
	return others && !model->written[i] && !model->read[i] && model->unread[i] &&
	       model->byte_writer[i] != context;
}

/* What the rows of a writer should say. */
struct expected {
	uint64_t bytes[GPU_TO_HOST + 1], first[GPU_TO_HOST + 1], last[GPU_TO_HOST + 1];
	uint64_t redundant, values, dead, unread, taken, first_read;
};

static uint64_t dead_bytes, taken_bytes, first_read_bytes, split_values; /* that there were */

static void count_block(struct expected *expected, enum gpu_access access, unsigned block)
{
	if (!expected->bytes[access]++)
		expected->first[access] = block;
	expected->last[access] = block;
}

static void expect_byte(const struct model *model, unsigned i, unsigned width, uint32_t context,
			struct expected *expected)
{
	const bool read = model->read[i], written = model->written[i];

	if (!read && !written && !model->unread[i])
		return;
	if (read)
		count_block(expected, GPU_READ, i / 1024);
	if (written)
		count_block(expected, GPU_WRITE, i / 1024);
	expected->redundant += is_redundant(model, i);
	expected->values += written && is_redundant_value(model, i, width);
	expected->dead += written && !read && model->unread[i] && !model->left[i];
	expected->unread += written && !read && !model->exposed;
	expected->taken += !keeps_leftovers && model->unread[i] && is_taken(model, i, context);
	expected->first_read += read && model->unread[i] && !model->left[i];
}

static void check_row(const struct model *model, const struct gpu_row *row,
		      const struct expected *expected)
{
	const bool read = row->access == GPU_READ, write = row->access == GPU_WRITE;

	dead_bytes += row->dead_bytes;
	taken_bytes += row->taken_bytes;
	first_read_bytes += row->first_read_bytes;
	split_values += row->redundant_bytes - row->redundant_value_bytes;
	assert_int_equal(row->object, model->id);
	assert_int_equal(row->bytes, expected->bytes[row->access]);
	assert_int_equal(row->redundant_bytes, write ? expected->redundant : 0);
	assert_int_equal(row->redundant_value_bytes, write ? expected->values : 0);
	assert_int_equal(row->dead_bytes, write ? expected->dead : 0);
	assert_int_equal(row->unread_bytes, write ? expected->unread : 0);
	assert_int_equal(row->taken_bytes, write ? expected->taken : 0);
	assert_int_equal(row->first_read_bytes, read ? expected->first_read : 0);
	assert_int_equal(row->first_block, read || write ? expected->first[row->access] : 0);
	assert_int_equal(row->last_block, read || write ? expected->last[row->access] : 0);
}

/* What was said of leftovers of an API, and what should be. */
static struct gpu_left_bytes left_of[CONTEXTS], expected_left[CONTEXTS];
static uint64_t left_dead_bytes, left_read_bytes;

static void note_left(void *data, uint32_t object, const struct gpu_left_bytes *left)
{
	const struct model *model = data;

	if (object != model->id)
		return;
	assert_in_range(left->writer, 1, CONTEXTS - 1);
	assert_int_equal(left_of[left->writer].first_read_bytes, 0);
	assert_int_equal(left_of[left->writer].dead_bytes, 0);
	left_of[left->writer] = *left;
	left_dead_bytes += left->dead_bytes;
	left_read_bytes += left->first_read_bytes;
}

static void expect_left(const struct model *model, unsigned i)
{
	struct gpu_left_bytes *left = &expected_left[model->byte_writer[i]];

	if (!model->left[i])
		return;
	left->dead_bytes += model->written[i] && !model->read[i];
	if (!model->read[i])
		return;
	left->first_block = left->first_read_bytes++ ? left->first_block : i / 1024;
	left->last_block = i / 1024;
}

static void check_left(struct shadow *shadow, struct model *model)
{
	memset(left_of, 0, sizeof(left_of));
	memset(expected_left, 0, sizeof(expected_left));
	shadow_leftovers(shadow, note_left, model);
	for (unsigned i = 0; i < model->size; i++)
		expect_left(model, i);
	for (unsigned w = 1; w < CONTEXTS; w++) {
		assert_int_equal(left_of[w].dead_bytes, expected_left[w].dead_bytes);
		assert_int_equal(left_of[w].first_read_bytes, expected_left[w].first_read_bytes);
		assert_int_equal(left_of[w].first_block, expected_left[w].first_block);
		assert_int_equal(left_of[w].last_block, expected_left[w].last_block);
		model->unread_bytes[w] -=
			(int64_t)(left_of[w].dead_bytes + left_of[w].first_read_bytes);
	}
}

/* The sums by arithmetic on rows are what the bytes say. */
static void check_unread_sums(struct model *model)
{
	int64_t sums[CONTEXTS + 1] = {0};

	for (unsigned i = 0; i < model->size; i++) {
		sums[model->byte_writer[i]] += model->unread[i];
	}
	for (unsigned w = 0; w <= CONTEXTS; w++)
		assert_int_equal(model->unread_bytes[w], sums[w]);
}

/* Compares the rows of one object, then brings the model up to date. */
static void check_object(struct model *model, uint32_t context, const struct gpu_row **row,
			 const struct gpu_row *end)
{
	struct expected all[CONTEXTS + 1] = {0};
	unsigned width;

	model->all_sizes |= model->loads | model->stores | model->atomics;
	width = width_of(model);
	for (unsigned i = 0; i < model->size; i++) {
		uint32_t last = model->writer[i / 4];
		unsigned w = last == GPU_WRITER_UNKNOWN ? CONTEXTS : last;

		expect_byte(model, i, width, context, &all[w]);
		all[0].bytes[GPU_FROM_HOST] += model->from_host[i];
		all[0].bytes[GPU_TO_HOST] += model->to_host[i];
	}
	for (int access = GPU_READ; access <= GPU_TO_HOST; access++)
		for (unsigned w = 0; w <= CONTEXTS; w++) {
			if (!all[w].bytes[access])
				continue;
			assert_true(*row < end);
			assert_int_equal((*row)->access, access);
			assert_true((*row)->writer == (w == CONTEXTS ? GPU_WRITER_UNKNOWN : w));
			check_row(model, *row, &all[w]);
			model->unread_bytes[w] -=
				(int64_t)((*row)->first_read_bytes + (*row)->dead_bytes +
					  (*row)->taken_bytes);
			model->unread_bytes[context] += (int64_t)(*row)->unread_bytes;
			++*row;
		}
	for (unsigned i = 0; i < model->size; i++) {
		const bool taken = is_taken(model, i, context);

		model->unread[i] &= !model->read[i] && (keeps_leftovers || !taken);
		model->left[i] |= keeps_leftovers && taken;
		model->left[i] &= !model->read[i] && !model->written[i];
		if (model->written[i]) {
			model->byte_writer[i] = context;
			model->unread[i] = !model->read[i] && !model->exposed;
			model->writer[i / 4] = context;
			model->value[i] = model->memory[i];
			model->initialised[i] = !model->from_nothing[i];
		}
	}
	check_unread_sums(model);
	model->known_stores |= model->stores;
	model->known_stored |= model->stores | model->atomics | (model->bulk ? 16 : 0);
	model->known_all |= model->loads | model->stores | model->atomics;
	end_api(model);
}

/* -- digests ------------------------------------------------------------------------------ */

/* As gpu/analysis/leaf.h says it: NH in four shifts, each through a bijection, then the sum. */
static uint32_t key(uint64_t i)
{
	uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)(x >> 32) ^ (uint32_t)(x >> 1);
}

static void put(uint8_t *to, uint64_t number)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(number >> 8 * i);
}

static uint64_t biject(uint64_t x, uint64_t index, unsigned lane)
{
	static const uint64_t steps[4] = {0x6a09e667f3bcc909, 0xbb67ae8584caa73b,
					  0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1};

	x ^= (index + 1) * steps[lane];
	for (unsigned i = 0; i < 2; i++) {
		x ^= x >> 32;
		x *= 0xd6e8feb86659fd93;
	}
	return x ^ x >> 32;
}

/* Adds the leaf's digest to `sum`. */
static void add_leaf(const struct model *model, uint64_t leaf, uint64_t sum[4])
{
	uint32_t numbers[256 + 64] = {0};
	bool known = false;

	for (unsigned i = 0; i < 1024 && leaf * 1024 + i < model->size; i++)
		if (model->initialised[leaf * 1024 + i]) {
			known = true;
			numbers[i / 4] |= (uint32_t)model->value[leaf * 1024 + i] << 8 * (i % 4);
			/* bytes 16n and 512 + 16n have the 2n-th and the next number of the mask */
			numbers[256 + i % 512 / 16 * 2 + i / 512] |= 1u << i % 16;
		}
	if (!known)
		return;
	for (unsigned shift = 0; shift < 4; shift++) {
		uint64_t nh = 0;

		for (unsigned i = 0; i < 320; i += 2) {
			uint32_t a = numbers[i] + key(i + 2 * shift);
			uint32_t b = numbers[i + 1] + key(i + 1 + 2 * shift);

			if (i < 256 || numbers[i] != 0xffff || numbers[i + 1] != 0xffff)
				nh += (uint64_t)a * b;
		}
		sum[shift] += biject(nh, leaf, shift);
	}
}

static void expected_digest(const struct model *model, uint8_t digest[32])
{
	uint64_t sum[4] = {0};

	for (uint64_t leaf = 0; leaf * 1024 < model->size; leaf++)
		add_leaf(model, leaf, sum);
	for (unsigned i = 0; i < 4; i++)
		put(digest + 8 * i, biject(sum[i], model->size, i));
}

static unsigned reports;
static uint32_t last_reported;

static void changed(void *data, uint32_t id, const uint8_t digest[GPU_DIGEST_SIZE], bool zero)
{
	struct model *model = NULL;
	uint8_t expected[32];
	bool known = false, all_zero = true;

	(void)data;
	assert_true(id > last_reported);
	last_reported = id;
	for (unsigned i = 0; i < MAX_OBJECTS; i++)
		if (models[i].shadow && models[i].id == id)
			model = &models[i];
	assert_non_null(model);
	for (unsigned i = 0; i < model->size; i++) {
		known |= model->initialised[i];
		all_zero &= model->initialised[i] && !model->value[i];
	}
	assert_int_equal(zero, all_zero);
	expected_digest(model, expected);
	if (known)
		assert_memory_equal(digest, expected, 32);
	else
		assert_memory_not_equal(digest, expected, 32);
	assert_true(known || model->reported);
	assert_true(!model->reported || memcmp(model->digest, digest, 32));
	memcpy(model->digest, digest, 32);
	model->reported = true;
	reports++;
}

/* After shadow_digests() what was last reported of each object must be its content. */
static void check_digests(struct shadow *shadow)
{
	last_reported = 0;
	shadow_digests(shadow, changed, NULL);
	for (unsigned i = 0; i < MAX_OBJECTS; i++) {
		uint8_t expected[32];
		bool known = false;

		for (unsigned k = 0; models[i].shadow && k < models[i].size; k++)
			known |= models[i].initialised[k];
		if (!known)
			continue;
		expected_digest(&models[i], expected);
		assert_true(models[i].reported);
		assert_memory_equal(models[i].digest, expected, 32);
	}
}

/* -- random APIs -------------------------------------------------------------------------- */

static void random_range(const struct model *model, unsigned *offset, unsigned *size)
{
	*offset = below(model->size);
	*size = 1 + below(model->size - *offset);
	if (below(2))
		*size = 1 + below(*size < 16 ? *size : 16);
	if (!below(5))
		*offset = 0, *size = model->size;
}

static void touch_sizes(struct model *model, enum gpu_access access, bool atomic, unsigned width)
{
	if (access == GPU_FROM_HOST) {
		model->bulk = true;
	} else if (atomic) {
		model->atomics |= width;
		shadow_sizes(model->shadow, values_sizes(VALUES_ATOMIC, width));
	} else if (access == GPU_WRITE && !below(5)) { /* a set */
		model->bulk = true;
		shadow_sizes(model->shadow, values_sizes(VALUES_BULK, VALUES_WIDE));
	} else if (access == GPU_WRITE) {
		model->stores |= width;
		shadow_sizes(model->shadow, values_sizes(VALUES_STORE, width));
	} else if (access == GPU_READ) {
		model->loads |= width;
		shadow_sizes(model->shadow, values_sizes(VALUES_LOAD, width));
	}
}

static void touch(struct model *model, bool quiet)
{
	enum gpu_access access = 1 + below(4);
	unsigned offset, size, stride = 1, pattern = below(4), width = 1u << below(5);
	bool atomic = (access == GPU_READ || access == GPU_WRITE) && !below(4);

	random_range(model, &offset, &size);
	if (!below(4))
		stride = 2 + below(9);
	for (unsigned i = offset; i < offset + size; i += stride) {
		model->read[i] |= access == GPU_READ || access == GPU_TO_HOST || atomic;
		model->to_host[i] |= access == GPU_TO_HOST;
		model->from_host[i] |= access == GPU_FROM_HOST;
		if (access == GPU_WRITE || access == GPU_FROM_HOST || atomic) {
			model->written[i] = true;
			model->from_nothing[i] = false;
			if (pattern && !quiet)
				model->memory[i] = pattern == 1 ? 0 : (uint8_t)below(pattern);
		}
		if (stride > 1)
			shadow_touch(model->shadow, i, 1, access);
		if (stride > 1 && atomic)
			shadow_touch(model->shadow, i, 1, GPU_READ + GPU_WRITE - access);
	}
	if (stride == 1)
		shadow_touch(model->shadow, offset, size, access);
	if (stride == 1 && atomic)
		shadow_touch(model->shadow, offset, size, GPU_READ + GPU_WRITE - access);
	touch_sizes(model, access, atomic, width);
}

static void copy(struct model *to, struct model *from)
{
	static bool missing[MAX_SIZE];
	unsigned at, size, start, limit;

	random_range(to, &at, &size);
	start = below(from->size);
	limit = from->size - start;
	if (size > limit)
		size = limit;
	for (unsigned i = 0; i < size; i++)
		missing[i] = !from->initialised[start + i];
	for (unsigned i = 0; i < size; i++) {
		from->read[start + i] = true;
		to->written[at + i] = true;
		to->from_nothing[at + i] = missing[i];
		if (missing[i])
			to->from_host[at + i] = false;
	}
	to->bulk = true;
	memmove(to->memory + at, from->memory + start, size);
	shadow_touch_copy(to->shadow, at, from->shadow, start, size);
}

static void forget(struct model *model)
{
	unsigned offset, size;

	random_range(model, &offset, &size);
	for (unsigned i = offset / 4 * 4; i < model->size && i / 4 <= (offset + size - 1) / 4;
	     i++) {
		model->writer[i / 4] = GPU_WRITER_UNKNOWN;
		model->initialised[i] = false;
	}
	see(model);
	shadow_forget(model->shadow, offset, size);
}

/* Somebody reads one of the objects, or all, unseen; perhaps from now on. */
static void see_some(struct shadow *shadow)
{
	struct model *model = &models[below(MAX_OBJECTS)];
	bool unread = false;

	if (below(3)) {
		for (unsigned i = 0; i < MAX_OBJECTS; i++)
			for (unsigned k = 0; k < models[i].size; k++)
				unread |= models[i].unread[k];
		assert_true(shadow_all_seen(shadow) || !unread);
		for (unsigned i = 0; i < MAX_OBJECTS; i++)
			see(&models[i]);
		return;
	}
	for (unsigned k = 0; k < model->size; k++)
		unread |= model->unread[k];
	if (below(2)) {
		assert_true(shadow_object_exposed(model->shadow) || !unread);
		model->exposed = true;
	} else {
		assert_true(shadow_object_seen(model->shadow) || !unread);
	}
	see(model);
}

static void run_sequence(bool digests)
{
	struct shadow *shadow = shadow_create(digests);

	if (keeps_leftovers)
		shadow_keep_leftovers(shadow);
	next_id = 1;
	for (unsigned i = 0; i < MAX_OBJECTS; i++)
		create(shadow, &models[i]);
	for (unsigned step = 0; step < 12; step++) {
		/* leftovers of more are not all kept */
		uint32_t context = 1 + below(keeps_leftovers ? 8 : CONTEXTS - 1);
		bool fails = !below(8);
		const struct gpu_row *rows, *row, *end;
		size_t count;

		if (!below(10)) {
			unsigned i = below(MAX_OBJECTS);

			shadow_object_destroy(models[i].shadow);
			create(shadow, &models[i]);
		}
		if (!below(6))
			forget(&models[below(MAX_OBJECTS)]);
		if (!below(12))
			see_some(shadow);
		for (unsigned n = below(4); n--;)
			touch(&models[below(MAX_OBJECTS)], fails);
		if (!fails && !below(3))
			copy(&models[below(MAX_OBJECTS)], &models[below(MAX_OBJECTS)]);
		if (fails) {
			shadow_abandon(shadow);
			for (unsigned i = 0; i < MAX_OBJECTS; i++)
				end_api(&models[i]);
			continue;
		}
		assert_int_equal(shadow_settle(shadow, context, &rows, &count), 0);
		row = rows;
		end = count ? rows + count : rows;
		for (uint32_t id = 1; id < next_id; id++)
			for (unsigned i = 0; i < MAX_OBJECTS; i++)
				if (models[i].id == id) {
					check_left(shadow, &models[i]);
					check_object(&models[i], context, &row, end);
				}
		assert_ptr_equal(row, end);
		if (digests)
			check_digests(shadow);
	}
	for (unsigned i = 0; i < MAX_OBJECTS; i++)
		shadow_object_destroy(models[i].shadow);
	shadow_destroy(shadow);
}

static void test_rows(void **state)
{
	(void)state;
	for (uint64_t start = 1; start < 2500; start++) {
		seed = start * 7919;
		run_sequence(false);
	}
	assert_true(dead_bytes && taken_bytes && first_read_bytes && split_values);
}

static void test_leftovers(void **state)
{
	(void)state;
	keeps_leftovers = true;
	for (uint64_t start = 1; start < 1500; start++) {
		seed = start * 6007;
		run_sequence(false);
	}
	keeps_leftovers = false;
	assert_true(left_dead_bytes > 1000 && left_read_bytes > 1000);
}

static void test_digests(void **state)
{
	(void)state;
	reports = 0;
	for (uint64_t start = 1; start < 250; start++) {
		seed = start * 977;
		run_sequence(true);
	}
	assert_true(reports > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_leftovers),
		cmocka_unit_test(test_digests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
