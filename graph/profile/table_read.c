/* graph/profile/table_read.c: the rows of any table of a file, which is hostile. */
#include <stdlib.h>
#include <string.h>

#include "graph/fields.h"
#include "graph/profile/schema.h"
#include "util/memory.h"

static void read_field(struct profile_rows *rows, int at, const struct graph_field *field, void *of)
{
	char *text;

	switch (field->type) {
	case FIELD_TEXT:
		text = rows_text(rows, at);
		if (*text || field->store == STORE_ALWAYS)
			field_set_text(field, of, text);
		else
			free(text);
		break;
	case FIELD_COUNT:
		field_set_number(field, of, rows_count(rows, at));
		break;
	case FIELD_ID:
		field_set_number(field, of, rows_32(rows, at, 0));
		break;
	case FIELD_FRACTION:
		field_set_fraction(field, of, rows_double(rows, at));
		break;
	case FIELD_ACCESS:
		field_set_access(field, of,
				 (enum graph_access)rows_number(rows, at, GRAPH_READ, GRAPH_WRITE));
		break;
	case FIELD_ALL:
		break;
	}
}

static void set_null(const struct profile_column *column, void *row)
{
	if (column->type == COLUMN_VERTEX)
		*(uint32_t *)((char *)row + column->at) = PROFILE_NO_VERTEX;
}

static void read_column(struct profile_rows *rows, int at, const struct profile_column *column,
			void *row)
{
	void *to = (char *)row + column->at;

	switch (column->type) {
	case COLUMN_ID:
	case COLUMN_FIRST:
	case COLUMN_SECOND:
		break;
	case COLUMN_32:
	case COLUMN_VERTEX:
		*(uint32_t *)to = rows_32(rows, at, 0);
		break;
	case COLUMN_INDEX:
		*(uint32_t *)to = rows_32(rows, at, 1) - 1;
		break;
	case COLUMN_COUNT:
		*(uint64_t *)to = rows_count(rows, at);
		break;
	case COLUMN_WORD:
		*(uint64_t *)to = rows_word(rows, at);
		break;
	case COLUMN_FLAG:
		*(bool *)to = rows_number(rows, at, 0, 1) != 0;
		break;
	case COLUMN_ACCESS:
		*(enum graph_access *)to = (enum graph_access)rows_number(rows, at, 0, GRAPH_WRITE);
		break;
	case COLUMN_REAL:
		*(double *)to = rows_double(rows, at);
		break;
	case COLUMN_TEXT:
		*(char **)to = rows_text(rows, at);
		break;
	case COLUMN_FIELD:
		read_field(rows, at, column->field, row);
		break;
	}
}

/* at[i]: the file's column that is columns[i], or -1: there is none. */
static void read_members(struct profile_rows *rows, const struct profile_column *columns,
			 const int *at, void *row)
{
	for (int i = 0; columns[i].name; i++)
		if (at[i] < 0 || (columns[i].nullable && rows_is_null(rows, at[i])))
			set_null(&columns[i], row);
		else
			read_column(rows, at[i], &columns[i], row);
}

/* Where the numbers are in the file's rows; -1: the table has no such. */
struct key_columns {
	int id, first, second;
};

static struct key_columns find_keys(const struct profile_column *columns, const int *at)
{
	struct key_columns keys = {-1, -1, -1};

	for (int i = 0; columns[i].name; i++)
		if (columns[i].type == COLUMN_ID)
			keys.id = at[i];
		else if (columns[i].type == COLUMN_FIRST)
			keys.first = at[i];
		else if (columns[i].type == COLUMN_SECOND)
			keys.second = at[i];
	return keys;
}

static uint64_t read_key(struct profile_rows *rows, int at)
{
	return at < 0 ? 0 : rows_word(rows, at);
}

/* Makes room for one more row, all zero, in an array whose capacity is a power of two. */
static void *append_row(const struct profile_table *table, void *of)
{
	char **rows = (char **)((char *)of + table->rows_at);
	uint32_t *count = (uint32_t *)((char *)of + table->count_at);
	char *row;

	if (!(*count & (*count - 1)))
		*rows = xreallocarray(*rows, *count ? 2 * (size_t)*count : 1, table->row_size);
	row = *rows + (*count)++ * table->row_size;
	memset(row, 0, table->row_size);
	return row;
}

static void *add_row(struct profile_rows *rows, const struct profile_table *table,
		     struct profile *profile, const struct profile_keys *keys)
{
	const struct profile_table *of = table->list_of;
	char *list;

	if (table->add)
		return table->add(rows, profile, keys);
	if (!of && table->columns->type == COLUMN_ID && keys->id != rows->row)
		return NULL;
	if (!of)
		return append_row(table, profile);
	if (!keys->first || keys->first > table_count(of, profile))
		return NULL;
	list = *(char **)((char *)profile + of->rows_at) + (keys->first - 1) * of->row_size;
	if (keys->second != *(uint32_t *)(list + table->count_at))
		return NULL;
	return append_row(table, list);
}

/* -- the check sum -- */

/* All columns, whether this version knows them or not. */
static void digest_names(struct profile_rows *rows)
{
	digest_integer(rows->digest, (uint64_t)rows->columns);
	for (int i = 0; i < rows->columns; i++) {
		const char *name = sqlite3_column_name(rows->statement, i);

		digest_text(rows->digest, name ? name : "", name ? strlen(name) : 0);
	}
}

/* -- all rows -- */

static void start(struct profile_rows *rows, const struct profile_table *table, int *at)
{
	const struct profile_column *columns = table_columns(table);
	bool pair = columns->type == COLUMN_FIRST;
	struct digest *digest = rows->digest;
	const char *order;
	char *sql;

	rows->digest = NULL; /* of the table itself only */
	schema_find_columns(rows, table, at);
	order = table->order ? table->order(rows) : columns->name;
	sql = xasprintf("SELECT * FROM %s ORDER BY %s%s%s", table->name, order, pair ? ", " : "",
			pair ? columns[1].name : "");
	rows_start(rows, table->name, sql);
	free(sql);
	rows->digest = digest;
	if (digest && !rows->failed)
		digest_names(rows);
}

static void read_row(struct profile_rows *rows, const struct profile_table *table, const int *at,
		     const struct key_columns *columns, struct profile *profile)
{
	const struct profile_keys keys = {
		.id = read_key(rows, columns->id),
		.first = read_key(rows, columns->first),
		.second = read_key(rows, columns->second),
	};
	void *row;

	if (table->most && rows->row > table->most)
		rows_fail_row(rows);
	row = rows->failed ? NULL : add_row(rows, table, profile, &keys);
	if (!row) {
		rows_fail_row(rows);
		return;
	}
	rows->first_before = keys.first;
	read_members(rows, table_columns(table), at, row);
}

void table_read(struct profile_rows *rows, const struct profile_table *table,
		struct profile *profile)
{
	struct key_columns keys;
	int at[TABLE_COLUMNS_MAX];

	start(rows, table, at);
	keys = find_keys(table_columns(table), at);
	while (rows_next(rows))
		read_row(rows, table, at, &keys, profile);
	if (table->capacity_at && table->row_size && !table->add)
		*(uint32_t *)((char *)profile + table->capacity_at) = table_count(table, profile);
	if (!rows->failed && table->finish)
		table->finish(rows, profile);
}
