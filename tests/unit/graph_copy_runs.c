/*
 * Which small copies, one after the other, one copy could make: the analysis of runs of copies, on
 * calls made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "graph/build/analysis.h"
#include "util/memory.h"

enum { A = 11, B, VERTICES };
enum { X, Y, OBJECTS }; /* of 4000 bytes, allocated at vertices 1 and 2 */
enum { HOST = 1 << 20 };

static struct profile *profile;
static void *state_of;
static struct build_event event;
static uint64_t invocations[VERTICES];

static void start(void)
{
	profile = profile_new();
	ARRAY_RESERVE(profile->processes, profile->process_count, profile->process_capacity);
	profile->processes[profile->process_count++] = (struct profile_process){.ended = true};
	for (uint32_t o = 0; o < OBJECTS; o++) {
		ARRAY_RESERVE(profile->objects, profile->object_count, profile->object_capacity);
		profile->objects[profile->object_count++] = (struct profile_object){
			.site = o + 1, .size = 4000, .memory = TRACE_MEMORY_DEVICE};
	}
	state_of = build_copy_runs.begin(profile);
	event = (struct build_event){0};
	for (uint32_t v = 0; v < VERTICES; v++)
		invocations[v] = 0;
}

static void finish(uint32_t runs)
{
	build_copy_runs.process_end(state_of, &event);
	build_copy_runs.end(state_of);
	assert_int_equal(profile->copy_run_count, runs);
}

static void call(uint32_t vertex, uint32_t stream, uint32_t object, enum trace_access access)
{
	const struct build_row row = {.object = object, .access = access, .bytes = 4};

	event = (struct build_event){.number = event.number + 1,
				     .vertex = vertex,
				     .stream = stream,
				     .invocation = invocations[vertex]++,
				     .range = PROFILE_NO_ROW,
				     .name = ""};
	build_copy_runs.event(state_of, &event, &row, 1);
}

static void record(uint32_t kind, uint32_t object, const void *payload, uint32_t size)
{
	const struct build_record of = {
		.kind = kind, .object = object, .of_call = true, .payload = payload, .size = size};
	struct error error;

	assert_int_equal(build_copy_runs.record(state_of, &event, &of, &error), 0);
}

static void copy(uint32_t vertex, uint32_t stream, uint32_t object, uint64_t offset, uint64_t bytes,
		 uint64_t host, bool from_host)
{
	const struct gpu_transfer transfer = {
		.offset = offset, .bytes = bytes, .host = host, .from_host = from_host};

	call(vertex, stream, object, from_host ? TRACE_WRITE : TRACE_READ);
	record(GPU_RECORD_TRANSFER, object, &transfer, sizeof(transfer));
}

/* `count` copies of 100 bytes. */
static void copies(uint32_t object, uint64_t from, int count, uint64_t device_stride,
		   uint64_t host_stride, bool from_host)
{
	for (int i = 0; i < count; i++)
		copy(A, 0, object, from + i * device_stride, 100, HOST + i * host_stride,
		     from_host);
}

static void expect_run(uint32_t index, uint32_t shape, uint64_t first, uint64_t number,
		       uint64_t bytes)
{
	const struct profile_copy_run *run = &profile->copy_runs[index];

	assert_int_equal(run->vertex, A);
	assert_int_equal(run->shape, shape);
	assert_int_equal(run->first, first);
	assert_int_equal(run->copies, number);
	assert_int_equal(run->bytes, bytes);
}

static void test_shapes(void **state)
{
	(void)state;
	start();
	copies(X, 0, 4, 100, 100, true);
	copy(A, 0, X, 400, 7, HOST + 400, true); /* the last one may be shorter */
	copies(Y, 0, 5, 200, 100, true);
	copies(X, 1000, 3, 100, 100, true); /* too few to be a run of their own */
	copy(A, 0, Y, 3000, 50, HOST, true);
	copy(A, 0, Y, 3900, 60, HOST, true);
	finish(3);
	expect_run(0, PROFILE_COPY_RUN_ADJOINING, 0, 5, 407);
	assert_int_equal(profile->copy_runs[0].site, 1);
	expect_run(1, PROFILE_COPY_RUN_ROWS, 5, 5, 500);
	assert_int_equal(profile->copy_runs[1].site, 2);
	assert_int_equal(profile->copy_runs[1].device_stride, 200);
	assert_int_equal(profile->copy_runs[1].host_stride, 100);
	expect_run(2, PROFILE_COPY_RUN_SCATTERED, 10, 5, 410);
	assert_int_equal(profile->copy_runs[2].device_stride, 0);
	profile_free(profile);
}

/* Copies to the host cannot be packed, and what is not known of the host is not side by side. */
static void test_to_host(void **state)
{
	(void)state;
	start();
	copies(X, 0, 4, 100, 200, false);
	for (uint64_t i = 0; i < 5; i++)
		copy(A, 0, Y, i * i * 100, 100, HOST + 1000 * i, false);
	for (uint64_t i = 0; i < 5; i++)
		copy(A, 0, Y, i * 100, 100, 0, false);
	finish(1);
	expect_run(0, PROFILE_COPY_RUN_ROWS, 0, 4, 400);
	assert_false(profile->copy_runs[0].from_host);
	profile_free(profile);
}

/* Whether a call after the second of four copies parts them. */
static void check_between(uint32_t object, enum trace_access access, bool from_host, bool parts)
{
	start();
	copies(X, 0, 2, 100, 100, from_host);
	call(B, 0, object, access);
	for (uint64_t i = 2; i < 4; i++)
		copy(A, 0, X, i * 100, 100, HOST + i * 100, from_host);
	finish(!parts);
	profile_free(profile);
}

static void test_between(void **state)
{
	(void)state;
	check_between(Y, TRACE_WRITE, true, false);
	check_between(X, TRACE_READ, true, true);
	check_between(X, TRACE_WRITE, true, true);
	check_between(X, TRACE_READ, false, false);
	check_between(X, TRACE_WRITE, false, true);
}

static void test_no_runs(void **state)
{
	const struct gpu_read_unseen unseen = {0};

	(void)state;
	start();
	for (uint64_t i = 0; i < 8; i++) /* in two streams */
		copy(A, i % 2, X, i * 100, 100, HOST + i * 100, true);
	for (uint64_t i = 0; i < 8; i++) /* over each other */
		copy(A, 0, X, i * 50, 100, HOST + i * 100, true);
	copies(Y, 0, 2, 100, 100, true);
	record(GPU_RECORD_READ_UNSEEN, BUILD_NO_OBJECT, &unseen, sizeof(unseen));
	copies(Y, 200, 2, 100, 100, true);
	build_copy_runs.freed(state_of, &event, Y);
	copies(X, 0, 2, 100, 100, true);
	call(A, 0, X, TRACE_WRITE); /* of rows: there is no record of it */
	copies(X, 200, 2, 100, 100, true);
	profile->objects[X].size = 1 << 20;
	for (uint64_t i = 0; i < 8; i++) /* large ones */
		copy(A, 0, X, i * 16385, 16385, HOST + i * 16385, true);
	record(GPU_RECORD_READ_UNSEEN, X, &unseen, sizeof(unseen)); /* from now on, too */
	copies(X, 0, 4, 100, 100, true);
	finish(0);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_to_host),
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_no_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
