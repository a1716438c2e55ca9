/*
 * advice/report/github.c: findings as commands of a workflow of GitHub, which shows them at their
 * lines: "::warning file=a.cu,line=3,title=dead write::...".
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/report/finding.h"
#include "advice/report/report.h"

/* In a property ':' and ',' end the value; '%' and ends of lines are escaped everywhere. */
static void put_escaped(FILE *out, const char *text, const char *also)
{
	for (; *text; text++)
		if (strchr("%\r\n", *text) || strchr(also, *text))
			fprintf(out, "%%%02X", (unsigned char)*text);
		else
			fputc(*text, out);
}

static void put_finding(const struct report *report, FILE *out, uint32_t f)
{
	const struct profile_finding *finding = &report->profile->findings[f];
	struct finding_line line =
		finding_line(report->profile, report->profile->graph, f, report->folder);
	const char *inside = line.file ? finding_file_in(line.file, report->folder) : NULL;
	char *title = finding_title(report->profile, f);
	char *operation = finding_operation(report->profile, f);

	fprintf(out, "::%s ",
		report->fails && report->fails[f] ? "error"
		: finding->input                  ? "notice"
						  : "warning");
	if (line.file) {
		fputs("file=", out);
		put_escaped(out, inside ? inside : line.file, ":,");
		fprintf(out, ",line=%" PRIu32 ",", line.line);
	}
	fputs("title=", out);
	put_escaped(out, title, ":,");
	fputs("::", out);
	put_escaped(out, operation, "");
	fputs(": ", out);
	put_escaped(out, finding->evidence, "");
	fputs("%0A", out);
	put_escaped(out, finding->advice, "");
	fputs("\n", out);
	free(title);
	free(operation);
}

void report_github(const struct report *report, FILE *out)
{
	uint32_t left = report_shown(report), count = report_count(report), shown = left;

	for (uint32_t f = report_next(report, 0, &left); f < report->profile->finding_count;
	     f = report_next(report, f + 1, &left))
		put_finding(report, out, f);
	if (shown < count)
		fprintf(out, "::notice title=vflow::%" PRIu32 " more findings\n", count - shown);
	if (report->profile->coverage_count)
		fprintf(out,
			"::notice title=vflow::what was not seen, or not in full: %" PRIu32
			" lines at the end of vflow report\n",
			report->profile->coverage_count);
}
