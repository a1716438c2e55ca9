/* graph/profile/rows_write.h: the rows of one table after the other, into a new file. */
#ifndef VFLOW_GRAPH_PROFILE_ROWS_WRITE_H
#define VFLOW_GRAPH_PROFILE_ROWS_WRITE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "graph/profile/digest.h"
#include "graph/profile/profile.h"
#include "util/error.h"

/*
 * Starts as zeros but for `db`, `digest` and `error`, which are the caller's.  After the first
 * failure every call does nothing.
 */
struct profile_writer {
	sqlite3 *db;
	sqlite3_stmt *statement;
	const char *table;
	int columns, column;   /* of a row; the next */
	int at_once, complete; /* rows that the statement inserts; those that it has by now */
	struct digest *digest; /* of the rows since writer_start() */
	uint64_t rows;
	bool failed;
	int room; /* failed for want of room: an errno */
	struct error *error;
};

/* SQLite's last call failed. */
void writer_fail(struct profile_writer *writer);
void writer_execute(struct profile_writer *writer, const char *sql);

/* Ends the table before. */
void writer_start(struct profile_writer *writer, const char *table, int columns);
void writer_finish(struct profile_writer *writer);

/* The columns of a row, one after the other. */
void writer_number(struct profile_writer *writer, uint64_t value);
void writer_double(struct profile_writer *writer, double value);
void writer_null(struct profile_writer *writer);
/* NULL makes a null; the text must live until writer_end_row(). */
void writer_text(struct profile_writer *writer, const char *text);
/* `bytes` of NULL make a null; they must live as long. */
void writer_blob(struct profile_writer *writer, const struct profile_bytes *bytes);
void writer_end_row(struct profile_writer *writer);

#endif
