/*
 * Profiles of other versions: tests/profiles keeps one of each, of tests/programs/figure3.c with
 * `--kernel zero`.  Newer ones are made here, with check sums by a reader of our own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <openssl/evp.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/profile/profile.h"
#include "util/memory.h"

static const char *const fixtures[] = {"tests/profiles/version-2.db",
				       "tests/profiles/version-1000.db"};
static char folder[] = "/tmp/vflow-versions-XXXXXX";
static char *path;

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	path = xasprintf("%s/vflow.db", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	free(path);
	return rmdir(folder);
}

/* A copy at `path` to be changed. */
static void take(const char *fixture)
{
	char bytes[1 << 16];
	FILE *from = fopen(fixture, "r"), *to = fopen(path, "w");
	size_t size;

	assert_non_null(from);
	assert_non_null(to);
	size = fread(bytes, 1, sizeof(bytes), from);
	assert_true(size > 1000 && size < sizeof(bytes));
	assert_int_equal(fwrite(bytes, 1, size, to), size);
	fclose(from);
	assert_int_equal(fclose(to), 0);
}

static sqlite3 *open_copy(void)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	return db;
}

static void run(sqlite3 *db, const char *sql)
{
	char *message = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", sql, message);
}

/* -- check sums as profile.md has them -- */

static void add(EVP_MD_CTX *sum, char type, const void *bytes, size_t size)
{
	EVP_DigestUpdate(sum, &type, 1);
	EVP_DigestUpdate(sum, bytes, size);
}

static void add_integer(EVP_MD_CTX *sum, int64_t value)
{
	unsigned char bytes[8];
	char count = 8;

	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)((uint64_t)value >> 8 * i);
	while (count && !bytes[count - 1])
		count--;
	add(sum, (char)(16 + count), bytes, (size_t)count);
}

static void add_text(EVP_MD_CTX *sum, const char *text)
{
	uint64_t length = strlen(text);

	add(sum, 2, &length, 8);
	EVP_DigestUpdate(sum, text, length);
}

static void add_value(EVP_MD_CTX *sum, sqlite3_stmt *statement, int column)
{
	sqlite3_int64 integer = sqlite3_column_int64(statement, column);
	double real = sqlite3_column_double(statement, column);

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL:
		add(sum, 0, NULL, 0);
		break;
	case SQLITE_INTEGER:
		add_integer(sum, integer);
		break;
	case SQLITE_FLOAT:
		add(sum, 1, &real, 8);
		break;
	default:
		add_text(sum, (const char *)sqlite3_column_text(statement, column));
	}
}

/* Of a query: returns its rows, and the sum in `hex`. */
static uint64_t sum_of(sqlite3 *db, const char *sql, char hex[65])
{
	EVP_MD_CTX *sum = EVP_MD_CTX_new();
	unsigned char digest[32];
	sqlite3_stmt *statement;
	uint64_t rows = 0;
	int columns;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	EVP_DigestInit_ex(sum, EVP_sha256(), NULL);
	columns = sqlite3_column_count(statement);
	add_integer(sum, columns);
	for (int i = 0; i < columns; i++)
		add_text(sum, sqlite3_column_name(statement, i));
	for (; sqlite3_step(statement) == SQLITE_ROW; rows++)
		for (int i = 0; i < columns; i++)
			add_value(sum, statement, i);
	sqlite3_finalize(statement);
	EVP_DigestFinal_ex(sum, digest, NULL);
	EVP_MD_CTX_free(sum);
	for (int i = 0; i < 32; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	return rows;
}

/* In all tables, the primary key is the first column or the first two. */
static uint64_t sum_of_table(sqlite3 *db, const char *table, char hex[65])
{
	char *sql = !strcmp(table, "checksum")
			    ? xstrdup("SELECT * FROM checksum WHERE name <> 'checksum' ORDER BY 1")
			    : xasprintf("SELECT * FROM \"%s\" ORDER BY 1%s", table,
					strchr(table, '[') ? "" : ", 2");
	uint64_t rows = sum_of(db, sql, hex);

	free(sql);
	return rows;
}

static void sign_table(sqlite3 *db, const char *table)
{
	char hex[65], *sql;
	uint64_t rows = sum_of_table(db, table, hex);

	sql = xasprintf("INSERT OR REPLACE INTO checksum VALUES ('%s', %d, '%s')", table, (int)rows,
			hex);
	run(db, sql);
	free(sql);
}

/* As the vflow that made such a file would have. */
static void change_and_sign(const char *sql)
{
	sqlite3 *db = open_copy();
	sqlite3_stmt *names;

	run(db, sql);
	run(db, "CREATE TEMP TABLE to_sign (name); INSERT INTO to_sign SELECT c.name "
		"FROM checksum c WHERE c.name <> 'checksum'");
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT name FROM to_sign", -1, &names, NULL),
			 SQLITE_OK);
	while (sqlite3_step(names) == SQLITE_ROW)
		sign_table(db, (const char *)sqlite3_column_text(names, 0));
	sqlite3_finalize(names);
	sign_table(db, "checksum");
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void change(const char *sql)
{
	sqlite3 *db = open_copy();

	run(db, sql);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* -- reading -- */

static struct profile *must_read(const char *from)
{
	struct error error = {""};
	struct profile *profile = profile_read(from, &error);

	if (!profile || profile_read_events(profile, from, &error) != 0)
		fail_msg("%s", error.text);
	return profile;
}

static void must_refuse(const char *message)
{
	struct error error = {""};
	struct profile *profile = profile_read(path, &error);

	if (profile && profile_read_events(profile, path, &error) == 0)
		fail_msg("read, not refused with: %s", message);
	profile_free(profile);
	if (!strstr(error.text, message))
		fail_msg("%s, not: %s", error.text, message);
}

/* What the program does, counted by hand: the comments of figure3.c number the vertices. */
static void check_figure3(const struct profile *profile)
{
	static const char *const names[] = {"host",       "cudaMalloc", "cudaMalloc", "cudaMemset",
					    "cudaMemset", "zero",       "zero",       "use"};
	const struct graph *graph = profile->graph;

	assert_int_equal(graph->vertex_count, 8);
	for (uint32_t v = 0; v < 8; v++) {
		assert_string_equal(graph->vertices[v].name, names[v]);
		assert_int_equal(!(graph->vertices[v].fields & VERTEX_INVOCATIONS), !v);
		assert_int_equal(graph->vertices[v].invocations, v ? 1 : 0);
	}
	assert_int_equal(graph->edge_count, 4); /* two fills, and two kernels that fill again */
	for (uint32_t e = 0; e < 4; e++) {
		assert_int_equal(graph->edges[e].access, GRAPH_WRITE);
		assert_int_equal(graph->edges[e].bytes, 4096);
		assert_int_equal(graph->edges[e].redundant_bytes,
				 graph->edges[e].to >= 5 ? 4096 : 0);
	}
	assert_int_equal(profile->event_count, 10);
	assert_int_equal(profile->event_rows, 10);
	assert_string_equal(profile->events[9].name, "cudaFree");
	assert_int_equal(profile->access_count, 4);
	assert_int_equal(profile->accesses[3].object, 1);
	assert_int_equal(profile->object_count, 2);
	assert_int_equal(profile->frame_count, 7);
	assert_string_equal(profile->frames[0].module, "/tmp/example/figure3");
	assert_int_equal(profile->frames[0].line, 16);
	assert_int_equal(profile->duplicate_count, 1);
	assert_int_equal(profile->duplicates[0].member_count, 2);
	assert_int_equal(profile->finding_count, 3);
	assert_string_equal(profile->findings[2].pattern, "duplicate_values");
	assert_int_equal(profile->coverage_count, 3);
	assert_string_equal(profile->coverage[0].id, "SKIPPED_BY_KERNEL");
	assert_string_equal(profile->coverage[2].id, "VALUES_UNKNOWN"); /* of reading it */
	assert_true(profile_threshold(profile, "redundancy") == 0.33);
}

static void test_every_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(fixtures) / sizeof(*fixtures); i++) {
		struct profile *profile = must_read(fixtures[i]);

		print_message("# %s\n", fixtures[i]);
		check_figure3(profile);
		assert_int_equal(profile->version, i ? 1000 : 2);
		/* what version 2 did not say */
		assert_int_equal(profile->pass_count, i ? 1 : 0);
		assert_int_equal(!isnan(profile_threshold(profile, "duplicate_bytes")), i);
		profile_free(profile);
	}
}

static void test_version_2_damaged(void **state)
{
	static const struct {
		const char *sql, *message;
	} changes[] = {
		{"UPDATE run SET date = date + 1", "the check sum is wrong"},
		{"UPDATE run SET redundancy_threshold = 0.5", "the check sum is wrong"},
		{"UPDATE run SET events_checksum = 'x'", "the check sum is wrong"},
		{"UPDATE process SET pid = 1", "the check sum is wrong"},
		{"UPDATE module SET build_id = NULL", "the check sum is wrong"},
		{"UPDATE frame SET line = 1 WHERE id = 7", "the check sum is wrong"},
		{"UPDATE callpath SET frame = 1 WHERE id = 8", "the check sum is wrong"},
		{"UPDATE vertex SET host_ns = NULL WHERE id = 6", "the check sum is wrong"},
		{"UPDATE vertex SET context = '' WHERE id = 1", "the check sum is wrong"},
		{"UPDATE object SET address = -1 WHERE id = 2", "the check sum is wrong"},
		{"UPDATE edge SET redundant_bytes = NULL WHERE id = 1", "the check sum is wrong"},
		{"UPDATE edge SET target = 4 WHERE id = 1", "the check sum is wrong"},
		{"UPDATE duplicate SET zero = 0", "the check sum is wrong"},
		{"UPDATE duplicate_member SET objects = 2 WHERE position = 1",
		 "the check sum is wrong"},
		{"DELETE FROM finding_other WHERE finding = 1", "the check sum is wrong"},
		{"UPDATE finding SET fraction = 0.5 WHERE id = 3", "the check sum is wrong"},
		{"UPDATE coverage SET count = 2 WHERE id = 2", "the check sum is wrong"},
		{"UPDATE event SET thread = 1 WHERE id = 10",
		 "the check sum of the events is wrong"},
		{"UPDATE event SET name = 'cudaFreeHost' WHERE id = 10",
		 "the check sum of the events is wrong"},
		{"UPDATE access SET bytes = 1, redundant_bytes = 0 WHERE id = 1",
		 "the check sum of the events is wrong"},
		{"DELETE FROM access WHERE id = 4", "the check sum of the events is wrong"},
		{"UPDATE edge SET object = 99 WHERE id = 4", "row 4 of table edge"},
		{"DROP TABLE finding_other", "table finding_other is missing"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		take(fixtures[0]);
		change(changes[i].sql);
		must_refuse(changes[i].message);
	}
	take(fixtures[0]);
	change("VACUUM; CREATE TABLE threshold (name, value); CREATE TABLE checksum (mine)");
	profile_free(must_read(path));
}

/* The sums in a file are those that profile.md describes. */
static void test_check_sums(void **state)
{
	sqlite3_stmt *list;
	sqlite3 *db;
	int tables = 0;

	(void)state;
	take(fixtures[1]);
	db = open_copy();
	assert_int_equal(
		sqlite3_prepare_v2(db, "SELECT name, rows, sha256 FROM checksum", -1, &list, NULL),
		SQLITE_OK);
	for (; sqlite3_step(list) == SQLITE_ROW; tables++) {
		const char *name = (const char *)sqlite3_column_text(list, 0);
		char hex[65];

		assert_int_equal(sum_of_table(db, name, hex), sqlite3_column_int64(list, 1));
		assert_string_equal(hex, (const char *)sqlite3_column_text(list, 2));
	}
	assert_int_equal(tables, 18); /* 17 and the list itself */
	sqlite3_finalize(list);
	sqlite3_close(db);
}

static void test_newer_minor(void **state)
{
	struct profile *profile;

	(void)state;
	take(fixtures[1]);
	change_and_sign("PRAGMA user_version = 1999;"
			"ALTER TABLE edge ADD COLUMN temperature REAL;"
			"UPDATE edge SET temperature = id / 3.0;"
			"ALTER TABLE vertex ADD COLUMN more TEXT;"
			"UPDATE vertex SET more = 'm' || id WHERE id > 3;"
			"CREATE TABLE weather (id INTEGER PRIMARY KEY, ns INTEGER NOT NULL);"
			"INSERT INTO weather VALUES (1, 5), (2, -6);"
			"INSERT INTO checksum VALUES ('weather', 0, '');"
			"UPDATE coverage SET kind = 'OF_THE_FUTURE' WHERE id = 1");
	profile = must_read(path);
	assert_int_equal(profile->version, 1999);
	/* an id that is not known hides what it may */
	assert_string_equal(profile->coverage[0].id, "OF_THE_FUTURE");
	assert_int_equal(profile->coverage[0].hides, COVERAGE_HIDES_BOTH);
	free(profile->coverage[0].id);
	profile->coverage[0].id = xstrdup("SKIPPED_BY_KERNEL");
	check_figure3(profile);
	profile_free(profile);
	/* what is not known is guarded as well */
	change("UPDATE edge SET temperature = 0 WHERE id = 2");
	must_refuse("the check sum of table edge is wrong");
	change("UPDATE edge SET temperature = 2 / 3.0 WHERE id = 2; DROP TABLE weather");
	must_refuse("table weather is missing");
}

static void test_newer_major(void **state)
{
	(void)state;
	take(fixtures[1]);
	change_and_sign("PRAGMA user_version = 2000");
	must_refuse("made by a newer vflow: profile version 2000, this one reads up to 1999: "
		    "update vflow");
}

/* Of an older minor version, or of a run without the feature. */
static void test_absent(void **state)
{
	struct profile *profile;

	(void)state;
	take(fixtures[1]);
	change_and_sign(
		"DROP VIEW events; DROP VIEW accesses; DROP VIEW objects; DROP VIEW findings;"
		"DROP TABLE access; DROP TABLE event; DROP TABLE object; DROP TABLE finding;"
		"DROP TABLE finding_other; DROP TABLE duplicate_member; DROP TABLE pass;"
		"DROP TABLE duplicate; DROP TABLE coverage; DROP TABLE threshold;"
		"DELETE FROM checksum WHERE name NOT IN (SELECT name FROM sqlite_schema)");
	profile = must_read(path);
	assert_int_equal(profile->graph->vertex_count, 8);
	assert_int_equal(profile->graph->edge_count, 4);
	assert_int_equal(profile->object_count + profile->finding_count + profile->event_rows +
				 profile->duplicate_count + profile->pass_count +
				 profile->threshold_count,
			 0);
	assert_int_equal(profile->coverage_count, 1);
	assert_string_equal(profile->coverage[0].id, "VALUES_UNKNOWN");
	profile_free(profile);
	/* a table of one's own is none of the profile's */
	change("CREATE TABLE threshold AS SELECT 'mine' AS name");
	profile_free(must_read(path));

	take(fixtures[1]);
	change_and_sign("DROP VIEW flows; ALTER TABLE edge DROP COLUMN redundant_bytes;"
			"ALTER TABLE coverage DROP COLUMN kind");
	profile = must_read(path);
	assert_false(profile->graph->edges[3].fields & EDGE_REDUNDANT_BYTES);
	assert_string_equal(profile->coverage[0].id, "SKIPPED_BY_KERNEL");
	profile_free(profile);

	take(fixtures[1]);
	change_and_sign("DROP VIEW flows; ALTER TABLE edge DROP COLUMN bytes");
	must_refuse("table edge has no column bytes");
	take(fixtures[1]);
	change_and_sign(
		"DROP VIEW flows; DROP TABLE edge; DELETE FROM checksum WHERE name = 'edge'");
	must_refuse("table edge is missing");
}

/* Signed as it should be, and not what a profile holds. */
static void test_hostile(void **state)
{
	static const struct {
		const char *sql, *message;
	} changes[] = {
		{"UPDATE edge SET object = 99 WHERE id = 4", "row 4 of table edge"},
		{"UPDATE vertex SET position = 0", "row 2 of table vertex"},
		{"UPDATE access SET event = 11 WHERE id = 4", "row 4 of table access"},
		{"UPDATE finding_other SET finding = 9 WHERE finding = 3",
		 "row 3 of table finding_other"},
		{"UPDATE frame SET module = 2 WHERE id = 5", "row 5 of table frame"},
		{"UPDATE pass SET makes_graph = 2", "row 1 of table pass"},
		{"UPDATE pass SET seconds = 9e999", "row 1 of table pass"},
		{"UPDATE threshold SET name = char(7) WHERE name = 'redundancy'",
		 "row 1 of table threshold"},
		{"CREATE TABLE \"\x1b[31m\" (x); INSERT INTO checksum VALUES (char(27) || '[31m', "
		 "0, "
		 "'')",
		 "of table checksum"},
		{"DROP VIEW callpaths; ALTER TABLE callpath RENAME TO old; CREATE TABLE callpath "
		 "(id INTEGER NOT NULL, position INTEGER NOT NULL, frame INTEGER NOT NULL); "
		 "INSERT INTO callpath SELECT * FROM old; DROP TABLE old",
		 "table callpath has another primary key"},
		{"INSERT INTO run SELECT 2, vflow, command, date, event_count FROM run",
		 "CHECK constraint"},
		{"DROP VIEW flows; ALTER TABLE edge DROP COLUMN count;"
		 "ALTER TABLE edge ADD COLUMN count INTEGER AS (bytes)",
		 "table edge has columns that are computed"},
		{"DROP TABLE pass; CREATE VIEW pass AS SELECT 1 AS id, 'a' AS name, 'b' AS "
		 "provider, "
		 "'c' AS device, 1 AS run, 0.5 AS seconds, 1 AS makes_graph",
		 "table pass is missing"},
		{"DROP TABLE pass; CREATE VIRTUAL TABLE pass USING fts5 (name, provider, device, "
		 "run, seconds, makes_graph)",
		 "table pass is missing"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		sqlite3 *db;

		take(fixtures[1]);
		if (!strcmp(changes[i].message, "CHECK constraint")) {
			db = open_copy(); /* not even people can */
			assert_int_equal(sqlite3_exec(db, changes[i].sql, NULL, NULL, NULL),
					 SQLITE_CONSTRAINT);
			sqlite3_close(db);
			continue;
		}
		change_and_sign(changes[i].sql);
		must_refuse(changes[i].message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_version), cmocka_unit_test(test_version_2_damaged),
		cmocka_unit_test(test_check_sums),    cmocka_unit_test(test_newer_minor),
		cmocka_unit_test(test_newer_major),   cmocka_unit_test(test_absent),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests_name("graph_profile_versions", tests, make_folder,
					   remove_folder);
}
