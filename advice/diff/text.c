/* advice/diff/text.c: what changed, as text of at most 100 columns. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "advice/diff/diff.h"
#include "advice/report/finding.h"
#include "advice/report/page.h"
#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

static void put_field(FILE *out, const char *label, const char *text)
{
	fprintf(out, "  %-11s  ", label);
	page_wrap(out, 15, text);
}

static void put_file(FILE *out, const char *label, const char *file, const struct profile *profile)
{
	char *text = profile->command ? xasprintf("%s: %s", file, profile->command) : xstrdup(file);

	put_field(out, label, text);
	free(text);
}

static void put_number(FILE *out, const struct diff_number *number)
{
	char *before = diff_amount(number, number->before), *after, *ratio, *text;

	after = diff_amount(number, number->after);
	ratio = diff_ratio(number->before, number->after);
	text = number->before == number->after ? xasprintf("%s, as before", after)
					       : xasprintf("%s -> %s%s", before, after, ratio);
	/* of times that neither of them has nothing is to be said */
	if (number->before != PROFILE_UNKNOWN || number->after != PROFILE_UNKNOWN)
		put_field(out, number->title, text);
	free(before);
	free(after);
	free(ratio);
	free(text);
}

/* "- #1 dead write: 64.0K; cudaMemset (vertex 3, util.c:12)" */
static void put_finding(FILE *out, char sign, const struct profile *profile, uint32_t finding)
{
	char *worth = finding_worth(profile, finding);
	char *place = finding_operation(profile, finding);
	char *text = xasprintf("#%" PRIu32 " %s: %s; %s", finding + 1,
			       advice_title(profile->findings[finding].pattern), worth, place);

	fprintf(out, "  %c ", sign);
	page_wrap(out, 4, text);
	free(worth);
	free(place);
	free(text);
}

/* "= #3 -> #1 dead write: 64.0K -> 16.0K; cudaMemset (vertex 3, util.c:12)" */
static void put_remaining(FILE *out, const struct diff_join *join, struct diff_pair pair)
{
	char *before = finding_worth(join->before, pair.before);
	char *after = finding_worth(join->after, pair.after);
	char *place = finding_operation(join->after, pair.after), *text;
	bool same = !strcmp(before, after);

	text = xasprintf("#%" PRIu32 " -> #%" PRIu32 " %s: %s%s%s; %s", pair.before + 1,
			 pair.after + 1, advice_title(join->after->findings[pair.after].pattern),
			 before, same ? "" : " -> ", same ? "" : after, place);
	fputs("  = ", out);
	page_wrap(out, 4, text);
	free(before);
	free(after);
	free(place);
	free(text);
}

static uint32_t shown(const struct diff *diff, uint32_t count)
{
	return diff->top && diff->top < count ? (uint32_t)diff->top : count;
}

static void put_more(FILE *out, uint32_t count, uint32_t shown_count)
{
	if (shown_count < count)
		fprintf(out, "  ... %" PRIu32 " more: --top 0\n", count - shown_count);
}

static void put_list(const struct diff *diff, FILE *out, const struct diff_pair *pairs,
		     uint32_t count, const char *what)
{
	const struct diff_join *join = diff->join;
	char *title =
		xasprintf("%" PRIu32 " finding%s %s", count, text_plural(count, "", "s"), what);

	fputc('\n', out);
	page_heading(diff->colour, out, title);
	free(title);
	for (uint32_t i = 0; i < shown(diff, count); i++)
		if (pairs[i].after == DIFF_NONE)
			put_finding(out, '-', join->before, pairs[i].before);
		else if (pairs[i].before == DIFF_NONE)
			put_finding(out, '+', join->after, pairs[i].after);
		else
			put_remaining(out, join, pairs[i]);
	put_more(out, count, shown(diff, count));
}

static void put_findings(const struct diff *diff, FILE *out)
{
	const struct diff_join *join = diff->join;
	const struct diff_pair *gone = join->findings + join->joined_findings;

	put_list(diff, out, gone, join->gone_findings, "gone");
	put_list(diff, out, gone + join->gone_findings, join->new_findings, "new");
	put_list(diff, out, join->findings, join->joined_findings, "in both");
	if (join->near_findings) {
		char *near =
			xasprintf("and %" PRIu32
				  " that one run has in its list and the other has just below: "
				  "neither gone nor new",
				  join->near_findings);

		fputs("  ", out);
		page_wrap(out, 4, near);
		free(near);
	}
}

static void put_change(FILE *out, const struct diff_join *join, const struct diff_change *change)
{
	const bool gone = change->vertices.after == DIFF_NONE;
	char *name = gone ? words_vertex(join->before, change->vertices.before)
			  : words_vertex(join->after, change->vertices.after);
	char *work = diff_work_words(change), *text = xasprintf("%s: %s", name, work);

	fprintf(out, "  %-8s ", diff_change_name(change->vertices));
	page_wrap(out, 11, text);
	free(name);
	free(work);
	free(text);
}

static void put_changes(const struct diff *diff, FILE *out)
{
	char *title;

	if (!diff->change_count)
		return;
	title = xasprintf("%" PRIu32 " operation%s gone, new or changed, most %s first",
			  diff->change_count, text_plural(diff->change_count, "", "s"),
			  diff->timed ? "time" : "bytes");
	fputc('\n', out);
	page_heading(diff->colour, out, title);
	free(title);
	for (uint32_t i = 0; i < shown(diff, diff->change_count); i++)
		put_change(out, diff->join, &diff->changes[i]);
	put_more(out, diff->change_count, shown(diff, diff->change_count));
}

void diff_text(const struct diff *diff, FILE *out)
{
	const struct diff_join *join = diff->join;

	page_heading(diff->colour, out, "vflow diff");
	put_file(out, "before", diff->before_file, join->before);
	put_file(out, "after", diff->after_file, join->after);
	for (uint32_t i = 0; i < diff->number_count; i++)
		put_number(out, &diff->numbers[i]);
	if (!diff_is_alike(diff)) {
		fputc('\n', out);
		page_wrap(out, 0,
			  "No operation is in both runs: they are of different programs, or one "
			  "was built without symbols.");
		return;
	}
	if (!join->gone_findings && !join->new_findings && !diff->change_count) {
		fputc('\n', out);
		page_wrap(out, 0,
			  "Nothing is gone, nothing is new, and every operation did what "
			  "it did before.");
	}
	put_findings(diff, out);
	put_changes(diff, out);
}
