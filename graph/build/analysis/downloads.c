/*
 * graph/build/analysis/downloads.c: the analysis of copies to the host: which found there what they
 * brought.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "graph/profile/table.h"
#include "util/memory.h"
#include "util/pair_map.h"

#define UNKNOWN UINT64_MAX

/* What a copy has brought to the host of an object, exactly. */
struct brought {
	uint64_t offset, bytes, host; /* 0 bytes: not known; host: the address there */
};

/* Blocks of an object that went to the host and were not written to since. */
struct fetched {
	uint64_t first, end; /* equal: none; `end` UNKNOWN: which is not known */
	struct brought brought;
};

struct downloads {
	struct profile *profile;
	struct pair_map rows; /* of profile->downloads, by vertex and site */
	struct pair_map seen; /* by vertex and object: they have copied before */
	/* the last copy of all, while its record may come; `bytes` 0: there is none */
	uint32_t vertex, object;
	uint64_t bytes;
	bool same;
	struct fetched blocks;   /* of the last copy */
	struct brought brought;  /* by it */
	struct fetched *fetched; /* by object */
	uint32_t fetched_count;
};

static void *begin(struct profile *profile)
{
	struct downloads *downloads = xcalloc(1, sizeof(*downloads));

	downloads->profile = profile;
	return downloads;
}

static struct fetched *fetched_of(struct downloads *downloads, uint32_t object)
{
	if (object >= downloads->fetched_count) {
		uint32_t count = 2 * object + 64;

		downloads->fetched =
			xreallocarray(downloads->fetched, count, sizeof(*downloads->fetched));
		memset(downloads->fetched + downloads->fetched_count, 0,
		       (count - downloads->fetched_count) * sizeof(*downloads->fetched));
		downloads->fetched_count = count;
	}
	return &downloads->fetched[object];
}

static bool is_in(const struct fetched *blocks, const struct fetched *of)
{
	return blocks->first < blocks->end && of->first <= blocks->first && blocks->end <= of->end;
}

/* Whether a copy has brought the same to other memory of the host before. */
static bool is_elsewhere(const struct brought *brought, const struct brought *before)
{
	const uint64_t within = brought->offset - before->offset;
	uint64_t at;

	if (!brought->bytes || !brought->host || !before->host ||
	    brought->offset < before->offset || within > before->bytes ||
	    brought->bytes > before->bytes - within)
		return false;
	at = before->host + within;
	return at > brought->host ? at - brought->host >= brought->bytes
				  : brought->host - at >= brought->bytes;
}

static void settle(struct downloads *downloads)
{
	struct profile *profile = downloads->profile;
	struct profile_download *row;
	struct fetched *fetched;
	uint32_t index;
	bool first, elsewhere;

	if (!downloads->bytes)
		return;
	fetched = fetched_of(downloads, downloads->object);
	index = table_find_row(&profile_table_download, profile, &downloads->rows,
			       downloads->vertex, profile->objects[downloads->object].site);
	row = &profile->downloads[index];
	first = !pair_map_find(&downloads->seen, downloads->vertex, downloads->object, 0, &index);
	row->copies++;
	profile_add(&row->bytes, downloads->bytes);
	elsewhere = is_elsewhere(&downloads->brought, &fetched->brought);
	if (elsewhere && !downloads->same) {
		row->elsewhere++;
		profile_add(&row->elsewhere_bytes, downloads->bytes);
	}
	if (!elsewhere)
		fetched->brought = downloads->brought;
	downloads->blocks.brought = fetched->brought;
	if (downloads->same) {
		row->same++;
		profile_add(&row->same_bytes, downloads->bytes);
		row->same_first += first;
		row->same_unwritten += is_in(&downloads->blocks, fetched);
	} else {
		row->changed_later += !first;
	}
	*fetched = downloads->blocks;
	if (fetched->end == UNKNOWN)
		fetched->first = fetched->end = 0;
	downloads->bytes = 0;
}

static void widen(struct fetched *blocks, const struct build_row *row)
{
	const bool known = build_row_has(row, TRACE_METRIC_FIRST_BLOCK) &&
			   build_row_has(row, TRACE_METRIC_LAST_BLOCK);
	const uint64_t first = known ? row->first_block : 0;
	const uint64_t end = known ? row->last_block + 1 : UNKNOWN;

	if (blocks->first == blocks->end)
		*blocks = (struct fetched){.first = first, .end = end};
	if (first < blocks->first)
		blocks->first = first;
	if (end > blocks->end)
		blocks->end = end;
}

static void take(void *state, const struct build_event *event, const struct build_row *rows,
		 uint32_t count)
{
	struct downloads *downloads = state;

	settle(downloads);
	downloads->blocks = (struct fetched){0};
	downloads->brought = (struct brought){0};
	for (uint32_t i = 0; i < count; i++) {
		if (rows[i].access == TRACE_WRITE)
			*fetched_of(downloads, rows[i].object) = (struct fetched){0};
		else if (rows[i].access == TRACE_READ)
			widen(&downloads->blocks, &rows[i]);
		if (rows[i].access != TRACE_TO_HOST || event->vertex == PROFILE_NO_VERTEX)
			continue;
		downloads->vertex = event->vertex;
		downloads->object = rows[i].object;
		downloads->bytes += rows[i].bytes;
		downloads->same = false;
	}
}

static void take_transfer(struct downloads *downloads, const struct build_record *record)
{
	const struct gpu_transfer *transfer = record->payload;
	const struct profile_object *object = &downloads->profile->objects[record->object];

	/* what the host can write, it may have written unseen */
	if (!transfer->from_host && record->size >= sizeof(*transfer) && !record->freed &&
	    profile_is_device_memory(object))
		downloads->brought =
			(struct brought){transfer->offset, transfer->bytes, transfer->host};
}

/* A call that was not analysed may have written anything. */
static void forget_brought(struct downloads *downloads)
{
	for (uint32_t i = 0; i < downloads->fetched_count; i++)
		downloads->fetched[i].brought = (struct brought){0};
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	struct downloads *downloads = state;

	(void)event;
	(void)error;
	if (record->kind == GPU_RECORD_READ_UNSEEN && record->object == BUILD_NO_OBJECT)
		forget_brought(downloads);
	if (!downloads->bytes || !record->of_call || record->object != downloads->object)
		return 0;
	if (record->kind == GPU_RECORD_TRANSFER)
		take_transfer(downloads, record);
	else if (record->kind == GPU_RECORD_RECEIVED)
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
	free(downloads->fetched);
	free(downloads);
}

const struct build_analysis build_downloads = {
	.name = "downloads",
	.kinds = (const uint32_t[]){GPU_RECORD_RECEIVED, GPU_RECORD_TRANSFER,
				    GPU_RECORD_READ_UNSEEN, 0},
	.begin = begin,
	.event = take,
	.record = take_record,
	.process_end = process_end,
	.end = end,
};
