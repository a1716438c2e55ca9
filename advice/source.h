/* advice/source.h: what stands in the source at a line; the file may be gone, or may be anything.
 */
#ifndef VFLOW_ADVICE_SOURCE_H
#define VFLOW_ADVICE_SOURCE_H

#include <stdint.h>

struct source_files;

enum { SOURCE_LINES = 3 };

/* A line with those around it, clean and cut to `width` bytes; NULL: not there.  Caller frees. */
struct source {
	uint32_t first; /* number of lines[0] */
	char *lines[SOURCE_LINES];
};

/* All NULL when the file cannot be read, or has no such line. */
struct source source_read(struct source_files *files, const char *path, uint32_t line,
			  uint32_t width);
void source_free(struct source *source);

#endif
