/* graph/profile/gpu_time.c: when the device was at which operation. */
#include "graph/profile/table.h"

#define TIME_COLUMN(member, TYPE, ...) COLUMN(struct profile_gpu_time, member, TYPE, __VA_ARGS__)

static const struct profile_column columns[] = {
	KEY("id", ID),
	TIME_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	TIME_COLUMN(process, INDEX, .of = &profile_table_process),
	TIME_COLUMN(thread, 32),
	TIME_COLUMN(device, 32),
	TIME_COLUMN(stream, 32),
	TIME_COLUMN(invocation, COUNT),
	TIME_COLUMN(call_ns, COUNT),
	TIME_COLUMN(return_ns, COUNT),
	TIME_COLUMN(start_ns, COUNT),
	TIME_COLUMN(end_ns, COUNT),
	{0},
};

static bool holds(const struct profile *profile, const void *row)
{
	const struct profile_gpu_time *time = row;

	(void)profile;
	return time->call_ns <= time->return_ns && time->call_ns <= time->start_ns &&
	       time->start_ns <= time->end_ns;
}

const struct profile_table profile_table_gpu_time = {
	.name = "gpu_time",
	.columns = columns,
	.optional = true,
	.lazy = true,
	.most = PROFILE_EVENTS_MAX,
	TABLE_ROWS(gpu_times, gpu_time_count, gpu_time_capacity),
	.holds = holds,
	.views = "CREATE VIEW gpu_times AS SELECT t.id, p.pid, t.thread, t.device, t.stream, "
		 "t.vertex, v.kind, v.name, t.invocation, t.call_ns, t.return_ns, t.start_ns, "
		 "t.end_ns, t.end_ns - t.start_ns AS time_ns FROM gpu_time t "
		 "JOIN process p ON p.id = t.process JOIN vertex v ON v.id = t.vertex ORDER BY "
		 "t.id;",
};
