/* What nobody read (graph/build/unread.c): sums and ranges worked out by hand. */
#include "tests/unit/made_traces.h"

#include "gpu/records.h"

enum { ALLOC = 1, SET, COPY, KERNEL, FREE };

#define SIZE (UINT64_C(100) * 1024 + 10) /* of an object: 101 blocks, the last has 10 bytes */

static void calls(void)
{
	context(ALLOC, TRACE_ALLOC, "cudaMalloc", 0);
	context(SET, TRACE_SET, "cudaMemset", 0);
	context(COPY, TRACE_COPY, "cudaMemcpy", 0);
	context(KERNEL, TRACE_KERNEL, "kernel", 0);
	context(FREE, TRACE_RELEASE, "cudaFree", 0);
}

static void allocated(uint32_t id)
{
	object(id, ALLOC, SIZE);
	event(ALLOC, 0, NULL);
}

static void touched(uint32_t of, uint32_t count, const struct trace_row *rows)
{
	u.event.context = of;
	u.event.row_count = count;
	u.event.row_size = TRACE_ROW_SIZE(TRACE_METRICS);
	u.event.start_ns = clock_ns += 10;
	u.event.end_ns = clock_ns += 10;
	memcpy(u.event.rows, rows, count * sizeof(*rows));
	append(TRACE_EVENT, sizeof(u.event) + count * sizeof(*rows));
}

#define TOUCHED(context, ...)                                                                      \
	touched(context,                                                                           \
		sizeof((const struct trace_row[]){__VA_ARGS__}) / sizeof(struct trace_row),        \
		(const struct trace_row[]){__VA_ARGS__})
#define ROW(access_, object_, writer_, bytes_, first, last, ...)                                   \
	((struct trace_row){.object = object_,                                                     \
			    .writer = writer_,                                                     \
			    .access = access_,                                                     \
			    .bytes = bytes_,                                                       \
			    .first_block = first,                                                  \
			    .last_block = last,                                                    \
			    __VA_ARGS__})
#define R(...) ROW(TRACE_READ, __VA_ARGS__)
#define W(...) ROW(TRACE_WRITE, __VA_ARGS__)

/* The object is written as a whole; nobody has read it yet. */
static void filled(uint32_t of, uint32_t object, uint32_t before, uint64_t dead)
{
	TOUCHED(of, W(object, before, SIZE, 0, 100, .unread_bytes = SIZE, .dead_bytes = dead));
}

static void freed(uint32_t id)
{
	event(FREE, 0, NULL);
	released(id, FREE);
}

static void seen(uint32_t object, uint32_t of, uint32_t device)
{
	const struct gpu_read_unseen record = {device};

	fact(GPU_RECORD_READ_UNSEEN, object, of, &record, sizeof(record));
}

/* Vertex ids are those of contexts here, when each is called in this order. */
static void unread_is(const struct profile *profile, uint32_t vertex, uint64_t when_freed,
		      uint64_t at_end)
{
	const struct graph_vertex *found = &profile->graph->vertices[vertex];

	assert_true(found->fields & VERTEX_UNREAD_FREED_BYTES);
	assert_true(found->fields & VERTEX_UNREAD_END_BYTES);
	assert_int_equal(found->unread_freed_bytes, when_freed);
	assert_int_equal(found->unread_end_bytes, at_end);
}

static void range_is(const struct profile *profile, uint32_t row, uint32_t vertex, uint64_t first,
		     uint64_t last, uint64_t bytes)
{
	assert_true(row < profile->unread_count);
	assert_int_equal(profile->unread[row].vertex, vertex);
	assert_int_equal(profile->unread[row].object, 1);
	assert_int_equal(profile->unread[row].first, first);
	assert_int_equal(profile->unread[row].last, last);
	assert_int_equal(profile->unread[row].bytes, bytes);
}

/* A transfer of which a part in the middle is read, then set, then freed. */
static void test_transfer(void **state)
{
	struct profile *profile;

	(void)state;
	start(1);
	calls();
	allocated(1);
	filled(SET, 1, ALLOC, 0);
	filled(COPY, 1, SET, SIZE);
	TOUCHED(KERNEL, R(1, COPY, 3000, 10, 12, .first_read_bytes = 3000));
	TOUCHED(KERNEL, R(1, COPY, 3000, 10, 12));
	filled(SET, 1, COPY, SIZE - 3000);
	freed(1);
	end();
	profile = build();
	assert_string_equal(coverage_of(profile, "trace"), "");
	unread_is(profile, 1, 0, 0);
	unread_is(profile, 2, SIZE, 0);
	unread_is(profile, 3, 0, 0);
	assert_int_equal(edge_of(profile, 2, 3, 1, GRAPH_WRITE)->dead_bytes, SIZE);
	assert_int_equal(edge_of(profile, 3, 2, 1, GRAPH_WRITE)->dead_bytes, SIZE - 3000);
	assert_int_equal(profile->unread_count, 3);
	range_is(profile, 0, 2, 0, SIZE - 1, 2 * SIZE); /* dead, and freed */
	range_is(profile, 1, 3, 13 * 1024, SIZE - 1, SIZE - 3000);
	range_is(profile, 2, 3, 0, 10 * 1024 - 1, SIZE - 3000);
	profile_free(profile);
}

/* Two objects of a site: what is read of either. One lives at the end. */
static void test_site(void **state)
{
	struct profile *profile;

	(void)state;
	start(1);
	calls();
	allocated(1);
	allocated(2);
	filled(SET, 1, ALLOC, 0);
	filled(SET, 2, ALLOC, 0);
	TOUCHED(COPY, R(1, SET, 100, 20, 20, .first_read_bytes = 100));
	TOUCHED(COPY, R(2, SET, 100, 40, 40, .first_read_bytes = 100));
	freed(1);
	end();
	profile = build();
	unread_is(profile, 2, SIZE - 100, SIZE - 100);
	assert_int_equal(profile->unread_count, 2);
	range_is(profile, 0, 2, 41 * 1024, SIZE - 1, 2 * SIZE - 200);
	range_is(profile, 1, 2, 0, 20 * 1024 - 1, 2 * SIZE - 200);
	profile_free(profile);
}

/* Bytes whose units pass to another writer. */
static void test_taken(void **state)
{
	struct profile *profile;

	(void)state;
	start(1);
	calls();
	allocated(1);
	filled(SET, 1, ALLOC, 0);
	TOUCHED(COPY,
		W(1, SET, 10, 50, 50, .unread_bytes = 10, .dead_bytes = 10, .taken_bytes = 30));
	TOUCHED(KERNEL, R(1, COPY, 40, 50, 50, .first_read_bytes = 10));
	end();
	profile = build();
	unread_is(profile, 2, 0, SIZE - 40);
	unread_is(profile, 3, 0, 0);
	/* the block of the units may have been read */
	assert_int_equal(profile->unread_count, 2);
	range_is(profile, 0, 2, 0, 50 * 1024 - 1, SIZE - 30);
	range_is(profile, 1, 2, 51 * 1024, SIZE - 1, SIZE - 30);
	assert_int_equal(profile->coverage_count, 1);
	assert_string_equal(profile->coverage[0].id, "UNREAD_SHARED_UNITS");
	assert_int_equal(profile->coverage[0].count, 1);
	assert_int_equal(profile->coverage[0].bytes, 30);
	/* ... so it is not said of the set that what is read of it lies elsewhere */
	assert_int_equal(profile->fate_count, 2);
	assert_int_equal(profile->fates[0].vertex, 2);
	assert_int_equal(profile->fates[0].dead_bytes, 10);
	assert_int_equal(profile->fates[0].unread_bytes, SIZE - 40);
	assert_int_equal(profile->fates[0].read_first, 50 * 1024);
	assert_int_equal(profile->fates[0].read_end, 51 * 1024);
	profile_free(profile);
}

static void left(uint32_t object, uint32_t of, struct gpu_left_bytes left)
{
	fact(GPU_RECORD_LEFT_BYTES, object, of, &left, sizeof(left));
}

/* ... where it is known what became of them. */
static void test_left(void **state)
{
	struct profile *profile;

	(void)state;
	start(1);
	calls();
	allocated(1);
	filled(SET, 1, ALLOC, 0);
	TOUCHED(COPY, W(1, SET, 10, 50, 50, .unread_bytes = 10, .dead_bytes = 10));
	TOUCHED(KERNEL, R(1, COPY, 22, 50, 50, .first_read_bytes = 4));
	left(1, KERNEL, (struct gpu_left_bytes){18, 0, 50, 50, SET, 0});
	TOUCHED(KERNEL, W(1, COPY, 8, 50, 50, .unread_bytes = 8, .dead_bytes = 2));
	left(1, KERNEL, (struct gpu_left_bytes){0, 6, 0, 0, SET, 0});
	end();
	profile = build();
	assert_string_equal(coverage_of(profile, "trace"), "");
	unread_is(profile, 2, 0, SIZE - 10 - 18 - 6);
	unread_is(profile, 3, 0, 4);
	unread_is(profile, 4, 0, 8);
	assert_int_equal(profile->coverage_count, 0);
	assert_int_equal(profile->fates[0].vertex, 2);
	assert_int_equal(profile->fates[0].dead_bytes, 16);
	assert_int_equal(profile->fates[0].read_first, 50 * 1024);
	assert_int_equal(profile->fates[0].read_end, 51 * 1024);
	assert_int_equal(profile->fates[0].readers, 1);
	assert_int_equal(profile->fates[0].consumer, 4);
	assert_int_equal(profile->fates[0].unread_writes, 0);
	assert_int_equal(profile->unread_count, 3);
	range_is(profile, 0, 2, 0, 50 * 1024 - 1, SIZE - 18);
	range_is(profile, 1, 2, 51 * 1024, SIZE - 1, SIZE - 18);
	range_is(profile, 2, 4, 50 * 1024, 51 * 1024 - 1, 8);
	profile_free(profile);
}

static void test_left_refused(void **state)
{
	const struct gpu_left_bytes bad[] = {
		{SIZE + 1, 0, 0, 0, SET, 0}, {0, SIZE + 1, 0, 0, SET, 0}, {1, 0, 1, 0, SET, 0},
		{1, 0, 0, 101, SET, 0},      {1, 0, 0, 0, 0, 0},          {1, 0, 0, 0, COPY, 0},
		{1, 0, 0, 0, 77, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct profile *profile;

		start(1);
		calls();
		allocated(1);
		filled(SET, 1, ALLOC, 0);
		left(1, SET, bad[i]);
		end();
		profile = build();
		assert_non_null(strstr(coverage_of(profile, "trace"), "damaged at offset"));
		profile_free(profile);
		unlink(path);
	}
}

/* Less was written than nobody is said to have read: nothing is known of it then. */
static void test_impossible(void **state)
{
	struct profile *profile;

	(void)state;
	start(1);
	calls();
	allocated(1);
	filled(SET, 1, ALLOC, 0);
	TOUCHED(COPY, W(1, SET, 10, 50, 50, .unread_bytes = 10, .dead_bytes = 10));
	TOUCHED(KERNEL, W(1, COPY, 40, 50, 50, .unread_bytes = 40, .dead_bytes = 40));
	end();
	profile = build();
	unread_is(profile, 2, 0, SIZE - 10);
	unread_is(profile, 3, 0, 0);
	unread_is(profile, 4, 0, 40);
	assert_int_equal(profile->fate_count, 3);
	assert_int_equal(profile->fates[1].vertex, 3);
	assert_int_equal(profile->fates[1].bytes, 10);
	assert_int_equal(profile->fates[1].dead_bytes, 0);
	assert_int_equal(profile->fates[1].unread_bytes, 0);
	assert_int_equal(profile->fates[1].unread_writes, 0);
	assert_int_equal(profile->coverage_count, 1);
	assert_string_equal(profile->coverage[0].id, "UNREAD_IMPOSSIBLE");
	for (uint32_t i = 0; i < profile->unread_count; i++)
		assert_int_not_equal(profile->unread[i].vertex, 3);
	profile_free(profile);
}

/* What it reads of its own writes, and memory that can be read unseen: unread_bytes is less. */
static void test_not_unread(void **state)
{
	struct profile *profile;

	(void)state;
	start(1);
	calls();
	allocated(1);
	TOUCHED(SET, W(1, ALLOC, SIZE, 0, 100));
	TOUCHED(COPY, R(1, SET, SIZE, 0, 100), W(1, SET, SIZE, 0, 100));
	end();
	profile = build();
	unread_is(profile, 2, 0, 0);
	unread_is(profile, 3, 0, 0);
	assert_int_equal(profile->unread_count, 0);
	profile_free(profile);
}

/* Of an object, of a device, of another device; before and after a write. */
static void test_read_unseen(void **state)
{
	struct profile *profile;

	(void)state;
	start(1);
	calls();
	for (uint32_t id = 1; id <= 4; id++)
		allocated(id);
	for (uint32_t id = 1; id <= 4; id++)
		filled(SET, id, ALLOC, 0);
	seen(0, SET, 7); /* nothing of that device lives */
	seen(1, 0, 0);
	freed(1);
	freed(2);
	seen(0, FREE, 0);
	freed(3);
	TOUCHED(KERNEL, W(4, SET, 1024, 0, 0, .unread_bytes = 1024)); /* dead 0: the device knows */
	end();
	profile = build();
	assert_string_equal(coverage_of(profile, "trace"), "");
	unread_is(profile, 2, SIZE, 0);
	unread_is(profile, 3, 0, 1024);
	assert_int_equal(profile->unread_count, 1);
	range_is(profile, 0, 3, 0, 1023, 1024);
	profile_free(profile);
}

/* A process that does not end in order may have been about to read. */
static void test_killed(void **state)
{
	struct profile *profile;

	(void)state;
	start(1);
	calls();
	allocated(1);
	allocated(2);
	filled(SET, 1, ALLOC, 0);
	filled(COPY, 2, ALLOC, 0);
	freed(1);
	trace_close(writer);
	profile = build();
	unread_is(profile, 2, SIZE, 0);
	unread_is(profile, 3, 0, 0);
	assert_int_equal(profile->unread_count, 1);
	range_is(profile, 0, 2, 0, SIZE - 1, SIZE);
	profile_free(profile);
}

/* More is read than was written: sums do not go below nothing. */
static void test_hostile(void **state)
{
	struct profile *profile;

	(void)state;
	start(1);
	calls();
	allocated(1);
	filled(SET, 1, ALLOC, 0);
	for (unsigned i = 0; i < 3; i++)
		TOUCHED(KERNEL, R(1, SET, SIZE, 0, 100, .first_read_bytes = SIZE),
			R(1, ALLOC, SIZE, 0, 100, .first_read_bytes = SIZE));
	end();
	profile = build();
	assert_string_equal(coverage_of(profile, "trace"), "");
	unread_is(profile, 2, 0, 0);
	assert_int_equal(profile->unread_count, 0);
	profile_free(profile);
}

static void refused(const struct trace_row *row)
{
	struct profile *profile;

	start(1);
	calls();
	allocated(1);
	touched(SET, 1, row);
	end();
	profile = build();
	assert_non_null(strstr(coverage_of(profile, "trace"), "a row of object 1 with a metric"));
	profile_free(profile);
	unlink(path);
}

static void test_refused(void **state)
{
	const struct trace_row rows[] = {
		W(1, ALLOC, 10, 5, 4),
		W(1, ALLOC, 10, 0, 101),
		W(1, ALLOC, 10, 0, 0, .dead_bytes = 11),
		W(1, ALLOC, 10, 0, 0, .redundant_value_bytes = 11),
		W(1, ALLOC, 10, 0, 0, .taken_bytes = SIZE + 1),
		W(1, ALLOC, 10, 0, 0, .first_read_bytes = 1),
		R(1, ALLOC, 10, 0, 0, .unread_bytes = 1),
		R(1, ALLOC, 10, 0, 0, .dead_bytes = 1),
		{.object = 1, .access = TRACE_TO_HOST, .bytes = 1, .last_block = 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		refused(&rows[i]);
}

/* Rows without the metrics: nothing is known, and coverage says so. */
static void test_absent(void **state)
{
	const struct trace_row row = W(1, ALLOC, 64, 0, 0);
	struct profile *profile;

	(void)state;
	start(1);
	calls();
	allocated(1);
	u.event.context = SET;
	u.event.row_count = 1;
	u.event.row_size = TRACE_ROW_SIZE(1);
	memcpy(u.event.rows, &row, TRACE_ROW_SIZE(1));
	append(TRACE_EVENT, sizeof(u.event) + TRACE_ROW_SIZE(1));
	end();
	profile = build();
	assert_string_equal(coverage_of(profile, "trace"), "");
	for (uint32_t v = 0; v < profile->graph->vertex_count; v++)
		assert_int_equal(profile->graph->vertices[v].fields &
					 (VERTEX_UNREAD_FREED_BYTES | VERTEX_UNREAD_END_BYTES |
					  VERTEX_REDUNDANT_VALUE_BYTES),
				 0);
	assert_non_null(
		strstr(coverage_of(profile, "whole values"), "redundancy is that of bytes"));
	assert_int_equal(profile->unread_count, 0);
	profile_free(profile);
}

/* The rows are bounded: the largest ranges stay. */
static void test_many(void **state)
{
	struct profile *profile;

	(void)state;
	start(1);
	context(ALLOC, TRACE_ALLOC, "cudaMalloc", 0);
	allocated(1);
	for (uint32_t i = 0; i < 1200; i++) {
		char name[32];
		uint64_t last = i % 100;

		snprintf(name, sizeof(name), "kernel%u", i);
		context(2 + i, TRACE_KERNEL, name, 0);
		TOUCHED(2 + i, W(1, ALLOC, 4, 0, last, .unread_bytes = 4));
	}
	end();
	profile = build();
	assert_int_equal(profile->unread_count, 1000);
	for (uint32_t i = 1; i < 1000; i++)
		assert_true(profile->unread[i].last <= profile->unread[i - 1].last);
	assert_int_equal(profile->unread[0].last, 100 * 1024 - 1);
	profile_free(profile);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_transfer),     TEST(test_site),        TEST(test_taken),
		TEST(test_not_unread),   TEST(test_read_unseen), TEST(test_killed),
		TEST(test_hostile),      TEST(test_refused),     TEST(test_absent),
		TEST(test_many),         TEST(test_impossible),  TEST(test_left),
		TEST(test_left_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
