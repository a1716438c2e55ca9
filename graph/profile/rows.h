/* graph/profile/rows.h: the rows of one table after the other, of a file that is hostile. */
#ifndef VFLOW_GRAPH_PROFILE_ROWS_H
#define VFLOW_GRAPH_PROFILE_ROWS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "graph/profile/profile.h"
#include "util/error.h"

struct digest;

enum { ROWS_COLUMNS_MAX = 100 };

/* A value of the row, as SQLite has it. */
struct profile_value {
	int type; /* SQLITE_INTEGER, ... */
	int size; /* of a text or blob */
	union {
		int64_t integer;
		double real;
		const void *bytes; /* until the next row */
	};
};

/* Starts as zeros but for `db` and `error`, which are the caller's. */
struct profile_rows {
	sqlite3 *db;
	sqlite3_stmt *statement; /* finalized by the next rows_start() or by the caller */
	const char *table;
	struct profile_value values[ROWS_COLUMNS_MAX];
	int columns;
	uint64_t row;            /* from 1 */
	uint64_t first_before;   /* `first` of the keys of the row before */
	struct digest *digest;   /* of all values that are read; NULL: not wanted */
	bool failed, unreadable; /* unreadable: failed, but the file may be in order */
	struct error *error;     /* what went wrong first, once `failed` */
};

void rows_start(struct profile_rows *rows, const char *table, const char *sql);
/* False: there is none, or something failed. */
bool rows_next(struct profile_rows *rows);
/* The row is not what a profile holds; something else is wrong. */
void rows_fail_row(struct profile_rows *rows);
__attribute__((format(printf, 2, 3))) void rows_fail(struct profile_rows *rows, const char *format,
						     ...);

/* Of the row, by column; what cannot be fails it.  Any 64 bits; a number within limits. */
uint64_t rows_word(struct profile_rows *rows, int column);
uint64_t rows_number(struct profile_rows *rows, int column, uint64_t least, uint64_t most);
uint32_t rows_32(struct profile_rows *rows, int column, uint32_t least);
uint64_t rows_count(struct profile_rows *rows, int column); /* 0 to PROFILE_NUMBER_MAX */
double rows_double(struct profile_rows *rows, int column);
bool rows_is_null(const struct profile_rows *rows, int column);
/* Never NULL: until the next row, or owned by the caller. */
const char *rows_view(struct profile_rows *rows, int column);
char *rows_text(struct profile_rows *rows, int column);
struct profile_bytes rows_blob(struct profile_rows *rows, int column); /* owned by the caller */

/* Completes the error of what failed, also after the rows.  Returns -1. */
int rows_set_error(const struct profile_rows *rows, const char *path);

#endif
