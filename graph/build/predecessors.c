/*
 * graph/build/predecessors.c: see predecessors.h.
 *
 * Calls are known by their numbers plus 1; 0: none.  A point is the last call of a stream by some
 * time: to come after it is to come after all before it in the stream.
 */
#include "graph/build/predecessors.h"

#include <stdlib.h>

#include "util/memory.h"
#include "util/pair_map.h"

struct point {
	uint32_t stream; /* index */
	uint32_t call;
};

struct points {
	struct point *list;
	uint32_t count, capacity;
};

/* Of threads that put into one stream at a time, the order of the trace may not be that of the
 * starts; start_ns is that of the latest so far. */
struct put {
	uint64_t start_ns;
	uint32_t call;
};

struct stream {
	uint32_t device, number;
	uint32_t last;
	bool nonblocking, told; /* told: a record has said so */
	struct put *history;
	uint32_t count, capacity;
	uint32_t host, host_version; /* whose waits its calls come after by now; 0: none */
};

struct object {
	uint32_t writer;
	struct points readers;        /* since it was written: the last of each stream */
	uint32_t read_by, written_by; /* calls whose rows were looked at */
};

/* What a thread of the host has waited for. */
struct host {
	struct points waited;
	uint32_t version; /* 1 + the number of waits that changed it */
};

struct touch {
	uint32_t object; /* index into objects */
	enum trace_access access;
};

struct predecessors {
	struct pair_map stream_of, object_of, host_of;
	struct pair_map after;     /* (stream, stream): index into after_calls */
	struct pair_map waited_of; /* (host, stream): index into its waited */
	struct stream *streams;
	struct object *objects;
	struct host *hosts;
	uint32_t *after_calls; /* the call of the second stream that the first one comes after */
	uint32_t stream_count, stream_capacity, object_count, object_capacity;
	uint32_t host_count, host_capacity, after_count, after_capacity;
	uint64_t unordered;

	/* the last event */
	bool pending, vertex, waits, waits_for_own;
	uint32_t call, stream, host; /* indices but for the call */
	uint64_t start_ns;
	struct points ordered, waited;
	struct touch *touched;
	uint32_t touched_count, touched_capacity;
	struct predecessor *list, *data;
	uint32_t count, capacity, data_count, data_capacity;
};

/* -- what there is -- */

static uint32_t add_stream(struct predecessors *p, uint32_t device, uint32_t number)
{
	ARRAY_RESERVE(p->streams, p->stream_count, p->stream_capacity);
	p->streams[p->stream_count] = (struct stream){.device = device, .number = number};
	return p->stream_count++;
}

static uint32_t stream_index(struct predecessors *p, uint32_t device, uint32_t number)
{
	uint32_t index;

	if (!pair_map_find(&p->stream_of, device, number, p->stream_count, &index))
		add_stream(p, device, number);
	return index;
}

static uint32_t host_index(struct predecessors *p, uint32_t thread)
{
	uint32_t index;

	if (!pair_map_find(&p->host_of, thread, 0, p->host_count, &index)) {
		ARRAY_RESERVE(p->hosts, p->host_count, p->host_capacity);
		p->hosts[p->host_count++] = (struct host){.version = 1};
	}
	return index;
}

static struct object *find_object(struct predecessors *p, uint32_t object, uint32_t *index)
{
	if (!pair_map_find(&p->object_of, object, 0, p->object_count, index)) {
		ARRAY_RESERVE(p->objects, p->object_count, p->object_capacity);
		p->objects[p->object_count++] = (struct object){0};
	}
	return &p->objects[*index];
}

static void add_point(struct points *points, uint32_t stream, uint32_t call)
{
	if (!call)
		return;
	ARRAY_RESERVE(points->list, points->count, points->capacity);
	points->list[points->count++] = (struct point){stream, call};
}

/* -- data -- */

static void add_data(struct predecessors *p, uint32_t call, enum profile_dependency_why why,
		     uint32_t object)
{
	if (!call)
		return;
	ARRAY_RESERVE(p->data, p->data_count, p->data_capacity);
	p->data[p->data_count++] =
		(struct predecessor){.call = call - 1, .why = why, .object = object};
}

static void before_write(struct predecessors *p, const struct object *object, uint32_t number)
{
	for (uint32_t i = 0; i < object->readers.count; i++)
		add_data(p, object->readers.list[i].call, PROFILE_DEPENDENCY_WAR, number);
	add_data(p, object->writer, PROFILE_DEPENDENCY_WAW, number);
}

static void touch(struct predecessors *p, uint32_t object, enum trace_access access)
{
	ARRAY_RESERVE(p->touched, p->touched_count, p->touched_capacity);
	p->touched[p->touched_count++] = (struct touch){object, access};
}

static void touch_row(struct predecessors *p, const struct build_row *row)
{
	uint32_t index;
	struct object *object;

	if (row->access != TRACE_READ && row->access != TRACE_WRITE)
		return;
	object = find_object(p, row->object, &index);
	if ((row->access == TRACE_READ ? object->read_by : object->written_by) == p->call)
		return;
	if (row->access == TRACE_READ) {
		object->read_by = p->call;
		add_data(p, object->writer, PROFILE_DEPENDENCY_RAW, row->object);
	} else {
		object->written_by = p->call;
		before_write(p, object, row->object);
	}
	touch(p, index, row->access);
}

static void add_reader(struct predecessors *p, struct object *object)
{
	for (uint32_t i = 0; i < object->readers.count; i++)
		if (object->readers.list[i].stream == p->stream) {
			object->readers.list[i].call = p->call;
			return;
		}
	add_point(&object->readers, p->stream, p->call);
}

static void commit_objects(struct predecessors *p)
{
	for (uint32_t i = 0; i < p->touched_count; i++)
		if (p->touched[i].access == TRACE_WRITE) {
			p->objects[p->touched[i].object].writer = p->call;
			p->objects[p->touched[i].object].readers.count = 0;
		}
	/* a call that reads and writes an object is no reader of what it wrote */
	for (uint32_t i = 0; i < p->touched_count; i++)
		if (p->touched[i].access == TRACE_READ &&
		    p->objects[p->touched[i].object].writer != p->call)
			add_reader(p, &p->objects[p->touched[i].object]);
}

/* -- order -- */

static void add(struct predecessors *p, uint32_t call, enum profile_dependency_why why)
{
	ARRAY_RESERVE(p->list, p->count, p->capacity);
	p->list[p->count++] =
		(struct predecessor){.call = call - 1, .why = why, .object = PROFILE_NO_ROW};
}

/* Unless the call's stream comes after that point already. */
static void add_after(struct predecessors *p, const struct point *point,
		      enum profile_dependency_why why)
{
	uint32_t index;

	if (!point->call || point->stream == p->stream)
		return;
	if (!pair_map_find(&p->after, p->stream, point->stream, p->after_count, &index)) {
		ARRAY_RESERVE(p->after_calls, p->after_count, p->after_capacity);
		p->after_calls[p->after_count++] = 0;
	}
	if (p->after_calls[index] >= point->call)
		return;
	p->after_calls[index] = point->call;
	add(p, point->call, why);
}

static void add_stream_order(struct predecessors *p)
{
	const struct stream *stream = &p->streams[p->stream];
	uint32_t legacy = pair_map_get(&p->stream_of, stream->device, 0);

	if (stream->last)
		add(p, stream->last, PROFILE_DEPENDENCY_STREAM);
	if (stream->number && !stream->nonblocking && legacy != UINT32_MAX)
		add_after(p, &(struct point){legacy, p->streams[legacy].last},
			  PROFILE_DEPENDENCY_STREAM);
	if (stream->number)
		return;
	for (uint32_t i = 0; i < p->stream_count; i++)
		if (p->streams[i].device == stream->device && !p->streams[i].nonblocking)
			add_after(p, &(struct point){i, p->streams[i].last},
				  PROFILE_DEPENDENCY_STREAM);
}

static void add_waits(struct predecessors *p)
{
	struct stream *stream = &p->streams[p->stream];
	const struct host *host = &p->hosts[p->host];

	if (stream->host_version == host->version && stream->host == p->host)
		return;
	stream->host = p->host;
	stream->host_version = host->version;
	for (uint32_t i = 0; i < host->waited.count; i++)
		add_after(p, &host->waited.list[i], PROFILE_DEPENDENCY_WAIT);
}

static void remember_waits(struct predecessors *p)
{
	struct host *host = &p->hosts[p->host];

	if (p->waits_for_own && p->vertex)
		add_point(&p->waited, p->stream, p->call);
	for (uint32_t i = 0; i < p->waited.count; i++) {
		const struct point *point = &p->waited.list[i];
		uint32_t index;

		if (!pair_map_find(&p->waited_of, p->host, point->stream, host->waited.count,
				   &index))
			add_point(&host->waited, point->stream, point->call);
		else if (host->waited.list[index].call < point->call)
			host->waited.list[index].call = point->call;
	}
	host->version += p->waited.count > 0;
}

static void put(struct stream *stream, uint64_t start_ns, uint32_t call)
{
	if (stream->count && stream->history[stream->count - 1].start_ns > start_ns)
		start_ns = stream->history[stream->count - 1].start_ns;
	ARRAY_RESERVE(stream->history, stream->count, stream->capacity);
	stream->history[stream->count++] = (struct put){start_ns, call};
	stream->last = call;
}

uint32_t predecessors_take(struct predecessors *p, uint32_t *call, const struct predecessor **list)
{
	if (!p->pending)
		return 0;
	p->pending = false;
	p->count = 0;
	if (p->vertex) {
		add_stream_order(p);
		for (uint32_t i = 0; i < p->ordered.count; i++)
			add_after(p, &p->ordered.list[i], PROFILE_DEPENDENCY_EVENT);
		add_waits(p);
		for (uint32_t i = 0; i < p->data_count; i++) {
			ARRAY_RESERVE(p->list, p->count, p->capacity);
			p->list[p->count++] = p->data[i];
		}
		p->unordered += p->streams[p->stream].number && !p->streams[p->stream].told;
		put(&p->streams[p->stream], p->start_ns, p->call);
		commit_objects(p);
	} else if (p->waits) {
		for (uint32_t i = 0; i < p->ordered.count; i++)
			add_point(&p->waited, p->ordered.list[i].stream, p->ordered.list[i].call);
	}
	remember_waits(p);
	p->touched_count = 0;
	*call = p->call - 1;
	*list = p->list;
	return p->count;
}

/* -- what comes -- */

void predecessors_object(struct predecessors *p, uint32_t object)
{
	uint32_t index;

	find_object(p, object, &index);
	touch(p, index, TRACE_WRITE);
}

void predecessors_event(struct predecessors *p, const struct build_event *event,
			const struct build_row *rows, uint32_t count)
{
	p->pending = true;
	p->vertex = event->vertex != PROFILE_NO_VERTEX;
	p->waits = p->waits_for_own = false;
	p->call = (uint32_t)event->number;
	p->stream = stream_index(p, event->device, event->stream);
	p->host = host_index(p, event->thread);
	p->start_ns = event->start_ns;
	p->ordered.count = p->waited.count = p->data_count = 0;
	for (uint32_t i = 0; i < count; i++)
		touch_row(p, &rows[i]);
}

void predecessors_freed(struct predecessors *p, uint32_t object)
{
	uint32_t index = pair_map_get(&p->object_of, object, 0);

	p->vertex = true;
	if (index == UINT32_MAX)
		return;
	before_write(p, &p->objects[index], object);
	pair_map_remove(&p->object_of, object, 0);
	free(p->objects[index].readers.list);
	p->objects[index].readers = (struct points){0};
}

/* The last call of the stream that started until then. */
static struct point point_at(const struct predecessors *p, uint32_t index, uint64_t until_ns)
{
	const struct stream *stream = &p->streams[index];
	uint32_t low = 0, high = stream->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (stream->history[middle].start_ns <= until_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct point){index, low ? stream->history[low - 1].call : 0};
}

/* An event that was recorded then: see topology.h about the default stream. */
static void add_event(struct predecessors *p, struct points *points, uint32_t device,
		      uint32_t number, uint64_t recorded_ns)
{
	uint32_t index = pair_map_get(&p->stream_of, device, number);
	bool blocking = index != UINT32_MAX && !p->streams[index].nonblocking;

	for (uint32_t i = 0; i < p->stream_count; i++) {
		const struct stream *stream = &p->streams[i];
		bool with_default = number ? blocking && !stream->number : !stream->nonblocking;
		struct point point;

		if (stream->device != device || (i != index && !with_default))
			continue;
		point = point_at(p, i, recorded_ns);
		add_point(points, point.stream, point.call);
	}
}

static void add_lasts(struct predecessors *p, uint32_t device, bool blocking_only)
{
	for (uint32_t i = 0; i < p->stream_count; i++)
		if (p->streams[i].device == device && !(blocking_only && p->streams[i].nonblocking))
			add_point(&p->waited, i, p->streams[i].last);
}

static int take_wait(struct predecessors *p, const struct gpu_wait *wait, struct error *error)
{
	uint32_t index = pair_map_get(&p->stream_of, wait->device, wait->stream);

	p->waits = true;
	p->waits_for_own |= wait->own || wait->scope == GPU_WAIT_OWN;
	switch (wait->scope) {
	case GPU_WAIT_ALL:
	case GPU_WAIT_DEFAULT:
		add_lasts(p, p->streams[p->stream].device, wait->scope == GPU_WAIT_DEFAULT);
		break;
	case GPU_WAIT_STREAM:
		if (!wait->stream)
			add_lasts(p, wait->device, true);
		else if (index != UINT32_MAX)
			add_point(&p->waited, index, p->streams[index].last);
		break;
	case GPU_WAIT_EVENT:
		if (wait->recorded_ns > p->start_ns)
			return error_set(error, "a wait for an event from before the run");
		add_event(p, &p->waited, wait->device, wait->stream,
			  p->start_ns - wait->recorded_ns);
		break;
	}
	return 0;
}

static void take_stream(struct predecessors *p, const struct gpu_stream *made)
{
	const struct stream before = p->streams[p->stream];

	if (before.last) { /* what had this number before is another stream */
		pair_map_remove(&p->stream_of, before.device, before.number);
		p->stream = stream_index(p, before.device, before.number);
	}
	p->streams[p->stream].nonblocking = made->nonblocking;
	p->streams[p->stream].told = true;
}

int predecessors_record(struct predecessors *p, const struct build_record *record,
			struct error *error)
{
	const struct gpu_order *order = record->payload;

	if (!record->of_call || !p->pending)
		return 0;
	switch (record->kind) {
	case GPU_RECORD_ORDER:
		if (order->recorded_ns > p->start_ns)
			return error_set(error, "an event that was recorded before the run");
		add_event(p, &p->ordered, order->device, order->stream,
			  p->start_ns - order->recorded_ns);
		return 0;
	case GPU_RECORD_WAIT:
		return take_wait(p, record->payload, error);
	case GPU_RECORD_STREAM:
		take_stream(p, record->payload);
		return 0;
	}
	return 0;
}

uint64_t predecessors_unordered(const struct predecessors *p)
{
	return p->unordered;
}

struct predecessors *predecessors_new(void)
{
	return xcalloc(1, sizeof(struct predecessors));
}

static void release(struct predecessors *p)
{
	for (uint32_t i = 0; i < p->stream_count; i++)
		free(p->streams[i].history);
	for (uint32_t i = 0; i < p->object_count; i++)
		free(p->objects[i].readers.list);
	for (uint32_t i = 0; i < p->host_count; i++)
		free(p->hosts[i].waited.list);
	pair_map_release(&p->stream_of);
	pair_map_release(&p->object_of);
	pair_map_release(&p->host_of);
	pair_map_release(&p->after);
	pair_map_release(&p->waited_of);
	free(p->streams);
	free(p->objects);
	free(p->hosts);
	free(p->after_calls);
	free(p->ordered.list);
	free(p->waited.list);
	free(p->touched);
	free(p->list);
	free(p->data);
}

void predecessors_process_end(struct predecessors *p)
{
	uint64_t unordered = p->unordered;

	release(p);
	*p = (struct predecessors){.unordered = unordered};
}

void predecessors_free(struct predecessors *p)
{
	if (p)
		release(p);
	free(p);
}
