/*
 * graph/build/analysis/unwritten.c: the analysis of what launches loaded before anybody had written
 * it.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include "util/memory.h"
#include "util/pair_map.h"

struct row {
	struct profile_unwritten row;
	uint64_t last; /* number of the last event that it counts */
};

struct unwritten {
	struct profile *profile;
	struct row *rows;
	uint32_t row_count, row_capacity;
	struct pair_map row_of; /* by vertex and site */
};

static void *begin(struct profile *profile)
{
	struct unwritten *unwritten = xcalloc(1, sizeof(*unwritten));

	unwritten->profile = profile;
	return unwritten;
}

static struct row *find_row(struct unwritten *unwritten, uint32_t vertex, uint32_t site)
{
	uint32_t index;

	if (pair_map_find(&unwritten->row_of, vertex, site, unwritten->row_count, &index))
		return &unwritten->rows[index];
	ARRAY_RESERVE(unwritten->rows, unwritten->row_count, unwritten->row_capacity);
	unwritten->rows[unwritten->row_count] =
		(struct row){.row = {.vertex = vertex, .object = site}};
	return &unwritten->rows[unwritten->row_count++];
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	struct unwritten *unwritten = state;
	const struct profile_object *object = &unwritten->profile->objects[record->object];
	const uint64_t bytes = ((const struct gpu_unwritten *)record->payload)->bytes;
	struct row *row;

	if (!record->of_call || event->vertex == PROFILE_NO_VERTEX || !bytes ||
	    bytes > object->size)
		return error_set(error, "loads of unwritten bytes that cannot be");
	row = find_row(unwritten, event->vertex, object->site);
	profile_add(&row->row.bytes, bytes);
	/* a site may have several objects that the launch loads */
	row->row.invocations += row->last != event->number;
	row->last = event->number;
	return 0;
}

static void end(void *state)
{
	struct unwritten *unwritten = state;
	struct profile *profile = unwritten->profile;

	for (uint32_t i = 0; i < unwritten->row_count; i++) {
		ARRAY_RESERVE(profile->unwritten, profile->unwritten_count,
			      profile->unwritten_capacity);
		profile->unwritten[profile->unwritten_count++] = unwritten->rows[i].row;
	}
	pair_map_release(&unwritten->row_of);
	free(unwritten->rows);
	free(unwritten);
}

const struct build_analysis build_unwritten = {
	.name = "unwritten",
	.kinds = (const uint32_t[]){GPU_RECORD_UNWRITTEN, 0},
	.begin = begin,
	.record = take_record,
	.end = end,
};
