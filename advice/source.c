#include "advice/source.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"
#include "util/text.h"

enum {
	FILE_LIMIT = 16 << 20, /* bytes that are looked at */
	LINE_LIMIT = 4096,
	TEXT_LIMIT = 4 << 20, /* bytes that are read whole */
};

/* NULL: no regular file.  A name from a profile may be that of a device or a pipe. */
static FILE *open_source(const char *path)
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
	return file;
}

/* The next line up to LINE_LIMIT; false: the end. */
static bool next_line(FILE *file, char line[LINE_LIMIT])
{
	size_t length;
	int c;

	if (!fgets(line, LINE_LIMIT, file))
		return false;
	length = strlen(line);
	if (length && line[length - 1] == '\n')
		line[length - 1] = '\0';
	else
		while ((c = getc(file)) != EOF && c != '\n')
			;
	return true;
}

static char *clean_line(char *line, uint32_t width)
{
	size_t length;
	char *text;

	for (char *at = line; *at; at++)
		if (*at == '\t')
			*at = ' ';
	length = strlen(line);
	while (length && line[length - 1] == ' ')
		length--;
	text = text_clean(line, length, width);
	return text;
}

struct source source_read(const char *path, uint32_t line, uint32_t width)
{
	uint32_t first = line > 1 ? line - 1 : 1, number = 0;
	struct source source = {.first = first};
	FILE *file = line ? open_source(path) : NULL;
	char text[LINE_LIMIT];

	while (file && number < first + SOURCE_LINES - 1 && ftell(file) < FILE_LIMIT &&
	       next_line(file, text))
		if (++number >= first)
			source.lines[number - first] = clean_line(text, width);
	if (file)
		fclose(file);
	if (number < line)
		source_free(&source);
	return source;
}

void source_free(struct source *source)
{
	for (int i = 0; i < SOURCE_LINES; i++) {
		free(source->lines[i]);
		source->lines[i] = NULL;
	}
}

char *source_read_all(const char *path, size_t *size)
{
	FILE *file = open_source(path);
	struct stat status;
	char *text = NULL;

	*size = 0;
	if (!file)
		return NULL;
	if (fstat(fileno(file), &status) == 0 && status.st_size <= TEXT_LIMIT) {
		text = xmalloc((size_t)status.st_size + 1);
		*size = fread(text, 1, (size_t)status.st_size, file);
		text[*size] = '\0';
	}
	fclose(file);
	return text;
}
