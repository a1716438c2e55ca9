/*
 * Traces: read record by record, then built into a profile; as they come, and with the check sums
 * put right so that damage gets past them.
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

static void build(const uint8_t *data, size_t size)
{
	struct error error;

	read_records(fuzz_write("fuzz" TRACE_SUFFIX, data, size));
	profile_free(build_profile(fuzz_folder, &error));
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
		record.check = trace_check((const struct trace_record *)(void *)(data + at));
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
