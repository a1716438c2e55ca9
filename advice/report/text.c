/* advice/report/text.c: findings as text of at most 100 columns. */
#include "advice/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "advice/memory/report.h"
#include "advice/report/finding.h"
#include "advice/report/page.h"
#include "advice/report/worth.h"
#include "advice/source.h"
#include "advice/source_files.h"
#include "advice/words.h"
#include "util/memory.h"
#include "util/size.h"
#include "util/text.h"

enum {
	LABEL = PAGE_LABEL,
	FAILED = 10, /* calls that are listed */
	NUMBER = 8,  /* columns for the number of a source line */
};

/* What all findings of a report need. */
struct common {
	uint64_t all_ns; /* of all operations on the device; 0: not known */
	struct words_site *sites;
	struct source_files files;
};

static void print_place(const struct profile *profile, FILE *out, uint32_t vertex)
{
	char *path = finding_path(profile, vertex);

	page_field(out, "", path);
	free(path);
}

/* The innermost frame of the program that has a line; NULL: none. */
static const struct profile_frame *innermost(const struct profile *profile, uint32_t vertex)
{
	uint32_t count;
	const struct profile_frame **path = profile_path(profile, vertex, &count), *frame = NULL;

	for (uint32_t i = 0; i < count && !frame; i++)
		if (words_has_line(path[i]))
			frame = path[i];
	free(path);
	return frame;
}

/* Where an editor finds the line, and the line with those around it. */
static void print_source(struct source_files *files, FILE *out, const char *file, uint32_t line)
{
	struct source source =
		source_read(files, file, line, (uint32_t)page_width(out) - LABEL - NUMBER);
	char *place;

	if (!source.lines[0])
		return;
	place = xasprintf("%s:%" PRIu32, file, line);
	page_field(out, "", place);
	free(place);
	for (uint32_t i = 0; i < SOURCE_LINES && source.lines[i]; i++)
		fprintf(out, "%*s%*" PRIu32 "%c %s\n", LABEL, "", NUMBER - 2, source.first + i,
			source.first + i == line ? '>' : ' ', source.lines[i]);
	source_free(&source);
}

/* Of all operations on the device; 0: not known. */
static uint64_t gpu_time(const struct profile *profile)
{
	uint64_t sum = 0;

	for (uint32_t v = 0; v < profile->graph->vertex_count; v++)
		if (profile->graph->vertices[v].fields & VERTEX_TIME_NS)
			profile_add(&sum, profile->graph->vertices[v].time_ns);
	return sum;
}

/* ", 3.14 ms (12% of the GPU time)"; "" where it is not known. */
static char *time_of(const struct graph_vertex *vertex, uint64_t all_ns)
{
	char *time, *percent, *text;

	if (!(vertex->fields & VERTEX_TIME_NS) || !vertex->time_ns)
		return xstrdup("");
	time = words_ns(vertex->time_ns);
	percent = words_percent(vertex->time_ns, all_ns);
	text = xasprintf(", %s: %s of the GPU time", time, percent);
	free(time);
	free(percent);
	return text;
}

static void print_operation(const struct profile *profile, struct common *common, FILE *out,
			    uint32_t id)
{
	uint32_t v = graph_find(profile->graph, id);
	const struct profile_frame *frame;
	const struct graph_vertex *vertex;
	char *name, *time, *text;

	if (v == UINT32_MAX)
		return;
	vertex = &profile->graph->vertices[v];
	name = words_name(vertex);
	time = time_of(vertex, common->all_ns);
	text = xasprintf("%s (%s, vertex %" PRIu32 ", %" PRIu64 " invocation%s%s)", name,
			 vertex->kind ? vertex->kind : "unknown", id, vertex->invocations,
			 text_plural(vertex->invocations, "", "s"), time);
	page_field(out, "operation", text);
	free(name);
	free(time);
	free(text);
	print_place(profile, out, v);
	if (vertex->fields & VERTEX_NVTX_RANGE) {
		text = xasprintf("in NVTX range %s", vertex->nvtx_range);
		page_field(out, "", text);
		free(text);
	}
	frame = innermost(profile, v);
	if (frame)
		print_source(&common->files, out, frame->file, frame->line);
}

/* The line of GPU code that it is about. */
static void print_code(const struct profile *profile, struct common *common, FILE *out,
		       uint32_t place)
{
	char *text;

	if (place == PROFILE_NO_ROW)
		return;
	text = words_code_place(&profile->code_places[place]);
	page_field(out, "line", text);
	free(text);
	if (profile->code_places[place].file)
		print_source(&common->files, out, profile->code_places[place].file,
			     profile->code_places[place].line);
}

/* Of calls that are no vertex. */
static void print_calls(struct common *common, FILE *out, const struct profile_api *api)
{
	char *text = xasprintf("%s (%s)", api->name, api->kind);

	page_field(out, "operation", text);
	free(text);
	text = finding_calls_path(api);
	page_field(out, "", text);
	free(text);
	if (api->place.file && api->place.line)
		print_source(&common->files, out, api->place.file, api->place.line);
}

static void print_object(const struct profile *profile, struct common *common, FILE *out,
			 uint32_t site)
{
	char *text = finding_object(profile, common->sites, &common->files, site);
	uint32_t v = graph_find(profile->graph, site);

	if (!text)
		return;
	page_field(out, "object", text);
	free(text);
	if (!common->sites[v].global) /* a variable of a module has no call path */
		print_place(profile, out, v);
}

static void print_finding(const struct report *report, struct common *common, FILE *out,
			  uint32_t index)
{
	const struct profile_finding *finding = &report->profile->findings[index];
	char *name = finding_title(report->profile, index), *file = finding_operand(report->file);
	char *title = xasprintf("%" PRIu32 ". %s%s", index + 1, name,
				report->fresh && report->fresh[index] ? ", new" : "");
	char *look = finding_look(report->profile, finding, file);

	fputc('\n', out);
	page_heading(report->colour, out, title);
	if (finding->vertex != GRAPH_HOST)
		print_operation(report->profile, common, out, finding->vertex);
	else if (finding->api != PROFILE_NO_ROW)
		print_calls(common, out, &report->profile->apis[finding->api]);
	print_code(report->profile, common, out, finding->code_place);
	if (finding->object != GRAPH_HOST)
		print_object(report->profile, common, out, finding->object);
	page_field(out, "seen", finding->evidence);
	page_field(out, "advice", finding->advice);
	page_field(out, "limits", finding->limits);
	if (look)
		page_field(out, "look", look);
	free(name);
	free(file);
	free(title);
	free(look);
}

/* A line of the header; frees the text. */
static void print_wrapped(FILE *out, char *text)
{
	fputs("  ", out);
	page_wrap(out, 2, text);
	free(text);
}

static void print_time(const struct profile *profile, uint64_t sum, FILE *out)
{
	char *time = words_ns(sum);

	if (sum)
		print_wrapped(out, xasprintf("GPU time: %s, all operations added up%s", time,
					     report_is_model(profile)
						     ? "; model time, see vflow-collect(1)"
						     : ""));
	free(time);
}

static void print_span(const struct profile *profile, FILE *out)
{
	char *span = words_ns(report_span_ns(profile));
	char *start_up = words_ns(report_startup_ns(profile));

	if (report_startup_ns(profile) != PROFILE_UNKNOWN)
		print_wrapped(out, xasprintf("time: %s from the first operation to the last; "
					     "start-up before it: %s",
					     span, start_up));
	free(span);
	free(start_up);
}

static void print_memory(const struct profile *profile, FILE *out)
{
	char *text = report_memory_line(profile);

	if (text)
		print_wrapped(out, text);
}

static void print_stalls(const struct profile *profile, FILE *out)
{
	uint64_t samples = 0;

	for (uint32_t i = 0; i < profile->stall_device_count; i++)
		profile_add(&samples, profile->stall_devices[i].samples);
	if (samples)
		print_wrapped(out, xasprintf("stalls: %" PRIu64 " samples of where kernels wait: "
					     "vflow report --stalls",
					     samples));
}

static void print_header(const struct report *report, uint64_t all_ns, FILE *out)
{
	const struct profile *profile = report->profile;
	char *title = xasprintf("vflow report: %s", profile->command ? profile->command : "");
	char date[64] = "at an unknown time", read_text[16], written_text[16];
	uint64_t read = 0, written = 0;
	time_t seconds = (time_t)profile->date;
	struct tm local;

	if (profile->date && localtime_r(&seconds, &local))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M %Z", &local);
	for (uint32_t e = 0; e < profile->graph->edge_count; e++) {
		const struct graph_edge *edge = &profile->graph->edges[e];

		*(edge->access == GRAPH_WRITE ? &written : &read) += edge->bytes;
	}
	page_heading(report->colour, out, title);
	free(title);
	print_wrapped(out,
		      xasprintf("collected %s, %" PRIu32 " process%s", date, profile->process_count,
				text_plural(profile->process_count, "", "es")));
	/* processes of one run mostly share the device: each is told once */
	for (uint32_t p = 0; p < profile->process_count; p++) {
		const struct profile_process *process = &profile->processes[p];
		bool told = !process->device;

		for (uint32_t q = 0; q < p && !told; q++)
			told = profile->processes[q].device &&
			       !strcmp(profile->processes[q].device, process->device);
		if (told)
			continue;
		print_wrapped(
			out, xasprintf("device: %s (%s)", process->device,
				       process->provider ? process->provider : "unknown provider"));
	}
	if (report->as_found)
		fputs("  made by an older vflow: the findings are as it found them\n", out);
	else if (report->thresholds)
		print_wrapped(out, xasprintf("thresholds: %s in the profile", report->thresholds));
	fprintf(out, "  %" PRIu32 " %s, %" PRIu32 " edge%s, %s read, %s written\n",
		profile->graph->vertex_count,
		text_plural(profile->graph->vertex_count, "vertex", "vertices"),
		profile->graph->edge_count, text_plural(profile->graph->edge_count, "", "s"),
		size_format(read, read_text), size_format(written, written_text));
	print_time(profile, all_ns, out);
	print_span(profile, out);
	print_memory(profile, out);
	print_stalls(profile, out);
	fputc('\n', out);
}

/* " 1   16.1K  redundant values  fill_kernel (vertex 31, ongpu.c:27 < layers.c:57)" */
static void print_line(const struct profile *profile, FILE *out, uint32_t index)
{
	const struct profile_finding *finding = &profile->findings[index];
	uint64_t ns = finding->saves_ns == PROFILE_UNKNOWN ? finding->time_ns : finding->saves_ns;
	char size[16], *time = words_ns(ns), *operation, *whole, *line;
	const size_t width = page_width(out);
	char *code = finding->code_place == PROFILE_NO_ROW
			     ? NULL
			     : words_code_place(&profile->code_places[finding->code_place]);
	char *begin = xasprintf("%2" PRIu32 " %7s  %-16s  ", index + 1,
				ns == PROFILE_UNKNOWN ? size_format(finding->bytes, size) : time,
				advice_title(finding->pattern));
	size_t taken = page_columns(begin) + (code ? 2 + page_columns(code) : 0);

	operation = finding_operation_in(profile, index, taken < width ? width - taken : 0);
	whole = xasprintf("%s%s%s%s", begin, operation, code ? ": " : "", code ? code : "");
	line = text_clean(whole, strlen(whole), page_columns(whole) > width ? width : 0);
	fprintf(out, "%s\n", line);
	free(whole);
	free(line);
	free(begin);
	free(operation);
	free(code);
	free(time);
}

static void print_findings(const struct report *report, uint64_t all_ns, FILE *out)
{
	const uint32_t end = report->profile->finding_count;
	uint32_t count = report_count(report), shown = report_shown(report), left = shown;
	struct common common = {.all_ns = all_ns};
	char *title, *file;

	if (!count) {
		page_wrap(out, 0, report_none(report));
		return;
	}
	title = xasprintf("%" PRIu32 " finding%s, %s", count, text_plural(count, "", "s"),
			  report_order(report));
	page_heading(report->colour, out, title);
	free(title);
	common.sites = words_sites(report->profile);
	for (uint32_t f = report_next(report, 0, &left); f < end;
	     f = report_next(report, f + 1, &left))
		print_finding(report, &common, out, f);
	free(common.sites);
	source_files_release(&common.files);
	if (shown == count)
		return;
	file = finding_operand(report->file);
	fprintf(out, "\n%" PRIu32 " more: vflow report --top 0%s\n", count - shown, file);
	free(file);
}

void report_text_suppressed(const struct report *report, FILE *out)
{
	bool any = false;

	for (uint32_t f = 0; f < report->profile->finding_count; f++) {
		const struct suppression *suppression = report_suppression(report, f);
		char *title, *text;

		if (!suppression)
			continue;
		if (!any) {
			fputc('\n', out);
			page_heading(report->colour, out, "Suppressed");
		}
		any = true;
		title = finding_title(report->profile, f);
		text = xasprintf("%" PRIu32 ". %s: %s (line %" PRIu32 ")", f + 1, title,
				 suppression->reason, suppression->line);
		fputs("  ", out);
		page_wrap(out, 4, text);
		free(title);
		free(text);
	}
}

/* What calls for nothing: a line each, or in full where all findings are; nothing where there are
 * none. */
static void print_notes(const struct report *report, uint64_t all_ns, FILE *out)
{
	struct common common = {.all_ns = all_ns};

	for (uint32_t f = 0; f < report->profile->finding_count; f++) {
		if (!report_is_note(report, f) || report_suppression(report, f))
			continue;
		if (!common.sites) {
			common.sites = words_sites(report->profile);
			fputc('\n', out);
			page_heading(report->colour, out, "Equal with this input, nothing to do");
		}
		if (report->top)
			print_line(report->profile, out, f);
		else
			print_finding(report, &common, out, f);
	}
	free(common.sites);
	source_files_release(&common.files);
}

/* Nothing where no call failed. */
static void print_failed_calls(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;
	uint32_t count = profile->failed_call_count, shown = count < FAILED ? count : FAILED;

	if (!count)
		return;
	fputc('\n', out);
	page_heading(report->colour, out, "Calls that failed");
	for (uint32_t i = 0; i < shown; i++) {
		char *text = words_failed_call(&profile->failed_calls[i]);

		fputs("  ", out);
		page_wrap(out, 4, text);
		free(text);
	}
	if (shown < count)
		fprintf(out, "  %" PRIu32 " more: table failed_call, or vflow export -T json\n",
			count - shown);
}

static void print_coverage(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;

	fputc('\n', out);
	page_heading(report->colour, out, "What was not seen, or not in full");
	if (!profile->coverage_count)
		fputs("  no gap was recorded\n", out);
	for (uint32_t i = 0; i < profile->coverage_count; i++) {
		char *text = words_gap(&profile->coverage[i]);

		fputs("  ", out);
		page_wrap(out, 4, text);
		free(text);
	}
}

static void print_further(const struct report *report, FILE *out)
{
	char *file = finding_operand(report->file);
	char *whole = xasprintf("vflow render%s -o graph.html # the graph, to explore", file);
	char *numbers = xasprintf("vflow export -T json%s # all numbers", file);

	fputc('\n', out);
	page_heading(report->colour, out, "To look further");
	fputs("  ", out);
	page_wrap(out, 2, whole);
	fputs("  ", out);
	page_wrap(out, 2, numbers);
	free(file);
	free(whole);
	free(numbers);
}

static void print_brief(const struct report *report, FILE *out)
{
	uint32_t left = report_shown(report);

	for (uint32_t f = report_next(report, 0, &left); f < report->profile->finding_count;
	     f = report_next(report, f + 1, &left))
		print_line(report->profile, out, f);
}

void report_text(const struct report *report, FILE *out)
{
	uint64_t all_ns = gpu_time(report->profile);

	if (report->brief) {
		print_brief(report, out);
		return;
	}
	print_header(report, all_ns, out);
	print_findings(report, all_ns, out);
	report_text_suppressed(report, out);
	report_groups(report, out);
	print_notes(report, all_ns, out);
	print_failed_calls(report, out);
	print_coverage(report, out);
	print_further(report, out);
}
