/*
 * graph/profile/timeline.c: what the host and the device did when, in the run of the pass `time`:
 * tables api, timeline, gpu_time, wait and stream_order.  They are many rows: read only for those
 * who ask for them.
 */
#include "gpu/records.h"
#include "graph/profile/table.h"

/* -- functions -- */

#define API_COLUMN(member, TYPE, ...) COLUMN(struct profile_api, member, TYPE, __VA_ARGS__)

static const struct profile_column api_columns[] = {
	KEY("id", ID),
	API_COLUMN(kind, TEXT),
	API_COLUMN(name, TEXT),
	API_COLUMN(vertex, VERTEX, .nullable = true, .of = &profile_table_vertex),
	PLACE_COLUMNS(struct profile_api, place),
	{0},
};

const struct profile_table profile_table_api = {
	.name = "api",
	.columns = api_columns,
	.optional = true,
	TABLE_ROWS(apis, api_count, api_capacity),
};

/* -- calls -- */

#define CALL_COLUMN(member, TYPE, ...) COLUMN(struct profile_timed_call, member, TYPE, __VA_ARGS__)

static const struct profile_column call_columns[] = {
	KEY("id", ID),
	CALL_COLUMN(api, INDEX, .of = &profile_table_api),
	CALL_COLUMN(process, INDEX, .of = &profile_table_process),
	CALL_COLUMN(thread, 32),
	CALL_COLUMN(device, 32),
	CALL_COLUMN(stream, 32),
	CALL_COLUMN(nonblocking, FLAG),
	CALL_COLUMN(invocation, COUNT),
	CALL_COLUMN(start_ns, COUNT),
	CALL_COLUMN(end_ns, COUNT),
	CALL_COLUMN(overhead_ns, COUNT, .nullable = true),
	CALL_COLUMN(range, INDEX, .nullable = true, .of = &profile_table_range),
	{0},
};

static bool call_holds(const struct profile *profile, const void *row)
{
	const struct profile_timed_call *call = row;

	return call->start_ns <= call->end_ns &&
	       (call == profile->timeline || call[-1].process <= call->process);
}

const struct profile_table profile_table_timeline = {
	.name = "timeline",
	.columns = call_columns,
	.optional = true,
	.lazy = true,
	.most = PROFILE_TIMELINE_MAX,
	TABLE_ROWS(timeline, timeline_count, timeline_capacity),
	.holds = call_holds,
	.views = "CREATE VIEW api_calls AS SELECT c.id, p.pid, c.thread, c.device, c.stream, "
		 "a.vertex, a.kind, a.name, coalesce(a.callpath, v.callpath_text) AS callpath, "
		 "c.invocation, c.start_ns, c.end_ns, c.end_ns - c.start_ns AS host_ns, "
		 "(SELECT sum(w.wait_ns) FROM wait w WHERE w.call = c.id) AS wait_ns "
		 "FROM timeline c JOIN process p ON p.id = c.process JOIN api a ON a.id = c.api "
		 "LEFT JOIN vertex v ON v.id = a.vertex ORDER BY c.id;",
};

/* -- operations -- */

#define TIME_COLUMN(member, TYPE, ...) COLUMN(struct profile_gpu_time, member, TYPE, __VA_ARGS__)

static const struct profile_column time_columns[] = {
	KEY("id", ID),
	TIME_COLUMN(call, INDEX, .nullable = true, .of = &profile_table_timeline),
	TIME_COLUMN(vertex, VERTEX, .nullable = true, .of = &profile_table_vertex),
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

static bool is_of_call(const struct profile *profile, const struct profile_gpu_time *time)
{
	const struct profile_timed_call *call = &profile->timeline[time->call];

	return time->process == call->process && time->thread == call->thread &&
	       time->device == call->device && time->stream == call->stream &&
	       time->call_ns == call->start_ns && time->return_ns == call->end_ns;
}

static bool time_holds(const struct profile *profile, const void *row)
{
	const struct profile_gpu_time *time = row;
	bool later = time > profile->gpu_times;

	return time->call_ns <= time->return_ns && time->call_ns <= time->start_ns &&
	       time->start_ns <= time->end_ns &&
	       (time->call == PROFILE_NO_ROW || is_of_call(profile, time)) &&
	       (!later || (time[-1].call <= time->call));
}

const struct profile_table profile_table_gpu_time = {
	.name = "gpu_time",
	.columns = time_columns,
	.optional = true,
	.lazy = true,
	.most = PROFILE_TIMELINE_MAX,
	TABLE_ROWS(gpu_times, gpu_time_count, gpu_time_capacity),
	.holds = time_holds,
	.views = "CREATE VIEW gpu_times AS SELECT t.id, p.pid, t.thread, t.device, t.stream, "
		 "t.vertex, coalesce(v.kind, a.kind) AS kind, coalesce(v.name, a.name) AS name, "
		 "t.invocation, t.call_ns, t.return_ns, t.start_ns, t.end_ns, "
		 "t.end_ns - t.start_ns AS time_ns FROM gpu_time t "
		 "JOIN process p ON p.id = t.process LEFT JOIN vertex v ON v.id = t.vertex "
		 "LEFT JOIN timeline c ON c.id = t.call LEFT JOIN api a ON a.id = c.api "
		 "ORDER BY t.id;",
};

/* -- waits -- */

#define WAIT_COLUMN(member, TYPE, ...) COLUMN(struct profile_wait, member, TYPE, __VA_ARGS__)

static const struct profile_column wait_columns[] = {
	KEY("id", ID),
	WAIT_COLUMN(call, INDEX, .of = &profile_table_timeline),
	WAIT_COLUMN(scope, 32),
	WAIT_COLUMN(own, FLAG),
	WAIT_COLUMN(device, 32),
	WAIT_COLUMN(stream, 32),
	WAIT_COLUMN(start_ns, COUNT),
	WAIT_COLUMN(wait_ns, COUNT),
	WAIT_COLUMN(recorded_ns, COUNT, .nullable = true),
	{0},
};

static bool wait_holds(const struct profile *profile, const void *row)
{
	const struct profile_wait *wait = row;
	const struct profile_timed_call *call = &profile->timeline[wait->call];
	bool later = wait > profile->waits;

	return wait->scope >= GPU_WAIT_ALL && wait->scope <= GPU_WAIT_HOST &&
	       wait->start_ns >= call->start_ns && wait->start_ns <= call->end_ns &&
	       wait->wait_ns <= call->end_ns - wait->start_ns &&
	       (wait->scope == GPU_WAIT_EVENT || wait->scope == GPU_WAIT_NEEDS
			? wait->recorded_ns <= call->start_ns
			: wait->recorded_ns == PROFILE_UNKNOWN) &&
	       (!later || wait[-1].call <= wait->call);
}

const struct profile_table profile_table_wait = {
	.name = "wait",
	.columns = wait_columns,
	.optional = true,
	.lazy = true,
	.most = PROFILE_TIMELINE_MAX,
	TABLE_ROWS(waits, wait_count, wait_capacity),
	.holds = wait_holds,
	.views = "CREATE VIEW waits AS SELECT w.id, w.call, c.pid, c.thread, c.kind, c.name, "
		 "c.callpath, c.invocation, "
		 "CASE w.scope WHEN 1 THEN 'all streams' WHEN 2 THEN 'default stream' "
		 "WHEN 3 THEN 'stream' WHEN 4 THEN 'event' WHEN 5 THEN 'queue' "
		 "WHEN 6 THEN 'own operation' WHEN 8 THEN 'nothing: needs an event' "
		 "WHEN 9 THEN 'nothing: host function' ELSE 'unknown' END AS waits_for, w.own, "
		 "w.device, "
		 "w.stream, w.start_ns, w.wait_ns, w.recorded_ns "
		 "FROM wait w JOIN api_calls c ON c.id = w.call ORDER BY w.id;",
};

/* -- the order of streams -- */

#define ORDER_COLUMN(member, TYPE, ...)                                                            \
	COLUMN(struct profile_stream_order, member, TYPE, __VA_ARGS__)

static const struct profile_column order_columns[] = {
	KEY("id", ID),
	ORDER_COLUMN(call, INDEX, .of = &profile_table_timeline),
	ORDER_COLUMN(device, 32),
	ORDER_COLUMN(stream, 32),
	ORDER_COLUMN(recorded_ns, COUNT),
	{0},
};

static bool order_holds(const struct profile *profile, const void *row)
{
	const struct profile_stream_order *order = row;
	bool later = order > profile->stream_orders;

	return order->recorded_ns <= profile->timeline[order->call].start_ns &&
	       (!later || order[-1].call <= order->call);
}

const struct profile_table profile_table_stream_order = {
	.name = "stream_order",
	.columns = order_columns,
	.optional = true,
	.lazy = true,
	.most = PROFILE_TIMELINE_MAX,
	TABLE_ROWS(stream_orders, stream_order_count, stream_order_capacity),
	.holds = order_holds,
};
