/*
 * Facts about calls, from the trace to analyses: an analysis of this test's own, over kinds of
 * records that nobody else has, is told of all calls; hostile records end a trace or are counted.
 */
#include "tests/unit/made_traces.h"
#include "tests/unit/written_calls.h"

enum { MARK = GPU_RECORD_TRIAL + 3, NOBODYS };

static const struct build_analysis writes_down = {WRITES_CALLS};

/* -- one that wants next to nothing -- */

static uint32_t marks, calls;

static void *begin_counting(struct profile *profile)
{
	marks = calls = 0;
	return profile;
}

static int count_mark(void *state, const struct build_event *event,
		      const struct build_record *record, struct error *error)
{
	(void)state, (void)event, (void)error;
	assert_int_equal(record->kind, MARK);
	marks++;
	return 0;
}

static void count_call(void *state, const struct build_event *event, const struct build_row *rows,
		       uint32_t count)
{
	(void)state, (void)rows, (void)count;
	assert_int_equal(event->number, ++calls);
}

static const struct build_analysis counts_marks = {
	.name = "counts marks",
	.kinds = (const uint32_t[]){MARK, 0},
	.begin = begin_counting,
	.record = count_mark,
};

static const struct build_analysis counts_calls = {
	.name = "counts calls",
	.begin = begin_counting,
	.event = count_call,
};

static struct profile *build_with(const struct build_analysis *first,
				  const struct build_analysis *second)
{
	const struct build_analysis *const table[] = {first, second, NULL};
	struct error error;
	const struct build_run run = {.folder = folder};
	struct profile *profile = build_runs(&run, 1, table, &error);

	assert_non_null(profile);
	return profile;
}

/* -- the tests -- */

static void test_what_analyses_are_told(void **state)
{
	struct profile *profile;

	(void)state;
	clock_ns = UINT64_C(1) << 60; /* after the start of the trace */
	start(1);
	context(1, TRACE_ALLOC, "cudaMalloc", 0);
	context(2, TRACE_KERNEL, "k", 0);
	context(3, TRACE_RELEASE, "cudaFree", 0);
	note(NOTE, 0, 0, "before all");
	object(1, 1, 64);
	object(2, 1, 32);
	event(1, 0, NULL);
	note(NOTE, 1, 1, "made");
	note(MARK, 1, 1, "");
	content(1, 5);
	u.event.thread = 3;
	u.event.device = 1;
	u.event.stream = 7;
	u.event.invocation = 9;
	EVENT(2, {1, 1, TRACE_WRITE, 64, 12}, {2, TRACE_WRITER_UNKNOWN, TRACE_READ, 8, 0},
	      {1, 1, TRACE_FROM_HOST, 4, 0}, {1, 1, TRACE_TO_HOST, 2, 0});
	note(REMARK, 0, 2, "on the whole");
	note(NOTE, 2, 0, "later");
	event(3, 0, NULL);
	released(1, 3);
	note(REMARK, 1, 3, "last words");
	note(NOTE, 1, 0, "and more");
	note(MARK, 0, 3, "x");
	end();
	start(2);
	note(NOTE, 0, 0, "of another process");
	context(1, TRACE_ALLOC, "cudaMalloc", 0);
	object(1, 1, 16);
	event(1, 0, NULL);
	object(2, 1, 16);
	trace_close(writer); /* killed before the event of the second */

	profile = build_with(&writes_down, &counts_marks);
	assert_string_equal(
		text,
		"note 'before all' after event 0\n"
		"object 0 of 64 bytes by v1 at event 1\n"
		"object 1 of 32 bytes by v1 at event 1\n"
		"event 1: cudaMalloc v1, process 0 thread 0 device 0 stream 0, invocation 0, "
		"0 to 10\n"
		"note 'made' on object 0 of event 1\n"
		"event 2: k v2, process 0 thread 3 device 1 stream 7, invocation 9, 20 to 30\n"
		"  object 0 writer v1 access 2: 64, 12 unchanged\n"
		"  object 1 writer v3 access 1: 8, 0 unchanged, not known\n"
		"  object 0 writer v0 access 3: 4, 0 unchanged, not known\n"
		"  object 0 writer v2 access 4: 2, 0 unchanged, not known\n"
		"remark 'on the whole' of event 2\n"
		"note 'later' on object 1 after event 2\n"
		"event 3: cudaFree without vertex, process 0 thread 0 device 0 stream 0, "
		"invocation 0, 40 to 50\n"
		"object 0 freed by event 3\n"
		"remark 'last words' on object 0, freed of event 3\n"
		"note 'and more' on object 0, freed after event 3\n"
		"process 0 ends with event 3\n"
		"note 'of another process' after event 3\n"
		"object 2 of 16 bytes by v1 at event 4\n"
		"event 4: cudaMalloc v1, process 1 thread 0 device 0 stream 0, invocation 0, "
		"60 to 70\n"
		"process 1 ends with event 4\n"
		"4 vertices, 4 edges, contexts of 16 digits\n");
	free(text);
	assert_int_equal(marks, 2);
	/* nothing but what these analyses make: no events, no duplicates */
	assert_int_equal(profile->event_rows, 0);
	assert_int_equal(profile->event_count, 4);
	assert_string_equal(coverage_of(profile, "records"), "");
	assert_string_equal(coverage_of(profile, "events"), "");
	profile_free(profile);
}

/* Analyses see the calls that the profile has no room for. */
static void test_all_calls(void **state)
{
	struct profile *profile;

	(void)state;
	start(1);
	context(1, TRACE_SYNC, "cudaDeviceSynchronize", 0);
	for (uint32_t i = 0; i < PROFILE_EVENTS_MAX + 10; i++) {
		event(1, 0, NULL);
		note(MARK, 0, 1, "");
	}
	end();
	profile = build_with(&counts_calls, &build_events);
	assert_int_equal(calls, PROFILE_EVENTS_MAX + 10);
	assert_int_equal(profile->event_rows, PROFILE_EVENTS_MAX);
	profile_free(profile);
	profile = build_with(&counts_marks, NULL);
	assert_int_equal(marks, PROFILE_EVENTS_MAX + 10);
	profile_free(profile);
}

/* Kinds of which nobody knows what must hold: whatever they say, the trace goes on. */
static void test_unknown_kinds(void **state)
{
	struct profile *profile;

	(void)state;
	good_beginning();
	note(NOBODYS, 1, 1, "seven");
	fact(0x7fffffff, 77, 99, "12345678", 8);
	fact(0, 0, 0, "", 0);
	event(1, 0, NULL);
	end();
	profile = build();
	assert_string_equal(coverage_of(profile, "trace"), "");
	assert_string_equal(coverage_of(profile, "records"),
			    "of kinds that this vflow does not know: a newer one made the trace");
	for (uint32_t i = 0; i < profile->coverage_count; i++)
		if (!strcmp(profile->coverage[i].what, "records")) {
			assert_int_equal(profile->coverage[i].count, 3);
			assert_int_equal(profile->coverage[i].bytes, 13);
		}
	assert_int_equal(profile->event_count, 2);
	profile_free(profile);
}

static void test_senseless_records(void **state)
{
	const struct gpu_content now = {.zero = 1}, twice = {.zero = 2};
	uint32_t size = sizeof(now);
	struct profile *profile;

	(void)state;
	good_beginning();
	fact(GPU_RECORD_CONTENT, 2, 1, &now, size);
	cut_there("a record of object 2, which does not live");
	good_beginning();
	fact(GPU_RECORD_CONTENT, UINT32_MAX, 1, &now, size);
	cut_there("a record of object 4294967295");
	good_beginning();
	object(2, 1, 64); /* its event has not come */
	fact(GPU_RECORD_CONTENT, 2, 1, &now, size);
	cut_there("a record of object 2");
	good_beginning();
	fact(GPU_RECORD_CONTENT, 0, 1, &now, size);
	cut_there("kind CONTENT of no object");
	good_beginning();
	fact(GPU_RECORD_CONTENT, 1, 1, &now, size - 1);
	cut_there("kind CONTENT with 35 bytes: expected 36 or more");
	good_beginning();
	fact(GPU_RECORD_CONTENT, 1, 1, &now, 0);
	cut_there("kind CONTENT with 0 bytes");
	good_beginning();
	fact(GPU_RECORD_CONTENT, 1, 2, &now, size);
	cut_there("context 2, which is not of the last event");
	good_beginning();
	fact(GPU_RECORD_CONTENT, 1, 77, &now, size);
	cut_there("context 77");
	good_beginning();
	fact(GPU_RECORD_CONTENT, 1, 1, &twice, size);
	cut_there("content that is 2 times zero");

	/* what an analysis says of its own records ends the trace as well */
	good_beginning();
	note(NOTE, 0, 1, "sense");
	note(NOTE, 0, 1, "nonsense");
	note(NOTE, 0, 1, "more sense");
	end();
	profile = build_with(&writes_down, NULL);
	assert_non_null(strstr(coverage_of(profile, "trace"), "nonsense was noted"));
	assert_non_null(strstr(text, "note 'sense' of event 1\nprocess 0 ends"));
	free(text);
	profile_free(profile);
}

/* What gpu/records.def says of members holds of every kind that has such a one. */
static void test_senseless_members(void **state)
{
	const struct gpu_left_bytes left = {.writer = 2}; /* which has not been called */
	const struct gpu_code_image image = {.bytes = 9, .size = 9};
	const struct gpu_pool_block block = {.range = 1};
	const struct gpu_code_function function = {.name = "12345678"};
	struct gpu_pool pool = {.pool = 1};

	(void)state;
	good_beginning();
	fact(GPU_RECORD_LEFT_BYTES, 1, 1, &left, sizeof(left));
	cut_there("a record of kind LEFT_BYTES of writer 2, which is not there");
	good_beginning();
	fact(GPU_RECORD_POOL_BLOCK, 0, 0, &block, sizeof(block));
	cut_there("a record of kind POOL_BLOCK of NVTX range 1, which is not there");
	good_beginning();
	fact(GPU_RECORD_CODE_IMAGE, 0, 0, &image, sizeof(image));
	cut_there("a record of kind CODE_IMAGE with a piece that is not in it");
	good_beginning();
	fact(GPU_RECORD_CODE_FUNCTION, 0, 0, &function, sizeof(function));
	cut_there("a record of kind CODE_FUNCTION with a name that has no end");
	/* nor may it end in what a newer vflow has added */
	memset(pool.name, 'x', sizeof(pool.name));
	good_beginning();
	fact(GPU_RECORD_POOL, 0, 0, (struct gpu_pool[]){pool, {0}}, 2 * sizeof(pool));
	cut_there("a record of kind POOL with a name that has no end");
}

/* A record may say something of what its call has freed, but not of what an earlier one has. */
static void test_freed_objects(void **state)
{
	struct profile *profile;

	(void)state;
	start(1);
	context(1, TRACE_ALLOC, "cudaMalloc", 0);
	context(2, TRACE_RELEASE, "cudaFree", 0);
	for (uint32_t id = 1; id <= 2; id++) {
		object(id, 1, 64);
		event(1, 0, NULL);
		event(2, 0, NULL);
		released(id, 2);
		content(id, 5); /* they are no duplicates: neither lives */
	}
	end();
	profile = build();
	assert_string_equal(coverage_of(profile, "trace"), "");
	assert_int_equal(profile->duplicate_count, 0);
	profile_free(profile);
	unlink(path);

	start(1);
	context(1, TRACE_ALLOC, "cudaMalloc", 0);
	context(2, TRACE_RELEASE, "cudaFree", 0);
	object(1, 1, 64);
	event(1, 0, NULL);
	event(2, 0, NULL);
	released(1, 2);
	event(1, 0, NULL);
	content(1, 5);
	end();
	profile = build();
	assert_non_null(strstr(coverage_of(profile, "trace"), "object 1, which does not live"));
	profile_free(profile);
}

/* Made later: what is known of a payload is at its beginning. */
static void test_longer_payload(void **state)
{
	struct {
		struct gpu_content content;
		uint64_t newer;
	} payload = {.content.zero = 1, .newer = 77};
	struct profile *profile;

	(void)state;
	start(1);
	context(1, TRACE_ALLOC, "cudaMalloc", 0);
	for (uint32_t id = 1; id <= 2; id++) {
		object(id, 1, 64);
		event(1, 0, NULL);
		fact(GPU_RECORD_CONTENT, id, 1, &payload, sizeof(payload));
	}
	end();
	profile = build();
	assert_string_equal(coverage_of(profile, "trace"), "");
	assert_int_equal(profile->duplicate_count, 1);
	assert_true(profile->duplicates[0].zero);
	assert_int_equal(profile->duplicates[0].events, 1);
	profile_free(profile);
}

/* -- rows of other sizes -- */

/* The event of `of` whose rows have `metrics` numbers after their bytes: 7, 5, 5, ... */
static void event_with_metrics(uint32_t of, uint32_t object, uint32_t metrics)
{
	uint32_t size = TRACE_ROW_LEAST + metrics * (uint32_t)sizeof(uint64_t);

	u.event.context = of;
	u.event.row_count = 2;
	u.event.row_size = size;
	u.event.start_ns = clock_ns += 10;
	u.event.end_ns = clock_ns += 10;
	for (uint32_t i = 0; i < 2; i++) {
		struct trace_row row = {
			.object = object + i, .writer = 1, .access = TRACE_WRITE, .bytes = 64};
		char *at = (char *)u.event.rows + (size_t)i * size;

		memcpy(at, &row, TRACE_ROW_LEAST);
		for (uint32_t m = 0; m < metrics; m++)
			memcpy(at + TRACE_ROW_LEAST + m * sizeof(uint64_t),
			       &(uint64_t){m == 0              ? 7
					   : m < TRACE_METRICS ? 0
							       : 5},
			       sizeof(uint64_t));
	}
	append(TRACE_EVENT, sizeof(u.event) + 2 * (size_t)size);
}

/* Object 1, 2 at site v1; 3, 4 at v2. */
static void two_sites(void)
{
	start(1);
	context(1, TRACE_ALLOC, "cudaMalloc", 0);
	context(2, TRACE_ALLOC, "cudaMallocAsync", 0);
	context(3, TRACE_SET, "cudaMemset", 0);
	for (uint32_t id = 1; id <= 4; id++) {
		object(id, (id + 1) / 2, 64);
		event((id + 1) / 2, 0, NULL);
	}
}

static void test_rows_of_other_sizes(void **state)
{
	struct profile *profile;
	const struct graph_edge *edge;

	(void)state;
	two_sites();
	event_with_metrics(3, 1, TRACE_METRICS + 2); /* two more than there are */
	event_with_metrics(3, 1, 1);
	event_with_metrics(3, 3, 0);
	event_with_metrics(3, 3, 1);
	end();
	profile = build();
	assert_string_equal(coverage_of(profile, "trace"), "");
	edge_is(profile, 1, 3, 1, GRAPH_WRITE, 4 * 64, 4 * 7, 2, 64);
	/* some rows say nothing of redundancy: then nobody knows the sum */
	edge = edge_of(profile, 1, 3, 2, GRAPH_WRITE);
	assert_int_equal(edge->bytes, 4 * 64);
	assert_int_equal(edge->count, 2);
	assert_int_equal(edge->fields & (EDGE_REDUNDANT_BYTES | EDGE_REDUNDANCY), 0);
	assert_int_equal(edge->redundant_bytes, 0);
	profile_free(profile);
	unlink(path);

	/* the other way round: first it seems to be known */
	two_sites();
	event_with_metrics(3, 3, 2);
	event_with_metrics(3, 3, 0);
	end();
	profile = build();
	edge = edge_of(profile, 1, 3, 2, GRAPH_WRITE);
	assert_int_equal(edge->bytes, 4 * 64);
	assert_int_equal(edge->fields & (EDGE_REDUNDANT_BYTES | EDGE_REDUNDANCY), 0);
	assert_int_equal(edge->redundant_bytes, 0);
	profile_free(profile);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_analyses_are_told), TEST(test_all_calls),
		TEST(test_unknown_kinds),          TEST(test_senseless_records),
		TEST(test_senseless_members),      TEST(test_freed_objects),
		TEST(test_longer_payload),         TEST(test_rows_of_other_sizes),
	};

	return cmocka_run_group_tests_name("graph_records", tests, NULL, NULL);
}
