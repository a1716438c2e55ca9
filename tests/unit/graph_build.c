/* The builder on traces written by hand, with graphs worked out by hand. */
#include "tests/unit/made_traces.h"

#include <link.h>
#include <time.h>

#include "gpu/records.h"

/* One program: two allocations at one site, copies in and out, a kernel twice, free, sync. */
static void write_program(uint32_t pid, const char *file)
{
	start(pid);
	module(1, file);
	frame(1, 0, 1, 0x100); /* main */
	frame(2, 1, 1, 0x200);
	frame(3, 1, 1, 0x300);
	context(1, TRACE_ALLOC, "cudaMalloc", 2);
	context(2, TRACE_COPY, "cudaMemcpy", 3);
	context(3, TRACE_KERNEL, "_Z4gemmPfi", 3);
	context(4, TRACE_SYNC, "cudaDeviceSynchronize", 3);
	context(5, TRACE_RELEASE, "cudaFree", 3);
	context(6, TRACE_COPY, "cudaMemcpy", 1);
	object(1, 1, 4096);
	event(1, 0, NULL); /* 1: alloc */
	event(4, 0, NULL);
	object(2, 1, 8192);
	event(1, 0, NULL);
	/* the copy takes 1000 bytes from the host and writes them over the allocation's */
	EVENT(2, {1, 0, TRACE_FROM_HOST, 1000, 0}, {1, 1, TRACE_WRITE, 1000, 0}); /* 2 */
	/* both objects of the site: one edge, one invocation */
	EVENT(3, {1, 2, TRACE_READ, 1000, 0}, {1, 1, TRACE_WRITE, 96, 0},
	      {2, 1, TRACE_WRITE, 4000, 0}); /* 3 */
	EVENT(3, {1, 2, TRACE_READ, 1000, 0}, {2, 3, TRACE_WRITE, 4000, 3000});
	EVENT(6, {2, 3, TRACE_READ, 500, 0}, {2, 0, TRACE_TO_HOST, 500, 0}); /* 4 */
	/* somebody unseen has written, then the host in managed memory */
	EVENT(3, {1, TRACE_WRITER_UNKNOWN, TRACE_READ, 8, 0}, {1, 0, TRACE_READ, 4, 0}); /* 5 */
	event(5, 0, NULL);
	released(1, 5);
	end();
}

static void check_program(const struct profile *profile, uint64_t n)
{
	assert_int_equal(profile->graph->vertex_count, 6);
	vertex_is(profile, 0, "host", "host", 0);
	vertex_is(profile, 1, "alloc", "cudaMalloc", 2 * n);
	vertex_is(profile, 2, "memcpy", "cudaMemcpy", n);
	vertex_is(profile, 3, "kernel", "gemm(float*, int)", 3 * n);
	vertex_is(profile, 4, "memcpy", "cudaMemcpy", n);
	vertex_is(profile, 5, "unknown", "unknown", 0);
	assert_int_equal(profile->graph->edge_count, 9);
	edge_is(profile, 0, 2, 1, GRAPH_READ, 1000 * n, 0, n, 8192);
	edge_is(profile, 1, 2, 1, GRAPH_WRITE, 1000 * n, 0, n, 8192);
	edge_is(profile, 2, 3, 1, GRAPH_READ, 2000 * n, 0, 2 * n, 8192);
	edge_is(profile, 1, 3, 1, GRAPH_WRITE, 4096 * n, 0, n, 8192);
	edge_is(profile, 3, 3, 1, GRAPH_WRITE, 4000 * n, 3000 * n, n, 8192);
	edge_is(profile, 3, 4, 1, GRAPH_READ, 500 * n, 0, n, 8192);
	edge_is(profile, 4, 0, 1, GRAPH_WRITE, 500 * n, 0, n, 8192);
	edge_is(profile, 5, 3, 1, GRAPH_READ, 8 * n, 0, n, 8192);
	edge_is(profile, 0, 3, 1, GRAPH_READ, 4 * n, 0, n, 8192);
	assert_int_equal(profile->graph->vertices[3].read_bytes, 2012 * n);
	assert_int_equal(profile->graph->vertices[3].written_bytes, 8096 * n);
	assert_int_equal(profile->graph->vertices[3].redundant_bytes, 3000 * n);
	assert_int_equal(profile->graph->vertices[0].written_bytes, 500 * n);
	assert_int_equal(profile->event_count, 9 * n);
	assert_int_equal(profile->object_count, 2 * n);
}

/* The same bytes go to two objects of another device than that of the first one. */
static void test_devices(void **state)
{
	_Alignas(8) const struct gpu_transfer sent = {.digest = {1}, .bytes = 2048, .from_host = 1};
	struct profile *profile;

	(void)state;
	start(1);
	context(1, TRACE_ALLOC, "cudaMalloc", 0);
	context(2, TRACE_COPY, "cudaMemcpy", 0);
	for (uint32_t id = 1; id <= 3; id++) {
		u.object.device = id > 1;
		object(id, 1, 4096);
		event(1, 0, NULL);
		EVENT(2, {id, 0, TRACE_FROM_HOST, 2048, 0}, {id, 1, TRACE_WRITE, 2048, 0});
		fact(GPU_RECORD_TRANSFER, id, 2, &sent, sizeof(sent));
	}
	end();
	profile = build();
	assert_int_equal(profile->upload_count, 1);
	assert_int_equal(profile->uploads[0].copies, 3);
	assert_int_equal(profile->uploads[0].repeated, 1);
	profile_free(profile);
}

static void test_graph(void **state)
{
	struct profile *profile;

	(void)state;
	clock_ns = UINT64_C(1) << 60; /* after the start of the trace */
	write_program(77, "/nowhere/app");
	profile = build();
	check_program(profile, 1);
	assert_int_equal(profile->objects[0].size, 4096);
	assert_int_equal(profile->objects[0].site, 1);
	assert_true(profile->objects[0].start_ns > 0);
	assert_int_equal(profile->objects[0].end_ns - profile->objects[0].start_ns, 160);
	assert_int_equal(profile->objects[1].end_ns, 0);
	assert_int_equal(profile->process_count, 1);
	assert_int_equal(profile->processes[0].pid, 77);
	assert_true(profile->processes[0].ended);
	assert_string_equal(profile->processes[0].provider, "emulated");
	assert_string_equal(profile->processes[0].device, "a device");
	assert_string_equal(profile->processes[0].executable, "/bin/app");
	assert_string_equal(profile->processes[0].arguments, "./app a b");
	assert_string_equal(profile->command, "./app a b");
	assert_int_equal(profile->date, 1700000000);
	assert_string_equal(profile->graph->vertices[3].callpath, "app+0x300 < app+0x100");
	assert_int_equal(profile->callpaths[profile->vertices[3].callpath].count, 2);
	assert_non_null(strstr(coverage_of(profile, "symbols"), "app: the file is not there"));
	assert_string_equal(coverage_of(profile, "trace"), "");
	profile_free(profile);
}

/* Each call of write_program() in order, and the device's side of what it touched. */
static void test_events(void **state)
{
	static const uint32_t none = PROFILE_NO_VERTEX;
	static const struct {
		uint32_t vertex, accesses;
		const char *name;
	} events[] = {
		{1, 0, NULL},          {none, 0, "cudaDeviceSynchronize"},
		{1, 0, NULL},          {2, 1, NULL},
		{3, 3, NULL},          {3, 2, NULL},
		{4, 1, NULL},          {3, 2, NULL},
		{none, 0, "cudaFree"},
	};
	/* object, writer, access, bytes, redundant bytes */
	static const uint64_t accesses[][5] = {
		{0, 1, GRAPH_WRITE, 1000, 0},      {0, 2, GRAPH_READ, 1000, 0},
		{0, 1, GRAPH_WRITE, 96, 0},        {1, 1, GRAPH_WRITE, 4000, 0},
		{0, 2, GRAPH_READ, 1000, 0},       {1, 3, GRAPH_WRITE, 4000, 3000},
		{1, 3, GRAPH_READ, 500, 0},        {0, 5, GRAPH_READ, 8, 0},
		{0, GRAPH_HOST, GRAPH_READ, 4, 0},
	};
	struct profile *profile;
	uint32_t first = 0;

	(void)state;
	clock_ns = UINT64_C(1) << 60;
	write_program(77, "/nowhere/app");
	profile = build();
	assert_int_equal(profile->event_rows, 9);
	assert_int_equal(profile->access_count, 9);
	for (uint32_t i = 0; i < 9; i++) {
		const struct profile_event *event = &profile->events[i];

		assert_int_equal(event->vertex, events[i].vertex);
		assert_int_equal(event->access_count, events[i].accesses);
		assert_int_equal(event->first_access, first);
		assert_int_equal(event->start_ns - profile->events[0].start_ns, 20 * i);
		assert_int_equal(event->end_ns - event->start_ns, 10);
		assert_int_equal(event->process, 0);
		if (events[i].name)
			assert_string_equal(event->name, events[i].name);
		else
			assert_null(event->name);
		first += event->access_count;
	}
	for (uint32_t i = 0; i < 9; i++) {
		const struct profile_access *access = &profile->accesses[i];

		assert_int_equal(access->object, accesses[i][0]);
		assert_int_equal(access->writer, accesses[i][1]);
		assert_int_equal(access->access, accesses[i][2]);
		assert_int_equal(access->bytes, accesses[i][3]);
		assert_true(access->redundant_bytes ==
			    (access->access == GRAPH_WRITE ? accesses[i][4] : PROFILE_UNKNOWN));
	}
	assert_int_equal(profile->graph->vertices[3].host_ns, 30);
	assert_string_equal(coverage_of(profile, "events"), "");
	profile_free(profile);
}

/* A module without build id is known by its base name, in whatever folder it lies. */
static void test_processes_merge(void **state)
{
	struct profile *profile;
	char context[17];

	(void)state;
	clock_ns = UINT64_C(1) << 60;
	write_program(77, "/nowhere/app");
	profile = build();
	strcpy(context, profile->graph->vertices[3].context);
	profile_free(profile);
	write_program(78, "/elsewhere/app");
	profile = build();
	check_program(profile, 2);
	assert_int_equal(profile->process_count, 2);
	assert_int_equal(profile->processes[0].pid, 77);
	assert_int_equal(profile->objects[2].process, 1);
	assert_string_equal(profile->graph->vertices[3].context, context);
	profile_free(profile);
	/* another binary: nothing merges but the host and the unknown */
	write_program(79, "/nowhere/other");
	profile = build();
	assert_int_equal(profile->graph->vertex_count, 10);
	vertex_is(profile, 8, "kernel", "gemm(float*, int)", 3);
	assert_string_not_equal(profile->graph->vertices[8].context, context);
	profile_free(profile);
}

static void test_empty(void **state)
{
	struct error error;
	struct profile *profile = build();

	(void)state;
	assert_int_equal(profile->graph->vertex_count, 1);
	vertex_is(profile, 0, "host", "host", 0);
	assert_string_equal(profile->command, "");
	profile_free(profile);
	assert_null(build_profile("/nowhere/at/all", &error));
	assert_non_null(strstr(error.text, "/nowhere/at/all"));
}

/* What was before the cut counts, wherever the cut is. */
static void test_cut(void **state)
{
	struct profile *profile;
	long size;
	FILE *file;

	(void)state;
	write_program(77, "/nowhere/app");
	file = fopen(path, "r");
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	fclose(file);
	for (long cut = size - 1; cut > 0; cut -= cut > 41 ? 3 : 1) {
		assert_int_equal(truncate(path, cut), 0);
		profile = build();
		assert_true(profile->event_count < 10);
		assert_string_not_equal(coverage_of(profile, "trace"), "");
		profile_free(profile);
	}
}

/* Kernels' names at the end of reasons are as people say them; what is no name stays. */
static void test_coverage_names(void **state)
{
	static const struct {
		const char *what, *reason, *expected;
	} rows[] = {
		{"unknown memory", "accesses by _Z4gemmIfEvPT_S1_i", "accesses by gemm<float>"},
		{"one word", "_Z3p2pPdi", "p2p"},
		{"static", "by __nv_static_25__3f108d3f_8_clock_cu_main__Z5timedPf", "by timed"},
		{"skipped launches", "left out, _Z3p2pPdi and others", NULL},
		{"no name", "by _Zombies", NULL},
	};
	struct profile *profile;

	(void)state;
	start(4242);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[200];
		int size = snprintf(text, sizeof(text), "%s%c%s", rows[i].what, 0, rows[i].reason);

		u.coverage.count = 1;
		append_text(TRACE_COVERAGE_TEXTS, offsetof(struct trace_coverage, text), text,
			    (size_t)size + 1);
	}
	trace_close(writer);
	profile = build();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(coverage_of(profile, rows[i].what),
				    rows[i].expected ? rows[i].expected : rows[i].reason);
	profile_free(profile);
}

static void test_killed(void **state)
{
	struct profile *profile;

	(void)state;
	start(4242);
	context(1, TRACE_ALLOC, "cudaMalloc", 0);
	object(1, 1, 64);
	event(1, 0, NULL);
	object(2, 1, 64); /* its event is not there any more */
	trace_close(writer);
	profile = build();
	assert_string_equal(coverage_of(profile, "trace"),
			    "no final record: the process was killed, crashed, called _exit or "
			    "exec, or is still running");
	assert_false(profile->processes[0].ended);
	assert_int_equal(profile->object_count, 1);
	assert_int_equal(profile->graph->vertex_count, 2);
	assert_null(profile->graph->vertices[1].callpath);
	profile_free(profile);
}

/* -- records that are well formed and make no sense -- */

static void test_senseless(void **state)
{
	(void)state;
	good_beginning();
	module(3, "x");
	cut_there("module 3: expected 2");
	good_beginning();
	frame(2, 2, 1, 0);
	cut_there("frame 2");
	good_beginning();
	frame(2, 1, 2, 0);
	cut_there("frame 2");
	good_beginning();
	context(4, TRACE_SET, "x", 2);
	cut_there("context 4");
	good_beginning();
	context(4, (enum trace_kind)7, "x", 1);
	cut_there("context 4");
	good_beginning();
	object(2, 4, 64);
	cut_there("object 2");
	good_beginning();
	object(2, 1, UINT64_MAX);
	cut_there("object 2");
	good_beginning();
	event(4, 0, NULL);
	cut_there("context 4");
	good_beginning();
	EVENT(2, {2, 1, TRACE_WRITE, 4, 0});
	cut_there("object 2, which does not live");
	good_beginning();
	EVENT(2, {1, 4, TRACE_WRITE, 4, 0});
	cut_there("writer 4, which never wrote");
	good_beginning();
	EVENT(2, {1, 3, TRACE_WRITE, 4, 0});
	cut_there("writer 3, which never wrote");
	good_beginning();
	EVENT(2, {1, 1, 5, 4, 0});
	cut_there("access 5");
	good_beginning();
	EVENT(2, {1, 1, TRACE_WRITE, 65, 0});
	cut_there("more bytes");
	good_beginning();
	EVENT(2, {1, 1, TRACE_WRITE, 4, 5});
	cut_there("object 1 with a metric that is larger than its bytes");
	good_beginning();
	EVENT(2, {1, 1, TRACE_READ, 4, 1});
	cut_there("or that its access does not have");
	good_beginning();
	EVENT(3, {1, 1, TRACE_WRITE, 4, 0});
	cut_there("touches no memory");
	good_beginning();
	released(2, 1);
	cut_there("object 2 is freed");
	good_beginning();
	old_content(2, 1);
	cut_there("a record of object 2, which does not live");
	good_beginning();
	object(2, 1, 64);
	event(2, 0, NULL);
	cut_there("object 2 is not of the event");
}

/* -- duplicates -- */

static const struct profile_duplicate *group_of(const struct profile *profile, uint32_t count,
						const uint32_t (*roles)[2])
{
	for (uint32_t d = 0; d < profile->duplicate_count; d++) {
		const struct profile_duplicate *group = &profile->duplicates[d];
		bool same = group->member_count == count;

		for (uint32_t m = 0; m < count && same; m++)
			same = group->members[m].site == roles[m][0] &&
			       group->members[m].cause == roles[m][1];
		if (same)
			return group;
	}
	fail_msg("no such group");
	return NULL;
}

static void check_duplicates(void (*content)(uint32_t of, unsigned char what))
{
	const struct profile_duplicate *group;
	struct profile *profile;

	start(1);
	context(1, TRACE_ALLOC, "cudaMalloc", 0);
	context(2, TRACE_ALLOC, "cudaMallocAsync", 0);
	context(3, TRACE_SET, "cudaMemset", 0);
	context(4, TRACE_COPY, "cudaMemcpy", 0);
	context(5, TRACE_RELEASE, "cudaFree", 0);
	object(1, 1, 64); /* vertex 1 */
	event(1, 0, NULL);
	object(2, 2, 64); /* vertex 2 */
	event(2, 0, NULL);
	object(3, 1, 128);
	event(1, 0, NULL);
	EVENT(3, {1, 1, TRACE_WRITE, 64, 0}); /* vertex 3; event 4 */
	content(1, 0);
	EVENT(3, {3, 1, TRACE_WRITE, 128, 0}); /* 5: equal digest, other size: no duplicate */
	content(3, 0);
	EVENT(4, {2, 2, TRACE_WRITE, 64, 0}); /* 6, vertex 4: {1, 2} begins */
	content(2, 0);
	EVENT(4, {2, 4, TRACE_WRITE, 64, 64}); /* 7: the same again is nothing new */
	content(2, 0);
	EVENT(3, {1, 3, TRACE_WRITE, 64, 0}); /* 8: ends; it was so after events 6 and 7 */
	content(1, 5);
	EVENT(4, {1, 3, TRACE_WRITE, 64, 0}); /* 9: begins again, now both by the copy */
	content(1, 0);
	/* 10: one event changes both, one after the other: in between is no time */
	EVENT(4, {1, 4, TRACE_WRITE, 64, 0}, {2, 4, TRACE_WRITE, 64, 0});
	content(1, 6);
	content(2, 7);
	EVENT(4, {1, 4, TRACE_WRITE, 64, 0}, {2, 4, TRACE_WRITE, 64, 0}); /* 11 */
	content(1, 7); /* as 2 still is, but only until the next record */
	content(2, 8);
	EVENT(4, {2, 4, TRACE_WRITE, 64, 0}); /* 12: equal; until freed after 13 */
	content(2, 7);
	event(3, 0, NULL); /* 13 */
	event(5, 0, NULL); /* 14 */
	released(1, 5);
	EVENT(3, {2, 4, TRACE_WRITE, 64, 0}); /* 15 */
	content(2, 9);
	object(4, 1, 64);
	event(1, 0, NULL);                    /* 16 */
	EVENT(3, {4, 1, TRACE_WRITE, 64, 0}); /* 17: equal to the end of the run */
	content(4, 9);
	event(3, 0, NULL); /* 18 */
	end();
	profile = build();

	assert_string_equal(coverage_of(profile, "trace"), "");
	assert_int_equal(profile->duplicate_count, 4);
	group = group_of(profile, 2, (const uint32_t[][2]){{1, 3}, {2, 4}});
	assert_int_equal(group->occurrences, 1);
	assert_int_equal(group->events, 2);
	assert_int_equal(group->bytes, 64);
	assert_true(group->zero);
	assert_int_equal(group->members[0].objects, 1);
	/* zeros after event 9, sevens after 12 and 13: other groups, since zeros are special */
	for (uint32_t d = 0; d < profile->duplicate_count; d++) {
		group = &profile->duplicates[d];
		if (group->members[0].cause != 4)
			continue;
		assert_int_equal(group->members[1].cause, 4);
		assert_int_equal(group->occurrences, 1);
		assert_int_equal(group->events, group->zero ? 1 : 2);
	}
	group = group_of(profile, 2, (const uint32_t[][2]){{1, 3}, {2, 3}});
	assert_int_equal(group->events, 2); /* after 17 and 18 */
	assert_false(group->zero);
	profile_free(profile);
}

static void test_duplicates(void **state)
{
	(void)state;
	check_duplicates(content);
}

static void test_duplicates_of_old_traces(void **state)
{
	(void)state;
	check_duplicates(old_content);
}

/* Two objects of one site, again and again: one group. */
static void test_duplicates_in_a_loop(void **state)
{
	struct profile *profile;
	const struct profile_duplicate *group;

	(void)state;
	start(1);
	context(1, TRACE_ALLOC, "cudaMalloc", 0);
	context(2, TRACE_SET, "cudaMemset", 0);
	context(3, TRACE_RELEASE, "cudaFree", 0);
	for (uint32_t i = 0; i < 10; i++) {
		for (uint32_t j = 1; j <= 3; j++) {
			object(3 * i + j, 1, 2048);
			event(1, 0, NULL);
			EVENT(2, {3 * i + j, 1, TRACE_WRITE, 2048, 0});
			content(3 * i + j, 0);
		}
		for (uint32_t j = 1; j <= 3; j++) {
			event(3, 0, NULL);
			released(3 * i + j, 3);
		}
	}
	end();
	profile = build();
	assert_int_equal(profile->duplicate_count, 1);
	group = group_of(profile, 1, (const uint32_t[][2]){{1, 2}});
	assert_int_equal(group->occurrences, 10);
	/* from the second set on: alloc, set, free until only one is left: 4 events each time */
	assert_int_equal(group->events, 10 * 4);
	assert_int_equal(group->members[0].objects, 3);
	profile_free(profile);
}

/* One million events: time and memory are for people to look at (make bench), content is not. */
static void test_many_events(void **state)
{
	struct profile *profile;
	struct timespec before, after;

	(void)state;
	start(1);
	context(1, TRACE_ALLOC, "cudaMalloc", 0);
	context(2, TRACE_KERNEL, "work", 0);
	for (uint32_t i = 1; i <= 100; i++) {
		object(i, 1, UINT64_C(1) << 32);
		event(1, 0, NULL);
	}
	for (uint32_t i = 0; i < 1000000; i++)
		EVENT(2, {i % 100 + 1, i < 100 ? 1 : 2, TRACE_WRITE, 4096, i < 100 ? 0 : 96},
		      {(i + 1) % 100 + 1, 1, TRACE_READ, 64, 0});
	end();
	clock_gettime(CLOCK_MONOTONIC, &before);
	profile = build();
	clock_gettime(CLOCK_MONOTONIC, &after);
	print_message("# 1M events in %.2f s\n",
		      (double)(after.tv_sec - before.tv_sec) +
			      (double)(after.tv_nsec - before.tv_nsec) / 1e9);
	assert_int_equal(profile->graph->edge_count, 3);
	edge_is(profile, 1, 2, 1, GRAPH_WRITE, 100 * 4096, 0, 100, UINT64_C(1) << 32);
	edge_is(profile, 2, 2, 1, GRAPH_WRITE, UINT64_C(999900) * 4096, UINT64_C(999900) * 96,
		999900, UINT64_C(1) << 32);
	edge_is(profile, 1, 2, 1, GRAPH_READ, 64000000, 0, 1000000, UINT64_C(1) << 32);
	/* the first ones are kept, and coverage says so: 1,000,100 less 50,000 */
	assert_int_equal(profile->event_rows, PROFILE_EVENTS_MAX);
	assert_int_equal(profile->access_count, 2 * (PROFILE_EVENTS_MAX - 100));
	assert_int_equal(profile->events[PROFILE_EVENTS_MAX - 1].vertex, 2);
	assert_int_equal(profile->coverage[profile->coverage_count - 1].count, 950100);
	assert_non_null(strstr(coverage_of(profile, "events"), "first API calls only"));
	assert_int_equal(profile->graph->vertices[2].host_ns, 10000000);
	profile_free(profile);
}

/* A trace has a frame once, a profile once per vertex: 4 more vertices must not cost 4 * 2000. */
static void test_deep_paths(void **state)
{
	char name[sizeof("/bin/") + 240] = "/bin/";
	struct profile *profile;

	(void)state;
	memset(name + strlen(name), 'x', 240);
	start(1);
	module(1, name);
	for (uint32_t i = 1; i <= 2000; i++)
		frame(i, i - 1, 1, 0x1000);
	for (uint32_t i = 1; i <= 70; i++) {
		char kernel[] = {'k', (char)('0' + i / 10), (char)('0' + i % 10), 0};

		context(i, TRACE_KERNEL, kernel, i == 69 ? 6 : i == 70 ? 5 : 2000);
		event(i, 0, NULL);
	}
	end();
	profile = build();
	/*
	 * A frame is 240 + strlen("+0x1000") letters, 3 between two, and 16 bytes: a path of 2000
	 * is 2000 * 266 - 3 = 531,997 bytes.  63 of them are 33,515,811, less than 32 MiB
	 * (33,554,432), 64 are more: the others are short.
	 */
	assert_int_equal(profile->callpaths[64].count, 2000);
	assert_int_equal(profile->callpaths[65].count, 16);
	assert_int_equal(profile->callpaths[68].count, 16);
	assert_int_equal(profile->callpaths[69].count, 6);
	/* and their texts end with the frame that reaches 1024 bytes: 4 are 997 */
	for (uint32_t v = 68; v <= 70; v++)
		assert_int_equal(strlen(profile->graph->vertices[v].callpath), 5 * 250 - 3);
	/* of the last nothing is missing */
	assert_non_null(strstr(coverage_of(profile, "call paths"), "innermost"));
	assert_int_equal(profile->coverage[profile->coverage_count - 1].count, 5);
	profile_free(profile);
}

/*
 * 2000 frames that 20,000 contexts share: 40 million, were each to be hashed for each context. Each
 * frame of a path counts.
 */
static void test_contexts_of_deep_paths(void **state)
{
	struct profile *profile;
	struct graph *graph;

	(void)state;
	start(1);
	module(1, "/bin/app");
	module(2, "/bin/other");
	for (uint32_t i = 1; i <= 2000; i++)
		frame(i, i - 1, 1, 0x1000);
	frame(2001, 1999, 1, 0x1001); /* ends in another frame */
	frame(2002, 1999, 2, 0x1000); /* ... of another file */
	frame(2003, 0, 2, 0x1000);    /* begins in another */
	frame(2004, 2003, 1, 0x1000);
	frame(2005, 0, 1, 0x1000); /* is shorter */
	frame(2006, 2005, 1, 0x1000);
	for (uint32_t i = 1; i <= 20000; i++) {
		char kernel[16];

		snprintf(kernel, sizeof(kernel), "k%u", i);
		context(i, TRACE_KERNEL, kernel, 2000);
		event(i, 0, NULL);
	}
	context(20001, TRACE_KERNEL, "k1", 2001);
	context(20002, TRACE_KERNEL, "k1", 2002);
	context(20003, TRACE_KERNEL, "k1", 2004);
	context(20004, TRACE_KERNEL, "k1", 2006);
	context(20005, TRACE_SET, "k1", 2000);
	context(20006, TRACE_KERNEL, "k1", 0);
	for (uint32_t i = 20001; i <= 20006; i++)
		event(i, 0, NULL);
	end();
	profile = build();
	graph = profile->graph;
	assert_int_equal(graph->vertex_count, 20007);
	for (uint32_t v = 20001; v <= 20006; v++) {
		assert_string_not_equal(graph->vertices[v].context, graph->vertices[1].context);
		for (uint32_t other = 20001; other < v; other++)
			assert_string_not_equal(graph->vertices[v].context,
						graph->vertices[other].context);
	}
	assert_string_not_equal(graph->vertices[1].context, graph->vertices[2].context);
	profile_free(profile);
}

/* A CUDA runtime that is linked in: this file's functions stand for it and for the program. */
void cudaMemcpyAsync_ptsz(void);
void cudaGraphLaunch(void);
void cudaLaunchAll(void);
void runtime_inside(void);
void program(void);

void cudaMemcpyAsync_ptsz(void)
{
	__asm__ volatile("");
}

void cudaGraphLaunch(void)
{
	__asm__ volatile("");
}

void cudaLaunchAll(void) /* a function of the program's */
{
	__asm__ volatile("");
}

void runtime_inside(void)
{
	__asm__ volatile("");
}

void program(void)
{
	__asm__ volatile("");
}

static int first_module(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1; /* the program comes first */
}

static void frame_in(uint32_t id, uint32_t parent, void (*function)(void))
{
	uint64_t bias = 0;

	dl_iterate_phdr(first_module, &bias);
	frame(id, parent, 1, (uint64_t)(uintptr_t)function - bias);
}

static void test_runtime_inside(void **state)
{
	char file[4096] = "";
	struct profile *profile;

	(void)state;
	assert_true(readlink("/proc/self/exe", file, sizeof(file) - 1) > 0);
	start(1);
	assert_true(strlen(file) < 500);
	module(1, file);
	frame_in(1, 0, program);
	frame_in(2, 1, cudaGraphLaunch);
	frame_in(3, 2, runtime_inside);
	frame_in(4, 1, cudaMemcpyAsync_ptsz);
	frame_in(5, 0, cudaMemcpyAsync_ptsz);
	frame_in(6, 1, cudaLaunchAll);
	context(1, TRACE_KERNEL, "k", 2);
	context(2, TRACE_KERNEL, "k", 3); /* the same: the runtime takes another way inside */
	context(3, TRACE_COPY, "cudaGraphLaunch", 3);
	context(4, TRACE_COPY, "cudaMemcpyAsync", 4);
	context(5, TRACE_COPY, "cudaMemcpy", 4);      /* the function is another's */
	context(6, TRACE_COPY, "cudaMemcpyAsync", 5); /* nobody called it */
	context(7, TRACE_KERNEL, "k", 1);             /* a kernel that the driver was asked for */
	context(8, TRACE_KERNEL, "l", 6);
	for (uint32_t i = 1; i <= 8; i++)
		event(i, 0, NULL);
	end();
	profile = build();
	assert_int_equal(profile->graph->vertex_count, 7);
	assert_int_equal(profile->callpaths[6].count, 2);
	assert_string_equal(profile->frames[profile->callpaths[6].frames[0]].function,
			    "cudaLaunchAll");
	vertex_is(profile, 1, "kernel", "k", 3);
	for (uint32_t v = 1; v <= 3; v++) {
		assert_int_equal(profile->callpaths[v].count, 1);
		assert_string_equal(profile->frames[profile->callpaths[v].frames[0]].function,
				    "program");
	}
	assert_int_equal(profile->callpaths[4].count, 2);
	assert_int_equal(profile->callpaths[5].count, 1);
	profile_free(profile);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_graph),
		TEST(test_devices),
		TEST(test_events),
		TEST(test_processes_merge),
		TEST(test_empty),
		TEST(test_cut),
		TEST(test_killed),
		TEST(test_coverage_names),
		TEST(test_senseless),
		TEST(test_duplicates),
		TEST(test_duplicates_of_old_traces),
		TEST(test_duplicates_in_a_loop),
		TEST(test_many_events),
		TEST(test_deep_paths),
		TEST(test_contexts_of_deep_paths),
		TEST(test_runtime_inside),
	};

	return cmocka_run_group_tests_name("graph_build", tests, NULL, NULL);
}
