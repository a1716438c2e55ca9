/* graph/profile/run.c: the run that the profile is of: one row. */
#include <math.h>
#include <stdlib.h>

#include "graph/profile/file.h"
#include "graph/profile/table.h"
#include "util/command.h"

#define RUN_COLUMN(member, TYPE) COLUMN(struct profile, member, TYPE)

static const struct profile_column columns[] = {
	KEY("id", ID),
	RUN_COLUMN(vflow, TEXT),
	RUN_COLUMN(command, TEXT),
	RUN_COLUMN(date, COUNT),
	RUN_COLUMN(event_count, COUNT),
	RUN_COLUMN(redundancy_threshold, REAL),
	RUN_COLUMN(events_checksum, TEXT),
	RUN_COLUMN(checksum, TEXT),
	{0},
};

static void write_run(struct profile_writer *writer, const struct profile *profile)
{
	struct profile written = *profile;
	char version[] = VFLOW_VERSION, events[65], checksum[65];

	profile_digest_events(profile, events);
	profile_digest(profile, events, checksum);
	written.vflow = version;
	written.events_checksum = events;
	written.checksum = checksum;
	table_write_row(writer, &profile_table_run, &written, &(struct profile_keys){.id = 1});
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
	struct profile run = *profile;
	char none[] = "";

	/* what only files have */
	run.vflow = run.vflow ? run.vflow : none;
	run.events_checksum = run.events_checksum ? run.events_checksum : none;
	run.checksum = run.checksum ? run.checksum : none;
	if (table_row_holds(&profile_table_run, profile, &run))
		return 0;
	return profile_bad_row(error, "run", 1);
}

static void clear(struct profile *profile)
{
	free(profile->vflow);
	free(profile->command);
	free(profile->events_checksum);
	free(profile->checksum);
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
