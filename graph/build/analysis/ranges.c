/*
 * graph/build/analysis/ranges.c: the analysis of NVTX ranges: what was called in each, and the
 * range that all calls of a vertex were in.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include "graph/build/ranges.h"
#include "util/memory.h"

struct places {
	struct profile *profile;
	uint32_t
		*of; /* by vertex: index of the innermost range of all its calls, plus 1; 0: none */
	uint32_t count; /* vertices so far */
};

static void *begin(struct profile *profile)
{
	struct places *places = xcalloc(1, sizeof(*places));

	places->profile = profile;
	return places;
}

static uint32_t depth_of(const struct profile *profile, uint32_t range)
{
	uint32_t depth = 0;

	for (; range != PROFILE_NO_ROW; range = profile->ranges[range].outer)
		depth++;
	return depth;
}

/* The innermost range around both; PROFILE_NO_ROW: none is. */
static uint32_t around(const struct profile *profile, uint32_t a, uint32_t b)
{
	uint32_t depth_a = depth_of(profile, a), depth_b = depth_of(profile, b);

	while (a != b) {
		bool deeper = depth_a >= depth_b;

		if (deeper)
			a = profile->ranges[a].outer;
		else
			b = profile->ranges[b].outer;
		depth_a -= deeper;
		depth_b -= !deeper;
	}
	return a;
}

static void place(struct places *places, uint32_t vertex, uint32_t range)
{
	uint32_t *of;

	if (vertex >= places->count) { /* vertices come in order */
		uint32_t count = 2 * vertex + 64;

		places->of = xreallocarray(places->of, count, sizeof(*places->of));
		for (uint32_t i = places->count; i < count; i++)
			places->of[i] = UINT32_MAX;
		places->count = count;
	}
	of = &places->of[vertex];
	if (*of == UINT32_MAX)
		*of = range + 1; /* 0 of PROFILE_NO_ROW */
	else if (*of)
		*of = around(places->profile, *of - 1, range) + 1;
}

static void keep(void *state, const struct build_event *event, const struct build_row *rows,
		 uint32_t count)
{
	struct places *places = state;
	struct profile_range *range;

	(void)rows;
	(void)count;
	if (event->vertex != PROFILE_NO_VERTEX)
		place(places, event->vertex, event->range);
	if (event->range == PROFILE_NO_ROW)
		return;
	range = &places->profile->ranges[event->range];
	profile_add(&range->calls, 1);
	profile_add(&range->host_ns, event->end_ns - event->start_ns);
}

static void end(void *state)
{
	struct places *places = state;
	struct graph *graph = places->profile->graph;

	for (uint32_t v = 0; v < graph->vertex_count && v < places->count; v++) {
		if (!places->of[v] || places->of[v] == UINT32_MAX)
			continue;
		graph->vertices[v].fields |= VERTEX_NVTX_RANGE;
		graph->vertices[v].nvtx_range = ranges_text(places->profile, places->of[v] - 1);
	}
	free(places->of);
	free(places);
}

const struct build_analysis build_ranges = {
	.name = "ranges",
	.begin = begin,
	.event = keep,
	.end = end,
};
