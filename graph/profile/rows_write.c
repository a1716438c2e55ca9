#include "graph/profile/rows_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/profile/file.h"
#include "util/memory.h"

enum {
	ROWS_ALONE = 100, /* of a table: so many are inserted one by one */
	ROWS_AT_ONCE = 64,
	PARAMETERS_MAX = 900, /* of a statement; SQLite has had at least 999 */
};

void writer_fail(struct profile_writer *writer)
{
	if (!writer->failed) {
		profile_sqlite_error(writer->db, writer->error);
		writer->room = profile_want_of_room(writer->db);
	}
	writer->failed = true;
}

void writer_execute(struct profile_writer *writer, const char *sql)
{
	if (!writer->failed && sqlite3_exec(writer->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		writer_fail(writer);
}

/*
 * Inserts `rows` rows of `columns` values at once: fewer, if the last parameter says so.  A
 * statement costs more than a row of numbers does, but it takes longer to prepare.
 */
static void prepare(struct profile_writer *writer, int rows)
{
	char *sql;
	size_t size;
	FILE *to = xopen_memstream(&sql, &size);

	fprintf(to, "INSERT INTO %s %sVALUES", writer->table, rows > 1 ? "SELECT * FROM (" : "");
	for (int row = 0; row < rows; row++)
		for (int i = 0; i < writer->columns; i++)
			fputs(i ? ",?" : row ? "),(?" : " (?", to);
	fputs(rows > 1 ? ")) LIMIT ?" : ")", to);
	fclose(to);
	sqlite3_finalize(writer->statement);
	writer->statement = NULL;
	writer->at_once = rows;
	if (sqlite3_prepare_v2(writer->db, sql, -1, &writer->statement, NULL) != SQLITE_OK)
		writer_fail(writer);
	free(sql);
}

/* Inserts the rows that are complete. */
static void insert(struct profile_writer *writer)
{
	if (writer->at_once > 1 &&
	    sqlite3_bind_int(writer->statement, writer->columns * writer->at_once + 1,
			     writer->complete) != SQLITE_OK)
		writer_fail(writer);
	if (!writer->failed && sqlite3_step(writer->statement) != SQLITE_DONE)
		writer_fail(writer);
	sqlite3_reset(writer->statement);
	writer->column = 1;
	writer->complete = 0;
}

void writer_finish(struct profile_writer *writer)
{
	if (writer->complete && !writer->failed)
		insert(writer);
	writer->complete = 0;
	sqlite3_finalize(writer->statement);
	writer->statement = NULL;
}

void writer_start(struct profile_writer *writer, const char *table, int columns)
{
	writer_finish(writer);
	if (writer->failed)
		return;
	writer->table = table;
	writer->columns = columns;
	writer->column = 1;
	writer->rows = 0;
	prepare(writer, 1);
}

void writer_number(struct profile_writer *writer, uint64_t value)
{
	if (writer->failed)
		return;
	digest_integer(writer->digest, value);
	sqlite3_bind_int64(writer->statement, writer->column++, (sqlite3_int64)value);
}

void writer_double(struct profile_writer *writer, double value)
{
	if (writer->failed)
		return;
	digest_real(writer->digest, value);
	sqlite3_bind_double(writer->statement, writer->column++, value);
}

void writer_null(struct profile_writer *writer)
{
	if (writer->failed)
		return;
	digest_null(writer->digest);
	sqlite3_bind_null(writer->statement, writer->column++);
}

void writer_text(struct profile_writer *writer, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	if (!text)
		writer_null(writer);
	if (!text || writer->failed)
		return;
	digest_text(writer->digest, text, length);
	if (sqlite3_bind_text64(writer->statement, writer->column++, text, length,
				writer->at_once > 1 ? SQLITE_TRANSIENT : SQLITE_STATIC,
				SQLITE_UTF8) != SQLITE_OK)
		writer_fail(writer);
}

void writer_blob(struct profile_writer *writer, const struct profile_bytes *blob)
{
	if (!blob->bytes)
		writer_null(writer);
	if (!blob->bytes || writer->failed)
		return;
	digest_blob(writer->digest, blob->bytes, blob->size);
	if (sqlite3_bind_blob64(writer->statement, writer->column++, blob->bytes, blob->size,
				SQLITE_STATIC) != SQLITE_OK)
		writer_fail(writer);
}

void writer_end_row(struct profile_writer *writer)
{
	int most;

	if (writer->failed)
		return;
	most = PARAMETERS_MAX / writer->columns;
	writer->rows++;
	if (++writer->complete == writer->at_once)
		insert(writer);
	if (writer->rows == ROWS_ALONE && most > 1 && !writer->failed)
		prepare(writer, most < ROWS_AT_ONCE ? most : ROWS_AT_ONCE);
}
