/* graph/profile/table_read.c: the rows of any table of a file, which is hostile. */
#include <stdlib.h>
#include <string.h>

#include "graph/fields.h"
#include "graph/profile/file.h"
#include "graph/profile/table.h"
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

static void read_members(struct profile_rows *rows, const struct profile_column *columns, void *row)
{
	for (int i = 0; columns[i].name; i++)
		if (columns[i].nullable && rows_is_null(rows, i))
			set_null(&columns[i], row);
		else
			read_column(rows, i, &columns[i], row);
}

static void read_keys(struct profile_rows *rows, const struct profile_column *columns,
		      struct profile_keys *keys)
{
	for (int i = 0; columns[i].name; i++)
		if (columns[i].type == COLUMN_ID)
			keys->id = rows_word(rows, i);
		else if (columns[i].type == COLUMN_FIRST)
			keys->first = rows_word(rows, i);
		else if (columns[i].type == COLUMN_SECOND)
			keys->second = rows_word(rows, i);
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
	if (!of)
		return keys->id == rows->row ? append_row(table, profile) : NULL;
	if (!keys->first || keys->first > table_count(of, profile))
		return NULL;
	list = *(char **)((char *)profile + of->rows_at) + (keys->first - 1) * of->row_size;
	if (keys->second != *(uint32_t *)(list + table->count_at))
		return NULL;
	return append_row(table, list);
}

static void start(struct profile_rows *rows, const struct profile_table *table)
{
	const struct profile_column *columns = table_columns(table);
	const char *order = table->order ? table->order(rows) : columns->name;
	char *sql = xasprintf("SELECT ");

	for (const struct profile_column *column = columns; column->name; column++) {
		char *more = xasprintf("%s%s%s", sql, column == columns ? "" : ", ", column->name);

		free(sql);
		sql = more;
	}
	{
		bool pair = columns->type != COLUMN_ID;
		char *whole = xasprintf("%s FROM %s ORDER BY %s%s%s", sql, table->name, order,
					pair ? ", " : "", pair ? columns[1].name : "");

		free(sql);
		sql = whole;
	}
	rows_start(rows, table->name, sql);
	free(sql);
}

void table_read(struct profile_rows *rows, const struct profile_table *table,
		struct profile *profile)
{
	const struct profile_column *columns = table_columns(table);

	start(rows, table);
	while (rows_next(rows)) {
		struct profile_keys keys = {0};
		void *row;

		read_keys(rows, columns, &keys);
		if (table->most && rows->row > table->most)
			rows_fail_row(rows);
		row = rows->failed ? NULL : add_row(rows, table, profile, &keys);
		if (!row) {
			rows_fail_row(rows);
			return;
		}
		rows->first_before = keys.first;
		read_members(rows, columns, row);
	}
	if (table->capacity_at && table->row_size && !table->add)
		*(uint32_t *)((char *)profile + table->capacity_at) = table_count(table, profile);
	if (!rows->failed && table->finish)
		table->finish(rows, profile);
}
