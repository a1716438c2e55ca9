/*
 * graph/profile/events.c: the events of a profile and what they touched, which are many: read only
 * for those who ask for them, under a check sum of their own.
 */
#include "graph/profile/rows.h"

#include <openssl/evp.h>
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

/* Counted from 1 in the file, from 0 in memory. */
static uint32_t index_at(struct profile_rows *rows, int column)
{
	return rows_32(rows, column, 1) - 1;
}

static bool next_row(struct profile_rows *rows, uint32_t most)
{
	if (!rows_next(rows))
		return false;
	rows_expect_id(rows);
	if (rows->row > most)
		rows_fail_row(rows);
	return !rows->failed;
}

static void read_event_rows(struct profile_rows *rows, struct profile *profile)
{
	rows_start(
		rows, "event",
		"SELECT id, vertex, name, process, thread, device, stream, invocation, start_ns, "
		"end_ns FROM event ORDER BY id");
	while (next_row(rows, PROFILE_EVENTS_MAX)) {
		ARRAY_RESERVE(profile->events, profile->event_rows, profile->event_capacity);
		profile->events[profile->event_rows++] = (struct profile_event){
			.vertex = rows_is_null(rows, 1) ? PROFILE_NO_VERTEX : rows_32(rows, 1, 0),
			.name = rows_is_null(rows, 2) ? NULL : rows_text(rows, 2),
			.process = index_at(rows, 3),
			.thread = rows_32(rows, 4, 0),
			.device = rows_32(rows, 5, 0),
			.stream = rows_32(rows, 6, 0),
			.invocation = rows_number(rows, 7, 0, PROFILE_NUMBER_MAX),
			.start_ns = rows_number(rows, 8, 0, PROFILE_NUMBER_MAX),
			.end_ns = rows_number(rows, 9, 0, PROFILE_NUMBER_MAX),
		};
	}
}

static void read_access_rows(struct profile_rows *rows, struct profile *profile)
{
	uint32_t event = 0; /* of the row before */

	rows_start(rows, "access",
		   "SELECT id, event, object, access, writer, bytes, redundant_bytes FROM access "
		   "ORDER BY id");
	while (next_row(rows, PROFILE_ACCESSES_MAX)) {
		uint32_t of = index_at(rows, 1);

		if (rows->failed || of < event || of >= profile->event_rows) {
			rows_fail_row(rows);
			return;
		}
		event = of;
		profile->events[of].access_count++;
		ARRAY_RESERVE(profile->accesses, profile->access_count, profile->access_capacity);
		profile->accesses[profile->access_count++] = (struct profile_access){
			.object = index_at(rows, 2),
			.access = (enum graph_access)rows_number(rows, 3, 0, GRAPH_WRITE),
			.writer = rows_32(rows, 4, 0),
			.bytes = rows_number(rows, 5, 0, PROFILE_NUMBER_MAX),
			.redundant_bytes = rows_is_null(rows, 6)
						   ? 0
						   : rows_number(rows, 6, 0, PROFILE_NUMBER_MAX),
		};
	}
}

int profile_read_events(struct profile *profile, const char *path, struct error *error)
{
	struct profile_rows rows = {.error = error};
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
	return rows_set_error(&rows, path);
}
