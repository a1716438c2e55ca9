/*
 * What analyses find out about calls made by hand: writes that change nothing, what became of what
 * was written, contents that were there before, and how objects are used.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "graph/build/analysis.h"
#include "util/memory.h"

/* Vertices; the n-th object is allocated at vertex n + 1, of 1000 bytes. */
enum { A = 11, B, C, D };
enum { SIZE = 1000 };

static struct profile *profile;
static void *state_of;
static const struct build_analysis *analysis;
static struct build_event event;

static void start(const struct build_analysis *of)
{
	profile = profile_new();
	ARRAY_RESERVE(profile->processes, profile->process_count, profile->process_capacity);
	profile->processes[profile->process_count++] = (struct profile_process){.ended = true};
	for (uint32_t v = 0; v <= D; v++)
		graph_add_vertex(profile->graph, v);
	analysis = of;
	state_of = analysis->begin(profile);
	event = (struct build_event){0};
}

static void finish(void)
{
	if (analysis->process_end)
		analysis->process_end(state_of, &event);
	if (analysis->end)
		analysis->end(state_of);
}

static uint32_t allocate_at(uint32_t site, uint64_t size, uint32_t memory)
{
	uint32_t index = profile->object_count;

	ARRAY_RESERVE(profile->objects, profile->object_count, profile->object_capacity);
	profile->objects[profile->object_count++] =
		(struct profile_object){.site = site, .size = size, .memory = memory};
	event = (struct build_event){
		.number = event.number + 1, .vertex = site, .range = PROFILE_NO_ROW, .name = ""};
	if (analysis->object)
		analysis->object(state_of, &event, index);
	if (analysis->event)
		analysis->event(state_of, &event, NULL, 0);
	return index;
}

static uint32_t allocate(void)
{
	return allocate_at(profile->object_count + 1, SIZE, TRACE_MEMORY_DEVICE);
}

static void call(uint32_t vertex, const struct build_row *rows, uint32_t count)
{
	event = (struct build_event){
		.number = event.number + 1, .vertex = vertex, .range = PROFILE_NO_ROW, .name = ""};
	if (analysis->event)
		analysis->event(state_of, &event, rows, count);
}

#define CALL(vertex, ...)                                                                          \
	call(vertex, (const struct build_row[]){__VA_ARGS__},                                      \
	     sizeof((const struct build_row[]){__VA_ARGS__}) / sizeof(struct build_row))
/* clang-format off */
#define READ(of, from, count)                                                                      \
	{.object = (of), .writer = (from), .access = TRACE_READ, .bytes = (count)}
#define WRITE(of, over, count, same)                                                               \
	{.object = (of), .writer = (over), .access = TRACE_WRITE, .bytes = (count),                \
	 .redundant_bytes = (same)}
#define FROM_HOST(of, count) {.object = (of), .access = TRACE_FROM_HOST, .bytes = (count)}
#define TO_HOST(of, count) {.object = (of), .access = TRACE_TO_HOST, .bytes = (count)}
/* clang-format on */

/* The content of the object after the last call. */
static void content(uint32_t object, uint8_t number)
{
	_Alignas(8) struct gpu_content payload = {.zero = number == 0};
	struct build_record record = {.kind = GPU_RECORD_CONTENT,
				      .object = object,
				      .of_call = true,
				      .payload = &payload,
				      .size = sizeof(payload)};
	struct error error;

	payload.digest[0] = number;
	assert_int_equal(analysis->record(state_of, &event, &record, &error), 0);
}

static void release(uint32_t object)
{
	event = (struct build_event){.number = event.number + 1,
				     .vertex = PROFILE_NO_VERTEX,
				     .range = PROFILE_NO_ROW,
				     .name = "cudaFree"};
	if (analysis->event)
		analysis->event(state_of, &event, NULL, 0);
	if (analysis->freed)
		analysis->freed(state_of, &event, object);
}

/* -- writes -- */

static void test_writes(void **state)
{
	uint32_t x, y;

	(void)state;
	start(&build_writes);
	x = allocate();
	y = allocate_at(2, SIZE, TRACE_MEMORY_MANAGED);
	CALL(A, WRITE(x, 1, SIZE, 0));
	CALL(B, READ(x, A, SIZE), WRITE(y, 2, SIZE, 0));
	CALL(A, WRITE(x, A, 600, 600), WRITE(x, B, 400, 400)); /* nothing new */
	CALL(B, READ(x, A, SIZE), WRITE(y, B, SIZE, SIZE));    /* the host may have written */
	CALL(A, WRITE(x, A, SIZE, SIZE - 1));
	CALL(C, READ(x, A, 100), WRITE(x, A, 10, 10)); /* its first */
	CALL(C, READ(x, A, 100), WRITE(x, A, 10, 10));
	CALL(A, WRITE(x, A, SIZE, 0));
	CALL(C, READ(x, A, 100), WRITE(x, A, 10, 10)); /* not the same again */
	finish();
	assert_int_equal(profile->write_count, 3);
	assert_int_equal(profile->writes[0].vertex, A);
	assert_int_equal(profile->writes[0].site, 1);
	assert_int_equal(profile->writes[0].writes, 4);
	assert_int_equal(profile->writes[0].bytes, 4 * SIZE);
	assert_int_equal(profile->writes[0].unchanged_bytes, 2 * SIZE - 1);
	assert_int_equal(profile->writes[0].unchanged_writes, 1);
	assert_int_equal(profile->writes[0].unchanged_writes_bytes, SIZE);
	assert_int_equal(profile->writes[0].unchanged_first, 0);
	assert_int_equal(profile->writes[0].changed_later, 2);
	assert_int_equal(profile->writes[1].vertex, B);
	assert_int_equal(profile->writes[1].unchanged_writes, 0);
	assert_int_equal(profile->writes[1].unchanged_bytes, 0);
	assert_int_equal(profile->writes[2].vertex, C);
	assert_int_equal(profile->writes[2].unchanged_writes, 3);
	assert_int_equal(profile->writes[2].unchanged_first, 1);
	assert_int_equal(profile->writes[2].same_input, 1);
	profile_free(profile);
}

/* First writes are those to an object, also where a site allocates one after the other. */
static void test_first_writes(void **state)
{
	(void)state;
	start(&build_writes);
	for (int i = 0; i < 3; i++) {
		uint32_t x = allocate_at(1, SIZE, TRACE_MEMORY_DEVICE);

		CALL(A, WRITE(x, 1, SIZE, 0));
		content(x, 0);
		CALL(A, WRITE(x, A, SIZE, SIZE)); /* zeros again: no record */
		CALL(A, WRITE(x, A, SIZE, 0));
		content(x, 1);
		release(x);
	}
	finish();
	assert_int_equal(profile->write_count, 1);
	assert_int_equal(profile->writes[0].writes, 9);
	assert_int_equal(profile->writes[0].unchanged_writes, 3);
	assert_int_equal(profile->writes[0].unchanged_first, 0);
	assert_int_equal(profile->writes[0].changed_later, 3);
	assert_int_equal(profile->writes[0].zero_writes, 6);
	profile_free(profile);
}

/* -- fates -- */

static const struct profile_fate *fate_of(uint32_t vertex)
{
	for (uint32_t i = 0; i < profile->fate_count; i++)
		if (profile->fates[i].vertex == vertex)
			return &profile->fates[i];
	fail_msg("no fate of vertex %u", vertex);
	return NULL;
}

/* Rows with the metrics that providers deliver of unread bytes. */
#define ALL_METRICS ((UINT32_C(1) << TRACE_METRICS) - 1)
/* clang-format off */
#define FIRST_READ(of, from, count, first)                                                         \
	{.object = (of), .writer = (from), .access = TRACE_READ, .bytes = (count),                 \
	 .metrics = ALL_METRICS, .first_read_bytes = (first)}
#define OVER(of, over, count, dead, left)                                                          \
	{.object = (of), .writer = (over), .access = TRACE_WRITE, .bytes = (count),                \
	 .metrics = ALL_METRICS, .dead_bytes = (dead), .unread_bytes = (left)}
/* clang-format on */

static void record_with(uint32_t kind, uint32_t object, uint32_t first)
{
	_Alignas(8) struct gpu_sizes sizes = {first, 4, 4};
	struct build_record what = {.kind = kind,
				    .object = object,
				    .of_call = true,
				    .payload = &sizes,
				    .size = sizeof(sizes)};
	struct error error;

	assert_int_equal(analysis->record(state_of, &event, &what, &error), 0);
}

/* As gpu_received: the same. */
static void record(uint32_t kind, uint32_t object)
{
	record_with(kind, object, 1);
}

static void read_unseen(uint32_t object, uint32_t device)
{
	record_with(GPU_RECORD_READ_UNSEEN, object, device);
}

static void test_dead(void **state)
{
	uint32_t x;

	(void)state;
	start(&build_fates);
	x = allocate();
	CALL(A, OVER(x, 1, SIZE, 0, SIZE));
	CALL(B, OVER(x, A, 300, 300, 300)); /* 300 of A's are dead */
	CALL(C, FIRST_READ(x, A, 600, 600));
	CALL(B, OVER(x, A, 700, 100, 700), OVER(x, B, 300, 300, 300)); /* 100 were not read */
	CALL(C, FIRST_READ(x, B, 400, 400));
	CALL(A, OVER(x, B, 500, 100, 500)); /* of 500 left of B 400 were read */
	release(x);                         /* 500 of A's are unread, and 500 of B's */
	x = allocate();
	CALL(A, OVER(x, 2, SIZE, 0, SIZE));
	read_unseen(x, 0);
	CALL(D, OVER(x, A, 1, 0, 1));
	read_unseen(BUILD_NO_OBJECT, 0);
	finish();
	assert_int_equal(fate_of(A)->writes, 2);
	assert_int_equal(fate_of(A)->bytes, SIZE + 500);
	assert_int_equal(fate_of(A)->dead_bytes, 400);
	assert_int_equal(fate_of(A)->unread_bytes, 500);
	assert_int_equal(fate_of(A)->readers, 1);
	assert_int_equal(fate_of(B)->writes, 2);
	assert_int_equal(fate_of(B)->dead_bytes, 400);
	assert_int_equal(fate_of(B)->unread_bytes, 500);
	assert_int_equal(fate_of(D)->unread_bytes, 0);
	profile_free(profile);
	/* of a process that was killed, what was still there might have been read */
	start(&build_fates);
	profile->processes[0].ended = false;
	x = allocate();
	CALL(A, OVER(x, 1, SIZE, 0, SIZE));
	CALL(B, OVER(x, A, 300, 300, 300));
	finish();
	assert_int_equal(fate_of(A)->dead_bytes, 300);
	assert_int_equal(fate_of(A)->unread_bytes, 0);
	profile_free(profile);
}

/* Invocations of which nobody has read a byte. */
static void test_unread_writes(void **state)
{
	uint32_t x, y;

	(void)state;
	start(&build_fates);
	x = allocate();
	y = allocate_at(1, SIZE, TRACE_MEMORY_DEVICE);
	CALL(A, OVER(x, 1, SIZE, 0, SIZE)); /* read */
	CALL(C, FIRST_READ(x, A, 1, 1));
	CALL(B, OVER(x, A, SIZE, SIZE - 1, SIZE)); /* dead */
	CALL(A, OVER(x, B, SIZE, SIZE, SIZE));     /* dead */
	CALL(A, OVER(x, A, SIZE, SIZE, SIZE));     /* dead, by itself */
	CALL(A, OVER(x, A, SIZE, SIZE, SIZE));     /* at the end unread */
	CALL(A, OVER(y, 1, 500, 0, 500));          /* a half */
	CALL(A, OVER(y, 1, 500, 0, 500));          /* the other: nobody knows whose is read */
	CALL(C, FIRST_READ(y, A, 500, 500));
	CALL(D, OVER(y, A, SIZE, 500, SIZE));
	CALL(A, OVER(y, D, SIZE, SIZE, SIZE)); /* seen by others */
	read_unseen(y, 0);
	CALL(D, OVER(y, A, 10, 0, 0)); /* what it writes it has read itself */
	finish();
	assert_int_equal(fate_of(A)->writes, 7);
	assert_int_equal(fate_of(A)->unread_writes, 3);
	assert_int_equal(fate_of(A)->unread_writes_bytes, 3 * SIZE);
	assert_int_equal(fate_of(B)->unread_writes, 1);
	assert_int_equal(fate_of(D)->writes, 2);
	assert_int_equal(fate_of(D)->unread_writes, 1);
	assert_int_equal(fate_of(D)->unread_writes_bytes, SIZE);
	profile_free(profile);
}

/* What may have been read on one device is still unread on another one. */
static void test_devices(void **state)
{
	uint32_t x;

	(void)state;
	start(&build_fates);
	x = allocate(); /* of device 0 */
	CALL(A, OVER(x, 1, SIZE, 0, SIZE));
	read_unseen(BUILD_NO_OBJECT, 1);
	CALL(B, OVER(x, A, 300, 300, 300));
	read_unseen(BUILD_NO_OBJECT, 0);
	CALL(C, OVER(x, B, 100, 0, 100));
	finish();
	assert_int_equal(fate_of(A)->dead_bytes, 300);
	assert_int_equal(fate_of(A)->unread_bytes, 0);
	assert_int_equal(fate_of(B)->unread_bytes, 0);
	assert_int_equal(fate_of(C)->unread_bytes, 100);
	assert_int_equal(profile->graph->vertices[A].unread_end_bytes, 0);
	assert_int_equal(profile->graph->vertices[C].unread_end_bytes, 100);
	profile_free(profile);
	start(&build_fates);
	x = allocate();
	CALL(A, OVER(x, 1, SIZE, 0, SIZE));
	read_unseen(BUILD_NO_OBJECT, 1);
	finish();
	assert_int_equal(fate_of(A)->unread_bytes, SIZE);
	profile_free(profile);
}

/* Of bytes that a writer left unread in units that another one writes to nobody knows what becomes.
 */
static void test_taken(void **state)
{
	struct build_row row = {.writer = A,
				.access = TRACE_WRITE,
				.bytes = 1,
				.metrics = ALL_METRICS,
				.dead_bytes = 1,
				.unread_bytes = 1,
				.taken_bytes = 3};

	(void)state;
	start(&build_fates);
	row.object = allocate();
	CALL(A, OVER(row.object, 1, 8, 0, 8));
	call(B, &row, 1);
	release(row.object);
	finish();
	assert_int_equal(fate_of(A)->dead_bytes, 1);
	assert_int_equal(fate_of(A)->unread_bytes, 4);
	assert_int_equal(fate_of(B)->unread_bytes, 1);
	profile_free(profile);
}

static void test_consumed(void **state)
{
	uint32_t x, y;

	(void)state;
	start(&build_fates);
	x = allocate();
	for (int i = 0; i < 3; i++) { /* in two halves */
		CALL(A, OVER(x, i ? B : 1, SIZE, 0, SIZE));
		CALL(B, FIRST_READ(x, A, 500, 500), OVER(x, A, 500, 0, 500));
		CALL(B, FIRST_READ(x, A, 500, 500), OVER(x, A, 500, 0, 500));
	}
	y = allocate();
	CALL(C, OVER(y, 2, SIZE, 0, SIZE));
	CALL(B, FIRST_READ(y, C, SIZE - 1, SIZE - 1), OVER(y, C, SIZE, 1, SIZE)); /* not all */
	CALL(B, FIRST_READ(y, B, SIZE, SIZE), OVER(y, B, SIZE, 0, SIZE));
	record(GPU_RECORD_SIZES, y);
	CALL(D, OVER(y, B, SIZE, SIZE, SIZE));
	CALL(A, FIRST_READ(y, D, 1, 1));
	CALL(B, FIRST_READ(y, D, SIZE, SIZE - 1), OVER(y, D, SIZE, 0, SIZE));
	finish();
	assert_int_equal(fate_of(A)->writes, 3);
	assert_int_equal(fate_of(A)->consumed_bytes, 3 * SIZE);
	assert_int_equal(fate_of(A)->consumer, B);
	assert_int_equal(fate_of(A)->readers, 6);
	assert_int_equal(fate_of(C)->consumed_bytes, 0);
	assert_int_equal(fate_of(D)->consumed_bytes, SIZE);
	assert_int_equal(fate_of(D)->consumer, PROFILE_NO_VERTEX);       /* A read some, too */
	assert_int_equal(fate_of(B)->read_own + fate_of(B)->atomics, 0); /* of x */
	for (uint32_t i = 0; i < profile->fate_count; i++)
		if (profile->fates[i].vertex == B && profile->fates[i].site == 2) {
			assert_int_equal(profile->fates[i].read_own, 1);
			assert_int_equal(profile->fates[i].atomics, 1);
		}
	profile_free(profile);
}

/* In KiB of the object; the first and the last that anybody read. */
static void test_read_range(void **state)
{
	struct build_row row = FIRST_READ(0, A, 10, 10);

	(void)state;
	start(&build_fates);
	row.object = allocate_at(1, 1 << 20, TRACE_MEMORY_DEVICE);
	CALL(A, OVER(row.object, 1, 1 << 20, 0, 1 << 20));
	row.first_block = 7;
	row.last_block = 8;
	call(B, &row, 1);
	row.first_block = 3;
	row.last_block = 3;
	call(C, &row, 1);
	finish();
	assert_int_equal(fate_of(A)->read_first, 3 * 1024);
	assert_int_equal(fate_of(A)->read_end, 9 * 1024);
	assert_int_equal(fate_of(A)->unread_bytes, (1 << 20) - 20);
	profile_free(profile);
}

/* The last block of 2.2K ends with the object; what others may have read is all that is left. */
static void test_read_range_ends(void **state)
{
	struct build_row row = FIRST_READ(0, A, 10, 10), all = OVER(0, 1, 2253, 0, 2253);

	(void)state;
	start(&build_fates);
	row.object = all.object = allocate_at(1, 2253, TRACE_MEMORY_DEVICE);
	all.last_block = 2;
	call(A, &all, 1);
	row.first_block = row.last_block = 2;
	call(B, &row, 1);
	finish();
	assert_int_equal(fate_of(A)->read_first, 2048);
	assert_int_equal(fate_of(A)->read_end, 2253);
	profile_free(profile);

	start(&build_fates);
	row.object = all.object = allocate_at(1, 2253, TRACE_MEMORY_DEVICE);
	call(A, &all, 1);
	call(B, &row, 1);
	read_unseen(row.object, 0);
	CALL(C, OVER(row.object, A, 1, 0, 1));
	finish();
	assert_int_equal(fate_of(A)->read_first, 0);
	assert_int_equal(fate_of(A)->read_end, 2253);
	profile_free(profile);
}

/* What was left may have been read by a call that was not analysed: nobody is alone with it. */
/* Of all objects that it writes; not if one of several kernels of that name is not. */
static void test_steady(void **state)
{
	uint32_t x, y;

	(void)state;
	start(&build_fates);
	x = allocate();
	y = allocate();
	CALL(A, OVER(x, 1, SIZE, 0, SIZE));
	CALL(B, OVER(x, A, SIZE, SIZE, SIZE));
	record_with(GPU_RECORD_STORES, BUILD_NO_OBJECT, 1);
	CALL(B, OVER(y, 2, SIZE, 0, SIZE));
	CALL(C, OVER(x, B, SIZE, SIZE, SIZE));
	record_with(GPU_RECORD_STORES, BUILD_NO_OBJECT, 1);
	CALL(C, OVER(x, C, SIZE, SIZE, SIZE));
	record_with(GPU_RECORD_STORES, BUILD_NO_OBJECT, 0);
	CALL(C, OVER(x, C, SIZE, SIZE, SIZE));
	record_with(GPU_RECORD_STORES, BUILD_NO_OBJECT, 1);
	finish();
	for (uint32_t i = 0; i < profile->fate_count; i++)
		if (profile->fates[i].vertex == B)
			assert_int_equal(profile->fates[i].steady, 1);
	assert_int_equal(fate_of(A)->steady, PROFILE_UNKNOWN);
	assert_int_equal(fate_of(C)->steady, 0);
	profile_free(profile);
}

static void test_consumed_unseen(void **state)
{
	uint32_t x, y;

	(void)state;
	start(&build_fates);
	x = allocate();
	y = allocate();
	CALL(A, OVER(x, 1, SIZE, 0, SIZE));
	CALL(C, OVER(y, 2, SIZE, 0, SIZE));
	CALL(B, FIRST_READ(x, A, SIZE, SIZE), OVER(x, A, SIZE, 0, SIZE)); /* all of it is gone */
	call(D, NULL, 0);
	read_unseen(BUILD_NO_OBJECT, 0);
	CALL(B, FIRST_READ(y, C, SIZE, 0), OVER(y, C, SIZE, 0, SIZE));
	finish();
	assert_int_equal(fate_of(A)->consumer, B);
	assert_int_equal(fate_of(A)->consumed_bytes, SIZE);
	assert_int_equal(fate_of(C)->consumer, PROFILE_NO_VERTEX);
	profile_free(profile);
}

/* Calls without rows that may have read everything were not analysed. */
static void test_unseen(void **state)
{
	uint32_t x;

	(void)state;
	start(&build_unseen);
	x = allocate();
	CALL(A, WRITE(x, 1, SIZE, 0));
	call(A, NULL, 0); /* it touches nothing */
	for (int i = 0; i < 3; i++) {
		call(A, NULL, 0);
		read_unseen(BUILD_NO_OBJECT, 0);
		read_unseen(BUILD_NO_OBJECT, 1); /* of another device, too */
	}
	CALL(B, WRITE(x, A, SIZE, 0)); /* and read by way of a texture */
	read_unseen(BUILD_NO_OBJECT, 0);
	call(C, NULL, 0);
	read_unseen(x, 0);
	call(PROFILE_NO_VERTEX, NULL, 0);
	read_unseen(BUILD_NO_OBJECT, 0);
	call(D, NULL, 0);
	read_unseen(BUILD_NO_OBJECT, 0);
	finish();
	assert_int_equal(profile->unseen_count, 2);
	assert_int_equal(profile->unseen[0].vertex, A);
	assert_int_equal(profile->unseen[0].invocations, 3);
	assert_int_equal(profile->unseen[1].vertex, D);
	assert_int_equal(profile->unseen[1].invocations, 1);
	profile_free(profile);
}

/* -- contents -- */

static void upload(uint32_t vertex, uint32_t object, uint8_t number)
{
	CALL(vertex, FROM_HOST(object, SIZE), WRITE(object, vertex, SIZE, 0));
	content(object, number);
}

/* Two objects are given what the first one holds; one of them is only read, one changed in place.
 */
static void test_shares(void **state)
{
	uint32_t x, y, z;

	(void)state;
	start(&build_contents);
	x = allocate();
	y = allocate();
	z = allocate();
	for (uint8_t i = 1; i <= 3; i++) {
		upload(A, x, i);
		CALL(B, READ(x, A, SIZE), WRITE(y, B, SIZE, 0));
		content(y, i);
		CALL(C, READ(y, B, SIZE), WRITE(z, C, SIZE, 0));
		content(z, i);
		CALL(D, READ(z, C, SIZE), WRITE(z, C, SIZE, 0));
		content(z, 100 + i);
		CALL(D, READ(x, A, SIZE), READ(z, D, SIZE));
		if (i == 3) /* the one that y shares with changes, and y is still read */
			upload(A, x, 50);
		CALL(D, READ(y, B, SIZE));
	}
	finish();
	assert_int_equal(profile->share_count, 2);
	assert_int_equal(profile->shares[0].vertex, B);
	assert_int_equal(profile->shares[0].site, 2);
	assert_int_equal(profile->shares[0].holder, 1);
	assert_int_equal(profile->shares[0].writes, 3);
	assert_int_equal(profile->shares[0].spared, 2);
	assert_int_equal(profile->shares[0].bytes, 2 * SIZE);
	assert_int_equal(profile->shares[1].vertex, C);
	assert_int_equal(profile->shares[1].writes, 3);
	assert_int_equal(profile->shares[1].spared, 0);
	profile_free(profile);
}

static void test_round_trips(void **state)
{
	uint32_t x, y;

	(void)state;
	start(&build_contents);
	x = allocate();
	y = allocate();
	upload(A, x, 1);
	CALL(B, READ(x, A, SIZE), TO_HOST(x, SIZE));
	CALL(C, FROM_HOST(x, SIZE), WRITE(x, A, SIZE, SIZE)); /* x holds it: no record */
	upload(C, y, 1); /* x holds it; the download counts once */
	CALL(B, READ(x, A, SIZE), TO_HOST(x, SIZE));
	upload(A, x, 2);
	upload(A, y, 3);
	upload(D, y, 1);                                     /* nobody holds it any more */
	CALL(B, READ(x, A, SIZE - 1), TO_HOST(x, SIZE - 1)); /* a part */
	CALL(C, FROM_HOST(x, SIZE), WRITE(x, A, SIZE, SIZE));
	finish();
	assert_int_equal(profile->round_trip_count, 2);
	assert_int_equal(profile->round_trips[0].upload, C);
	assert_int_equal(profile->round_trips[0].site, 1);
	assert_int_equal(profile->round_trips[0].download, B);
	assert_int_equal(profile->round_trips[0].uploads, 1);
	assert_int_equal(profile->round_trips[0].downloads, 1);
	assert_int_equal(profile->round_trips[0].download_bytes, SIZE);
	assert_int_equal(profile->round_trips[1].site, 2);
	assert_int_equal(profile->round_trips[1].uploads, 1);
	assert_int_equal(profile->round_trips[1].downloads, 0);
	assert_int_equal(profile->round_trips[1].upload_bytes, SIZE);
	profile_free(profile);
}

/* What comes back is zeros: many objects are, by chance. */
static void test_no_trip_of_zeros(void **state)
{
	uint32_t x, y;

	(void)state;
	start(&build_contents);
	x = allocate();
	y = allocate();
	upload(A, x, 0);
	CALL(B, READ(x, A, SIZE), TO_HOST(x, SIZE));
	upload(C, y, 0);
	finish();
	assert_int_equal(profile->round_trip_count, 0);
	profile_free(profile);
}

/* -- downloads -- */

static void test_downloads(void **state)
{
	uint32_t x, y;

	(void)state;
	start(&build_downloads);
	x = allocate();
	y = allocate_at(1, SIZE, TRACE_MEMORY_DEVICE);
	CALL(A, READ(x, B, SIZE), TO_HOST(x, SIZE));
	CALL(A, READ(x, B, SIZE), TO_HOST(x, SIZE));
	record(GPU_RECORD_RECEIVED, x);
	CALL(A, READ(y, B, 10), TO_HOST(y, 10));
	record(GPU_RECORD_RECEIVED, y); /* the first of y */
	CALL(B, WRITE(x, A, SIZE, 0));
	CALL(A, READ(x, B, SIZE), TO_HOST(x, SIZE));
	CALL(A, READ(x, B, SIZE), TO_HOST(x, SIZE));
	record(GPU_RECORD_RECEIVED, y); /* of another object: nothing */
	finish();
	assert_int_equal(profile->download_count, 1);
	assert_int_equal(profile->downloads[0].vertex, A);
	assert_int_equal(profile->downloads[0].copies, 5);
	assert_int_equal(profile->downloads[0].bytes, 4 * SIZE + 10);
	assert_int_equal(profile->downloads[0].same, 2);
	assert_int_equal(profile->downloads[0].same_bytes, SIZE + 10);
	assert_int_equal(profile->downloads[0].same_first, 1);
	assert_int_equal(profile->downloads[0].changed_later, 2);
	profile_free(profile);
}

/* A download of blocks `from` to `to` that brings what the host held. */
static void fetch_again(uint32_t vertex, uint32_t object, uint64_t from, uint64_t to)
{
	CALL(vertex,
	     {.object = object,
	      .writer = B,
	      .access = TRACE_READ,
	      .bytes = SIZE,
	      .metrics = ALL_METRICS,
	      .first_block = from,
	      .last_block = to},
	     TO_HOST(object, SIZE));
	record(GPU_RECORD_RECEIVED, object);
}

/* Whether the host held it because it had fetched it, or by chance. */
static void test_downloads_unwritten(void **state)
{
	uint32_t x, y;

	(void)state;
	start(&build_downloads);
	x = allocate_at(1, 10240, TRACE_MEMORY_DEVICE);
	y = allocate_at(2, 10240, TRACE_MEMORY_DEVICE);
	fetch_again(A, x, 0, 5);
	fetch_again(C, x, 2, 3); /* of these */
	CALL(B, WRITE(y, 1, 10, 0));
	fetch_again(C, x, 2, 3);
	fetch_again(C, x, 3, 4); /* not only */
	CALL(B, WRITE(x, 1, 10, 10));
	fetch_again(C, x, 3, 4);                     /* it was written */
	CALL(D, READ(x, B, SIZE), TO_HOST(x, SIZE)); /* nobody knows which blocks */
	record(GPU_RECORD_RECEIVED, x);
	CALL(D, READ(x, B, SIZE), TO_HOST(x, SIZE));
	record(GPU_RECORD_RECEIVED, x);
	finish();
	assert_int_equal(profile->download_count, 3);
	assert_int_equal(profile->downloads[0].same, 1);
	assert_int_equal(profile->downloads[0].same_unwritten, 0);
	assert_int_equal(profile->downloads[1].vertex, C);
	assert_int_equal(profile->downloads[1].same, 4);
	assert_int_equal(profile->downloads[1].same_unwritten, 2);
	assert_int_equal(profile->downloads[2].same, 2);
	assert_int_equal(profile->downloads[2].same_unwritten, 0);
	profile_free(profile);
}

/* A download of these bytes to that address of the host. */
static void fetch_to(uint32_t vertex, uint32_t object, uint64_t offset, uint64_t bytes,
		     uint64_t host)
{
	const struct gpu_transfer payload = {.offset = offset, .bytes = bytes, .host = host};
	struct build_record record = {.kind = GPU_RECORD_TRANSFER,
				      .object = object,
				      .of_call = true,
				      .payload = &payload,
				      .size = sizeof(payload)};
	struct error error;

	CALL(vertex, READ(object, B, bytes), TO_HOST(object, bytes));
	assert_int_equal(analysis->record(state_of, &event, &record, &error), 0);
}

/* What an earlier copy has brought to other memory of the host, of an object that is as it was. */
static void test_downloads_elsewhere(void **state)
{
	uint32_t x, y;

	(void)state;
	start(&build_downloads);
	x = allocate();
	y = allocate_at(2, SIZE, TRACE_MEMORY_MANAGED);
	fetch_to(A, x, 100, 200, 10000);
	fetch_to(C, x, 100, 200, 20000); /* all of it */
	fetch_to(C, x, 250, 50, 20000);  /* a part, which is at 10150 */
	fetch_to(C, x, 250, 50, 10199);  /* there, too */
	fetch_to(C, x, 50, 100, 20000);  /* more, and then this is what was brought last */
	fetch_to(C, x, 50, 100, 30000);
	CALL(B, WRITE(x, A, 4, 4));
	fetch_to(C, x, 50, 100, 40000); /* it was written */
	fetch_to(D, y, 0, 100, 10000);
	fetch_to(D, y, 0, 100, 20000); /* the host may have written */
	finish();
	assert_int_equal(profile->download_count, 3);
	assert_int_equal(profile->downloads[0].elsewhere, 0);
	assert_int_equal(profile->downloads[1].copies, 6);
	assert_int_equal(profile->downloads[1].elsewhere, 3);
	assert_int_equal(profile->downloads[1].elsewhere_bytes, 200 + 50 + 100);
	assert_int_equal(profile->downloads[2].elsewhere, 0);
	profile_free(profile);
}

/* -- transfers -- */

/* What the last call moved, `number`: which bytes these are, 0: zeros. */
static void transfer(uint32_t object, uint64_t offset, uint64_t bytes, uint8_t number,
		     bool from_host)
{
	_Alignas(8) struct gpu_transfer payload = {
		.offset = offset, .bytes = bytes, .from_host = from_host, .zero = number == 0};
	struct build_record record = {.kind = GPU_RECORD_TRANSFER,
				      .object = object,
				      .of_call = true,
				      .payload = &payload,
				      .size = sizeof(payload)};
	struct error error;

	payload.digest[0] = number;
	assert_int_equal(analysis->record(state_of, &event, &record, &error), 0);
}

static void send_to(uint32_t vertex, uint32_t object, uint64_t bytes, uint8_t number)
{
	CALL(vertex, FROM_HOST(object, bytes), WRITE(object, A, bytes, 0));
	transfer(object, 0, bytes, number, true);
}

static void test_uploads(void **state)
{
	uint32_t x, y;

	(void)state;
	start(&build_transfers);
	x = allocate_at(1, 4096, TRACE_MEMORY_DEVICE);
	y = allocate_at(2, 4096, TRACE_MEMORY_DEVICE);
	send_to(A, x, 2048, 1);
	send_to(A, x, 2048, 2);
	send_to(A, x, 2048, 1); /* again */
	send_to(B, x, 2048, 1); /* another call path */
	release(x);
	x = allocate_at(1, 4096, TRACE_MEMORY_DEVICE);
	send_to(A, x, 2048, 1); /* again, into other memory */
	send_to(A, x, 2048, 2); /* again, another content */
	send_to(A, x, 1024, 1); /* fewer bytes are other ones */
	send_to(A, y, 2048, 1); /* again, to objects of another site */
	send_to(A, x, 2048, 0); /* zeros are nothing */
	send_to(A, x, 2048, 0);
	send_to(A, x, 1023, 3); /* nor is little */
	send_to(A, x, 1023, 3);
	finish();
	assert_int_equal(profile->upload_count, 3);
	assert_int_equal(profile->uploads[0].vertex, A);
	assert_int_equal(profile->uploads[0].site, 1);
	assert_int_equal(profile->uploads[0].copies, 10);
	assert_int_equal(profile->uploads[0].bytes, 7 * 2048 + 1024 + 2 * 1023);
	assert_int_equal(profile->uploads[0].repeated, 3);
	assert_int_equal(profile->uploads[0].repeated_bytes, 3 * 2048);
	assert_int_equal(profile->uploads[0].contents, 2);
	assert_int_equal(profile->uploads[0].content_bytes, 2 * 2048);
	assert_int_equal(profile->uploads[1].vertex, B);
	assert_int_equal(profile->uploads[1].repeated, 0);
	assert_int_equal(profile->uploads[2].site, 2);
	assert_int_equal(profile->uploads[2].repeated, 1);
	assert_int_equal(profile->uploads[2].contents, 0);
	assert_int_equal(profile->round_trip_count, 0);
	profile_free(profile);
}

/* What another device holds or gets is no reason to keep anything on this one. */
static void test_transfers_of_devices(void **state)
{
	uint32_t x, y, z;

	(void)state;
	start(&build_transfers);
	x = allocate_at(1, 4096, TRACE_MEMORY_DEVICE);
	y = allocate_at(1, 4096, TRACE_MEMORY_DEVICE);
	z = allocate_at(1, 4096, TRACE_MEMORY_DEVICE);
	profile->objects[y].device = profile->objects[z].device = 1;
	send_to(A, x, 2048, 1);
	send_to(A, y, 2048, 1);
	send_to(A, z, 2048, 1); /* again, to that device */
	CALL(B, READ(x, A, 1024), TO_HOST(x, 1024));
	transfer(x, 0, 1024, 2, false);
	send_to(C, y, 1024, 2); /* from one to the other */
	finish();
	assert_int_equal(profile->uploads[0].copies, 3);
	assert_int_equal(profile->uploads[0].repeated, 1);
	assert_int_equal(profile->round_trip_count, 0);
	profile_free(profile);

	start(&build_contents);
	x = allocate();
	y = allocate();
	profile->objects[y].device = 1;
	upload(A, x, 1);
	CALL(B, READ(x, A, SIZE), TO_HOST(x, SIZE));
	upload(C, y, 1);
	CALL(D, READ(y, C, SIZE));
	finish();
	assert_int_equal(profile->round_trip_count, 0);
	assert_int_equal(profile->share_count, 0);
	profile_free(profile);
}

/* A launch that was not analysed may have changed what was fetched. */
static void test_parts_unseen(void **state)
{
	uint32_t x;

	(void)state;
	start(&build_transfers);
	x = allocate_at(1, 8192, TRACE_MEMORY_DEVICE);
	CALL(B, READ(x, A, 1024), TO_HOST(x, 1024));
	transfer(x, 0, 1024, 2, false);
	CALL(D, READ(x, A, 1));
	read_unseen(x, 0); /* read, not written */
	send_to(C, x, 1024, 2);
	CALL(B, READ(x, C, 1024), TO_HOST(x, 1024));
	transfer(x, 0, 1024, 2, false);
	call(D, NULL, 0);
	read_unseen(BUILD_NO_OBJECT, 0);
	send_to(C, x, 1024, 2);
	finish();
	assert_int_equal(profile->round_trip_count, 1);
	assert_int_equal(profile->round_trips[0].uploads, 1);
	profile_free(profile);
}

#define EXTENTS (UINT32_C(1) << TRACE_METRIC_FIRST_BLOCK | UINT32_C(1) << TRACE_METRIC_LAST_BLOCK)

/* A write of a kernel, to these blocks of the object. */
static void write_blocks(uint32_t object, uint64_t first, uint64_t last)
{
	CALL(D, {.object = object,
		 .writer = A,
		 .access = TRACE_WRITE,
		 .metrics = EXTENTS,
		 .bytes = 4,
		 .first_block = first,
		 .last_block = last});
}

static void fetch_from(uint32_t object, uint64_t offset, uint64_t bytes, uint8_t number)
{
	CALL(B, READ(object, A, bytes), TO_HOST(object, bytes));
	transfer(object, offset, bytes, number, false);
}

static void test_parts(void **state)
{
	uint32_t x, y;

	(void)state;
	start(&build_transfers);
	x = allocate_at(1, 8192, TRACE_MEMORY_DEVICE);
	y = allocate_at(2, 8192, TRACE_MEMORY_DEVICE);
	fetch_from(x, 2048, 2048, 1); /* blocks 2 and 3 */
	write_blocks(x, 0, 1);
	write_blocks(x, 4, 7);
	send_to(C, y, 2048, 1); /* one */
	send_to(C, y, 2048, 1); /* and again: the download counts once */
	write_blocks(y, 0, 7);  /* another object */
	write_blocks(x, 3, 3);
	send_to(C, y, 2048, 1); /* x does not hold it any more */
	fetch_from(x, 0, 1024, 2);
	send_to(C, x, 1024, 2);       /* where it came from */
	send_to(C, y, 1024, 2);       /* ... whose upload wrote over it, as far as is known */
	fetch_from(x, 0, 8192, 3);    /* all of it */
	send_to(C, y, 8192, 3);       /* is the business of contents.c */
	fetch_from(x, 1024, 1024, 4); /* then freed */
	release(x);
	send_to(C, y, 1024, 4);
	x = allocate_at(1, 8192, TRACE_MEMORY_MANAGED);
	fetch_from(x, 0, 2048, 5); /* the host can write there unseen */
	send_to(C, y, 2048, 5);
	finish();
	assert_int_equal(profile->round_trip_count, 2);
	assert_int_equal(profile->round_trips[0].upload, C);
	assert_int_equal(profile->round_trips[0].site, 2);
	assert_int_equal(profile->round_trips[0].download, B);
	assert_int_equal(profile->round_trips[0].uploads, 2);
	assert_int_equal(profile->round_trips[0].upload_bytes, 2 * 2048);
	assert_int_equal(profile->round_trips[0].downloads, 1);
	assert_int_equal(profile->round_trips[0].download_bytes, 2048);
	assert_int_equal(profile->round_trips[1].site, 1);
	assert_int_equal(profile->round_trips[1].uploads, 1);
	assert_int_equal(profile->round_trips[1].upload_bytes, 1024);
	profile_free(profile);
}

/* Of bytes that the object does not have. */
static void test_bad_transfers(void **state)
{
	static const uint64_t places[][2] = {
		{0, 0}, {0, SIZE + 1}, {SIZE, 1}, {UINT64_MAX, 2}, {1, UINT64_MAX}};
	uint32_t x;

	(void)state;
	start(&build_transfers);
	x = allocate();
	CALL(A, FROM_HOST(x, SIZE), WRITE(x, A, SIZE, 0));
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		_Alignas(8) struct gpu_transfer payload = {.offset = places[i][0],
							   .bytes = places[i][1]};
		struct build_record record = {.kind = GPU_RECORD_TRANSFER,
					      .object = x,
					      .of_call = true,
					      .payload = &payload,
					      .size = sizeof(payload)};
		struct error error = {""};

		assert_int_equal(analysis->record(state_of, &event, &record, &error), -1);
		assert_string_not_equal(error.text, "");
	}
	finish();
	profile_free(profile);
}

/* -- allocations -- */

static void test_allocations(void **state)
{
	uint32_t x[4];

	(void)state;
	start(&build_allocations);
	for (int i = 0; i < 3; i++) { /* one after the other: two again */
		x[0] = allocate_at(1, SIZE, TRACE_MEMORY_DEVICE);
		CALL(A, WRITE(x[0], 1, 1, 0));
		release(x[0]);
	}
	for (int i = 0; i < 4; i++) /* at the same time */
		x[i] = allocate_at(2, SIZE, TRACE_MEMORY_DEVICE);
	for (int i = 0; i < 4; i++)
		release(x[i]);
	for (int i = 0; i < 3; i++) /* growing */
		release(allocate_at(3, SIZE << i, TRACE_MEMORY_DEVICE));
	finish();
	assert_int_equal(profile->site_count, 3);
	assert_int_equal(profile->sites[0].objects, 3);
	assert_int_equal(profile->sites[0].repeated, 2);
	assert_int_equal(profile->sites[0].repeated_bytes, 2 * SIZE);
	assert_int_equal(profile->sites[0].untouched, 0);
	assert_int_equal(profile->sites[1].repeated, 0);
	assert_int_equal(profile->sites[1].untouched, 4);
	assert_int_equal(profile->sites[1].untouched_bytes, 4 * SIZE);
	assert_int_equal(profile->sites[2].repeated, 0);
	assert_int_equal(profile->sites[2].bytes, 7 * SIZE);
	profile_free(profile);
}

static int unwritten(uint32_t object, uint64_t bytes, bool of_call)
{
	const struct gpu_unwritten unwritten = {.bytes = bytes};
	const struct build_record record = {.kind = GPU_RECORD_UNWRITTEN,
					    .object = object,
					    .of_call = of_call,
					    .payload = &unwritten,
					    .size = sizeof(unwritten)};
	struct error error;

	return analysis->record(state_of, &event, &record, &error);
}

/* Two objects of a site in one launch are one invocation. */
static void test_unwritten(void **state)
{
	uint32_t x, y, z;

	(void)state;
	start(&build_unwritten);
	x = allocate_at(1, SIZE, TRACE_MEMORY_DEVICE);
	y = allocate_at(1, SIZE, TRACE_MEMORY_DEVICE);
	z = allocate_at(2, SIZE, TRACE_MEMORY_DEVICE);
	call(A, NULL, 0);
	assert_int_equal(unwritten(x, 100, true), 0);
	assert_int_equal(unwritten(y, SIZE, true), 0);
	assert_int_equal(unwritten(z, 8, true), 0);
	call(B, NULL, 0);
	call(A, NULL, 0);
	assert_int_equal(unwritten(y, 4, true), 0);
	assert_int_equal(unwritten(y, SIZE + 1, true), -1);
	assert_int_equal(unwritten(y, 0, true), -1);
	assert_int_equal(unwritten(y, 4, false), -1);
	finish();
	assert_int_equal(profile->unwritten_count, 2);
	assert_int_equal(profile->unwritten[0].vertex, A);
	assert_int_equal(profile->unwritten[0].object, 1);
	assert_int_equal(profile->unwritten[0].invocations, 2);
	assert_int_equal(profile->unwritten[0].bytes, SIZE + 104);
	assert_int_equal(profile->unwritten[1].object, 2);
	assert_int_equal(profile->unwritten[1].bytes, 8);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes),
		cmocka_unit_test(test_first_writes),
		cmocka_unit_test(test_downloads),
		cmocka_unit_test(test_dead),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_read_range),
		cmocka_unit_test(test_read_range_ends),
		cmocka_unit_test(test_consumed),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_no_trip_of_zeros),
		cmocka_unit_test(test_transfers_of_devices),
		cmocka_unit_test(test_parts_unseen),
		cmocka_unit_test(test_downloads_unwritten),
		cmocka_unit_test(test_unread_writes),
		cmocka_unit_test(test_steady),
		cmocka_unit_test(test_consumed_unseen),
		cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_allocations),
		cmocka_unit_test(test_downloads_elsewhere),
		cmocka_unit_test(test_uploads),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_bad_transfers),
		cmocka_unit_test(test_unwritten),
	};

	return cmocka_run_group_tests_name("graph_facts", tests, NULL, NULL);
}
