/*
 * advice/pattern/overwrites.c: sources of asynchronous copies that the host overwrites before it
 * has waited for the copy, as the pass `use` has seen it.  A race, which saves nothing to mend.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>

#include "gpu/records.h"
#include "graph/frame_words.h"
#include "util/memory.h"
#include "util/text.h"

enum { FRAMES = 4 }; /* of the call path of a write */

/* Rows of one copy. */
struct races {
	const struct profile_overwrite *first; /* the most frequent */
	uint64_t copies, bytes;
	uint32_t places;
};

static char *place_of(const struct profile_overwrite *row)
{
	const char *by = row->kind == GPU_USE_SYSTEM_CALL ? "a system call" : "an instruction";

	if (row->place.callpath) {
		char *path = frame_words_path(row->place.callpath, FRAMES, FRAME_NAME_LIMIT);
		char *text = xasprintf("%s at %s", by, path);

		free(path);
		return text;
	}
	if (row->place.file && row->place.line)
		return xasprintf("%s at %s:%" PRIu32, by, row->place.file, row->place.line);
	return xasprintf("%s at a place that is not known", by);
}

static void add_finding(const struct run *run, uint32_t vertex, const struct races *races)
{
	const struct graph *graph = run->profile->graph;
	const uint64_t all = graph->vertices[graph_find(graph, vertex)].invocations;
	struct profile_finding *finding = run_add(run, "overwritten_source", "wait_first", vertex,
						  GRAPH_HOST, races->bytes, 0);
	char *place = place_of(races->first), *bytes = words_bytes(races->bytes);
	char *more = races->places > 1
			     ? xasprintf("; at %" PRIu32 " more place%s", races->places - 1,
					 text_plural(races->places - 1, "", "s"))
			     : xstrdup("");

	finding->access = GRAPH_ACCESS_NONE;
	finding->invocations = races->copies;
	finding->evidence =
		xasprintf("The host wrote to the memory that %" PRIu64 " of its %" PRIu64
			  " invocation%s copied, %s in all, before any wait for the copy: %s%s.",
			  races->copies, all, text_plural(all, "", "s"), bytes, place, more);
	finding->advice = xstrdup("Wait for the copy (an event recorded after it, or its stream) "
				  "before the memory is written again, or write to another buffer "
				  "meanwhile: else the device may get either content.");
	finding->limits = xstrdup("one run, one input; a program that learns from its own words of "
				  "memory, which a kernel writes, that the copy is over looks the "
				  "same");
	free(place);
	free(bytes);
	free(more);
}

static void detect_overwrites(const struct run *run)
{
	const struct profile *profile = run->profile;
	struct races *races;

	if (!profile->overwrite_count)
		return;
	races = xcalloc(profile->graph->vertex_count, sizeof(*races));
	for (uint32_t i = 0; i < profile->overwrite_count; i++) {
		const struct profile_overwrite *row = &profile->overwrites[i];
		uint32_t v = graph_find(profile->graph, row->vertex);

		if (v == UINT32_MAX)
			continue;
		profile_add(&races[v].copies, row->copies);
		profile_add(&races[v].bytes, row->bytes);
		races[v].places++;
		if (!races[v].first || row->copies > races[v].first->copies)
			races[v].first = row;
	}
	for (uint32_t v = 0; v < profile->graph->vertex_count; v++)
		if (races[v].copies)
			add_finding(run, profile->graph->vertices[v].id, &races[v]);
	free(races);
}

const struct pattern pattern_overwrites = {
	.detect = detect_overwrites,
	.names = (const struct pattern_name[]){{"overwritten_source", "overwritten source"},
					       {NULL, NULL}},
};
