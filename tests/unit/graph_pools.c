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

static void name(uint32_t number, uint64_t address, const char *text)
{
	struct gpu_pool_name payload = {.address = address, .pool = number};

	memcpy(payload.name, text, strnlen(text, sizeof(payload.name)));
	fact(GPU_RECORD_POOL_NAME, 0, 0, &payload, sizeof(payload));
}

static uint64_t covered(const struct profile *profile, enum coverage_id id)
{
	for (uint32_t i = 0; i < profile->coverage_count; i++)
		if (coverage_is(profile->coverage[i].id, id))
			return profile->coverage[i].count;
	return 0;
}

static void site_is(const struct profile_pool_site *site, const char *called, uint64_t blocks,
		    uint64_t bytes, uint64_t live_bytes, uint64_t peak_blocks, uint64_t peak_bytes)
{
	if (called)
		assert_string_equal(site->name, called);
	else
		assert_null(site->name);
	assert_int_equal(site->blocks, blocks);
	assert_int_equal(site->bytes, bytes);
	assert_int_equal(site->live_bytes, live_bytes);
	assert_int_equal(site->peak_blocks, peak_blocks);
	assert_int_equal(site->peak_bytes, peak_bytes);
}

static void blocks_with_names(void)
{
	good_beginning();
	pool(1, "a");
	block(1, 0x100, 100, 1);
	block(1, 0x200, 200, 1);
	name(1, 0x200, "b"); /* it was so called at the peak, of 300 */
	block(1, 0x100, 0, 0);
	block(1, 0x300, 50, 1);
	name(1, 0x300, "c"); /* it was not there */
	name(1, 0x100, "gone");
}

/* Names hold from the start of a block on, whatever has happened since. */
static void test_names(void **state)
{
	struct profile *profile;

	(void)state;
	blocks_with_names();
	end();
	profile = build();
	assert_int_equal(profile->pool_site_count, 3);
	site_is(&profile->pool_sites[0], NULL, 1, 100, 0, 1, 100);
	site_is(&profile->pool_sites[1], "b", 1, 200, 200, 1, 200);
	site_is(&profile->pool_sites[2], "c", 1, 50, 50, 0, 0);
	profile_free(profile);
	unlink(path);

	blocks_with_names();
	name(1, 0x200, "");
	name(1, 0x300, "b\x1b");
	name(1, 0x300, "b");
	name(1, 0x300, "b");
	end();
	profile = build();
	assert_int_equal(profile->pool_site_count, 2);
	site_is(&profile->pool_sites[0], NULL, 2, 300, 200, 2, 300);
	site_is(&profile->pool_sites[1], "b", 1, 50, 50, 0, 0);
	profile_free(profile);
	unlink(path);

	blocks_with_names();
	block(1, 0x400, 100, 1); /* 350: another peak */
	name(1, 0x400, "d");
	block(1, 0x200, 0, 0);
	name(1, 0x300, "d");
	end();
	profile = build();
	assert_int_equal(profile->pool_site_count, 3);
	site_is(&profile->pool_sites[0], NULL, 1, 100, 0, 0, 0);
	site_is(&profile->pool_sites[1], "b", 1, 200, 0, 1, 200);
	site_is(&profile->pool_sites[2], "d", 2, 150, 150, 2, 150);
	profile_free(profile);
}

static void test_many_names(void **state)
{
	struct profile *profile;
	char text[16];

	(void)state;
	good_beginning();
	pool(1, "a");
	for (int i = 0; i < 10003; i++) {
		block(1, (uint64_t)i, 1, 1);
		snprintf(text, sizeof(text), "%d", i);
		name(1, (uint64_t)i, text);
	}
	end();
	profile = build();
	assert_int_equal(profile->pool_site_count, 10001);
	assert_int_equal(covered(profile, COVERAGE_POOL_NAMES_TOO_MANY), 3);
	assert_int_equal(covered(profile, COVERAGE_POOL_BLOCKS_OUTSIDE), 10003);
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
	cut_there("kind POOL with a name that has no end");
	good_beginning();
	name(1, 0x700010000, "a");
	cut_there("the name of a block of pool 1, which is not there");
	good_beginning();
	pool(1, "a");
	block(1, 0x700010000, 8, 1);
	name(1, 0x700010000, endless.name);
	cut_there("kind POOL_NAME with a name that has no end");
	good_beginning();
	pool(1, "a");
	block(1, 0x700010000, 8, 2);
	cut_there("kind POOL_BLOCK of frame 2, which is not there");
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
		cmocka_unit_test_setup_teardown(test_names, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_many_names, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_bad, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
