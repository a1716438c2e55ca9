/*
 * Runs the scenarios that tests/tck/check sends: one JSON object a line on stdin,
 * {"setup": [QUERY...], "query": QUERY, "parameters": {...}}, one on stdout,
 * {"rows": ...} as vflow query -T json prints them with "columns", or {"error": ..., "at": "check"
 * or "run"}, or {"skipped": ...} when the set-up is more than reading clauses and CREATE.
 *
 * CREATE is no part of the language: its patterns are read by the parser of MATCH and go straight
 * into an engine, once for each row of the clauses before it.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/language/eval.h"
#include "query/language/parser.h"
#include "query/print.h"
#include "query/language/run.h"
#include "util/memory.h"

enum { NAMES = 300 };

/* The rows that a set-up works on: each a map of variables. */
struct loader {
	struct engine *engine;
	struct arena arena;
	const char *names[NAMES];
	uint32_t name_count;
	struct value **rows; /* of NAMES values */
	uint32_t row_count;
};

static struct value value_of_json(struct arena *arena, const json_t *json)
{
	const char *key;
	json_t *item;
	uint32_t i = 0;

	if (json_is_boolean(json))
		return value_boolean(json_is_true(json));
	if (json_is_integer(json))
		return value_integer(json_integer_value(json));
	if (json_is_real(json))
		return value_number(json_real_value(json));
	if (json_is_string(json))
		return value_text(
			arena_text(arena, json_string_value(json), json_string_length(json)));
	if (json_is_array(json)) {
		struct value_list *list = value_new_list(arena, (uint32_t)json_array_size(json));

		for (; i < list->count; i++)
			list->items[i] = value_of_json(arena, json_array_get(json, i));
		return value_of_list(list);
	}
	if (json_is_object(json)) {
		struct value_map *map = value_new_map(arena, (uint32_t)json_object_size(json));

		json_object_foreach((json_t *)json, key, item)
		{
			map->entries[i].key = arena_text(arena, key, strlen(key));
			map->entries[i++].value = value_of_json(arena, item);
		}
		return value_of_map(map);
	}
	return (struct value){0};
}

/* -- set-ups -- */

static int find_name(struct loader *loader, const char *name)
{
	for (uint32_t i = 0; i < loader->name_count; i++)
		if (!strcmp(loader->names[i], name))
			return (int)i;
	return -1;
}

static int add_name(struct loader *loader, const char *name)
{
	if (loader->name_count == NAMES)
		return -1;
	loader->names[loader->name_count] = arena_text(&loader->arena, name, strlen(name));
	return (int)loader->name_count++;
}

/* rows = what `text`, a query of one list of columns, gives; they get its names. */
static int run_text(struct loader *loader, const char *text)
{
	struct query_limits limits = {.max_rows = 100000, .timeout_seconds = 10};
	struct value_list *rows = value_new_list(&loader->arena, loader->row_count);
	struct parameter parameter = {.name = "rows"};
	struct query_result result;
	struct query *query;
	struct error error;
	int code = -1;

	for (uint32_t r = 0; r < loader->row_count; r++) {
		struct value_map *map = value_new_map(&loader->arena, loader->name_count);

		for (uint32_t i = 0; i < loader->name_count; i++) {
			map->entries[i].key = loader->names[i];
			map->entries[i].value = loader->rows[r][i];
		}
		rows->items[r] = value_of_map(map);
	}
	parameter.value = value_of_list(rows);
	engine_finish(loader->engine);
	query = query_parse(text, &error);
	if (query && query_check(query, loader->engine, &parameter, 1, &error) == 0 &&
	    query_run(query, loader->engine, &limits, &result, &error) == 0) {
		loader->name_count = 0;
		loader->row_count = (uint32_t)result.count;
		loader->rows =
			arena_alloc(&loader->arena, (result.count + 1) * sizeof(*loader->rows));
		for (uint32_t i = 0; i < result.width; i++)
			add_name(loader, result.names[i]);
		for (uint32_t r = 0; r < result.count; r++) {
			loader->rows[r] =
				arena_alloc(&loader->arena, NAMES * sizeof(**loader->rows));
			for (uint32_t i = 0; i < result.width; i++)
				loader->rows[r][i] = value_copy(&loader->arena,
								result.rows[r * result.width + i]);
		}
		query_result_free(&result);
		code = 0;
	}
	query_free(query);
	return code;
}

/* Columns for the values of the properties, called by their place in the text. */
static void add_columns(FILE *file, const char *text, const struct element *element)
{
	const struct expr *map = element->properties;

	for (uint32_t i = 0; map && i < map->count; i++)
		fprintf(file, ", (%.*s) AS `%u`", (int)(map->items[i]->end - map->items[i]->at),
			text + map->items[i]->at, map->items[i]->at);
}

/*
 * Reading clauses, may be none, and the patterns of the CREATE after them become a query that
 * gives a row for each time that the patterns are made.
 */
static int run_reading(struct loader *loader, const char *text, uint32_t from, uint32_t to,
		       const struct path_pattern *paths, uint32_t count)
{
	bool names = loader->name_count > 0, reads = false;
	size_t size;
	char *query;
	FILE *file = xopen_memstream(&query, &size);
	int code;

	if (names)
		fprintf(file, "UNWIND $rows AS `the row` ");
	for (uint32_t i = 0; i < loader->name_count; i++)
		fprintf(file, "%s `the row`.`%s` AS `%s`", i ? "," : "WITH", loader->names[i],
			loader->names[i]);
	for (uint32_t i = from; i < to; i++)
		reads |= !strchr(" \t\r\n", text[i]);
	fprintf(file, " %.*s RETURN %s", (int)(to - from), text + from,
		names || reads ? "*" : "0 AS ` `");
	for (uint32_t p = 0; p < count; p++)
		for (uint32_t i = 0; i <= paths[p].edge_count; i++) {
			add_columns(file, text, &paths[p].nodes[i]);
			if (i)
				add_columns(file, text, &paths[p].edges[i - 1].element);
		}
	fclose(file);
	code = run_text(loader, query);
	free(query);
	return code;
}

static void set_properties(struct loader *loader, const struct value *row, bool of_edge,
			   uint32_t index, const struct element *element)
{
	const struct expr *map = element->properties;
	char name[16];

	for (uint32_t i = 0; map && i < map->count; i++) {
		int column;

		snprintf(name, sizeof(name), "%u", map->items[i]->at);
		column = find_name(loader, name);
		if (column >= 0 && row[column].type != VALUE_NULL)
			engine_set(loader->engine, of_edge, index, map->keys[i], row[column]);
	}
}

static int create_vertex(struct loader *loader, struct value *row, const struct element *node,
			 uint32_t *vertex)
{
	int column = node->name ? find_name(loader, node->name) : -1;
	const char *labels[16];
	uint32_t count = 0;

	if (column >= 0 && row[column].type != VALUE_NULL) {
		*vertex = row[column].index;
		return row[column].type == VALUE_VERTEX ? 0 : -1;
	}
	for (; count < node->labels.count && count < 16; count++)
		labels[count] = node->labels.terms[count].name;
	*vertex = engine_add_vertex(loader->engine, labels, count);
	set_properties(loader, row, false, *vertex, node);
	if (node->name && column < 0)
		column = add_name(loader, node->name);
	if (node->name && column >= 0)
		row[column] = value_vertex(*vertex);
	return 0;
}

static int create_path(struct loader *loader, struct value *row, const struct path_pattern *path)
{
	uint32_t vertices[CHAIN_LIMIT + 1], index;

	for (uint32_t i = 0; i <= path->edge_count; i++) {
		const struct edge_pattern *edge = i ? &path->edges[i - 1] : NULL;
		int column;

		if (create_vertex(loader, row, &path->nodes[i], &vertices[i]) != 0)
			return -1;
		if (!edge)
			continue;
		if (edge->variable || edge->element.labels.count != 1)
			return -1;
		index = engine_add_edge(loader->engine, vertices[i - edge->to_right],
					vertices[i - !edge->to_right],
					edge->element.labels.terms[0].name);
		set_properties(loader, row, true, index, &edge->element);
		if (!edge->element.name)
			continue;
		column = find_name(loader, edge->element.name);
		if (column < 0)
			column = add_name(loader, edge->element.name);
		if (column >= 0)
			row[column] = value_edge(index);
	}
	return 0;
}

/* { reading clauses CREATE pattern, pattern CREATE ... }; -1: it is something else. */
static int create(struct loader *loader, const char *text)
{
	struct error error;
	struct parser parser = {.text = text, .error = &error, .arena = &loader->arena};

	loader->name_count = loader->row_count = 0;
	parser.tokens = lex(text, &loader->arena, &error);
	while (parser.tokens && token(&parser)->type != TOKEN_END) {
		uint32_t from = token(&parser)->at, to, count = 0, capacity = 0;
		struct path_pattern *paths = NULL;

		while (token(&parser)->type != TOKEN_END && !is_word(&parser, "CREATE"))
			parser.at++;
		to = token(&parser)->at;
		if (token(&parser)->type == TOKEN_END) /* reading at the end changes nothing */
			return 0;
		while (take_word(&parser, "CREATE"))
			do {
				ARENA_RESERVE(&loader->arena, paths, count, capacity);
				paths[count] = (struct path_pattern){0};
				if (parse_path(&parser, &paths[count++]) != 0)
					return -1;
			} while (take_sign(&parser, ','));
		take_sign(&parser, ';');
		if (run_reading(loader, text, from, to, paths, count) != 0)
			return -1;
		for (uint32_t r = 0; r < loader->row_count; r++)
			for (uint32_t p = 0; p < count; p++)
				if (create_path(loader, loader->rows[r], &paths[p]) != 0)
					return -1;
	}
	return parser.tokens ? 0 : -1;
}

static void print_error(const char *at, const char *text)
{
	json_t *object = json_pack("{s:s, s:s}", "error", text, "at", at);

	json_dumpf(object, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(object);
}

static void run_query(struct loader *loader, const json_t *scenario)
{
	const json_t *given = json_object_get(scenario, "parameters");
	struct query_limits limits = {.max_rows = 100000, .timeout_seconds = 10};
	struct parameter parameters[32];
	struct query_result result;
	struct query *query;
	struct error error;
	uint32_t count = 0;
	const char *key;
	json_t *item;

	json_object_foreach((json_t *)given, key, item) parameters[count++] =
		(struct parameter){key, value_of_json(&loader->arena, item)};
	query = query_parse(json_string_value(json_object_get(scenario, "query")), &error);
	if (!query || query_check(query, loader->engine, parameters, count, &error) != 0) {
		print_error("check", error.text);
	} else if (query_run(query, loader->engine, &limits, &result, &error) != 0) {
		print_error("run", error.text);
	} else {
		printf("{\"columns\":[");
		for (uint32_t i = 0; i < result.width; i++) {
			char *name = json_dumps(json_string(result.names[i]), JSON_ENCODE_ANY);

			printf("%s%s", i ? "," : "", name);
			free(name);
		}
		printf("],\"rows\":");
		fflush(stdout);
		{
			char *text;
			size_t size;
			FILE *file = xopen_memstream(&text, &size);

			print_result(loader->engine, &result, PRINT_JSON, NULL, file);
			fclose(file);
			for (char *c = text; *c; c++)
				putchar(*c == '\n' ? ' ' : *c);
			free(text);
		}
		printf("}\n");
		query_result_free(&result);
	}
	query_free(query);
}

static void run_scenario(const json_t *scenario)
{
	struct loader *loader = xcalloc(1, sizeof(*loader));
	const json_t *setup = json_object_get(scenario, "setup");
	int code = 0;

	loader->engine = engine_new();
	for (size_t i = 0; i < json_array_size(setup) && code == 0; i++)
		code = create(loader, json_string_value(json_array_get(setup, i)));
	engine_finish(loader->engine);
	if (code == 0)
		run_query(loader, scenario);
	else
		puts("{\"skipped\":\"the set-up is more than CREATE\"}");
	engine_free(loader->engine);
	arena_free(&loader->arena);
	free(loader);
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0) {
		json_error_t error;
		json_t *scenario = json_loads(line, 0, &error);

		if (!scenario) {
			fprintf(stderr, "tck: %s\n", error.text);
			return 1;
		}
		run_scenario(scenario);
		json_decref(scenario);
		fflush(stdout);
	}
	free(line);
	return 0;
}
