/* gpu/nvidia/streams.c: see streams.h. */
#include "gpu/nvidia/streams.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "gpu/nvidia/apis.h"
#include "gpu/nvidia/now.h"

enum {
	POINTS_MAX = 1024, /* that a stream has pending; of more the first are known */
	NONBLOCKING = 1,   /* CU_STREAM_NON_BLOCKING */
	EXTERNAL = 1,      /* CU_EVENT_RECORD_EXTERNAL, CU_EVENT_WAIT_EXTERNAL */
};

struct stream_key {
	uintptr_t handle;
	uint32_t device, thread; /* 0 where the handle is of one stream */
};

struct stream {
	struct stream_key key;
	uint32_t device, number;
	bool nonblocking, known, called;
	struct stream_points orders;
	/* Of a default stream: what streams that are made now wait for, unless they are
	 * nonblocking: commands that were no operation, since the last one. */
	struct stream_points commands;
	uint64_t operated_ns; /* when it last had an operation */
	UT_hash_handle hh;
};

struct event {
	uintptr_t handle;
	struct stream_point at;
	struct stream_points before;
	UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stream *streams;
static struct event *events;

/* A number is given again when its stream is gone and no event stands for what was in it. */
struct number {
	uint32_t events;
	bool gone;
};
static struct number *numbers;
static uint32_t last_number, number_capacity;
static uint32_t *unused, unused_count, unused_capacity;

uintptr_t stream_handle(const char *function, uint64_t handle)
{
	if (handle == STREAM_LEGACY)
		return 0;
	if (!handle && (strstr(function, "_ptsz") || strstr(function, "_ptds")))
		return STREAM_PER_THREAD;
	return (uintptr_t)handle;
}

/* From 1. */
static uint32_t this_thread(void)
{
	static uint32_t last;
	static _Thread_local uint32_t number;

	if (!number)
		number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	return number;
}

/* -- points; the lock is held from here on -- */

/* `of`: the stream that waits for the point; NULL: any. */
static void add_point(struct stream_points *points, const struct stream *of,
		      const struct stream_point *point)
{
	if (!point->ns || (of && of->device == point->device && of->number == point->stream))
		return;
	for (uint32_t i = 0; i < points->count; i++)
		if (points->list[i].device == point->device &&
		    points->list[i].stream == point->stream) {
			if (points->list[i].ns < point->ns)
				points->list[i].ns = point->ns;
			return;
		}
	if (points->count == POINTS_MAX)
		return;
	if (points->count == points->capacity) {
		uint32_t capacity = points->capacity ? 2 * points->capacity : 4;
		struct stream_point *more = reallocarray(points->list, capacity, sizeof(*more));

		if (!more)
			return;
		points->list = more;
		points->capacity = capacity;
	}
	points->list[points->count++] = *point;
}

static void add_points(struct stream_points *points, const struct stream *of,
		       const struct stream_points *more)
{
	for (uint32_t i = 0; i < more->count; i++)
		add_point(points, of, &more->list[i]);
}

/* They come after an operation that comes after `points`. */
static void remove_points(struct stream_points *from, const struct stream_points *points)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < from->count; i++) {
		const struct stream_point *point = &from->list[i];
		bool settled = false;

		for (uint32_t k = 0; k < points->count && !settled; k++)
			settled = points->list[k].device == point->device &&
				  points->list[k].stream == point->stream &&
				  points->list[k].ns >= point->ns;
		if (!settled)
			from->list[kept++] = *point;
	}
	from->count = kept;
}

/* -- numbers -- */

static uint32_t new_number(void)
{
	uint32_t number = unused_count ? unused[--unused_count] : ++last_number;

	if (number >= number_capacity) {
		uint32_t capacity = 2 * number + 14;
		struct number *more = reallocarray(numbers, capacity, sizeof(*more));

		if (!more)
			return number; /* it is not given again */
		memset(more + number_capacity, 0, (capacity - number_capacity) * sizeof(*more));
		numbers = more;
		number_capacity = capacity;
	}
	numbers[number] = (struct number){0};
	return number;
}

static void may_give_again(uint32_t number)
{
	if (!numbers[number].gone || numbers[number].events)
		return;
	if (unused_count == unused_capacity) {
		uint32_t capacity = unused_capacity ? 2 * unused_capacity : 16;
		uint32_t *more = reallocarray(unused, capacity, sizeof(*more));

		if (!more)
			return;
		unused = more;
		unused_capacity = capacity;
	}
	unused[unused_count++] = number;
}

static void number_gone(uint32_t number)
{
	if (number >= number_capacity)
		return;
	numbers[number].gone = true;
	may_give_again(number);
}

/* The event stands for another point from now on. */
static void move_event(struct stream_point *at, const struct stream_point *to)
{
	if (at->ns && at->stream && at->stream < number_capacity) {
		numbers[at->stream].events--;
		may_give_again(at->stream);
	}
	if (to->ns && to->stream && to->stream < number_capacity)
		numbers[to->stream].events++;
	*at = *to;
}

/* -- streams -- */

static struct stream *look_up_stream(const struct stream_key *key)
{
	struct stream *stream;

	HASH_FIND(hh, streams, key, sizeof(*key), stream);
	return stream;
}

/* NULL: no memory. */
static struct stream *add_stream(const struct stream_key *key, uint32_t device)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return NULL;
	stream->key = *key;
	stream->device = device;
	stream->number = key->handle ? new_number() : 0;
	stream->known = !key->handle || key->handle == STREAM_PER_THREAD;
	HASH_ADD(hh, streams, key, sizeof(stream->key), stream);
	if (!stream->hh.tbl) { /* no memory: it is not in the table */
		free(stream);
		return NULL;
	}
	return stream;
}

/* The stream that this thread means by the handle; NULL: no memory. */
static struct stream *find(uintptr_t handle, uint32_t device)
{
	bool of_thread = handle == STREAM_PER_THREAD;
	const struct stream_key key = {.handle = handle,
				       .device = !handle || of_thread ? device : 0,
				       .thread = of_thread ? this_thread() : 0};
	struct stream *stream = look_up_stream(&key);

	return stream ? stream : add_stream(&key, device);
}

static struct stream *default_stream(uint32_t device)
{
	return find(0, device);
}

static void forget_stream(uintptr_t handle)
{
	struct stream *stream = look_up_stream(&(struct stream_key){.handle = handle});

	if (!stream || handle <= STREAM_PER_THREAD)
		return;
	HASH_DEL(streams, stream);
	number_gone(stream->number);
	free(stream->orders.list);
	free(stream->commands.list);
	free(stream);
}

static void made_stream(uintptr_t handle, uint32_t device, unsigned flags)
{
	const struct stream *of_device = default_stream(device);
	struct stream *stream;

	forget_stream(handle); /* one whose end nobody saw */
	stream = find(handle, device);
	if (!stream)
		return;
	stream->known = true;
	stream->nonblocking = flags & NONBLOCKING;
	if (of_device && !stream->nonblocking)
		add_points(&stream->orders, stream, &of_device->commands);
}

/*
 * A command of the default stream that is no operation comes after all that is in the streams that
 * are ordered with it, and before all that comes into them.
 */
static void default_command(struct stream *of_device, uint64_t ns)
{
	const struct stream_point at = {of_device->device, 0, ns};

	add_point(&of_device->commands, NULL, &at);
	add_points(&of_device->commands, NULL, &of_device->orders);
	for (struct stream *each = streams; each; each = each->hh.next)
		if (each->device == of_device->device && each->number && !each->nonblocking) {
			add_point(&each->orders, each, &at);
			add_points(&each->orders, each, &of_device->orders);
		}
}

/* -- events -- */

static struct event *find_event(uintptr_t handle)
{
	struct event *event;

	HASH_FIND(hh, events, &handle, sizeof(handle), event);
	return event;
}

static struct event *add_event(uintptr_t handle)
{
	struct event *event = calloc(1, sizeof(*event));

	if (!event)
		return NULL;
	event->handle = handle;
	HASH_ADD(hh, events, handle, sizeof(handle), event);
	if (!event->hh.tbl) {
		free(event);
		return NULL;
	}
	return event;
}

static void record(uintptr_t handle, uintptr_t in, uint32_t device)
{
	const uint64_t ns = now_ns();
	struct event *event = find_event(handle);
	struct stream *stream = find(in, device);
	const struct stream *of_device;

	if (!event)
		event = add_event(handle);
	if (!event || !stream)
		return;
	move_event(&event->at, &(struct stream_point){stream->device, stream->number, ns});
	event->before.count = 0;
	add_points(&event->before, stream, &stream->orders);
	if (!stream->number)
		default_command(stream, ns);
	if (stream->nonblocking || stream->called || !(of_device = default_stream(stream->device)))
		return;
	/* no record says that it comes after operations of the default stream */
	add_point(&event->before, stream,
		  &(struct stream_point){stream->device, 0, of_device->operated_ns});
}

static void wait_for_event(uintptr_t handle, uintptr_t in, uint32_t device)
{
	const struct event *event = find_event(handle);
	struct stream *stream = find(in, device), *of_device;

	if (!event || !stream)
		return;
	add_point(&stream->orders, stream, &event->at);
	add_points(&stream->orders, stream, &event->before);
	of_device = stream->nonblocking ? NULL : default_stream(stream->device);
	if (!of_device)
		return;
	if (of_device == stream)
		default_command(stream, now_ns());
	else
		add_points(&of_device->orders, of_device, &stream->orders);
}

/* Its handle may be that of another one from now on. */
static void forget_event(uintptr_t handle)
{
	struct event *event = find_event(handle);

	if (!event)
		return;
	HASH_DEL(events, event);
	move_event(&event->at, &(struct stream_point){0});
	free(event->before.list);
	free(event);
}

/* -- functions of the driver; the lock is not held from here on -- */

enum concern {
	UNKNOWN,
	NOTHING,
	RECORD,
	WAIT,
	FORGET_EVENT,
	CREATE_EVENT,
	CREATE_STREAM,
	CREATE_GREEN_STREAM,
	DESTROY_STREAM,
	EVENT_NODE,
};

static enum concern look_up(const char *function)
{
	static const struct {
		const char *function;
		enum concern concern;
	} known[] = {
		{"cuEventRecord", RECORD},
		{"cuEventRecordWithFlags", RECORD},
		{"cuStreamWaitEvent", WAIT},
		{"cuEventCreate", CREATE_EVENT},
		{"cuEventDestroy", FORGET_EVENT},
		{"cuStreamCreate", CREATE_STREAM},
		{"cuStreamCreateWithPriority", CREATE_STREAM},
		{"cuGreenCtxStreamCreate", CREATE_GREEN_STREAM},
		{"cuStreamDestroy", DESTROY_STREAM},
		{"cuGraphAddEventRecordNode", EVENT_NODE},
		{"cuGraphAddEventWaitNode", EVENT_NODE},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (api_is(function, known[i].function))
			return known[i].concern;
	return NOTHING;
}

static enum concern concern_of(uint32_t id, const char *function)
{
	static uint8_t concerns[2048];
	enum concern concern;

	if (id >= sizeof(concerns))
		return look_up(function);
	concern = (enum concern)__atomic_load_n(&concerns[id], __ATOMIC_RELAXED);
	if (concern == UNKNOWN) {
		concern = look_up(function);
		__atomic_store_n(&concerns[id], (uint8_t)concern, __ATOMIC_RELAXED);
	}
	return concern;
}

bool streams_concern(uint32_t id, const char *function, const void *parameters, uintptr_t *stream)
{
	const enum concern concern = concern_of(id, function);
	const uint64_t *words = parameters;

	*stream = 0;
	if (concern == NOTHING || !words)
		return false;
	if (concern == RECORD || concern == WAIT)
		*stream = stream_handle(function, words[concern == RECORD]);
	return true;
}

/* In a captured stream it is an edge of the graph, or a node. */
static bool makes_node(enum concern concern, const char *function, const void *parameters)
{
	const uint64_t *words = parameters;

	return concern == EVENT_NODE ||
	       ((concern == WAIT || api_is(function, "cuEventRecordWithFlags")) &&
		(unsigned)words[2] & EXTERNAL);
}

bool streams_note(uint32_t id, const char *function, const void *parameters, uint32_t device,
		  bool captured)
{
	const enum concern concern = concern_of(id, function);
	const uint64_t *words = parameters;

	if (captured || concern == EVENT_NODE)
		return !makes_node(concern, function, parameters);
	pthread_mutex_lock(&lock);
	switch (concern) {
	case RECORD:
		record((uintptr_t)words[0], stream_handle(function, words[1]), device);
		break;
	case WAIT:
		wait_for_event((uintptr_t)words[1], stream_handle(function, words[0]), device);
		break;
	case CREATE_EVENT: /* one whose end nobody saw */
		forget_event(*(const uintptr_t *)(uintptr_t)words[0]);
		break;
	case FORGET_EVENT:
		forget_event((uintptr_t)words[0]);
		break;
	case CREATE_STREAM: /* flags have 32 bits, and so may have what follows */
		made_stream(*(const uintptr_t *)(uintptr_t)words[0], device, (unsigned)words[1]);
		break;
	case CREATE_GREEN_STREAM:
		made_stream(*(const uintptr_t *)(uintptr_t)words[0], device, (unsigned)words[2]);
		break;
	case DESTROY_STREAM:
		forget_stream((uintptr_t)words[0]);
		break;
	case UNKNOWN:
	case NOTHING:
	case EVENT_NODE:
		break;
	}
	pthread_mutex_unlock(&lock);
	return true;
}

/* -- calls -- */

/* An operation comes into the stream, and so before those that are ordered with it. */
static void settle(struct stream *stream, uint64_t operated_ns)
{
	for (struct stream *each = streams; stream->orders.count && each; each = each->hh.next)
		if (each != stream && each->device == stream->device && !stream->nonblocking &&
		    !each->nonblocking && (!stream->number || !each->number))
			remove_points(&each->orders, &stream->orders);
	stream->orders.count = stream->commands.count = 0;
	stream->operated_ns = operated_ns;
}

struct stream_facts streams_of_call(uintptr_t handle, uint32_t device)
{
	struct stream_facts facts = {.device = device};
	struct stream *stream;

	pthread_mutex_lock(&lock);
	stream = find(handle, device);
	if (stream) {
		facts = (struct stream_facts){
			.device = stream->device,
			.number = stream->number,
			.nonblocking = stream->nonblocking,
			.known = stream->known,
			.first = stream->number && !stream->called,
		};
		stream->called = true;
	}
	pthread_mutex_unlock(&lock);
	return facts;
}

void streams_tell(uintptr_t handle, uint32_t device, bool nonblocking)
{
	struct stream *stream;

	pthread_mutex_lock(&lock);
	stream = find(handle, device);
	if (stream)
		stream->known = true, stream->nonblocking = nonblocking;
	pthread_mutex_unlock(&lock);
}

void streams_orders(uintptr_t handle, uint32_t device, uint64_t operated_ns,
		    struct stream_points *points)
{
	struct stream *stream;

	*points = (struct stream_points){0};
	pthread_mutex_lock(&lock);
	stream = find(handle, device);
	if (stream)
		add_points(points, stream, &stream->orders);
	if (stream && operated_ns)
		settle(stream, operated_ns);
	pthread_mutex_unlock(&lock);
}

struct stream_point streams_event(uintptr_t handle, struct stream_points *before)
{
	struct stream_point at = {0};
	const struct event *event;

	*before = (struct stream_points){0};
	pthread_mutex_lock(&lock);
	event = find_event(handle);
	if (event) {
		at = event->at;
		add_points(before, NULL, &event->before);
	}
	pthread_mutex_unlock(&lock);
	return at;
}
