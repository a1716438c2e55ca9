#include "query/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/select.h"
#include "util/memory.h"
#include "util/text.h"

/* -- text -- */

/* The shortest form that reads back the same, never without a point or exponent. */
static void put_number(FILE *file, double number)
{
	char text[40];

	if (isnan(number)) {
		fputs("NaN", file);
		return;
	}
	if (isinf(number)) {
		fputs(number < 0 ? "-Infinity" : "Infinity", file);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	fputs(text, file);
	if (!strpbrk(text, ".e"))
		fputs(".0", file);
}

static void put_vertex(FILE *file, const struct engine *engine, uint32_t vertex)
{
	const struct engine_labels *labels = engine->labels[vertex];

	fprintf(file, "(%" PRIu32, engine_id(engine, vertex));
	for (uint32_t i = 0; i < labels->count; i++)
		fprintf(file, ":%s", labels->names[i]);
	if (engine->graph)
		fprintf(file, " %s", selector_name(&engine->graph->vertices[vertex]));
	putc(')', file);
}

static const char *type_of(const struct engine *engine, uint32_t edge)
{
	return engine->types[edge] ? engine->types[edge] : "";
}

static void put_path(FILE *file, const struct engine *engine, const struct value_path *path)
{
	fprintf(file, "(%" PRIu32 ")", engine_id(engine, path->items[0]));
	for (uint32_t i = 1; i < 2 * path->length; i += 2) {
		bool forwards = engine->from[path->items[i]] == path->items[i - 1];

		fprintf(file, "%s-[%s]-%s(%" PRIu32 ")", forwards ? "" : "<",
			type_of(engine, path->items[i]), forwards ? ">" : "",
			engine_id(engine, path->items[i + 1]));
	}
}

static void put_text(FILE *file, const struct engine *engine, struct value value, bool nested)
{
	switch (value.type) {
	case VALUE_NULL:
		fputs(nested ? "null" : "", file);
		break;
	case VALUE_BOOLEAN:
		fputs(value.boolean ? "true" : "false", file);
		break;
	case VALUE_INTEGER:
		fprintf(file, "%" PRId64, value.integer);
		break;
	case VALUE_FLOAT:
		put_number(file, value.number);
		break;
	case VALUE_STRING:
		fprintf(file, nested ? "'%s'" : "%s", value.text);
		break;
	case VALUE_LIST:
		putc('[', file);
		for (uint32_t i = 0; i < value.list->count; i++) {
			fputs(i ? ", " : "", file);
			put_text(file, engine, value.list->items[i], true);
		}
		putc(']', file);
		break;
	case VALUE_MAP:
		putc('{', file);
		for (uint32_t i = 0; i < value.map->count; i++) {
			fprintf(file, "%s%s: ", i ? ", " : "", value.map->entries[i].key);
			put_text(file, engine, value.map->entries[i].value, true);
		}
		putc('}', file);
		break;
	case VALUE_VERTEX:
		put_vertex(file, engine, value.index);
		break;
	case VALUE_EDGE:
		fprintf(file, "(%" PRIu32 ")-[%s]->(%" PRIu32 ")",
			engine_id(engine, engine->from[value.index]), type_of(engine, value.index),
			engine_id(engine, engine->to[value.index]));
		break;
	case VALUE_PATH:
		put_path(file, engine, value.path);
		break;
	}
}

char *print_value(const struct engine *engine, struct value value)
{
	size_t size;
	char *text;
	FILE *file = xopen_memstream(&text, &size);

	put_text(file, engine, value, false);
	fclose(file);
	return text;
}

/* -- JSON -- */

static void put_json_text(FILE *file, const char *text)
{
	putc('"', file);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(file, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(file, "\\u%04x", c);
		else
			putc(c, file);
	}
	putc('"', file);
}

static void put_json(FILE *file, struct engine *engine, struct value value);

static void put_json_properties(FILE *file, struct engine *engine, struct value of)
{
	const struct columns *columns = engine_columns(engine, of.type == VALUE_EDGE);
	bool first = true;

	fputs(",\"properties\":{", file);
	for (uint32_t i = 0; i < columns->count; i++) {
		struct value value = engine_value(columns->items[i], of.index);

		if (value.type == VALUE_NULL || columns->items[i]->hidden)
			continue;
		fputs(first ? "" : ",", file);
		put_json_text(file, columns->items[i]->name);
		putc(':', file);
		put_json(file, engine, value);
		first = false;
	}
	fputs("}}", file);
}

static void put_json_vertex(FILE *file, struct engine *engine, struct value value)
{
	const struct engine_labels *labels = engine->labels[value.index];

	fprintf(file, "{\"id\":%" PRIu32 ",\"labels\":[", engine_id(engine, value.index));
	for (uint32_t i = 0; i < labels->count; i++) {
		fputs(i ? "," : "", file);
		put_json_text(file, labels->names[i]);
	}
	putc(']', file);
	put_json_properties(file, engine, value);
}

static void put_json_edge(FILE *file, struct engine *engine, struct value value)
{
	fprintf(file, "{\"id\":%" PRIu32 ",\"type\":", value.index);
	if (engine->types[value.index])
		put_json_text(file, engine->types[value.index]);
	else
		fputs("null", file);
	fprintf(file, ",\"start\":%" PRIu32 ",\"end\":%" PRIu32,
		engine_id(engine, engine->from[value.index]),
		engine_id(engine, engine->to[value.index]));
	put_json_properties(file, engine, value);
}

static void put_json_path(FILE *file, struct engine *engine, const struct value_path *path)
{
	fputs("{\"vertices\":[", file);
	for (uint32_t i = 0; i <= path->length; i++) {
		fputs(i ? "," : "", file);
		put_json(file, engine, value_vertex(path->items[2 * i]));
	}
	fputs("],\"edges\":[", file);
	for (uint32_t i = 0; i < path->length; i++) {
		fputs(i ? "," : "", file);
		put_json(file, engine, value_edge(path->items[2 * i + 1]));
	}
	fputs("]}", file);
}

static void put_json(FILE *file, struct engine *engine, struct value value)
{
	switch (value.type) {
	case VALUE_NULL:
		fputs("null", file);
		break;
	case VALUE_STRING:
		put_json_text(file, value.text);
		break;
	case VALUE_FLOAT:
		if (isfinite(value.number))
			put_number(file, value.number);
		else
			fputs("null", file); /* JSON has no word for it */
		break;
	case VALUE_LIST:
		putc('[', file);
		for (uint32_t i = 0; i < value.list->count; i++) {
			fputs(i ? "," : "", file);
			put_json(file, engine, value.list->items[i]);
		}
		putc(']', file);
		break;
	case VALUE_MAP:
		putc('{', file);
		for (uint32_t i = 0; i < value.map->count; i++) {
			fputs(i ? "," : "", file);
			put_json_text(file, value.map->entries[i].key);
			putc(':', file);
			put_json(file, engine, value.map->entries[i].value);
		}
		putc('}', file);
		break;
	case VALUE_VERTEX:
		put_json_vertex(file, engine, value);
		break;
	case VALUE_EDGE:
		put_json_edge(file, engine, value);
		break;
	case VALUE_PATH:
		put_json_path(file, engine, value.path);
		break;
	default:
		put_text(file, engine, value, true);
	}
}

static void print_json(struct engine *engine, const struct query_result *result, bool lines,
		       FILE *file)
{
	fputs(lines ? "" : "[", file);
	for (uint64_t row = 0; row < result->count; row++) {
		fputs(lines ? "{" : row ? ",\n {" : "\n {", file);
		for (uint32_t i = 0; i < result->width; i++) {
			fputs(i ? "," : "", file);
			put_json_text(file, result->names[i]);
			putc(':', file);
			put_json(file, engine, result->rows[row * result->width + i]);
		}
		fputs(lines ? "}\n" : "}", file);
	}
	fputs(lines ? "" : result->count ? "\n]\n" : "]\n", file);
}

/* -- columns -- */

static void put_tsv(FILE *file, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '\t':
			fputs("\\t", file);
			break;
		case '\n':
			fputs("\\n", file);
			break;
		case '\r':
			fputs("\\r", file);
			break;
		case '\\':
			fputs("\\\\", file);
			break;
		default:
			putc(*text, file);
		}
}

static void put_csv(FILE *file, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, file);
		return;
	}
	putc('"', file);
	for (; *text; text++)
		fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, file);
	putc('"', file);
}

static void print_separated(struct engine *engine, const struct query_result *result, bool csv,
			    FILE *file)
{
	void (*put)(FILE *, const char *) = csv ? put_csv : put_tsv;

	for (uint32_t i = 0; i < result->width; i++) {
		fputs(i ? csv ? "," : "\t" : "", file);
		put(file, result->names[i]);
	}
	putc('\n', file);
	for (uint64_t row = 0; row < result->count; row++) {
		for (uint32_t i = 0; i < result->width; i++) {
			char *text = print_value(engine, result->rows[row * result->width + i]);

			fputs(i ? csv ? "," : "\t" : "", file);
			put(file, text);
			free(text);
		}
		putc('\n', file);
	}
}

static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static char *cell(const struct engine *engine, struct value value)
{
	char *text = print_value(engine, value), *clean = text_clean(text, strlen(text), 0);

	free(text);
	return clean;
}

static void put_cell(FILE *file, const char *text, size_t width, bool right, bool last)
{
	size_t space = width - width_of(text);

	fprintf(file, "%*s%s", right ? (int)space : 0, "", text);
	if (!last)
		fprintf(file, "%*s  ", right ? 0 : (int)space, "");
}

static void print_table(struct engine *engine, const struct query_result *result, FILE *file)
{
	size_t *widths = xcalloc((size_t)result->width + 1, sizeof(*widths)), width;

	for (uint32_t i = 0; i < result->width; i++)
		widths[i] = width_of(result->names[i]);
	for (uint64_t at = 0; at < result->count * result->width; at++) {
		char *text = cell(engine, result->rows[at]);

		width = width_of(text);
		if (width > widths[at % result->width])
			widths[at % result->width] = width;
		free(text);
	}
	for (uint32_t i = 0; i < result->width; i++)
		put_cell(file, result->names[i], widths[i], false, i + 1 == result->width);
	putc('\n', file);
	for (uint32_t i = 0; i < result->width; i++) {
		for (width = widths[i]; width > 0; width--)
			putc('-', file);
		fputs(i + 1 == result->width ? "\n" : "  ", file);
	}
	for (uint64_t at = 0; at < result->count * result->width; at++) {
		uint32_t column = (uint32_t)(at % result->width);
		char *text = cell(engine, result->rows[at]);

		put_cell(file, text, widths[column], VALUE_IS_NUMBER(result->rows[at]),
			 column + 1 == result->width);
		if (column + 1 == result->width)
			putc('\n', file);
		free(text);
	}
	free(widths);
}

void print_result(struct engine *engine, const struct query_result *result, enum print_type type,
		  FILE *file)
{
	switch (type) {
	case PRINT_TABLE:
		print_table(engine, result, file);
		break;
	case PRINT_TSV:
	case PRINT_CSV:
		print_separated(engine, result, type == PRINT_CSV, file);
		break;
	case PRINT_JSON:
	case PRINT_JSONL:
		print_json(engine, result, type == PRINT_JSONL, file);
		break;
	}
}
