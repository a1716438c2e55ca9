/* graph/profile/object.c: the allocations. */
#include "collect/trace.h"
#include "graph/profile/table.h"

#define OBJECT_COLUMN(member, TYPE, ...) COLUMN(struct profile_object, member, TYPE, __VA_ARGS__)

static const struct profile_column columns[] = {
	KEY("id", ID),
	OBJECT_COLUMN(site, VERTEX, .of = &profile_table_vertex),
	OBJECT_COLUMN(process, INDEX, .of = &profile_table_process),
	OBJECT_COLUMN(size, COUNT),
	OBJECT_COLUMN(address, WORD),
	OBJECT_COLUMN(memory, 32),
	OBJECT_COLUMN(name, TEXT, .nullable = true),
	OBJECT_COLUMN(start_ns, COUNT),
	OBJECT_COLUMN(end_ns, COUNT),
	{0},
};

static bool holds(const struct profile *profile, const void *row)
{
	const struct profile_object *object = row;

	(void)profile;
	return object->memory >= TRACE_MEMORY_DEVICE && object->memory <= TRACE_MEMORY_ARRAY;
}

const struct profile_table profile_table_object = {
	.name = "object",
	.columns = columns,
	.optional = true,
	TABLE_ROWS(objects, object_count, object_capacity),
	.holds = holds,
	.views = "CREATE VIEW objects AS SELECT o.id, o.site, v.callpath_text AS allocated_by, "
		 "o.size, CASE o.memory WHEN 1 THEN 'device' WHEN 2 THEN 'managed' "
		 "WHEN 3 THEN 'mapped host' WHEN 4 THEN 'global' ELSE 'array' END AS memory, "
		 "o.name, o.start_ns, nullif(o.end_ns, 0) AS end_ns, p.pid FROM object o "
		 "JOIN vertex v ON v.id = o.site JOIN process p ON p.id = o.process ORDER BY o.id;",
};
