/*
 * render/perfetto/arrows.c: arrows of a timeline, thinned: a click in ui.perfetto.dev follows all
 * arrows that can be reached from a slice, and many freeze it.
 *
 * Of a loop the first rounds say what the others would: of each pair of operations the first arrows
 * are kept, of all pairs the same number of them, the largest with which not too many are left.
 */
#include "render/perfetto/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "util/memory.h"

void timeline_arrow(struct timeline *timeline, uint32_t from, uint32_t to, uint32_t from_vertex,
		    uint32_t to_vertex)
{
	struct timeline_arrow arrow = {.from = from, .to = to};

	pair_map_find(&timeline->pairs, from_vertex, to_vertex, timeline->pairs.count, &arrow.pair);
	ARRAY_RESERVE(timeline->arrows, timeline->arrow_count, timeline->arrow_capacity);
	timeline->arrows[timeline->arrow_count++] = arrow;
}

/* The most of each pair with which there are no more than `most`; at least 1. */
static uint32_t most_of_pair(const uint32_t *counts, uint32_t pairs, uint32_t most)
{
	uint32_t low = 1, high = most;

	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;
		uint64_t sum = 0;

		for (uint32_t i = 0; i < pairs; i++)
			sum += counts[i] < middle ? counts[i] : middle;
		if (sum <= most)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Returns how many of each pair there may be at most. */
static uint32_t thin(struct timeline *timeline, uint32_t most)
{
	uint32_t pairs = timeline->pairs.count, each, kept = 0;
	uint32_t *counts = xcalloc((size_t)pairs + 1, sizeof(*counts));

	for (uint32_t i = 0; i < timeline->arrow_count; i++)
		counts[timeline->arrows[i].pair]++;
	each = most_of_pair(counts, pairs, most);
	for (uint32_t i = 0; i < pairs; i++)
		counts[i] = 0;
	for (uint32_t i = 0; i < timeline->arrow_count && kept < most; i++)
		if (counts[timeline->arrows[i].pair]++ < each)
			timeline->arrows[kept++] = timeline->arrows[i];
	timeline->arrow_count = kept;
	free(counts);
	return each;
}

/* Arrows are in the order of `to` already. */
static void number_arrows(struct timeline *timeline)
{
	const uint32_t rows = timeline->rows;
	uint32_t *next = xcalloc((size_t)rows + 1, sizeof(*next));

	timeline->starts = xcalloc((size_t)timeline->arrow_count + 1, sizeof(*timeline->starts));
	timeline->first_start = xcalloc((size_t)rows + 1, sizeof(*timeline->first_start));
	timeline->first_end = xcalloc((size_t)rows + 1, sizeof(*timeline->first_end));
	for (uint32_t i = 0; i < timeline->arrow_count; i++) {
		timeline->first_start[timeline->arrows[i].from + 1]++;
		timeline->first_end[timeline->arrows[i].to + 1]++;
	}
	for (uint32_t row = 0; row < rows; row++) {
		timeline->first_start[row + 1] += timeline->first_start[row];
		timeline->first_end[row + 1] += timeline->first_end[row];
		next[row] = timeline->first_start[row];
	}
	for (uint32_t i = 0; i < timeline->arrow_count; i++)
		timeline->starts[next[timeline->arrows[i].from]++] = timeline->first_arrow + i;
	free(next);
}

void timeline_thin(struct timeline *timeline, uint32_t rows, uint32_t most, uint32_t first,
		   const char *what, struct perfetto_about *about)
{
	uint32_t all = timeline->arrow_count, each;

	timeline->rows = rows;
	timeline->first_arrow = first;
	if (all > most) {
		each = thin(timeline, most);
		perfetto_remark(about, what,
				xasprintf("%" PRIu32 " of %" PRIu32
					  " arrows of %s are drawn, of each pair of "
					  "operations the first %" PRIu32
					  ": ui.perfetto.dev freezes with too many",
					  timeline->arrow_count, all, what, each));
	}
	number_arrows(timeline);
}

void timeline_starts(const struct timeline *timeline, uint32_t row, struct perfetto_event *event)
{
	event->starts = timeline->starts + timeline->first_start[row];
	event->start_count = timeline->first_start[row + 1] - timeline->first_start[row];
}

void timeline_ends(const struct timeline *timeline, uint32_t row, struct perfetto_event *event)
{
	event->first_end = timeline->first_arrow + timeline->first_end[row];
	event->end_count = timeline->first_end[row + 1] - timeline->first_end[row];
}
