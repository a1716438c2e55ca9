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
	if (column->type == COLUMN_INDEX)
		*(uint32_t *)((char *)row + column->at) = PROFILE_NO_ROW;
	if (column->type == COLUMN_COUNT)
		*(uint64_t *)((char *)row + column->at) = PROFILE_UNKNOWN;
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
	case COLUMN_BLOB:
		*(struct profile_bytes *)to = rows_blob(rows, at);
		break;
	case COLUMN_FIELD:
		read_field(rows, at, column->field, row);
		break;
	}
}

/* Where the file has what: numbers of its columns, -1 for none. */
struct plan {
	int id, first, second; /* of struct profile_keys */
	int count;
	struct {
		const struct profile_column *column;
		int at;
	} members[TABLE_COLUMNS_MAX];
};

static void make_plan(struct plan *plan, struct profile_rows *rows,
		      const struct profile_table *table)
{
	const struct profile_column *columns = table_columns(table);
	int at[TABLE_COLUMNS_MAX];

	plan->id = plan->first = plan->second = -1;
	plan->count = 0;
	schema_find_columns(rows, table, at);
	for (int i = 0; columns[i].name; i++)
		if (columns[i].type == COLUMN_ID) {
			plan->id = at[i];
		} else if (columns[i].type == COLUMN_FIRST) {
			plan->first = at[i];
		} else if (columns[i].type == COLUMN_SECOND) {
			plan->second = at[i];
		} else {
			plan->members[plan->count].column = &columns[i];
			plan->members[plan->count++].at = at[i];
		}
}

static void read_members(struct profile_rows *rows, const struct plan *plan, void *row)
{
	for (int i = 0; i < plan->count; i++) {
		const struct profile_column *column = plan->members[i].column;
		int at = plan->members[i].at;

		if (at < 0 || (column->nullable && rows_is_null(rows, at)))
			set_null(column, row);
		else
			read_column(rows, at, column, row);
	}
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

static void start(struct profile_rows *rows, const struct profile_table *table, struct plan *plan)
{
	const struct profile_column *columns = table_columns(table);
	bool pair = columns->type == COLUMN_FIRST;
	struct digest *digest = rows->digest;
	const char *order;
	char *sql;

	rows->digest = NULL; /* of the table itself only */
	make_plan(plan, rows, table);
	order = table->order ? table->order(rows) : columns->name;
	sql = xasprintf("SELECT * FROM %s ORDER BY %s%s%s", table->name, order, pair ? ", " : "",
			pair ? columns[1].name : "");
	rows_start(rows, table->name, sql);
	free(sql);
	rows->digest = digest;
	if (digest && !rows->failed)
		digest_names(rows);
}

static void read_row(struct profile_rows *rows, const struct profile_table *table,
		     const struct plan *plan, struct profile *profile)
{
	const struct profile_keys keys = {
		.id = read_key(rows, plan->id),
		.first = read_key(rows, plan->first),
		.second = read_key(rows, plan->second),
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
	read_members(rows, plan, row);
}

void table_read(struct profile_rows *rows, const struct profile_table *table,
		struct profile *profile)
{
	struct plan plan;

	start(rows, table, &plan);
	while (rows_next(rows))
		read_row(rows, table, &plan, profile);
	if (table->capacity_at && table->row_size && !table->add)
		*(uint32_t *)((char *)profile + table->capacity_at) = table_count(table, profile);
	if (!rows->failed && table->finish)
		table->finish(rows, profile);
}
