/*
 * advice/report/markdown.c: the report as Markdown within a number of lines: what a person, a
 * pull request or an agent needs for the next step.  The first findings are told in full, as many
 * as there is room for when each of the others gets a line.
 */
#include "util/format/markdown.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/report/finding.h"
#include "advice/report/report.h"
#include "advice/report/worth.h"
#include "util/memory.h"
#include "util/text.h"

enum { GAPS = 5 }; /* lines of coverage that are shown, of many */

struct page {
	const struct report *report;
	struct words_site *sites;
	struct source_files files;
	char *operand;
};

/* Of the command that prints these findings. */
static const char *report_option(const struct report *report)
{
	return report->of_memory ? " --memory" : "";
}

static uint64_t lines_of(const char *text)
{
	uint64_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* -- parts of the page, as texts; the caller frees them ----------------------------------- */

static char *head_of(const struct report *report)
{
	const struct profile *profile = report->profile;
	uint32_t count = report_count(report), suppressed = report_suppressed_count(report);
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	fprintf(out, "# vflow report%s: ", report_option(report));
	markdown_text(out, profile->command ? profile->command : "");
	if (count)
		fprintf(out, "\n\n%" PRIu32 " finding%s, %s", count, text_plural(count, "", "s"),
			report_order(report));
	else
		fprintf(out, "\n\n%s", report_none(report));
	if (suppressed)
		fprintf(out, "%s%" PRIu32 " suppressed.", count ? "; " : " ", suppressed);
	else if (count)
		fputc('.', out);
	fputc('\n', out);
	for (uint32_t i = 0; i < profile->finding_group_count; i++) {
		const struct profile_finding_group *group = &profile->finding_groups[i];
		char *saving;

		if (strcmp(group->kind, "all") != 0 || !group->member_count)
			continue;
		saving = report_saving(group->saves_ns, group->saves_most_ns,
				       report_span_ns(profile));
		fprintf(out, "All together: %s.\n", saving ? saving : "not known");
		free(saving);
	}
	fclose(out);
	return text;
}

static char *tail_of(const struct report *report)
{
	const struct profile *profile = report->profile;
	uint32_t shown = profile->coverage_count < GAPS ? profile->coverage_count : GAPS;
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	if (shown)
		fputs("\n## What was not seen, or not in full\n\n", out);
	for (uint32_t i = 0; i < shown; i++) {
		char *gap = words_gap(&profile->coverage[i]);

		fputs("- ", out);
		markdown_text(out, gap);
		fputc('\n', out);
		free(gap);
	}
	if (shown < profile->coverage_count)
		fprintf(out, "- %" PRIu32 " more: vflow report\n", profile->coverage_count - shown);
	fclose(out);
	return text;
}

static void put_field(FILE *out, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(out, "- %s: ", name);
	markdown_text(out, text);
	fputc('\n', out);
}

/* A command to copy: a code span, unless it has what ends one. */
static void put_command(FILE *out, const char *name, const char *command)
{
	if (command && !strchr(command, '`'))
		fprintf(out, "- %s: `%s`\n", name, command);
	else
		put_field(out, name, command);
}

static void put_line(FILE *out, const struct report *report, uint32_t f)
{
	struct finding_line line =
		finding_line(report->profile, report->profile->graph, f, report->folder);
	const char *inside = line.file ? finding_file_in(line.file, report->folder) : NULL;
	char *text;

	if (!line.file)
		return;
	text = xasprintf("%s:%" PRIu32, inside ? inside : line.file, line.line);
	put_field(out, "line", text);
	free(text);
}

static char *detail_of(struct page *page, uint32_t f)
{
	const struct report *report = page->report;
	const struct profile_finding *finding = &report->profile->findings[f];
	char *title = finding_title(report->profile, f);
	char *operation = finding_operation(report->profile, f);
	char *object = finding->object == GRAPH_HOST
			       ? NULL
			       : finding_object(report->profile, page->sites, &page->files,
						finding->object);
	char *look = finding_look(report->profile, finding, page->operand), *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	fprintf(out, "\n## %" PRIu32 ". ", f + 1);
	markdown_text(out, title);
	fprintf(out, "%s\n\n", report->fresh && report->fresh[f] ? ", new" : "");
	put_line(out, report, f);
	put_field(out, "operation", operation);
	put_field(out, "object", object);
	put_field(out, "seen", finding->evidence);
	put_field(out, "advice", finding->advice);
	put_field(out, "limits", finding->limits);
	put_command(out, "look", look);
	put_field(out, "id", report->ids[f].text);
	fclose(out);
	free(title);
	free(operation);
	free(object);
	free(look);
	return text;
}

static char *brief_of(const struct report *report, uint32_t f)
{
	char *title = finding_title(report->profile, f);
	char *operation = finding_operation(report->profile, f), *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	fprintf(out, "- %" PRIu32 ". ", f + 1);
	markdown_text(out, title);
	fputs(report->fresh && report->fresh[f] ? ", new; " : "; ", out);
	markdown_text(out, operation);
	fprintf(out, "; id %s\n", report->ids[f].text);
	fclose(out);
	free(title);
	free(operation);
	return text;
}

/* -- the page ----------------------------------------------------------------------------- */

static void put_more(const struct page *page, FILE *out, uint32_t more)
{
	if (more)
		fprintf(out, "- %" PRIu32 " more: vflow report%s --top 0%s\n", more,
			report_option(page->report), page->operand);
}

/*
 * In full as many as fit into `room` lines with a line for each of the others.  Those take a blank
 * line and a heading with one after it, and one line if some are left out.
 */
static void put_findings(struct page *page, FILE *out, uint64_t room)
{
	const struct report *report = page->report;
	const uint32_t end = report->profile->finding_count;
	uint32_t count = report_count(report), left = report_shown(report), others = left;
	uint32_t f = report_next(report, 0, &left);
	const uint64_t heading = 4;

	while (f < end) {
		char *detail = detail_of(page, f);
		uint64_t after = others > 1 || others - 1 < count - report_shown(report)
					 ? heading + others - 1
					 : 0;

		if (lines_of(detail) + after > room) {
			free(detail);
			break;
		}
		fputs(detail, out);
		room -= lines_of(detail);
		free(detail);
		others--;
		f = report_next(report, f + 1, &left);
	}
	if (f < end && room > heading)
		fputs("\n## Others\n\n", out);
	room -= room > heading ? heading : room;
	for (; f < end && room; room--, others--, f = report_next(report, f + 1, &left)) {
		char *brief = brief_of(report, f);

		fputs(brief, out);
		free(brief);
	}
	put_more(page, out, count - report_shown(report) + others);
}

void report_markdown(const struct report *report, FILE *out)
{
	struct page page = {.report = report,
			    .sites = words_sites(report->profile),
			    .operand = finding_operand(report->file)};
	char *head = head_of(report), *tail = tail_of(report);
	uint64_t fixed = lines_of(head) + lines_of(tail);
	uint64_t room = !report->max_lines           ? UINT64_MAX
			: report->max_lines <= fixed ? 0
						     : report->max_lines - fixed;

	fputs(head, out);
	put_findings(&page, out, room);
	fputs(tail, out);
	free(head);
	free(tail);
	free(page.operand);
	free(page.sites);
	source_files_release(&page.files);
}
