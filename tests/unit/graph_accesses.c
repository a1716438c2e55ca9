/*
 * What was accessed of objects (pass `access`): records become tables, which are written to a
 * profile and read again.
 */
#include "tests/unit/made_traces.h"

#include "gpu/records.h"

enum { ALLOC = 1, FIRST, SECOND, FREE };
enum { SWEPT = 1, OVERLAPPED, ONCE, OBJECTS = 3 };
enum { SIZE = 1000 };

static void slice(uint32_t of, uint32_t by, uint64_t offset, uint64_t to)
{
	const struct gpu_slice slice = {offset, to};

	fact(GPU_RECORD_SLICE, of, by, &slice, sizeof(slice));
}

static void accessed(uint32_t of, uint32_t by, struct gpu_accessed accessed)
{
	fact(GPU_RECORD_ACCESSED, of, by, &accessed, sizeof(accessed));
}

/*
 * FIRST sweeps SWEPT in an order that is none, in slices of 1 to 3 bytes; SECOND takes 40 bytes of
 * it at once.  Of OVERLAPPED the last slice but one has a byte that an earlier one has, and ONCE
 * has one launch of a kernel only.
 */
static void make_trace(const struct gpu_slice *bad, const struct gpu_accessed *worse)
{
	start(1);
	clock_ns = 1;
	context(ALLOC, TRACE_ALLOC, "cudaMalloc", 0);
	context(FIRST, TRACE_KERNEL, "first", 0);
	context(SECOND, TRACE_KERNEL, "second", 0);
	context(FREE, TRACE_RELEASE, "cudaFree", 0);
	for (uint32_t i = 1; i <= OBJECTS; i++) {
		object(i, ALLOC, SIZE);
		event(ALLOC, 0, NULL);
	}
	for (uint32_t i = 0; i < 300; i++) {
		const uint64_t at = i * 7 % 300 * 3;

		event(FIRST, 0, NULL);
		slice(SWEPT, FIRST, at, at + 1 + i % 3);
		slice(OVERLAPPED, FIRST, at, at + (i == 298 ? 4 : 3));
	}
	event(SECOND, 0, NULL);
	slice(SWEPT, SECOND, 20, 60);
	slice(ONCE, SECOND, 0, SIZE);
	accessed(ONCE, SECOND, (struct gpu_accessed){1, 2, 998, 2}); /* the last one counts */
	accessed(ONCE, SECOND, (struct gpu_accessed){SIZE, 0, 0, 0});
	if (bad)
		fact(GPU_RECORD_SLICE, SWEPT, SECOND, bad, sizeof(*bad));
	if (worse)
		fact(GPU_RECORD_ACCESSED, SWEPT, SECOND, worse, sizeof(*worse));
	event(FREE, 0, NULL);
	released(SWEPT, FREE);
	accessed(SWEPT, FREE, (struct gpu_accessed){600, 3, 300, 700});
	end();
}

static void check(const struct profile *profile)
{
	const struct profile_accessed *rows = profile->accessed;

	assert_int_equal(profile->accessed_count, 2);
	assert_int_equal(rows[0].object, 0);
	assert_int_equal(rows[0].bytes, 600);
	assert_int_equal(rows[0].chunks, 3);
	assert_int_equal(rows[0].largest_bytes, 300);
	assert_int_equal(rows[0].largest_offset, 700);
	assert_int_equal(rows[1].object, 2);
	assert_int_equal(rows[1].bytes, SIZE);
	assert_int_equal(rows[1].chunks, 0);
	assert_int_equal(profile->slice_count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct profile_slices *slices = &profile->slices[i];
		const bool first = slices->vertex == 2;

		assert_int_equal(slices->object, 0);
		assert_int_equal(slices->vertex, first ? 2 : 3);
		assert_int_equal(slices->launches, first ? 300 : 1);
		assert_int_equal(slices->largest_bytes, first ? 3 : 40);
	}
	assert_int_not_equal(profile->slices[0].vertex, profile->slices[1].vertex);
}

static void test_accesses(void **state)
{
	struct profile *profile;

	(void)state;
	make_trace(NULL, NULL);
	profile = build_passes("access,flow");
	assert_string_equal(coverage_of(profile, "trace"), "");
	check(profile);
	profile = written(profile);
	check(profile);
	profile_free(profile);
}

static void must_refuse(const struct gpu_slice *bad, const struct gpu_accessed *worse)
{
	struct profile *profile;

	assert_int_equal(make_folder(NULL), 0);
	make_trace(bad, worse);
	profile = build_passes("access,flow");
	assert_true(coverage_has(profile, "not in "));
	assert_int_equal(profile->accessed_count, 1);
	assert_int_equal(profile->slice_count, 2);
	profile_free(profile);
	assert_int_equal(remove_folder(NULL), 0);
}

/* What cannot be ends the trace there, and coverage says so. */
static void test_hostile_accesses(void **state)
{
	static const struct gpu_slice slices[] = {
		{0, 0}, {5, 4}, {0, SIZE + 1}, {UINT64_MAX, 1}, {UINT64_MAX - 1, UINT64_MAX}};
	static const struct gpu_accessed figures[] = {
		{SIZE + 1, 0, 0, 0}, {UINT64_MAX, 1, 1, 0},        {SIZE, 1, 0, 0},
		{SIZE - 1, 0, 0, 0}, {SIZE - 1, 1, 2, 0},          {SIZE - 2, 1, 1, 0},
		{SIZE - 2, 3, 1, 0}, {SIZE - 2, 2, 0, 0},          {SIZE - 1, 1, 1, SIZE},
		{0, 1, SIZE, 1},     {SIZE - 1, 1, 1, UINT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(slices) / sizeof(*slices); i++)
		must_refuse(&slices[i], NULL);
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		must_refuse(NULL, &figures[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_accesses, make_folder, remove_folder),
		cmocka_unit_test(test_hostile_accesses),
	};

	return cmocka_run_group_tests_name("graph_accesses", tests, NULL, NULL);
}
