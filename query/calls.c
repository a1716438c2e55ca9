#include "query/calls.h"

#include <stdlib.h>
#include <string.h>

#include "query/filter/select.h"
#include "util/memory.h"

#define LABEL_OBJECT "Object"
#define LABEL_CALL "Call"
#define TYPE_OF "OF"
#define TYPE_READS "READS"
#define TYPE_WRITES "WRITES"

bool calls_are_named(bool of_edge, const char *name)
{
	if (of_edge)
		return !strcmp(name, TYPE_OF) || !strcmp(name, TYPE_READS) ||
		       !strcmp(name, TYPE_WRITES);
	return !strcmp(name, LABEL_OBJECT) || !strcmp(name, LABEL_CALL);
}

bool calls_lead_to_operation(const char *type)
{
	return !strcmp(type, TYPE_OF);
}

/*
 * Objects stand after the vertices of the graph, then calls; accesses after its edges, then the
 * OF edges of objects, then those of calls.
 */
struct engine *calls_engine(const struct graph *graph, const struct profile *profile,
			    struct error *error)
{
	static const char *const object_label[] = {LABEL_OBJECT}, *const call_label[] = {
									  LABEL_CALL};
	uint32_t objects = profile->object_count, calls = profile->event_rows;
	struct engine *engine;

	if ((uint64_t)graph->vertex_count + objects + calls >= UINT32_MAX ||
	    (uint64_t)graph->edge_count + profile->access_count + objects + calls >= UINT32_MAX) {
		error_set(error, "the profile has too many calls and objects for a query of them");
		return NULL;
	}
	engine = engine_from_graph(graph);
	engine->profile = profile;
	for (uint32_t i = 0; i < objects; i++)
		engine_add_vertex(engine, object_label, 1);
	for (uint32_t i = 0; i < calls; i++)
		engine_add_vertex(engine, call_label, 1);
	for (uint32_t i = 0; i < calls; i++)
		for (uint32_t k = 0; k < profile->events[i].access_count; k++) {
			const struct profile_access *access =
				&profile->accesses[profile->events[i].first_access + k];

			engine_add_edge(engine, engine->flow_vertices + objects + i,
					engine->flow_vertices + access->object,
					access->access == GRAPH_READ ? TYPE_READS : TYPE_WRITES);
		}
	for (uint32_t i = 0; i < objects; i++)
		engine_add_edge(engine, engine->flow_vertices + i,
				graph_find(graph, profile->objects[i].site), TYPE_OF);
	for (uint32_t i = 0; i < calls; i++)
		if (profile->events[i].vertex != PROFILE_NO_VERTEX)
			engine_add_edge(engine, engine->flow_vertices + objects + i,
					graph_find(graph, profile->events[i].vertex), TYPE_OF);
	engine_finish(engine);
	return engine;
}

/* -- names -- */

static bool is_object(const struct engine *engine, uint32_t vertex)
{
	return vertex - engine->flow_vertices < engine->profile->object_count;
}

uint32_t calls_id(const struct engine *engine, uint32_t vertex)
{
	uint32_t row = vertex - engine->flow_vertices;

	return (is_object(engine, vertex) ? row : row - engine->profile->object_count) + 1;
}

static const char *operation_name(const struct graph *graph, uint32_t id)
{
	return selector_name(&graph->vertices[graph_find(graph, id)]);
}

const char *calls_title(const struct engine *engine, uint32_t vertex)
{
	uint32_t row = calls_id(engine, vertex) - 1;
	const struct profile_object *object = &engine->profile->objects[row];
	const struct profile_event *call = &engine->profile->events[row];

	if (is_object(engine, vertex))
		return object->name ? object->name : operation_name(engine->graph, object->site);
	return call->name ? call->name : operation_name(engine->graph, call->vertex);
}

/* -- properties -- */

static struct value count_of(uint64_t count)
{
	if (count == PROFILE_UNKNOWN)
		return (struct value){0};
	return value_integer(count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

static struct value text_of(const char *text)
{
	return text && *text ? value_text(text) : (struct value){0};
}

enum of { OF_OBJECT, OF_CALL, OF_ACCESS };

struct property {
	enum of of;
	const char *name;
	bool hidden, text; /* else an integer */
	struct value (*get)(const struct engine *engine, uint32_t row);
	/* Instead: sets what is known, in the rows from `first` on. */
	void (*fill)(const struct engine *engine, struct column *column, uint32_t first);
};

#define GET(function, type, rows, expression)                                                      \
	static struct value function(const struct engine *engine, uint32_t row)                    \
	{                                                                                          \
		const struct type *it = &engine->profile->rows[row];                               \
                                                                                                   \
		return expression;                                                                 \
	}
#define OBJECT(function, expression) GET(function, profile_object, objects, expression)
#define CALL(function, expression) GET(function, profile_event, events, expression)
#define ACCESS(function, expression) GET(function, profile_access, accesses, expression)

OBJECT(object_id, value_integer(it - engine->profile->objects + 1))
OBJECT(object_name, text_of(it->name))
OBJECT(object_bytes, count_of(it->size))
OBJECT(object_memory, value_text(profile_memory_name(it)))
OBJECT(object_process, value_integer((int64_t)it->process + 1))
OBJECT(object_start, count_of(it->start_ns))
OBJECT(object_end, it->end_ns ? count_of(it->end_ns) : (struct value){0})

CALL(call_id, value_integer(it - engine->profile->events + 1))
CALL(call_name, text_of(it->name ? it->name : operation_name(engine->graph, it->vertex)))
CALL(call_process, value_integer((int64_t)it->process + 1))
CALL(call_thread, value_integer(it->thread))
CALL(call_device, value_integer(it->device))
CALL(call_stream, value_integer(it->stream))
CALL(call_invocation, count_of(it->invocation))
CALL(call_start, count_of(it->start_ns))
CALL(call_end, count_of(it->end_ns))

ACCESS(access_name, value_text(it->access == GRAPH_READ ? TYPE_READS : TYPE_WRITES))
ACCESS(access_bytes, count_of(it->bytes))
ACCESS(access_writer, value_integer(it->writer))
ACCESS(access_redundant_bytes, count_of(it->redundant_bytes))
ACCESS(access_redundant_value_bytes, count_of(it->redundant_value_bytes))
ACCESS(access_dead_bytes, count_of(it->dead_bytes))
ACCESS(access_unread_bytes, count_of(it->unread_bytes))
ACCESS(access_first_read_bytes, count_of(it->first_read_bytes))

static struct value object_kind(const struct engine *engine, uint32_t row)
{
	(void)engine, (void)row;
	return value_text(LABEL_OBJECT);
}

static struct value call_kind(const struct engine *engine, uint32_t row)
{
	(void)engine, (void)row;
	return value_text(LABEL_CALL);
}

static void set(struct column *column, uint32_t index, uint64_t number)
{
	column->integers[index] = number > INT64_MAX ? INT64_MAX : (int64_t)number;
	column->present[index] = true;
}

/* 0, 1, ... in each process. */
static void fill_order(const struct engine *engine, struct column *column, uint32_t first)
{
	const struct profile *profile = engine->profile;
	uint32_t begin = 0;

	for (uint32_t i = 0; i < profile->event_rows; i++) {
		if (profile->events[i].process != profile->events[begin].process)
			begin = i;
		set(column, first + i, i - begin);
	}
}

/* Of objects in memory of the device. */
static void fill_accesses(const struct engine *engine, struct column *column, uint32_t first)
{
	const struct profile *profile = engine->profile;

	for (uint32_t i = 0; i < profile->lifetime_count; i++)
		if (profile->lifetimes[i].accesses != PROFILE_UNKNOWN)
			set(column, first + profile->lifetimes[i].object,
			    profile->lifetimes[i].accesses);
}

/* What makes a call of two runs the same. */
struct same {
	uint32_t process, vertex;
	uint64_t invocation;
	uint32_t row;
};

static int by_invocation(const void *a, const void *b)
{
	const struct same *left = a, *right = b;

	if (left->process != right->process)
		return left->process < right->process ? -1 : 1;
	if (left->vertex != right->vertex)
		return left->vertex < right->vertex ? -1 : 1;
	return (left->invocation > right->invocation) - (left->invocation < right->invocation);
}

/* On the device, in the run of pass time. */
static void fill_time(const struct engine *engine, struct column *column, uint32_t first)
{
	const struct profile *profile = engine->profile;
	struct same *calls = xcalloc((size_t)profile->event_rows + 1, sizeof(*calls));
	uint32_t count = 0;

	for (uint32_t i = 0; i < profile->event_rows && profile->gpu_time_count; i++) {
		const struct profile_event *event = &profile->events[i];

		if (event->vertex != PROFILE_NO_VERTEX)
			calls[count++] = (struct same){event->process, event->vertex,
						       event->invocation, first + i};
	}
	qsort(calls, count, sizeof(*calls), by_invocation);
	for (uint32_t i = 0; i < profile->gpu_time_count; i++) {
		const struct profile_gpu_time *time = &profile->gpu_times[i];
		struct same wanted = {time->process, time->vertex, time->invocation, 0};
		const struct same *found =
			bsearch(&wanted, calls, count, sizeof(*calls), by_invocation);
		uint64_t sum;

		if (!found)
			continue;
		sum = column->present[found->row] ? (uint64_t)column->integers[found->row] : 0;
		profile_add(&sum, time->end_ns - time->start_ns);
		set(column, found->row, sum);
	}
	free(calls);
}

static const struct property properties[] = {
	{OF_OBJECT, "id", .hidden = true, .get = object_id},
	{OF_OBJECT, "kind", .hidden = true, .text = true, .get = object_kind},
	{OF_OBJECT, "name", .text = true, .get = object_name},
	{OF_OBJECT, "bytes", .get = object_bytes},
	{OF_OBJECT, "memory", .text = true, .get = object_memory},
	{OF_OBJECT, "process", .get = object_process},
	{OF_OBJECT, "start_ns", .get = object_start},
	{OF_OBJECT, "end_ns", .get = object_end},
	{OF_OBJECT, "accesses", .fill = fill_accesses},
	{OF_CALL, "id", .hidden = true, .get = call_id},
	{OF_CALL, "kind", .hidden = true, .text = true, .get = call_kind},
	{OF_CALL, "name", .text = true, .get = call_name},
	{OF_CALL, "order", .fill = fill_order},
	{OF_CALL, "process", .get = call_process},
	{OF_CALL, "thread", .get = call_thread},
	{OF_CALL, "device", .get = call_device},
	{OF_CALL, "stream", .get = call_stream},
	{OF_CALL, "invocation", .get = call_invocation},
	{OF_CALL, "start_ns", .get = call_start},
	{OF_CALL, "end_ns", .get = call_end},
	{OF_CALL, "time_ns", .fill = fill_time},
	{OF_ACCESS, "access", .hidden = true, .text = true, .get = access_name},
	{OF_ACCESS, "bytes", .get = access_bytes},
	{OF_ACCESS, "redundant_bytes", .get = access_redundant_bytes},
	{OF_ACCESS, "redundant_value_bytes", .get = access_redundant_value_bytes},
	{OF_ACCESS, "dead_bytes", .get = access_dead_bytes},
	{OF_ACCESS, "unread_bytes", .get = access_unread_bytes},
	{OF_ACCESS, "first_read_bytes", .get = access_first_read_bytes},
	{OF_ACCESS, "writer", .get = access_writer},
};
enum { PROPERTIES = sizeof(properties) / sizeof(*properties) };

/* -- columns -- */

static void fill(const struct engine *engine, const struct property *property,
		 struct column *column)
{
	const struct profile *profile = engine->profile;
	uint32_t objects = profile->object_count;
	uint32_t first = property->of == OF_ACCESS ? engine->flow_edges
			 : property->of == OF_CALL ? engine->flow_vertices + objects
						   : engine->flow_vertices;
	uint32_t count = property->of == OF_ACCESS ? profile->access_count
			 : property->of == OF_CALL ? profile->event_rows
						   : objects;

	if (property->fill) {
		property->fill(engine, column, first);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct value value = property->get(engine, i);

		column->present[first + i] = value.type != VALUE_NULL;
		if (property->text)
			column->texts[first + i] = value.text;
		else
			column->integers[first + i] = value.integer;
	}
}

struct column *calls_column(struct engine *engine, bool of_edge, const char *name,
			    struct column *column)
{
	for (uint32_t i = 0; i < PROPERTIES; i++) {
		const struct property *property = &properties[i];
		enum value_type type = property->text ? VALUE_STRING : VALUE_INTEGER;

		if ((property->of == OF_ACCESS) != of_edge || strcmp(property->name, name) != 0)
			continue;
		if (!column) {
			column = engine_add_column(engine, of_edge, name, type);
			column->hidden = property->hidden;
		}
		if (column->type == type)
			fill(engine, property, column);
	}
	return column;
}

void calls_columns(struct engine *engine, bool of_edge)
{
	for (uint32_t i = 0; i < PROPERTIES; i++)
		if ((properties[i].of == OF_ACCESS) == of_edge)
			engine_column(engine, of_edge, properties[i].name);
}
