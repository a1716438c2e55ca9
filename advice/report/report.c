/* advice/report/report.c: which findings a report shows. */
#include "advice/report/report.h"

#include <string.h>

const struct suppression *report_suppression(const struct report *report, uint32_t finding)
{
	return report->suppressed ? report->suppressed[finding] : NULL;
}

bool report_is_note(const struct report *report, uint32_t finding)
{
	const struct profile_finding *row = &report->profile->findings[finding];

	return row->input && row->action && !strcmp(row->action, "none");
}

static bool is_listed(const struct report *report, uint32_t finding)
{
	return !report_suppression(report, finding) && !report_is_note(report, finding);
}

uint32_t report_count(const struct report *report)
{
	uint32_t count = 0;

	for (uint32_t f = 0; f < report->profile->finding_count; f++)
		count += is_listed(report, f);
	return count;
}

uint32_t report_suppressed_count(const struct report *report)
{
	uint32_t count = 0;

	for (uint32_t f = 0; f < report->profile->finding_count; f++)
		count += report_suppression(report, f) != NULL;
	return count;
}

const char *report_none(const struct report *report)
{
	const struct profile *profile = report->profile;

	if (report_suppressed_count(report))
		return "No findings but those that are suppressed.";
	if (report->of_memory)
		return "No findings: no memory was seen that is there while nobody needs it.";
	if (profile->graph->vertex_count <= 1)
		return "No findings: no work on the device was recorded.";
	if (!profile_sees_accesses(profile) || profile_is_by_arguments(profile))
		return "No findings: what kernels read and write was not recorded, so superfluous "
		       "work was not looked for (vflow collect --passes flow).";
	return "No findings: no work was seen that could be left out.";
}

uint32_t report_shown(const struct report *report)
{
	uint32_t count = report_count(report);

	return report->top && report->top < count ? (uint32_t)report->top : count;
}

uint32_t report_next(const struct report *report, uint32_t first, uint32_t *left)
{
	while (first < report->profile->finding_count && !is_listed(report, first))
		first++;
	if (!*left)
		return report->profile->finding_count;
	--*left;
	return first;
}
