#include "advice/report/worth.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/report/page.h"
#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

bool report_is_model(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->pass_count; i++)
		if (!strcmp(profile->passes[i].name, "time"))
			return !strcmp(profile->passes[i].provider, "emulated");
	return false;
}

uint64_t report_run_ns(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->finding_group_count; i++)
		if (profile->finding_groups[i].run_ns != PROFILE_UNKNOWN)
			return profile->finding_groups[i].run_ns;
	return PROFILE_UNKNOWN;
}

uint64_t report_span_ns(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->finding_group_count; i++)
		if (profile->finding_groups[i].span_ns != PROFILE_UNKNOWN)
			return profile->finding_groups[i].span_ns;
	return report_run_ns(profile);
}

uint64_t report_startup_ns(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->finding_group_count; i++)
		if (profile->finding_groups[i].startup_ns != PROFILE_UNKNOWN)
			return profile->finding_groups[i].startup_ns;
	return PROFILE_UNKNOWN;
}

/* "3.10 ms of 42.0 ms, 7.4%"; more than all is of calls before or after the operations. */
static char *part_of(uint64_t ns, uint64_t span_ns)
{
	char *time = words_ns(ns), *run, *percent, *text;

	if (span_ns == PROFILE_UNKNOWN || ns > span_ns)
		return time;
	run = words_ns(span_ns);
	percent = words_percent(ns, span_ns);
	text = xasprintf("%s of %s, %s", time, run, percent);
	free(time);
	free(run);
	free(percent);
	return text;
}

/* "159 us to 179 us of 345 us, 46.1% to 51.9%" */
static char *range_of(uint64_t least_ns, uint64_t most_ns, uint64_t span_ns)
{
	char *low = words_ns(least_ns), *high = part_of(most_ns, span_ns), *text, *percent;
	const char *comma = strrchr(high, ',');

	if (comma) {
		percent = words_percent(least_ns, span_ns);
		text = xasprintf("%s to %.*s, %s to%s", low, (int)(comma - high), high, percent,
				 comma + 1);
		free(percent);
	} else {
		text = xasprintf("%s to %s", low, high);
	}
	free(low);
	free(high);
	return text;
}

char *report_saving(uint64_t saves_ns, uint64_t saves_most_ns, uint64_t span_ns)
{
	const bool least = saves_ns != PROFILE_UNKNOWN, most = saves_most_ns != PROFILE_UNKNOWN;
	char *part, *text;

	if (!least && !most)
		return NULL;
	if (least && !most && !saves_ns)
		return NULL; /* "at least nothing" says nothing */
	if (most && !saves_most_ns)
		return xstrdup("saves no time: off the critical path");
	if (least && most && saves_most_ns != saves_ns)
		part = range_of(saves_ns, saves_most_ns, span_ns);
	else
		part = part_of(least ? saves_ns : saves_most_ns, span_ns);
	text = xasprintf("saves %s%s", !least ? "at most " : most ? "" : "at least ", part);
	free(part);
	return text;
}

const char *report_order(const struct report *report)
{
	if (report->of_memory)
		return "those that lower the peak most first";
	if (report_run_ns(report->profile) == PROFILE_UNKNOWN)
		return "most bytes first";
	return report_is_model(report->profile) ? "most model time saved first"
						: "most time saved first";
}

/* "findings 1, 4 and 7" */
static char *members_of(const struct profile_finding_group *group)
{
	char *text = xstrdup(""), *more;

	for (uint32_t i = 0; i < group->member_count; i++) {
		more = xasprintf("%s%s%" PRIu32, text,
				 !i                            ? ""
				 : i + 1 < group->member_count ? ", "
							       : " and ",
				 group->members[i].finding + 1);
		free(text);
		text = more;
	}
	more = xasprintf("finding%s %s", text_plural(group->member_count, "", "s"), text);
	free(text);
	return more;
}

/* "1 saves 3.10 ms, then 4 1.00 ms more" */
static void print_all(FILE *out, const struct profile_finding_group *group, uint64_t span_ns)
{
	char *saving = report_saving(group->saves_ns, group->saves_most_ns, span_ns);
	char *text = xasprintf("All together: %s. One after the other, the best first:",
			       saving ? saving : "not known");

	for (uint32_t i = 0; i < group->member_count; i++) {
		const struct profile_group_member *member = &group->members[i];
		char *time = member->adds_ns == PROFILE_UNKNOWN ? xstrdup("?")
								: words_ns(member->adds_ns);
		char *more = xasprintf("%s%s finding %" PRIu32 " %s%s", text, i ? "," : "",
				       member->finding + 1, time, i ? " more" : "");

		free(text);
		free(time);
		text = more;
	}
	fputs("  ", out);
	page_wrap(out, 4, text);
	free(saving);
	free(text);
}

static const struct {
	const char *kind, *title;
} kinds[] = {
	{"single_point", "In one place"},
	{"function", "In functions of one name"},
	{"sequence", "In a row"},
};

static void print_group(FILE *out, const struct profile_finding_group *group, uint64_t span_ns)
{
	char *saving = report_saving(group->saves_ns, group->saves_most_ns, span_ns);
	char *members = members_of(group), *text;
	const char *title = group->kind;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].kind, group->kind))
			title = kinds[i].title;
	text = xasprintf("%s, %s: %s: %s", title, group->label, members,
			 saving ? saving : "not known");
	fputs("  ", out);
	page_wrap(out, 4, text);
	free(saving);
	free(members);
	free(text);
}

void report_groups(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;
	const uint64_t span_ns = report_span_ns(profile);

	if (!profile->finding_group_count ||
	    (profile->finding_group_count == 1 && !strcmp(profile->finding_groups[0].kind, "all") &&
	     !profile->finding_groups[0].member_count))
		return;
	fputc('\n', out);
	page_heading(report->colour, out, "What they save together");
	for (uint32_t i = 0; i < profile->finding_group_count; i++) {
		const struct profile_finding_group *group = &profile->finding_groups[i];

		if (!strcmp(group->kind, "none")) {
			char *text =
				xasprintf("not known, so the list is by bytes: %s", group->label);

			fputs("  ", out);
			page_wrap(out, 4, text);
			free(text);
		} else if (!strcmp(group->kind, "all")) {
			if (group->member_count)
				print_all(out, group, span_ns);
		} else {
			print_group(out, group, span_ns);
		}
	}
}
