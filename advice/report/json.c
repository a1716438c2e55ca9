/* advice/report/json.c: the report as JSON; vflow-report.schema.json describes it. */
#include <stdlib.h>

#include "advice/memory/report.h"
#include "advice/report/finding_json.h"
#include "advice/report/report.h"
#include "advice/report/worth.h"
#include "util/command.h"

static void begin_member(struct json *json, const char *name, char bracket)
{
	json_name(json, name);
	json_begin(json, bracket);
}

static void put_run(struct json *json, const struct report *report)
{
	const struct profile *profile = report->profile;

	begin_member(json, "run", '{');
	json_named_text(json, "file", report->file);
	json_named_text(json, "command", profile->command);
	json_named_count(json, "date", profile->date);
	begin_member(json, "devices", '[');
	for (uint32_t p = 0; p < profile->process_count; p++)
		if (profile->processes[p].device)
			json_text(json, profile->processes[p].device);
	json_end(json, ']');
	json_known(json, "run_ns", report_run_ns(profile));
	json_known(json, "span_ns", report_span_ns(profile));
	json_known(json, "startup_ns", report_startup_ns(profile));
	json_known(json, "peak_bytes", report_memory_peak(profile));
	json_named_flag(json, "model_time", report_is_model(profile));
	json_end(json, '}');
}

void report_json_finding(const struct report *report, uint32_t f, struct json *json)
{
	const struct suppression *suppression = report_suppression(report, f);

	json_named_text(json, "id", report->ids[f].text);
	finding_json(json, report->profile, f);
	if (report->fresh)
		json_named_flag(json, "new", report->fresh[f]);
	if (report->fails)
		json_named_flag(json, "fails", report->fails[f]);
	if (suppression) {
		begin_member(json, "suppressed", '{');
		json_named_text(json, "reason", suppression->reason);
		json_named_count(json, "line", suppression->line);
		json_end(json, '}');
	}
}

static void put_finding(struct json *json, const struct report *report, uint32_t f)
{
	json_begin(json, '{');
	report_json_finding(report, f, json);
	json_end(json, '}');
}

static void put_findings(struct json *json, const struct report *report)
{
	const uint32_t count = report->profile->finding_count;
	uint32_t left = report_shown(report);

	json_named_count(json, "finding_count", report_count(report));
	begin_member(json, "findings", '[');
	for (uint32_t f = report_next(report, 0, &left); f < count;
	     f = report_next(report, f + 1, &left))
		put_finding(json, report, f);
	json_end(json, ']');
	begin_member(json, "suppressed", '[');
	for (uint32_t f = 0; f < count; f++)
		if (report_suppression(report, f))
			put_finding(json, report, f);
	json_end(json, ']');
	begin_member(json, "notes", '[');
	for (uint32_t f = 0; f < count; f++)
		if (report_is_note(report, f) && !report_suppression(report, f))
			put_finding(json, report, f);
	json_end(json, ']');
}

static void put_groups(struct json *json, const struct report *report)
{
	const struct profile *profile = report->profile;

	begin_member(json, "groups", '[');
	for (uint32_t i = 0; i < profile->finding_group_count; i++) {
		const struct profile_finding_group *group = &profile->finding_groups[i];

		json_begin(json, '{');
		json_named_text(json, "kind", group->kind);
		json_named_text(json, "label", group->label);
		json_known(json, "saves_ns", group->saves_ns);
		json_known(json, "saves_most_ns", group->saves_most_ns);
		begin_member(json, "findings", '[');
		for (uint32_t m = 0; m < group->member_count; m++) {
			json_begin(json, '{');
			json_named_text(json, "id", report->ids[group->members[m].finding].text);
			json_known(json, "adds_ns", group->members[m].adds_ns);
			json_end(json, '}');
		}
		json_end(json, ']');
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_failed_calls(struct json *json, const struct profile *profile)
{
	begin_member(json, "failed_calls", '[');
	for (uint32_t i = 0; i < profile->failed_call_count; i++) {
		const struct profile_failed_call *call = &profile->failed_calls[i];

		json_begin(json, '{');
		json_named_text(json, "function", call->function);
		json_named_count(json, "error", call->error);
		json_named_text(json, "error_name", call->error_name);
		json_named_count(json, "count", call->count);
		json_named_text(json, "callpath", call->place.callpath);
		json_named_text(json, "file", call->place.file);
		if (call->place.line)
			json_named_count(json, "line", call->place.line);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_coverage(struct json *json, const struct profile *profile)
{
	begin_member(json, "coverage", '[');
	for (uint32_t i = 0; i < profile->coverage_count; i++) {
		const struct profile_coverage *row = &profile->coverage[i];

		json_begin(json, '{');
		json_named_text(json, "what", row->what);
		json_named_text(json, "reason", row->reason);
		json_named_count(json, "count", row->count);
		json_named_count(json, "bytes", row->bytes);
		json_end(json, '}');
	}
	json_end(json, ']');
}

void report_json(const struct report *report, FILE *out)
{
	struct json json = {.file = out, .style = JSON_INDENTED};

	json_begin(&json, '{');
	json_named_count(&json, "schema_version", 1);
	json_named_text(&json, "vflow", VFLOW_VERSION);
	put_run(&json, report);
	json_named_text(&json, "order", report_order(report));
	put_findings(&json, report);
	put_groups(&json, report);
	put_failed_calls(&json, report->profile);
	put_coverage(&json, report->profile);
	json_end(&json, '}');
	fputc('\n', out);
}
