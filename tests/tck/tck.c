/*
 * Runs the scenarios that tests/tck/check sends: one JSON object a line on stdin,
 * {"setup": [QUERY...], "query": QUERY, "parameters": {...}}, one on stdout,
 * {"rows": ...} as vflow query -T json prints them with "columns", or {"error": ..., "at": "check"
 * or "run"}, or {"skipped": ...} when the set-up is more than CREATE.
 *
 * CREATE is no part of the language: its patterns are read by the parser of MATCH and go straight
 * into an engine.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/eval.h"
#include "query/parser.h"
#include "query/print.h"
#include "query/run.h"
#include "util/memory.h"

struct named {
	const char *name;
	uint32_t vertex;
};

struct loader {
	struct engine *engine;
	struct arena arena;
	struct named names[256];
	uint32_t count;
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

static int set_properties(struct loader *loader, bool of_edge, uint32_t index,
			  const struct expr *map)
{
	struct query query = {.text = ""};
	struct error error;
	struct run run = {.query = &query, .error = &error, .engine = loader->engine};

	for (uint32_t i = 0; map && i < map->count; i++) {
		struct expr *item = map->items[i];

		for (uint32_t k = 0; k < item->count; k++)
			if (item->items[k] && item->items[k]->type != EXPR_LITERAL)
				return -1;
		if (item->type != EXPR_LITERAL && item->type != EXPR_LIST &&
		    item->type != EXPR_NEGATE)
			return -1;
		engine_set(loader->engine, of_edge, index, map->keys[i], eval(&run, item));
	}
	arena_free(&run.scratch);
	return run.failed ? -1 : 0;
}

static int create_vertex(struct loader *loader, const struct element *node, uint32_t *vertex)
{
	const char *labels[16];
	uint32_t count = 0;

	for (uint32_t i = 0; node->name && i < loader->count; i++)
		if (!strcmp(loader->names[i].name, node->name)) {
			*vertex = loader->names[i].vertex;
			return 0;
		}
	for (; count < node->labels.count && count < 16; count++)
		labels[count] = node->labels.terms[count].name;
	*vertex = engine_add_vertex(loader->engine, labels, count);
	if (node->name && loader->count < 256)
		loader->names[loader->count++] = (struct named){
			arena_text(&loader->arena, node->name, strlen(node->name)), *vertex};
	return set_properties(loader, false, *vertex, node->properties);
}

static int create_path(struct loader *loader, const struct path_pattern *path)
{
	uint32_t vertices[CHAIN_LIMIT + 1], index;

	for (uint32_t i = 0; i <= path->edge_count; i++) {
		const struct edge_pattern *edge = i ? &path->edges[i - 1] : NULL;

		if (create_vertex(loader, &path->nodes[i], &vertices[i]) != 0)
			return -1;
		if (!edge)
			continue;
		if (edge->variable || edge->element.labels.count != 1)
			return -1;
		index = engine_add_edge(loader->engine, vertices[i - edge->to_right],
					vertices[i - !edge->to_right],
					edge->element.labels.terms[0].name);
		if (set_properties(loader, true, index, edge->element.properties) != 0)
			return -1;
	}
	return 0;
}

/* CREATE pattern, pattern CREATE pattern ...; -1: it is something else. */
static int create(struct loader *loader, const char *text)
{
	struct error error;
	struct parser parser = {.text = text, .error = &error, .arena = &loader->arena};

	loader->count = 0;
	parser.tokens = lex(text, &loader->arena, &error);
	while (parser.tokens && take_word(&parser, "CREATE"))
		do {
			struct path_pattern path = {0};

			if (parse_path(&parser, &path) != 0 || create_path(loader, &path) != 0)
				return -1;
		} while (take_sign(&parser, ','));
	if (parser.tokens)
		take_sign(&parser, ';');
	return parser.tokens && token(&parser)->type == TOKEN_END ? 0 : -1;
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
