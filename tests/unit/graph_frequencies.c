/*
 * How often elements of objects are accessed (pass `access`): records become tables, which are
 * written to a profile and read again.
 */
#include "tests/unit/made_traces.h"

#include "gpu/records.h"

enum { ALLOC = 1, FIRST, SECOND, FREE };
enum { EVEN = 1, HOT, COARSE, OBJECTS = 3 };
enum { SIZE = 1000, ELEMENTS = SIZE / 4 };

static void frequency(uint32_t of, uint32_t by, const struct gpu_frequency *counts)
{
	fact(GPU_RECORD_FREQUENCY, of, by, counts, sizeof(*counts));
}

/*
 * Of 250 elements 240 once and 10 nine times, in part 3: mean 330/250, squares 240 + 810; the
 * coefficient of variation is root(1050/250 - 1.32^2) / 1.32 = 1.18763
 */
static const struct gpu_frequency hot = {
	.elements = ELEMENTS,
	.accesses = 330,
	.squares_low = 1050,
	.most = 9,
	.granularity = 4,
	.parts = {16, 16, 16, 96, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 10},
	.often = {240, 0, 0, 10},
};

/* Two elements, of 2^32 and 2^33 accesses: the root of 0.25 over 1.5. */
static const struct gpu_frequency coarse = {
	.elements = 2,
	.accesses = UINT64_C(3) << 32,
	.squares_high = UINT64_C(5) << 32,
	.most = UINT64_C(1) << 33,
	.granularity = 128,
	.parts = {UINT64_C(1) << 32, UINT64_C(2) << 32},
	.often = {[15] = 2},
};

/* SECOND accesses HOT less evenly than FIRST, both times; nothing is said of EVEN. */
static void make_trace(const struct gpu_frequency *bad)
{
	struct gpu_frequency less = hot;

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
	less.squares_low = 900;
	event(FIRST, 0, NULL);
	frequency(COARSE, FIRST, &coarse);
	frequency(HOT, FIRST, &less);
	event(SECOND, 0, NULL);
	frequency(HOT, SECOND, &hot);
	event(SECOND, 0, NULL);
	less.squares_low = 899;
	frequency(HOT, SECOND, &less);
	if (bad) {
		event(SECOND, 0, NULL);
		frequency(HOT, SECOND, bad);
	}
	event(FREE, 0, NULL);
	released(EVEN, FREE);
	end();
}

static void check_count(const struct profile *profile, uint32_t row, uint32_t of, uint32_t number,
			uint64_t elements, uint64_t accesses)
{
	const struct profile_frequency_count *count = &profile->frequency_counts[row];

	assert_int_equal(count->frequency, of);
	assert_int_equal(count->number, number);
	assert_int_equal(count->elements, elements);
	assert_int_equal(count->accesses, accesses);
}

static void check(const struct profile *profile)
{
	const struct profile_frequency *rows = profile->frequencies;

	assert_int_equal(profile->frequency_count, 2);
	assert_int_equal(rows[0].object, HOT - 1);
	assert_int_equal(rows[0].vertex, 3);
	assert_int_equal(rows[0].launches, 3);
	assert_int_equal(rows[0].elements, ELEMENTS);
	assert_int_equal(rows[0].accesses, 330);
	assert_int_equal(rows[0].most, 9);
	assert_int_equal(rows[0].granularity, 4);
	assert_true(rows[0].variation > 1.18762 && rows[0].variation < 1.18764);
	assert_int_equal(rows[1].object, COARSE - 1);
	assert_int_equal(rows[1].vertex, 2);
	assert_int_equal(rows[1].launches, 1);
	assert_int_equal(rows[1].granularity, 128);
	assert_true(rows[1].variation > 0.33333 && rows[1].variation < 0.33334);
	assert_int_equal(profile->frequency_count_count, 16 + 3);
	check_count(profile, 0, 0, 0, 240, 16);
	check_count(profile, 3, 0, 3, 10, 96);
	check_count(profile, 15, 0, 15, 0, 10);
	check_count(profile, 16, 1, 0, 0, UINT64_C(1) << 32);
	check_count(profile, 17, 1, 1, 0, UINT64_C(2) << 32);
	check_count(profile, 18, 1, 15, 2, 0);
}

static void test_frequencies(void **state)
{
	struct profile *profile;

	(void)state;
	make_trace(NULL);
	profile = build_passes("access,flow");
	assert_string_equal(coverage_of(profile, "trace"), "");
	check(profile);
	profile = written(profile);
	check(profile);
	profile_free(profile);
}

/* What cannot be ends the trace there, and coverage says so. */
static void must_refuse(const struct gpu_frequency *bad)
{
	struct profile *profile;

	assert_int_equal(make_folder(NULL), 0);
	make_trace(bad);
	profile = build_passes("access,flow");
	assert_true(coverage_has(profile, "not those of their object"));
	check(profile);
	profile_free(profile);
	assert_int_equal(remove_folder(NULL), 0);
}

static void test_hostile_frequencies(void **state)
{
	struct gpu_frequency bad = hot;

	(void)state;
	bad.elements = ELEMENTS + 1, bad.often[0]++;
	must_refuse(&bad);
	bad = hot, bad.elements--;
	must_refuse(&bad);
	bad = hot, bad.accesses++;
	must_refuse(&bad);
	bad = hot, bad.most = 331;
	must_refuse(&bad);
	bad = hot, bad.most = 0;
	must_refuse(&bad);
	bad = hot, bad.granularity = 0;
	must_refuse(&bad);
	bad = hot, bad.parts[0] = UINT64_MAX, bad.parts[1] = 347;
	must_refuse(&bad);
	bad = hot, bad.accesses = bad.parts[0] = UINT64_MAX;
	must_refuse(&bad);
	bad = (struct gpu_frequency){0};
	must_refuse(&bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_frequencies, make_folder, remove_folder),
		cmocka_unit_test(test_hostile_frequencies),
	};

	return cmocka_run_group_tests_name("graph_frequencies", tests, NULL, NULL);
}
