/*
 * render/folded.c: folded stacks for flame graphs: one line for each operation, its call path from
 * the outermost frame to the operation, and a number.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"
#include "util/memory.h"

/* A frame: what separates frames must not occur in it. */
static void put_frame(FILE *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		fputc(text[i] == ';' ? ',' : text[i] == '\n' ? ' ' : text[i], out);
}

static const char *last_separator(const char *start, const char *end)
{
	for (const char *at = end - 3; at >= start; at--)
		if (!memcmp(at, " < ", 3))
			return at;
	return NULL;
}

static void put_stack(FILE *out, const struct graph_vertex *vertex)
{
	const char *start = vertex->callpath ? vertex->callpath : "";
	const char *name = vertex->name && *vertex->name ? vertex->name : vertex->node;

	for (const char *end = start + strlen(start); end > start;) {
		const char *separator = end - start > 3 ? last_separator(start, end) : NULL;
		const char *frame = separator ? separator + 3 : start;

		put_frame(out, frame, (size_t)(end - frame));
		fputc(';', out);
		end = separator ? separator : start;
	}
	put_frame(out, name, strlen(name));
}

static void begin(FILE *out, const struct picture *picture)
{
	const struct render_metric *metric = picture->metric ? picture->metric : &render_by_bytes;

	for (uint32_t i = 0; i < picture->vertex_count; i++) {
		uint64_t value = render_metric_of(picture->vertices[i].vertex, metric);

		if (!value)
			continue;
		put_stack(out, picture->vertices[i].vertex);
		fprintf(out, " %" PRIu64 "\n", value);
	}
}

const struct render_format render_folded = {
	.name = "folded",
	.endings = {".folded"},
	.everything = true,
	.begin = begin,
};
