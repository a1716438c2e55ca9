/*
 * The timeline: calls, operations, waits and orders of streams of the run for the passes `time` and
 * `waits`, also those that the graph does not have; written to a profile and read again.
 */
#include "tests/unit/made_traces.h"

#include <sys/stat.h>

#include "gpu/records.h"

static char *run_folder(void)
{
	return xasprintf("%s/time,waits", folder);
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

enum { SET = 1, SYNC, FREE };

/* The run for the graph: one set.  It begins at 1 on its clock. */
static void make_graph_run(void)
{
	clock_ns = 1;
	start(1);
	context(1, TRACE_SET, "cudaMemset", 0);
	event(1, 0, NULL);
	u.end.end_ns = clock_ns;
	append(TRACE_END, sizeof(u.end));
	trace_close(writer);
}

static void time_of(uint32_t of, uint64_t after_ns, uint64_t time_ns)
{
	const struct gpu_time time = {after_ns, time_ns};

	fact(GPU_RECORD_TIME, 0, of, &time, sizeof(time));
}

static void wait_of(uint32_t of, struct gpu_wait wait)
{
	fact(GPU_RECORD_WAIT, 0, of, &wait, sizeof(wait));
}

/*
 * The other run, which begins at 2: the set, in a stream that is not ordered with the default one;
 * a second set, which the graph does not have, in the same; a wait and a release.
 */
static void make_time_run(const struct gpu_wait *wait)
{
	static const char texts[] = "clock\0another device\0/bin/app\0./app\0a b\0";
	const struct gpu_stream stream = {.nonblocking = 1};
	const struct gpu_order order = {.recorded_ns = 100, .device = 0, .stream = 7};
	char *where = run_folder();

	start_in(where, 1, texts, sizeof(texts));
	free(where);
	clock_ns = 992;
	context(SET, TRACE_SET, "cudaMemset", 0);
	context(SYNC, TRACE_SYNC, "cudaStreamSynchronize", 0);
	context(FREE, TRACE_RELEASE, "cudaFree", 0);
	u.event.stream = 3;
	event(SET, 0, NULL); /* 1000 to 1010 */
	fact(GPU_RECORD_STREAM, 0, SET, &stream, sizeof(stream));
	time_of(SET, 5, 100);
	u.event.stream = 3;
	u.event.invocation = 1;
	event(SET, 0, NULL); /* 1020 to 1030 */
	fact(GPU_RECORD_ORDER, 0, SET, &order, sizeof(order));
	time_of(SET, 90, 1000);
	event(SYNC, 0, NULL); /* 1040 to 1050 */
	wait_of(SYNC, *wait);
	event(FREE, 0, NULL); /* 1060 to 1070 */
	wait_of(FREE, (struct gpu_wait){.scope = GPU_WAIT_ALL, .after_ns = 1});
	u.end.end_ns = 5002;
	append(TRACE_END, sizeof(u.end));
	trace_close(writer);
}

static const struct gpu_wait good_wait = {.after_ns = 2,
					  .wait_ns = 8,
					  .recorded_ns = 20,
					  .scope = GPU_WAIT_EVENT,
					  .device = 0,
					  .stream = 3};

static struct profile *build_both(const struct gpu_wait *wait)
{
	char *where = run_folder();
	const struct build_run runs[] = {{.folder = folder, .passes = "flow"},
					 {.folder = where, .passes = "time,waits"}};
	struct profile *profile;
	struct error error;

	make_graph_run();
	make_time_run(wait);
	profile = build_runs(runs, 2, build_analyses, &error);
	assert_non_null(profile);
	free(where);
	return profile;
}

static void check(const struct profile *profile)
{
	static const struct {
		uint32_t api, stream;
		bool nonblocking;
		uint64_t invocation, start_ns;
	} calls[] = {{0, 3, true, 0, 1000},
		     {0, 3, true, 1, 1020},
		     {1, 0, false, 0, 1040},
		     {2, 0, false, 0, 1060}};
	static const char *const names[] = {"cudaMemset", "cudaStreamSynchronize", "cudaFree"};
	static const char *const kinds[] = {"memset", "sync", "free"};
	const struct profile_gpu_time *times = profile->gpu_times;

	assert_int_equal(profile->processes[0].time_start_ns, 0);
	assert_int_equal(profile->processes[0].time_end_ns, 5000);
	assert_int_equal(profile->api_count, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_string_equal(profile->apis[i].name, names[i]);
		assert_string_equal(profile->apis[i].kind, kinds[i]);
		assert_int_equal(profile->apis[i].vertex, i ? PROFILE_NO_VERTEX : 1);
	}
	assert_int_equal(profile->timeline_count, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(profile->timeline[i].api, calls[i].api);
		assert_int_equal(profile->timeline[i].stream, calls[i].stream);
		assert_int_equal(profile->timeline[i].nonblocking, calls[i].nonblocking);
		assert_int_equal(profile->timeline[i].invocation, calls[i].invocation);
		assert_int_equal(profile->timeline[i].start_ns, calls[i].start_ns);
		assert_int_equal(profile->timeline[i].end_ns, calls[i].start_ns + 10);
	}
	assert_int_equal(profile->gpu_time_count, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(times[i].call, i);
		assert_int_equal(times[i].vertex, i ? PROFILE_NO_VERTEX : 1);
		assert_int_equal(times[i].start_ns, i ? 1110 : 1005);
		assert_int_equal(times[i].end_ns, i ? 2110 : 1105);
	}
	assert_int_equal(profile->graph->vertices[1].time_ns, 100); /* of what the graph has */
	assert_int_equal(profile->wait_count, 2);
	assert_int_equal(profile->waits[0].call, 2);
	assert_int_equal(profile->waits[0].scope, GPU_WAIT_EVENT);
	assert_int_equal(profile->waits[0].stream, 3);
	assert_int_equal(profile->waits[0].start_ns, 1042);
	assert_int_equal(profile->waits[0].wait_ns, 8);
	assert_int_equal(profile->waits[0].recorded_ns, 1020);
	assert_int_equal(profile->waits[1].call, 3);
	assert_int_equal(profile->waits[1].start_ns, 1061);
	assert_int_equal(profile->waits[1].wait_ns, 0);
	assert_int_equal(profile->waits[1].recorded_ns, PROFILE_UNKNOWN);
	assert_int_equal(profile->stream_order_count, 1);
	assert_int_equal(profile->stream_orders[0].call, 1);
	assert_int_equal(profile->stream_orders[0].stream, 7);
	assert_int_equal(profile->stream_orders[0].recorded_ns, 920);
}

static void test_timeline(void **state)
{
	struct profile *profile = build_both(&good_wait), *read;
	char *db = xasprintf("%s/0.trace", folder); /* a name that is removed */
	struct error error;

	(void)state;
	check(profile);
	assert_int_equal(profile_write(profile, db, &error), 0);
	read = profile_read(db, &error);
	assert_non_null(read);
	assert_int_equal(read->timeline_count, 0); /* as long as nobody asks */
	assert_int_equal(profile_read_events(read, db, &error), 0);
	check(read);
	profile_free(read);
	profile_free(profile);
	free(db);
}

/* What cannot be ends the trace there, and coverage says so. */
static void must_refuse(struct gpu_wait wait)
{
	struct profile *profile;

	assert_int_equal(make_folders(NULL), 0);
	profile = build_both(&wait);

	assert_true(coverage_has(profile, "a wait that is longer than"));
	assert_int_equal(profile->wait_count, 0);
	assert_int_equal(profile->timeline_count, 3);
	assert_int_equal(profile->processes[0].time_end_ns, PROFILE_UNKNOWN);
	profile_free(profile);
	assert_int_equal(remove_folders(NULL), 0);
}

static void test_hostile_waits(void **state)
{
	(void)state;
	must_refuse((struct gpu_wait){.scope = GPU_WAIT_ALL, .wait_ns = 11});
	must_refuse((struct gpu_wait){.scope = GPU_WAIT_ALL, .after_ns = 5, .wait_ns = 6});
	must_refuse((struct gpu_wait){.scope = GPU_WAIT_ALL, .after_ns = UINT64_MAX});
	must_refuse((struct gpu_wait){.scope = 0});
	must_refuse((struct gpu_wait){.scope = GPU_WAIT_HOST + 1});
	must_refuse((struct gpu_wait){.scope = GPU_WAIT_HOST, .recorded_ns = 1});
	must_refuse((struct gpu_wait){.scope = GPU_WAIT_STREAM, .recorded_ns = 1});
	must_refuse((struct gpu_wait){.scope = GPU_WAIT_EVENT, .recorded_ns = 1041});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_timeline, make_folders, remove_folders),
		cmocka_unit_test(test_hostile_waits),
	};

	return cmocka_run_group_tests_name("graph_timeline", tests, NULL, NULL);
}
