#include "advice/advice.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "advice/pattern.h"
#include "util/memory.h"
#include "util/size.h"

static const struct advice_pattern patterns[] = {
	{"redundant_values", "redundant values", "to save", "to save at most",
	 detect_redundant_values},
	{"duplicate_values", "duplicate values", "held more than once", "held more than once",
	 detect_duplicate_values},
};

const struct advice_threshold advice_thresholds[] = {
	{"redundancy", THRESHOLD_FRACTION, offsetof(struct advice_options, redundancy)},
	{"duplicate_bytes", THRESHOLD_BYTES, offsetof(struct advice_options, duplicate_bytes)},
	{0},
};

enum { PATTERNS = sizeof(patterns) / sizeof(*patterns) };

/* NULL: none of that name. */
static const struct advice_pattern *find(const char *name)
{
	for (size_t i = 0; i < PATTERNS; i++)
		if (!strcmp(patterns[i].name, name))
			return &patterns[i];
	return NULL;
}

/*
 * An operation that can go saves its launch and all its bytes; stores that a kernel need not make
 * save little, however many they are.
 */
static int by_worth(const void *left, const void *right)
{
	const struct profile_finding *a = left, *b = right;

	if (a->whole != b->whole)
		return a->whole ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	if (a->vertex != b->vertex)
		return a->vertex < b->vertex ? -1 : 1;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return strcmp(a->pattern, b->pattern);
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

void advice_detect(struct profile *profile, const struct advice_options *options)
{
	profile_clear_findings(profile);
	for (const struct advice_threshold *t = advice_thresholds; t->name; t++)
		profile_set_threshold(profile, t->name, advice_threshold_value(t, options));
	for (size_t i = 0; i < PATTERNS; i++)
		patterns[i].detect(profile, options);
	if (profile->finding_count)
		qsort(profile->findings, profile->finding_count, sizeof(*profile->findings),
		      by_worth);
}

const char *advice_title(const char *pattern)
{
	const struct advice_pattern *found = find(pattern);

	return found ? found->title : pattern;
}

const char *advice_measure(const struct profile_finding *finding)
{
	const struct advice_pattern *found = find(finding->pattern);

	return !found ? "" : finding->whole ? found->measure : found->parts;
}
