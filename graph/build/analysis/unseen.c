/*
 * graph/build/analysis/unseen.c: the analysis that counts the invocations that were not analysed
 * (--sample-kernels): they have no rows, and say that they may have read everything.  What is known
 * of an operation is of the others.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>

#include "util/memory.h"
#include "util/pair_map.h"

struct unseen {
	struct profile *profile;
	struct pair_map rows; /* of profile->unseen, by vertex */
	uint64_t event;       /* the last one, if it has no rows and is not counted yet; else 0 */
};

static void *begin(struct profile *profile)
{
	struct unseen *unseen = xcalloc(1, sizeof(*unseen));

	unseen->profile = profile;
	return unseen;
}

static void take(void *state, const struct build_event *event, const struct build_row *rows,
		 uint32_t count)
{
	struct unseen *unseen = state;

	(void)rows;
	unseen->event = count ? 0 : event->number;
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	struct unseen *unseen = state;
	struct profile *profile = unseen->profile;
	uint32_t index;

	(void)error;
	if (record->object != BUILD_NO_OBJECT || !record->of_call ||
	    event->vertex == PROFILE_NO_VERTEX || unseen->event != event->number)
		return 0;
	unseen->event = 0;
	if (!pair_map_find(&unseen->rows, event->vertex, 0, profile->unseen_count, &index)) {
		ARRAY_RESERVE(profile->unseen, profile->unseen_count, profile->unseen_capacity);
		profile->unseen[profile->unseen_count++] =
			(struct profile_unseen){.vertex = event->vertex};
	}
	profile->unseen[index].invocations++;
	return 0;
}

static void end(void *state)
{
	struct unseen *unseen = state;

	pair_map_release(&unseen->rows);
	free(unseen);
}

const struct build_analysis build_unseen = {
	.name = "unseen",
	.kinds = (const uint32_t[]){GPU_RECORD_READ_UNSEEN, 0},
	.begin = begin,
	.event = take,
	.record = take_record,
	.end = end,
};
