/*
 * The dependency graph (graph/build/predecessors.c): edges drawn by hand, and for calls at random
 * the levels of topological time (graph/build/topology.c), which is found in another way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/build/predecessors.h"
#include "graph/build/topology.h"
#include "util/error.h"

enum { CALLS = 120, DEVICES = 2, STREAMS = 4, OBJECTS = 5, THREADS = 2 };

static struct predecessors *predecessors;
static struct topology *topology;
static struct build_event last;
static char edges[4096]; /* of the last event: "FROM WHY OBJECT, ..." */
static uint64_t levels[CALLS];

static int setup(void **state)
{
	(void)state;
	predecessors = predecessors_new();
	topology = topology_new();
	last = (struct build_event){0};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	predecessors_free(predecessors);
	topology_free(topology);
	return 0;
}

/* Ends the last event: its level by its predecessors is that of topological time. */
static const char *take(void)
{
	static const char *const words[] = {"?", "stream", "event", "wait", "RAW", "WAR", "WAW"};
	const struct predecessor *list = NULL;
	uint32_t call = UINT32_MAX, count = predecessors_take(predecessors, &call, &list);
	uint64_t level = 0;
	size_t used = 0;

	edges[0] = '\0';
	for (uint32_t i = 0; i < count; i++) {
		assert_true(list[i].call < call);
		assert_true(used < sizeof(edges) - 64);
		used += (size_t)snprintf(edges + used, 64, "%s%u %s", i ? ", " : "",
					 list[i].call + 1, words[list[i].why]);
		if (list[i].why >= PROFILE_DEPENDENCY_RAW)
			used += (size_t)snprintf(edges + used, 64, " %u", list[i].object);
		else
			assert_int_equal(list[i].object, PROFILE_NO_ROW);
		if (level < levels[list[i].call] + 1)
			level = levels[list[i].call] + 1;
	}
	if (call != UINT32_MAX && topology_is_vertex(topology)) {
		levels[call] = level;
		assert_int_equal(level, topology_level(topology));
	}
	return edges;
}

static void put_rows(uint32_t stream, uint32_t vertex, const struct build_row *rows, uint32_t count)
{
	last.number++;
	last.stream = stream;
	last.vertex = vertex;
	last.start_ns += 10;
	predecessors_event(predecessors, &last, rows, count);
	topology_event(topology, &last, rows, count);
}

static void allocate(uint32_t stream, uint32_t object)
{
	predecessors_object(predecessors, object);
	topology_object(topology, &last, object);
	put_rows(stream, 1, NULL, 0);
}

static void freed(uint32_t object)
{
	predecessors_freed(predecessors, object);
	topology_freed(topology, object);
}

#define R(object_) ((struct build_row){.object = (object_), .access = TRACE_READ})
#define W(object_) ((struct build_row){.object = (object_), .access = TRACE_WRITE})
#define OPERATION(stream, ...)                                                                     \
	put_rows(stream, 2, (const struct build_row[]){__VA_ARGS__},                               \
		 sizeof((const struct build_row[]){__VA_ARGS__}) / sizeof(struct build_row))

static int said(uint32_t kind, const void *payload)
{
	struct error error;
	const struct build_record record = {
		.kind = kind, .object = BUILD_NO_OBJECT, .of_call = true, .payload = payload};
	int result = predecessors_record(predecessors, &record, &error);

	assert_int_equal(topology_record(topology, &record, &error), result);
	return result;
}

static void in_new_stream(uint32_t nonblocking)
{
	assert_int_equal(said(GPU_RECORD_STREAM, &(struct gpu_stream){nonblocking}), 0);
}

static void ordered_with(uint32_t device, uint32_t stream, uint64_t recorded_ns)
{
	const struct gpu_order order = {
		.recorded_ns = last.start_ns - recorded_ns, .device = device, .stream = stream};

	assert_int_equal(said(GPU_RECORD_ORDER, &order), 0);
}

static void ordered(uint32_t stream, uint64_t recorded_ns)
{
	ordered_with(0, stream, recorded_ns);
}

static void waits_on(uint32_t device, uint32_t scope, uint32_t stream, uint64_t recorded_ns,
		     uint32_t own)
{
	const struct gpu_wait wait = {
		.scope = scope,
		.device = device,
		.stream = stream,
		.own = own,
		.recorded_ns = scope == GPU_WAIT_EVENT ? last.start_ns - recorded_ns : 0,
	};

	assert_int_equal(said(GPU_RECORD_WAIT, &wait), 0);
}

static void waits(uint32_t scope, uint32_t stream, uint64_t recorded_ns, uint32_t own)
{
	waits_on(0, scope, stream, recorded_ns, own);
}

/*
 * Two streams that are not ordered with the default one, which A and B are allocated in: stream 1
 * writes A and records an event, stream 2 writes B, waits for the event and reads A; stream 1 then
 * writes what stream 2 has read; the host waits for stream 2 and frees A.
 */
static void test_two_streams(void **state)
{
	enum { A, B };

	(void)state;
	allocate(0, A); /* 1 */
	assert_string_equal(take(), "");
	allocate(0, B); /* 2 */
	assert_string_equal(take(), "1 stream");
	OPERATION(1, W(A)); /* 3 */
	in_new_stream(1);
	assert_string_equal(take(), "1 WAW 0");
	OPERATION(2, W(B)); /* 4 */
	in_new_stream(1);
	assert_string_equal(take(), "2 WAW 1");
	OPERATION(2, R(A), W(B)); /* 5 */
	ordered(1, last.start_ns - 15);
	assert_string_equal(take(), "4 stream, 3 event, 3 RAW 0, 4 WAW 1");
	OPERATION(2, R(B)); /* 6: after the event already */
	ordered(1, last.start_ns - 25);
	assert_string_equal(take(), "5 stream, 5 RAW 1");
	OPERATION(1, W(A)); /* 7 */
	assert_string_equal(take(), "3 stream, 5 WAR 0, 3 WAW 0");
	put_rows(2, PROFILE_NO_VERTEX, NULL, 0); /* 8: waits */
	waits(GPU_WAIT_STREAM, 2, 0, 0);
	assert_string_equal(take(), "");
	put_rows(0, PROFILE_NO_VERTEX, NULL, 0); /* 9 */
	freed(A);
	waits(GPU_WAIT_ALL, 0, 0, 0);
	assert_string_equal(take(), "2 stream, 6 wait, 7 WAW 0");
	OPERATION(1, W(B)); /* 10: stream 0 has gone on, and the host has waited for it */
	assert_string_equal(take(), "7 stream, 6 wait, 2 wait, 6 WAR 1, 5 WAW 1");
}

/* Of streams that are ordered with the default one: it comes after all of them, they after it. */
static void test_default_stream(void **state)
{
	(void)state;
	OPERATION(1, W(0)); /* 1 */
	in_new_stream(0);
	assert_string_equal(take(), "");
	OPERATION(2, W(1)); /* 2 */
	in_new_stream(0);
	assert_string_equal(take(), "");
	OPERATION(3, W(2)); /* 3 */
	in_new_stream(1);
	assert_string_equal(take(), "");
	OPERATION(0, W(3)); /* 4 */
	assert_string_equal(take(), "1 stream, 2 stream");
	OPERATION(1, R(0)); /* 5 */
	assert_string_equal(take(), "1 stream, 4 stream, 1 RAW 0");
	OPERATION(3, R(2)); /* 6 */
	assert_string_equal(take(), "3 stream, 3 RAW 2");
	assert_int_equal(predecessors_unordered(predecessors), 0);
	OPERATION(4, R(0)); /* 7: nobody says how it is ordered */
	assert_string_equal(take(), "4 stream, 1 RAW 0");
	assert_int_equal(predecessors_unordered(predecessors), 1);
	predecessors_process_end(predecessors);
	topology_process_end(topology);
	OPERATION(1, R(0)); /* 8: of another process */
	assert_string_equal(take(), "");
}

/* Streams of two devices have the same numbers, and only an event or the host orders them. */
static void test_devices(void **state)
{
	(void)state;
	OPERATION(0, W(0)); /* 1 */
	assert_string_equal(take(), "");
	last.device = 1;
	OPERATION(0, W(1)); /* 2 */
	assert_string_equal(take(), "");
	OPERATION(1, W(2)); /* 3 */
	in_new_stream(0);
	assert_string_equal(take(), "2 stream");
	last.device = 0;
	OPERATION(1, W(3)); /* 4 */
	in_new_stream(0);
	assert_string_equal(take(), "1 stream");
	OPERATION(0, W(0)); /* 5 */
	assert_string_equal(take(), "1 stream, 4 stream, 1 WAW 0");
	last.device = 1;
	OPERATION(0, W(4)); /* 6 */
	assert_string_equal(take(), "2 stream, 3 stream");
	last.device = 0;
	OPERATION(1, W(5)); /* 7: an event of the other device's stream 1, after its stream 0 */
	ordered_with(1, 1, last.start_ns - 5);
	assert_string_equal(take(), "4 stream, 5 stream, 6 event, 3 event");
	put_rows(0, PROFILE_NO_VERTEX, NULL, 0); /* 8: on this device, for a stream of the other */
	waits_on(1, GPU_WAIT_STREAM, 0, 0, 0);
	assert_string_equal(take(), "");
	OPERATION(2, W(6)); /* 9: not after 7 */
	in_new_stream(1);
	assert_string_equal(take(), "6 wait, 3 wait");
	last.device = 1;
	put_rows(0, PROFILE_NO_VERTEX, NULL, 0); /* 10 */
	waits_on(1, GPU_WAIT_ALL, 0, 0, 0);
	take();
	last.device = 0;
	OPERATION(3, R(6)); /* 11: a copy from the other device: by RAW after 9 alone */
	in_new_stream(1);
	assert_string_equal(take(), "6 wait, 3 wait, 9 RAW 6");
}

/* The host waits for a stream that waits for an event, and nothing else is in it. */
static void test_wait_for_order(void **state)
{
	(void)state;
	OPERATION(1, W(0)); /* 1 */
	in_new_stream(1);
	take();
	put_rows(2, PROFILE_NO_VERTEX, NULL, 0); /* 2 */
	ordered(1, last.start_ns - 5);
	waits(GPU_WAIT_STREAM, 2, 0, 0);
	assert_string_equal(take(), "");
	OPERATION(3, W(1)); /* 3 */
	in_new_stream(1);
	assert_string_equal(take(), "1 wait");
	put_rows(2, PROFILE_NO_VERTEX, NULL, 0); /* 4: does not wait */
	ordered(3, last.start_ns - 5);
	take();
	OPERATION(4, W(2)); /* 5 */
	in_new_stream(1);
	assert_string_equal(take(), "1 wait");
}

/* Several rows of an object are one edge; all its readers since it was written come before. */
static void test_objects(void **state)
{
	(void)state;
	OPERATION(1, W(0)); /* 1 */
	in_new_stream(1);
	take();
	OPERATION(2, R(0), R(0)); /* 2 */
	in_new_stream(1);
	assert_string_equal(take(), "1 RAW 0");
	OPERATION(2, R(0)); /* 3: of its stream the last reader */
	assert_string_equal(take(), "2 stream, 1 RAW 0");
	OPERATION(3, R(0)); /* 4 */
	in_new_stream(1);
	assert_string_equal(take(), "1 RAW 0");
	OPERATION(4, R(0), W(0), W(0)); /* 5 */
	in_new_stream(1);
	assert_string_equal(take(), "1 RAW 0, 3 WAR 0, 4 WAR 0, 1 WAW 0");
	OPERATION(5, W(0)); /* 6: 5 is no reader of what it wrote */
	in_new_stream(1);
	assert_string_equal(take(), "5 WAW 0");
	OPERATION(5, W(1)); /* 7: in a stream that was made anew */
	in_new_stream(1);
	assert_string_equal(take(), "");
}

static void test_hostile(void **state)
{
	const struct gpu_order order = {.recorded_ns = 100};
	const struct gpu_wait wait = {.recorded_ns = 100, .scope = GPU_WAIT_EVENT};

	(void)state;
	OPERATION(1, W(0));
	assert_int_equal(said(GPU_RECORD_ORDER, &order), -1);
	assert_int_equal(said(GPU_RECORD_WAIT, &wait), -1);
	waits(99, 7, 0, 1);
	ordered(77, last.start_ns);
	freed(12345);
	assert_string_equal(take(), "");
	assert_string_equal(take(), "");
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static void put_random(uint64_t *seed, bool seen[DEVICES][STREAMS + 1])
{
	struct build_row rows[3];
	uint32_t count = next_random(seed) % 4, stream = next_random(seed) % (STREAMS + 1);

	for (uint32_t i = 0; i < count; i++)
		rows[i] = next_random(seed) % 2 ? R(next_random(seed) % OBJECTS)
						: W(next_random(seed) % OBJECTS);
	last.thread = next_random(seed) % THREADS;
	last.device = next_random(seed) % DEVICES;
	if (next_random(seed) % 8 == 0)
		put_rows(stream, PROFILE_NO_VERTEX, NULL, 0);
	else
		put_rows(stream, 2, rows, count);
	if (stream && !seen[last.device][stream])
		in_new_stream(stream % 2);
	seen[last.device][stream] = true;
	if (next_random(seed) % 4 == 0)
		ordered_with(next_random(seed) % (DEVICES + 1), next_random(seed) % (STREAMS + 2),
			     last.start_ns - next_random(seed) % (last.start_ns + 1));
	if (next_random(seed) % 6 == 0)
		waits_on(next_random(seed) % (DEVICES + 1), 1 + next_random(seed) % 7,
			 next_random(seed) % (STREAMS + 2),
			 last.start_ns - next_random(seed) % (last.start_ns + 1),
			 next_random(seed) % 2);
	if (last.vertex == PROFILE_NO_VERTEX && next_random(seed) % 3 == 0)
		freed(next_random(seed) % OBJECTS);
	take();
}

static void test_levels(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (uint32_t trial = 0; trial < 500; trial++) {
		bool seen[DEVICES][STREAMS + 1] = {{false}};

		last = (struct build_event){0};
		for (uint32_t i = 0; i < CALLS; i++)
			put_random(&seed, seen);
		predecessors_process_end(predecessors);
		topology_process_end(topology);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_two_streams),    TEST(test_default_stream), TEST(test_devices),
		TEST(test_wait_for_order), TEST(test_objects),        TEST(test_hostile),
		TEST(test_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
