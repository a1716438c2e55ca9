#include "graph/profile/rows.h"

#include <string.h>

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

void rows_start(struct profile_rows *rows, const char *table, const char *sql)
{
	sqlite3_finalize(rows->statement);
	rows->statement = NULL;
	rows->table = table;
	rows->row = rows->first_before = 0;
	if (!rows->failed &&
	    sqlite3_prepare_v2(rows->db, sql, -1, &rows->statement, NULL) != SQLITE_OK)
		fail(rows);
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
	return result == SQLITE_ROW && !rows->failed;
}

uint64_t rows_word(struct profile_rows *rows, int column)
{
	sqlite3_value *value = sqlite3_column_value(rows->statement, column);

	if (sqlite3_value_type(value) != SQLITE_INTEGER)
		rows_fail_row(rows);
	return (uint64_t)sqlite3_value_int64(value);
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
	if (sqlite3_column_type(rows->statement, column) != SQLITE_FLOAT)
		rows_fail_row(rows);
	return sqlite3_column_double(rows->statement, column);
}

bool rows_is_null(const struct profile_rows *rows, int column)
{
	return sqlite3_column_type(rows->statement, column) == SQLITE_NULL;
}

char *rows_text(struct profile_rows *rows, int column)
{
	const unsigned char *text;
	int size;

	if (sqlite3_column_type(rows->statement, column) != SQLITE_TEXT) {
		rows_fail_row(rows);
		return xstrdup("");
	}
	text = sqlite3_column_text(rows->statement, column);
	size = sqlite3_column_bytes(rows->statement, column);
	if (!text || memchr(text, '\0', (size_t)size)) {
		rows_fail_row(rows);
		return xstrdup("");
	}
	return xstrndup((const char *)text, (size_t)size);
}

char *rows_text_or_null(struct profile_rows *rows, int column)
{
	return rows_is_null(rows, column) ? NULL : rows_text(rows, column);
}

void rows_expect_id(struct profile_rows *rows)
{
	if (rows_word(rows, 0) != rows->row)
		rows_fail_row(rows);
}

int rows_set_error(const struct profile_rows *rows, const char *path)
{
	return (rows->unreadable ? profile_set_unreadable : profile_set_damaged)(path, rows->error);
}
