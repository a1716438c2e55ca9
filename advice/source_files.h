/*
 * advice/source_files.h: source files in memory, each read once.  A path from a profile may be that
 * of anything: only regular files are opened.
 */
#ifndef VFLOW_ADVICE_SOURCE_FILES_H
#define VFLOW_ADVICE_SOURCE_FILES_H

#include <stddef.h>
#include <stdint.h>

struct source_file;

/* Zeroed: none. */
struct source_files {
	struct source_file *files; /* by path */
	size_t bytes;              /* that they take */
};

struct source_lines {
	const char *bytes; /* ended by a NUL, and may hold others; NULL: not readable */
	size_t size;
	const uint32_t *begins; /* of lines, in `bytes` */
	uint32_t count;
};

/* The file's first 16 MiB.  Valid until the next call with these files. */
struct source_lines source_files_read(struct source_files *files, const char *path);

/*
 * The same lines without comments, literals and preprocessor's lines, for which blanks stand;
 * `bytes` is NULL, too, where the file has a NUL or more than 4 MiB.  Valid until the next call.
 */
struct source_lines source_files_read_code(struct source_files *files, const char *path);

void source_files_release(struct source_files *files);

#endif
