/*
 * graph/build/topology.c: see topology.h.
 *
 * Of everything that later calls may come after (a stream, an object, ...) only `next` is kept: the
 * lowest level of a call that comes after it; 0: nothing was there.
 */
#include "graph/build/topology.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/pair_map.h"

/* Of threads that put into one stream at a time, the order of the trace may not be that of the
 * starts; start_ns is that of the latest so far, so that no call which started later is taken. */
struct put {
	uint64_t start_ns, next;
};

struct queue {
	uint64_t next;
	struct put *history; /* the last calls, in the order of the trace */
	uint32_t count, capacity;
	bool has_forgotten; /* calls before history[0] */
};

struct stream {
	struct queue queue;
	bool nonblocking;
};

struct device {
	uint64_t all;          /* maximum over its streams */
	struct queue blocking; /* all blocking streams but stream 0 */
};

struct object {
	uint64_t written, read; /* read: since it was written */
};

struct touch {
	uint32_t object; /* index into objects */
	enum trace_access access;
};

struct topology {
	struct pair_map stream_of, device_of, object_of, host_of;
	struct stream *streams;
	struct device *devices;
	struct object *objects;
	uint64_t *hosts; /* by thread: after what it has waited for */
	uint32_t stream_count, stream_capacity, device_count, device_capacity;
	uint32_t object_count, object_capacity, host_count, host_capacity;
	uint32_t *unused; /* indices into objects */
	uint32_t unused_count, unused_capacity;
	uint64_t unknown_orders;

	/* The last event.  It changes the above only when the next one comes: what belongs to it
	 * comes in between. */
	bool pending, vertex, waits, waits_for_own;
	uint32_t stream, device, host; /* indices */
	uint32_t device_number;
	bool in_default;
	uint64_t start_ns;
	uint64_t data, ordered;        /* after objects and events */
	uint64_t in_stream, in_legacy; /* after its stream, and after what stream 0 brings */
	uint64_t waited;               /* the host waits for this in the call */
	struct touch *touched;
	uint32_t touched_count, touched_capacity;
};

static void raise_to(uint64_t *level, uint64_t least)
{
	if (*level < least)
		*level = least;
}

static uint32_t stream_index(struct topology *topology, uint32_t device, uint32_t number)
{
	uint32_t index;

	if (!pair_map_find(&topology->stream_of, device, number, topology->stream_count, &index)) {
		ARRAY_RESERVE(topology->streams, topology->stream_count, topology->stream_capacity);
		topology->streams[topology->stream_count++] = (struct stream){0};
	}
	return index;
}

static uint32_t device_index(struct topology *topology, uint32_t device)
{
	uint32_t index;

	if (!pair_map_find(&topology->device_of, device, 0, topology->device_count, &index)) {
		ARRAY_RESERVE(topology->devices, topology->device_count, topology->device_capacity);
		topology->devices[topology->device_count++] = (struct device){0};
	}
	return index;
}

static uint32_t host_index(struct topology *topology, uint32_t thread)
{
	uint32_t index;

	if (!pair_map_find(&topology->host_of, thread, 0, topology->host_count, &index)) {
		ARRAY_RESERVE(topology->hosts, topology->host_count, topology->host_capacity);
		topology->hosts[topology->host_count++] = 0;
	}
	return index;
}

static uint32_t object_index(struct topology *topology, uint32_t object)
{
	bool reuse = topology->unused_count > 0;
	uint32_t next =
		reuse ? topology->unused[topology->unused_count - 1] : topology->object_count;
	uint32_t index;

	if (pair_map_find(&topology->object_of, object, 0, next, &index))
		return index;
	if (reuse) {
		topology->unused_count--;
	} else {
		ARRAY_RESERVE(topology->objects, topology->object_count, topology->object_capacity);
		topology->object_count++;
	}
	topology->objects[index] = (struct object){0};
	return index;
}

uint64_t topology_level(const struct topology *topology)
{
	uint64_t level = topology->data;

	raise_to(&level, topology->ordered);
	raise_to(&level, topology->in_stream);
	raise_to(&level, topology->in_legacy);
	if (topology->host < topology->host_count)
		raise_to(&level, topology->hosts[topology->host]);
	return level;
}

bool topology_is_vertex(const struct topology *topology)
{
	return topology->vertex;
}

uint64_t topology_unknown_orders(const struct topology *topology)
{
	return topology->unknown_orders;
}

static void put(struct queue *queue, uint64_t start_ns, uint64_t next)
{
	raise_to(&queue->next, next);
	if (queue->count)
		raise_to(&start_ns, queue->history[queue->count - 1].start_ns);
	if (queue->count == TOPOLOGY_HISTORY) {
		queue->count /= 2;
		memmove(queue->history, queue->history + queue->count,
			queue->count * sizeof(*queue->history));
		queue->has_forgotten = true;
	}
	ARRAY_RESERVE(queue->history, queue->count, queue->capacity);
	queue->history[queue->count++] = (struct put){start_ns, queue->next};
}

static void commit_objects(struct topology *topology, uint64_t next)
{
	/* writes first: a call that reads and writes an object is no reader of what it wrote */
	for (uint32_t i = 0; i < topology->touched_count; i++)
		if (topology->touched[i].access == TRACE_WRITE)
			topology->objects[topology->touched[i].object] = (struct object){next, 0};
	for (uint32_t i = 0; i < topology->touched_count; i++) {
		struct object *object = &topology->objects[topology->touched[i].object];

		if (topology->touched[i].access == TRACE_READ && object->written != next)
			raise_to(&object->read, next);
	}
}

static void commit(struct topology *topology)
{
	struct stream *stream;
	struct device *device;
	uint64_t next;

	if (!topology->pending)
		return;
	stream = &topology->streams[topology->stream];
	device = &topology->devices[topology->device];
	next = topology_level(topology) + 1;
	if (topology->vertex) {
		put(&stream->queue, topology->start_ns, next);
		raise_to(&device->all, next);
		if (!topology->in_default && !stream->nonblocking)
			put(&device->blocking, topology->start_ns, next);
		commit_objects(topology, next);
		if (topology->waits_for_own)
			raise_to(&topology->waited, next);
	} else if (topology->waits) {
		raise_to(&topology->waited, topology->ordered);
	}
	raise_to(&topology->hosts[topology->host], topology->waited);
	topology->touched_count = 0;
	topology->pending = false;
}

static void touch(struct topology *topology, uint32_t object, enum trace_access access)
{
	ARRAY_RESERVE(topology->touched, topology->touched_count, topology->touched_capacity);
	topology->touched[topology->touched_count++] =
		(struct touch){object_index(topology, object), access};
}

void topology_object(struct topology *topology, const struct build_event *event, uint32_t object)
{
	(void)event;
	commit(topology);
	touch(topology, object, TRACE_WRITE);
}

/* The level before which nobody may write the object. */
static uint64_t after_object(const struct object *object)
{
	return object->written > object->read ? object->written : object->read;
}

static void touch_row(struct topology *topology, const struct build_row *row)
{
	const struct object *object;

	if (row->access != TRACE_READ && row->access != TRACE_WRITE)
		return;
	touch(topology, row->object, row->access);
	object = &topology->objects[topology->touched[topology->touched_count - 1].object];
	raise_to(&topology->data,
		 row->access == TRACE_READ ? object->written : after_object(object));
}

/* After all that is in the stream. */
static uint64_t after_stream(const struct topology *topology, uint32_t device, uint32_t number)
{
	uint32_t index = pair_map_get(&topology->stream_of, device, number);

	return index == UINT32_MAX ? 0 : topology->streams[index].queue.next;
}

uint64_t topology_event(struct topology *topology, const struct build_event *event,
			const struct build_row *rows, uint32_t count)
{
	const struct stream *stream;

	commit(topology);
	topology->pending = true;
	topology->vertex = event->vertex != PROFILE_NO_VERTEX;
	topology->waits = topology->waits_for_own = false;
	topology->stream = stream_index(topology, event->device, event->stream);
	topology->device = device_index(topology, event->device);
	topology->host = host_index(topology, event->thread);
	stream = &topology->streams[topology->stream];
	topology->device_number = event->device;
	topology->in_default = event->stream == 0;
	topology->start_ns = event->start_ns;
	topology->data = topology->ordered = topology->waited = topology->in_legacy = 0;
	topology->in_stream = stream->queue.next;
	if (topology->in_default)
		topology->in_legacy = topology->devices[topology->device].blocking.next;
	else if (!stream->nonblocking)
		topology->in_legacy = after_stream(topology, event->device, 0);
	for (uint32_t i = 0; i < count; i++)
		touch_row(topology, &rows[i]);
	return topology_level(topology);
}

void topology_freed(struct topology *topology, uint32_t object)
{
	uint32_t index = pair_map_get(&topology->object_of, object, 0);

	topology->vertex = true;
	if (index == UINT32_MAX)
		return;
	raise_to(&topology->data, after_object(&topology->objects[index]));
	pair_map_remove(&topology->object_of, object, 0);
	ARRAY_RESERVE(topology->unused, topology->unused_count, topology->unused_capacity);
	topology->unused[topology->unused_count++] = index;
}

/* After what had been put into the queue until then. */
static uint64_t after_queue(struct topology *topology, const struct queue *queue, uint64_t until_ns)
{
	uint32_t low = 0, high = queue->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (queue->history[middle].start_ns <= until_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		return queue->history[low - 1].next;
	topology->unknown_orders += queue->has_forgotten;
	return 0;
}

/*
 * After an event that was recorded in the stream then.  To record is a command of the stream: in
 * stream 0 it comes after blocking streams, in these after stream 0.
 */
static uint64_t after_event(struct topology *topology, uint32_t device, uint32_t number,
			    uint64_t recorded_ns)
{
	uint32_t stream = pair_map_get(&topology->stream_of, device, number);
	uint32_t legacy = pair_map_get(&topology->stream_of, device, 0);
	uint32_t of = pair_map_get(&topology->device_of, device, 0);
	uint64_t after = 0;

	if (stream != UINT32_MAX)
		after = after_queue(topology, &topology->streams[stream].queue, recorded_ns);
	if (number == 0 && of != UINT32_MAX)
		raise_to(&after,
			 after_queue(topology, &topology->devices[of].blocking, recorded_ns));
	if (number && stream != UINT32_MAX && !topology->streams[stream].nonblocking &&
	    legacy != UINT32_MAX)
		raise_to(&after,
			 after_queue(topology, &topology->streams[legacy].queue, recorded_ns));
	return after;
}

/* After all blocking streams of the device but stream 0. */
static uint64_t after_blocking(const struct topology *topology, uint32_t device)
{
	uint32_t index = pair_map_get(&topology->device_of, device, 0);

	return index == UINT32_MAX ? 0 : topology->devices[index].blocking.next;
}

static int take_wait(struct topology *topology, const struct gpu_wait *wait, struct error *error)
{
	const struct device *device = &topology->devices[topology->device];

	topology->waits = true;
	topology->waits_for_own |= wait->own || wait->scope == GPU_WAIT_OWN;
	switch (wait->scope) {
	case GPU_WAIT_ALL:
		raise_to(&topology->waited, device->all);
		break;
	case GPU_WAIT_DEFAULT:
		raise_to(&topology->waited, device->blocking.next);
		raise_to(&topology->waited, after_stream(topology, topology->device_number, 0));
		break;
	case GPU_WAIT_STREAM:
		raise_to(&topology->waited, after_stream(topology, wait->device, wait->stream));
		if (!wait->stream) /* comes after those that are ordered with it */
			raise_to(&topology->waited, after_blocking(topology, wait->device));
		break;
	case GPU_WAIT_EVENT:
		if (wait->recorded_ns > topology->start_ns)
			return error_set(error, "a wait for an event from before the run");
		raise_to(&topology->waited, after_event(topology, wait->device, wait->stream,
							topology->start_ns - wait->recorded_ns));
		break;
	}
	return 0;
}

static void take_stream(struct topology *topology, const struct gpu_stream *made)
{
	struct stream *stream = &topology->streams[topology->stream];

	/* what had this number before is another stream */
	topology->in_stream = stream->queue.next = 0;
	stream->queue.count = 0;
	stream->queue.has_forgotten = false;
	stream->nonblocking = made->nonblocking;
	if (stream->nonblocking)
		topology->in_legacy = 0;
}

int topology_record(struct topology *topology, const struct build_record *record,
		    struct error *error)
{
	const struct gpu_order *order = record->payload;

	if (!record->of_call || !topology->pending)
		return 0;
	switch (record->kind) {
	case GPU_RECORD_ORDER:
		if (order->recorded_ns > topology->start_ns)
			return error_set(error, "an event that was recorded before the run");
		raise_to(&topology->ordered, after_event(topology, order->device, order->stream,
							 topology->start_ns - order->recorded_ns));
		return 0;
	case GPU_RECORD_WAIT:
		return take_wait(topology, record->payload, error);
	case GPU_RECORD_STREAM:
		take_stream(topology, record->payload);
		return 0;
	}
	return 0;
}

struct topology *topology_new(void)
{
	return xcalloc(1, sizeof(struct topology));
}

static void release(struct topology *topology)
{
	for (uint32_t i = 0; i < topology->stream_count; i++)
		free(topology->streams[i].queue.history);
	for (uint32_t i = 0; i < topology->device_count; i++)
		free(topology->devices[i].blocking.history);
	pair_map_release(&topology->stream_of);
	pair_map_release(&topology->device_of);
	pair_map_release(&topology->object_of);
	pair_map_release(&topology->host_of);
	free(topology->streams);
	free(topology->devices);
	free(topology->objects);
	free(topology->hosts);
	free(topology->unused);
	free(topology->touched);
}

void topology_process_end(struct topology *topology)
{
	uint64_t unknown_orders = topology->unknown_orders;

	release(topology);
	*topology = (struct topology){.unknown_orders = unknown_orders};
}

void topology_free(struct topology *topology)
{
	if (topology)
		release(topology);
	free(topology);
}
