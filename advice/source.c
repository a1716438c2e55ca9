#include "advice/source.h"

#include <stdlib.h>
#include <string.h>

#include "advice/source_files.h"
#include "util/memory.h"
#include "util/text.h"

enum { LINE_LIMIT = 4096 };

static char *clean_line(const char *bytes, size_t length, uint32_t width)
{
	char *line = xstrndup(bytes, length < LINE_LIMIT ? length : LINE_LIMIT), *text;

	length = strcspn(line, "\n");
	for (char *at = line; at < line + length; at++)
		if (*at == '\t')
			*at = ' ';
	while (length && strchr(" \r", line[length - 1])) /* "\r\n" ends lines of Windows */
		length--;
	text = text_clean(line, length, width);
	free(line);
	return text;
}

struct source source_read(struct source_files *files, const char *path, uint32_t line,
			  uint32_t width)
{
	uint32_t first = line > 1 ? line - 1 : 1;
	struct source source = {.first = first};
	struct source_lines lines = {0};

	if (line)
		lines = source_files_read(files, path);
	if (!lines.bytes || line > lines.count)
		return source;
	for (uint32_t i = 0, n = first; i < SOURCE_LINES && n <= lines.count; i++, n++) {
		size_t begin = lines.begins[n - 1];
		size_t end = n < lines.count ? lines.begins[n] : lines.size;

		source.lines[i] = clean_line(lines.bytes + begin, end - begin, width);
	}
	return source;
}

void source_free(struct source *source)
{
	for (int i = 0; i < SOURCE_LINES; i++) {
		free(source->lines[i]);
		source->lines[i] = NULL;
	}
}
