/* graph/profile/unseen.c: how many invocations of an operation were not analysed. */
#include "graph/profile/table.h"

#define UNSEEN_COLUMN(member, TYPE, ...) COLUMN(struct profile_unseen, member, TYPE, __VA_ARGS__)

static const struct profile_column columns[] = {
	KEY("id", ID),
	UNSEEN_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	UNSEEN_COLUMN(invocations, COUNT),
	{0},
};

const struct profile_table profile_table_unseen = {
	.name = "unseen",
	.columns = columns,
	.optional = true,
	TABLE_ROWS(unseen, unseen_count, unseen_capacity),
};
