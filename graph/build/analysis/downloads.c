/*
 * graph/build/analysis/downloads.c: the analysis of copies to the host: which found there what they
 * brought.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include "graph/profile/table.h"
#include "util/memory.h"
#include "util/pair_map.h"

struct downloads {
	struct profile *profile;
	struct pair_map rows; /* of profile->downloads, by vertex and site */
	struct pair_map seen; /* by vertex and object: they have copied before */
	/* the last copy of all, while its record may come; `bytes` 0: there is none */
	uint32_t vertex, object;
	uint64_t bytes;
	bool same;
};

static void *begin(struct profile *profile)
{
	struct downloads *downloads = xcalloc(1, sizeof(*downloads));

	downloads->profile = profile;
	return downloads;
}

static void settle(struct downloads *downloads)
{
	struct profile *profile = downloads->profile;
	struct profile_download *row;
	uint32_t index;
	bool first;

	if (!downloads->bytes)
		return;
	index = table_find_row(&profile_table_download, profile, &downloads->rows,
			       downloads->vertex, profile->objects[downloads->object].site);
	row = &profile->downloads[index];
	first = !pair_map_find(&downloads->seen, downloads->vertex, downloads->object, 0, &index);
	row->copies++;
	profile_add(&row->bytes, downloads->bytes);
	if (downloads->same) {
		row->same++;
		profile_add(&row->same_bytes, downloads->bytes);
		row->same_first += first;
	} else {
		row->changed_later += !first;
	}
	downloads->bytes = 0;
}

static void take(void *state, const struct build_event *event, const struct build_row *rows,
		 uint32_t count)
{
	struct downloads *downloads = state;

	settle(downloads);
	for (uint32_t i = 0; i < count; i++) {
		if (rows[i].access != TRACE_TO_HOST || event->vertex == PROFILE_NO_VERTEX)
			continue;
		downloads->vertex = event->vertex;
		downloads->object = rows[i].object;
		downloads->bytes += rows[i].bytes;
		downloads->same = false;
	}
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	struct downloads *downloads = state;

	(void)event;
	(void)error;
	if (downloads->bytes && record->of_call && record->object == downloads->object)
		downloads->same = ((const struct gpu_received *)record->payload)->same;
	return 0;
}

static void process_end(void *state, const struct build_event *last)
{
	struct downloads *downloads = state;

	(void)last;
	settle(downloads);
}

static void end(void *state)
{
	struct downloads *downloads = state;

	pair_map_release(&downloads->rows);
	pair_map_release(&downloads->seen);
	free(downloads);
}

const struct build_analysis build_downloads = {
	.name = "downloads",
	.kinds = (const uint32_t[]){GPU_RECORD_RECEIVED, 0},
	.begin = begin,
	.event = take,
	.record = take_record,
	.process_end = process_end,
	.end = end,
};
