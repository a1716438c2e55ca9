/*
 * graph/profile_events.c: the events of a profile and what they touched, which are many: read only
 * for those who ask for them, under a check sum of their own.
 */
#include "graph/profile_file.h"

#include <openssl/evp.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/text.h"

/* -- the check sum: a row is numbers of 8 bytes; a name is its length and its bytes -- */

static void add(EVP_MD_CTX *sum, const void *bytes, size_t size)
{
	if (EVP_DigestUpdate(sum, bytes, size) != 1)
		abort(); /* SHA-256 only fails when it was not set up */
}

static void add_event(EVP_MD_CTX *sum, const struct profile_event *event)
{
	size_t length = event->name ? strlen(event->name) : 0;
	const uint64_t row[] = {event->vertex,       event->process,
				event->thread,       event->device,
				event->stream,       event->invocation,
				event->start_ns,     event->end_ns,
				event->access_count, event->name ? length : UINT64_MAX};

	add(sum, row, sizeof(row));
	if (length)
		add(sum, event->name, length);
}

void profile_digest_events(const struct profile *profile, char hex[65])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	EVP_MD_CTX *sum = EVP_MD_CTX_new();

	if (!sum || EVP_DigestInit_ex(sum, EVP_sha256(), NULL) != 1)
		abort(); /* out of memory */
	add(sum, &(uint64_t){profile->event_rows}, sizeof(uint64_t));
	for (uint32_t i = 0; i < profile->event_rows; i++)
		add_event(sum, &profile->events[i]);
	for (uint32_t i = 0; i < profile->access_count; i++) {
		const struct profile_access *access = &profile->accesses[i];

		add(sum,
		    (const uint64_t[]){access->object, access->writer, access->access,
				       access->bytes, access->redundant_bytes},
		    5 * sizeof(uint64_t));
	}
	if (EVP_DigestFinal_ex(sum, digest, NULL) != 1)
		abort();
	EVP_MD_CTX_free(sum);
	for (unsigned i = 0; i < 32; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

/* -- what must hold -- */

static bool is_vertex(const struct profile *profile, uint32_t id)
{
	return graph_find(profile->graph, id) != UINT32_MAX;
}

static bool event_holds(const struct profile *profile, const struct profile_event *event,
			uint32_t first_access)
{
	bool named = event->vertex == PROFILE_NO_VERTEX;

	return (named || is_vertex(profile, event->vertex)) && named == (event->name != NULL) &&
	       (!named || text_is_clean(event->name, strlen(event->name))) &&
	       event->process < profile->process_count && event->invocation <= PROFILE_NUMBER_MAX &&
	       event->start_ns <= event->end_ns && event->end_ns <= PROFILE_NUMBER_MAX &&
	       event->first_access == first_access &&
	       event->access_count <= profile->access_count - first_access &&
	       !(named && event->access_count);
}

static bool access_holds(const struct profile *profile, const struct profile_access *access)
{
	return access->object < profile->object_count && is_vertex(profile, access->writer) &&
	       (access->access == GRAPH_READ || access->access == GRAPH_WRITE) &&
	       access->bytes <= profile->objects[access->object].size &&
	       access->redundant_bytes <= (access->access == GRAPH_WRITE ? access->bytes : 0);
}

int profile_validate_events(const struct profile *profile, struct error *error)
{
	uint32_t accesses = 0;

	for (uint32_t i = 0; i < profile->event_rows; i++) {
		if (!event_holds(profile, &profile->events[i], accesses))
			return profile_bad_row(error, "event", i + 1);
		accesses += profile->events[i].access_count;
	}
	for (uint32_t i = 0; i < profile->access_count; i++)
		if (i >= accesses || !access_holds(profile, &profile->accesses[i]))
			return profile_bad_row(error, "access", i + 1);
	return 0;
}

/* -- reading -- */

struct rows {
	sqlite3 *db;
	sqlite3_stmt *statement;
	const char *table;
	uint32_t row; /* from 1 */
	uint32_t most;
	bool failed, unreadable; /* unreadable: failed, but the file may be in order */
	struct error *error;
};

static void fail(struct rows *rows)
{
	if (!rows->failed)
		rows->unreadable = !profile_sqlite_error(rows->db, rows->error);
	rows->failed = true;
}

static void fail_row(struct rows *rows)
{
	if (!rows->failed)
		profile_bad_row(rows->error, rows->table, rows->row);
	rows->failed = true;
}

static void start(struct rows *rows, const char *table, uint32_t most, const char *sql)
{
	sqlite3_finalize(rows->statement);
	rows->statement = NULL;
	rows->table = table;
	rows->row = 0;
	rows->most = most;
	if (!rows->failed &&
	    sqlite3_prepare_v2(rows->db, sql, -1, &rows->statement, NULL) != SQLITE_OK)
		fail(rows);
}

/* Any integer within the limits; column 0 is the number of the row. */
static uint64_t number(struct rows *rows, int column, uint64_t most)
{
	uint64_t value = (uint64_t)sqlite3_column_int64(rows->statement, column);

	if (sqlite3_column_type(rows->statement, column) != SQLITE_INTEGER || value > most)
		fail_row(rows);
	return value;
}

static uint32_t number_32(struct rows *rows, int column)
{
	return (uint32_t)number(rows, column, UINT32_MAX);
}

/* Counted from 1 in the file, from 0 in memory. */
static uint32_t index_at(struct rows *rows, int column)
{
	uint32_t value = number_32(rows, column);

	if (!value)
		fail_row(rows);
	return value - 1;
}

static bool is_null(const struct rows *rows, int column)
{
	return sqlite3_column_type(rows->statement, column) == SQLITE_NULL;
}

static bool next_row(struct rows *rows)
{
	int result;

	if (rows->failed)
		return false;
	result = sqlite3_step(rows->statement);
	if (result == SQLITE_DONE)
		return false;
	if (result != SQLITE_ROW) {
		fail(rows);
		return false;
	}
	rows->row++;
	if (rows->row > rows->most || number(rows, 0, UINT32_MAX) != rows->row)
		fail_row(rows);
	return !rows->failed;
}

static char *text_at(struct rows *rows, int column)
{
	const char *text = (const char *)sqlite3_column_text(rows->statement, column);
	size_t size = (size_t)sqlite3_column_bytes(rows->statement, column);

	if (text && sqlite3_column_type(rows->statement, column) == SQLITE_TEXT &&
	    !memchr(text, '\0', size))
		return xstrndup(text, size);
	fail_row(rows);
	return xstrdup("");
}

static void read_event_rows(struct rows *rows, struct profile *profile)
{
	start(rows, "event", PROFILE_EVENTS_MAX,
	      "SELECT id, vertex, name, process, thread, device, stream, invocation, start_ns, "
	      "end_ns FROM event ORDER BY id");
	while (next_row(rows)) {
		ARRAY_RESERVE(profile->events, profile->event_rows, profile->event_capacity);
		profile->events[profile->event_rows++] = (struct profile_event){
			.vertex = is_null(rows, 1) ? PROFILE_NO_VERTEX : number_32(rows, 1),
			.name = is_null(rows, 2) ? NULL : text_at(rows, 2),
			.process = index_at(rows, 3),
			.thread = number_32(rows, 4),
			.device = number_32(rows, 5),
			.stream = number_32(rows, 6),
			.invocation = number(rows, 7, PROFILE_NUMBER_MAX),
			.start_ns = number(rows, 8, PROFILE_NUMBER_MAX),
			.end_ns = number(rows, 9, PROFILE_NUMBER_MAX),
		};
	}
}

static void read_access_rows(struct rows *rows, struct profile *profile)
{
	uint32_t event = 0; /* of the row before */

	start(rows, "access", PROFILE_ACCESSES_MAX,
	      "SELECT id, event, object, access, writer, bytes, redundant_bytes FROM access "
	      "ORDER BY id");
	while (next_row(rows)) {
		uint32_t of = index_at(rows, 1);

		if (rows->failed || of < event || of >= profile->event_rows) {
			fail_row(rows);
			return;
		}
		event = of;
		profile->events[of].access_count++;
		ARRAY_RESERVE(profile->accesses, profile->access_count, profile->access_capacity);
		profile->accesses[profile->access_count++] = (struct profile_access){
			.object = index_at(rows, 2),
			.access = (enum graph_access)number(rows, 3, GRAPH_WRITE),
			.writer = number_32(rows, 4),
			.bytes = number(rows, 5, PROFILE_NUMBER_MAX),
			.redundant_bytes =
				is_null(rows, 6) ? 0 : number(rows, 6, PROFILE_NUMBER_MAX),
		};
	}
}

int profile_read_events(struct profile *profile, const char *path, struct error *error)
{
	struct rows rows = {.error = error};
	uint32_t accesses = 0;
	char digest[65];

	if (profile_open(path, &rows.db, error) != 0)
		return -1;
	read_event_rows(&rows, profile);
	read_access_rows(&rows, profile);
	sqlite3_finalize(rows.statement);
	sqlite3_close(rows.db);
	for (uint32_t i = 0; i < profile->event_rows; i++) {
		profile->events[i].first_access = accesses;
		accesses += profile->events[i].access_count;
	}
	if (!rows.failed && profile_validate_events(profile, error) == 0) {
		profile_digest_events(profile, digest);
		if (!strcmp(digest, profile->events_digest))
			return 0;
		error_set(error, "the check sum of the events is wrong");
	}
	return (rows.unreadable ? profile_set_unreadable : profile_set_damaged)(path, error);
}
