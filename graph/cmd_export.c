/* vflow export: the profile as JSON, or its graph as DOT. */
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "collect/trace.h"
#include "graph/cmd.h"
#include "graph/dot.h"
#include "graph/dot_names.h"
#include "graph/input.h"
#include "util/command.h"
#include "util/options.h"
#include "util/output.h"

static void set_text(json_t *object, const char *name, const char *value)
{
	if (value)
		json_object_set_new(object, name, json_string(value));
}

static void set_number(json_t *object, const char *name, uint64_t value)
{
	json_object_set_new(object, name, json_integer((json_int_t)value));
}

static json_t *vertex_json(const struct graph_vertex *vertex)
{
	json_t *object = json_object();

	set_number(object, "id", vertex->id);
	set_text(object, DOT_KIND, vertex->kind);
	set_text(object, DOT_NAME, vertex->name);
	if (vertex->fields & VERTEX_INVOCATIONS)
		set_number(object, DOT_INVOCATIONS, vertex->invocations);
	set_number(object, DOT_READ_BYTES, vertex->read_bytes);
	set_number(object, DOT_WRITTEN_BYTES, vertex->written_bytes);
	set_number(object, DOT_REDUNDANT_BYTES, vertex->redundant_bytes);
	if (vertex->fields & VERTEX_TIME_NS)
		set_number(object, DOT_TIME_NS, vertex->time_ns);
	set_text(object, DOT_CONTEXT, vertex->context);
	set_text(object, DOT_CALLPATH, vertex->callpath);
	set_text(object, DOT_PATTERNS, vertex->patterns);
	set_text(object, DOT_ADVICE, vertex->advice);
	return object;
}

static json_t *edge_json(const struct graph *graph, const struct graph_edge *edge)
{
	json_t *object = json_object();
	char key[GRAPH_KEY_SIZE];

	set_number(object, "start", graph->vertices[edge->from].id);
	set_number(object, "end", graph->vertices[edge->to].id);
	set_text(object, DOT_KEY, graph_edge_key(edge, key));
	set_number(object, DOT_OBJECT, edge->object);
	set_text(object, DOT_ACCESS, edge->access == GRAPH_READ ? "READ" : "WRITE");
	set_number(object, DOT_BYTES, edge->bytes);
	if (edge->fields & EDGE_REDUNDANT_BYTES)
		set_number(object, DOT_REDUNDANT_BYTES, edge->redundant_bytes);
	if (edge->fields & EDGE_REDUNDANCY)
		json_object_set_new(object, DOT_REDUNDANCY, json_real(edge->redundancy));
	set_number(object, DOT_COUNT, edge->count);
	set_number(object, DOT_OBJECT_BYTES, edge->object_bytes);
	return object;
}

static const char *memory_name(uint32_t memory)
{
	switch ((enum trace_memory)memory) {
	case TRACE_MEMORY_DEVICE:
		return "device";
	case TRACE_MEMORY_MANAGED:
		return "managed";
	case TRACE_MEMORY_MAPPED_HOST:
		return "mapped host";
	case TRACE_MEMORY_GLOBAL:
		return "global";
	case TRACE_MEMORY_ARRAY:
		return "array";
	}
	return "unknown";
}

static json_t *object_json(const struct profile *profile, const struct profile_object *from)
{
	json_t *object = json_object();
	char address[24];

	snprintf(address, sizeof(address), "0x%" PRIx64, from->address);
	set_number(object, "site", from->site);
	set_number(object, "process", profile->processes[from->process].pid);
	set_number(object, "size", from->size);
	set_text(object, "address", address);
	set_text(object, "memory", memory_name(from->memory));
	set_text(object, DOT_NAME, from->name);
	set_number(object, "start_ns", from->start_ns);
	if (from->end_ns)
		set_number(object, "end_ns", from->end_ns);
	return object;
}

static json_t *finding_json(const struct profile_finding *finding)
{
	static const char *const access[] = {NULL, "READ", "WRITE"};
	json_t *object = json_object(), *others = json_array();

	set_text(object, "pattern", finding->pattern);
	set_number(object, "vertex", finding->vertex);
	set_number(object, DOT_OBJECT, finding->object);
	set_text(object, DOT_ACCESS, access[finding->access]);
	set_number(object, DOT_BYTES, finding->bytes);
	json_object_set_new(object, "fraction", json_real(finding->fraction));
	set_text(object, "evidence", finding->evidence);
	set_text(object, DOT_ADVICE, finding->advice);
	set_text(object, "limits", finding->limits);
	for (uint32_t i = 0; i < finding->other_count; i++)
		json_array_append_new(others, json_integer(finding->others[i]));
	json_object_set_new(object, "others", others);
	return object;
}

/* What was not seen: {"texture reads": [{"reason": ..., "count": ..., "bytes": ...}], ...}. */
static json_t *coverage_json(const struct profile *profile)
{
	json_t *object = json_object();

	for (uint32_t i = 0; i < profile->coverage_count; i++) {
		const struct profile_coverage *from = &profile->coverage[i];
		json_t *rows = json_object_get(object, from->what), *row = json_object();

		if (!rows) {
			rows = json_array();
			json_object_set_new(object, from->what, rows);
		}
		set_text(row, "reason", from->reason);
		set_number(row, DOT_COUNT, from->count);
		set_number(row, DOT_BYTES, from->bytes);
		json_array_append_new(rows, row);
	}
	return object;
}

static int export_json(const struct profile *profile, FILE *file, struct error *error)
{
	json_t *root = json_object(), *vertices = json_array(), *edges = json_array();
	json_t *objects = json_array(), *findings = json_array();
	const struct graph *graph = profile->graph;
	int result;

	for (uint32_t v = 0; v < graph->vertex_count; v++)
		json_array_append_new(vertices, vertex_json(&graph->vertices[v]));
	for (uint32_t e = 0; e < graph->edge_count; e++)
		json_array_append_new(edges, edge_json(graph, &graph->edges[e]));
	for (uint32_t i = 0; i < profile->object_count; i++)
		json_array_append_new(objects, object_json(profile, &profile->objects[i]));
	for (uint32_t i = 0; i < profile->finding_count; i++)
		json_array_append_new(findings, finding_json(&profile->findings[i]));
	json_object_set_new(root, "vertices", vertices);
	json_object_set_new(root, "edges", edges);
	json_object_set_new(root, "objects", objects);
	json_object_set_new(root, "findings", findings);
	json_object_set_new(root, "coverage", coverage_json(profile));
	result = json_dumpf(root, file, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	json_decref(root);
	if (result != 0 || putc('\n', file) == EOF)
		return error_set(error, "cannot write JSON: the output is closed or full");
	return 0;
}

static int export(const char *file, const char *to, bool dot, struct error *error)
{
	struct profile *profile = input_profile(file, error);
	struct output *output;
	int result;

	if (!profile)
		return -1;
	output = output_open(to, error);
	if (!output) {
		profile_free(profile);
		return -1;
	}
	result = dot ? dot_write(profile->graph, output_file(output), error)
		     : export_json(profile, output_file(output), error);
	profile_free(profile);
	if (result == 0)
		return output_commit(output, error);
	output_discard(output);
	return -1;
}

int cmd_export(int argc, char **argv)
{
	const char *type = "json", *output = NULL;
	const struct command_option options[] = {
		{'T', "type", "json|dot", "what to write (default json)", OPTION_TEXT, &type},
		{'o', "output", "FILE", "write there instead of to standard output", OPTION_TEXT,
		 &output},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow export [-T json|dot] [-o FILE] [FILE]",
		.summary = "Writes a profile as JSON: vertices, edges, objects, findings and\n"
			   "coverage; or its value-flow graph as DOT.",
		.more = "FILE is a profile, else $VFLOW_PROFILE, else ./vflow.db; standard input\n"
			"is not read.\n\n"
			"  vflow export | jq '.edges[] | select(.redundancy > 0.9)'\n"
			"  vflow export -T dot run.db | gvpr 'N [kind == \"kernel\"] { print(name) "
			"}'",
		.options = options,
	};
	struct error error;
	int rest, code = options_parse(&help, argc, argv, 1, &rest);

	if (code != OPTIONS_RUN)
		return code;
	if (strcmp(type, "json") && strcmp(type, "dot"))
		return options_misuse("export", "-T takes json or dot, not '%s'", type);
	signal(SIGPIPE, SIG_DFL); /* `vflow export | head` ends quietly */
	if (export(argv[rest], output, !strcmp(type, "dot"), &error) == 0)
		return EXIT_OK;
	fprintf(stderr, "vflow export: %s\n", error.text);
	return EXIT_FAILED;
}
