#include "query/print.h"

#include <ctype.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "query/calls.h"
#include "query/filter/select.h"
#include "util/json.h"
#include "util/memory.h"
#include "util/output.h"
#include "util/text.h"

/* -- text -- */

static void put_number(FILE *file, double number)
{
	char text[JSON_SHORTEST_SIZE];

	if (isnan(number)) {
		fputs("NaN", file);
		return;
	}
	if (isinf(number)) {
		fputs(number < 0 ? "-Infinity" : "Infinity", file);
		return;
	}
	fputs(json_shortest(number, text), file);
}

static void put_vertex(FILE *file, const struct engine *engine, uint32_t vertex)
{
	const struct engine_labels *labels = engine->labels[vertex];

	fprintf(file, "(%" PRIu32, engine_id(engine, vertex));
	for (uint32_t i = 0; i < labels->count; i++)
		fprintf(file, ":%s", labels->names[i]);
	if (vertex >= engine->flow_vertices)
		fprintf(file, " %s", calls_title(engine, vertex));
	else if (engine->graph)
		fprintf(file, " %s", selector_name(&engine->graph->vertices[vertex]));
	putc(')', file);
}

static const char *type_of(const struct engine *engine, uint32_t edge)
{
	return engine->types[edge] ? engine->types[edge] : "";
}

/* Ids of calls and objects are not those of vertices. */
static void put_id(FILE *file, const struct engine *engine, uint32_t vertex)
{
	fprintf(file, "(%s%s%" PRIu32 ")",
		vertex < engine->flow_vertices ? "" : engine->labels[vertex]->names[0],
		vertex < engine->flow_vertices ? "" : " ", engine_id(engine, vertex));
}

static void put_path(FILE *file, const struct engine *engine, const struct value_path *path)
{
	put_id(file, engine, path->items[0]);
	for (uint32_t i = 1; i < 2 * path->length; i += 2) {
		bool forwards = engine->from[path->items[i]] == path->items[i - 1];

		fprintf(file, "%s-[%s]-%s", forwards ? "" : "<", type_of(engine, path->items[i]),
			forwards ? ">" : "");
		put_id(file, engine, path->items[i + 1]);
	}
}

/* As the language reads it: 'it\'s' */
static void put_quoted(FILE *file, const char *text, char quote)
{
	putc(quote, file);
	for (; *text; text++) {
		if (*text == quote || *text == '\\')
			putc('\\', file);
		putc(*text, file);
	}
	putc(quote, file);
}

static void put_key(FILE *file, const char *key)
{
	bool plain = *key && !isdigit((unsigned char)*key);

	for (const char *c = key; *c && plain; c++)
		plain = isalnum((unsigned char)*c) || *c == '_' || *c & 0x80;
	if (plain) {
		fputs(key, file);
		return;
	}
	putc('`', file);
	for (; *key; key++)
		fputs(*key == '`' ? "``" : (char[]){*key, '\0'}, file);
	putc('`', file);
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
		if (nested)
			put_quoted(file, value.text, '\'');
		else
			fputs(value.text, file);
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
			fputs(i ? ", " : "", file);
			put_key(file, value.map->entries[i].key);
			fputs(": ", file);
			put_text(file, engine, value.map->entries[i].value, true);
		}
		putc('}', file);
		break;
	case VALUE_VERTEX:
		put_vertex(file, engine, value.index);
		break;
	case VALUE_EDGE:
		put_id(file, engine, engine->from[value.index]);
		fprintf(file, "-[%s]->", type_of(engine, value.index));
		put_id(file, engine, engine->to[value.index]);
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

static void put_json(struct json *json, struct engine *engine, struct value value);

static void put_json_properties(struct json *json, struct engine *engine, struct value of)
{
	const struct columns *columns = engine_columns(engine, of.type == VALUE_EDGE);

	json_name(json, "properties");
	json_begin(json, '{');
	for (uint32_t i = 0; i < columns->count; i++) {
		struct value value = engine_value(columns->items[i], of.index);

		if (value.type == VALUE_NULL || columns->items[i]->hidden)
			continue;
		json_name(json, columns->items[i]->name);
		put_json(json, engine, value);
	}
	json_end(json, '}');
}

static void put_json_vertex(struct json *json, struct engine *engine, struct value value)
{
	const struct engine_labels *labels = engine->labels[value.index];

	json_begin(json, '{');
	json_named_count(json, "id", engine_id(engine, value.index));
	json_name(json, "labels");
	json_begin(json, '[');
	for (uint32_t i = 0; i < labels->count; i++)
		json_text(json, labels->names[i]);
	json_end(json, ']');
	put_json_properties(json, engine, value);
	json_end(json, '}');
}

static void put_json_edge(struct json *json, struct engine *engine, struct value value)
{
	json_begin(json, '{');
	json_named_count(json, "id", value.index);
	json_name(json, "type");
	json_text(json, engine->types[value.index]);
	json_named_count(json, "start", engine_id(engine, engine->from[value.index]));
	json_named_count(json, "end", engine_id(engine, engine->to[value.index]));
	put_json_properties(json, engine, value);
	json_end(json, '}');
}

static void put_json_path(struct json *json, struct engine *engine, const struct value_path *path)
{
	json_begin(json, '{');
	json_name(json, "vertices");
	json_begin(json, '[');
	for (uint32_t i = 0; i <= path->length; i++)
		put_json_vertex(json, engine, value_vertex(path->items[2 * i]));
	json_end(json, ']');
	json_name(json, "edges");
	json_begin(json, '[');
	for (uint32_t i = 0; i < path->length; i++)
		put_json_edge(json, engine, value_edge(path->items[2 * i + 1]));
	json_end(json, ']');
	json_end(json, '}');
}

static void put_json(struct json *json, struct engine *engine, struct value value)
{
	switch (value.type) {
	case VALUE_NULL:
		json_text(json, NULL);
		break;
	case VALUE_BOOLEAN:
		json_raw(json, value.boolean ? "true" : "false");
		break;
	case VALUE_INTEGER:
		json_raw(json, "%" PRId64, value.integer);
		break;
	case VALUE_FLOAT:
		json_real(json, value.number);
		break;
	case VALUE_STRING:
		json_text(json, value.text);
		break;
	case VALUE_LIST:
		json_begin(json, '[');
		for (uint32_t i = 0; i < value.list->count; i++)
			put_json(json, engine, value.list->items[i]);
		json_end(json, ']');
		break;
	case VALUE_MAP:
		json_begin(json, '{');
		for (uint32_t i = 0; i < value.map->count; i++) {
			json_name(json, value.map->entries[i].key);
			put_json(json, engine, value.map->entries[i].value);
		}
		json_end(json, '}');
		break;
	case VALUE_VERTEX:
		put_json_vertex(json, engine, value);
		break;
	case VALUE_EDGE:
		put_json_edge(json, engine, value);
		break;
	case VALUE_PATH:
		put_json_path(json, engine, value.path);
		break;
	}
}

static bool stopped(const volatile sig_atomic_t *interrupted)
{
	return interrupted && *interrupted;
}

static void print_json(struct engine *engine, const struct query_result *result, bool lines,
		       const volatile sig_atomic_t *interrupted, FILE *file)
{
	fputs(lines ? "" : "[", file);
	for (uint64_t row = 0; row < result->count && !stopped(interrupted); row++) {
		struct json json = {.file = file, .style = JSON_COMPACT};

		fputs(lines ? "" : row ? ",\n " : "\n ", file);
		json_begin(&json, '{');
		for (uint32_t i = 0; i < result->width; i++) {
			json_name(&json, result->names[i]);
			put_json(&json, engine, result->rows[row * result->width + i]);
		}
		json_end(&json, '}');
		fputs(lines ? "\n" : "", file);
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

/* One cell after the other as text, in the same memory. */
struct cells {
	const struct engine *engine;
	FILE *file;
	char *text;
	size_t size;
};

static struct cells *new_cells(const struct engine *engine)
{
	struct cells *cells = xcalloc(1, sizeof(*cells));

	cells->engine = engine;
	cells->file = xopen_memstream(&cells->text, &cells->size);
	return cells;
}

static void free_cells(struct cells *cells)
{
	fclose(cells->file);
	free(cells->text);
	free(cells);
}

/* Valid until the next call. */
static const char *cell(struct cells *cells, struct value value)
{
	rewind(cells->file);
	put_text(cells->file, cells->engine, value, false);
	putc('\0', cells->file);
	fflush(cells->file);
	return cells->text;
}

static void print_separated(struct engine *engine, const struct query_result *result, bool csv,
			    const volatile sig_atomic_t *interrupted, FILE *file)
{
	void (*put)(FILE *, const char *) = csv ? put_csv : put_tsv;
	struct cells *cells = new_cells(engine);

	for (uint32_t i = 0; i < result->width; i++) {
		fputs(i ? csv ? "," : "\t" : "", file);
		put(file, result->names[i]);
	}
	putc('\n', file);
	for (uint64_t row = 0; row < result->count && !stopped(interrupted); row++) {
		for (uint32_t i = 0; i < result->width; i++) {
			const struct value *value = &result->rows[row * result->width + i];

			fputs(i ? csv ? "," : "\t" : "", file);
			if (csv && value->type == VALUE_STRING && !*value->text)
				fputs("\"\"", file); /* null is nothing at all */
			else
				put(file, cell(cells, *value));
		}
		putc('\n', file);
	}
	free_cells(cells);
}

/* -- the table -- */

#define NARROWEST 8 /* that a column is cut to */

/* Bytes of the text's first characters that fit into the room; *width: the columns they take. */
static size_t fitting(const char *text, size_t room, size_t *width)
{
	mbstate_t state = {0};
	size_t at = 0;
	wchar_t wide;

	*width = 0;
	while (text[at]) {
		size_t length = text[at] & 0x80 ? mbrtowc(&wide, text + at, 8, &state) : 1;
		size_t columns = 1;

		if (length > 8) {
			state = (mbstate_t){0};
			length = 1;
		} else if (length > 1) {
			columns = wcwidth(wide) < 0 ? 1 : (size_t)wcwidth(wide);
		}
		if (columns > room - *width)
			break;
		*width += columns;
		at += length;
	}
	return at;
}

/* Columns of a terminal: wide characters take two, combining ones none. */
static size_t width_of(const char *text)
{
	size_t width;

	fitting(text, SIZE_MAX, &width);
	return width;
}

struct table_column {
	size_t width;
	size_t least; /* of its numbers, which mean something else when they are cut */
};

static size_t cut_width(const struct table_column *column, size_t limit)
{
	limit = limit > column->least ? limit : column->least;
	return column->width < limit ? column->width : limit;
}

/* The most that each column may have, so that the row fits into the line. */
static size_t limit_of(const struct table_column *columns, uint32_t count, size_t line)
{
	for (size_t limit = line; limit > NARROWEST; limit--) {
		size_t sum = 2 * ((size_t)count - 1);

		for (uint32_t i = 0; i < count; i++)
			sum += cut_width(&columns[i], limit);
		if (sum <= line)
			return limit;
	}
	return NARROWEST;
}

/* Names of kernels can be longer than any terminal is wide: the widest columns are cut. */
static void fit_line(FILE *file, struct table_column *columns, uint32_t count)
{
	size_t limit = count ? limit_of(columns, count, output_columns(file)) : 0;

	for (uint32_t i = 0; i < count; i++)
		columns[i].width = cut_width(&columns[i], limit);
}

static char *clean_cell(struct cells *cells, struct value value)
{
	const char *text = cell(cells, value);

	return text_clean(text, strlen(text), 0);
}

static void put_cell(FILE *file, const char *text, size_t width, bool right, bool last)
{
	size_t taken = width_of(text), length = strlen(text), space;
	const char *end = "";

	if (taken > width) {
		end = "…";
		length = fitting(text, width - 1, &taken);
		taken++;
	}
	space = width - taken;
	fprintf(file, "%*s%.*s%s", right ? (int)space : 0, "", (int)length, text, end);
	if (!last)
		fprintf(file, "%*s  ", right ? 0 : (int)space, "");
}

static void put_heading(FILE *file, const struct query_result *result,
			const struct table_column *columns)
{
	for (uint32_t i = 0; i < result->width; i++) {
		char *name = text_clean(result->names[i], strlen(result->names[i]), 0);

		put_cell(file, name, columns[i].width, false, i + 1 == result->width);
		free(name);
	}
	putc('\n', file);
	for (uint32_t i = 0; i < result->width; i++) {
		for (size_t width = columns[i].width; width > 0; width--)
			putc('-', file);
		fputs(i + 1 == result->width ? "\n" : "  ", file);
	}
}

/* Every cell is made twice: once to learn the widths. */
static void print_cells(struct engine *engine, const struct query_result *result,
			const volatile sig_atomic_t *interrupted, FILE *file)
{
	struct table_column *columns = xcalloc((size_t)result->width + 1, sizeof(*columns));
	struct cells *cells = new_cells(engine);

	for (uint32_t i = 0; i < result->width; i++) {
		char *name = text_clean(result->names[i], strlen(result->names[i]), 0);

		columns[i].width = width_of(name);
		free(name);
	}
	for (uint64_t at = 0; at < result->count * result->width && !stopped(interrupted); at++) {
		struct table_column *column = &columns[at % result->width];
		char *text = clean_cell(cells, result->rows[at]);
		size_t width = width_of(text);

		if (width > column->width)
			column->width = width;
		if (VALUE_IS_NUMBER(result->rows[at]) && width > column->least)
			column->least = width;
		free(text);
	}
	fit_line(file, columns, result->width);
	put_heading(file, result, columns);
	for (uint64_t at = 0; at < result->count * result->width && !stopped(interrupted); at++) {
		uint32_t column = (uint32_t)(at % result->width);
		char *text = clean_cell(cells, result->rows[at]);

		put_cell(file, text, columns[column].width, VALUE_IS_NUMBER(result->rows[at]),
			 column + 1 == result->width);
		if (column + 1 == result->width)
			putc('\n', file);
		free(text);
	}
	free_cells(cells);
	free(columns);
}

static void print_table(struct engine *engine, const struct query_result *result,
			const volatile sig_atomic_t *interrupted, FILE *file)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before;

	before = utf8 ? uselocale(utf8) : (locale_t)0;
	print_cells(engine, result, interrupted, file);
	if (utf8) {
		uselocale(before);
		freelocale(utf8);
	}
}

void print_result(struct engine *engine, const struct query_result *result, enum print_type type,
		  const volatile sig_atomic_t *interrupted, FILE *file)
{
	switch (type) {
	case PRINT_TABLE:
		print_table(engine, result, interrupted, file);
		break;
	case PRINT_TSV:
	case PRINT_CSV:
		print_separated(engine, result, type == PRINT_CSV, interrupted, file);
		break;
	case PRINT_JSON:
	case PRINT_JSONL:
		print_json(engine, result, type == PRINT_JSONL, interrupted, file);
		break;
	}
}
