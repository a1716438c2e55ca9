/* vflow deps: the dependency graph of single calls, as DOT or JSON. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/cmd.h"
#include "graph/dependencies.h"
#include "graph/dot_list.h"
#include "graph/dot_names.h"
#include "graph/input.h"
#include "util/command.h"
#include "util/json.h"
#include "util/memory.h"
#include "util/options.h"
#include "util/output.h"

/* What is written of a profile: the calls before `calls`, and the edges into them. */
struct deps {
	const struct profile *profile;
	uint32_t calls, edges;
	uint64_t *levels; /* Kahn's topological time, by event; NO_LEVEL: it is no vertex */
};

static const char *kind_of(const struct deps *deps, const struct profile_event *event)
{
	return event->vertex == PROFILE_NO_VERTEX
		       ? "free"
		       : deps->profile->graph->vertices[event->vertex].kind;
}

static const char *name_of(const struct deps *deps, const struct profile_event *event)
{
	return event->vertex == PROFILE_NO_VERTEX
		       ? event->name
		       : deps->profile->graph->vertices[event->vertex].name;
}

/* -- DOT -- */

static void put_call(const struct deps *deps, uint32_t call, FILE *file)
{
	const struct profile_event *event = &deps->profile->events[call];
	struct dot_list list = {.file = file};

	fprintf(file, "\tv%u", call + 1);
	dot_list_text(&list, "kind", kind_of(deps, event));
	dot_list_text(&list, "name", name_of(deps, event));
	dot_list_number(&list, "call", call + UINT64_C(1));
	if (event->vertex != PROFILE_NO_VERTEX)
		dot_list_number(&list, "vertex", event->vertex);
	dot_list_number(&list, "level", deps->levels[call]);
	dot_list_number(&list, "process", deps->profile->processes[event->process].pid);
	dot_list_number(&list, "thread", event->thread);
	dot_list_number(&list, "device", event->device);
	dot_list_number(&list, "stream", event->stream);
	fprintf(file, ", label=\"%u ", call + 1);
	dot_put_label(file, name_of(deps, event));
	putc('"', file);
	dot_list_close(&list);
}

static int by_lane(const void *a, const void *b, void *events)
{
	const struct profile_event *x = (const struct profile_event *)events + *(const uint32_t *)a;
	const struct profile_event *y = (const struct profile_event *)events + *(const uint32_t *)b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return (x > y) - (x < y);
}

/* A cluster for each stream, which stock `dot` draws as a lane. */
static void put_lanes(const struct deps *deps, uint32_t *calls, uint32_t count, FILE *file)
{
	struct profile_event *events = deps->profile->events;
	uint32_t lanes = 0;

	qsort_r(calls, count, sizeof(*calls), by_lane, events);
	for (uint32_t i = 0; i < count;) {
		const struct profile_event *first = &events[calls[i]];
		const struct profile_event *event = first;

		fprintf(file, "\tsubgraph cluster_%u {\n\t\tlabel=\"", lanes++);
		if (deps->profile->process_count > 1)
			fprintf(file, "process %u, ",
				(unsigned)deps->profile->processes[first->process].pid);
		if (first->device)
			fprintf(file, "device %u, ", first->device);
		fprintf(file, "stream %u\";\n\t\t", first->stream);
		do {
			fprintf(file, "v%u; ", calls[i] + 1);
			event = ++i < count ? &events[calls[i]] : NULL;
		} while (event && event->process == first->process &&
			 event->device == first->device && event->stream == first->stream);
		fputs("\n\t}\n", file);
	}
}

static int by_level(const void *a, const void *b, void *levels)
{
	uint64_t x = ((const uint64_t *)levels)[*(const uint32_t *)a];
	uint64_t y = ((const uint64_t *)levels)[*(const uint32_t *)b];

	return x != y ? (x > y) - (x < y)
		      : (*(const uint32_t *)a > *(const uint32_t *)b) -
				(*(const uint32_t *)a < *(const uint32_t *)b);
}

/* Calls of one level side by side. */
static void put_ranks(const struct deps *deps, uint32_t *calls, uint32_t count, FILE *file)
{
	qsort_r(calls, count, sizeof(*calls), by_level, deps->levels);
	for (uint32_t i = 0; i < count;) {
		uint64_t level = deps->levels[calls[i]];

		fputs("\t{ rank=same; ", file);
		for (; i < count && deps->levels[calls[i]] == level; i++)
			fprintf(file, "v%u; ", calls[i] + 1);
		fputs("}\n", file);
	}
}

static void put_dependency(const struct profile_dependency *edge, FILE *file)
{
	struct dot_list list = {.file = file};
	char key[32];

	fprintf(file, "\tv%u -> v%u", edge->from + 1, edge->to + 1);
	if (edge->object == PROFILE_NO_ROW)
		snprintf(key, sizeof(key), "%s", dependency_why(edge->why));
	else
		snprintf(key, sizeof(key), "%s %u", dependency_why(edge->why), edge->object + 1);
	dot_list_text(&list, DOT_KEY, key);
	dot_list_text(&list, "why", dependency_why(edge->why));
	if (edge->object != PROFILE_NO_ROW)
		dot_list_number(&list, "allocation", edge->object + UINT64_C(1));
	dot_list_text(&list, "label", key);
	dot_list_text(&list, "style", edge->why >= PROFILE_DEPENDENCY_RAW ? "" : "dashed");
	dot_list_close(&list);
}

static void write_dot(const struct deps *deps, FILE *file)
{
	uint32_t *calls = xcalloc((size_t)deps->calls + 1, sizeof(*calls)), count = 0;
	struct dot_list list = {.file = file};

	fputs("digraph dependencies {\n\tgraph", file);
	dot_list_number(&list, DOT_LINELENGTH, 0);
	dot_list_number(&list, DOT_VERSION, DOT_VERSION_NUMBER);
	dot_list_text(&list, "newrank", "true");
	dot_list_close(&list);
	fputs("\tnode [shape=box]\n", file);
	for (uint32_t i = 0; i < deps->calls; i++)
		if (deps->levels[i] != NO_LEVEL) {
			put_call(deps, i, file);
			calls[count++] = i;
		}
	put_lanes(deps, calls, count, file);
	put_ranks(deps, calls, count, file);
	for (uint32_t i = 0; i < deps->edges; i++)
		put_dependency(&deps->profile->dependencies[i], file);
	fputs("}\n", file);
	free(calls);
}

/* -- JSON -- */

static void json_call(const struct deps *deps, struct json *json, uint32_t call)
{
	const struct profile_event *event = &deps->profile->events[call];

	json_begin(json, '{');
	json_named_count(json, "call", call + UINT64_C(1));
	json_named_text(json, "kind", kind_of(deps, event));
	json_named_text(json, "name", name_of(deps, event));
	if (event->vertex != PROFILE_NO_VERTEX)
		json_named_count(json, "vertex", event->vertex);
	json_named_count(json, "level", deps->levels[call]);
	json_named_count(json, "process", deps->profile->processes[event->process].pid);
	json_named_count(json, "thread", event->thread);
	json_named_count(json, "device", event->device);
	json_named_count(json, "stream", event->stream);
	json_end(json, '}');
}

static void write_json(const struct deps *deps, FILE *file)
{
	struct json json = {.file = file, .style = JSON_INDENTED};

	json_begin(&json, '{');
	json_name(&json, "calls");
	json_begin(&json, '[');
	for (uint32_t i = 0; i < deps->calls; i++)
		if (deps->levels[i] != NO_LEVEL)
			json_call(deps, &json, i);
	json_end(&json, ']');
	json_name(&json, "dependencies");
	json_begin(&json, '[');
	for (uint32_t i = 0; i < deps->edges; i++) {
		const struct profile_dependency *edge = &deps->profile->dependencies[i];

		json_begin(&json, '{');
		json_named_count(&json, "call", edge->to + UINT64_C(1));
		json_named_count(&json, "after", edge->from + UINT64_C(1));
		json_named_text(&json, "why", dependency_why(edge->why));
		if (edge->object != PROFILE_NO_ROW)
			json_named_count(&json, "allocation", edge->object + UINT64_C(1));
		json_end(&json, '}');
	}
	json_end(&json, ']');
	json_end(&json, '}');
	putc('\n', file);
}

/* -- the command -- */

static int write_deps(const struct profile *profile, uint64_t calls, const char *to, bool dot,
		      struct error *error)
{
	struct deps deps = {.profile = profile, .calls = profile->event_rows};
	struct output *output;

	if (!profile_has_table(profile, "dependency"))
		return error_set(error, "the profile holds no dependencies: an older vflow made "
					"it; collect it again");
	output = output_open(to, error);
	if (!output)
		return -1;
	if (calls && calls < deps.calls)
		deps.calls = (uint32_t)calls;
	deps.levels = dependency_levels(profile, deps.calls, &deps.edges);
	(dot ? write_dot : write_json)(&deps, output_file(output));
	free(deps.levels);
	return output_commit(output, error);
}

int cmd_deps(int argc, char **argv)
{
	const char *type = "dot", *output = NULL;
	uint64_t calls = 0;
	const struct command_option options[] = {
		{'n', "calls", "N", "the first N calls only (default all that the profile holds)",
		 OPTION_NUMBER, &calls},
		{'T', "type", "dot|json", "what to write (default dot)", OPTION_TEXT, &type},
		{'o', "output", "FILE", "write there instead of to standard output", OPTION_TEXT,
		 &output},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow deps [-n N] [-T dot|json] [-o FILE] [FILE]",
		.summary =
			"Writes the dependency graph: which call has to come after which, and\n"
			"why: its stream, an event, a wait of the host, or data (RAW, WAR, WAW).",
		.more = "FILE is a profile, else $VFLOW_PROFILE, else ./vflow.db; standard input\n"
			"is not read.\n\n"
			"  vflow deps -n 100 | dot -Tsvg >deps.svg",
		.options = options,
	};
	struct profile *profile;
	struct error error;
	int operand, code = options_parse(&help, argc, argv, 1, &operand);

	if (code != OPTIONS_RUN)
		return code;
	if (strcmp(type, "json") && strcmp(type, "dot"))
		return options_misuse("deps", "-T takes dot or json, not '%s'", type);
	signal(SIGPIPE, SIG_DFL); /* `vflow deps | head` ends quietly */
	profile = input_profile_events(argv[operand], &error);
	code = profile && write_deps(profile, calls, output, !strcmp(type, "dot"), &error) == 0
		       ? EXIT_OK
		       : EXIT_FAILED;
	profile_free(profile);
	if (code != EXIT_OK)
		fprintf(stderr, "vflow deps: %s\n", error.text);
	return code;
}
