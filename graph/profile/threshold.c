/* graph/profile/threshold.c: what the findings of the profile were made with. */
#include <math.h>
#include <string.h>

#include "graph/profile/table.h"
#include "util/memory.h"

#define THRESHOLD_COLUMN(member, TYPE) COLUMN(struct profile_threshold, member, TYPE)

static const struct profile_column columns[] = {
	THRESHOLD_COLUMN(name, TEXT),
	THRESHOLD_COLUMN(value, REAL),
	{0},
};

const struct profile_table profile_table_threshold = {
	.name = "threshold",
	.columns = columns,
	.optional = true,
	TABLE_ROWS(thresholds, threshold_count, threshold_capacity),
};

void profile_set_threshold(struct profile *profile, const char *name, double value)
{
	struct profile_threshold *rows;
	uint32_t i = 0;

	while (i < profile->threshold_count && strcmp(profile->thresholds[i].name, name) < 0)
		i++;
	if (i == profile->threshold_count || strcmp(profile->thresholds[i].name, name) != 0) {
		ARRAY_RESERVE(profile->thresholds, profile->threshold_count,
			      profile->threshold_capacity);
		rows = profile->thresholds;
		memmove(rows + i + 1, rows + i, (profile->threshold_count - i) * sizeof(*rows));
		rows[i] = (struct profile_threshold){.name = xstrdup(name)};
		profile->threshold_count++;
	}
	profile->thresholds[i].value = value;
}

double profile_threshold(const struct profile *profile, const char *name)
{
	for (uint32_t i = 0; i < profile->threshold_count; i++)
		if (!strcmp(profile->thresholds[i].name, name))
			return profile->thresholds[i].value;
	return NAN;
}
