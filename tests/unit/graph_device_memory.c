/* How much memory of devices was used: records become a table, which is written and read again. */
#include "tests/unit/made_traces.h"

#include "gpu/records.h"

enum { ALLOC = 1 };

static void told(struct gpu_device_memory memory)
{
	fact(GPU_RECORD_DEVICE_MEMORY, 0, 0, &memory, sizeof(memory));
}

/* Of device 0 the third is that with most allocated, of which device 3 has only the first. */
static void make_trace(const struct gpu_device_memory *bad)
{
	start(1);
	clock_ns = 1;
	context(ALLOC, TRACE_ALLOC, "cudaMalloc", 0);
	told((struct gpu_device_memory){.total = 1000, .unused = 900, .first = 1});
	object(1, ALLOC, 100);
	event(ALLOC, 0, NULL);
	told((struct gpu_device_memory){.total = 1000, .unused = 700, .allocated = 100, .own = 70});
	told((struct gpu_device_memory){.total = 2000, .unused = 1500, .device = 3, .first = 1});
	object(2, ALLOC, 200);
	event(ALLOC, 0, NULL);
	told((struct gpu_device_memory){.total = 1000, .unused = 400, .allocated = 300, .own = 75});
	told((struct gpu_device_memory){.total = 1000, .unused = 1000, .allocated = 299});
	if (bad)
		told(*bad);
	object(3, ALLOC, 1);
	event(ALLOC, 0, NULL);
	end();
}

static void check_row(const struct profile_device_memory *row, uint32_t device, uint64_t total,
		      uint64_t first_unused, uint64_t unused, uint64_t allocated, uint64_t own)
{
	assert_int_equal(row->process, 0);
	assert_int_equal(row->device, device);
	assert_int_equal(row->total, total);
	assert_int_equal(row->first_unused, first_unused);
	assert_int_equal(row->unused, unused);
	assert_int_equal(row->allocated, allocated);
	assert_int_equal(row->own, own);
}

static void check(const struct profile *profile)
{
	assert_int_equal(profile->device_memory_count, 2);
	check_row(&profile->device_memory[0], 0, 1000, 900, 400, 300, 75);
	check_row(&profile->device_memory[1], 3, 2000, 1500, 1500, 0, 0);
}

static void test_devices(void **state)
{
	struct profile *profile;

	(void)state;
	make_trace(NULL);
	profile = build_passes("flow");
	assert_string_equal(coverage_of(profile, "trace"), "");
	check(profile);
	profile = written(profile);
	check(profile);
	profile_free(profile);
}

/* What cannot be ends the trace there, and coverage says so. */
static void test_hostile_devices(void **state)
{
	static const struct gpu_device_memory bad[] = {
		{.total = 10, .unused = 11},         {.total = UINT64_MAX},
		{.total = 10, .unused = UINT64_MAX}, {.total = 10, .allocated = UINT64_MAX},
		{.total = 10, .own = UINT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct profile *profile;

		assert_int_equal(make_folder(NULL), 0);
		make_trace(&bad[i]);
		profile = build_passes("flow");
		assert_true(coverage_has(profile, "than there is"));
		check(profile);
		profile_free(profile);
		assert_int_equal(remove_folder(NULL), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_devices, make_folder, remove_folder),
		cmocka_unit_test(test_hostile_devices),
	};

	return cmocka_run_group_tests_name("graph_device_memory", tests, NULL, NULL);
}
