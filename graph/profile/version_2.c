#include "graph/profile/version_2.h"

#include <stdlib.h>
#include <string.h>

#include "graph/profile/checksum.h"

static const char sum_of_events[] = "events", sum_of_others[] = "others";

bool version_2_has_table(const char *name)
{
	static const char *const tables[] = {
		"run",       "process",          "module",  "frame",         "callpath",
		"vertex",    "object",           "edge",    "event",         "access",
		"duplicate", "duplicate_member", "finding", "finding_other", "coverage"};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (!strcmp(tables[i], name))
			return true;
	return false;
}

void version_2_read_run(struct profile_rows *rows, struct profile *profile)
{
	rows_start(rows, "run",
		   "SELECT redundancy_threshold, checksum, events_checksum FROM run LIMIT 1");
	while (rows_next(rows)) {
		char *sum = rows_text(rows, 1), *events = rows_text(rows, 2);

		profile_set_threshold(profile, "redundancy", rows_double(rows, 0));
		checksum_add(profile, sum_of_others, 0, sum);
		checksum_add(profile, sum_of_events, 0, events);
		free(sum);
		free(events);
	}
}

/*
 * -- the check sums: over numbers of 8 bytes, and texts with their length before them.  Version 2
 *    took them from its structures in memory; these queries give the same values in the same order:
 *    indices from 0, a field that is not there as 0 and no bit in a word of flags.
 */

struct part {
	const char *count; /* one number before all rows; NULL: none */
	const char *rows;  /* a value for each column */
	const char *list;  /* after the ?1-th row, a value for each column; NULL: nothing */
};

static const struct part run_parts[] = {
	{NULL, "SELECT command, date, event_count, redundancy_threshold FROM run", NULL},
	{"SELECT count(*) FROM process",
	 "SELECT pid, parent, executable, arguments, provider, device, ended FROM process "
	 "ORDER BY id",
	 NULL},
	{"SELECT count(*) FROM object",
	 "SELECT site, process - 1, size, address, memory, name, start_ns, end_ns FROM object "
	 "ORDER BY id",
	 NULL},
	{NULL, "SELECT events_checksum FROM run", NULL},
	{0},
};

static const struct part path_parts[] = {
	{"SELECT count(*) FROM frame",
	 "SELECT function, file, line, path, build_id, offset, inlined FROM frame f "
	 "JOIN module m ON m.id = f.module ORDER BY f.id",
	 NULL},
	{"SELECT coalesce(max(callpath), 0) FROM vertex",
	 "WITH RECURSIVE path(id) AS (SELECT 1 WHERE EXISTS (SELECT 1 FROM vertex) UNION ALL "
	 "SELECT id + 1 FROM path WHERE id < (SELECT max(callpath) FROM vertex)) "
	 "SELECT (SELECT count(*) FROM callpath c WHERE c.id = path.id) FROM path",
	 "SELECT frame - 1 FROM callpath WHERE id = ?1 ORDER BY position"},
	{0},
};

static const struct part graph_parts[] = {
	{"SELECT count(*) FROM vertex",
	 "SELECT id, 4 * (invocations IS NOT NULL) + 64 * (time_ns IS NOT NULL) + "
	 "2048 * (host_ns IS NOT NULL), kind, name, nullif(context, ''), "
	 "nullif(callpath_text, ''), coalesce(invocations, 0), read_bytes, written_bytes, "
	 "redundant_bytes, coalesce(time_ns, 0), coalesce(host_ns, 0), callpath - 1 FROM vertex "
	 "ORDER BY position",
	 NULL},
	{"SELECT count(*) FROM edge",
	 "SELECT a.position, b.position, 8 * (e.redundant_bytes IS NOT NULL), e.object, "
	 "e.access, e.bytes, coalesce(e.redundant_bytes, 0), e.count, e.object_bytes FROM edge e "
	 "JOIN vertex a ON a.id = source JOIN vertex b ON b.id = target ORDER BY e.id",
	 NULL},
	{0},
};

static const struct part result_parts[] = {
	{"SELECT count(*) FROM duplicate",
	 "SELECT bytes, occurrences, events, zero, (SELECT count(*) FROM duplicate_member "
	 "WHERE duplicate = duplicate.id) FROM duplicate ORDER BY id",
	 "SELECT site, cause, objects FROM duplicate_member WHERE duplicate = ?1 "
	 "ORDER BY position"},
	{"SELECT count(*) FROM finding",
	 "SELECT pattern, vertex, object, access, bytes, fraction, evidence, advice, limits, "
	 "(SELECT count(*) FROM finding_other WHERE finding = finding.id) FROM finding "
	 "ORDER BY id",
	 "SELECT vertex FROM finding_other WHERE finding = ?1 ORDER BY position"},
	{"SELECT count(*) FROM coverage",
	 "SELECT what, reason, count, bytes FROM coverage ORDER BY id", NULL},
	{0},
};

static const struct part event_parts[] = {
	{"SELECT count(*) FROM event",
	 "SELECT coalesce(vertex, 4294967295), process - 1, thread, device, stream, invocation, "
	 "start_ns, end_ns, coalesce(accesses, 0), name FROM event LEFT JOIN "
	 "(SELECT event, count(*) AS accesses FROM access GROUP BY event) ON event = id "
	 "ORDER BY id",
	 NULL},
	{NULL,
	 "SELECT object - 1, writer, access, bytes, coalesce(redundant_bytes, 0) FROM access "
	 "ORDER BY id",
	 NULL},
	{0},
};

static void add_number(struct digest *digest, uint64_t value)
{
	digest_bytes(digest, &value, sizeof(value));
}

static void add_row(struct digest *digest, const struct profile_rows *rows)
{
	for (int i = 0; i < rows->columns; i++) {
		const struct profile_value *value = &rows->values[i];
		double real;

		if (value->type == SQLITE_INTEGER) {
			add_number(digest, (uint64_t)value->integer);
		} else if (value->type == SQLITE_FLOAT) {
			real = value->real + 0.0;
			digest_bytes(digest, &real, sizeof(real));
		} else if (value->type == SQLITE_NULL) { /* a text's length */
			add_number(digest, UINT64_MAX);
		} else {
			add_number(digest, (uint64_t)value->size);
			digest_bytes(digest, value->bytes, (size_t)value->size);
		}
	}
}

static void add_part(struct digest *digest, struct profile_rows *rows, const struct part *part)
{
	struct profile_rows list = {.db = rows->db, .error = rows->error};

	if (part->count) {
		rows_start(rows, "sqlite_schema", part->count);
		while (rows_next(rows))
			add_row(digest, rows);
	}
	if (part->list)
		rows_start(&list, "sqlite_schema", part->list);
	rows_start(rows, "sqlite_schema", part->rows);
	while (rows_next(rows) && !list.failed) {
		add_row(digest, rows);
		if (!part->list)
			continue;
		sqlite3_reset(list.statement);
		sqlite3_bind_int64(list.statement, 1, (sqlite3_int64)rows->row);
		while (rows_next(&list))
			add_row(digest, &list);
	}
	sqlite3_finalize(list.statement);
	rows->unreadable |= list.unreadable;
	rows->failed |= list.failed;
}

void version_2_verify(struct profile_rows *rows, const struct profile *profile, bool lazy)
{
	static const struct part *const others[] = {run_parts, path_parts, graph_parts,
						    result_parts};
	const struct profile_checksum *expected =
		checksum_of(profile, lazy ? sum_of_events : sum_of_others);
	struct digest *digest = digest_new();
	char hex[DIGEST_SIZE];

	for (size_t i = 0; i < (lazy ? 1 : sizeof(others) / sizeof(*others)); i++)
		for (const struct part *part = lazy ? event_parts : others[i]; part->rows; part++)
			add_part(digest, rows, part);
	digest_end(digest, hex);
	digest_free(digest);
	if (!expected || strcmp(expected->sha256, hex) != 0)
		rows_fail(rows, "the check sum%s is wrong", lazy ? " of the events" : "");
}
