/* advice/stall/lines.c: see lines.h. */
#include "advice/stall/lines.h"

#include <stdlib.h>
#include <string.h>

#include "advice/report/page.h"
#include "advice/source.h"
#include "advice/source_files.h"
#include "graph/symbols.h"
#include "util/memory.h"
#include "util/regex.h"

enum { CODE_WIDTH = 56, SOURCE_WIDTH = 120, CAUSES = 3 };

#define LEAST_SHARE 0.0005 /* of the samples, from which on a number is shown */

/* What an instruction has. */
struct row {
	struct stall_sum all;
	struct stall_sum by_reason[STALL_REASONS];
};

static void add(struct stall_sum *sum, const struct stall_count *count)
{
	sum->samples += (double)count->samples;
	sum->latency += (double)count->latency;
}

static struct row *find_rows(const struct stall_kernel *kernel)
{
	struct row *rows =
		xcalloc((size_t)kernel->flow->function->instruction_count + 1, sizeof(*rows));

	for (size_t i = 0; i < kernel->count_count; i++) {
		const struct stall_count *count = &kernel->counts[i];
		struct row *row = &rows[count->instruction];

		add(&row->all, count);
		add(&row->by_reason[count->reason], count);
	}
	return rows;
}

static enum stall_reason main_reason(const struct row *row)
{
	unsigned most = STALL_OTHER;

	for (unsigned i = 0; i < STALL_REASONS; i++)
		if (i != STALL_SELECTED && row->by_reason[i].samples > row->by_reason[most].samples)
			most = i;
	return row->by_reason[most].samples > 0 ? (enum stall_reason)most : STALL_SELECTED;
}

static void print_share(double part, double whole, FILE *out)
{
	if (part < LEAST_SHARE * whole)
		fputs("        ", out);
	else
		fprintf(out, "%7.1f%%", 100 * part / whole);
}

/* " <- 0x00b0 60%, 0x00d0 40%": whom the stalls of this reason are blamed on. */
static void print_causes(const struct stall_kernel *kernel, uint32_t instruction,
			 enum stall_reason reason, int blanks, FILE *out)
{
	const struct sass_instruction *code = kernel->flow->function->instructions;
	const struct stall_blames *blames = &kernel->blames;
	const size_t first = stall_blames_of(blames, instruction);
	double whole = 0;
	unsigned shown = 0;
	size_t end = first;

	for (; end < blames->count && blames->all[end].stalled == instruction; end++)
		if (blames->all[end].reason == reason)
			whole += blames->all[end].samples;
	for (size_t i = first; i < end && whole > 0; i++) {
		const struct stall_blame *blame = &blames->all[i];

		if (blame->reason != reason || blame->dependency == STALL_NO_DEPENDENCY)
			continue;
		if (shown == CAUSES) {
			fputs(", ...", out);
			return;
		}
		if (!shown++)
			fprintf(out, "%*s <- ", blanks > 0 ? blanks : 0, "");
		else
			fputs(", ", out);
		fprintf(out, "0x%04x", code[blame->source].offset);
		if (blame->samples < 0.995 * whole)
			fprintf(out, " %.0f%%", 100 * blame->samples / whole);
	}
}

static void print_source(const struct sass_line *line, struct source_files *files, FILE *out)
{
	struct source source = source_read(files, line->file, line->line, SOURCE_WIDTH);
	const char *slash = strrchr(line->file, '/');
	uint32_t index = line->line - source.first;
	const char *text = index < SOURCE_LINES ? source.lines[index] : NULL;

	fprintf(out, "%s:%u%s%s\n", slash ? slash + 1 : line->file, line->line, text ? ": " : "",
		text ? text + strspn(text, " ") : "");
	source_free(&source);
}

static void print_code(const struct stall_kernel *kernel, struct source_files *files, FILE *out)
{
	const struct sass_function *code = kernel->flow->function;
	struct row *rows = find_rows(kernel);
	struct sass_line last = {0};

	fprintf(out, "%8s%8s  %-18s %s\n", "samples", "latency", "reason", "offset  code");
	for (uint32_t i = 0; i < code->instruction_count; i++) {
		enum stall_reason reason = main_reason(&rows[i]);
		struct sass_line lines[SASS_LINES_DEPTH];
		char *text = stall_text(kernel, i);

		for (uint32_t k = 0; k < code->label_count; k++)
			if (code->labels[k].instruction == i)
				fprintf(out, "%s:\n", code->labels[k].name);
		if (stall_lines_of(kernel, i, lines) && (!last.file || lines[0].line != last.line ||
							 strcmp(lines[0].file, last.file) != 0)) {
			last = lines[0];
			print_source(&last, files, out);
		}
		print_share(rows[i].all.samples, kernel->all.samples, out);
		print_share(rows[i].all.latency, kernel->all.samples, out);
		fprintf(out, "  %-18s 0x%04x  %s",
			rows[i].all.samples > 0 ? stall_reason_name(reason) : "",
			code->instructions[i].offset, text);
		print_causes(kernel, i, reason, CODE_WIDTH - (int)strlen(text), out);
		fputc('\n', out);
		free(text);
	}
	free(rows);
}

int stall_lines_print(const struct report_stalls *report, const char *expression, FILE *out,
		      struct error *error)
{
	struct regex *regex = regex_new(expression, error);
	struct source_files files = {0};
	size_t shown = 0;
	int found = 0;

	if (!regex)
		return -1;
	for (size_t i = 0; i < report->kernels->count && found >= 0; i++) {
		const struct stall_kernel *kernel = &report->kernels->all[i];
		char *name = symbols_demangle(kernel->name), *title;

		found = regex_search(regex, name, error);
		if (!found)
			found = regex_search(regex, kernel->name, error);
		if (found > 0) {
			if (shown++)
				fputc('\n', out);
			title = xasprintf("%s: %.1f%% of the samples", name,
					  report->kernels->samples > 0
						  ? 100 * kernel->all.samples /
							    report->kernels->samples
						  : 0);
			page_heading(report->colour, out, title);
			if (kernel->flow)
				print_code(kernel, &files, out);
			else
				fprintf(out, "%s\n", kernel->unknown);
			free(title);
		}
		free(name);
	}
	source_files_release(&files);
	regex_free(regex);
	if (found < 0)
		return -1;
	if (shown)
		return 0;
	return error_set(error, "--lines %s: no kernel that was sampled has such a name",
			 expression);
}
