#include "graph/profile/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "graph/profile/digest.h"
#include "graph/profile/file.h"
#include "util/memory.h"

static void fail(struct profile_rows *rows)
{
	if (!rows->failed)
		rows->unreadable = !profile_sqlite_error(rows->db, rows->error);
	rows->failed = true;
}

void rows_fail_row(struct profile_rows *rows)
{
	if (!rows->failed)
		profile_bad_row(rows->error, rows->table, rows->row);
	rows->failed = true;
}

void rows_fail(struct profile_rows *rows, const char *format, ...)
{
	char text[200];
	va_list arguments;

	if (rows->failed)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	error_set(rows->error, "%s", text);
	rows->failed = true;
}

void rows_start(struct profile_rows *rows, const char *table, const char *sql)
{
	sqlite3_finalize(rows->statement);
	rows->statement = NULL;
	rows->table = table;
	rows->row = rows->first_before = 0;
	if (!rows->failed &&
	    sqlite3_prepare_v2(rows->db, sql, -1, &rows->statement, NULL) != SQLITE_OK)
		fail(rows);
	rows->columns = rows->failed ? 0 : sqlite3_column_count(rows->statement);
	if (rows->columns > ROWS_COLUMNS_MAX)
		rows_fail(rows, "table %s has more than %d columns", table, ROWS_COLUMNS_MAX);
}

/* Each value once: asking SQLite for it is most of what reading costs. */
static void take_value(struct profile_rows *rows, int column)
{
	sqlite3_value *from = sqlite3_column_value(rows->statement, column);
	struct profile_value *value = &rows->values[column];

	value->type = sqlite3_value_type(from);
	switch (value->type) {
	case SQLITE_INTEGER:
		value->integer = sqlite3_value_int64(from);
		if (rows->digest)
			digest_integer(rows->digest, (uint64_t)value->integer);
		break;
	case SQLITE_FLOAT:
		value->real = sqlite3_value_double(from);
		if (rows->digest)
			digest_real(rows->digest, value->real);
		break;
	case SQLITE_NULL:
		if (rows->digest)
			digest_null(rows->digest);
		break;
	case SQLITE_TEXT:
		value->bytes = sqlite3_value_text(from);
		value->size = sqlite3_value_bytes(from);
		if (rows->digest && value->bytes)
			digest_text(rows->digest, value->bytes, (size_t)value->size);
		break;
	default:
		value->bytes = sqlite3_value_blob(from);
		value->size = sqlite3_value_bytes(from);
		if (rows->digest && value->bytes)
			digest_blob(rows->digest, value->bytes, (size_t)value->size);
	}
}

bool rows_next(struct profile_rows *rows)
{
	int result;

	if (rows->failed)
		return false;
	result = sqlite3_step(rows->statement);
	if (result != SQLITE_ROW && result != SQLITE_DONE)
		fail(rows);
	rows->row += result == SQLITE_ROW;
	if (rows->row >= UINT32_MAX)
		rows_fail_row(rows);
	if (result != SQLITE_ROW || rows->failed)
		return false;
	for (int i = 0; i < rows->columns; i++)
		take_value(rows, i);
	return true;
}

uint64_t rows_word(struct profile_rows *rows, int column)
{
	if (rows->values[column].type != SQLITE_INTEGER) {
		rows_fail_row(rows);
		return 0;
	}
	return (uint64_t)rows->values[column].integer;
}

uint64_t rows_number(struct profile_rows *rows, int column, uint64_t least, uint64_t most)
{
	uint64_t value = rows_word(rows, column);

	if (value < least || value > most) {
		rows_fail_row(rows);
		return least;
	}
	return value;
}

uint32_t rows_32(struct profile_rows *rows, int column, uint32_t least)
{
	return (uint32_t)rows_number(rows, column, least, UINT32_MAX);
}

uint64_t rows_count(struct profile_rows *rows, int column)
{
	return rows_number(rows, column, 0, PROFILE_NUMBER_MAX);
}

double rows_double(struct profile_rows *rows, int column)
{
	if (rows->values[column].type != SQLITE_FLOAT) {
		rows_fail_row(rows);
		return 0;
	}
	return rows->values[column].real;
}

bool rows_is_null(const struct profile_rows *rows, int column)
{
	return rows->values[column].type == SQLITE_NULL;
}

const char *rows_view(struct profile_rows *rows, int column)
{
	const struct profile_value *value = &rows->values[column];

	/* SQLite ends texts with a NUL; it has no memory where there are no bytes */
	if (value->type != SQLITE_TEXT || !value->bytes ||
	    memchr(value->bytes, '\0', (size_t)value->size)) {
		rows_fail_row(rows);
		return "";
	}
	return value->bytes;
}

char *rows_text(struct profile_rows *rows, int column)
{
	return xstrdup(rows_view(rows, column));
}

struct profile_bytes rows_blob(struct profile_rows *rows, int column)
{
	const struct profile_value *value = &rows->values[column];
	struct profile_bytes blob = {0};

	if (value->type != SQLITE_BLOB || !value->bytes || value->size <= 0) {
		rows_fail_row(rows);
		return blob;
	}
	blob.size = (size_t)value->size;
	blob.bytes = xmalloc(blob.size);
	memcpy(blob.bytes, value->bytes, blob.size);
	return blob;
}

int rows_set_error(const struct profile_rows *rows, const char *path)
{
	return (rows->unreadable ? profile_set_unreadable : profile_set_damaged)(path, rows->error);
}
