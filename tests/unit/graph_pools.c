/* Memory pools: what the builder makes of their blocks, and of records that cannot be. */
#include "tests/unit/made_traces.h"

#include "gpu/records.h"

static void pool(uint32_t number, const char *name)
{
	struct gpu_pool payload = {.pool = number};

	strcpy(payload.name, name);
	fact(GPU_RECORD_POOL, 0, 0, &payload, sizeof(payload));
}

static void block(uint32_t number, uint64_t address, uint64_t bytes, uint32_t innermost)
{
	struct gpu_pool_block payload = {
		.address = address, .bytes = bytes, .pool = number, .frame = innermost};

	fact(GPU_RECORD_POOL_BLOCK, 0, 0, &payload, sizeof(payload));
}

static void pool_is(const struct profile *profile, uint32_t index, uint32_t process,
		    uint64_t blocks, uint64_t live, uint64_t peak)
{
	const struct profile_pool *row = &profile->pools[index];

	assert_true(index < profile->pool_count);
	assert_int_equal(row->process, process);
	assert_int_equal(row->blocks, blocks);
	assert_int_equal(row->live_bytes, live);
	assert_int_equal(row->peak_bytes, peak);
	assert_true(row->reported_bytes == PROFILE_UNKNOWN);
}

/* Two processes with the same numbers and addresses; object 1 is at 0x700010000, of 64 bytes. */
static void test_processes(void **state)
{
	struct profile *profile;

	(void)state;
	for (uint32_t pid = 1; pid <= 2; pid++) {
		start(pid);
		module(1, "/nowhere/app");
		frame(1, 0, 1, 0x100);
		context(1, TRACE_ALLOC, "cudaMalloc", 1);
		context(2, TRACE_RELEASE, "cudaFree", 1);
		pool(1, "a\x1b");
		block(1, 0x700010000, 7, 0); /* the object is not there yet */
		object(1, 1, 64);
		event(1, 0, NULL);
		block(1, 0x700010040, 9, 1); /* right behind it */
		block(1, 0x700010040, 0, 0);
		if (pid == 2)
			block(1, 0x70001003f, 5, 1); /* its last byte */
		event(2, 0, NULL);
		released(1, 2);
		block(1, 0x700010000, 0, 0);
		block(1, 0x700010000, 3, 1); /* it is gone */
		end();
	}
	profile = build();
	assert_int_equal(profile->pool_count, 2);
	pool_is(profile, 0, 0, 3, 3, 16);
	pool_is(profile, 1, 1, 4, 8, 16);
	assert_null(strchr(profile->pools[0].name, '\x1b'));
	assert_int_equal(profile->pool_segment_count, 1);
	assert_int_equal(profile->pool_segments[0].pool, 1);
	assert_int_equal(profile->objects[profile->pool_segments[0].object].process, 1);
	profile_free(profile);
}

static void test_bad(void **state)
{
	static const struct gpu_pool endless = {
		1, "0123456789012345678901234567890123456789012345678901234567890123"};

	(void)state;
	good_beginning();
	block(1, 0x700010000, 8, 1);
	cut_there("a block of pool 1, which is not there");
	good_beginning();
	pool(1, "a");
	pool(1, "b");
	cut_there("pool 1 comes twice");
	good_beginning();
	fact(GPU_RECORD_POOL, 0, 0, &endless, sizeof(endless));
	cut_there("a pool whose name has no end");
	good_beginning();
	pool(1, "a");
	block(1, 0x700010000, 8, 2);
	cut_there("a block of a pool, of a frame that is not there");
	good_beginning();
	pool(1, "a");
	block(1, 0, PROFILE_NUMBER_MAX, 1);
	block(1, 0, 0, 0);
	block(1, 0, 1, 1);
	cut_there("a block of a pool with more bytes than can be");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_processes, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_bad, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
