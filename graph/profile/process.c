/* graph/profile/process.c: the processes that called CUDA. */
#include "graph/profile/table.h"

#define PROCESS_COLUMN(member, TYPE) COLUMN(struct profile_process, member, TYPE)

static const struct profile_column columns[] = {
	KEY("id", ID),
	PROCESS_COLUMN(pid, 32),
	PROCESS_COLUMN(parent, 32),
	PROCESS_COLUMN(executable, TEXT),
	PROCESS_COLUMN(arguments, TEXT),
	PROCESS_COLUMN(provider, TEXT),
	PROCESS_COLUMN(device, TEXT),
	PROCESS_COLUMN(ended, FLAG),
	{0},
};

const struct profile_table profile_table_process = {
	.name = "process",
	.columns = columns,
	TABLE_ROWS(processes, process_count, process_capacity),
};
