/* graph/profile/table.c: what follows from the columns of a table: its SQL, checks and memory. */
#include "graph/profile/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/fields.h"
#include "graph/profile/file.h"
#include "util/memory.h"
#include "util/text.h"

const struct profile_table *const profile_tables[] = {
#define PROFILE_TABLE(name) &profile_table_##name,
#include "graph/profile/tables.def"
#undef PROFILE_TABLE
	NULL,
};

const struct profile_column *table_columns(const struct profile_table *table)
{
	return table->columns ? table->columns : table->make_columns();
}

int table_column_count(const struct profile_table *table)
{
	const struct profile_column *columns = table_columns(table);
	int count = 0;

	while (columns[count].name)
		count++;
	return count;
}

/* -- SQL -- */

const char *table_column_sql(const struct profile_column *column)
{
	enum field_type type = column->type == COLUMN_FIELD ? column->field->type : FIELD_ALL;

	if (column->type == COLUMN_TEXT || type == FIELD_TEXT)
		return "TEXT";
	if (column->type == COLUMN_BLOB)
		return "BLOB";
	return column->type == COLUMN_REAL || type == FIELD_FRACTION ? "REAL" : "INTEGER";
}

/* Appends; `sql` is owned. */
static char *append(char *sql, const char *more)
{
	char *joined = xasprintf("%s%s", sql, more);

	free(sql);
	return joined;
}

char *table_sql(const struct profile_table *table)
{
	const struct profile_column *columns = table_columns(table);
	char *sql = xasprintf("CREATE TABLE %s (", table->name), *key = NULL;

	for (const struct profile_column *column = columns; column->name; column++) {
		sql = append(sql, column == columns ? "" : ", ");
		sql = append(sql, column->name);
		sql = append(sql, " ");
		sql = append(sql, table_column_sql(column));
		if (column->type == COLUMN_ID || (column == columns && column->type == COLUMN_TEXT))
			sql = append(sql, " PRIMARY KEY");
		else if (!column->nullable)
			sql = append(sql, " NOT NULL");
		if (table->most == 1 && column->type == COLUMN_ID)
			sql = append(sql, " CHECK (id = 1)");
		if (column->of) {
			sql = append(sql, " REFERENCES ");
			sql = append(sql, column->of->name);
		}
	}
	if (columns->type == COLUMN_TEXT)
		return append(sql, ") WITHOUT ROWID");
	if (columns->type == COLUMN_FIRST) {
		key = xasprintf(", PRIMARY KEY (%s, %s)) WITHOUT ROWID", columns[0].name,
				columns[1].name);
		sql = append(sql, key);
		free(key);
		return sql;
	}
	return append(sql, ")");
}

void table_digest_columns(struct digest *digest, const struct profile_table *table)
{
	const struct profile_column *columns = table_columns(table);

	digest_integer(digest, (uint64_t)table_column_count(table));
	for (; columns->name; columns++)
		digest_text(digest, columns->name, strlen(columns->name));
}

/* -- rows in memory -- */

static void *member(const void *of, size_t at)
{
	return (char *)of + at;
}

static uint32_t count_in(const struct profile_table *table, const void *of)
{
	return *(uint32_t *)member(of, table->count_at);
}

static char *rows_in(const struct profile_table *table, const void *of)
{
	return *(char **)member(of, table->rows_at);
}

uint32_t table_count(const struct profile_table *table, const struct profile *profile)
{
	return table->row_size ? count_in(table, profile) : 0;
}

void *table_row(const struct profile_table *table, const struct profile *profile, uint32_t index)
{
	return rows_in(table, profile) + index * table->row_size;
}

uint32_t table_find_row(const struct profile_table *table, struct profile *profile,
			struct pair_map *map, uint32_t first, uint32_t second)
{
	char **rows = member(profile, table->rows_at), *row;
	uint32_t *count = member(profile, table->count_at);
	uint32_t *capacity = member(profile, table->capacity_at), index;

	if (pair_map_find(map, first, second, *count, &index))
		return index;
	if (*count == *capacity) {
		*capacity = *capacity ? 2 * *capacity : 8;
		*rows = xreallocarray(*rows, *capacity, table->row_size);
	}
	row = *rows + (*count)++ * table->row_size;
	memset(row, 0, table->row_size);
	*(uint32_t *)member(row, table->columns[1].at) = first;
	*(uint32_t *)member(row, table->columns[2].at) = second;
	return index;
}

static void release_texts(const struct profile_table *table, void *row)
{
	for (const struct profile_column *column = table->columns; column->name; column++) {
		void *at = member(row, column->at);

		if (column->type == COLUMN_TEXT) {
			free(*(char **)at);
			*(char **)at = NULL;
		} else if (column->type == COLUMN_BLOB) {
			free(((struct profile_bytes *)at)->bytes);
			*(struct profile_bytes *)at = (struct profile_bytes){0};
		}
	}
}

static void clear_rows(const struct profile_table *table, void *of)
{
	char *rows = rows_in(table, of);
	uint32_t count = count_in(table, of);

	for (uint32_t i = 0; i < count; i++)
		release_texts(table, rows + i * table->row_size);
	free(rows);
	*(char **)member(of, table->rows_at) = NULL;
	*(uint32_t *)member(of, table->count_at) = 0;
	if (!table->list_of)
		*(uint32_t *)member(of, table->capacity_at) = 0;
}

void table_release_row(const struct profile_table *table, void *row)
{
	release_texts(table, row);
	for (size_t t = 0; profile_tables[t]; t++)
		if (profile_tables[t]->list_of == table)
			clear_rows(profile_tables[t], row);
}

void table_clear(const struct profile_table *table, struct profile *profile)
{
	const struct profile_table *of = table->list_of;

	if (table->clear)
		table->clear(profile);
	if (of)
		for (uint32_t i = 0; i < count_in(of, profile); i++)
			clear_rows(table, rows_in(of, profile) + i * of->row_size);
	else if (table->row_size)
		clear_rows(table, profile);
}

/* -- what must hold -- */

static bool is_text(const char *text, bool nullable)
{
	return text ? text_is_clean(text, strlen(text)) : nullable;
}

static bool is_vertex(const struct profile *profile, uint32_t id)
{
	return graph_find(profile->graph, id) != UINT32_MAX;
}

static bool field_holds(const struct profile *profile, const struct graph_field *field,
			const void *of)
{
	switch (field->type) {
	case FIELD_TEXT:
		return is_text(field_text(field, of), field->store != STORE_ALWAYS);
	case FIELD_COUNT:
		return field_number(field, of) <= PROFILE_NUMBER_MAX;
	case FIELD_ID:
		return (!field_is_there(field, of) && field->store != STORE_ALWAYS) ||
		       is_vertex(profile, (uint32_t)field_number(field, of));
	case FIELD_FRACTION:
		return isfinite(field_fraction(field, of));
	case FIELD_ACCESS:
		return field_access(field, of) == GRAPH_READ ||
		       field_access(field, of) == GRAPH_WRITE;
	case FIELD_ALL:
		break;
	}
	return false;
}

static bool column_holds(const struct profile *profile, const struct profile_column *column,
			 const void *row)
{
	const void *at = member(row, column->at);
	uint32_t id;

	switch (column->type) {
	case COLUMN_COUNT:
		return *(const uint64_t *)at <= PROFILE_NUMBER_MAX ||
		       (column->nullable && *(const uint64_t *)at == PROFILE_UNKNOWN);
	case COLUMN_ACCESS:
		return *(const enum graph_access *)at <= GRAPH_WRITE;
	case COLUMN_VERTEX:
		id = *(const uint32_t *)at;
		return (column->nullable && id == PROFILE_NO_VERTEX) || is_vertex(profile, id);
	case COLUMN_INDEX:
		id = *(const uint32_t *)at;
		return (column->nullable && id == PROFILE_NO_ROW) ||
		       id < table_count(column->of, profile);
	case COLUMN_REAL:
		return isfinite(*(const double *)at);
	case COLUMN_TEXT:
		return is_text(*(char *const *)at, column->nullable);
	case COLUMN_BLOB:
		return column->nullable || ((const struct profile_bytes *)at)->bytes;
	case COLUMN_FIELD:
		return field_holds(profile, column->field, row);
	case COLUMN_ID:
	case COLUMN_FIRST:
	case COLUMN_SECOND:
	case COLUMN_32:
	case COLUMN_WORD:
	case COLUMN_FLAG:
		break;
	}
	return true;
}

bool table_row_holds(const struct profile_table *table, const struct profile *profile,
		     const void *row)
{
	for (const struct profile_column *column = table_columns(table); column->name; column++)
		if (!column_holds(profile, column, row))
			return false;
	return !table->holds || table->holds(profile, row);
}

/* `before`: rows of the table that come before these.  Returns how many there are with them. */
static int validate_rows(const struct profile_table *table, const struct profile *profile,
			 const void *of, uint64_t *before, struct error *error)
{
	for (uint32_t i = 0; i < count_in(table, of); i++) {
		++*before;
		if (!table_row_holds(table, profile, rows_in(table, of) + i * table->row_size))
			return profile_bad_row(error, table->name, *before);
	}
	return 0;
}

int table_validate(const struct profile_table *table, const struct profile *profile,
		   struct error *error)
{
	const struct profile_table *of = table->list_of;
	uint64_t rows = 0;

	if (of) {
		for (uint32_t i = 0; i < count_in(of, profile); i++)
			if (validate_rows(table, profile, rows_in(of, profile) + i * of->row_size,
					  &rows, error) != 0)
				return -1;
	} else if (table->row_size && validate_rows(table, profile, profile, &rows, error) != 0) {
		return -1;
	}
	return table->validate ? table->validate(profile, error) : 0;
}

int profile_validate(const struct profile *profile, bool lazy, struct error *error)
{
	for (size_t t = 0; profile_tables[t]; t++)
		if (profile_tables[t]->lazy == lazy &&
		    table_validate(profile_tables[t], profile, error) != 0)
			return -1;
	return 0;
}
