/* advice/memory/report_json.c: `vflow report --memory -T json`; the manual page names its members.
 */
#include <stdlib.h>

#include "advice/memory/shares.h"
#include "advice/memory/frequency.h"
#include "advice/memory/report.h"
#include "advice/memory/report_code.h"
#include "advice/memory/report_devices.h"
#include "advice/memory/report_pools.h"
#include "advice/memory/words.h"
#include "advice/report/worth.h"
#include "util/json.h"
#include "util/memory.h"

enum { PEAKS = 10 }; /* the highest ones */

struct writing {
	const struct report_memory *report;
	const struct memory *memory;
	struct words_site *sites;
	struct json json;
};

static void put_sentence(struct json *json, const char *name, char *text)
{
	json_named_text(json, name, text);
	free(text);
}

static void put_flag(struct json *json, const char *name, bool value)
{
	json_name(json, name);
	json_raw(json, value ? "true" : "false");
}

static void put_site(struct writing *writing, uint32_t site)
{
	json_named_count(&writing->json, "vertex", site);
	put_sentence(&writing->json, "allocation",
		     words_object(writing->report->profile, writing->sites, site));
}

static void put_peak(struct writing *writing, const struct peaks_peak *peak)
{
	struct json *json = &writing->json;
	uint32_t count;
	struct memory_share *shares = memory_shares(writing->report->profile,
						    writing->memory->peaks, peak->place, &count);

	json_begin(json, '{');
	json_named_count(json, "bytes", peak->bytes);
	json_named_count(json, "call", peak->place / 2 + 1);
	json_name(json, "allocations");
	json_begin(json, '[');
	for (uint32_t i = 0; i < count; i++) {
		json_begin(json, '{');
		put_site(writing, shares[i].site);
		json_named_count(json, "objects", shares[i].objects);
		json_named_count(json, "bytes", shares[i].bytes);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
	free(shares);
}

static const char *most_name(enum memory_pattern pattern)
{
	if (pattern == MEMORY_DEAD_WRITE)
		return "dead_writes";
	return memory_is_of_parts(pattern) ? "unneeded_bytes" : "longest_calls";
}

/* What all findings have, and then what those of memory have. */
static void put_finding(struct writing *writing, uint32_t index)
{
	const struct memory_finding *finding = &writing->memory->findings[index];
	struct json *json = &writing->json;

	json_begin(json, '{');
	report_json_finding(writing->report->report, index, json);
	put_site(writing, finding->site);
	json_named_count(json, "objects", finding->objects);
	json_named_count(json, "byte_calls", finding->bytes_time);
	if (finding->timed) {
		json_named_real(json, "byte_seconds", finding->byte_seconds);
		json_named_count(json, "timed_objects", finding->timed);
	}
	if (finding->pattern == MEMORY_NONUNIFORM)
		frequency_json(writing->report->profile, finding, json);
	else
		json_named_count(json, most_name(finding->pattern), finding->most);
	json_named_count(json, "worst_object", finding->worst->object + UINT64_C(1));
	if (finding->pattern == MEMORY_REDUNDANT)
		json_named_count(json, "reuses_vertex", finding->reuses);
	if (finding->peak != PROFILE_UNKNOWN) {
		json_named_count(json, "peak_when_mended", finding->peak);
		json_named_count(json, "bytes_at_peak", finding->peak_bytes);
	}
	json_end(json, '}');
}

static void put_findings(struct writing *writing)
{
	const struct report *report = writing->report->report;
	const uint32_t count = writing->memory->finding_count;
	struct json *json = &writing->json;
	uint32_t left = report_shown(report);

	json_named_count(json, "finding_count", report_count(report));
	json_name(json, "findings");
	json_begin(json, '[');
	for (uint32_t i = report_next(report, 0, &left); i < count;
	     i = report_next(report, i + 1, &left))
		put_finding(writing, i);
	json_end(json, ']');
	json_name(json, "suppressed");
	json_begin(json, '[');
	for (uint32_t i = 0; i < count; i++)
		if (report_suppression(report, i))
			put_finding(writing, i);
	json_end(json, ']');
}

static void put_memory(struct writing *writing)
{
	const struct memory *memory = writing->memory;
	const struct profile *profile = writing->report->profile;
	struct json *json = &writing->json;
	struct peaks_peak highest[PEAKS];
	uint32_t count = peaks_highest(memory->peaks, highest, PEAKS);

	json_named_count(json, "pid", profile->processes[memory->process].pid);
	json_named_count(json, "peak", memory->peak);
	json_named_count(json, "peak_when_all_mended", memory->peak_mended);
	json_named_count(json, "peak_when_idle_moved", memory->peak_moved);
	json_named_count(json, "objects", memory->objects);
	json_named_count(json, "unseen_objects", memory->unseen);
	put_flag(json, "timed", memory->timed);
	put_flag(json, "model_time", memory->timed && report_is_model(profile));
	json_name(json, "peaks");
	json_begin(json, '[');
	for (uint32_t i = 0; i < count; i++)
		put_peak(writing, &highest[i]);
	json_end(json, ']');
	report_devices_json(profile, memory->process, json);
	json_name(json, "pools");
	report_pools_json(profile, memory->process, 0, json);
	report_code_json(writing->report, memory->process, json);
	put_findings(writing);
}

void report_memory_json(const struct report_memory *report, FILE *out)
{
	const struct profile *profile = report->profile;
	struct writing writing = {
		.report = report,
		.memory = report->memory,
		.sites = words_sites(profile),
		.json = {.file = out, .style = JSON_INDENTED},
	};
	struct json *json = &writing.json;

	json_begin(json, '{');
	json_named_text(json, "command", profile->command);
	json_named_text(json, "rules",
			report->options.rules == MEMORY_RULES_ARTEFACT ? "artefact" : "paper");
	put_flag(json, "known", profile->lifetime_count > 0);
	if (report->memory)
		put_memory(&writing);
	json_end(json, '}');
	fputc('\n', out);
	free(writing.sites);
}
