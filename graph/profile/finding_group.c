/* graph/profile/finding_group.c: what findings are worth together. */
#include "graph/profile/table.h"
#include "util/memory.h"

#define GROUP_COLUMN(member, TYPE, ...)                                                            \
	COLUMN(struct profile_finding_group, member, TYPE, __VA_ARGS__)
#define MEMBER_COLUMN(member, TYPE, ...)                                                           \
	COLUMN(struct profile_group_member, member, TYPE, __VA_ARGS__)

static const struct profile_column columns[] = {
	KEY("id", ID),
	GROUP_COLUMN(kind, TEXT),
	GROUP_COLUMN(label, TEXT),
	GROUP_COLUMN(run_ns, COUNT, .nullable = true),
	GROUP_COLUMN(span_ns, COUNT, .nullable = true),
	GROUP_COLUMN(startup_ns, COUNT, .nullable = true),
	GROUP_COLUMN(saves_ns, COUNT, .nullable = true),
	GROUP_COLUMN(saves_most_ns, COUNT, .nullable = true),
	{0},
};

const struct profile_table profile_table_finding_group = {
	.name = "finding_group",
	.columns = columns,
	.optional = true,
	TABLE_ROWS(finding_groups, finding_group_count, finding_group_capacity),
	.views = "CREATE VIEW finding_groups AS SELECT g.id, g.kind, g.label, g.run_ns, "
		 "g.span_ns, g.startup_ns, g.saves_ns, g.saves_most_ns, "
		 "(SELECT group_concat(finding) FROM (SELECT finding FROM finding_group_member m "
		 "WHERE m.finding_group = g.id ORDER BY m.position)) AS findings "
		 "FROM finding_group g ORDER BY g.id;",
};

static const struct profile_column member_columns[] = {
	KEY("finding_group", FIRST, .of = &profile_table_finding_group),
	KEY("position", SECOND),
	MEMBER_COLUMN(finding, INDEX, .of = &profile_table_finding),
	MEMBER_COLUMN(adds_ns, COUNT, .nullable = true),
	{0},
};

const struct profile_table profile_table_finding_group_member = {
	.name = "finding_group_member",
	.columns = member_columns,
	.optional = true,
	TABLE_LIST(&profile_table_finding_group, struct profile_finding_group, members,
		   member_count),
};

struct profile_finding_group *profile_add_finding_group(struct profile *profile)
{
	struct profile_finding_group *group;

	ARRAY_RESERVE(profile->finding_groups, profile->finding_group_count,
		      profile->finding_group_capacity);
	group = &profile->finding_groups[profile->finding_group_count++];
	*group = (struct profile_finding_group){.run_ns = PROFILE_UNKNOWN,
						.span_ns = PROFILE_UNKNOWN,
						.startup_ns = PROFILE_UNKNOWN,
						.saves_ns = PROFILE_UNKNOWN,
						.saves_most_ns = PROFILE_UNKNOWN};
	return group;
}
