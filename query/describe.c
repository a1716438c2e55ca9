#include "query/describe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "query/print.h"
#include "util/memory.h"
#include "util/text.h"

enum { EXAMPLE = 50, NAMES = 100 };

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_name(FILE *file, const char *name)
{
	char *clean = text_clean(name, strlen(name), 60);

	fprintf(file, "  %-18s", clean);
	free(clean);
}

static uint32_t labelled(const struct engine *engine, const char *label)
{
	uint32_t count = 0;

	for (uint32_t v = 0; v < engine->vertex_count; v++)
		count += engine_has_label(engine, v, label);
	return count;
}

static uint32_t of_type(const struct engine *engine, const char *type)
{
	uint32_t count = 0;

	for (uint32_t e = 0; e < engine->edge_count; e++)
		count += engine->types[e] == type;
	return count;
}

static void put_names(const struct engine *engine, bool types, FILE *file)
{
	uint32_t count, shown = 0;
	const char **names = engine_names(engine, &count);

	qsort(names, count, sizeof(*names), by_text);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t times = types ? of_type(engine, names[i]) : labelled(engine, names[i]);

		if (!times || shown++ >= NAMES)
			continue;
		put_name(file, names[i]);
		fprintf(file, "%10" PRIu32 "\n", times);
	}
	if (shown > NAMES)
		fprintf(file, "  and %" PRIu32 " more\n", shown - NAMES);
	if (!shown)
		fprintf(file, "  none\n");
	free(names);
}

static void put_column(const struct engine *engine, const struct column *column, uint32_t count,
		       FILE *file)
{
	struct value example = {0};
	uint32_t present = 0;
	const char *type;
	char *text, *clean;

	for (uint32_t i = 0; i < count; i++) {
		struct value value = engine_value(column, i);

		if (value.type == VALUE_NULL)
			continue;
		if (!present++)
			example = value;
	}
	if (!present)
		return;
	type = value_type_name(example.type);
	type += strncmp(type, "an ", 3) == 0 ? 3 : 2;
	text = print_value(engine, example);
	clean = text_clean(text, strlen(text), EXAMPLE);
	put_name(file, column->name);
	fprintf(file, "%10" PRIu32 "  %-8s  %s\n", present, type, clean);
	free(text);
	free(clean);
}

static void put_columns(struct engine *engine, bool of_edge, FILE *file)
{
	const struct columns *columns = engine_columns(engine, of_edge);

	for (uint32_t i = 0; i < columns->count; i++)
		put_column(engine, columns->items[i],
			   of_edge ? engine->edge_count : engine->vertex_count, file);
}

void describe(struct engine *engine, FILE *file)
{
	fprintf(file, "Labels of %" PRIu32 " %s:\n", engine->vertex_count,
		text_plural(engine->vertex_count, "vertex", "vertices"));
	put_names(engine, false, file);
	fprintf(file, "Types of %" PRIu32 " edge%s:\n", engine->edge_count,
		text_plural(engine->edge_count, "", "s"));
	put_names(engine, true, file);
	fprintf(file, "Properties of vertices: how many have it, type, an example\n");
	put_columns(engine, false, file);
	fprintf(file, "Properties of edges:\n");
	put_columns(engine, true, file);
}
