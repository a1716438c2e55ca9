/*
 * Shadow memory: whole values and unread bytes, rows worked out by hand.  gpu_shadow_model.c
 * compares with a byte-by-byte model, gpu_unread.c has the rules of one word.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gpu/analysis/shadow.h"
#include "gpu/analysis/sizes.h"
#include "gpu/analysis/values.h"

enum { ALLOC = 1, A, B, C, D };

static struct shadow *shadow;
static uint8_t memory[2][8192];
static struct shadow_object *objects[2]; /* ids 1 and 2 */

static int start(void **state)
{
	(void)state;
	memset(memory, 0, sizeof(memory));
	shadow = shadow_create(false);
	for (uint32_t i = 0; i < 2; i++)
		objects[i] =
			shadow_object_create(shadow, i + 1, ALLOC, memory[i], sizeof(memory[i]));
	return 0;
}

static int finish(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2; i++)
		shadow_object_destroy(objects[i]);
	shadow_destroy(shadow);
	return 0;
}

static void reads(unsigned object, uint64_t offset, uint64_t size)
{
	shadow_touch(objects[object], offset, size, GPU_READ);
	shadow_sizes(objects[object], values_sizes(VALUES_LOAD, 4));
}

static void writes(unsigned object, uint64_t offset, uint64_t size)
{
	shadow_touch(objects[object], offset, size, GPU_WRITE);
	shadow_sizes(objects[object], values_sizes(VALUES_STORE, 4));
}

static void adds(unsigned object, uint64_t offset, uint64_t size)
{
	shadow_touch(objects[object], offset, size, GPU_READ);
	shadow_touch(objects[object], offset, size, GPU_WRITE);
	shadow_sizes(objects[object], values_sizes(VALUES_ATOMIC, 4));
}

static void settles(uint32_t context, const struct gpu_row *expected, size_t expected_count)
{
	const struct gpu_row *rows;
	size_t count;

	assert_int_equal(shadow_settle(shadow, context, &rows, &count), 0);
	assert_int_equal(count, expected_count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(rows[i].object, expected[i].object);
		assert_int_equal(rows[i].writer, expected[i].writer);
		assert_int_equal(rows[i].access, expected[i].access);
		assert_int_equal(rows[i].bytes, expected[i].bytes);
		assert_int_equal(rows[i].redundant_value_bytes, expected[i].redundant_value_bytes);
		assert_int_equal(rows[i].dead_bytes, expected[i].dead_bytes);
		assert_int_equal(rows[i].unread_bytes, expected[i].unread_bytes);
		assert_int_equal(rows[i].taken_bytes, expected[i].taken_bytes);
		assert_int_equal(rows[i].first_read_bytes, expected[i].first_read_bytes);
		assert_int_equal(rows[i].first_block, expected[i].first_block);
		assert_int_equal(rows[i].last_block, expected[i].last_block);
	}
}

#define SETTLES(context, ...)                                                                      \
	settles(context, (const struct gpu_row[]){__VA_ARGS__},                                    \
		sizeof((const struct gpu_row[]){__VA_ARGS__}) / sizeof(struct gpu_row))
#define ROW(access_, object_, writer_, bytes_, first, last, ...)                                   \
	((struct gpu_row){.object = object_,                                                       \
			  .writer = writer_,                                                       \
			  .access = access_,                                                       \
			  .bytes = bytes_,                                                         \
			  .first_block = first,                                                    \
			  .last_block = last,                                                      \
			  __VA_ARGS__})
#define R(...) ROW(GPU_READ, __VA_ARGS__)
#define W(...) ROW(GPU_WRITE, __VA_ARGS__)

/* 1: written, written over as a whole, never read. */
static void test_overwritten(void **state)
{
	(void)state;
	writes(0, 0, 8192);
	SETTLES(A, W(1, ALLOC, 8192, 0, 7, .unread_bytes = 8192));
	memset(memory[0], 1, 8192);
	writes(0, 0, 8192);
	SETTLES(B, W(1, A, 8192, 0, 7, .unread_bytes = 8192, .dead_bytes = 8192));
	reads(0, 0, 8192);
	SETTLES(C, R(1, B, 8192, 0, 7, .first_read_bytes = 8192));
	/* 2: read, then written over: nothing dead; and with the values that it has */
	writes(0, 0, 8192);
	SETTLES(D, W(1, B, 8192, 0, 7, .unread_bytes = 8192, .redundant_value_bytes = 8192));
	/* 3: the same values again: dead nevertheless */
	writes(0, 0, 8192);
	SETTLES(A, W(1, D, 8192, 0, 7, .unread_bytes = 8192, .redundant_value_bytes = 8192,
		     .dead_bytes = 8192));
}

/* 4: parts of it read by one, parts written over by another. */
static void test_partial(void **state)
{
	(void)state;
	writes(0, 1000, 3000); /* [1000, 4000) */
	SETTLES(A, W(1, ALLOC, 3000, 0, 3, .unread_bytes = 3000));
	reads(0, 0, 2000);
	SETTLES(B, R(1, ALLOC, 1000, 0, 0), R(1, A, 1000, 0, 1, .first_read_bytes = 1000));
	reads(0, 1500, 1000); /* 500 of them for the first time */
	SETTLES(B, R(1, A, 1000, 1, 2, .first_read_bytes = 500));
	memset(memory[0] + 1000, 9, 2000);
	writes(0, 1000, 2000); /* unread is [2500, 4000) */
	SETTLES(C, W(1, A, 2000, 0, 2, .unread_bytes = 2000, .dead_bytes = 500));
	reads(0, 0, 8192);
	SETTLES(D, R(1, ALLOC, 5192, 0, 7), R(1, A, 1000, 2, 3, .first_read_bytes = 1000),
		R(1, C, 2000, 0, 2, .first_read_bytes = 2000));
}

/* 5: what one lane reads. */
static void test_one_lane(void **state)
{
	(void)state;
	shadow_touch(objects[0], 0, 8192, GPU_FROM_HOST);
	SETTLES(A, W(1, ALLOC, 8192, 0, 7, .unread_bytes = 8192),
		{.object = 1, .access = GPU_FROM_HOST, .bytes = 8192});
	reads(0, 5000, 4);
	SETTLES(B, R(1, A, 4, 4, 4, .first_read_bytes = 4));
	memset(memory[0], 1, 8192);
	writes(0, 0, 8192);
	SETTLES(C, W(1, A, 8192, 0, 7, .unread_bytes = 8192, .dead_bytes = 8188));
}

/* 6: in place: what is read and written is read before and after. */
static void test_in_place(void **state)
{
	(void)state;
	writes(0, 0, 4096);
	SETTLES(A, W(1, ALLOC, 4096, 0, 3, .unread_bytes = 4096));
	memset(memory[0], 1, 4096);
	reads(0, 0, 4096);
	writes(0, 0, 4096);
	SETTLES(B, R(1, A, 4096, 0, 3, .first_read_bytes = 4096), W(1, A, 4096, 0, 3));
	memset(memory[0], 2, 4096);
	writes(0, 0, 4096); /* nobody but B has read what B wrote, and B may have */
	SETTLES(C, W(1, B, 4096, 0, 3, .unread_bytes = 4096));
}

/* 7: atomics read what they write. */
static void test_atomics(void **state)
{
	(void)state;
	writes(0, 0, 1024);
	SETTLES(A, W(1, ALLOC, 1024, 0, 0, .unread_bytes = 1024));
	memory[0][0] = 1;
	adds(0, 0, 4);
	SETTLES(B, R(1, A, 4, 0, 0, .first_read_bytes = 4), W(1, A, 4, 0, 0));
	memset(memory[0], 3, 1024);
	writes(0, 0, 1024);
	SETTLES(C, W(1, A, 1020, 0, 0, .unread_bytes = 1020, .dead_bytes = 1020),
		W(1, B, 4, 0, 0, .unread_bytes = 4));
}

/* 8: a chain of copies: a copy reads its source, and only the last of the chain is unread. */
static void test_copies(void **state)
{
	(void)state;
	writes(0, 0, 2048);
	SETTLES(A, W(1, ALLOC, 2048, 0, 1, .unread_bytes = 2048));
	shadow_touch_copy(objects[1], 1024, objects[0], 0, 2048);
	SETTLES(B, R(1, A, 2048, 0, 1, .first_read_bytes = 2048),
		W(2, ALLOC, 2048, 1, 2, .unread_bytes = 2048));
	shadow_touch_copy(objects[0], 4096, objects[1], 1024, 1024);
	SETTLES(C, W(1, ALLOC, 1024, 4, 4, .unread_bytes = 1024),
		R(2, B, 1024, 1, 1, .first_read_bytes = 1024));
	shadow_touch(objects[0], 4096, 512, GPU_TO_HOST);
	SETTLES(D, R(1, C, 512, 4, 4, .first_read_bytes = 512),
		{.object = 1, .access = GPU_TO_HOST, .bytes = 512});
	memset(memory[0] + 4096, 1, 2048);
	shadow_touch_copy(objects[0], 4096, objects[1], 1024, 2048); /* half of C's is dead */
	SETTLES(D, W(1, ALLOC, 1024, 5, 5, .unread_bytes = 1024),
		W(1, C, 1024, 4, 4, .unread_bytes = 1024, .dead_bytes = 512),
		R(2, B, 2048, 1, 2, .first_read_bytes = 1024));
}

/* 9: rows of a copy with a pitch. */
static void test_pitch(void **state)
{
	(void)state;
	for (unsigned row = 0; row < 8; row++)
		shadow_touch(objects[0], row * 1024, 100, GPU_FROM_HOST);
	SETTLES(A, W(1, ALLOC, 800, 0, 7, .unread_bytes = 800),
		{.object = 1, .access = GPU_FROM_HOST, .bytes = 800});
	for (unsigned row = 2; row < 6; row++)
		shadow_touch(objects[0], row * 1024 + 50, 100, GPU_TO_HOST);
	/* unit 48 to 51 and 100 to 103 are whole: only 50 of each 100 bytes are A's */
	SETTLES(B, R(1, ALLOC, 200, 2, 5), R(1, A, 200, 2, 5, .first_read_bytes = 200),
		{.object = 1, .access = GPU_TO_HOST, .bytes = 400});
	memset(memory[0], 1, 8192);
	writes(0, 0, 8192);
	SETTLES(C, W(1, ALLOC, 7392, 0, 7, .unread_bytes = 7392),
		W(1, A, 800, 0, 7, .unread_bytes = 800, .dead_bytes = 600));
}

/* 10: ping-pong: each step reads what the one before it wrote. */
static void test_ping_pong(void **state)
{
	(void)state;
	writes(0, 0, 1024);
	SETTLES(A, W(1, ALLOC, 1024, 0, 0, .unread_bytes = 1024));
	for (unsigned i = 0; i < 3; i++) {
		memset(memory[1], (int)i + 1, 1024);
		reads(0, 0, 1024);
		writes(1, 0, 1024);
		SETTLES(B, R(1, A, 1024, 0, 0, .first_read_bytes = 1024),
			W(2, i ? B : ALLOC, 1024, 0, 0, .unread_bytes = 1024));
		memset(memory[0], (int)i + 1, 1024);
		reads(1, 0, 1024);
		writes(0, 0, 1024);
		SETTLES(A, W(1, A, 1024, 0, 0, .unread_bytes = 1024),
			R(2, B, 1024, 0, 0, .first_read_bytes = 1024));
	}
}

/* 11: bytes of a unit: who writes one of them has not written the others. */
static void test_units_taken(void **state)
{
	(void)state;
	writes(0, 0, 64);
	SETTLES(A, W(1, ALLOC, 64, 0, 0, .unread_bytes = 64));
	for (unsigned i = 0; i < 64; i += 8) {
		memory[0][i] = 7;
		shadow_touch(objects[0], i, 1, GPU_WRITE);
	}
	SETTLES(B, W(1, A, 8, 0, 0, .unread_bytes = 8, .dead_bytes = 8, .taken_bytes = 24));
	reads(0, 0, 64); /* of B's units: what B wrote */
	SETTLES(C, R(1, A, 32, 0, 0, .first_read_bytes = 32),
		R(1, B, 32, 0, 0, .first_read_bytes = 8));
	/* once read nothing is taken */
	shadow_touch(objects[0], 4, 2, GPU_WRITE);
	SETTLES(D, W(1, A, 2, 0, 0, .unread_bytes = 2, .redundant_value_bytes = 2));
	/* nor what the same one wrote before */
	shadow_touch(objects[0], 6, 2, GPU_WRITE);
	SETTLES(D, W(1, D, 2, 0, 0, .unread_bytes = 2, .redundant_value_bytes = 2));
	reads(0, 4, 4);
	SETTLES(C, R(1, D, 4, 0, 0, .first_read_bytes = 4));
}

static unsigned left_count;
static struct gpu_left_bytes left_last;

static void note_left(void *data, uint32_t object, const struct gpu_left_bytes *left)
{
	(void)data;
	assert_int_equal(object, 1);
	left_count++;
	left_last = *left;
}

static bool left_is(uint32_t writer, uint64_t first_read, uint64_t dead)
{
	left_count = 0;
	shadow_leftovers(shadow, note_left, NULL);
	return left_count == 1 && left_last.writer == writer &&
	       left_last.first_read_bytes == first_read && left_last.dead_bytes == dead;
}

static bool nothing_is_left(void)
{
	left_count = 0;
	shadow_leftovers(shadow, note_left, NULL);
	return !left_count;
}

/* One byte of each of the first 256 units: its number in the unit. */
static void write_bytes(unsigned of_unit)
{
	for (unsigned i = of_unit; i < 1024; i += 4) {
		memory[0][i] = 7;
		shadow_touch(objects[0], i, 1, GPU_WRITE);
	}
}

/* 12: ... and where leftovers are kept, it is known what becomes of them. */
static void test_leftovers(void **state)
{
	(void)state;
	shadow_object_destroy(objects[0]);
	shadow_keep_leftovers(shadow);
	objects[0] = shadow_object_create(shadow, 1, ALLOC, memory[0], 8192);
	writes(0, 0, 8192);
	SETTLES(A, W(1, ALLOC, 8192, 0, 7, .unread_bytes = 8192));
	write_bytes(0);
	SETTLES(B, W(1, A, 256, 0, 0, .unread_bytes = 256, .dead_bytes = 256));
	assert_true(nothing_is_left());
	write_bytes(1);
	SETTLES(C, W(1, B, 256, 0, 0, .unread_bytes = 256));
	assert_true(left_is(A, 0, 256));
	reads(0, 0, 1); /* B's byte of a unit of C's */
	SETTLES(D, R(1, C, 1, 0, 0));
	assert_true(left_is(B, 1, 0));
	reads(0, 0, 2);
	SETTLES(D, R(1, C, 2, 0, 0, .first_read_bytes = 1));
	assert_true(nothing_is_left());
	shadow_all_seen(shadow);
	writes(0, 0, 8192);
	SETTLES(D, W(1, A, 7168, 1, 7, .unread_bytes = 7168, .redundant_value_bytes = 7168),
		W(1, C, 1024, 0, 0, .unread_bytes = 1024, .redundant_value_bytes = 1024));
	assert_true(nothing_is_left());
	/* of a ninth writer to a KiB it is not */
	for (uint32_t i = 0; i < 9; i++) {
		const struct gpu_row *rows;
		size_t count;

		writes(0, 4 * i, 1);
		assert_int_equal(shadow_settle(shadow, 20 + i, &rows, &count), 0);
		writes(0, 4 * i + 1, 1);
		assert_int_equal(shadow_settle(shadow, 30, &rows, &count), 0);
		assert_int_equal(count, 1);
		assert_int_equal(rows->taken_bytes, i < 7 ? 0 : 1); /* D's are one */
		assert_int_equal(rows->unread_bytes, 1);
	}
	shadow_object_destroy(objects[0]); /* with what is left */
	objects[0] = shadow_object_create(shadow, 1, ALLOC, memory[0], 8192);
}

/* 13: a launch that was not analysed reads everything, at once and in no time. */
static void test_not_analysed(void **state)
{
	(void)state;
	assert_false(shadow_all_seen(shadow)); /* nothing was unread */
	writes(0, 0, 8192);
	writes(1, 0, 10);
	SETTLES(A, W(1, ALLOC, 8192, 0, 7, .unread_bytes = 8192),
		W(2, ALLOC, 10, 0, 0, .unread_bytes = 10));
	assert_true(shadow_all_seen(shadow));
	assert_false(shadow_all_seen(shadow));
	memset(memory[0], 1, 8192);
	writes(0, 0, 1000); /* beside it nothing is unread either, though it is the same block */
	SETTLES(B, W(1, A, 1000, 0, 0, .unread_bytes = 1000));
	reads(0, 0, 8192);
	reads(1, 0, 10);
	SETTLES(C, R(1, A, 7192, 0, 7), R(1, B, 1000, 0, 0, .first_read_bytes = 1000),
		R(2, A, 10, 0, 0));
}

/* 13: one object that somebody read, and one that anybody can read: a texture, managed memory. */
static void test_exposed(void **state)
{
	(void)state;
	writes(0, 0, 1024);
	writes(1, 0, 1024);
	SETTLES(A, W(1, ALLOC, 1024, 0, 0, .unread_bytes = 1024),
		W(2, ALLOC, 1024, 0, 0, .unread_bytes = 1024));
	assert_true(shadow_object_seen(objects[0]));
	assert_true(shadow_object_exposed(objects[1]));
	memset(memory, 1, sizeof(memory));
	writes(0, 0, 1024);
	writes(1, 0, 1024);
	SETTLES(B, W(1, A, 1024, 0, 0, .unread_bytes = 1024), W(2, A, 1024, 0, 0));
	memset(memory, 2, sizeof(memory));
	writes(0, 0, 1024);
	writes(1, 0, 1024);
	SETTLES(C, W(1, B, 1024, 0, 0, .unread_bytes = 1024, .dead_bytes = 1024),
		W(2, B, 1024, 0, 0));
	assert_false(shadow_object_seen(objects[1]));
}

/* 14: what may have been written unseen may have been read unseen. */
static void test_forgotten(void **state)
{
	(void)state;
	writes(0, 0, 1024);
	SETTLES(A, W(1, ALLOC, 1024, 0, 0, .unread_bytes = 1024));
	assert_true(shadow_forget(objects[0], 0, 16));
	memset(memory[0], 1, 1024);
	writes(0, 0, 1024);
	SETTLES(B, W(1, A, 1008, 0, 0, .unread_bytes = 1008),
		W(1, GPU_WRITER_UNKNOWN, 16, 0, 0, .unread_bytes = 16));
}

/* 15: what a variable was loaded with is nobody's work. */
static void test_loaded(void **state)
{
	(void)state;
	shadow_initialised(objects[0], 0, 8192);
	memset(memory[0], 1, 8192);
	writes(0, 0, 100);
	SETTLES(A, W(1, ALLOC, 100, 0, 0, .unread_bytes = 100));
}

/* 16: an API that failed has read and written nothing. */
static void test_failed(void **state)
{
	(void)state;
	writes(0, 0, 100);
	SETTLES(A, W(1, ALLOC, 100, 0, 0, .unread_bytes = 100));
	shadow_sizes(objects[0], values_sizes(VALUES_STORE, 8));
	reads(0, 0, 100);
	writes(0, 0, 100);
	shadow_abandon(shadow);
	memory[0][1] = 1;
	writes(0, 0, 100); /* of 4 bytes: that of 8 failed */
	SETTLES(B, W(1, A, 100, 0, 0, .unread_bytes = 100, .dead_bytes = 100,
		     .redundant_value_bytes = 96));
}

/* Widths: by the API's own stores, or for wide ones by what others did. */
static void test_widths(void **state)
{
	const uint32_t double_and_int =
		values_sizes(VALUES_STORE, 8) | values_sizes(VALUES_STORE, 4);

	(void)state;
	/* a set over nothing, then 7 over 0 as ints */
	shadow_touch(objects[0], 0, 1024, GPU_WRITE);
	shadow_sizes(objects[0], values_sizes(VALUES_BULK, VALUES_WIDE));
	SETTLES(A, W(1, ALLOC, 1024, 0, 0, .unread_bytes = 1024));
	for (unsigned i = 0; i < 1024; i += 4)
		memory[0][i] = 7;
	writes(0, 0, 1024);
	SETTLES(B, W(1, A, 1024, 0, 0, .unread_bytes = 1024, .dead_bytes = 1024));
	/* a set of ints to what they are but for one: that is of 4 bytes, as B said */
	memory[0][512] = 8;
	shadow_touch(objects[0], 0, 1024, GPU_WRITE);
	shadow_sizes(objects[0], values_sizes(VALUES_BULK, VALUES_WIDE));
	SETTLES(C, W(1, B, 1024, 0, 0, .unread_bytes = 1024, .dead_bytes = 1024,
		     .redundant_value_bytes = 1020));
	/* a struct {double, int}, of which the int changes: 8 bytes, the widest */
	memory[0][8] = 8;
	shadow_touch(objects[0], 0, 12, GPU_WRITE);
	shadow_sizes(objects[0], double_and_int);
	SETTLES(D, W(1, C, 12, 0, 0, .unread_bytes = 12, .dead_bytes = 12,
		     .redundant_value_bytes = 8));
	/* from now on a set counts by 8 bytes: [8, 16) changes */
	memory[0][8] = 9;
	shadow_touch(objects[0], 0, 1024, GPU_WRITE);
	shadow_sizes(objects[0], values_sizes(VALUES_BULK, VALUES_WIDE));
	SETTLES(A,
		W(1, C, 1012, 0, 0, .unread_bytes = 1012, .dead_bytes = 1012,
		  .redundant_value_bytes = 1008),
		W(1, D, 12, 0, 0, .unread_bytes = 12, .dead_bytes = 12,
		  .redundant_value_bytes = 8));
}

/* -- atomics, as records -- */

static struct sizes_said said;
static unsigned told;

static void tell(void *data, uint32_t object, uint32_t sizes)
{
	const uint32_t *context = data;
	const struct gpu_sizes payload = sizes_payload(sizes);

	assert_int_equal(object, 2);
	told += sizes_are_new(&said, *context, object, sizes);
	assert_int_equal(payload.loads, 4);
	assert_int_equal(payload.atomics, 4);
	assert_int_equal(payload.stores, told == 2 ? 16 : 0);
}

static void test_records_of_atomics(void **state)
{
	uint32_t context = A;
	const struct gpu_row *rows;
	size_t count;

	(void)state;
	memset(&said, 0, sizeof(said));
	told = 0;
	for (unsigned i = 0; i < 10; i++) { /* of equal calls one says it */
		writes(0, 0, 4);
		reads(1, 0, 8);
		adds(1, 0, 4);
		assert_int_equal(shadow_settle(shadow, context, &rows, &count), 0);
		shadow_atomics(shadow, tell, &context);
		assert_int_equal(told, 1);
	}
	told = 1;
	reads(1, 0, 8);
	adds(1, 0, 4);
	shadow_sizes(objects[1], values_sizes(VALUES_BULK, VALUES_WIDE));
	assert_int_equal(shadow_settle(shadow, context, &rows, &count), 0);
	shadow_atomics(shadow, tell, &context);
	assert_int_equal(told, 2);
	context = B; /* another context says it, too */
	reads(1, 0, 8);
	adds(1, 0, 4);
	told = 2;
	assert_int_equal(shadow_settle(shadow, context, &rows, &count), 0);
	told = 0;
	shadow_atomics(shadow, tell, &context);
	assert_int_equal(told, 1);
	/* none without atomics */
	writes(0, 0, 4);
	assert_int_equal(shadow_settle(shadow, context, &rows, &count), 0);
	shadow_atomics(shadow, tell, &context);
	assert_int_equal(told, 1);
}

static uint64_t unwritten[3]; /* by id of the object */

static void note_unwritten(void *data, uint32_t object, uint64_t bytes)
{
	(void)data;
	unwritten[object] = bytes;
}

/* As warps do: threads side by side, `access` bytes each. */
static void loads(unsigned object, uint64_t offset, uint64_t size, unsigned access)
{
	shadow_load(objects[object], offset, size, access);
	shadow_touch(objects[object], offset, size, GPU_READ);
}

static uint64_t unwritten_by(uint32_t context)
{
	const struct gpu_row *rows;
	size_t count;

	memset(unwritten, 0, sizeof(unwritten));
	assert_int_equal(shadow_settle(shadow, context, &rows, &count), 0);
	shadow_unwritten(shadow, note_unwritten, NULL);
	return unwritten[1];
}

/* Loads of what nobody has written: order within a launch, widths, units, writers. */
static void test_unwritten(void **state)
{
	(void)state;
	/* += of 64 floats, then again; loads of scratch memory that the launch has written */
	loads(0, 60, 256, 4);
	writes(0, 60, 256);
	loads(0, 60, 256, 4);
	writes(1, 0, 1024);
	loads(1, 0, 1024, 4);
	assert_int_equal(unwritten_by(A), 256);
	assert_int_equal(unwritten[2], 0);
	loads(0, 60, 256, 4);
	assert_int_equal(unwritten_by(A), 0);
	/* of points of 12 bytes and 4 of padding: whole ones; the padding alone; a point beyond */
	for (unsigned i = 0; i < 8; i++)
		writes(0, 1024 + 16 * i, 12);
	assert_int_equal(unwritten_by(B), 0);
	loads(0, 1024, 128, 16);
	assert_int_equal(unwritten_by(C), 0);
	loads(0, 1024 + 12, 4, 4);
	assert_int_equal(unwritten_by(C), 4);
	loads(0, 1024, 128 + 16, 16);
	assert_int_equal(unwritten_by(C), 16);
	/* beside a written byte; copies; what is copied from bytes that nobody wrote */
	writes(0, 2048, 1);
	assert_int_equal(unwritten_by(B), 0);
	loads(0, 2048, 8, 1);
	assert_int_equal(unwritten_by(C), 4);
	reads(0, 4096, 64);
	assert_int_equal(unwritten_by(C), 0);
	shadow_touch_copy(objects[0], 4096, objects[1], 4096, 64);
	assert_int_equal(unwritten_by(D), 0);
	loads(0, 4096, 68, 4);
	assert_int_equal(unwritten_by(C), 4);
	/* written unseen; a launch that failed */
	shadow_forget(objects[0], 5120, 1024);
	loads(0, 5120, 1024, 8);
	assert_int_equal(unwritten_by(C), 0);
	loads(0, 7168, 64, 4);
	shadow_abandon(shadow);
	reads(0, 7168, 4);
	assert_int_equal(unwritten_by(C), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, start, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_overwritten),
		TEST(test_partial),
		TEST(test_one_lane),
		TEST(test_in_place),
		TEST(test_atomics),
		TEST(test_copies),
		TEST(test_pitch),
		TEST(test_ping_pong),
		TEST(test_units_taken),
		TEST(test_leftovers),
		TEST(test_not_analysed),
		TEST(test_exposed),
		TEST(test_forgotten),
		TEST(test_loaded),
		TEST(test_failed),
		TEST(test_widths),
		TEST(test_records_of_atomics),
		TEST(test_unwritten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
