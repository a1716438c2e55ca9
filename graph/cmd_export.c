/* vflow export: the profile as JSON, or its graph as DOT. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "collect/trace.h"
#include "graph/cmd.h"
#include "graph/dot.h"
#include "graph/input.h"
#include "graph/json_fields.h"
#include "util/command.h"
#include "util/options.h"
#include "util/output.h"

static void put_vertex(struct json *json, const struct graph_vertex *vertex)
{
	json_begin(json, '{');
	json_named_count(json, "id", vertex->id);
	json_fields(json, graph_vertex_fields, vertex, FIELD_ALL);
	json_end(json, '}');
}

static void put_edge(struct json *json, const struct graph *graph, const struct graph_edge *edge)
{
	char key[GRAPH_KEY_SIZE];

	json_begin(json, '{');
	json_named_count(json, "start", graph->vertices[edge->from].id);
	json_named_count(json, "end", graph->vertices[edge->to].id);
	json_named_text(json, "key", graph_edge_key(edge, key));
	json_fields(json, graph_edge_fields, edge, FIELD_ALL);
	json_end(json, '}');
}

static void put_object(struct json *json, const struct profile *profile,
		       const struct profile_object *object)
{
	char address[24];

	snprintf(address, sizeof(address), "0x%" PRIx64, object->address);
	json_begin(json, '{');
	json_named_count(json, "site", object->site);
	json_named_count(json, "process", profile->processes[object->process].pid);
	json_named_count(json, "size", object->size);
	json_named_text(json, "address", address);
	json_named_text(json, "memory", profile_memory_name(object));
	json_named_text(json, "name", object->name);
	json_named_count(json, "start_ns", object->start_ns);
	if (object->end_ns)
		json_named_count(json, "end_ns", object->end_ns);
	json_end(json, '}');
}

static void begin_array(struct json *json, const char *name)
{
	json_name(json, name);
	json_begin(json, '[');
}

/* Calls that the finding is about, and that may be no vertex. */
static void put_calls(struct json *json, const struct profile_api *api, uint32_t index)
{
	json_named_count(json, "api", index + UINT64_C(1));
	json_named_text(json, "function", api->name);
	json_named_text(json, "callpath", api->place.callpath);
	json_named_text(json, "file", api->place.file);
	if (api->place.line)
		json_named_count(json, "line", api->place.line);
}

/* Nothing where it is not known. */
static void put_ns(struct json *json, const char *name, uint64_t ns)
{
	if (ns != PROFILE_UNKNOWN)
		json_named_count(json, name, ns);
}

static void put_finding(struct json *json, const struct profile *profile,
			const struct profile_finding *finding)
{
	json_begin(json, '{');
	json_named_text(json, "pattern", finding->pattern);
	if (finding->api != PROFILE_NO_ROW)
		put_calls(json, &profile->apis[finding->api], finding->api);
	if (finding->vertex != GRAPH_HOST)
		json_named_count(json, "vertex", finding->vertex);
	if (finding->object != GRAPH_HOST)
		json_named_count(json, "object", finding->object);
	json_named_text(json, "access", graph_access_name(finding->access));
	json_named_count(json, "bytes", finding->bytes);
	json_named_real(json, "fraction", finding->fraction);
	put_ns(json, "time_ns", finding->time_ns);
	put_ns(json, "saves_ns", finding->saves_ns);
	put_ns(json, "saves_most_ns", finding->saves_most_ns);
	json_named_text(json, "evidence", finding->evidence);
	json_named_text(json, "advice", finding->advice);
	json_named_text(json, "limits", finding->limits);
	if (finding->action) { /* else an older vflow found it */
		json_named_text(json, "action", finding->action);
		json_name(json, "input");
		json_raw(json, "%s", finding->input ? "true" : "false");
	}
	json_name(json, "others");
	json_begin(json, '[');
	for (uint32_t i = 0; i < finding->other_count; i++)
		json_count(json, finding->others[i]);
	json_end(json, ']');
	json_end(json, '}');
}

static void put_group(struct json *json, const struct profile_finding_group *group)
{
	json_begin(json, '{');
	json_named_text(json, "kind", group->kind);
	json_named_text(json, "label", group->label);
	put_ns(json, "run_ns", group->run_ns);
	put_ns(json, "span_ns", group->span_ns);
	put_ns(json, "startup_ns", group->startup_ns);
	put_ns(json, "saves_ns", group->saves_ns);
	put_ns(json, "saves_most_ns", group->saves_most_ns);
	json_name(json, "findings");
	json_begin(json, '[');
	for (uint32_t i = 0; i < group->member_count; i++) {
		json_begin(json, '{');
		json_named_count(json, "finding", group->members[i].finding + UINT64_C(1));
		put_ns(json, "adds_ns", group->members[i].adds_ns);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
}

static void put_groups(struct json *json, const struct profile *profile)
{
	if (!profile->finding_group_count)
		return;
	begin_array(json, "finding_groups");
	for (uint32_t i = 0; i < profile->finding_group_count; i++)
		put_group(json, &profile->finding_groups[i]);
	json_end(json, ']');
}

static void put_failed_call(struct json *json, const struct profile_failed_call *call)
{
	json_begin(json, '{');
	json_named_text(json, "function", call->function);
	json_named_count(json, "error", call->error);
	json_named_text(json, "error_name", call->error_name);
	json_named_text(json, "description", call->description);
	json_named_count(json, "count", call->count);
	json_named_text(json, "callpath", call->place.callpath);
	json_named_text(json, "file", call->place.file);
	if (call->place.line)
		json_named_count(json, "line", call->place.line);
	json_end(json, '}');
}

static void put_failed_calls(struct json *json, const struct profile *profile)
{
	if (!profile->failed_call_count) /* or an older vflow made the profile */
		return;
	begin_array(json, "failed_calls");
	for (uint32_t i = 0; i < profile->failed_call_count; i++)
		put_failed_call(json, &profile->failed_calls[i]);
	json_end(json, ']');
}

static void put_coverage_rows(struct json *json, const struct profile *profile, uint32_t first)
{
	json_name(json, profile->coverage[first].what);
	json_begin(json, '[');
	for (uint32_t i = first; i < profile->coverage_count; i++) {
		const struct profile_coverage *row = &profile->coverage[i];

		if (strcmp(row->what, profile->coverage[first].what) != 0)
			continue;
		json_begin(json, '{');
		json_named_text(json, "reason", row->reason);
		json_named_count(json, "count", row->count);
		json_named_count(json, "bytes", row->bytes);
		json_end(json, '}');
	}
	json_end(json, ']');
}

/* What was not seen: {"texture reads": [{"reason": ..., "count": ..., "bytes": ...}], ...}. */
static void put_coverage(struct json *json, const struct profile *profile)
{
	json_begin(json, '{');
	for (uint32_t i = 0; i < profile->coverage_count; i++) {
		uint32_t before = 0;

		while (strcmp(profile->coverage[before].what, profile->coverage[i].what) != 0)
			before++;
		if (before == i)
			put_coverage_rows(json, profile, i);
	}
	json_end(json, '}');
}

static int export_json(const struct profile *profile, FILE *file, struct error *error)
{
	struct json json = {.file = file, .style = JSON_INDENTED};
	const struct graph *graph = profile->graph;

	json_begin(&json, '{');
	begin_array(&json, "vertices");
	for (uint32_t v = 0; v < graph->vertex_count; v++)
		put_vertex(&json, &graph->vertices[v]);
	json_end(&json, ']');
	begin_array(&json, "edges");
	for (uint32_t e = 0; e < graph->edge_count; e++)
		put_edge(&json, graph, &graph->edges[e]);
	json_end(&json, ']');
	begin_array(&json, "objects");
	for (uint32_t i = 0; i < profile->object_count; i++)
		put_object(&json, profile, &profile->objects[i]);
	json_end(&json, ']');
	begin_array(&json, "findings");
	for (uint32_t i = 0; i < profile->finding_count; i++)
		put_finding(&json, profile, &profile->findings[i]);
	json_end(&json, ']');
	put_groups(&json, profile);
	put_failed_calls(&json, profile);
	json_name(&json, "coverage");
	put_coverage(&json, profile);
	json_end(&json, '}');
	putc('\n', file);
	if (ferror(file))
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
	int operand, code = options_parse(&help, argc, argv, 1, &operand);

	if (code != OPTIONS_RUN)
		return code;
	if (strcmp(type, "json") && strcmp(type, "dot"))
		return options_misuse("export", "-T takes json or dot, not '%s'", type);
	signal(SIGPIPE, SIG_DFL); /* `vflow export | head` ends quietly */
	if (export(argv[operand], output, !strcmp(type, "dot"), &error) == 0)
		return EXIT_OK;
	fprintf(stderr, "vflow export: %s\n", error.text);
	return EXIT_FAILED;
}
