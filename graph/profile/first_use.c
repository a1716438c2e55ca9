/*
 * graph/profile/first_use.c: what the pass `use` has seen: when and where the program used what
 * calls had waited for, and who wrote to the source of an asynchronous copy before a wait covered
 * it.
 */
#include "gpu/records.h"
#include "graph/profile/table.h"

#define USE_COLUMN(member, TYPE, ...) COLUMN(struct profile_first_use, member, TYPE, __VA_ARGS__)

static const struct profile_column columns[] = {
	KEY("id", ID),
	USE_COLUMN(api, INDEX, .of = &profile_table_api),
	USE_COLUMN(kind, 32),
	USE_COLUMN(waits, COUNT),
	USE_COLUMN(min_ns, COUNT, .nullable = true),
	USE_COLUMN(median_ns, COUNT, .nullable = true),
	USE_COLUMN(bytes, COUNT),
	USE_COLUMN(pages, COUNT),
	USE_COLUMN(touched_pages, COUNT),
	USE_COLUMN(unwatched_bytes, COUNT),
	PLACE_COLUMNS(struct profile_first_use, place),
	{0},
};

static bool holds(const struct profile *profile, const void *row)
{
	const struct profile_first_use *use = row;
	bool used = use->kind == GPU_USE_INSTRUCTION || use->kind == GPU_USE_SYSTEM_CALL ||
		    use->kind == GPU_USE_CUDA;

	(void)profile;
	return use->kind >= GPU_USE_NEVER && use->kind <= GPU_USE_NOTHING && use->waits &&
	       used == (use->min_ns != PROFILE_UNKNOWN) &&
	       used == (use->median_ns != PROFILE_UNKNOWN) && use->min_ns <= use->median_ns &&
	       use->touched_pages <= use->pages && use->unwatched_bytes <= use->bytes;
}

const struct profile_table profile_table_first_use = {
	.name = "first_use",
	.columns = columns,
	.optional = true,
	TABLE_ROWS(first_uses, first_use_count, first_use_capacity),
	.holds = holds,
	.views = "CREATE VIEW first_uses AS SELECT u.id, a.name AS wait, a.vertex, "
		 "coalesce(a.callpath, v.callpath_text) AS wait_callpath, "
		 "CASE u.kind WHEN 1 THEN 'never' WHEN 2 THEN 'instruction' "
		 "WHEN 3 THEN 'system call' WHEN 4 THEN 'CUDA' WHEN 5 THEN 'unknown' "
		 "ELSE 'nothing to use' END AS first_use, u.callpath, u.file, u.line, u.waits, "
		 "u.min_ns, u.median_ns, u.bytes, u.pages, u.touched_pages, u.unwatched_bytes "
		 "FROM first_use u JOIN api a ON a.id = u.api "
		 "LEFT JOIN vertex v ON v.id = a.vertex ORDER BY u.id;",
};

#define OVERWRITE_COLUMN(member, TYPE, ...)                                                        \
	COLUMN(struct profile_overwrite, member, TYPE, __VA_ARGS__)

static const struct profile_column overwrite_columns[] = {
	KEY("id", ID),
	OVERWRITE_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	OVERWRITE_COLUMN(kind, 32),
	OVERWRITE_COLUMN(copies, COUNT),
	OVERWRITE_COLUMN(bytes, COUNT),
	OVERWRITE_COLUMN(min_ns, COUNT),
	PLACE_COLUMNS(struct profile_overwrite, place),
	{0},
};

static bool overwrite_holds(const struct profile *profile, const void *row)
{
	const struct profile_overwrite *overwrite = row;

	(void)profile;
	return overwrite->copies &&
	       (overwrite->kind == GPU_USE_INSTRUCTION || overwrite->kind == GPU_USE_SYSTEM_CALL);
}

const struct profile_table profile_table_overwrite = {
	.name = "overwrite",
	.columns = overwrite_columns,
	.optional = true,
	TABLE_ROWS(overwrites, overwrite_count, overwrite_capacity),
	.holds = overwrite_holds,
	.views = "CREATE VIEW overwrites AS SELECT o.id, v.name AS copy, o.vertex, "
		 "v.callpath_text AS copy_callpath, "
		 "CASE o.kind WHEN 2 THEN 'instruction' ELSE 'system call' END AS written_by, "
		 "o.callpath, o.file, o.line, o.copies, o.min_ns, o.bytes "
		 "FROM overwrite o JOIN vertex v ON v.id = o.vertex ORDER BY o.id;",
};
