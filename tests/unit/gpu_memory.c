/* tests/unit/gpu_memory.c: the emulated device's allocator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "gpu/emulator/state/memory.h"

static unsigned long locked_kib(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long size = 0;
	char line[256];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "VmLck: %lu", &size) == 1)
			break;
	fclose(file);
	return size;
}

/* The first allocation reserves the device's range; with ONFAULT a failure eats no memory. */
static void test_locked(void **state)
{
	struct allocation *allocation;
	unsigned long locked;

	(void)state;
	if (mlockall(MCL_FUTURE | MCL_ONFAULT) != 0)
		skip();
	allocation = memory_allocate(1, 1);
	locked = locked_kib();
	munlockall();
	assert_non_null(allocation); /* whatever the limit on locked memory is */
	memset((void *)(uintptr_t)allocation->address, 1, 1);
	memory_release(allocation);
	assert_true(locked < 64 << 10);
}

/* The bytes that can be accessed from there on: what mlockall(MCL_CURRENT) would give memory to. */
static uint64_t accessible(uint64_t address)
{
	FILE *file = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	uint64_t bytes = 0;
	char line[512], rights;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx-%lx %c", &start, &end, &rights) == 3 && address >= start &&
		    address < end && rights == 'r')
			bytes = end - address;
	fclose(file);
	return bytes;
}

static void test_accessible(void **state)
{
	struct allocation *small = memory_allocate(4096, 1), *large;
	uint64_t bytes = accessible(small->address), address = small->address;

	(void)state;
	assert_true(bytes >= 4096 && bytes <= 32 << 20);
	large = memory_allocate(48 << 20, 1);
	bytes = accessible(address);
	assert_true(bytes >= 48 << 20 && bytes <= 80 << 20);
	memset((void *)(uintptr_t)large->address, 1, 48 << 20);
	memory_release(large);
	memory_release(small);
}

static void test_addresses(void **state)
{
	struct allocation *a = memory_allocate(1, 1), *b = memory_allocate(512, 1);
	struct allocation *c = memory_allocate(513, 4096);

	(void)state;
	assert_non_null(a);
	assert_int_equal(a->address % 512, 0);
	/* 512 bytes of the first, 512 of gap */
	assert_int_equal(b->address - a->address, 1024);
	assert_int_equal(c->address % 4096, 0);
	assert_int_equal(a->size, 1);
	memset((void *)(uintptr_t)c->address, 1, 513);
	memory_release(b);
	memory_release(a);
	memory_release(c);
}

static void test_find(void **state)
{
	struct allocation *a = memory_allocate(100, 1), *b = memory_allocate(4096, 1);
	uint64_t generation = memory_generation();

	(void)state;
	assert_ptr_equal(memory_find(a->address), a);
	assert_ptr_equal(memory_find(a->address + 99), a);
	assert_null(memory_find(a->address + 100));
	assert_null(memory_find(a->address - 1));
	assert_null(memory_find(b->address - 1));
	assert_ptr_equal(memory_find(b->address + 4095), b);
	assert_null(memory_find(b->address + 4096));
	assert_null(memory_find(0));
	assert_null(memory_find(UINT64_MAX));
	assert_true(memory_is_device(b->address + 4096));
	assert_false(memory_is_device((uintptr_t)&generation));
	memory_release(a);
	assert_true(memory_generation() != generation);
	assert_null(memory_find(b->address - 1024));
	memory_release(b);
}

static void test_reuse(void **state)
{
	struct allocation *a = memory_allocate(1000, 1), *b = memory_allocate(1000, 1);
	struct allocation *c = memory_allocate(1000, 1), *small, *big;
	uint64_t hole = b->address;

	(void)state;
	memory_release(b);
	big = memory_allocate(2000, 1);
	assert_true(big->address > c->address);
	small = memory_allocate(100, 1);
	assert_int_equal(small->address, hole);
	memory_release(small);
	b = memory_allocate(1024, 1); /* fills it exactly */
	assert_int_equal(b->address, hole);
	memory_release(a);
	memory_release(b);
	memory_release(c);
	memory_release(big);
}

static void test_limits(void **state)
{
	uint64_t free = memory_free();
	struct allocation *half = memory_allocate(free / 2, 1);

	(void)state;
	assert_true(memory_total() >= UINT64_C(64) << 20);
	assert_true(memory_total() <= UINT64_C(16) << 30);
	assert_non_null(half);
	assert_int_equal(memory_free(), free - free / 2);
	assert_null(memory_allocate(free / 2 + 512, 1));
	assert_null(memory_allocate(0, 1));
	assert_null(memory_allocate(UINT64_MAX, 1));
	assert_null(memory_allocate(UINT64_MAX - 511, 1));
	memory_release(half);
	assert_int_equal(memory_free(), free);
}

/* Against a plain list: no two overlap or touch, and every address finds its own. */
static void test_random(void **state)
{
	enum { LIVE = 300, STEPS = 20000 };
	static struct allocation *live[LIVE];
	uint64_t free = memory_free();
	uint32_t random = 1;

	(void)state;
	for (int step = 0; step < STEPS; step++) {
		struct allocation **slot;

		random = random * 1664525 + 1013904223;
		slot = &live[random / 65536 % LIVE];
		if (*slot) {
			memory_release(*slot);
			*slot = NULL;
			continue;
		}
		random = random * 1664525 + 1013904223;
		*slot = memory_allocate(1 + random / 65536 % 5000, 1 << random % 13);
		assert_non_null(*slot);
		for (int i = 0; i < LIVE && step % 50 == 0; i++)
			if (live[i] && live[i] != *slot)
				assert_true(live[i]->address + live[i]->size < (*slot)->address ||
					    (*slot)->address + (*slot)->size < live[i]->address);
	}
	for (int i = 0; i < LIVE; i++)
		if (live[i]) {
			assert_ptr_equal(memory_find(live[i]->address + live[i]->size - 1),
					 live[i]);
			assert_null(memory_find(live[i]->address + live[i]->size));
		}
	for (int i = 0; i < LIVE; i++)
		if (live[i])
			memory_release(live[i]);
	assert_int_equal(memory_free(), free);
}

static void release_odd(struct allocation *allocation, void *data)
{
	int *seen = data;

	if (++*seen % 2)
		memory_release(allocation);
}

static void test_each(void **state)
{
	int seen = 0;

	(void)state;
	for (int i = 0; i < 10; i++)
		assert_non_null(memory_allocate(64, 1));
	memory_each(release_odd, &seen);
	assert_int_equal(seen, 10);
	seen = 0;
	memory_each(release_odd, &seen);
	assert_int_equal(seen, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_locked),    cmocka_unit_test(test_accessible),
		cmocka_unit_test(test_addresses), cmocka_unit_test(test_find),
		cmocka_unit_test(test_reuse),     cmocka_unit_test(test_limits),
		cmocka_unit_test(test_random),    cmocka_unit_test(test_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
