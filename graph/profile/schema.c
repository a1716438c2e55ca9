#include "graph/profile/schema.h"

#include <stdlib.h>
#include <string.h>

#include "graph/fields.h"
#include "util/memory.h"

bool schema_has_table(struct profile_rows *rows, const char *name)
{
	static const char create[] = "CREATE TABLE "; /* SQLite begins with it, whoever made it */
	bool found = false;

	rows_start(rows, "sqlite_schema", "SELECT name, type, sql FROM sqlite_schema");
	while (rows_next(rows)) {
		/* there is no SQL for the indices of primary keys */
		found |= !rows_is_null(rows, 2) && !strcmp(rows_view(rows, 0), name) &&
			 !strcmp(rows_view(rows, 1), "table") &&
			 !strncmp(rows_view(rows, 2), create, sizeof(create) - 1);
	}
	return found;
}

/* A column that is computed, or of a type that it was not made with, is not ours. */
static bool is_ours(struct profile_rows *rows, const struct profile_column *column)
{
	return !strcmp(rows_view(rows, 2), table_column_sql(column));
}

/* Queries rely on its index; without it some would take as long as the square of the rows. */
static bool has_key(struct profile_rows *rows, const struct profile_column *columns, int i)
{
	uint64_t expected =
		i == 0 || (i == 1 && columns->type == COLUMN_FIRST) ? i + UINT64_C(1) : 0;

	return rows_word(rows, 5) == expected;
}

static bool may_lack(const struct profile_column *column)
{
	return column->nullable ||
	       (column->type == COLUMN_FIELD && column->field->store != STORE_ALWAYS);
}

void schema_find_columns(struct profile_rows *rows, const struct profile_table *table, int *at)
{
	const struct profile_column *columns = table_columns(table);
	int count = table_column_count(table), number = 0;
	char *sql = xasprintf("PRAGMA table_xinfo(%s)", table->name);

	for (int i = 0; i < count; i++)
		at[i] = -1;
	rows_start(rows, table->name, sql);
	free(sql);
	for (; rows_next(rows); number++) {
		const char *name = rows_view(rows, 1);

		if (rows_word(rows, 6)) /* generated or hidden */
			rows_fail(rows, "table %s has columns that are computed", table->name);
		for (int i = 0; i < count && !rows->failed; i++)
			if (!strcmp(name, columns[i].name)) {
				at[i] = number;
				if (!is_ours(rows, &columns[i]))
					rows_fail(rows, "column %s of table %s is of another type",
						  columns[i].name, table->name);
				else if (!has_key(rows, columns, i))
					rows_fail(rows, "table %s has another primary key",
						  table->name);
			}
	}
	for (int i = 0; i < count; i++)
		if (at[i] < 0 && !may_lack(&columns[i]))
			rows_fail(rows, "table %s has no column %s", table->name, columns[i].name);
}
