/*
 * graph/profile/event.c: the events of a profile, what they accessed and which other ones they come
 * after, which are many: read only for those who ask for them.
 */
#include "gpu/records.h"
#include "graph/profile/file.h"
#include "graph/profile/table.h"
#include "util/memory.h"

/* -- events -- */

#define EVENT_COLUMN(member, TYPE, ...) COLUMN(struct profile_event, member, TYPE, __VA_ARGS__)

static const struct profile_column event_columns[] = {
	KEY("id", ID),
	EVENT_COLUMN(vertex, VERTEX, .nullable = true, .of = &profile_table_vertex),
	EVENT_COLUMN(name, TEXT, .nullable = true),
	EVENT_COLUMN(process, INDEX, .of = &profile_table_process),
	EVENT_COLUMN(thread, 32),
	EVENT_COLUMN(device, 32),
	EVENT_COLUMN(stream, 32),
	EVENT_COLUMN(invocation, COUNT),
	EVENT_COLUMN(start_ns, COUNT),
	EVENT_COLUMN(end_ns, COUNT),
	EVENT_COLUMN(range, INDEX, .nullable = true, .of = &profile_table_range),
	{0},
};

static bool event_holds(const struct profile *profile, const void *row)
{
	const struct profile_event *event = row;
	bool named = event->vertex == PROFILE_NO_VERTEX;
	uint32_t first_access = 0;

	if (event > profile->events)
		first_access = event[-1].first_access + event[-1].access_count;
	return named == (event->name != NULL) && event->start_ns <= event->end_ns &&
	       event->first_access == first_access &&
	       event->access_count <= profile->access_count - first_access &&
	       !(named && event->access_count);
}

const struct profile_table profile_table_event = {
	.name = "event",
	.columns = event_columns,
	.optional = true,
	.lazy = true,
	.most = PROFILE_EVENTS_MAX,
	TABLE_ROWS(events, event_rows, event_capacity),
	.holds = event_holds,
	.views =
		"CREATE VIEW events AS SELECT e.id, p.pid, e.thread, e.device, e.stream, e.vertex, "
		"coalesce(e.name, v.name) AS call, v.callpath_text AS callpath, e.invocation, "
		"e.start_ns, e.end_ns, e.end_ns - e.start_ns AS host_ns FROM event e "
		"JOIN process p ON p.id = e.process LEFT JOIN vertex v ON v.id = e.vertex "
		"ORDER BY e.id;",
};

/* -- what they accessed -- */

#define ACCESS_COLUMN(member, TYPE, ...) COLUMN(struct profile_access, member, TYPE, __VA_ARGS__)

static const struct profile_column access_columns[] = {
	KEY("id", ID),
	KEY("event", FIRST, .of = &profile_table_event),
	ACCESS_COLUMN(object, INDEX, .of = &profile_table_object),
	ACCESS_COLUMN(access, ACCESS),
	ACCESS_COLUMN(writer, VERTEX, .of = &profile_table_vertex),
	ACCESS_COLUMN(bytes, COUNT),
#define ROW_METRIC(member, FLAG, access, aggregate) ACCESS_COLUMN(member, COUNT, .nullable = true),
#include "gpu/rows.def"
	{0},
};

static void write_accesses(struct profile_writer *writer, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->event_rows; i++)
		for (uint32_t k = 0; k < profile->events[i].access_count; k++) {
			uint32_t index = profile->events[i].first_access + k;

			table_write_row(writer, &profile_table_access, &profile->accesses[index],
					&(struct profile_keys){.id = index + UINT64_C(1),
							       .first = i + UINT64_C(1)});
		}
}

/* In order of their events. */
static void *add_access(struct profile_rows *rows, struct profile *profile,
			const struct profile_keys *keys)
{
	struct profile_access *access;

	if (keys->id != rows->row || !keys->first || keys->first > profile->event_rows ||
	    keys->first < rows->first_before)
		return NULL;
	profile->events[keys->first - 1].access_count++;
	ARRAY_RESERVE(profile->accesses, profile->access_count, profile->access_capacity);
	access = &profile->accesses[profile->access_count++];
	*access = (struct profile_access){0};
	return access;
}

static void finish_accesses(struct profile_rows *rows, struct profile *profile)
{
	uint32_t accesses = 0;

	(void)rows;
	for (uint32_t i = 0; i < profile->event_rows; i++) {
		profile->events[i].first_access = accesses;
		accesses += profile->events[i].access_count;
	}
}

/* The accesses whose rows have a metric. */
#define OF_READ (1u << GRAPH_READ)
#define OF_WRITE (1u << GRAPH_WRITE)
#define OF_BOTH (OF_READ | OF_WRITE)

static bool metric_holds(const struct profile_access *access, uint64_t value, unsigned of,
			 uint64_t most)
{
	return value == PROFILE_UNKNOWN || (value <= most && of >> access->access & 1);
}

static bool access_holds(const struct profile *profile, const void *row)
{
	const struct profile_access *access = row;
	const uint64_t size = profile->objects[access->object].size;
	const uint64_t SUM = size, MIN = size / GPU_ROW_BLOCK, MAX = MIN; /* at most so much */
	bool holds = (access->access == GRAPH_READ || access->access == GRAPH_WRITE) &&
		     access->bytes <= size;

#define EDGE_METRIC(member, FLAG, of)                                                              \
	holds = holds && metric_holds(access, access->member, OF_##of, access->bytes);
#define ROW_METRIC(member, FLAG, of, aggregate)                                                    \
	holds = holds && metric_holds(access, access->member, OF_##of, aggregate);
#include "gpu/rows.def"
	return holds;
}

/* No access without an event. */
static int validate_accesses(const struct profile *profile, struct error *error)
{
	uint32_t of_events = 0;

	for (uint32_t i = 0; i < profile->event_rows; i++)
		of_events += profile->events[i].access_count;
	return of_events == profile->access_count
		       ? 0
		       : profile_bad_row(error, "access", of_events + UINT64_C(1));
}

const struct profile_table profile_table_access = {
	.name = "access",
	.columns = access_columns,
	.optional = true,
	.lazy = true,
	.most = PROFILE_ACCESSES_MAX,
	TABLE_ROWS(accesses, access_count, access_capacity),
	.write = write_accesses,
	.add = add_access,
	.finish = finish_accesses,
	.holds = access_holds,
	.validate = validate_accesses,
	.views = "CREATE VIEW accesses AS SELECT a.event, v.name AS call, a.object, o.site, "
		 "s.callpath_text AS object_from, "
		 "CASE a.access WHEN 1 THEN 'READ' ELSE 'WRITE' END AS access, a.bytes, "
#define ROW_METRIC(member, FLAG, access, aggregate) "a." #member ", "
#include "gpu/rows.def"
		 "a.writer, w.name AS written_by FROM access a "
		 "JOIN event e ON e.id = a.event JOIN vertex v ON v.id = e.vertex "
		 "JOIN object o ON o.id = a.object JOIN vertex s ON s.id = o.site "
		 "JOIN vertex w ON w.id = a.writer ORDER BY a.id;",
};

/* -- which they come after -- */

#define DEPENDENCY_COLUMN(member, TYPE, ...)                                                       \
	COLUMN(struct profile_dependency, member, TYPE, __VA_ARGS__)

static const struct profile_column dependency_columns[] = {
	KEY("id", ID),
	COLUMN_NAMED("event", struct profile_dependency, to, INDEX, .of = &profile_table_event),
	COLUMN_NAMED("after", struct profile_dependency, from, INDEX, .of = &profile_table_event),
	DEPENDENCY_COLUMN(why, 32),
	DEPENDENCY_COLUMN(object, INDEX, .nullable = true, .of = &profile_table_object),
	{0},
};

static bool is_of_object(const struct profile *profile, const struct profile_dependency *edge)
{
	return edge->why >= PROFILE_DEPENDENCY_RAW && edge->why <= PROFILE_DEPENDENCY_WAW &&
	       profile->objects[edge->object].process == profile->events[edge->to].process;
}

static bool dependency_holds(const struct profile *profile, const void *row)
{
	const struct profile_dependency *edge = row;
	bool later = edge > profile->dependencies;

	return edge->from < edge->to &&
	       profile->events[edge->from].process == profile->events[edge->to].process &&
	       (edge->object == PROFILE_NO_ROW ? edge->why >= PROFILE_DEPENDENCY_STREAM &&
							 edge->why <= PROFILE_DEPENDENCY_WAIT
					       : is_of_object(profile, edge)) &&
	       (!later || edge[-1].to <= edge->to);
}

const struct profile_table profile_table_dependency = {
	.name = "dependency",
	.columns = dependency_columns,
	.optional = true,
	.lazy = true,
	.most = PROFILE_DEPENDENCIES_MAX,
	TABLE_ROWS(dependencies, dependency_count, dependency_capacity),
	.holds = dependency_holds,
	.views = "CREATE VIEW dependencies AS SELECT d.event, d.after, "
		 "CASE d.why WHEN 1 THEN 'stream' WHEN 2 THEN 'event' WHEN 3 THEN 'wait' "
		 "WHEN 4 THEN 'RAW' WHEN 5 THEN 'WAR' WHEN 6 THEN 'WAW' ELSE 'unknown' END AS why, "
		 "d.object FROM dependency d ORDER BY d.id;",
};
