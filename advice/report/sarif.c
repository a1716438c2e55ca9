/* advice/report/sarif.c: findings as SARIF 2.1.0. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "advice/report/finding.h"
#include "advice/report/finding_json.h"
#include "advice/report/report.h"
#include "util/command.h"
#include "util/json.h"
#include "util/memory.h"

static void begin_member(struct json *json, const char *name, char bracket)
{
	json_name(json, name);
	json_begin(json, bracket);
}

static void put_message(struct json *json, const char *name, const char *text)
{
	begin_member(json, name, '{');
	json_named_text(json, "text", text);
	json_end(json, '}');
}

/* -- where -------------------------------------------------------------------------------- */

/* RFC 3986: all but unreserved characters and the slash as %XX. */
static char *uri_of(const char *prefix, const char *path)
{
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	fputs(prefix, out);
	for (; *path; path++)
		if (isalnum((unsigned char)*path) || strchr("-._~/", *path))
			fputc(*path, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*path);
	fclose(out);
	return text;
}

/* A file below the folder is named from there, as code scanning asks for. */
static void put_place(struct json *json, const struct report *report, const char *file,
		      uint32_t line)
{
	const char *inside = finding_file_in(file, report->folder);
	char *uri = inside ? uri_of("", inside) : uri_of("file://", file);

	begin_member(json, "physicalLocation", '{');
	begin_member(json, "artifactLocation", '{');
	json_named_text(json, "uri", uri);
	if (inside)
		json_named_text(json, "uriBaseId", "SRCROOT");
	json_end(json, '}');
	begin_member(json, "region", '{');
	json_named_count(json, "startLine", line);
	json_end(json, '}');
	json_end(json, '}');
	free(uri);
}

static void put_function(struct json *json, const char *function)
{
	begin_member(json, "logicalLocations", '[');
	json_begin(json, '{');
	json_named_text(json, "fullyQualifiedName", function);
	json_named_text(json, "kind", "function");
	json_end(json, '}');
	json_end(json, ']');
}

static void put_location(struct json *json, const struct report *report, const char *file,
			 uint32_t line, const char *function)
{
	json_begin(json, '{');
	if (file && line)
		put_place(json, report, file, line);
	if (function)
		put_function(json, function);
	json_end(json, '}');
}

static void put_stack(struct json *json, const struct report *report, uint32_t v)
{
	uint32_t count;
	const struct profile_frame **path = profile_path(report->profile, v, &count);

	begin_member(json, "stacks", '[');
	json_begin(json, '{');
	begin_member(json, "frames", '[');
	for (uint32_t i = 0; i < count; i++) {
		json_begin(json, '{');
		json_name(json, "location");
		put_location(json, report, path[i]->file, path[i]->line, path[i]->function);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
	json_end(json, ']');
	free(path);
}

/* -- results ------------------------------------------------------------------------------ */

/* The patterns that were found, each once, in the order of their first findings. */
struct rules {
	const char **patterns;
	uint32_t count;
};

static uint32_t rule_of(struct rules *rules, const char *pattern)
{
	for (uint32_t i = 0; i < rules->count; i++)
		if (!strcmp(rules->patterns[i], pattern))
			return i;
	rules->patterns[rules->count] = pattern;
	return rules->count++;
}

static void put_rules(struct json *json, const struct rules *rules)
{
	begin_member(json, "rules", '[');
	for (uint32_t i = 0; i < rules->count; i++) {
		json_begin(json, '{');
		json_named_text(json, "id", rules->patterns[i]);
		put_message(json, "shortDescription", advice_title(rules->patterns[i]));
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_suppression(struct json *json, const struct suppression *suppression)
{
	begin_member(json, "suppressions", '[');
	json_begin(json, '{');
	json_named_text(json, "kind", "external");
	json_named_text(json, "justification", suppression->reason);
	json_end(json, '}');
	json_end(json, ']');
}

static void put_result(struct json *json, const struct report *report, struct rules *rules,
		       uint32_t f)
{
	const struct profile_finding *finding = &report->profile->findings[f];
	struct finding_line line =
		finding_line(report->profile, report->profile->graph, f, report->folder);
	uint32_t v = graph_find(report->profile->graph, finding->vertex);
	char *title = finding_title(report->profile, f);
	char *operation = finding_operation(report->profile, f);
	char *message =
		xasprintf("%s. %s: %s %s", title, operation, finding->evidence, finding->advice);

	json_begin(json, '{');
	json_named_text(json, "ruleId", finding->pattern);
	json_named_count(json, "ruleIndex", rule_of(rules, finding->pattern));
	json_named_text(json, "level",
			report->fails && report->fails[f] ? "error"
			: finding->input                  ? "note"
							  : "warning");
	put_message(json, "message", message);
	begin_member(json, "locations", '[');
	if (line.file || line.function)
		put_location(json, report, line.file, line.line, line.function);
	json_end(json, ']');
	if (finding->vertex != GRAPH_HOST && v != UINT32_MAX)
		put_stack(json, report, v);
	begin_member(json, "partialFingerprints", '{');
	json_named_text(json, "vflowFinding/v1", report->ids[f].text);
	json_end(json, '}');
	if (report_suppression(report, f))
		put_suppression(json, report_suppression(report, f));
	if (report->fresh)
		json_named_text(json, "baselineState", report->fresh[f] ? "new" : "unchanged");
	begin_member(json, "properties", '{');
	json_named_count(json, "findingRank", f + UINT64_C(1));
	json_named_text(json, "action", finding->action);
	json_named_count(json, "bytes", finding->bytes);
	json_known(json, "saves_ns", finding->saves_ns);
	json_known(json, "saves_most_ns", finding->saves_most_ns);
	json_known(json, "saves_peak_bytes", finding->saves_peak_bytes);
	json_end(json, '}');
	json_end(json, '}');
	free(title);
	free(operation);
	free(message);
}

/* These fill the rules, which therefore follow them in the file. */
static void put_results(struct json *json, const struct report *report, struct rules *rules)
{
	const uint32_t count = report->profile->finding_count;
	uint32_t left = report_shown(report);

	begin_member(json, "results", '[');
	for (uint32_t f = report_next(report, 0, &left); f < count;
	     f = report_next(report, f + 1, &left))
		put_result(json, report, rules, f);
	for (uint32_t f = 0; f < count; f++)
		if (report_suppression(report, f))
			put_result(json, report, rules, f);
	json_end(json, ']');
}

/* Gaps are notifications of the tool. */
static void put_invocation(struct json *json, const struct profile *profile)
{
	begin_member(json, "invocations", '[');
	json_begin(json, '{');
	json_named_flag(json, "executionSuccessful", true);
	begin_member(json, "toolExecutionNotifications", '[');
	for (uint32_t i = 0; i < profile->coverage_count; i++) {
		char *text = words_gap(&profile->coverage[i]);

		json_begin(json, '{');
		json_named_text(json, "level", "note");
		put_message(json, "message", text);
		json_end(json, '}');
		free(text);
	}
	json_end(json, ']');
	begin_member(json, "properties", '{');
	json_named_text(json, "program", profile->command);
	json_end(json, '}');
	json_end(json, '}');
	json_end(json, ']');
}

static void put_folder(struct json *json, const char *folder)
{
	char *uri = uri_of("file://", folder), *ended = xasprintf("%s/", uri);

	begin_member(json, "originalUriBaseIds", '{');
	begin_member(json, "SRCROOT", '{');
	json_named_text(json, "uri", ended);
	json_end(json, '}');
	json_end(json, '}');
	free(uri);
	free(ended);
}

void report_sarif(const struct report *report, FILE *out)
{
	struct rules rules = {.patterns = xcalloc((size_t)report->profile->finding_count + 1,
						  sizeof(*rules.patterns))};
	struct json json = {.file = out, .style = JSON_INDENTED};

	json_begin(&json, '{');
	json_named_text(&json, "version", "2.1.0");
	json_named_text(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	begin_member(&json, "runs", '[');
	json_begin(&json, '{');
	put_results(&json, report, &rules);
	put_invocation(&json, report->profile);
	if (*report->folder)
		put_folder(&json, report->folder);
	begin_member(&json, "tool", '{');
	begin_member(&json, "driver", '{');
	json_named_text(&json, "name", "vflow");
	json_named_text(&json, "version", VFLOW_VERSION);
	put_rules(&json, &rules);
	json_end(&json, '}');
	json_end(&json, '}');
	json_end(&json, '}');
	json_end(&json, ']');
	json_end(&json, '}');
	fputc('\n', out);
	free(rules.patterns);
}
