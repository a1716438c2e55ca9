/*
 * Traces: read record by record, then built into a profile, as the run that makes the graph and as
 * another that joins it; as they come, and with the check sums put right so that damage gets past
 * them.
 */
#include <string.h>

#include "collect/trace.h"
#include "graph/build/build.h"
#include "graph/profile/profile.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

static void read_records(const char *path)
{
	const struct trace_record *record;
	struct error error;
	struct trace_reader *reader = trace_open(path, &error);
	uint64_t offset;

	if (!reader)
		return;
	offset = trace_reader_offset(reader);
	while (trace_next(reader, &record, &error) > 0) {
		if (trace_reader_offset(reader) <= offset)
			abort(); /* no progress */
		offset = trace_reader_offset(reader);
	}
	trace_reader_close(reader);
}

/* -- an analysis that believes what analysis.h says -- */

static void *begin(struct profile *profile)
{
	return profile;
}

static void check_event(const struct profile *profile, const struct build_event *event)
{
	if (event->process >= profile->process_count ||
	    (event->vertex != PROFILE_NO_VERTEX && event->vertex >= profile->graph->vertex_count))
		abort();
}

static void check_object(void *state, const struct build_event *event, uint32_t object)
{
	const struct profile *profile = state;

	check_event(profile, event);
	if (object >= profile->object_count || profile->objects[object].process != event->process)
		abort();
}

static void check_call(void *state, const struct build_event *event, const struct build_row *rows,
		       uint32_t count)
{
	(void)rows;
	check_event(state, event);
	if (count)
		abort();
}

static int check_record(void *state, const struct build_event *event,
			const struct build_record *record, struct error *error)
{
	(void)error;
	if (record->object == BUILD_NO_OBJECT)
		check_event(state, event);
	else
		check_object(state, event, record->object);
	return 0;
}

static void check_end(void *state, const struct build_event *last)
{
	check_event(state, last);
}

static const struct build_analysis joined = {
	.name = "joined",
	.pass = "time",
	.kinds = (const uint32_t[]){GPU_RECORD_CONTENT, GPU_RECORD_TRIAL, 0},
	.begin = begin,
	.object = check_object,
	.event = check_call,
	.freed = check_object,
	.record = check_record,
	.process_end = check_end,
};

/* -- the entry -- */

static void build(const uint8_t *data, size_t size)
{
	const struct build_analysis *const table[] = {
		&build_duplicates, &build_events, &build_stalls, &build_timeline,
		&build_waits,      &joined,       NULL};
	const struct build_run runs[] = {{.folder = fuzz_folder, .passes = "flow"},
					 {.folder = fuzz_folder, .passes = "time,waits,stalls"}};
	struct error error;

	read_records(fuzz_write("fuzz" TRACE_SUFFIX, data, size));
	profile_free(build_profile(fuzz_folder, &error));
	profile_free(build_runs(runs, 2, table, &error));
}

static void repair(uint8_t *data, size_t size)
{
	struct trace_header header;
	struct trace_record record;

	if (size < sizeof(header))
		return;
	memcpy(&header, data, sizeof(header));
	for (uint64_t at = header.header_size; at + sizeof(record) <= size && at % 8 == 0;
	     at += record.size) {
		memcpy(&record, data + at, sizeof(record));
		if (record.size < sizeof(record) || record.size > size - at || record.size % 8)
			return;
		record.check = trace_check(header.features,
					   (const struct trace_record *)(void *)(data + at));
		memcpy(data + at, &record, sizeof(record));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);

	if (!copy)
		abort();
	build(data, size);
	memcpy(copy, data, size);
	repair(copy, size);
	if (memcmp(copy, data, size))
		build(copy, size);
	free(copy);
	return 0;
}
