#include "advice/source_files.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uthash.h>

#include "advice/source_blank.h"
#include "util/memory.h"

enum {
	FILE_LIMIT = 16 << 20, /* bytes that are read of a file */
	CODE_LIMIT = 4 << 20,
	KEPT_LIMIT = 64 << 20, /* bytes of all files; with more they are read anew */
};

struct source_file {
	char *path;
	char *bytes; /* NULL: not readable */
	size_t size;
	uint32_t *begins; /* of lines */
	uint32_t line_count, line_capacity;
	char *code; /* NULL: not asked for yet, or none */
	UT_hash_handle hh;
};

/* NULL: no regular file.  A name from a profile may be that of a device or a pipe. */
static FILE *open_source(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	FILE *file;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || !(file = fdopen(fd, "r"))) {
		close(fd);
		return NULL;
	}
	*size = status.st_size < FILE_LIMIT ? (size_t)status.st_size : FILE_LIMIT;
	return file;
}

static void read_bytes(struct source_file *source)
{
	FILE *file = open_source(source->path, &source->size);

	if (!file)
		return;
	source->bytes = xmalloc(source->size + 1);
	source->size = fread(source->bytes, 1, source->size, file);
	source->bytes[source->size] = '\0';
	fclose(file);
}

static void find_lines(struct source_file *source)
{
	const char *end = source->bytes + source->size;

	for (const char *at = source->bytes; at && at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		ARRAY_RESERVE(source->begins, source->line_count, source->line_capacity);
		source->begins[source->line_count++] = (uint32_t)(at - source->bytes);
		at = newline ? newline + 1 : NULL;
	}
}

static struct source_file *find_file(struct source_files *files, const char *path)
{
	struct source_file *source;

	HASH_FIND_STR(files->files, path, source);
	if (source)
		return source;
	if (files->bytes > KEPT_LIMIT)
		source_files_release(files);
	source = xcalloc(1, sizeof(*source));
	source->path = xstrdup(path);
	HASH_ADD_KEYPTR(hh, files->files, source->path, strlen(source->path), source);
	read_bytes(source);
	find_lines(source);
	files->bytes += sizeof(*source) + strlen(path) + source->size +
			source->line_capacity * sizeof(*source->begins);
	return source;
}

struct source_lines source_files_read(struct source_files *files, const char *path)
{
	const struct source_file *source = find_file(files, path);

	return (struct source_lines){source->bytes, source->size, source->begins,
				     source->line_count};
}

static bool is_text(const struct source_file *source)
{
	return source->bytes && source->size <= CODE_LIMIT && strlen(source->bytes) == source->size;
}

struct source_lines source_files_read_code(struct source_files *files, const char *path)
{
	struct source_file *source = find_file(files, path);

	if (!source->code && is_text(source)) {
		source->code = xstrdup(source->bytes);
		source_blank(source->code);
		files->bytes += source->size;
	}
	return (struct source_lines){source->code, source->size, source->begins,
				     source->line_count};
}

void source_files_release(struct source_files *files)
{
	struct source_file *source, *next;

	HASH_ITER(hh, files->files, source, next)
	{
		HASH_DEL(files->files, source);
		free(source->path);
		free(source->bytes);
		free(source->begins);
		free(source->code);
		free(source);
	}
	files->bytes = 0;
}
