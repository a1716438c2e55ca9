/* render/format.c: the table of formats and the walker. */
#include "render/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

const struct render_format *const render_formats[] = {
#define FORMAT(name) &render_##name,
#include "render/formats.def"
	NULL,
};

const struct render_format *render_format_named(const char *name)
{
	for (const struct render_format *const *format = render_formats; *format; format++)
		if (!strcmp((*format)->name, name))
			return *format;
	return NULL;
}

const struct render_format *render_format_of_file(const char *path)
{
	const struct render_format *found = NULL;
	size_t length = strlen(path), longest = 0;

	for (const struct render_format *const *format = render_formats; *format; format++)
		for (const char *const *ending = (*format)->endings; *ending; ending++) {
			size_t size = strlen(*ending);

			if (size <= longest || size > length ||
			    strcasecmp(path + length - size, *ending) != 0)
				continue;
			found = *format;
			longest = size;
		}
	return found;
}

static void walk_vertices(const struct render_format *format, const struct picture *picture,
			  FILE *out)
{
	for (uint32_t i = 0; format->vertex && i < picture->vertex_count; i++)
		format->vertex(out, &picture->vertices[i]);
}

static void walk(const struct render_format *format, const struct picture *picture, FILE *out)
{
	format->begin(out, picture);
	if (format->vertices_first)
		walk_vertices(format, picture, out);
	/* the most redundant ones last, so that they lie on top */
	for (uint32_t band = 0; band < BAND_COUNT; band++)
		for (uint32_t i = 0; format->edge && i < picture->edge_count; i++)
			if (picture->edges[i].band == band)
				format->edge(out, picture, &picture->edges[i]);
	if (!format->vertices_first)
		walk_vertices(format, picture, out);
	if (format->end)
		format->end(out, picture);
}

int render_write(const struct render_format *format, const struct picture *picture, FILE *out,
		 char **remark, struct error *error)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory;
	int result;

	*remark = NULL;
	if (format->write) {
		format->write(picture, out, remark);
		return 0;
	}
	if (!format->convert) {
		walk(format, picture, out);
		return 0;
	}
	memory = xopen_memstream(&text, &size);
	walk(format, picture, memory);
	if (fclose(memory) != 0)
		result = error_set(error, "cannot draw: %s", strerror(errno));
	else
		result = format->convert(text, size, out, remark, error);
	free(text);
	return result;
}
