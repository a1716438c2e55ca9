/*
 * Topological time (graph/build/topology.c): levels worked out by hand, and those of Kahn's
 * algorithm over the whole dependency graph.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/build/topology.h"
#include "util/error.h"

#define R(object_) ((struct build_row){.object = (object_), .access = TRACE_READ})
#define W(object_) ((struct build_row){.object = (object_), .access = TRACE_WRITE})
#define NO_ROWS NULL, 0

static struct topology *topology;
static struct build_event last;
static uint64_t clock_ns;

static int setup(void **state)
{
	(void)state;
	topology = topology_new();
	last = (struct build_event){0};
	clock_ns = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	topology_free(topology);
	return 0;
}

/* One call every 10 ns, by thread 0. */
static uint64_t put(uint32_t stream, uint32_t vertex, const struct build_row *rows, uint32_t count)
{
	last.number++;
	last.stream = stream;
	last.vertex = vertex;
	last.start_ns = clock_ns += 10;
	last.end_ns = clock_ns + 5;
	return topology_event(topology, &last, rows, count);
}

static uint64_t allocate(uint32_t stream, uint32_t object)
{
	topology_object(topology, &last, object);
	return put(stream, 1, NO_ROWS);
}

static uint64_t release(uint32_t stream, uint32_t object)
{
	put(stream, PROFILE_NO_VERTEX, NO_ROWS);
	topology_freed(topology, object);
	assert_true(topology_is_vertex(topology));
	return topology_level(topology);
}

#define OPERATION(stream, ...)                                                                     \
	put(stream, 2, (const struct build_row[]){__VA_ARGS__},                                    \
	    sizeof((const struct build_row[]){__VA_ARGS__}) / sizeof(struct build_row))

static int said(uint32_t kind, const void *payload)
{
	struct error error;

	return topology_record(topology,
			       &(struct build_record){.kind = kind,
						      .object = BUILD_NO_OBJECT,
						      .of_call = true,
						      .payload = payload},
			       &error);
}

static uint64_t in_new_stream(uint32_t nonblocking)
{
	assert_int_equal(said(GPU_RECORD_STREAM, &(struct gpu_stream){nonblocking}), 0);
	return topology_level(topology);
}

/* The call in this stream comes after what was put into the other one until then. */
static uint64_t ordered(uint32_t stream, uint64_t recorded_ns)
{
	const struct gpu_order order = {.recorded_ns = last.start_ns - recorded_ns,
					.stream = stream};

	assert_int_equal(said(GPU_RECORD_ORDER, &order), 0);
	return topology_level(topology);
}

static void waits(uint32_t scope, uint32_t stream, uint64_t recorded_ns, uint32_t own)
{
	const struct gpu_wait wait = {
		.scope = scope,
		.stream = stream,
		.own = own,
		.recorded_ns = scope == GPU_WAIT_EVENT ? last.start_ns - recorded_ns : 0,
	};

	assert_int_equal(said(GPU_RECORD_WAIT, &wait), 0);
}

/*
 * As in DrGPUM's Figure 2: one stream, so time is the order of the calls; B is allocated at 2, used
 * at 7 and 9, freed at 12: four calls before its first use, two after its last one.
 */
static void test_one_stream(void **state)
{
	(void)state;
	enum { A, B, C };

	assert_int_equal(OPERATION(0, W(9)), 0);
	assert_int_equal(allocate(0, A), 1);
	assert_int_equal(allocate(0, B), 2);
	assert_int_equal(allocate(0, C), 3);
	assert_int_equal(OPERATION(0, W(A)), 4);
	assert_int_equal(OPERATION(0, W(C)), 5);
	assert_int_equal(OPERATION(0, R(A)), 6);
	assert_int_equal(OPERATION(0, W(B), R(A)), 7);
	assert_int_equal(OPERATION(0, R(A)), 8);
	assert_int_equal(OPERATION(0, R(B)), 9);
	assert_int_equal(OPERATION(0, R(C)), 10);
	assert_int_equal(release(0, A), 11);
	assert_int_equal(release(0, B), 12);
}

/*
 * As in Figure 4: calls of two streams that only data orders.  O1 is allocated at 0, and first used
 * at 3 in the other stream, which was at 2 before: distance 3.
 */
static void test_two_streams(void **state)
{
	(void)state;
	enum { O1 = 1, O2 };

	assert_int_equal(allocate(1, O1), 0);
	assert_int_equal(in_new_stream(1), 0);
	assert_int_equal(allocate(2, O2), 0);
	assert_int_equal(in_new_stream(1), 0);
	assert_int_equal(OPERATION(2, W(O2)), 1);
	assert_int_equal(OPERATION(2, R(O2)), 2);
	assert_int_equal(OPERATION(2, W(O1)), 3);
	assert_int_equal(OPERATION(1, R(O1)), 4); /* RAW: the stream was at 0 */
	assert_int_equal(OPERATION(2, R(O2)), 4);
	assert_int_equal(OPERATION(2, W(O2)), 5);
	assert_int_equal(release(1, O2), 6); /* WAW: the stream was at 4 */
}

/* A write comes after all readers, also those in other streams; readers do not after each other. */
static void test_write_after_read(void **state)
{
	(void)state;
	for (uint32_t stream = 1; stream <= 3; stream++) {
		put(stream, 2, NO_ROWS);
		in_new_stream(1);
	}
	assert_int_equal(OPERATION(1, W(7)), 1);
	assert_int_equal(OPERATION(2, R(7)), 2);
	assert_int_equal(OPERATION(3, R(7)), 2);
	assert_int_equal(OPERATION(3, R(7)), 3);
	assert_int_equal(OPERATION(1, W(7)), 4);
	assert_int_equal(OPERATION(2, R(7), W(7)), 5);
	assert_int_equal(OPERATION(3, R(7)), 6);
}

/* An event orders what was in its stream when it was recorded, and nothing later. */
static void test_event(void **state)
{
	uint64_t recorded_ns;

	(void)state;
	assert_int_equal(put(1, 2, NO_ROWS), 0);
	in_new_stream(1);
	assert_int_equal(put(1, 2, NO_ROWS), 1);
	recorded_ns = clock_ns += 2;
	assert_int_equal(put(1, 2, NO_ROWS), 2);
	put(2, 2, NO_ROWS);
	assert_int_equal(in_new_stream(1), 0);
	assert_int_equal(ordered(1, recorded_ns), 2);
	assert_int_equal(put(2, 2, NO_ROWS), 3);
	assert_int_equal(put(1, 2, NO_ROWS), 3);
}

/* Two threads put into one stream: of what started after the event was recorded nothing is taken.
 */
static void test_event_of_threads(void **state)
{
	(void)state;
	put(1, 2, NO_ROWS); /* starts at 10 */
	in_new_stream(1);
	clock_ns = 90;
	assert_int_equal(put(1, 2, NO_ROWS), 1); /* at 100 */
	clock_ns = 80;
	assert_int_equal(put(1, 2, NO_ROWS), 2); /* at 90, but behind the one before */
	clock_ns = 200;
	put(2, 2, NO_ROWS);
	in_new_stream(1);
	assert_int_equal(ordered(1, 95), 1);
	put(3, 2, NO_ROWS);
	in_new_stream(1);
	assert_int_equal(ordered(1, 100), 3);
}

/* A wait is no vertex; what it waited for comes before all that its thread calls later. */
static void test_host_wait(void **state)
{
	uint64_t recorded_ns;

	(void)state;
	put(1, 2, NO_ROWS);
	in_new_stream(1);
	assert_int_equal(put(1, 2, NO_ROWS), 1);
	recorded_ns = clock_ns += 2;
	assert_int_equal(put(1, 2, NO_ROWS), 2);
	put(0, PROFILE_NO_VERTEX, NO_ROWS);
	waits(GPU_WAIT_EVENT, 1, recorded_ns, 0);
	assert_false(topology_is_vertex(topology));
	put(2, 2, NO_ROWS);
	assert_int_equal(in_new_stream(1), 2); /* the vertex at 1 was waited for */
	put(0, PROFILE_NO_VERTEX, NO_ROWS);
	waits(GPU_WAIT_STREAM, 1, 0, 0);
	put(3, 2, NO_ROWS);
	assert_int_equal(in_new_stream(1), 3);
	waits(GPU_WAIT_OWN, 3, 0, 1); /* a copy that waits for itself */
	put(4, 2, NO_ROWS);
	assert_int_equal(in_new_stream(1), 4);
	put(0, PROFILE_NO_VERTEX, NO_ROWS);
	waits(GPU_WAIT_ALL, 0, 0, 0);
	last.thread = 1; /* has waited for nothing */
	put(5, 2, NO_ROWS);
	assert_int_equal(in_new_stream(1), 0);
	last.thread = 0;
	put(6, 2, NO_ROWS);
	assert_int_equal(in_new_stream(1), 5);
}

static void test_legacy_stream(void **state)
{
	uint64_t recorded_ns;

	(void)state;
	put(1, 2, NO_ROWS);
	in_new_stream(0);
	assert_int_equal(put(1, 2, NO_ROWS), 1);
	put(2, 2, NO_ROWS);
	assert_int_equal(in_new_stream(0), 0);
	put(3, 2, NO_ROWS);
	assert_int_equal(in_new_stream(1), 0);
	assert_int_equal(put(3, 2, NO_ROWS), 1);
	assert_int_equal(put(3, 2, NO_ROWS), 2);
	assert_int_equal(put(0, 2, NO_ROWS), 2); /* after streams 1 and 2, not 3 */
	assert_int_equal(put(2, 2, NO_ROWS), 3);
	recorded_ns = clock_ns += 2; /* in stream 0, so after stream 2 */
	assert_int_equal(put(3, 2, NO_ROWS), 3);
	put(4, 2, NO_ROWS);
	assert_int_equal(in_new_stream(1), 0);
	assert_int_equal(ordered(0, recorded_ns), 4);
	/* a new stream with the number of one that is gone */
	put(3, 2, NO_ROWS);
	assert_int_equal(in_new_stream(1), 0);
}

static void test_process_end(void **state)
{
	(void)state;
	allocate(0, 1);
	assert_int_equal(OPERATION(0, W(1)), 1);
	topology_process_end(topology);
	assert_int_equal(OPERATION(0, W(1)), 0);
}

static void test_hostile(void **state)
{
	const struct gpu_order order = {.recorded_ns = UINT64_MAX, .stream = UINT32_MAX};
	const struct gpu_wait wait = {.scope = GPU_WAIT_EVENT, .recorded_ns = UINT64_MAX};

	(void)state;
	/* before any call of a process: of none */
	assert_int_equal(said(GPU_RECORD_ORDER, &order), 0);
	assert_int_equal(put(UINT32_MAX, 2, NO_ROWS), 0);
	assert_int_equal(said(GPU_RECORD_ORDER, &order), -1);
	assert_int_equal(said(GPU_RECORD_WAIT, &wait), -1);
	topology_freed(topology, 77); /* that nobody made */
	assert_int_equal(topology_level(topology), 0);
}

/* An event older than what is kept of its stream orders nothing, and is counted. */
static void test_forgotten(void **state)
{
	(void)state;
	put(1, 2, NO_ROWS);
	in_new_stream(1);
	for (uint32_t i = 1; i <= TOPOLOGY_HISTORY; i++)
		assert_int_equal(put(1, 2, NO_ROWS), i);
	put(2, 2, NO_ROWS);
	in_new_stream(1);
	assert_int_equal(ordered(1, clock_ns - 20), TOPOLOGY_HISTORY);
	assert_int_equal(topology_unknown_orders(topology), 0);
	put(3, 2, NO_ROWS);
	in_new_stream(1);
	assert_int_equal(ordered(1, 10), 0);
	assert_int_equal(topology_unknown_orders(topology), 1);
}

enum { CALLS = 120, STREAMS = 4, OBJECTS = 5 };

struct call {
	uint32_t stream;
	bool reads[OBJECTS], writes[OBJECTS];
};

/*
 * Whether Definition 5.1 has an edge, or a path: it has an edge only to the nearest writer or
 * reader, but where one is between them there is a path over that one, and levels are the same.
 * Streams are nonblocking.
 */
static bool depends(const struct call *calls, uint32_t from, uint32_t to)
{
	if (calls[from].stream == calls[to].stream)
		return true;
	for (uint32_t i = 0; i < OBJECTS; i++)
		if ((calls[from].writes[i] && (calls[to].reads[i] || calls[to].writes[i])) ||
		    (calls[from].reads[i] && calls[to].writes[i]))
			return true;
	return false;
}

/* Deletes the vertices without predecessors, round by round. */
static void kahn(const struct call *calls, uint64_t *levels)
{
	bool deleted[CALLS] = {false};

	for (uint64_t round = 0, left = CALLS; left; round++) {
		bool free_now[CALLS];

		for (uint32_t to = 0; to < CALLS; to++) {
			free_now[to] = !deleted[to];
			for (uint32_t from = 0; from < to; from++)
				free_now[to] &= deleted[from] || !depends(calls, from, to);
		}
		for (uint32_t i = 0; i < CALLS; i++) {
			if (!free_now[i])
				continue;
			deleted[i] = true;
			levels[i] = round;
			left--;
		}
	}
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static void test_kahn(void **state)
{
	uint64_t seed = 17;

	(void)state;
	for (uint32_t trial = 0; trial < 200; trial++) {
		struct call calls[CALLS] = {0};
		uint64_t levels[CALLS];
		bool seen[STREAMS] = {false};

		for (uint32_t i = 0; i < CALLS; i++) {
			calls[i].stream = next_random(&seed) % STREAMS;
			for (uint32_t touched = next_random(&seed) % 3; touched; touched--) {
				uint32_t object = next_random(&seed) % OBJECTS;

				if (next_random(&seed) % 4)
					calls[i].reads[object] = true;
				else
					calls[i].writes[object] = true;
			}
		}
		kahn(calls, levels);
		for (uint32_t i = 0; i < CALLS; i++) {
			struct build_row rows[2 * OBJECTS];
			uint32_t count = 0;

			for (uint32_t k = 0; k < OBJECTS; k++) {
				if (calls[i].reads[k])
					rows[count++] = R(k);
				if (calls[i].writes[k])
					rows[count++] = W(k);
			}
			put(calls[i].stream + 1, 2, rows, count);
			if (!seen[calls[i].stream])
				in_new_stream(1);
			seen[calls[i].stream] = true;
			assert_int_equal(topology_level(topology), levels[i]);
		}
		topology_process_end(topology);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_one_stream),
		TEST(test_two_streams),
		TEST(test_write_after_read),
		TEST(test_event),
		TEST(test_event_of_threads),
		TEST(test_host_wait),
		TEST(test_legacy_stream),
		TEST(test_process_end),
		TEST(test_hostile),
		TEST(test_forgotten),
		TEST(test_kahn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
