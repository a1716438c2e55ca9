/*
 * graph/build/analysis/uses.c: the analysis of the pass `use`: when and where the program first
 * used what calls had waited for, summed by call path of the call, kind and place of the use.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include "util/memory.h"
#include "util/pair_map.h"

struct place {
	uint32_t context;
	struct profile_first_use row;
	uint64_t *after_ns; /* of each use */
	uint32_t count, capacity;
};

struct uses {
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
	struct uses *uses = xcalloc(1, sizeof(*uses));

	uses->profile = profile;
	return uses;
}

static void note_vertex(void *state, const struct build_event *event, const struct build_row *rows,
			uint32_t count)
{
	struct uses *uses = state;
	uint32_t known;

	(void)rows;
	(void)count;
	if (event->vertex != PROFILE_NO_VERTEX)
		pair_map_find(&uses->vertices, event->context, 0, event->vertex, &known);
}

static struct place *find_place(struct uses *uses, uint32_t context, uint32_t kind, uint32_t frame)
{
	uint32_t group, index;

	if (!pair_map_find(&uses->groups, context, kind, uses->group_count, &group))
		uses->group_count++;
	if (pair_map_find(&uses->place_of, group, frame, uses->place_count, &index))
		return &uses->places[index];
	ARRAY_RESERVE(uses->places, uses->place_count, uses->place_capacity);
	uses->places[uses->place_count] = (struct place){
		.context = context,
		.row = {.kind = kind,
			.place.frame = frame,
			.min_ns = PROFILE_UNKNOWN,
			.median_ns = PROFILE_UNKNOWN},
	};
	return &uses->places[uses->place_count++];
}

static bool is_use(uint32_t kind)
{
	return kind == GPU_USE_INSTRUCTION || kind == GPU_USE_SYSTEM_CALL || kind == GPU_USE_CUDA;
}

static int record(void *state, const struct build_event *event, const struct build_record *record,
		  struct error *error)
{
	const struct gpu_use *use = record->payload;
	struct place *place;

	(void)event;
	if (use->kind < GPU_USE_NEVER || use->kind > GPU_USE_NOTHING ||
	    use->touched_pages > use->pages || use->unwatched_bytes > use->bytes ||
	    use->bytes > PROFILE_NUMBER_MAX || use->pages > PROFILE_NUMBER_MAX ||
	    use->after_ns > PROFILE_NUMBER_MAX)
		return error_set(error, "a first use that cannot be");
	place = find_place(state, record->context, use->kind, record->frame);
	profile_add(&place->row.waits, 1);
	profile_add(&place->row.bytes, use->bytes);
	profile_add(&place->row.pages, use->pages);
	profile_add(&place->row.touched_pages, use->touched_pages);
	profile_add(&place->row.unwatched_bytes, use->unwatched_bytes);
	if (!is_use(use->kind))
		return 0;
	ARRAY_RESERVE(place->after_ns, place->count, place->capacity);
	place->after_ns[place->count++] = use->after_ns;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Index of the context's row in the table of functions, where the pass `time` may have put it. */
static uint32_t find_api(struct uses *uses, struct pair_map *apis, uint32_t context)
{
	struct profile *profile = uses->profile;
	uint32_t index;

	if (pair_map_find(apis, context, 0, profile->api_count, &index))
		return index;
	ARRAY_RESERVE(profile->apis, profile->api_count, profile->api_capacity);
	profile->apis[profile->api_count++] = (struct profile_api){
		.vertex = pair_map_get(&uses->vertices, context, 0), .context = context};
	return index;
}

static void end(void *state)
{
	struct uses *uses = state;
	struct profile *profile = uses->profile;
	struct pair_map apis = {0};
	uint32_t known;

	for (uint32_t i = 0; i < profile->api_count; i++)
		pair_map_find(&apis, profile->apis[i].context, 0, i, &known);
	for (uint32_t i = 0; i < uses->place_count; i++) {
		struct place *place = &uses->places[i];

		place->row.api = find_api(uses, &apis, place->context);
		if (place->count) {
			qsort(place->after_ns, place->count, sizeof(*place->after_ns), by_time);
			place->row.min_ns = place->after_ns[0];
			place->row.median_ns = place->after_ns[(place->count - 1) / 2];
		}
		free(place->after_ns);
		ARRAY_RESERVE(profile->first_uses, profile->first_use_count,
			      profile->first_use_capacity);
		profile->first_uses[profile->first_use_count++] = place->row;
	}
	pair_map_release(&apis);
	pair_map_release(&uses->groups);
	pair_map_release(&uses->place_of);
	pair_map_release(&uses->vertices);
	free(uses->places);
	free(uses);
}

const struct build_analysis build_uses = {
	.name = "uses",
	.pass = "use",
	.kinds = (const uint32_t[]){GPU_RECORD_USE, 0},
	.all_calls = true,
	.begin = begin,
	.event = note_vertex,
	.record = record,
	.end = end,
};
