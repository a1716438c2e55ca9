/*
 * collect/trace_read.c: reads a trace and believes nothing in it.
 *
 * Through a buffer, not a mapping: a file that is cut while it is read must not end the reader.
 */
#include "collect/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_FIRST ((size_t)256 << 10)
#define HEADER_MAX 4096u

struct trace_reader {
	int fd;
	struct trace_header header;
	char *buffer;
	size_t capacity;
	size_t filled;         /* bytes in the buffer */
	uint64_t buffer_start; /* offset in the file of buffer[0] */
	uint64_t offset;       /* of the next record */
	uint64_t file_size;
};

/* What the reader checks of each type it knows: least size, and where strings are. */
static const struct layout {
	uint32_t size;
	uint32_t strings; /* at least so many, from `size` on */
} layouts[] = {
	[TRACE_PROCESS] = {offsetof(struct trace_process, text), 4},
	[TRACE_MODULE] = {offsetof(struct trace_module, text), 1},
	[TRACE_FRAME] = {sizeof(struct trace_frame), 0},
	[TRACE_CONTEXT] = {offsetof(struct trace_context, text), 1},
	[TRACE_OBJECT] = {offsetof(struct trace_object, text), 1},
	[TRACE_EVENT] = {offsetof(struct trace_event, rows), 0},
	[TRACE_FREE] = {sizeof(struct trace_free), 0},
	[TRACE_CONTENT] = {sizeof(struct trace_content), 0},
	[TRACE_COVERAGE_TEXTS] = {offsetof(struct trace_coverage, text), 2},
	[TRACE_END] = {sizeof(struct trace_end), 0},
	[TRACE_FACT] = {offsetof(struct trace_fact, payload), 0},
	[TRACE_COVERAGE] = {offsetof(struct trace_coverage, text), 2},
	[TRACE_PYTHON] = {offsetof(struct trace_python, text), 2},
	[TRACE_FAILED_CALL] = {offsetof(struct trace_failed_call, text), 3},
	[TRACE_RANGE] = {offsetof(struct trace_range, text), 1},
	[TRACE_THREAD_RANGE] = {sizeof(struct trace_thread_range), 0},
};

static const struct layout *layout_of(uint16_t type)
{
	return type < sizeof(layouts) / sizeof(*layouts) && layouts[type].size ? &layouts[type]
									       : NULL;
}

/* Makes `size` bytes from `offset` on available.  They are in the file unless it shrinks. */
static const char *bytes_at(struct trace_reader *reader, uint64_t offset, size_t size,
			    struct error *error)
{
	size_t skip = (size_t)(offset - reader->buffer_start);
	ssize_t got;

	if (skip + size <= reader->filled)
		return reader->buffer + skip;
	memmove(reader->buffer, reader->buffer + skip, reader->filled - skip);
	reader->buffer_start = offset;
	reader->filled -= skip;
	if (size > reader->capacity) {
		char *larger = realloc(reader->buffer, size);

		if (!larger) {
			error_set(error, "offset %llu: no memory for a record of %zu bytes",
				  (unsigned long long)offset, size);
			return NULL;
		}
		reader->buffer = larger;
		reader->capacity = size;
	}
	while (reader->filled < size) {
		got = pread(reader->fd, reader->buffer + reader->filled,
			    reader->capacity - reader->filled,
			    (off_t)(reader->buffer_start + reader->filled));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			error_set(error, "offset %llu: cannot read: %s",
				  (unsigned long long)(reader->buffer_start + reader->filled),
				  got < 0 ? strerror(errno) : "the file became shorter");
			return NULL;
		}
		reader->filled += (size_t)got;
	}
	return reader->buffer;
}

static int check_header(const struct trace_reader *reader, struct error *error)
{
	const struct trace_header *header = &reader->header;

	if (memcmp(header->magic, TRACE_MAGIC, sizeof(header->magic)) != 0)
		return error_set(error, "offset 0: not a vflow trace: expected '" TRACE_MAGIC "'");
	if (header->version > TRACE_VERSION)
		return error_set(
			error,
			"made by a newer vflow: trace version %u, this one reads %u: update vflow",
			header->version, TRACE_VERSION);
	if (header->version != TRACE_VERSION)
		return error_set(error, "offset 8: version %u: expected %u", header->version,
				 TRACE_VERSION);
	/* before the check sum: a newer vflow may have a longer header */
	if (header->features & ~TRACE_FEATURES_KNOWN)
		return error_set(error, "made by a newer vflow: unknown features 0x%llx",
				 (unsigned long long)(header->features & ~TRACE_FEATURES_KNOWN));
	if (header->check != trace_check_header(header))
		return error_set(error,
				 "offset 32: header damaged: check sum 0x%08x, expected 0x%08x",
				 header->check, trace_check_header(header));
	if (header->header_size < sizeof(*header) || header->header_size % 8 ||
	    header->header_size > HEADER_MAX || header->header_size > reader->file_size)
		return error_set(
			error, "offset 12: header size %u: expected a multiple of 8 from %zu to %u",
			header->header_size, sizeof(*header), HEADER_MAX);
	return 0;
}

struct trace_reader *trace_open(const char *path, struct error *error)
{
	struct trace_reader *reader = calloc(1, sizeof(*reader));
	const char *bytes;
	struct stat status;

	if (!reader || !(reader->buffer = malloc(BUFFER_FIRST))) {
		free(reader);
		error_set(error, "%s: no memory", path);
		return NULL;
	}
	reader->capacity = BUFFER_FIRST;
	/* not blocking: a named pipe is no trace */
	reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (reader->fd < 0 || fstat(reader->fd, &status) != 0) {
		error_set(error, "cannot read %s: %s", path, strerror(errno));
		goto fail;
	}
	if (!S_ISREG(status.st_mode)) {
		error_set(error, "%s: not a vflow trace: not a regular file", path);
		goto fail;
	}
	reader->file_size = (uint64_t)status.st_size;
	if (!reader->file_size) {
		error_set(error,
			  "%s: truncated at offset 0: its process could not begin a trace (a full "
			  "disk, a limit on file sizes)",
			  path);
		goto fail;
	}
	if (reader->file_size < sizeof(reader->header)) {
		error_set(error, "%s: truncated at offset %llu: expected a header of %zu bytes",
			  path, (unsigned long long)reader->file_size, sizeof(reader->header));
		goto fail;
	}
	bytes = bytes_at(reader, 0, sizeof(reader->header), error);
	if (bytes)
		memcpy(&reader->header, bytes, sizeof(reader->header));
	if (!bytes || check_header(reader, error) != 0) {
		error_prefix(error, "%s", path);
		goto fail;
	}
	reader->offset = reader->header.header_size;
	if (!bytes_at(reader, 0, reader->header.header_size, error)) {
		error_prefix(error, "%s", path);
		goto fail;
	}
	return reader;

fail:
	trace_reader_close(reader);
	return NULL;
}

const struct trace_header *trace_reader_header(const struct trace_reader *reader)
{
	return &reader->header;
}

uint64_t trace_reader_offset(const struct trace_reader *reader)
{
	return reader->offset;
}

void trace_reader_close(struct trace_reader *reader)
{
	if (!reader)
		return;
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->buffer);
	free(reader);
}

static int check_event(const struct trace_event *event, uint64_t offset, struct error *error)
{
	if (trace_rows_check(event, error) == 0)
		return 0;
	return error_prefix(error, "offset %llu", (unsigned long long)offset);
}

static int check_fact(const struct trace_fact *fact, uint64_t offset, struct error *error)
{
	uint32_t room = fact->record.size - (uint32_t)offsetof(struct trace_fact, payload);

	if (room > GPU_RECORD_MAX)
		room = GPU_RECORD_MAX;
	if (fact->size > room)
		return error_set(error,
				 "offset %llu: fact with a payload of %u bytes: expected %u or "
				 "fewer",
				 (unsigned long long)offset, fact->size, room);
	return 0;
}

/* A record of a type we know, whose check sum is right: what its fields promise is there. */
static int check_content(const struct trace_record *record, uint64_t offset, struct error *error)
{
	unsigned long long at = offset;
	const struct layout *layout = layout_of(record->type);
	const char *text = (const char *)record + layout->size;

	if (record->size < layout->size)
		return error_set(error,
				 "offset %llu: record of type %u has %u bytes: expected %u or more",
				 at, record->type, record->size, layout->size);
	if (layout->strings && !trace_text(record, text, layout->strings - 1))
		return error_set(error,
				 "offset %llu: record of type %u: expected %u strings ended by NUL",
				 at, record->type, layout->strings);
	if (record->type == TRACE_EVENT)
		return check_event((const struct trace_event *)record, offset, error);
	if (record->type == TRACE_FACT)
		return check_fact((const struct trace_fact *)record, offset, error);
	if (record->type == TRACE_MODULE) {
		const struct trace_module *module = (const struct trace_module *)record;

		if (module->build_id_size > TRACE_BUILD_ID_MAX)
			return error_set(error,
					 "offset %llu: build id of %u bytes: expected %u or fewer",
					 at, module->build_id_size, TRACE_BUILD_ID_MAX);
	}
	return 0;
}

/* One record of any type.  1, 0 or -1 as trace_next(). */
static int read_record(struct trace_reader *reader, const struct trace_record **out,
		       struct error *error)
{
	unsigned long long at = reader->offset;
	uint64_t left = reader->file_size - reader->offset;
	const struct trace_record *record;
	uint32_t size, check, expected;

	if (!left)
		return 0;
	if (left < sizeof(uint64_t))
		return error_set(error, "truncated at offset %llu: expected a record", at + left);
	record = (const void *)bytes_at(reader, reader->offset, sizeof(uint64_t), error);
	if (!record)
		return -1;
	size = record->size;
	check = record->check;
	if (!size && !check)
		return 0;
	if (size < sizeof(*record) || size % 8 || size > TRACE_RECORD_MAX)
		return error_set(
			error,
			"offset %llu: record of %u bytes: expected a multiple of 8 from %zu to %u",
			at, size, sizeof(*record), TRACE_RECORD_MAX);
	if (size > left)
		return error_set(
			error, "truncated at offset %llu: expected %u bytes of the record at %llu",
			at + left, size, at);
	record = (const void *)bytes_at(reader, reader->offset, size, error);
	if (!record)
		return -1;
	expected = trace_check(reader->header.features, record);
	if (check != expected)
		return error_set(error, "offset %llu: damaged: check sum 0x%08x, expected 0x%08x",
				 at, check, expected);
	if (layout_of(record->type) && check_content(record, reader->offset, error) != 0)
		return -1;
	*out = record;
	return 1;
}

int trace_next(struct trace_reader *reader, const struct trace_record **record, struct error *error)
{
	int result;

	while ((result = read_record(reader, record, error)) == 1) {
		reader->offset += (*record)->size;
		if (layout_of((*record)->type))
			break;
	}
	return result;
}

const char *trace_text(const struct trace_record *record, const char *text, unsigned n)
{
	const char *end = (const char *)record + record->size;

	for (;; n--) {
		const char *nul = memchr(text, '\0', (size_t)(end - text));

		if (!nul)
			return NULL;
		if (!n)
			return text;
		text = nul + 1;
	}
}

/* The n-th text after the empty one that ends the arguments; "": there are no more. */
static const char *after_arguments(const struct trace_process *process, unsigned n)
{
	const struct trace_record *record = &process->record;
	const char *text = trace_text(record, process->text, 3);

	while (text && *text)
		text = trace_text(record, text, 1);
	text = text ? trace_text(record, text, 1 + n) : NULL;
	return text ? text : "";
}

const char *trace_passes(const struct trace_process *process)
{
	return after_arguments(process, 0);
}

const char *trace_rank(const struct trace_process *process)
{
	return after_arguments(process, 1);
}
