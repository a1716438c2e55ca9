/* graph/profile/process.c: the processes that called CUDA. */
#include "graph/profile/table.h"

#define PROCESS_COLUMN(member, TYPE, ...) COLUMN(struct profile_process, member, TYPE, __VA_ARGS__)

static const struct profile_column columns[] = {
	KEY("id", ID),
	PROCESS_COLUMN(pid, 32),
	PROCESS_COLUMN(parent, 32),
	PROCESS_COLUMN(executable, TEXT),
	PROCESS_COLUMN(arguments, TEXT),
	PROCESS_COLUMN(provider, TEXT),
	PROCESS_COLUMN(device, TEXT),
	PROCESS_COLUMN(ended, FLAG),
	PROCESS_COLUMN(time_start_ns, COUNT, .nullable = true),
	PROCESS_COLUMN(time_end_ns, COUNT, .nullable = true),
	{0},
};

const struct profile_table profile_table_process = {
	.name = "process",
	.columns = columns,
	TABLE_ROWS(processes, process_count, process_capacity),
};
