/*
 * collect/trace_write.c: appends records to the trace of the process it runs in.
 *
 * The file is a shared mapping, so what was stored survives any death of the process.  Every
 * byte is given disk space before it is mapped, because a store to a page that cannot get any
 * would raise SIGBUS.  No descriptor is kept open: programs close descriptors they do not know.
 */
#include "collect/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/coverage/coverage.h"

#define GROW_FIRST ((uint64_t)64 << 10)
#define GROW_LAST ((uint64_t)4 << 20)
#define LAST_WORDS 512 /* bytes kept free in the file for the record that says why it was cut */

struct trace_writer {
	char *path;
	char *window;          /* maps [window_start, file_size) */
	uint64_t window_start; /* a multiple of the page size */
	uint64_t offset;       /* of the next record */
	uint64_t file_size;
	uint64_t grow; /* bytes to add next time */
	bool failed;
	struct error failure;
};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Growing past the limit would send SIGXFSZ, whose default is death. */
static bool over_limit(uint64_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	       size > limit.rlim_cur;
}

/* Gives the file `size` bytes on the disk.  Returns 0 or an errno. */
static int reserve(int fd, uint64_t from, uint64_t size)
{
	struct stat status;

	if (over_limit(size))
		return EFBIG;
	/* somebody else cut our file: mapping past its end would be deadly */
	if (fstat(fd, &status) != 0)
		return errno;
	if ((uint64_t)status.st_size != from)
		return EIO;
	for (int i = 0; i < 100; i++) { /* a profiling timer may interrupt it again and again */
		int failure = posix_fallocate(fd, (off_t)from, (off_t)(size - from));

		if (failure != EINTR)
			return failure;
	}
	return EINTR;
}

/* Maps the file from the page of `offset` on, with at least `need` bytes after it. */
static int grow(struct trace_writer *writer, uint64_t need)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t least = round_up(writer->offset + need, page);
	uint64_t size = round_up(writer->offset + need + writer->grow, page);
	uint64_t start = writer->offset / page * page;
	int fd = open(writer->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	int failure;
	void *window;

	if (fd < 0)
		return errno;
	failure = reserve(fd, writer->file_size, size);
	if (failure && least < size) { /* a nearly full disk: take what is needed */
		size = least;
		/* a failed attempt may have left a part */
		failure = ftruncate(fd, (off_t)writer->file_size) == 0
				  ? reserve(fd, writer->file_size, size)
				  : errno;
	}
	if (failure) {
		/* gives back the part of a failed attempt; if not, zeros end the trace as well */
		if (ftruncate(fd, (off_t)writer->file_size) != 0)
			failure = errno;
		close(fd);
		return failure;
	}
	window = mmap(NULL, size - start, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)start);
	failure = window == MAP_FAILED ? errno : 0;
	close(fd);
	if (failure)
		return failure;
	if (writer->window)
		munmap(writer->window, writer->file_size - writer->window_start);
#ifdef MADV_POPULATE_WRITE
	/* a fault of each page takes longer than what is written there */
	madvise(window, size - start, MADV_POPULATE_WRITE);
#endif
	writer->window = window;
	writer->window_start = start;
	writer->file_size = size;
	if (writer->grow < GROW_LAST)
		writer->grow *= 2;
	return 0;
}

/* There must be room.  The first word goes last: until then the trace ends before the record. */
static void store(struct trace_writer *writer, struct trace_record *record, size_t size)
{
	char *target = writer->window + (writer->offset - writer->window_start);
	size_t word = sizeof(uint64_t);
	uint64_t first;

	record->size = (uint32_t)round_up(size, 8);
	/* the zeros of the file are the padding */
	memcpy(target + word, (const char *)record + word, size - word);
	record->check = trace_check_body(record->size, target + word);
	memcpy(&first, record, word);
	__atomic_store_n((uint64_t *)target, first, __ATOMIC_RELEASE);
	writer->offset += record->size;
}

/* The last words: why the trace ends here. */
static void store_reason(struct trace_writer *writer, int failure)
{
	union {
		struct trace_coverage coverage;
		char bytes[LAST_WORDS];
	} last = {.coverage = {.record = {.type = TRACE_COVERAGE}, .count = 1}};
	const char *name = coverage_row(COVERAGE_TRACE_CUT)->name;
	size_t start = offsetof(struct trace_coverage, text), detail = start + strlen(name) + 1;

	memcpy(last.bytes + start, name, strlen(name) + 1);
	/* cut to what fits */
	snprintf(last.bytes + detail, sizeof(last) - detail, "%llu: %s",
		 (unsigned long long)writer->offset, strerror(failure));
	store(writer, &last.coverage.record, detail + strlen(last.bytes + detail) + 1);
}

int trace_append(struct trace_writer *writer, struct trace_record *record, size_t size)
{
	uint64_t padded = round_up(size, 8);
	int failure;

	if (writer->failed)
		return -1;
	if (padded > TRACE_RECORD_MAX)
		failure = EFBIG;
	else if (writer->offset + padded + LAST_WORDS <= writer->file_size)
		failure = 0;
	else
		failure = grow(writer, padded + LAST_WORDS);
	if (failure) {
		error_set(&writer->failure, "cut at offset %llu: %s",
			  (unsigned long long)writer->offset, strerror(failure));
		writer->failed = true;
		store_reason(writer, failure);
		return -1;
	}
	store(writer, record, size);
	return 0;
}

const char *trace_writer_failure(const struct trace_writer *writer)
{
	return writer->failure.text;
}

static void store_header(struct trace_writer *writer, uint64_t start_ns)
{
	struct trace_header header = {.version = TRACE_VERSION,
				      .header_size = sizeof(header),
				      .features = TRACE_FEATURES_KNOWN,
				      .start_ns = start_ns};

	memcpy(header.magic, TRACE_MAGIC, sizeof(header.magic));
	header.check = trace_check_header(&header);
	memcpy(writer->window, &header, sizeof(header));
	writer->offset = sizeof(header);
}

struct trace_writer *trace_create(const char *path, uint64_t start_ns, struct error *error)
{
	struct trace_writer *writer = calloc(1, sizeof(*writer));
	int failure = ENOMEM, fd;

	if (!writer || !(writer->path = strdup(path)))
		goto fail;
	writer->grow = GROW_FIRST;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	failure = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	if (!failure)
		failure = grow(writer, sizeof(struct trace_header) + LAST_WORDS);
	if (failure)
		goto fail;
	store_header(writer, start_ns);
	return writer;

fail:
	/* an empty file stays: it says that there was a process */
	error_set(error, "cannot write %s: %s", path, strerror(failure));
	if (writer)
		free(writer->path);
	free(writer);
	errno = failure;
	return NULL;
}

void trace_close(struct trace_writer *writer)
{
	if (!writer)
		return;
	munmap(writer->window, writer->file_size - writer->window_start);
	/* when it fails, zeros after the last record end the trace as well */
	if (truncate(writer->path, (off_t)writer->offset) != 0)
		writer->failed = true;
	free(writer->path);
	free(writer);
}
