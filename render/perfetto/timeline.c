/* render/perfetto/timeline.c: slices and their tracks; see timeline.h. */
#include "render/perfetto/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "util/memory.h"
#include "util/text.h"

/* Tracks of one stream: nobody looks at more of them, and a damaged profile may need thousands. */
enum { LANES_MOST = 64 };

void timeline_add(struct timeline *timeline, struct timeline_slice slice)
{
	if (slice.end_ns <= slice.start_ns)
		slice.end_ns = slice.start_ns + 1;
	ARRAY_RESERVE(timeline->slices, timeline->slice_count, timeline->slice_capacity);
	timeline->slices[timeline->slice_count++] = slice;
}

static int order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_stream(const struct timeline_slice *a, const struct timeline_slice *b)
{
	if (a->process != b->process)
		return order(a->process, b->process);
	if (a->group != b->group)
		return order(a->group, b->group);
	if (a->device != b->device)
		return order(a->device, b->device);
	return order(a->number, b->number);
}

static int by_start(const void *left, const void *right)
{
	const struct timeline_slice *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return order(a->start_ns, b->start_ns);
	if (a->group != b->group)
		return order(a->group, b->group);
	return order(a->row, b->row);
}

static int by_track(const void *left, const void *right)
{
	int streams = by_stream(left, right);

	return streams ? streams : by_start(left, right);
}

static void new_track(struct timeline *timeline, const struct timeline_slice *slice, uint32_t lane)
{
	ARRAY_RESERVE(timeline->tracks, timeline->track_count, timeline->track_capacity);
	timeline->tracks[timeline->track_count++] =
		(struct timeline_track){.first = *slice, .lane = lane};
}

void timeline_assign(struct timeline *timeline, uint32_t first_track, const char *name,
		     struct perfetto_about *about)
{
	struct timeline_slice *slices = timeline->slices;
	uint32_t lanes = 0, first = first_track, left_out = 0;
	uint64_t free_at[LANES_MOST];

	timeline->first_track = first_track;
	if (timeline->slice_count)
		qsort(slices, timeline->slice_count, sizeof(*slices), by_track);
	for (uint32_t i = 0; i < timeline->slice_count; i++) {
		uint32_t lane = 0;

		if (i && by_stream(&slices[i], &slices[i - 1]) != 0) {
			first = first_track + timeline->track_count;
			lanes = 0;
		}
		while (lane < lanes && free_at[lane] > slices[i].start_ns)
			lane++;
		if (lane == LANES_MOST) {
			left_out++;
			continue;
		}
		if (lane == lanes) {
			lanes++;
			new_track(timeline, &slices[i], lane);
		}
		free_at[lane] = slices[i].end_ns;
		slices[i].track = first + lane;
	}
	if (timeline->slice_count)
		qsort(slices, timeline->slice_count, sizeof(*slices), by_start);
	if (left_out)
		perfetto_remark(about, name,
				xasprintf("%" PRIu32 " slice%s left out: more than %d of their "
					  "stream overlap",
					  left_out, text_plural(left_out, " is", "s are"),
					  LANES_MOST));
}

void timeline_free(struct timeline *timeline)
{
	pair_map_release(&timeline->pairs);
	free(timeline->slices);
	free(timeline->tracks);
	free(timeline->arrows);
	free(timeline->starts);
	free(timeline->first_start);
	free(timeline->first_end);
	free(timeline);
}
