/* graph/profile/table_write.c: the rows of any table into a new file. */
#include "graph/fields.h"
#include "graph/profile/table.h"

static void write_field(struct profile_writer *writer, const struct graph_field *field,
			const void *of)
{
	const char *text;

	if (field->type == FIELD_TEXT) {
		text = field_text(field, of);
		writer_text(writer, text ? text : "");
	} else if (!field_is_there(field, of) && field->store != STORE_ALWAYS) {
		writer_null(writer);
	} else if (field->type == FIELD_FRACTION) {
		writer_double(writer, field_fraction(field, of));
	} else if (field->type == FIELD_ACCESS) {
		writer_number(writer, field_access(field, of));
	} else {
		writer_number(writer, field_number(field, of));
	}
}

static void write_column(struct profile_writer *writer, const struct profile_column *column,
			 const void *row, const struct profile_keys *keys)
{
	const void *at = (const char *)row + column->at;

	switch (column->type) {
	case COLUMN_ID:
		writer_number(writer, keys->id);
		break;
	case COLUMN_FIRST:
		writer_number(writer, keys->first);
		break;
	case COLUMN_SECOND:
		writer_number(writer, keys->second);
		break;
	case COLUMN_VERTEX:
		if (column->nullable && *(const uint32_t *)at == PROFILE_NO_VERTEX)
			writer_null(writer);
		else
			writer_number(writer, *(const uint32_t *)at);
		break;
	case COLUMN_32:
		writer_number(writer, *(const uint32_t *)at);
		break;
	case COLUMN_INDEX:
		if (column->nullable && *(const uint32_t *)at == PROFILE_NO_ROW)
			writer_null(writer);
		else
			writer_number(writer, *(const uint32_t *)at + UINT64_C(1));
		break;
	case COLUMN_COUNT:
		if (column->nullable && *(const uint64_t *)at == PROFILE_UNKNOWN)
			writer_null(writer);
		else
			writer_number(writer, *(const uint64_t *)at);
		break;
	case COLUMN_WORD:
		writer_number(writer, *(const uint64_t *)at);
		break;
	case COLUMN_FLAG:
		writer_number(writer, *(const bool *)at);
		break;
	case COLUMN_ACCESS:
		writer_number(writer, *(const enum graph_access *)at);
		break;
	case COLUMN_REAL:
		writer_double(writer, *(const double *)at);
		break;
	case COLUMN_TEXT:
		writer_text(writer, *(char *const *)at);
		break;
	case COLUMN_BLOB:
		writer_blob(writer, at);
		break;
	case COLUMN_FIELD:
		write_field(writer, column->field, row);
		break;
	}
}

void table_write_row(struct profile_writer *writer, const struct profile_table *table,
		     const void *row, const struct profile_keys *keys)
{
	for (const struct profile_column *column = table_columns(table); column->name; column++)
		write_column(writer, column, row, keys);
	writer_end_row(writer);
}

/* `of`: the profile or, of a list, the row that it belongs to, which has the number `number`. */
static void write_rows(struct profile_writer *writer, const struct profile_table *table,
		       const void *of, uint64_t number)
{
	const char *rows = *(char *const *)((const char *)of + table->rows_at);
	uint32_t count = *(const uint32_t *)((const char *)of + table->count_at);

	for (uint32_t i = 0; i < count; i++)
		table_write_row(writer, table, rows + i * table->row_size,
				&(struct profile_keys){i + UINT64_C(1), number, i});
}

void table_write(struct profile_writer *writer, const struct profile_table *table,
		 const struct profile *profile)
{
	const struct profile_table *of = table->list_of;

	writer_start(writer, table->name, table_column_count(table));
	table_digest_columns(writer->digest, table);
	if (table->write) {
		table->write(writer, profile);
	} else if (of) {
		const char *lists = *(char *const *)((const char *)profile + of->rows_at);

		for (uint32_t i = 0; i < table_count(of, profile); i++)
			write_rows(writer, table, lists + i * of->row_size, i + UINT64_C(1));
	} else {
		write_rows(writer, table, profile, 0);
	}
	writer_finish(writer);
}
