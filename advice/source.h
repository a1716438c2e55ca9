/* advice/source.h: what stands in the source at a line; the file may be gone, or may be anything.
 */
#ifndef VFLOW_ADVICE_SOURCE_H
#define VFLOW_ADVICE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

enum { SOURCE_LINES = 3 };

/* A line with those around it, clean and cut to `width` bytes; NULL: not there.  Caller frees. */
struct source {
	uint32_t first; /* number of lines[0] */
	char *lines[SOURCE_LINES];
};

/* All NULL when the file cannot be read, or has no such line. */
struct source source_read(const char *file, uint32_t line, uint32_t width);
void source_free(struct source *source);

/* The whole file, ended by a NUL; NULL: it cannot be read, or has more than 4 MiB.  Caller frees.
 */
char *source_read_all(const char *path, size_t *size);

#endif
