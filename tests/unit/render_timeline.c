/*
 * tests/unit/render_timeline.c: tracks of slices that overlap, which arrows are kept, and how
 * protobuf is encoded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/perfetto/timeline.h"
#include "util/memory.h"
#include "util/format/protobuf.h"

static void forget(struct perfetto_about *about)
{
	for (uint32_t i = 0; i < about->sentence_count; i++)
		free(about->sentences[i]);
	free(about->remarks);
}

static void add(struct timeline *timeline, uint32_t stream, uint64_t start, uint64_t end)
{
	timeline_add(timeline, (struct timeline_slice){.row = timeline->slice_count,
						       .process = 1,
						       .number = stream,
						       .start_ns = start,
						       .end_ns = end});
}

static uint32_t track_of(const struct timeline *timeline, uint32_t row)
{
	for (uint32_t i = 0; i < timeline->slice_count; i++)
		if (timeline->slices[i].row == row)
			return timeline->slices[i].track;
	fail();
	return 0;
}

/* Stream 7: 0-10 and 5-20 overlap, 10-12 follows the first; stream 3 lies above it. */
static void tracks(void **state)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));
	struct perfetto_about about = {0};

	(void)state;
	add(timeline, 7, 5, 20);
	add(timeline, 7, 0, 10);
	add(timeline, 3, 6, 6); /* takes 1 ns */
	add(timeline, 7, 10, 12);
	add(timeline, 3, 6, 8);
	timeline_assign(timeline, 100, "overlapping", &about);
	assert_int_equal(timeline->track_count, 4);
	assert_int_equal(track_of(timeline, 2), 100);
	assert_int_equal(track_of(timeline, 4), 101);
	assert_int_equal(track_of(timeline, 1), 102);
	assert_int_equal(track_of(timeline, 0), 103);
	assert_int_equal(track_of(timeline, 3), 102);
	assert_int_equal(timeline->slices[0].row, 1);
	assert_null(about.remarks);
	timeline_free(timeline);
}

static void too_many_overlap(void **state)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));
	struct perfetto_about about = {0};

	(void)state;
	for (uint32_t i = 0; i < 70; i++)
		add(timeline, 0, i, 1000);
	add(timeline, 0, 1000, 1001);
	timeline_assign(timeline, 1, "overlapping", &about);
	assert_int_equal(timeline->track_count, 64);
	assert_int_equal(track_of(timeline, 63), 64);
	for (uint32_t i = 64; i < 70; i++)
		assert_int_equal(track_of(timeline, i), 0);
	assert_int_equal(track_of(timeline, 70), 1);
	assert_string_equal(about.remarks,
			    "6 slices are left out: more than 64 of their stream overlap");
	forget(&about);
	timeline_free(timeline);
}

/* 1 -> 2 three times, 1 -> 3 once, 2 -> 3 five times; with 2 of each there are 5. */
static void first_of_each_pair(void **state)
{
	static const uint32_t arrows[][4] = {{0, 1, 1, 2}, {0, 2, 1, 3}, {1, 2, 2, 3},
					     {0, 3, 1, 2}, {1, 4, 2, 3}, {1, 5, 2, 3},
					     {3, 5, 1, 2}, {1, 6, 2, 3}, {1, 7, 2, 3}};
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));
	struct perfetto_about about = {0};
	struct perfetto_event event = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(arrows) / sizeof(*arrows); i++)
		timeline_arrow(timeline, arrows[i][0], arrows[i][1], arrows[i][2], arrows[i][3]);
	timeline_thin(timeline, 8, 6, 50, "values", &about);
	assert_int_equal(timeline->arrow_count, 5);
	assert_string_equal(about.remarks, "5 of 9 arrows of values are drawn, of each pair of "
					   "operations the first 2: ui.perfetto.dev freezes with "
					   "too many");
	/* from row 0: to 1, 2 and 3; from row 1: to 2 and 4 */
	timeline_starts(timeline, 0, &event);
	assert_int_equal(event.start_count, 3);
	assert_int_equal(event.starts[0], 50);
	assert_int_equal(event.starts[2], 53);
	timeline_ends(timeline, 2, &event);
	assert_int_equal(event.end_count, 2);
	assert_int_equal(event.first_end, 51);
	timeline_ends(timeline, 4, &event);
	assert_int_equal(event.end_count, 1);
	assert_int_equal(event.first_end, 54);
	timeline_ends(timeline, 7, &event);
	assert_int_equal(event.end_count, 0);
	forget(&about);
	timeline_free(timeline);
}

/* Not even one of each: the first pairs. */
static void more_pairs_than_arrows(void **state)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));
	struct perfetto_about about = {0};

	(void)state;
	for (uint32_t i = 0; i < 20; i++)
		timeline_arrow(timeline, i, i + 1, i, i + 1);
	timeline_thin(timeline, 21, 6, 1, "launches", &about);
	assert_int_equal(timeline->arrow_count, 6);
	assert_int_equal(timeline->arrows[5].to, 6);
	forget(&about);
	timeline_free(timeline);
}

static void encodes(const struct protobuf *message, const char *bytes, size_t size)
{
	assert_int_equal(message->size, size);
	assert_memory_equal(message->bytes, bytes, size);
}

/* The examples of https://protobuf.dev/programming-guides/encoding. */
static void protobuf(void **state)
{
	struct protobuf message = {0};
	size_t inner;

	(void)state;
	protobuf_number(&message, 1, 150);
	encodes(&message, "\x08\x96\x01", 3);
	message.size = 0;
	protobuf_text(&message, 2, "testing");
	protobuf_text(&message, 2, NULL);
	encodes(&message, "\x12\x07testing", 9);
	message.size = 0;
	inner = protobuf_begin(&message, 3);
	protobuf_number(&message, 1, 150);
	protobuf_end(&message, inner);
	encodes(&message, "\x1a\x03\x08\x96\x01", 5);
	message.size = 0;
	inner = protobuf_begin(&message, 6);
	protobuf_packed(&message, 3);
	protobuf_packed(&message, 270);
	protobuf_packed(&message, 86942);
	protobuf_end(&message, inner);
	encodes(&message, "\x32\x06\x03\x8e\x02\x9e\xa7\x05", 8);
	message.size = 0;
	protobuf_number(&message, 1, UINT64_MAX);
	encodes(&message, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
	message.size = 0;
	protobuf_fixed64(&message, 1, 0x0102030405060708);
	encodes(&message, "\x09\x08\x07\x06\x05\x04\x03\x02\x01", 9);
	/* a size of two bytes goes before what is there */
	message.size = 0;
	inner = protobuf_begin(&message, 16);
	for (int i = 0; i < 300; i++)
		protobuf_packed(&message, i % 100);
	protobuf_end(&message, inner);
	assert_int_equal(message.size, 304);
	assert_memory_equal(message.bytes, "\x82\x01\xac\x02\x00\x01\x02", 7);
	assert_int_equal(message.bytes[303], 99);
	protobuf_release(&message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tracks),
		cmocka_unit_test(too_many_overlap),
		cmocka_unit_test(first_of_each_pair),
		cmocka_unit_test(more_pairs_than_arrows),
		cmocka_unit_test(protobuf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
