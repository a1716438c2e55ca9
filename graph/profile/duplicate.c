/* graph/profile/duplicate.c: objects that held equal content, by group. */
#include "graph/profile/table.h"

#define GROUP_COLUMN(member, TYPE) COLUMN(struct profile_duplicate, member, TYPE)
#define MEMBER_COLUMN(member, TYPE, ...)                                                           \
	COLUMN(struct profile_duplicate_member, member, TYPE, __VA_ARGS__)

static const struct profile_column group_columns[] = {
	KEY("id", ID),
	GROUP_COLUMN(bytes, COUNT),
	GROUP_COLUMN(occurrences, COUNT),
	GROUP_COLUMN(events, COUNT),
	GROUP_COLUMN(zero, FLAG),
	{0},
};

const struct profile_table profile_table_duplicate = {
	.name = "duplicate",
	.columns = group_columns,
	.optional = true,
	TABLE_ROWS(duplicates, duplicate_count, duplicate_capacity),
};

static const struct profile_column member_columns[] = {
	KEY("duplicate", FIRST, .of = &profile_table_duplicate),
	KEY("position", SECOND),
	MEMBER_COLUMN(site, VERTEX, .of = &profile_table_vertex),
	MEMBER_COLUMN(cause, VERTEX, .of = &profile_table_vertex),
	MEMBER_COLUMN(objects, COUNT),
	{0},
};

const struct profile_table profile_table_duplicate_member = {
	.name = "duplicate_member",
	.columns = member_columns,
	.optional = true,
	TABLE_LIST(&profile_table_duplicate, struct profile_duplicate, members, member_count),
};
