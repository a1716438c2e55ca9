/* graph/profile/range.c: the NVTX ranges that the program's calls were in. */
#include "graph/profile/table.h"

#define RANGE_COLUMN(member, TYPE, ...) COLUMN(struct profile_range, member, TYPE, __VA_ARGS__)

static const struct profile_column columns[] = {
	KEY("id", ID),
	RANGE_COLUMN(outer, INDEX, .nullable = true, .of = &profile_table_range),
	RANGE_COLUMN(name, TEXT),
	RANGE_COLUMN(calls, COUNT),
	RANGE_COLUMN(host_ns, COUNT),
	RANGE_COLUMN(time_ns, COUNT, .nullable = true),
	{0},
};

/* Outer ranges come first, so that there is no circle. */
static bool holds(const struct profile *profile, const void *row)
{
	const struct profile_range *range = row;

	return range->outer == PROFILE_NO_ROW ||
	       (range->outer < (uint32_t)(range - profile->ranges) &&
		range->calls <= profile->ranges[range->outer].calls);
}

const struct profile_table profile_table_range = {
	.name = "range",
	.columns = columns,
	.optional = true,
	.most = PROFILE_RANGES_MAX,
	TABLE_ROWS(ranges, range_count, range_capacity),
	.holds = holds,
	.views = "CREATE VIEW ranges AS WITH RECURSIVE path(id, text) AS ("
		 "SELECT id, name FROM range WHERE outer IS NULL UNION ALL "
		 "SELECT r.id, p.text || ' / ' || r.name FROM range r JOIN path p ON p.id = "
		 "r.outer) "
		 "SELECT r.id, p.text AS range, r.calls, r.host_ns, r.time_ns "
		 "FROM range r JOIN path p ON p.id = r.id ORDER BY r.id;",
};
