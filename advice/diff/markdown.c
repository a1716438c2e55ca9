/* advice/diff/markdown.c: what changed, as Markdown: for a pull request, or an agent. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "advice/diff/diff.h"
#include "advice/report/finding.h"
#include "advice/words.h"
#include "util/format/markdown.h"
#include "util/memory.h"

static void put_row(FILE *out, const struct diff_number *number)
{
	char *before = diff_amount(number, number->before);
	char *after = diff_amount(number, number->after);
	char *ratio = diff_ratio(number->before, number->after);

	if (number->before != PROFILE_UNKNOWN || number->after != PROFILE_UNKNOWN)
		fprintf(out, "| %s | %s | %s%s |\n", number->title, before, after, ratio);
	free(before);
	free(after);
	free(ratio);
}

static void put_finding(FILE *out, const struct profile *profile, uint32_t f)
{
	char *worth = finding_worth(profile, f), *place = finding_operation(profile, f);

	fprintf(out, "- #%" PRIu32 " **", f + 1);
	markdown_text(out, advice_title(profile->findings[f].pattern));
	fputs("**: ", out);
	markdown_text(out, worth);
	fputs("; ", out);
	markdown_text(out, place);
	fputc('\n', out);
	free(worth);
	free(place);
}

static void put_list(const struct diff *diff, FILE *out, const char *title,
		     const struct diff_pair *pairs, uint32_t count)
{
	const struct diff_join *join = diff->join;
	uint32_t shown = diff->top && diff->top < count ? (uint32_t)diff->top : count;

	if (!count)
		return;
	fprintf(out, "\n### %s: %" PRIu32 "\n\n", title, count);
	for (uint32_t i = 0; i < shown; i++)
		if (pairs[i].after == DIFF_NONE)
			put_finding(out, join->before, pairs[i].before);
		else
			put_finding(out, join->after, pairs[i].after);
	if (shown < count)
		fprintf(out, "- %" PRIu32 " more\n", count - shown);
}

static void put_changes(const struct diff *diff, FILE *out)
{
	const struct diff_join *join = diff->join;
	uint32_t count = diff->change_count;
	uint32_t shown = diff->top && diff->top < count ? (uint32_t)diff->top : count;

	if (!count)
		return;
	fprintf(out, "\n### Operations gone, new or changed: %" PRIu32 "\n\n", count);
	for (uint32_t i = 0; i < shown; i++) {
		const struct diff_change *change = &diff->changes[i];
		char *name = change->vertices.after == DIFF_NONE
				     ? words_vertex(join->before, change->vertices.before)
				     : words_vertex(join->after, change->vertices.after);
		char *work = diff_work_words(change);

		fprintf(out, "- %s ", diff_change_name(change->vertices));
		markdown_text(out, name);
		fputs(": ", out);
		markdown_text(out, work);
		fputc('\n', out);
		free(name);
		free(work);
	}
	if (shown < count)
		fprintf(out, "- %" PRIu32 " more\n", count - shown);
}

void diff_markdown(const struct diff *diff, FILE *out)
{
	const struct diff_join *join = diff->join;
	const struct diff_pair *gone = join->findings + join->joined_findings;

	fputs("## vflow diff: ", out);
	markdown_text(out, diff->before_file);
	fputs(" to ", out);
	markdown_text(out, diff->after_file);
	fputs("\n\n| | before | after |\n| --- | ---: | ---: |\n", out);
	for (uint32_t i = 0; i < diff->number_count; i++)
		put_row(out, &diff->numbers[i]);
	if (!diff_is_alike(diff))
		fputs("\nNo operation is in both runs: they are of different programs.\n", out);
	put_list(diff, out, "New findings", gone + join->gone_findings, join->new_findings);
	put_list(diff, out, "Findings gone", gone, join->gone_findings);
	put_list(diff, out, "Findings in both", join->findings, join->joined_findings);
	if (join->near_findings)
		fprintf(out,
			"\n%" PRIu32 " that one run has in its list and the other has just below: "
			"neither gone nor new.\n",
			join->near_findings);
	put_changes(diff, out);
}
