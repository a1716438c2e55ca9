/*
 * graph/profile/dependency.c: the dependency graph of the first events of a profile: read only for
 * those who ask for events.
 */
#include "graph/profile/table.h"

#define DEPENDENCY_COLUMN(member, TYPE, ...)                                                       \
	COLUMN(struct profile_dependency, member, TYPE, __VA_ARGS__)

static const struct profile_column dependency_columns[] = {
	KEY("id", ID),
	COLUMN_NAMED("event", struct profile_dependency, to, INDEX, .of = &profile_table_event),
	COLUMN_NAMED("after", struct profile_dependency, from, INDEX, .of = &profile_table_event),
	DEPENDENCY_COLUMN(why, 32),
	DEPENDENCY_COLUMN(object, INDEX, .nullable = true, .of = &profile_table_object),
	{0},
};

static bool is_of_object(const struct profile *profile, const struct profile_dependency *edge)
{
	return edge->why >= PROFILE_DEPENDENCY_RAW && edge->why <= PROFILE_DEPENDENCY_WAW &&
	       profile->objects[edge->object].process == profile->events[edge->to].process;
}

static bool dependency_holds(const struct profile *profile, const void *row)
{
	const struct profile_dependency *edge = row;
	bool later = edge > profile->dependencies;

	return edge->from < edge->to &&
	       profile->events[edge->from].process == profile->events[edge->to].process &&
	       (edge->object == PROFILE_NO_ROW ? edge->why >= PROFILE_DEPENDENCY_STREAM &&
							 edge->why <= PROFILE_DEPENDENCY_WAIT
					       : is_of_object(profile, edge)) &&
	       (!later || edge[-1].to <= edge->to);
}

const struct profile_table profile_table_dependency = {
	.name = "dependency",
	.columns = dependency_columns,
	.optional = true,
	.lazy = true,
	.most = PROFILE_DEPENDENCIES_MAX,
	TABLE_ROWS(dependencies, dependency_count, dependency_capacity),
	.holds = dependency_holds,
	.views = "CREATE VIEW dependencies AS SELECT d.event, d.after, "
		 "CASE d.why WHEN 1 THEN 'stream' WHEN 2 THEN 'event' WHEN 3 THEN 'wait' "
		 "WHEN 4 THEN 'RAW' WHEN 5 THEN 'WAR' WHEN 6 THEN 'WAW' ELSE 'unknown' END AS why, "
		 "d.object FROM dependency d ORDER BY d.id;",
};
