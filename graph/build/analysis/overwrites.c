/*
 * graph/build/analysis/overwrites.c: the analysis of the pass `use`: sources of asynchronous copies
 * that the program writes before a wait covers the copy, summed by copy, kind and place of the
 * write.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include "util/memory.h"
#include "util/pair_map.h"

struct place {
	uint32_t context;
	struct profile_overwrite row;
};

struct overwrites {
	struct profile *profile;
	struct place *places; /* in order of their first record */
	uint32_t place_count, place_capacity;
	struct pair_map groups;   /* (context, kind): a number, 0, 1, ... */
	struct pair_map place_of; /* (that number of the group, frame): index of the place */
	uint32_t group_count;
	struct pair_map vertices; /* (context, 0): vertex */
};

static void *begin(struct profile *profile)
{
	struct overwrites *overwrites = xcalloc(1, sizeof(*overwrites));

	overwrites->profile = profile;
	return overwrites;
}

static void note_vertex(void *state, const struct build_event *event, const struct build_row *rows,
			uint32_t count)
{
	struct overwrites *overwrites = state;
	uint32_t known;

	(void)rows;
	(void)count;
	if (event->vertex != PROFILE_NO_VERTEX)
		pair_map_find(&overwrites->vertices, event->context, 0, event->vertex, &known);
}

static struct place *find_place(struct overwrites *overwrites, uint32_t context, uint32_t kind,
				uint32_t frame)
{
	uint32_t group, index;

	if (!pair_map_find(&overwrites->groups, context, kind, overwrites->group_count, &group))
		overwrites->group_count++;
	if (pair_map_find(&overwrites->place_of, group, frame, overwrites->place_count, &index))
		return &overwrites->places[index];
	ARRAY_RESERVE(overwrites->places, overwrites->place_count, overwrites->place_capacity);
	overwrites->places[overwrites->place_count] = (struct place){
		.context = context,
		.row = {.kind = kind, .place.frame = frame, .min_ns = PROFILE_NUMBER_MAX},
	};
	return &overwrites->places[overwrites->place_count++];
}

static int record(void *state, const struct build_event *event, const struct build_record *record,
		  struct error *error)
{
	const struct gpu_overwritten *overwritten = record->payload;
	struct profile_overwrite *row;

	(void)event;
	if ((overwritten->kind != GPU_USE_INSTRUCTION &&
	     overwritten->kind != GPU_USE_SYSTEM_CALL) ||
	    overwritten->bytes > PROFILE_NUMBER_MAX || overwritten->after_ns > PROFILE_NUMBER_MAX)
		return error_set(error, "an overwritten source that cannot be");
	row = &find_place(state, record->context, overwritten->kind, record->frame)->row;
	profile_add(&row->copies, 1);
	profile_add(&row->bytes, overwritten->bytes);
	if (overwritten->after_ns < row->min_ns)
		row->min_ns = overwritten->after_ns;
	return 0;
}

static void end(void *state)
{
	struct overwrites *overwrites = state;
	struct profile *profile = overwrites->profile;

	for (uint32_t i = 0; i < overwrites->place_count; i++) {
		struct place *place = &overwrites->places[i];

		place->row.vertex = pair_map_get(&overwrites->vertices, place->context, 0);
		if (place->row.vertex ==
		    PROFILE_NO_VERTEX) /* the graph lacks it; coverage says so */
			continue;
		ARRAY_RESERVE(profile->overwrites, profile->overwrite_count,
			      profile->overwrite_capacity);
		profile->overwrites[profile->overwrite_count++] = place->row;
	}
	pair_map_release(&overwrites->groups);
	pair_map_release(&overwrites->place_of);
	pair_map_release(&overwrites->vertices);
	free(overwrites->places);
	free(overwrites);
}

const struct build_analysis build_overwrites = {
	.name = "overwrites",
	.pass = "use",
	.kinds = (const uint32_t[]){GPU_RECORD_OVERWRITTEN, 0},
	.begin = begin,
	.event = note_vertex,
	.record = record,
	.end = end,
};
