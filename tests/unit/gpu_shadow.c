/*
 * Shadow memory: rows worked out by hand, initialisedness, forgetting, lack of memory, cost.
 * gpu_shadow_model.c compares it with a byte-by-byte model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/analysis/shadow.h"

/* The pass again under another name, with an allocator that can fail. */
static bool scarce;

static void *scarce_reallocarray(void *old, size_t count, size_t size)
{
	return scarce ? NULL : reallocarray(old, count, size);
}

#define shadow_settle scarce_settle
#define reallocarray scarce_reallocarray
#include "gpu/analysis/shadow_settle.c"
#undef shadow_settle
#undef reallocarray

enum { ALLOC = 1, K2, K3, K4, K5 };

struct expected {
	uint32_t object, writer;
	enum gpu_access access;
	uint64_t bytes, redundant;
};

static void settles(struct shadow *shadow, uint32_t context, const struct expected *expected,
		    size_t expected_count)
{
	const struct gpu_row *rows;
	size_t count;

	assert_int_equal(shadow_settle(shadow, context, &rows, &count), 0);
	for (size_t i = 0; i < count && i < expected_count; i++) {
		assert_int_equal(rows[i].object, expected[i].object);
		assert_int_equal(rows[i].access, expected[i].access);
		assert_int_equal(rows[i].writer, expected[i].writer);
		assert_int_equal(rows[i].bytes, expected[i].bytes);
		assert_int_equal(rows[i].redundant_bytes, expected[i].redundant);
	}
	assert_int_equal(count, expected_count);
}

#define SETTLES(context, ...)                                                                      \
	settles(shadow, context, (const struct expected[]){__VA_ARGS__},                           \
		sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected))
#define NOTHING(context) settles(shadow, context, NULL, 0)

static void test_every_third_byte(void **state)
{
	struct shadow *shadow = shadow_create(false);
	uint8_t memory[3072] = {0};
	struct shadow_object *object = shadow_object_create(shadow, 7, ALLOC, memory, 3072);

	(void)state;
	for (unsigned i = 0; i < 3072; i += 3) {
		memory[i] = (uint8_t)i;
		shadow_touch(object, i, 1, GPU_WRITE);
	}
	SETTLES(K2, {7, ALLOC, GPU_WRITE, 1024, 0});
	shadow_touch(object, 0, 3072, GPU_TO_HOST);
	SETTLES(K3, {7, K2, GPU_READ, 3072, 0}, {7, 0, GPU_TO_HOST, 3072, 0});
	/* the same values again, then the bytes beside them for the first time */
	for (unsigned i = 0; i < 3072; i += 3)
		shadow_touch(object, i, 1, GPU_WRITE);
	SETTLES(K4, {7, K2, GPU_WRITE, 1024, 1024});
	for (unsigned i = 1; i < 3072; i += 3)
		shadow_touch(object, i, 1, GPU_WRITE);
	SETTLES(K5, {7, K4, GPU_WRITE, 1024, 0});
	shadow_object_destroy(object);
	shadow_destroy(shadow);
}

static void test_two_writers(void **state)
{
	struct shadow *shadow = shadow_create(false);
	uint8_t memory[1000] = {0};
	struct shadow_object *object = shadow_object_create(shadow, 1, ALLOC, memory, 1000);

	(void)state;
	shadow_touch(object, 0, 500, GPU_WRITE);
	SETTLES(K2, {1, ALLOC, GPU_WRITE, 500, 0});
	shadow_touch(object, 500, 500, GPU_WRITE);
	SETTLES(K3, {1, ALLOC, GPU_WRITE, 500, 0});
	shadow_touch(object, 0, 1000, GPU_READ);
	SETTLES(K4, {1, K2, GPU_READ, 500, 0}, {1, K3, GPU_READ, 500, 0});
	shadow_object_destroy(object);

	/* the seam inside a unit: its second writer takes the unit */
	object = shadow_object_create(shadow, 2, ALLOC, memory, 1000);
	shadow_touch(object, 0, 501, GPU_WRITE);
	SETTLES(K2, {2, ALLOC, GPU_WRITE, 501, 0});
	shadow_touch(object, 501, 499, GPU_WRITE);
	SETTLES(K3, {2, ALLOC, GPU_WRITE, 496, 0}, {2, K2, GPU_WRITE, 3, 0});
	shadow_touch(object, 0, 1000, GPU_READ);
	SETTLES(K4, {2, K2, GPU_READ, 500, 0}, {2, K3, GPU_READ, 500, 0});
	shadow_object_destroy(object);
	shadow_destroy(shadow);
}

static void test_small_stores(void **state)
{
	struct shadow *shadow = shadow_create(false);
	uint8_t memory[16] = {0};
	struct shadow_object *object = shadow_object_create(shadow, 1, ALLOC, memory, 16);

	(void)state;
	memory[5] = 9;
	shadow_touch(object, 5, 1, GPU_WRITE);
	SETTLES(K2, {1, ALLOC, GPU_WRITE, 1, 0});
	shadow_touch(object, 4, 4, GPU_READ);
	SETTLES(K3, {1, K2, GPU_READ, 4, 0});
	shadow_touch(object, 6, 1, GPU_WRITE); /* 0 over fresh 0: not redundant */
	SETTLES(K3, {1, K2, GPU_WRITE, 1, 0});
	shadow_touch(object, 5, 1, GPU_WRITE); /* 9 over 9 */
	SETTLES(K4, {1, K3, GPU_WRITE, 1, 1});
	/* touched twice is touched once; a read after the write belongs to the writer before */
	shadow_touch(object, 4, 2, GPU_WRITE);
	shadow_touch(object, 4, 2, GPU_READ);
	shadow_touch(object, 4, 2, GPU_READ);
	SETTLES(K5, {1, K4, GPU_READ, 2, 0}, {1, K4, GPU_WRITE, 2, 1});
	NOTHING(K2);
	shadow_object_destroy(object);
	shadow_destroy(shadow);
}

static void test_float_bits(void **state)
{
	struct shadow *shadow = shadow_create(false);
	uint32_t memory[2] = {0x7fc00001, 0};
	struct shadow_object *object = shadow_object_create(shadow, 1, ALLOC, memory, 8);

	(void)state;
	shadow_touch(object, 0, 8, GPU_WRITE);
	SETTLES(K2, {1, ALLOC, GPU_WRITE, 8, 0});
	shadow_touch(object, 0, 4, GPU_WRITE); /* the same NaN */
	SETTLES(K3, {1, K2, GPU_WRITE, 4, 4});
	memory[1] = 0x80000000; /* -0.0 over 0.0: one byte differs */
	shadow_touch(object, 4, 4, GPU_WRITE);
	SETTLES(K4, {1, K2, GPU_WRITE, 4, 3});
	memory[0] = 0x7fc00002; /* another NaN */
	shadow_touch(object, 0, 4, GPU_WRITE);
	SETTLES(K5, {1, K3, GPU_WRITE, 4, 3});
	shadow_object_destroy(object);
	shadow_destroy(shadow);
}

static void test_same_address_again(void **state)
{
	struct shadow *shadow = shadow_create(false);
	uint8_t memory[64] = {3};
	struct shadow_object *object = shadow_object_create(shadow, 1, ALLOC, memory, 64);

	(void)state;
	shadow_touch(object, 0, 64, GPU_WRITE);
	SETTLES(K2, {1, ALLOC, GPU_WRITE, 64, 0});
	shadow_touch(object, 0, 64, GPU_READ); /* and freed before it is settled */
	shadow_object_destroy(object);
	object = shadow_object_create(shadow, 2, 17, memory, 64);
	NOTHING(K3);
	shadow_touch(object, 0, 64, GPU_WRITE);
	SETTLES(K3, {2, 17, GPU_WRITE, 64, 0});
	shadow_object_destroy(object);
	shadow_destroy(shadow);
}

static void test_copy_inside(void **state)
{
	struct shadow *shadow = shadow_create(false);
	uint8_t memory[256];
	struct shadow_object *object = shadow_object_create(shadow, 1, ALLOC, memory, 256);

	(void)state;
	for (unsigned i = 0; i < 128; i++)
		memory[i] = (uint8_t)i;
	shadow_touch(object, 0, 128, GPU_FROM_HOST);
	SETTLES(K2, {1, ALLOC, GPU_WRITE, 128, 0}, {1, 0, GPU_FROM_HOST, 128, 0});
	memcpy(memory + 128, memory, 128);
	shadow_touch_copy(object, 128, object, 0, 128);
	SETTLES(K3, {1, K2, GPU_READ, 128, 0}, {1, ALLOC, GPU_WRITE, 128, 0});
	shadow_touch_copy(object, 128, object, 0, 128);
	SETTLES(K3, {1, K2, GPU_READ, 128, 0}, {1, K3, GPU_WRITE, 128, 128});
	memmove(memory + 64, memory, 128); /* byte n becomes n - 64: all differ */
	shadow_touch_copy(object, 64, object, 0, 128);
	SETTLES(K4, {1, K2, GPU_READ, 128, 0}, {1, K2, GPU_WRITE, 64, 0},
		{1, K3, GPU_WRITE, 64, 0});
	shadow_touch(object, 0, 256, GPU_READ);
	SETTLES(K5, {1, K2, GPU_READ, 64, 0}, {1, K3, GPU_READ, 64, 0}, {1, K4, GPU_READ, 128, 0});
	shadow_object_destroy(object);
	shadow_destroy(shadow);
}

static void test_copy_of_uninitialised(void **state)
{
	struct shadow *shadow = shadow_create(false);
	uint8_t from[100] = {0}, to[100] = {0};
	struct shadow_object *source = shadow_object_create(shadow, 1, ALLOC, from, 100);
	struct shadow_object *target = shadow_object_create(shadow, 2, K5, to, 100);

	(void)state;
	shadow_touch(source, 10, 16, GPU_WRITE);
	shadow_touch(target, 0, 100, GPU_WRITE);
	SETTLES(K2, {1, ALLOC, GPU_WRITE, 16, 0}, {2, K5, GPU_WRITE, 100, 0});
	/* source [3, 73) to target [7, 77): source [10, 26), target [14, 30) is initialised */
	shadow_touch_copy(target, 7, source, 3, 70);
	/* source units 2 to 6 = [8, 28) were written by K2; the others by their allocation */
	SETTLES(K3, {1, ALLOC, GPU_READ, 50, 0}, {1, K2, GPU_READ, 20, 0},
		{2, K2, GPU_WRITE, 70, 16});
	/* so of [7, 77) only [14, 30) can be redundant, and the rest is so one write later */
	shadow_touch(target, 0, 100, GPU_WRITE);
	SETTLES(K4, {2, K2, GPU_WRITE, 24, 24}, {2, K3, GPU_WRITE, 76, 22});
	shadow_touch(target, 0, 100, GPU_WRITE);
	SETTLES(K2, {2, K4, GPU_WRITE, 100, 100});
	/* within one API a later store initialises, and a later copy does not */
	shadow_touch_copy(target, 0, source, 80, 8);
	shadow_touch(target, 0, 4, GPU_WRITE);
	SETTLES(K3, {1, ALLOC, GPU_READ, 8, 0}, {2, K2, GPU_WRITE, 8, 4});
	shadow_touch(target, 0, 8, GPU_WRITE);
	SETTLES(K4, {2, K3, GPU_WRITE, 8, 4});
	shadow_object_destroy(source);
	shadow_object_destroy(target);
	shadow_destroy(shadow);
}

static void test_host_rows(void **state)
{
	struct shadow *shadow = shadow_create(false);
	uint8_t memory[256] = {0};
	struct shadow_object *object = shadow_object_create(shadow, 1, ALLOC, memory, 256);

	(void)state;
	/* overlapping rows of one copy count once; a write beside them is no transfer */
	shadow_touch(object, 0, 40, GPU_FROM_HOST);
	shadow_touch(object, 30, 40, GPU_FROM_HOST);
	shadow_touch(object, 60, 20, GPU_WRITE);
	SETTLES(K2, {1, ALLOC, GPU_WRITE, 80, 0}, {1, 0, GPU_FROM_HOST, 70, 0});
	shadow_touch(object, 0, 100, GPU_READ);
	shadow_touch(object, 90, 20, GPU_TO_HOST);
	SETTLES(K3, {1, ALLOC, GPU_READ, 30, 0}, {1, K2, GPU_READ, 80, 0},
		{1, 0, GPU_TO_HOST, 20, 0});
	shadow_touch(object, 0, 256, GPU_READ);
	SETTLES(K3, {1, ALLOC, GPU_READ, 176, 0}, {1, K2, GPU_READ, 80, 0});
	shadow_touch(object, 0, 256, GPU_TO_HOST);
	shadow_touch(object, 0, 256, GPU_FROM_HOST);
	shadow_abandon(shadow);
	NOTHING(K4);
	shadow_touch(object, 0, 80, GPU_WRITE);
	SETTLES(K4, {1, K2, GPU_WRITE, 80, 80});
	shadow_object_destroy(object);
	shadow_destroy(shadow);
}

/* The host writes between the APIs: managed and mapped memory. */
static void test_shared_with_host(void **state)
{
	struct shadow *shadow = shadow_create(true);
	uint8_t memory[70] = {0};
	struct shadow_object *object = shadow_object_create(shadow, 1, ALLOC, memory, 70);

	(void)state;
	shadow_object_shared(object);
	memory[5] = 1;  /* unit 1 */
	memory[69] = 1; /* the last unit, which has two bytes */
	shadow_touch(object, 0, 70, GPU_READ);
	SETTLES(K2, {1, 0, GPU_READ, 6, 0}, {1, ALLOC, GPU_READ, 64, 0});
	/* one byte of a unit is read, another one changed: the unit is the host's */
	memory[11] = 9;
	shadow_touch(object, 8, 1, GPU_READ);
	SETTLES(K3, {1, 0, GPU_READ, 1, 0});
	/* written by the API, so what the host had put there is not seen, nor that it is unit 1 */
	memory[4] = 3;
	shadow_touch(object, 4, 4, GPU_READ);
	shadow_touch(object, 4, 1, GPU_WRITE);
	SETTLES(K4, {1, 0, GPU_READ, 4, 0}, {1, 0, GPU_WRITE, 1, 0});
	/* what was taken over from the host is known: the same value again is redundant */
	shadow_touch(object, 8, 4, GPU_WRITE);
	SETTLES(K5, {1, 0, GPU_WRITE, 4, 4});
	shadow_object_destroy(object);
	shadow_destroy(shadow);
}

static void test_forget(void **state)
{
	struct shadow *shadow = shadow_create(false);
	static uint8_t memory[3000];
	struct shadow_object *object = shadow_object_create(shadow, 1, ALLOC, memory, 3000);

	(void)state;
	shadow_touch(object, 0, 256, GPU_WRITE);
	SETTLES(K2, {1, ALLOC, GPU_WRITE, 256, 0});
	shadow_forget(object, 10, 10); /* units [8, 20) */
	shadow_touch(object, 0, 256, GPU_WRITE);
	SETTLES(K3, {1, K2, GPU_WRITE, 244, 244}, {1, GPU_WRITER_UNKNOWN, GPU_WRITE, 12, 0});
	shadow_touch(object, 0, 3000, GPU_WRITE);
	SETTLES(K4, {1, ALLOC, GPU_WRITE, 2744, 0}, {1, K3, GPU_WRITE, 256, 256});
	/* a whole block and the units at both of its sides */
	shadow_forget(object, 1023, 1026); /* [1020, 2052) */
	shadow_touch(object, 0, 3000, GPU_READ);
	SETTLES(K5, {1, K4, GPU_READ, 1968, 0}, {1, GPU_WRITER_UNKNOWN, GPU_READ, 1032, 0});
	shadow_touch(object, 0, 3000, GPU_WRITE);
	SETTLES(K5, {1, K4, GPU_WRITE, 1968, 1968}, {1, GPU_WRITER_UNKNOWN, GPU_WRITE, 1032, 0});
	shadow_forget(object, 2999, 1); /* the last unit */
	shadow_touch(object, 2990, 10, GPU_READ);
	SETTLES(K2, {1, K5, GPU_READ, 6, 0}, {1, GPU_WRITER_UNKNOWN, GPU_READ, 4, 0});
	shadow_object_destroy(object);
	shadow_destroy(shadow);
}

static void test_global(void **state)
{
	struct shadow *shadow = shadow_create(true);
	uint8_t memory[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct shadow_object *object =
		shadow_object_create(shadow, 0, GPU_WRITER_UNKNOWN, memory, 8);

	(void)state;
	shadow_initialised(object, 0, 6);
	assert_false(shadow_object_touched(object));
	shadow_touch(object, 0, 8, GPU_WRITE);
	assert_true(shadow_object_touched(object));
	shadow_object_identify(object, 4, K2);
	memory[0] = 0;
	SETTLES(K3, {4, K2, GPU_WRITE, 8, 5}); /* 0 differs, 6 and 7 were not initialised */
	assert_false(shadow_object_touched(object));
	shadow_object_destroy(object);
	shadow_destroy(shadow);
}

static void test_odd_sizes(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 5, 63, 65, 127, 1023, 1025, 2047, 4097, 65537};
	struct shadow *shadow = shadow_create(false);

	(void)state;
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint64_t size = sizes[i];
		uint8_t *memory = calloc(1, size); /* of that size exactly: ASan watches its end */
		struct shadow_object *object = shadow_object_create(shadow, 1, ALLOC, memory, size);

		shadow_touch(object, 0, size, GPU_WRITE);
		SETTLES(K2, {1, ALLOC, GPU_WRITE, size, 0});
		memory[size - 1] = 1;
		shadow_touch(object, 0, size, GPU_WRITE);
		SETTLES(K3, {1, K2, GPU_WRITE, size, size - 1});
		shadow_touch(object, size - 1, 1, GPU_READ);
		SETTLES(K4, {1, K3, GPU_READ, 1, 0});
		/* ranges that the object does not have are passed over */
		shadow_touch(object, size, 1, GPU_READ);
		shadow_touch(object, 0, size + 1, GPU_WRITE);
		shadow_touch(object, UINT64_MAX, 2, GPU_WRITE);
		shadow_touch(object, 0, 0, GPU_WRITE);
		shadow_touch_copy(object, 1, object, 0, size);
		shadow_forget(object, size, 1);
		shadow_initialised(object, 1, size);
		NOTHING(K4);
		shadow_object_destroy(object);
		free(memory);
	}
	shadow_destroy(shadow);
}

static void test_several_objects(void **state)
{
	struct shadow *shadow = shadow_create(false);
	uint8_t memory[3][32] = {{0}};
	struct shadow_object *objects[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		objects[i] = shadow_object_create(shadow, 10 + i, ALLOC + i, memory[i], 32);
	shadow_touch(objects[2], 0, 8, GPU_READ);
	shadow_touch(objects[0], 8, 8, GPU_WRITE);
	shadow_touch(objects[2], 4, 8, GPU_WRITE);
	shadow_touch(objects[1], 0, 4, GPU_TO_HOST);
	SETTLES(K5, {10, ALLOC, GPU_WRITE, 8, 0}, {11, ALLOC + 1, GPU_READ, 4, 0},
		{11, 0, GPU_TO_HOST, 4, 0}, {12, ALLOC + 2, GPU_READ, 8, 0},
		{12, ALLOC + 2, GPU_WRITE, 8, 0});
	for (unsigned i = 0; i < 3; i++)
		shadow_object_destroy(objects[i]);
	shadow_destroy(shadow);
}

/* One API reads what a thousand others wrote, a unit each, in scattered order. */
static void test_many_writers(void **state)
{
	struct shadow *shadow = shadow_create(false);
	static uint8_t memory[4000];
	struct shadow_object *object = shadow_object_create(shadow, 1, ALLOC, memory, 4000);
	const struct gpu_row *rows;
	size_t count;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		shadow_touch(object, i * 7 % 1000 * 4, 1 + i % 4, GPU_WRITE);
		SETTLES(2 + i, {1, ALLOC, GPU_WRITE, 1 + i % 4, 0});
	}
	shadow_touch(object, 0, 4000, GPU_READ);
	shadow_touch(object, 0, 2000, GPU_WRITE);
	assert_int_equal(shadow_settle(shadow, 5000, &rows, &count), 0);
	assert_int_equal(count, 1500);
	for (unsigned i = 0; i < 1000; i++) {
		assert_int_equal(rows[i].access, GPU_READ);
		assert_int_equal(rows[i].writer, 2 + i);
		assert_int_equal(rows[i].bytes, 4);
	}
	for (unsigned i = 1000; i < 1500; i++) {
		assert_int_equal(rows[i].access, GPU_WRITE);
		assert_true(i == 1000 || rows[i - 1].writer < rows[i].writer);
		assert_int_equal(rows[i].bytes, 4);
		/* as many bytes of the unit are initialised as its writer wrote */
		assert_int_equal(rows[i].redundant_bytes, 1 + (rows[i].writer - 2) % 4);
	}
	shadow_object_destroy(object);
	shadow_destroy(shadow);
}

static void test_no_memory(void **state)
{
	struct shadow *shadow = shadow_create(true);
	uint8_t memory[64] = {0};
	struct shadow_object *object = shadow_object_create(shadow, 1, ALLOC, memory, 64);
	const struct gpu_row *rows;
	size_t count = 1;

	(void)state;
	assert_null(shadow_object_create(shadow, 2, ALLOC, memory, UINT64_MAX));
	assert_null(shadow_object_create(shadow, 2, ALLOC, memory, UINT64_C(1) << 46));
	shadow_touch(object, 0, 64, GPU_WRITE);
	scarce = true;
	assert_int_equal(scarce_settle(shadow, K2, &rows, &count), -1);
	scarce = false;
	assert_int_equal(count, 0);
	shadow_touch(object, 0, 8, GPU_WRITE);
	assert_int_equal(scarce_settle(shadow, K3, &rows, &count), 0);
	assert_int_equal(count, 1);
	assert_true(rows[0].writer == GPU_WRITER_UNKNOWN);
	assert_int_equal(rows[0].bytes, 8);
	assert_int_equal(rows[0].redundant_bytes, 0);
	shadow_object_destroy(object);
	shadow_destroy(shadow);
}

/* More than 4 GiB in sums of counts, as a consumer of the rows adds them up. */
static void test_four_gigabytes(void **state)
{
	const uint64_t size = UINT64_C(64) << 20;
	struct shadow *shadow = shadow_create(false);
	uint8_t *memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct shadow_object *object = shadow_object_create(shadow, 1, ALLOC, memory, size);
	uint64_t sum = 0;

	(void)state;
	for (unsigned i = 0; i < 65; i++) {
		const struct gpu_row *rows;
		size_t count;

		shadow_touch(object, 0, size, GPU_READ);
		assert_int_equal(shadow_settle(shadow, K2, &rows, &count), 0);
		assert_int_equal(count, 1);
		sum += rows[0].bytes;
	}
	assert_true(sum == UINT64_C(4362076160));
	shadow_object_destroy(object);
	munmap(memory, size);
	shadow_destroy(shadow);
}

/* 0 under the address sanitizer, whose own memory is resident along with ours on some kernels. */
static uint64_t resident_bytes(void)
{
#ifdef __SANITIZE_ADDRESS__
	return 0;
#else
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
	fclose(file);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
#endif
}

/* 100000 passes over a 256 MiB object: hours if each walked the object. */
static void test_cost_of_small_touches(void **state)
{
	const uint64_t size = UINT64_C(256) << 20;
	struct shadow *shadow = shadow_create(true);
	uint8_t *memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t before = resident_bytes();
	struct shadow_object *object = shadow_object_create(shadow, 1, ALLOC, memory, size);

	(void)state;
	assert_non_null(object);
	for (unsigned i = 0; i < 100000; i++) {
		shadow_touch(object, (uint64_t)i * 7919 % 4096 * 65536, 1, GPU_WRITE);
		SETTLES(K2, {1, i < 4096 ? ALLOC : K2, GPU_WRITE, 1, i < 4096 ? 0 : 1});
	}
	/* 4096 places of the object: less than 8 pages each */
	assert_true(resident_bytes() - before < UINT64_C(4096) * 8 * 4096);
	shadow_object_destroy(object);
	before = resident_bytes();
	object = shadow_object_create(shadow, 2, ALLOC, memory, size);
	shadow_touch(object, size - 1, 1, GPU_WRITE);
	SETTLES(K2, {2, ALLOC, GPU_WRITE, 1, 0});
	assert_true(resident_bytes() < before + (1 << 20));
	shadow_object_destroy(object);
	munmap(memory, size);
	shadow_destroy(shadow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_third_byte),
		cmocka_unit_test(test_two_writers),
		cmocka_unit_test(test_small_stores),
		cmocka_unit_test(test_float_bits),
		cmocka_unit_test(test_same_address_again),
		cmocka_unit_test(test_copy_inside),
		cmocka_unit_test(test_copy_of_uninitialised),
		cmocka_unit_test(test_host_rows),
		cmocka_unit_test(test_shared_with_host),
		cmocka_unit_test(test_forget),
		cmocka_unit_test(test_global),
		cmocka_unit_test(test_odd_sizes),
		cmocka_unit_test(test_several_objects),
		cmocka_unit_test(test_many_writers),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_four_gigabytes),
		cmocka_unit_test(test_cost_of_small_touches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
