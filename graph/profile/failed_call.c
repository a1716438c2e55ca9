/* graph/profile/failed_call.c: calls that returned an error. */
#include "graph/profile/table.h"

#define FAILED_COLUMN(member, TYPE, ...)                                                           \
	COLUMN(struct profile_failed_call, member, TYPE, __VA_ARGS__)

static const struct profile_column columns[] = {
	KEY("id", ID),
	FAILED_COLUMN(function, TEXT),
	FAILED_COLUMN(error, 32),
	FAILED_COLUMN(error_name, TEXT),
	FAILED_COLUMN(description, TEXT),
	FAILED_COLUMN(count, COUNT),
	PLACE_COLUMNS(struct profile_failed_call, place),
	{0},
};

const struct profile_table profile_table_failed_call = {
	.name = "failed_call",
	.columns = columns,
	.optional = true,
	.most = PROFILE_FAILED_CALLS_MAX,
	TABLE_ROWS(failed_calls, failed_call_count, failed_call_capacity),
};
