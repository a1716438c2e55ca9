/* graph/profile/run.c: the run that the profile is of: one row. */
#include <stdlib.h>

#include "graph/profile/file.h"
#include "graph/profile/table.h"
#include "util/command.h"

#define RUN_COLUMN(member, TYPE) COLUMN(struct profile, member, TYPE)

static const struct profile_column columns[] = {
	KEY("id", ID),           RUN_COLUMN(vflow, TEXT),        RUN_COLUMN(command, TEXT),
	RUN_COLUMN(date, COUNT), RUN_COLUMN(event_count, COUNT), {0},
};

static char version[] = VFLOW_VERSION;

static void write_run(struct profile_writer *writer, const struct profile *profile)
{
	struct profile row = *profile;

	row.vflow = version;
	table_write_row(writer, &profile_table_run, &row, &(struct profile_keys){.id = 1});
}

static void *add(struct profile_rows *rows, struct profile *profile,
		 const struct profile_keys *keys)
{
	(void)rows;
	return keys->id == 1 ? profile : NULL;
}

static void finish(struct profile_rows *rows, struct profile *profile)
{
	(void)profile;
	if (!rows->row)
		rows_fail_row(rows);
}

static int validate(const struct profile *profile, struct error *error)
{
	struct profile row = *profile;

	if (!row.vflow) /* not from a file */
		row.vflow = version;
	return table_row_holds(&profile_table_run, profile, &row)
		       ? 0
		       : profile_bad_row(error, "run", 1);
}

static void clear(struct profile *profile)
{
	free(profile->vflow);
	free(profile->command);
}

const struct profile_table profile_table_run = {
	.name = "run",
	.columns = columns,
	.most = 1,
	.write = write_run,
	.add = add,
	.finish = finish,
	.validate = validate,
	.clear = clear,
};
