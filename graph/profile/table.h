/*
 * graph/profile/table.h: a table of a profile as data: its columns, and where its rows are in
 * memory.  A fact has a file (graph/profile/<fact>.c) with its tables, and each of them a row in
 * tables.def; what is said here about a table is all that writing, reading, checking and freeing
 * it need, but for what its functions add.
 */
#ifndef VFLOW_GRAPH_PROFILE_TABLE_H
#define VFLOW_GRAPH_PROFILE_TABLE_H

#include <stddef.h>

#include "graph/profile/digest.h"
#include "graph/profile/profile.h"
#include "graph/profile/rows.h"
#include "graph/profile/rows_write.h"
#include "util/pair_map.h"

enum { TABLE_COLUMNS_MAX = 40 };

/* Numbers of a row that are not members of it in memory. */
struct profile_keys {
	uint64_t id; /* the primary key; if there is none, the first two are */
	uint64_t first, second;
};

enum profile_column_type {
	COLUMN_ID, /* of struct profile_keys */
	COLUMN_FIRST,
	COLUMN_SECOND,
	COLUMN_32,     /* uint32_t */
	COLUMN_COUNT,  /* uint64_t, at most PROFILE_NUMBER_MAX; null is PROFILE_UNKNOWN */
	COLUMN_WORD,   /* uint64_t, any; the file's is signed */
	COLUMN_FLAG,   /* bool */
	COLUMN_ACCESS, /* enum graph_access */
	COLUMN_VERTEX, /* uint32_t: an id; null is PROFILE_NO_VERTEX */
	COLUMN_INDEX,  /* uint32_t: index of a row of table `of`; the file's counts from 1; null is
			  PROFILE_NO_ROW */
	COLUMN_REAL,   /* double, finite */
	COLUMN_TEXT,   /* char *, owned, clean; null is NULL */
	COLUMN_BLOB,   /* struct profile_bytes, owned; null is NULL */
	COLUMN_FIELD,  /* `field`, of a vertex or an edge */
};

struct profile_column {
	const char *name;
	enum profile_column_type type;
	size_t at;                       /* offset of the member in the row */
	bool nullable;                   /* files made before the column came have nulls */
	const struct profile_table *of;  /* whose rows it refers to */
	const struct graph_field *field; /* of a COLUMN_FIELD */
	bool place; /* the first one of a struct profile_place, which is at `at` */
};

/* clang-format off */
/* Of the member of this name; KEY() of a number that is none. */
#define COLUMN(row, member, TYPE, ...) COLUMN_NAMED(#member, row, member, TYPE, __VA_ARGS__)
#define COLUMN_NAMED(word, row, member, TYPE, ...)                                                 \
	{.name = (word), .type = COLUMN_##TYPE, .at = offsetof(row, member), __VA_ARGS__}
/* The three of a struct profile_place; the builder fills them in. */
#define PLACE_COLUMNS(row, member)                                                                 \
	COLUMN_NAMED("callpath", row, member.callpath, TEXT, .nullable = true, .place = true),     \
	COLUMN_NAMED("file", row, member.file, TEXT, .nullable = true),                            \
	COLUMN_NAMED("line", row, member.line, 32)
#define KEY(word, TYPE, ...) {.name = (word), .type = COLUMN_##TYPE, __VA_ARGS__}
/* clang-format on */

struct profile_table {
	const char *name;
	/* End with a column without a name.  The function is for columns that are not constant. */
	const struct profile_column *columns;
	const struct profile_column *(*make_columns)(void);
	bool optional; /* a profile may lack it: what it tells was not recorded then */
	bool lazy;     /* read by profile_read_events() only */
	uint32_t most; /* rows; 0: any number */
	/*
	 * The first column, or the first two where that one is FIRST, are the primary key, which
	 * orders the rows; there are no gaps in numbers.
	 *
	 * Where the rows are: an array of struct profile (TABLE_ROWS) or, of a list, one array in
	 * each row of `list_of` (TABLE_LIST); their columns FIRST and SECOND are the number of that
	 * row, from 1, and the position in the list, from 0.  Others write, add, check and clear.
	 */
	const struct profile_table *list_of;
	size_t rows_at, count_at, capacity_at, row_size;
	const char *(*order)(struct profile_rows *rows); /* NULL: by the key */
	void (*write)(struct profile_writer *writer, const struct profile *profile);
	/* The row in memory that has these keys, all zero; NULL: it cannot be. */
	void *(*add)(struct profile_rows *rows, struct profile *profile,
		     const struct profile_keys *keys);
	/* After the last row, unless one failed. */
	void (*finish)(struct profile_rows *rows, struct profile *profile);
	/* What must hold of a row beside that its columns do; and of all rows. */
	bool (*holds)(const struct profile *profile, const void *row);
	int (*validate)(const struct profile *profile, struct error *error);
	void (*clear)(struct profile *profile);
	const char *views; /* SQL: for people, vflow never reads them */
	const char *(*make_views)(void);
};

#define TABLE_ROWS(rows, count, capacity)                                                          \
	.rows_at = offsetof(struct profile, rows), .count_at = offsetof(struct profile, count),    \
	.capacity_at = offsetof(struct profile, capacity),                                         \
	.row_size = sizeof(*((struct profile *)NULL)->rows)
#define TABLE_LIST(table, type, rows, count)                                                       \
	.list_of = (table), .rows_at = offsetof(type, rows), .count_at = offsetof(type, count),    \
	.row_size = sizeof(*((type *)NULL)->rows)

#define PROFILE_TABLE(name) extern const struct profile_table profile_table_##name;
#include "graph/profile/tables.def"
#undef PROFILE_TABLE
extern const struct profile_table profile_table_checksum;

/* Each after those that it refers to; ends with NULL. */
extern const struct profile_table *const profile_tables[];

const struct profile_column *table_columns(const struct profile_table *table);
int table_column_count(const struct profile_table *table);
/* The rows in memory; not of lists. */
uint32_t table_count(const struct profile_table *table, const struct profile *profile);
void *table_row(const struct profile_table *table, const struct profile *profile, uint32_t index);
void table_clear(const struct profile_table *table, struct profile *profile);
/*
 * Index of the row of an array whose first two columns after the id, numbers of 32 bits, are these
 * two; it is added, and all else in it is 0, where the map has none.
 */
uint32_t table_find_row(const struct profile_table *table, struct profile *profile,
			struct pair_map *map, uint32_t first, uint32_t second);
/* Frees what the row of an array owns, its lists too. */
void table_release_row(const struct profile_table *table, void *row);

/* What makes the table; caller frees. */
char *table_sql(const struct profile_table *table);
/* "INTEGER" */
const char *table_column_sql(const struct profile_column *column);

/* Adds the names of the columns, which begin the sum of a table. */
void table_digest_columns(struct digest *digest, const struct profile_table *table);

/* The writer holds the number of rows and their digest. */
void table_write(struct profile_writer *writer, const struct profile_table *table,
		 const struct profile *profile);
void table_write_row(struct profile_writer *writer, const struct profile_table *table,
		     const void *row, const struct profile_keys *keys);
/* `rows` holds their number and digest. */
void table_read(struct profile_rows *rows, const struct profile_table *table,
		struct profile *profile);

/* References in range, numbers within PROFILE_NUMBER_MAX, strings there and clean. */
int table_validate(const struct profile_table *table, const struct profile *profile,
		   struct error *error);
bool table_row_holds(const struct profile_table *table, const struct profile *profile,
		     const void *row);
/* Of all lazy tables, or all others. */
int profile_validate(const struct profile *profile, bool lazy, struct error *error);

#endif
