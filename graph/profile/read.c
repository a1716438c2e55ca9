/*
 * graph/profile/read.c: a profile from its file.
 *
 * The file is hostile: only tables whose definition is ours to the letter are read, SQLite runs
 * without views and triggers, every number is checked, and in the end the check sum must agree.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/profile/file.h"
#include "graph/profile/table.h"

static bool has_sql(const struct profile_table *table, const char *sql)
{
	char *expected = table_sql(table);
	bool has = !strcmp(sql, expected);

	free(expected);
	return has;
}

static void check_schema(struct profile_rows *reading)
{
	size_t found = 0, wanted = 0;

	rows_start(reading, "sqlite_schema", "SELECT name, type, sql FROM sqlite_schema");
	while (rows_next(reading)) {
		const char *name = (const char *)sqlite3_column_text(reading->statement, 0);
		const char *type = (const char *)sqlite3_column_text(reading->statement, 1);
		const char *sql = (const char *)sqlite3_column_text(reading->statement, 2);

		for (size_t t = 0; profile_tables[t]; t++)
			found += name && type && sql && !strcmp(name, profile_tables[t]->name) &&
				 !strcmp(type, "table") && has_sql(profile_tables[t], sql);
	}
	while (profile_tables[wanted])
		wanted++;
	if (!reading->failed && found != wanted) {
		error_set(reading->error, "the tables are not those of a profile");
		reading->failed = true;
	}
}

static int read_all(struct profile_rows *reading, struct profile *profile)
{
	char digest[65];

	check_schema(reading);
	for (size_t t = 0; profile_tables[t]; t++)
		if (!profile_tables[t]->apart)
			table_read(reading, profile_tables[t], profile);
	sqlite3_finalize(reading->statement);
	if (reading->failed || profile_validate(profile, false, reading->error) != 0)
		return -1;
	profile_digest(profile, profile->events_checksum, digest);
	if (strcmp(digest, profile->checksum) != 0)
		return error_set(reading->error, "the check sum is wrong");
	return 0;
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
