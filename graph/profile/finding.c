/* graph/profile/finding.c: what the patterns found. */
#include "graph/profile/table.h"
#include "util/memory.h"

#define FINDING_COLUMN(member, TYPE, ...) COLUMN(struct profile_finding, member, TYPE, __VA_ARGS__)

static const struct profile_column columns[] = {
	KEY("id", ID),
	FINDING_COLUMN(pattern, TEXT),
	FINDING_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	FINDING_COLUMN(object, VERTEX, .of = &profile_table_vertex),
	FINDING_COLUMN(access, ACCESS),
	FINDING_COLUMN(bytes, COUNT),
	FINDING_COLUMN(fraction, REAL),
	FINDING_COLUMN(evidence, TEXT),
	FINDING_COLUMN(advice, TEXT),
	FINDING_COLUMN(limits, TEXT),
	FINDING_COLUMN(action, TEXT, .nullable = true),
	FINDING_COLUMN(input, FLAG, .nullable = true),
	FINDING_COLUMN(api, INDEX, .nullable = true, .of = &profile_table_api),
	FINDING_COLUMN(time_ns, COUNT, .nullable = true),
	FINDING_COLUMN(saves_ns, COUNT, .nullable = true),
	FINDING_COLUMN(saves_most_ns, COUNT, .nullable = true),
	FINDING_COLUMN(code_place, INDEX, .nullable = true, .of = &profile_table_code_place),
	{0},
};

const struct profile_table profile_table_finding = {
	.name = "finding",
	.columns = columns,
	.optional = true,
	TABLE_ROWS(findings, finding_count, finding_capacity),
	.views = "CREATE VIEW findings AS SELECT f.id, f.pattern, f.vertex, coalesce(a.name, "
		 "v.name) AS operation, "
		 "coalesce(a.callpath, v.callpath_text) AS where_operation, f.object, "
		 "o.callpath_text AS where_object, "
		 "f.bytes, round(100 * f.fraction, 1) AS percent, f.action, f.evidence, f.advice, "
		 "f.limits, f.time_ns, f.saves_ns, f.saves_most_ns "
		 "FROM finding f JOIN vertex v ON v.id = f.vertex JOIN vertex o ON o.id = f.object "
		 "LEFT JOIN api a ON a.id = f.api ORDER BY f.id;",
};

static const struct profile_column other_columns[] = {
	KEY("finding", FIRST, .of = &profile_table_finding),
	KEY("position", SECOND),
	{.name = "vertex", .type = COLUMN_VERTEX, .of = &profile_table_vertex},
	{0},
};

const struct profile_table profile_table_finding_other = {
	.name = "finding_other",
	.columns = other_columns,
	.optional = true,
	TABLE_LIST(&profile_table_finding, struct profile_finding, others, other_count),
};

struct profile_finding *profile_add_finding(struct profile *profile)
{
	struct profile_finding *finding;

	ARRAY_RESERVE(profile->findings, profile->finding_count, profile->finding_capacity);
	finding = &profile->findings[profile->finding_count++];
	*finding = (struct profile_finding){.api = PROFILE_NO_ROW,
					    .code_place = PROFILE_NO_ROW,
					    .time_ns = PROFILE_UNKNOWN,
					    .saves_ns = PROFILE_UNKNOWN,
					    .saves_most_ns = PROFILE_UNKNOWN,
					    .saves_peak_bytes = PROFILE_UNKNOWN};
	return finding;
}

void profile_release_finding(struct profile_finding *finding)
{
	table_release_row(&profile_table_finding, finding);
}

void profile_clear_findings(struct profile *profile)
{
	table_clear(&profile_table_finding_group_member, profile);
	table_clear(&profile_table_finding_group, profile);
	table_clear(&profile_table_finding_other, profile);
	table_clear(&profile_table_finding, profile);
}
