/* graph/profile/object.c: the allocations, and the blocks that memory pools made of them. */
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

/* -- memory pools -- */

#define POOL_COLUMN(member, TYPE, ...) COLUMN(struct profile_pool, member, TYPE, __VA_ARGS__)
#define SITE_COLUMN(member, TYPE, ...) COLUMN(struct profile_pool_site, member, TYPE, __VA_ARGS__)
#define SEGMENT_COLUMN(member, TYPE, ...)                                                          \
	COLUMN(struct profile_pool_segment, member, TYPE, __VA_ARGS__)

static const struct profile_column pool_columns[] = {
	KEY("id", ID),
	POOL_COLUMN(process, INDEX, .of = &profile_table_process),
	POOL_COLUMN(name, TEXT),
	POOL_COLUMN(blocks, COUNT),
	POOL_COLUMN(bytes, COUNT),
	POOL_COLUMN(live_blocks, COUNT),
	POOL_COLUMN(live_bytes, COUNT),
	POOL_COLUMN(peak_blocks, COUNT),
	POOL_COLUMN(peak_bytes, COUNT),
	POOL_COLUMN(reported_bytes, COUNT, .nullable = true),
	{0},
};

static const struct profile_column site_columns[] = {
	KEY("id", ID),
	SITE_COLUMN(pool, INDEX, .of = &profile_table_pool),
	SITE_COLUMN(blocks, COUNT),
	SITE_COLUMN(bytes, COUNT),
	SITE_COLUMN(live_blocks, COUNT),
	SITE_COLUMN(live_bytes, COUNT),
	SITE_COLUMN(peak_blocks, COUNT),
	SITE_COLUMN(peak_bytes, COUNT),
	PLACE_COLUMNS(struct profile_pool_site, place),
	SITE_COLUMN(name, TEXT, .nullable = true),
	SITE_COLUMN(range, INDEX, .of = &profile_table_range, .nullable = true),
	{0},
};

static const struct profile_column segment_columns[] = {
	KEY("id", ID),
	SEGMENT_COLUMN(pool, INDEX, .of = &profile_table_pool),
	SEGMENT_COLUMN(object, INDEX, .of = &profile_table_object),
	{0},
};

static bool pool_holds(const struct profile *profile, const void *row)
{
	const struct profile_pool *pool = row;

	(void)profile;
	return pool->live_blocks <= pool->blocks && pool->live_bytes <= pool->bytes &&
	       pool->peak_blocks <= pool->blocks && pool->peak_bytes <= pool->bytes &&
	       pool->live_bytes <= pool->peak_bytes;
}

static bool site_holds(const struct profile *profile, const void *row)
{
	const struct profile_pool_site *site = row;

	(void)profile;
	return site->live_blocks <= site->blocks && site->live_bytes <= site->bytes &&
	       site->peak_blocks <= site->blocks && site->peak_bytes <= site->bytes;
}

const struct profile_table profile_table_pool = {
	.name = "pool",
	.columns = pool_columns,
	.optional = true,
	TABLE_ROWS(pools, pool_count, pool_capacity),
	.holds = pool_holds,
};

const struct profile_table profile_table_pool_site = {
	.name = "pool_site",
	.columns = site_columns,
	.optional = true,
	TABLE_ROWS(pool_sites, pool_site_count, pool_site_capacity),
	.holds = site_holds,
	.views = "CREATE VIEW pools AS SELECT s.id, p.name AS pool, r.pid, s.name, s.callpath, "
		 "s.file, s.line, s.blocks, s.bytes, s.peak_blocks, s.peak_bytes, s.live_blocks, "
		 "s.live_bytes FROM pool_site s JOIN pool p ON p.id = s.pool "
		 "JOIN process r ON r.id = p.process ORDER BY s.id;",
};

const struct profile_table profile_table_pool_segment = {
	.name = "pool_segment",
	.columns = segment_columns,
	.optional = true,
	TABLE_ROWS(pool_segments, pool_segment_count, pool_segment_capacity),
};
