#include "advice/advice.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "advice/list.h"
#include "advice/memory/findings.h"
#include "advice/pattern.h"
#include "util/memory.h"
#include "util/size.h"

/* ROW(name) of each file of advice/pattern/, by the Makefile. */
#define ROW(name) extern const struct pattern pattern_##name;
#include "rows/advice/pattern.def"
#undef ROW

static const struct pattern *const patterns[] = {
#define ROW(name) &pattern_##name,
#include "rows/advice/pattern.def"
#undef ROW
};

const struct advice_threshold advice_thresholds[] = {
	{"redundancy", THRESHOLD_FRACTION, offsetof(struct advice_options, redundancy)},
	{"duplicate_bytes", THRESHOLD_BYTES, offsetof(struct advice_options, duplicate_bytes)},
	{"partial_download", THRESHOLD_FRACTION, offsetof(struct advice_options, partial_download)},
	{"frequent", THRESHOLD_FRACTION, offsetof(struct advice_options, frequent)},
	{"repeated_accesses", THRESHOLD_FRACTION,
	 offsetof(struct advice_options, repeated_accesses)},
	{"min_bytes", THRESHOLD_BYTES, offsetof(struct advice_options, min_bytes)},
	{"min_time", THRESHOLD_FRACTION, offsetof(struct advice_options, min_time)},
	{0},
};

enum { PATTERNS = sizeof(patterns) / sizeof(*patterns) };

const char *advice_title(const char *pattern)
{
	for (size_t i = 0; i < PATTERNS; i++)
		for (const struct pattern_name *n = patterns[i]->names; n->name; n++)
			if (!strcmp(n->name, pattern))
				return n->title;
	for (size_t i = 0; i < MEMORY_PATTERNS; i++)
		if (!strcmp(memory_patterns[i].name, pattern))
			return memory_patterns[i].title;
	return pattern;
}

const char *advice_pattern(uint32_t index)
{
	for (size_t i = 0; i < PATTERNS; i++)
		for (const struct pattern_name *n = patterns[i]->names; n->name; n++)
			if (!index--)
				return n->name;
	return NULL;
}

/* -- findings -- */

struct profile_finding *run_add(const struct run *run, const char *pattern, const char *action,
				uint32_t vertex, uint32_t site, uint64_t bytes, uint64_t of)
{
	struct profile_finding *finding = profile_add_finding(run->profile);

	finding->pattern = xstrdup(pattern);
	finding->action = xstrdup(action);
	finding->vertex = vertex;
	finding->object = site;
	finding->access = GRAPH_WRITE;
	finding->bytes = bytes < PROFILE_NUMBER_MAX ? bytes : PROFILE_NUMBER_MAX;
	finding->fraction = of ? (double)bytes / (double)of : 1;
	finding->places = finding->invocations = 1;
	return finding;
}

struct profile_finding *run_add_calls(const struct run *run, const char *pattern,
				      const char *action, uint32_t api, uint64_t ns)
{
	const struct profile_api *calls = &run->profile->apis[api];
	bool operation = calls->vertex != PROFILE_NO_VERTEX;
	struct profile_finding *finding = run_add(
		run, pattern, action, operation ? calls->vertex : GRAPH_HOST, GRAPH_HOST, 0, 0);

	finding->access = GRAPH_ACCESS_NONE;
	finding->api = api;
	finding->time_ns = ns < PROFILE_NUMBER_MAX ? ns : PROFILE_NUMBER_MAX;
	/* calls before the first operation may have taken longer than all that came then */
	finding->fraction =
		run->timing->span_ns ? fmin((double)ns / (double)run->timing->span_ns, 1) : 0;
	return finding;
}

void finding_add_other(struct profile_finding *finding, uint32_t vertex)
{
	uint32_t count = finding->other_count;

	if (vertex == finding->vertex || vertex == finding->object)
		return;
	/* the capacity is a power of two */
	if (!(count & (count - 1)))
		finding->others = xreallocarray(finding->others, count ? 2 * (size_t)count : 1,
						sizeof(*finding->others));
	finding->others[count] = vertex;
	finding->other_count++;
}

double advice_threshold_value(const struct advice_threshold *threshold,
			      const struct advice_options *options)
{
	const char *at = (const char *)options + threshold->at;

	return threshold->type == THRESHOLD_BYTES ? (double)*(const uint64_t *)at
						  : *(const double *)at;
}

static char *threshold_text(const struct advice_threshold *threshold, double value)
{
	char size[16];

	/* a file may hold any number */
	if (threshold->type == THRESHOLD_BYTES && value >= 0 && value < 0x1p63)
		return xstrdup(size_format((uint64_t)value, size));
	return xasprintf("%.4g", value);
}

char *advice_other_thresholds(const struct profile *profile, const struct advice_options *options)
{
	char *text = NULL;

	for (const struct advice_threshold *t = advice_thresholds; t->name; t++) {
		double old = profile_threshold(profile, t->name);
		double new = advice_threshold_value(t, options);
		char *before, *after, *more;

		if (isnan(old) || old == new)
			continue;
		before = threshold_text(t, old);
		after = threshold_text(t, new);
		more = xasprintf("%s%s%s %s instead of %s", text ? text : "", text ? ", " : "",
				 t->name, after, before);
		free(before);
		free(after);
		free(text);
		text = more;
	}
	return text;
}

bool advice_can_detect(const struct profile *profile)
{
	return profile_has_table(profile, "site") || !profile->finding_count;
}

void advice_detect(struct profile *profile, const struct advice_options *options)
{
	struct run run;

	profile_clear_findings(profile);
	for (const struct advice_threshold *t = advice_thresholds; t->name; t++)
		profile_set_threshold(profile, t->name, advice_threshold_value(t, options));
	run = run_of(profile, options);
	for (size_t i = 0; i < PATTERNS; i++)
		patterns[i]->detect(&run);
	list_findings(&run);
	run_release(&run);
}
