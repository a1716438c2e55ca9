/*
 * First uses of what calls had waited for (pass `use`): sums by call, kind and place, written to a
 * profile and read again.
 */
#include "tests/unit/made_traces.h"

#include <sys/stat.h>

#include "gpu/records.h"

static char *run_folder(void)
{
	return xasprintf("%s/use", folder);
}

static int make_folders(void **state)
{
	int result = make_folder(state);
	char *of_run = run_folder();

	result |= mkdir(of_run, 0700);
	free(of_run);
	return result;
}

static int remove_folders(void **state)
{
	char *of_run = run_folder(), *trace = xasprintf("%s/2.trace", of_run);

	unlink(trace);
	rmdir(of_run);
	free(trace);
	free(of_run);
	return remove_folder(state);
}

enum { COPY = 1 };
enum { PLACE = 1, OTHER };

static void make_graph_run(void)
{
	clock_ns = 1;
	start(1);
	context(COPY, TRACE_COPY, "cudaMemcpy", 0);
	event(COPY, 0, NULL);
	u.end.end_ns = clock_ns;
	append(TRACE_END, sizeof(u.end));
	trace_close(writer);
}

static const struct gpu_overwritten *last_overwritten; /* of the run; NULL: no other one */

static void overwritten(struct gpu_overwritten overwritten)
{
	fact(GPU_RECORD_OVERWRITTEN, 0, 0, &overwritten, sizeof(overwritten));
}

static void use(struct gpu_use use)
{
	fact(GPU_RECORD_USE, 0, 0, &use, sizeof(use));
}

/*
 * The other run: waits of two kinds, known after the calls.  cudaMemcpy is context 2 there, and the
 * graph does not have cudaDeviceSynchronize.
 */
static void make_use_run(const struct gpu_use *last)
{
	static const char texts[] = "emulated\0a device\0/bin/app\0./app\0a b\0";
	char *where = run_folder();

	start_in(where, 1, texts, sizeof(texts));
	free(where);
	clock_ns = 992;
	module(1, "/nowhere/app");
	frame(PLACE, 0, 1, 100);
	frame(OTHER, 0, 1, 200);
	context(1, TRACE_SYNC, "cudaDeviceSynchronize", 0);
	context(2, TRACE_COPY, "cudaMemcpy", 0);
	/* a record may come before the event of its call */
	use((struct gpu_use){.context = 1, .kind = GPU_USE_NOTHING});
	event(1, 0, NULL);
	event(2, 0, NULL);
	for (uint64_t i = 0; i < 3; i++)
		use((struct gpu_use){.context = 2,
				     .invocation = i,
				     .kind = GPU_USE_INSTRUCTION,
				     .frame = PLACE,
				     .after_ns = 300 - 100 * i,
				     .bytes = 5000,
				     .pages = 2,
				     .touched_pages = i % 2,
				     .ranges = 1});
	use((struct gpu_use){.context = 2,
			     .kind = GPU_USE_SYSTEM_CALL,
			     .frame = OTHER,
			     .after_ns = 7,
			     .bytes = 10,
			     .pages = 1,
			     .touched_pages = 1});
	use((struct gpu_use){.context = 2, .kind = GPU_USE_NEVER, .bytes = 10, .pages = 1});
	overwritten((struct gpu_overwritten){.context = 2,
					     .invocation = 1,
					     .frame = PLACE,
					     .kind = GPU_USE_INSTRUCTION,
					     .after_ns = 900,
					     .bytes = 1000});
	overwritten((struct gpu_overwritten){.context = 2,
					     .invocation = 2,
					     .frame = PLACE,
					     .kind = GPU_USE_INSTRUCTION,
					     .after_ns = 70,
					     .bytes = 30});
	overwritten((struct gpu_overwritten){
		.context = 2, .kind = GPU_USE_SYSTEM_CALL, .after_ns = 7, .bytes = 5});
	/* of a call that is no operation */
	overwritten((struct gpu_overwritten){.context = 1, .kind = GPU_USE_INSTRUCTION});
	if (last_overwritten)
		overwritten(*last_overwritten);
	if (last)
		use(*last);
	u.end.end_ns = 5002;
	append(TRACE_END, sizeof(u.end));
	trace_close(writer);
}

static struct profile *build_both(const struct gpu_use *last)
{
	char *where = run_folder();
	const struct build_run runs[] = {{.folder = folder, .passes = "flow"},
					 {.folder = where, .passes = "use"}};
	struct profile *profile;
	struct error error;

	make_graph_run();
	make_use_run(last);
	profile = build_runs(runs, 2, build_analyses, &error);
	assert_non_null(profile);
	free(where);
	return profile;
}

static void check(const struct profile *profile)
{
	static const struct {
		uint32_t api, kind;
		uint64_t waits, min_ns, median_ns, bytes, pages, touched_pages;
		const char *callpath;
	} rows[] = {
		{0, GPU_USE_NOTHING, 1, PROFILE_UNKNOWN, PROFILE_UNKNOWN, 0, 0, 0, NULL},
		{1, GPU_USE_INSTRUCTION, 3, 100, 200, 15000, 6, 1, "app+0x64"},
		{1, GPU_USE_SYSTEM_CALL, 1, 7, 7, 10, 1, 1, "app+0xc8"},
		{1, GPU_USE_NEVER, 1, PROFILE_UNKNOWN, PROFILE_UNKNOWN, 10, 1, 0, NULL},
	};

	assert_int_equal(profile->api_count, 2);
	assert_string_equal(profile->apis[0].name, "cudaDeviceSynchronize");
	assert_string_equal(profile->apis[0].kind, "sync");
	assert_int_equal(profile->apis[0].vertex, PROFILE_NO_VERTEX);
	assert_string_equal(profile->apis[1].name, "cudaMemcpy");
	assert_int_equal(profile->apis[1].vertex, 1);
	assert_int_equal(profile->first_use_count, 4);
	for (unsigned i = 0; i < 4; i++) {
		const struct profile_first_use *row = &profile->first_uses[i];

		assert_int_equal(row->api, rows[i].api);
		assert_int_equal(row->kind, rows[i].kind);
		assert_int_equal(row->waits, rows[i].waits);
		assert_int_equal(row->min_ns, rows[i].min_ns);
		assert_int_equal(row->median_ns, rows[i].median_ns);
		assert_int_equal(row->bytes, rows[i].bytes);
		assert_int_equal(row->pages, rows[i].pages);
		assert_int_equal(row->touched_pages, rows[i].touched_pages);
		if (rows[i].callpath)
			assert_string_equal(row->place.callpath, rows[i].callpath);
		else
			assert_null(row->place.callpath);
	}
}

static void check_overwrites(const struct profile *profile)
{
	static const struct {
		uint32_t kind;
		uint64_t copies, bytes, min_ns;
		const char *callpath;
	} rows[] = {
		{GPU_USE_INSTRUCTION, 2, 1030, 70, "app+0x64"},
		{GPU_USE_SYSTEM_CALL, 1, 5, 7, NULL},
	};

	assert_int_equal(profile->overwrite_count, 2);
	for (unsigned i = 0; i < 2; i++) {
		const struct profile_overwrite *row = &profile->overwrites[i];

		assert_int_equal(row->vertex, 1);
		assert_int_equal(row->kind, rows[i].kind);
		assert_int_equal(row->copies, rows[i].copies);
		assert_int_equal(row->bytes, rows[i].bytes);
		assert_int_equal(row->min_ns, rows[i].min_ns);
		if (rows[i].callpath)
			assert_string_equal(row->place.callpath, rows[i].callpath);
		else
			assert_null(row->place.callpath);
	}
}

static void test_uses(void **state)
{
	struct profile *profile = build_both(NULL);

	(void)state;
	check(profile);
	check_overwrites(profile);
	profile = written(profile);
	check(profile);
	check_overwrites(profile);
	profile_free(profile);
}

/* What cannot be ends the trace there, and coverage says so. */
static void must_stop_at(const struct gpu_use *last, const char *why)
{
	struct profile *profile;

	assert_int_equal(make_folders(NULL), 0);
	profile = build_both(last);
	assert_true(coverage_has(profile, why));
	check(profile);
	check_overwrites(profile);
	profile_free(profile);
	assert_int_equal(remove_folders(NULL), 0);
}

static void must_refuse(struct gpu_use last, const char *why)
{
	must_stop_at(&last, why);
}

static void must_refuse_overwritten(struct gpu_overwritten last, const char *why)
{
	last_overwritten = &last;
	must_stop_at(NULL, why);
	last_overwritten = NULL;
}

static void test_hostile_overwrites(void **state)
{
	const char *fact = "an overwritten source that cannot be";

	(void)state;
	must_refuse_overwritten((struct gpu_overwritten){.kind = GPU_USE_INSTRUCTION},
				"OVERWRITTEN of context 0, which is not there");
	must_refuse_overwritten(
		(struct gpu_overwritten){.context = 2, .frame = 3, .kind = GPU_USE_INSTRUCTION},
		"OVERWRITTEN of frame 3, which is not there");
	must_refuse_overwritten((struct gpu_overwritten){.context = 2, .kind = GPU_USE_CUDA}, fact);
	must_refuse_overwritten((struct gpu_overwritten){.context = 2,
							 .kind = GPU_USE_INSTRUCTION,
							 .bytes = UINT64_MAX},
				fact);
	must_refuse_overwritten((struct gpu_overwritten){.context = 2,
							 .kind = GPU_USE_INSTRUCTION,
							 .after_ns = UINT64_MAX},
				fact);
}

static void test_hostile_uses(void **state)
{
	const char *fact = "a first use";

	(void)state;
	must_refuse((struct gpu_use){.context = 0, .kind = GPU_USE_NEVER},
		    "USE of context 0, which is not there");
	must_refuse((struct gpu_use){.context = 3, .kind = GPU_USE_NEVER},
		    "USE of context 3, which is not there");
	must_refuse((struct gpu_use){.context = 1, .kind = GPU_USE_NEVER, .frame = 3},
		    "USE of frame 3, which is not there");
	must_refuse((struct gpu_use){.context = 1, .kind = 0}, fact);
	must_refuse((struct gpu_use){.context = 1, .kind = GPU_USE_NOTHING + 1}, fact);
	must_refuse((struct gpu_use){.context = 1, .kind = GPU_USE_NEVER, .touched_pages = 1},
		    fact);
	must_refuse((struct gpu_use){.context = 1, .kind = GPU_USE_NEVER, .unwatched_bytes = 1},
		    fact);
	must_refuse(
		(struct gpu_use){.context = 1, .kind = GPU_USE_INSTRUCTION, .after_ns = UINT64_MAX},
		fact);
	must_refuse((struct gpu_use){.context = 1, .kind = GPU_USE_NEVER, .bytes = UINT64_MAX},
		    fact);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_uses, make_folders, remove_folders),
		cmocka_unit_test(test_hostile_uses),
		cmocka_unit_test(test_hostile_overwrites),
	};

	return cmocka_run_group_tests_name("graph_uses", tests, NULL, NULL);
}
