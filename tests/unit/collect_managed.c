/* collect/guest/managed.c by itself: which wait a page fault belongs to, and what is said at the
 * end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collect/guest/managed.c"
#include "collect/guest/memory.c"

enum { IN_CUDA = 999 };

static struct {
	struct gpu_use use;
	bool gap;
} said[8];
static unsigned count;
static enum gpu_touches known = GPU_TOUCHES_ALL;

uint32_t paths_of(const struct gpu_provider *provider, const uintptr_t *code, uint32_t frames,
		  bool *cuda)
{
	(void)provider;
	assert_int_equal(frames, 1);
	*cuda = *code == IN_CUDA;
	return (uint32_t)*code + 1;
}

void guest_give_up(const char *why)
{
	fail_msg("%s", why);
}

static enum gpu_touches touches(void)
{
	return known;
}

static const struct gpu_provider provider = {.touches = touches};

static void say(struct gpu_use *use, bool gap)
{
	said[count].use = *use;
	said[count++].gap = gap;
}

static struct gpu_use wait_of(uint64_t invocation)
{
	return (struct gpu_use){.context = 5, .invocation = invocation, .kind = GPU_USE_NEVER};
}

static void protect(uint64_t invocation, uint64_t end_ns)
{
	const struct gpu_use use = wait_of(invocation);

	assert_true(managed_protect(&use, end_ns));
	assert_true(managed_finish(&use, false));
}

static void end(void)
{
	count = 0;
	managed_end(&provider, say);
}

/* Faults come late and in any order; each belongs to the last wait before it. */
static void test_times(void **state)
{
	(void)state;
	protect(0, 100000);
	protect(1, 200000);
	protect(2, 300000);
	assert_true(managed_protect(NULL, 400000));  /* nobody asks about this one */
	assert_false(managed_protect(NULL, 450000)); /* one end is enough */
	protect(3, 500000);
	managed_touched(&provider, 350000, 70);
	managed_touched(&provider, 50000, 71); /* before all of them */
	managed_touched(&provider, 150000, 72);
	managed_touched(&provider, 120000, 73); /* earlier */
	managed_touched(&provider, 130000, 74);
	managed_touched(&provider, 425000, 75); /* after the end of the third */
	managed_touched(&provider, 499000, 76); /* the clocks differ by so much */
	managed_touched(&provider, 205000, IN_CUDA);
	end();
	assert_int_equal(count, 4);
	assert_int_equal(said[0].use.kind, GPU_USE_INSTRUCTION);
	assert_int_equal(said[0].use.after_ns, 20000);
	assert_int_equal(said[0].use.frame, 74);
	assert_int_equal(said[1].use.kind, GPU_USE_NEVER);
	assert_false(said[1].gap);
	assert_int_equal(said[2].use.after_ns, 50000);
	assert_int_equal(said[2].use.frame, 71);
	assert_int_equal(said[3].use.after_ns, 0);
	assert_int_equal(said[3].use.frame, 77);
	end();
	assert_int_equal(count, 0);
}

/* Where pages come back by themselves, a wait without a fault may have been needed. */
static void test_some(void **state)
{
	(void)state;
	known = GPU_TOUCHES_SOME;
	protect(0, 100000);
	protect(1, 200000);
	managed_touched(&provider, 150000, 7);
	end();
	assert_false(said[0].gap);
	assert_true(said[1].gap);
	known = GPU_TOUCHES_ALL;
}

/* Other memory that the same wait protects may have been used before, or may not be known. */
static void test_other_memory(void **state)
{
	struct gpu_use use = wait_of(0), other = wait_of(1);

	(void)state;
	assert_true(managed_protect(&use, 100000));
	assert_true(managed_protect(&other, 200000));
	use.kind = GPU_USE_SYSTEM_CALL;
	use.after_ns = 10000;
	use.frame = 3;
	assert_true(managed_finish(&use, false));
	assert_true(managed_finish(&other, true));
	managed_touched(&provider, 120000, 7);
	managed_touched(&provider, 220000, 8);
	other.invocation = 2;
	assert_false(managed_finish(&other, false));
	end();
	assert_int_equal(said[0].use.kind, GPU_USE_SYSTEM_CALL);
	assert_int_equal(said[0].use.frame, 3);
	assert_int_equal(said[1].use.frame, 9);
	assert_true(said[1].gap);
}

static void test_bounded(void **state)
{
	const struct gpu_use use = wait_of(7);

	(void)state;
	for (unsigned i = 0; i < HELD_MAX; i++)
		assert_true(managed_protect(&use, i));
	assert_false(managed_protect(&use, HELD_MAX));
	held_count = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_some),
		cmocka_unit_test(test_other_memory),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
