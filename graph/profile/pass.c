/* graph/profile/pass.c: the passes that the profile is made from, and the run of each. */
#include "graph/profile/table.h"

#define PASS_COLUMN(member, TYPE) COLUMN(struct profile_pass, member, TYPE)

static const struct profile_column columns[] = {
	KEY("id", ID),
	PASS_COLUMN(name, TEXT),
	PASS_COLUMN(provider, TEXT),
	PASS_COLUMN(device, TEXT),
	PASS_COLUMN(run, 32),
	PASS_COLUMN(seconds, REAL),
	PASS_COLUMN(makes_graph, FLAG),
	{0},
};

const struct profile_table profile_table_pass = {
	.name = "pass",
	.columns = columns,
	.optional = true,
	TABLE_ROWS(passes, pass_count, pass_capacity),
};
