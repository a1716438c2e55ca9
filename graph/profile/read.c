/*
 * graph/profile/read.c: a profile from its file.
 *
 * The file is hostile: only real tables are read, SQLite runs without views and triggers, every
 * number is checked, and in the end the check sum of each table must agree.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/profile/checksum.h"
#include "graph/profile/file.h"
#include "graph/profile/schema.h"
#include "graph/profile/version_2.h"
#include "util/memory.h"

bool profile_has_table(const struct profile *profile, const char *name)
{
	if (!profile->version)
		return true;
	return profile->version == PROFILE_VERSION_2 ? version_2_has_table(name)
						     : checksum_of(profile, name) != NULL;
}

static void read_list(struct profile_rows *rows, struct profile *profile)
{
	if (!schema_has_table(rows, profile_table_checksum.name))
		rows_fail(rows, "table %s is missing", profile_table_checksum.name);
	table_read(rows, &profile_table_checksum, profile);
	if (!rows->failed)
		rows->failed = table_validate(&profile_table_checksum, profile, rows->error) != 0;
	if (!rows->failed && !checksum_list_holds(profile))
		rows_fail(rows, "the check sum of table %s is wrong", profile_table_checksum.name);
}

/* Tables that a newer minor version brought are not read; they are not lost for that. */
static void check_tables(struct profile_rows *rows, const struct profile *profile)
{
	for (size_t t = 0; profile_tables[t]; t++) {
		const char *name = profile_tables[t]->name;
		bool named = profile_has_table(profile, name);

		if (named ? !schema_has_table(rows, name) : !profile_tables[t]->optional)
			rows_fail(rows, "table %s is missing", name);
	}
	for (uint32_t i = 0; i < profile->checksum_count; i++)
		if (profile->version != PROFILE_VERSION_2 &&
		    !schema_has_table(rows, profile->checksums[i].name))
			rows_fail(rows, "table %s is missing", profile->checksums[i].name);
}

/* Compared after all rows were checked: a row that cannot be is named then. */
struct sum {
	uint64_t rows;
	char sha256[DIGEST_SIZE];
};

static void verify(struct profile_rows *rows, const struct profile *profile, const struct sum *sums,
		   bool lazy)
{
	for (size_t t = 0; profile_tables[t] && !rows->failed; t++) {
		const char *name = profile_tables[t]->name;
		const struct profile_checksum *expected = checksum_of(profile, name);

		if (profile_tables[t]->lazy == lazy && expected &&
		    (expected->rows != sums[t].rows ||
		     strcmp(expected->sha256, sums[t].sha256) != 0))
			rows_fail(rows, "the check sum of table %s is wrong", name);
	}
}

static size_t count_tables(void)
{
	size_t count = 0;

	while (profile_tables[count])
		count++;
	return count;
}

/* Those that are lazy, or all others. */
static void read_tables(struct profile_rows *rows, struct profile *profile, bool lazy)
{
	bool old = profile->version == PROFILE_VERSION_2;
	struct sum *sums = xcalloc(count_tables(), sizeof(*sums));

	rows->digest = old ? NULL : digest_new();
	for (size_t t = 0; profile_tables[t] && !rows->failed; t++)
		if (profile_tables[t]->lazy == lazy &&
		    profile_has_table(profile, profile_tables[t]->name)) {
			table_read(rows, profile_tables[t], profile);
			sums[t].rows = rows->row;
			if (rows->digest)
				digest_end(rows->digest, sums[t].sha256);
		}
	digest_free(rows->digest);
	rows->digest = NULL;
	if (!rows->failed)
		rows->failed = profile_validate(profile, lazy, rows->error) != 0;
	if (old && !rows->failed)
		version_2_verify(rows, profile, lazy);
	else
		verify(rows, profile, sums, lazy);
	free(sums);
}

/* Files of before have no whole values: what is shown as unchanged is bytes then. */
static void note_unknown_values(struct profile *profile)
{
	const uint32_t fields = EDGE_REDUNDANT_BYTES | EDGE_REDUNDANT_VALUE_BYTES;
	bool unknown = false;

	for (uint32_t e = 0; e < profile->graph->edge_count; e++)
		unknown |= (profile->graph->edges[e].fields & fields) == EDGE_REDUNDANT_BYTES;
	if (unknown && !profile_find_coverage(profile, COVERAGE_VALUES_UNKNOWN))
		profile_add_coverage(profile, COVERAGE_VALUES_UNKNOWN, NULL, 1, 0);
}

struct profile *profile_read(const char *path, struct error *error)
{
	struct profile_rows rows = {.error = error};
	struct profile *profile = profile_new();

	if (profile_open(path, &rows.db, &profile->version, error) != 0) {
		profile_free(profile);
		return NULL;
	}
	if (profile->version != PROFILE_VERSION_2)
		read_list(&rows, profile);
	check_tables(&rows, profile);
	if (profile->version == PROFILE_VERSION_2)
		version_2_read_run(&rows, profile);
	read_tables(&rows, profile, false);
	sqlite3_finalize(rows.statement);
	sqlite3_close(rows.db);
	if (rows.failed) {
		rows_set_error(&rows, path);
		profile_free(profile);
		return NULL;
	}
	note_unknown_values(profile);
	profile_mark_vertices(profile);
	return profile;
}

int profile_read_events(struct profile *profile, const char *path, struct error *error)
{
	struct profile_rows rows = {.error = error};
	uint32_t version;

	if (profile_open(path, &rows.db, &version, error) != 0)
		return -1;
	for (size_t t = 0; profile_tables[t]; t++)
		if (profile_tables[t]->lazy &&
		    profile_has_table(profile, profile_tables[t]->name) &&
		    !schema_has_table(&rows, profile_tables[t]->name))
			rows_fail(&rows, "table %s is missing", profile_tables[t]->name);
	read_tables(&rows, profile, true);
	sqlite3_finalize(rows.statement);
	sqlite3_close(rows.db);
	return rows.failed ? rows_set_error(&rows, path) : 0;
}
