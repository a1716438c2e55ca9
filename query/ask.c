#include "query/ask.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/dot.h"
#include "graph/input.h"
#include "query/calls.h"
#include "query/language/eval.h"
#include "query/language/explain.h"
#include "query/filter/kept.h"
#include "util/command.h"
#include "util/memory.h"
#include "util/output.h"
#include "util/text.h"

static const char *const type_names[] = {"table", "tsv", "csv", "json", "jsonl", "dot"};

/* Numbers, text, lists and maps of them: nothing that needs a graph. */
static bool is_constant(const struct expr *expr)
{
	bool constant = expr->type == EXPR_LITERAL || expr->type == EXPR_LIST ||
			expr->type == EXPR_MAP || expr->type == EXPR_NEGATE;

	for (uint32_t i = 0; i < expr->count && constant; i++)
		constant = is_constant(expr->items[i]);
	return constant;
}

/* name=value: the value is a number, a size, true, false, null, a list of those, or else text. */
static int add_parameter(struct request *request, const char *text)
{
	const char *equals = strchr(text, '=');
	struct parameter *parameter = &request->parameters[request->parameter_count];
	struct query query = {0};
	struct run run = {.query = &query};
	struct error ignored = {.text = ""};
	struct expr *expr;

	if (!equals || equals == text)
		return options_misuse(request->ask->command, "-p takes NAME=VALUE, not '%s'", text);
	parameter->name = arena_text(&request->arena, text, (size_t)(equals - text));
	expr = query_parse_expression(equals + 1, &query, &ignored);
	parameter->value = value_text(equals + 1);
	run.error = &ignored;
	if (!expr && strchr("[{", equals[1]) && equals[1]) {
		arena_free(&query.arena);
		return options_misuse(request->ask->command,
				      "the value of $%s is no list and no map: %s", parameter->name,
				      strtok(ignored.text, "\n"));
	}
	if (query_valid_length(text) < strlen(text)) {
		arena_free(&query.arena);
		return options_misuse(request->ask->command, "the value of $%s is not UTF-8",
				      parameter->name);
	}
	if (expr && is_constant(expr))
		parameter->value = eval(&run, expr);
	parameter->value = value_copy(&request->arena, parameter->value);
	request->parameter_count++;
	arena_free(&run.scratch);
	arena_free(&query.arena);
	return EXIT_OK;
}

/* What a table refers to, as RETURN GRAPH would; -1: something in it is no part of a graph. */
static int keep_values(const struct engine *engine, const struct query_result *result,
		       bool *keep_vertex, bool *keep_edge, struct value value)
{
	int code = 0;

	if ((value.type == VALUE_VERTEX && value.index >= engine->flow_vertices) ||
	    (value.type == VALUE_EDGE && value.index >= engine->flow_edges))
		return -1;

	switch (value.type) {
	case VALUE_NULL:
		break;
	case VALUE_VERTEX:
		keep_vertex[value.index] = true;
		break;
	case VALUE_EDGE:
		keep_edge[value.index] = true;
		keep_vertex[engine->from[value.index]] = keep_vertex[engine->to[value.index]] =
			true;
		break;
	case VALUE_PATH:
		for (uint32_t i = 0; i < 2 * value.path->length + 1 && code == 0; i++)
			code = keep_values(engine, result, keep_vertex, keep_edge,
					   i % 2 ? value_edge(value.path->items[i])
						 : value_vertex(value.path->items[i]));
		break;
	case VALUE_LIST:
		for (uint32_t i = 0; i < value.list->count && code == 0; i++)
			code = keep_values(engine, result, keep_vertex, keep_edge,
					   value.list->items[i]);
		break;
	default:
		code = -1;
	}
	return code;
}

static int write_dot(const struct ask *ask, struct graph *graph, struct engine *engine,
		     struct query_result *result, FILE *file, struct error *error)
{
	struct kept before = kept_of(graph);
	bool left_out = false;
	int code = 0;

	if (!result->is_graph) {
		result->keep_vertex = xcalloc((size_t)before.vertices + 1, sizeof(bool));
		result->keep_edge = xcalloc((size_t)before.edges + 1, sizeof(bool));
		for (uint64_t i = 0; i < result->count * result->width && code == 0; i++)
			code = keep_values(engine, result, result->keep_vertex, result->keep_edge,
					   result->rows[i]);
	}
	if (code != 0)
		return error_set(error, "-T dot needs columns of vertices, edges and paths%s",
				 engine->profile ? ", and not of calls and objects" : "");
	for (uint32_t v = engine->flow_vertices; v < engine->vertex_count; v++)
		left_out |= result->is_graph && result->keep_vertex[v];
	if (left_out)
		fprintf(stderr,
			"vflow %s: note: calls and objects are no part of the graph: they are left "
			"out\n",
			ask->command);
	graph_filter(graph, result->keep_vertex, result->keep_edge);
	if (dot_write(graph, file, error) != 0)
		return error_set(error, "cannot write %s: %s",
				 file == stdout ? "standard output" : ask->output, strerror(errno));
	kept_say(ask->command, before, graph);
	return 0;
}

/* Whether the answer can be written as what was asked for. */
static int check_type(const struct request *request, const struct query *query, struct error *error)
{
	bool is_graph = query->clauses[query->clause_count - 1].type == CLAUSE_GRAPH;

	if (query->explain && request->type == REQUEST_DOT)
		return error_set(error, "EXPLAIN is a table: -T dot is for graphs");
	if (is_graph && !query->explain && request->type != REQUEST_UNSET &&
	    request->type != REQUEST_DOT)
		return error_set(error, "RETURN GRAPH is a graph: -T %s is for tables",
				 type_names[request->type]);
	return 0;
}

static int run_query(struct query *query, struct engine *engine, const struct query_limits *limits,
		     struct query_result *result, struct error *error)
{
	if (!query->explain)
		return query_run(query, engine, limits, result, error);
	query_explain(query, engine, result);
	return 0;
}

static int write_result(const struct request *request, struct graph *graph, struct engine *engine,
			struct query_result *result, FILE *file, struct error *error)
{
	int type = request->type;

	if (result->is_graph || type == REQUEST_DOT)
		return write_dot(request->ask, graph, engine, result, file, error);
	if (type == REQUEST_UNSET)
		type = file == stdout && isatty(STDOUT_FILENO) ? PRINT_TABLE : PRINT_TSV;
	print_result(engine, result, (enum print_type)type, request->interrupted, file);
	if (request->ask->says_kept)
		fprintf(stderr,
			"vflow %s: kept %" PRIu64 " of %" PRIu32 " %s; dropped %" PRIu64 "\n",
			request->ask->command, result->count, graph->vertex_count,
			text_plural(graph->vertex_count, "vertex", "vertices"),
			graph->vertex_count - result->count);
	if (request->ask->if_none && !result->count)
		fprintf(stderr, "vflow %s: %s\n", request->ask->command, request->ask->if_none);
	return request->interrupted && *request->interrupted ? error_set(error, "interrupted") : 0;
}

struct engine *asked_engine(struct asked *asked)
{
	if (!asked->engine)
		asked->engine = engine_from_graph(asked->graph);
	return asked->engine;
}

void asked_free(struct asked *asked)
{
	engine_free(asked->engine);
	engine_free(asked->calls_engine);
	graph_free(asked->graph);
	*asked = (struct asked){.input = asked->input};
}

/* With calls and objects where the query names them and there are any: not in DOT. */
static struct engine *engine_for(const struct request *request, const struct query *query,
				 struct asked *asked, struct error *error)
{
	const struct profile *profile = input_run(asked->input);

	if (!query->calls || !profile)
		return asked_engine(asked);
	if (!asked->calls_engine && input_read_events_late(asked->input, asked->graph, error) == 0)
		asked->calls_engine = calls_engine(asked->graph, profile, error);
	if (asked->calls_engine && profile->event_rows < profile->event_count)
		fprintf(stderr,
			"vflow %s: note: the profile has the first %" PRIu32 " of %" PRIu64
			" calls\n",
			request->ask->command, profile->event_rows, profile->event_count);
	return asked->calls_engine;
}

int request_answer(const struct request *request, const char *text, struct asked *asked, FILE *file,
		   struct error *error)
{
	struct query *query = query_parse(text, error);
	struct engine *engine = NULL;
	struct query_limits limits = request->ask->limits;
	struct query_result result = {0};
	int code = EXIT_MISUSE;

	limits.interrupted = request->interrupted;
	if (query) {
		engine = engine_for(request, query, asked, error);
		code = engine ? EXIT_MISUSE : EXIT_FAILED;
	}
	if (engine &&
	    query_check(query, engine, request->parameters, request->parameter_count, error) == 0) {
		for (uint32_t i = 0; i < query->note_count; i++)
			fprintf(stderr, "vflow %s: note: %s\n", request->ask->command,
				query->notes[i]);
		if (check_type(request, query, error) == 0)
			code = run_query(query, engine, &limits, &result, error) == 0 &&
					       write_result(request, asked->graph, engine, &result,
							    file, error) == 0
				       ? EXIT_OK
				       : EXIT_FAILED;
		query_result_free(&result);
	}
	query_free(query);
	return code;
}

static int run_all(const struct request *request, const char *file, const char *to)
{
	struct error error;
	struct input *input = input_open(file, !request->ask->asked_on_stdin, &error);
	struct output *output = input ? output_open(to, &error) : NULL;
	struct asked asked = {.input = input};
	int code = output ? EXIT_OK : EXIT_FAILED, more = 0;

	while (code == EXIT_OK && (more = input_next(input, &asked.graph, &error)) == 1) {
		code = request_answer(request, request->ask->query, &asked, output_file(output),
				      &error);
		asked_free(&asked);
	}
	if (code == EXIT_OK && more < 0)
		code = EXIT_FAILED;
	if (output && code == EXIT_OK)
		code = output_commit(output, &error) == 0 ? EXIT_OK : EXIT_FAILED;
	else if (output)
		output_discard(output);
	if (input)
		input_close(input);
	if (code != EXIT_OK)
		fprintf(stderr, "vflow %s: %s\n", request->ask->command, error.text);
	return code;
}

int request_type(const char *name)
{
	for (int i = 0; i < REQUEST_UNSET; i++)
		if (!strcmp(name, type_names[i]))
			return i;
	return -1;
}

int request_open(struct request *request, const struct ask *ask)
{
	int code = EXIT_OK;

	*request = (struct request){.ask = ask, .type = REQUEST_UNSET};
	if (ask->type)
		request->type = request_type(ask->type);
	if (request->type < 0 || (request->type == REQUEST_DOT && ask->tables_only))
		return options_misuse(ask->command, "-T takes table, tsv, csv, json%s, not '%s'",
				      ask->tables_only ? " or jsonl" : ", jsonl or dot", ask->type);
	request->parameters =
		xcalloc((size_t)ask->parameters.count + 1, sizeof(*request->parameters));
	for (uint32_t i = 0; i < ask->parameters.count && code == EXIT_OK; i++)
		code = add_parameter(request, ask->parameters.items[i]);
	if (code != EXIT_OK)
		request_close(request);
	signal(SIGPIPE, SIG_DFL); /* `vflow query ... | head` ends quietly */
	return code;
}

void request_close(struct request *request)
{
	free(request->parameters);
	arena_free(&request->arena);
}

int query_ask(const struct ask *ask)
{
	struct request request;
	struct error error;
	struct query *query;
	int code;

	/* a query that cannot be read fails before any input is */
	query = query_parse(ask->query, &error);
	if (!query) {
		fprintf(stderr, "vflow %s: %s\n", ask->command, error.text);
		return EXIT_MISUSE;
	}
	query_free(query);
	code = request_open(&request, ask);
	if (code != EXIT_OK)
		return code;
	code = run_all(&request, ask->file, ask->output);
	request_close(&request);
	return code;
}
