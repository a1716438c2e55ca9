#include "graph/profile/rows_write.h"

#include <stdio.h>
#include <string.h>

#include "graph/profile/file.h"

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

void writer_finish(struct profile_writer *writer)
{
	sqlite3_finalize(writer->statement);
	writer->statement = NULL;
}

void writer_start(struct profile_writer *writer, const char *table, int columns)
{
	char sql[160];
	int length;

	writer_finish(writer);
	if (writer->failed)
		return;
	length = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (?", table);
	for (int i = 1; i < columns; i++)
		length += snprintf(sql + length, sizeof(sql) - (size_t)length, ",?");
	snprintf(sql + length, sizeof(sql) - (size_t)length, ")");
	if (sqlite3_prepare_v2(writer->db, sql, -1, &writer->statement, NULL) != SQLITE_OK)
		writer_fail(writer);
	writer->column = 1;
	writer->rows = 0;
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
	if (sqlite3_bind_text64(writer->statement, writer->column++, text, length, SQLITE_STATIC,
				SQLITE_UTF8) != SQLITE_OK)
		writer_fail(writer);
}

void writer_end_row(struct profile_writer *writer)
{
	if (writer->failed)
		return;
	if (sqlite3_step(writer->statement) != SQLITE_DONE)
		writer_fail(writer);
	sqlite3_reset(writer->statement);
	writer->column = 1;
	writer->rows++;
}
