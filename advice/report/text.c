/* advice/report/text.c: findings as text of at most 100 columns. */
#include "advice/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "advice/buffer_name.h"
#include "advice/memory/report.h"
#include "advice/report/page.h"
#include "advice/report/worth.h"
#include "advice/source.h"
#include "advice/source_files.h"
#include "advice/words.h"
#include "graph/library_frames.h"
#include "util/memory.h"
#include "util/size.h"
#include "util/text.h"

enum {
	LABEL = PAGE_LABEL,
	FRAMES = 4,  /* of a call path */
	FAILED = 10, /* calls that are listed */
	NUMBER = 8,  /* columns for the number of a source line */
};

/* What all findings of a report need. */
struct common {
	uint64_t all_ns; /* of all operations on the device; 0: not known */
	struct words_site *sites;
	struct source_files files;
};

/* Without -g there are functions only, or not even these. */
static const char no_lines[] = " (no line: build the host code with -g)";

static void put_frames(FILE *out, const struct profile_frame **frames, uint32_t count)
{
	for (uint32_t i = 0; i < count && i < FRAMES; i++) {
		char *frame = words_frame(frames[i]);

		fprintf(out, "%s%s", i ? " < " : "", frame);
		free(frame);
	}
	if (count > FRAMES)
		fprintf(out, " < ... %" PRIu32 " more", count - FRAMES);
}

/*
 * "fill blas.c:12 < forward conv.c:40 < main demo.c:100", of the node of a CUDA graph "capture
 * gr.c:24 < main gr.c:30, replayed at main gr.c:34"; NULL when nothing is known.
 */
static char *call_path(const struct profile *profile, uint32_t vertex)
{
	uint32_t count, first = 0, replay;
	const struct profile_frame **path = profile_path(profile, vertex, &count);
	char *text = NULL;
	size_t size;
	FILE *out;
	bool lines;

	while (first < count && !words_has_line(path[first]))
		first++;
	lines = first < count;
	first = lines ? first : 0;
	for (replay = first; replay < count && !profile_frame_is_replay(path[replay]);)
		replay++;
	out = first < count ? open_memstream(&text, &size) : NULL;
	if (out)
		put_frames(out, path + first, replay - first);
	if (out && replay < count) {
		fputs(", replayed at ", out);
		put_frames(out, path + replay + 1, count - replay - 1);
	}
	if (out && !lines)
		fputs(no_lines, out);
	if (out)
		fclose(out);
	free(path);
	return text;
}

static void print_place(const struct profile *profile, FILE *out, uint32_t vertex)
{
	char *path = call_path(profile, vertex);

	page_field(out, "", path ? path : "(place unknown: no call path)");
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
	struct source source = source_read(files, file, line, PAGE_WIDTH - LABEL - NUMBER);
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

/* What the program calls the object, with ": "; "" when its source does not tell. */
static char *buffer_name(const struct profile *profile, struct source_files *files, uint32_t vertex)
{
	uint32_t count, first = 0;
	const struct profile_frame **path = profile_path(profile, vertex, &count);
	char *name, *text;

	while (first < count && !words_has_line(path[first]))
		first++;
	name = buffer_name_find(files, profile->graph->vertices[vertex].name, path + first,
				count - first);
	text = xasprintf("%s%s", name ? name : "", name ? ": " : "");
	free(name);
	free(path);
	return text;
}

/* Of calls that are no vertex. */
static void print_calls(struct common *common, FILE *out, const struct profile_api *api)
{
	char *text = xasprintf("%s (%s)", api->name, api->kind);

	page_field(out, "operation", text);
	free(text);
	page_field(out, "",
		   api->callpath ? leading_frame(api->callpath) : "(place unknown: no call path)");
	if (api->file && api->line)
		print_source(&common->files, out, api->file, api->line);
}

static void print_object(const struct profile *profile, struct common *common, FILE *out,
			 uint32_t site)
{
	const struct words_site *sites = common->sites;
	uint32_t v = graph_find(profile->graph, site);
	char *name, *bytes, *text, *buffer;
	const char *global;

	if (v == UINT32_MAX)
		return;
	global = sites[v].global;
	name = global ? xasprintf("global %s", global) : words_name(&profile->graph->vertices[v]);
	bytes = words_bytes(sites[v].largest);
	buffer = global ? xstrdup("") : buffer_name(profile, &common->files, v);
	text = sites[v].count > 1
		       ? xasprintf("%s%s (vertex %" PRIu32 "), %" PRIu64 " objects of up to %s",
				   buffer, name, site, sites[v].count, bytes)
		       : xasprintf("%s%s (vertex %" PRIu32 "), %s", buffer, name, site, bytes);
	free(buffer);
	page_field(out, "object", text);
	free(name);
	free(bytes);
	free(text);
	if (!global) /* a variable of a module has no call path */
		print_place(profile, out, v);
}

/* The operand as the shell takes it, after a space; "" for none. */
static char *operand(const char *file)
{
	char *word = file ? text_shell_file(file) : NULL;
	char *text = xasprintf("%s%s", word ? " " : "", word ? word : "");

	free(word);
	return text;
}

/* "dead write: saves 3.10 ms of 42.0 ms, 7.4%; 64.0K, delete" */
static char *title_of(const struct profile *profile, const struct profile_finding *finding)
{
	char *saving =
		report_saving(finding->saves_ns, finding->saves_most_ns, report_run_ns(profile));
	char *amount = finding->time_ns == PROFILE_UNKNOWN ? words_bytes(finding->bytes)
							   : words_ns(finding->time_ns);
	char *action = words_action(finding->action);
	/* of time that is waited the saving tells more */
	bool both = saving && finding->time_ns == PROFILE_UNKNOWN;
	char *title = xasprintf("%s: %s%s%s%s%s", advice_title(finding->pattern),
				saving ? saving : "", both ? "; " : "",
				both || !saving ? amount : "", *action ? ", " : "", action);

	free(saving);
	free(amount);
	free(action);
	return title;
}

/* What shows more of it; NULL: nothing does.  Caller frees. */
static char *look_of(const struct profile_finding *finding, const char *file)
{
	const char *action = finding->action ? finding->action : "";
	const char *change = !strcmp(action, "delete")          ? "without"
			     : !strcmp(action, "allocate_once") ? "hoist"
			     : !strcmp(action, "free_async")    ? "no-wait"
								: NULL;

	if (finding->vertex != GRAPH_HOST)
		return xasprintf("vflow slice --vertex %" PRIu32
				 "%s | vflow render -o vertex-%" PRIu32 ".svg",
				 finding->vertex, file, finding->vertex);
	if (finding->saves_ns == PROFILE_UNKNOWN || finding->api == PROFILE_NO_ROW || !change)
		return NULL;
	return xasprintf("vflow whatif --%s a%" PRIu32 "%s", change, finding->api + 1, file);
}

static void print_finding(const struct report *report, struct common *common, FILE *out,
			  uint32_t index)
{
	const struct profile_finding *finding = &report->profile->findings[index];
	char *name = title_of(report->profile, finding), *file = operand(report->file);
	char *title = xasprintf("%" PRIu32 ". %s", index + 1, name);
	char *look = look_of(finding, file);

	fputc('\n', out);
	page_heading(report->colour, out, title);
	if (finding->vertex != GRAPH_HOST)
		print_operation(report->profile, common, out, finding->vertex);
	else if (finding->api != PROFILE_NO_ROW)
		print_calls(common, out, &report->profile->apis[finding->api]);
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

static void print_time(const struct profile *profile, uint64_t sum, FILE *out)
{
	char *time = words_ns(sum);

	if (sum)
		fprintf(out, "  GPU time: %s, all operations added up%s\n", time,
			report_is_model(profile) ? "; model time, see vflow-collect(1)" : "");
	free(time);
}

static void print_memory(const struct profile *profile, FILE *out)
{
	char *text = report_memory_line(profile);

	if (text) {
		fputs("  ", out);
		page_wrap(out, 2, text);
	}
	free(text);
}

static void print_header(const struct report *report, uint64_t all_ns, FILE *out)
{
	const struct profile *profile = report->profile;
	char *title = xasprintf("vflow report: %s", profile->command ? profile->command : "");
	char date[64] = "at an unknown time", read_text[16], written_text[16];
	uint64_t read = 0, written = 0;
	time_t seconds = (time_t)profile->date;
	struct tm local;
	char *text;

	if (profile->date && localtime_r(&seconds, &local))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M %Z", &local);
	for (uint32_t e = 0; e < profile->graph->edge_count; e++) {
		const struct graph_edge *edge = &profile->graph->edges[e];

		*(edge->access == GRAPH_WRITE ? &written : &read) += edge->bytes;
	}
	page_heading(report->colour, out, title);
	free(title);
	text = xasprintf("collected %s, %" PRIu32 " process%s", date, profile->process_count,
			 text_plural(profile->process_count, "", "es"));
	fputs("  ", out);
	page_wrap(out, 2, text);
	free(text);
	/* processes of one run mostly share the device: each is told once */
	for (uint32_t p = 0; p < profile->process_count; p++) {
		const struct profile_process *process = &profile->processes[p];
		bool told = !process->device;

		for (uint32_t q = 0; q < p && !told; q++)
			told = profile->processes[q].device &&
			       !strcmp(profile->processes[q].device, process->device);
		if (told)
			continue;
		text = xasprintf("device: %s (%s)", process->device,
				 process->provider ? process->provider : "unknown provider");
		fputs("  ", out);
		page_wrap(out, 2, text);
		free(text);
	}
	if (report->as_found)
		fputs("  made by an older vflow: the findings are as it found them\n", out);
	else if (report->thresholds) {
		text = xasprintf("thresholds: %s in the profile", report->thresholds);
		fputs("  ", out);
		page_wrap(out, 2, text);
		free(text);
	}
	fprintf(out, "  %" PRIu32 " %s, %" PRIu32 " edge%s, %s read, %s written\n",
		profile->graph->vertex_count,
		text_plural(profile->graph->vertex_count, "vertex", "vertices"),
		profile->graph->edge_count, text_plural(profile->graph->edge_count, "", "s"),
		size_format(read, read_text), size_format(written, written_text));
	print_time(profile, all_ns, out);
	print_memory(profile, out);
	fputc('\n', out);
}

static void print_none(const struct report *report, FILE *out)
{
	if (report->profile->graph->vertex_count <= 1)
		page_wrap(out, 0, "No findings: no work on the device was recorded.");
	else
		page_wrap(out, 0, "No findings: no work was seen that could be left out.");
}

static uint32_t shown_count(const struct report *report)
{
	uint32_t count = report->profile->finding_count;

	return report->top && report->top < count ? (uint32_t)report->top : count;
}

/* " 1   16.1K  redundant values  fill_kernel (vertex 31, ongpu.c:27 < layers.c:57)" */
static void print_line(const struct profile *profile, FILE *out, uint32_t index)
{
	const struct profile_finding *finding = &profile->findings[index];
	uint32_t v = graph_find(profile->graph, finding->vertex);
	char *operation = finding->vertex == GRAPH_HOST && finding->api != PROFILE_NO_ROW
				  ? words_calls(&profile->apis[finding->api])
			  : v == UINT32_MAX ? xstrdup("")
					    : words_vertex(profile, v);
	uint64_t ns = finding->saves_ns == PROFILE_UNKNOWN ? finding->time_ns : finding->saves_ns;
	char size[16], *time = words_ns(ns);

	fprintf(out, "%2" PRIu32 " %7s  %-16s  %s\n", index + 1,
		ns == PROFILE_UNKNOWN ? size_format(finding->bytes, size) : time,
		advice_title(finding->pattern), operation);
	free(operation);
	free(time);
}

static void print_findings(const struct report *report, uint64_t all_ns, FILE *out)
{
	uint32_t count = report->profile->finding_count, shown = shown_count(report);
	struct common common = {.all_ns = all_ns};
	char *title, *file;

	if (!count) {
		print_none(report, out);
		return;
	}
	title = xasprintf("%" PRIu32 " finding%s, %s", count, text_plural(count, "", "s"),
			  report_order(report->profile));
	page_heading(report->colour, out, title);
	free(title);
	common.sites = words_sites(report->profile);
	for (uint32_t i = 0; i < shown; i++)
		print_finding(report, &common, out, i);
	free(common.sites);
	source_files_release(&common.files);
	if (shown == count)
		return;
	file = operand(report->file);
	fprintf(out, "\n%" PRIu32 " more: vflow report --top 0%s\n", count - shown, file);
	free(file);
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
	char *file = operand(report->file);
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

void report_print(const struct report *report, FILE *out)
{
	uint64_t all_ns = gpu_time(report->profile);

	for (uint32_t i = 0; report->brief && i < shown_count(report); i++)
		print_line(report->profile, out, i);
	if (report->brief)
		return;
	print_header(report, all_ns, out);
	print_findings(report, all_ns, out);
	report_groups(report, out);
	print_failed_calls(report, out);
	print_coverage(report, out);
	print_further(report, out);
}
