/*
 * graph/profile/read.c: a profile from its file.
 *
 * The file is hostile: only tables whose definition is ours to the letter are read, SQLite runs
 * without views and triggers, every number is checked, and in the end the check sum must agree.
 */
#include "graph/profile/graph.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

static void check_schema(struct profile_rows *reading)
{
	size_t found = 0, wanted = 0;

	rows_start(reading, "sqlite_schema", "SELECT name, type, sql FROM sqlite_schema");
	while (rows_next(reading)) {
		const char *name = (const char *)sqlite3_column_text(reading->statement, 0);
		const char *type = (const char *)sqlite3_column_text(reading->statement, 1);
		const char *sql = (const char *)sqlite3_column_text(reading->statement, 2);

		for (const struct profile_table *table = profile_tables; table->name; table++)
			found += name && type && sql && !strcmp(name, table->name) &&
				 !strcmp(type, "table") && !strcmp(sql, profile_table_sql(table));
	}
	while (profile_tables[wanted].name)
		wanted++;
	if (!reading->failed && found != wanted) {
		error_set(reading->error, "the tables are not those of a profile");
		reading->failed = true;
	}
}

static void read_run(struct profile_rows *reading, struct profile *profile, char **checksum)
{
	rows_start(reading, "run",
		   "SELECT id, command, date, event_count, redundancy_threshold, checksum, "
		   "events_checksum FROM run");
	while (rows_next(reading)) {
		char *events;

		rows_expect_id(reading);
		if (reading->row > 1) {
			rows_fail_row(reading);
			return;
		}
		profile->command = rows_text(reading, 1);
		profile->date = rows_count(reading, 2);
		profile->event_count = rows_count(reading, 3);
		profile->redundancy_threshold = rows_double(reading, 4);
		*checksum = rows_text(reading, 5);
		events = rows_text(reading, 6);
		if (strlen(events) < sizeof(profile->events_digest))
			strcpy(profile->events_digest, events);
		else
			rows_fail_row(reading);
		free(events);
	}
	if (!*checksum)
		rows_fail_row(reading);
}

static void read_processes(struct profile_rows *reading, struct profile *profile)
{
	rows_start(reading, "process",
		   "SELECT id, pid, parent, executable, arguments, provider, device, ended "
		   "FROM process ORDER BY id");
	while (rows_next(reading)) {
		rows_expect_id(reading);
		ARRAY_RESERVE(profile->processes, profile->process_count,
			      profile->process_capacity);
		profile->processes[profile->process_count++] = (struct profile_process){
			.pid = rows_32(reading, 1, 0),
			.parent = rows_32(reading, 2, 0),
			.executable = rows_text(reading, 3),
			.arguments = rows_text(reading, 4),
			.provider = rows_text(reading, 5),
			.device = rows_text(reading, 6),
			.ended = rows_number(reading, 7, 0, 1) != 0,
		};
	}
}

static void read_frames(struct profile_rows *reading, struct profile *profile)
{
	rows_start(
		reading, "frame",
		"SELECT f.id, m.path, m.build_id, f.offset, f.function, f.file, f.line, f.inlined "
		"FROM frame f JOIN module m ON m.id = f.module ORDER BY f.id");
	while (rows_next(reading)) {
		rows_expect_id(reading);
		ARRAY_RESERVE(profile->frames, profile->frame_count, profile->frame_capacity);
		profile->frames[profile->frame_count++] = (struct profile_frame){
			.module = rows_text(reading, 1),
			.build_id = rows_text_or_null(reading, 2),
			.offset = rows_count(reading, 3),
			.function = rows_text_or_null(reading, 4),
			.file = rows_text_or_null(reading, 5),
			.line = rows_32(reading, 6, 0),
			.inlined = rows_number(reading, 7, 0, 1) != 0,
		};
	}
}

/* Every vertex has its path; paths without frames have no rows. */
static void read_callpaths(struct profile_rows *reading, struct profile *profile)
{
	rows_start(reading, "callpath",
		   "SELECT id, position, frame FROM callpath ORDER BY id, position");
	while (rows_next(reading)) {
		uint32_t id = rows_32(reading, 0, 1);
		uint32_t position = rows_32(reading, 1, 0), frame = rows_32(reading, 2, 1);
		struct profile_callpath *path;

		if (reading->failed || id > profile->callpath_count ||
		    position != profile->callpaths[id - 1].count) {
			rows_fail_row(reading);
			return;
		}
		path = &profile->callpaths[id - 1];
		/* grows at powers of two */
		if (!(path->count & (path->count - 1)))
			path->frames = xreallocarray(path->frames,
						     path->count ? 2 * (size_t)path->count : 1,
						     sizeof(*path->frames));
		path->frames[path->count++] = frame - 1;
	}
}

static void read_objects(struct profile_rows *reading, struct profile *profile)
{
	rows_start(reading, "object",
		   "SELECT id, site, process, size, address, memory, name, start_ns, end_ns "
		   "FROM object ORDER BY id");
	while (rows_next(reading)) {
		rows_expect_id(reading);
		ARRAY_RESERVE(profile->objects, profile->object_count, profile->object_capacity);
		profile->objects[profile->object_count++] = (struct profile_object){
			.site = rows_32(reading, 1, 0),
			.process = rows_32(reading, 2, 1) - 1,
			.size = rows_count(reading, 3),
			.address = rows_word(reading, 4),
			.memory = rows_32(reading, 5, 0),
			.name = rows_text_or_null(reading, 6),
			.start_ns = rows_count(reading, 7),
			.end_ns = rows_count(reading, 8),
		};
	}
}

static void read_duplicates(struct profile_rows *reading, struct profile *profile)
{
	rows_start(reading, "duplicate",
		   "SELECT id, bytes, occurrences, events, zero FROM duplicate ORDER BY id");
	while (rows_next(reading)) {
		rows_expect_id(reading);
		ARRAY_RESERVE(profile->duplicates, profile->duplicate_count,
			      profile->duplicate_capacity);
		profile->duplicates[profile->duplicate_count++] = (struct profile_duplicate){
			.bytes = rows_count(reading, 1),
			.occurrences = rows_count(reading, 2),
			.events = rows_count(reading, 3),
			.zero = rows_number(reading, 4, 0, 1) != 0,
		};
	}
	rows_start(reading, "duplicate_member",
		   "SELECT duplicate, position, site, cause, objects FROM duplicate_member "
		   "ORDER BY duplicate, position");
	while (rows_next(reading)) {
		uint32_t id = rows_32(reading, 0, 1);
		struct profile_duplicate *group;

		if (reading->failed || id > profile->duplicate_count ||
		    rows_word(reading, 1) != profile->duplicates[id - 1].member_count) {
			rows_fail_row(reading);
			return;
		}
		group = &profile->duplicates[id - 1];
		group->members = xreallocarray(group->members, group->member_count + (size_t)1,
					       sizeof(*group->members));
		group->members[group->member_count++] = (struct profile_duplicate_member){
			.site = rows_32(reading, 2, 0),
			.cause = rows_32(reading, 3, 0),
			.objects = rows_count(reading, 4),
		};
	}
}

static void read_findings(struct profile_rows *reading, struct profile *profile)
{
	rows_start(reading, "finding",
		   "SELECT id, pattern, vertex, object, access, bytes, fraction, evidence, advice, "
		   "limits "
		   "FROM finding ORDER BY id");
	while (rows_next(reading)) {
		struct profile_finding *finding = profile_add_finding(profile);

		rows_expect_id(reading);
		finding->pattern = rows_text(reading, 1);
		finding->vertex = rows_32(reading, 2, 0);
		finding->object = rows_32(reading, 3, 0);
		finding->access =
			(enum graph_access)rows_number(reading, 4, GRAPH_ACCESS_NONE, GRAPH_WRITE);
		finding->bytes = rows_count(reading, 5);
		finding->fraction = rows_double(reading, 6);
		finding->evidence = rows_text(reading, 7);
		finding->advice = rows_text(reading, 8);
		finding->limits = rows_text(reading, 9);
	}
	rows_start(
		reading, "finding_other",
		"SELECT finding, position, vertex FROM finding_other ORDER BY finding, position");
	while (rows_next(reading)) {
		uint32_t id = rows_32(reading, 0, 1);
		struct profile_finding *finding;

		if (reading->failed || id > profile->finding_count ||
		    rows_word(reading, 1) != profile->findings[id - 1].other_count) {
			rows_fail_row(reading);
			return;
		}
		finding = &profile->findings[id - 1];
		finding->others = xreallocarray(finding->others, finding->other_count + (size_t)1,
						sizeof(*finding->others));
		finding->others[finding->other_count++] = rows_32(reading, 2, 0);
	}
}

static void read_coverage(struct profile_rows *reading, struct profile *profile)
{
	rows_start(reading, "coverage",
		   "SELECT id, what, reason, count, bytes FROM coverage ORDER BY id");
	while (rows_next(reading)) {
		rows_expect_id(reading);
		ARRAY_RESERVE(profile->coverage, profile->coverage_count,
			      profile->coverage_capacity);
		profile->coverage[profile->coverage_count] = (struct profile_coverage){
			.what = rows_text(reading, 1),
			.reason = rows_text(reading, 2),
			.count = rows_count(reading, 3),
			.bytes = rows_count(reading, 4),
		};
		profile_identify_coverage(&profile->coverage[profile->coverage_count++]);
	}
}

static int read_all(struct profile_rows *reading, struct profile *profile)
{
	char *checksum = NULL;
	char digest[65];
	int result = -1;

	check_schema(reading);
	read_run(reading, profile, &checksum);
	read_processes(reading, profile);
	read_frames(reading, profile);
	profile_read_vertices(reading, profile);
	read_callpaths(reading, profile);
	profile_read_edges(reading, profile);
	read_objects(reading, profile);
	read_duplicates(reading, profile);
	read_findings(reading, profile);
	read_coverage(reading, profile);
	sqlite3_finalize(reading->statement);
	if (!reading->failed && profile_validate(profile, reading->error) == 0) {
		profile_digest(profile, profile->events_digest, digest);
		result = strcmp(digest, checksum)
				 ? error_set(reading->error, "the check sum is wrong")
				 : 0;
	}
	free(checksum);
	return result;
}

struct profile *profile_read(const char *path, struct error *error)
{
	struct profile_rows reading = {.error = error};
	struct profile *profile;
	int result;

	if (profile_open(path, &reading.db, error) != 0)
		return NULL;
	profile = profile_new();
	result = read_all(&reading, profile);
	sqlite3_close(reading.db);
	if (result != 0) {
		rows_set_error(&reading, path);
		profile_free(profile);
		return NULL;
	}
	profile_mark_vertices(profile);
	return profile;
}
