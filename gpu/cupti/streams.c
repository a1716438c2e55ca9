/* gpu/cupti/streams.c: see streams.h. */
#include "gpu/cupti/streams.h"

#include <pthread.h>
#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "gpu/cupti/driver.h"
#include "gpu/cupti/operations.h"
#include "gpu/nvidia/apis.h"
#include "gpu/nvidia/now.h"

enum { ORDERS_MAX = 1024 }; /* that a stream has pending; of more the last are known */

/* A handle that names a stream of each device, or of each thread and device, has them with it. */
struct stream_key {
	uintptr_t handle;
	uint32_t device, thread; /* 0 where the handle is of one stream */
};

struct stream {
	struct stream_key key;
	uint32_t number;
	bool known; /* since it was made it was asked how it is ordered, and that is */
	bool nonblocking;
	struct stream_point *orders;
	uint32_t order_count, order_capacity;
	UT_hash_handle hh;
};

struct event {
	uintptr_t handle;
	struct stream_point point;
	UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stream *streams;
static struct event *events;
static uint32_t last_number;
static bool captures;

/* From 1. */
static uint32_t this_thread(void)
{
	static uint32_t last;
	static _Thread_local uint32_t number;

	if (!number)
		number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	return number;
}

/* The stream that this thread means by the handle.  The lock is held.  NULL: no memory. */
static struct stream *find(uintptr_t handle, uint32_t device)
{
	bool of_thread = handle == (uintptr_t)CU_STREAM_PER_THREAD;
	const struct stream_key key = {.handle = handle,
				       .device = !handle || of_thread ? device : 0,
				       .thread = of_thread ? this_thread() : 0};
	struct stream *stream;

	HASH_FIND(hh, streams, &key, sizeof(key), stream);
	if (stream)
		return stream;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream->key = key;
	stream->number = handle ? ++last_number : 0;
	stream->known = !handle;
	HASH_ADD(hh, streams, key, sizeof(key), stream);
	return stream;
}

uint32_t streams_number(uintptr_t handle, uint32_t device)
{
	struct stream *stream;
	uint32_t number;

	if (!handle)
		return 0;
	pthread_mutex_lock(&lock);
	stream = find(handle, device);
	number = stream ? stream->number : 0;
	pthread_mutex_unlock(&lock);
	return number;
}

static struct event *find_event(uintptr_t handle)
{
	struct event *event;

	HASH_FIND(hh, events, &handle, sizeof(handle), event);
	return event;
}

static void record(uintptr_t handle, uintptr_t in, uint32_t device, uint64_t ns)
{
	struct event *event = find_event(handle);
	const struct stream *stream = find(in, device);

	if (!event) {
		event = calloc(1, sizeof(*event));
		if (!event)
			return;
		event->handle = handle;
		HASH_ADD(hh, events, handle, sizeof(handle), event);
	}
	event->point = (struct stream_point){device, stream ? stream->number : 0, ns};
}

/* Default streams of different devices have the same number. */
static bool is_in(const struct stream_point *point, const struct stream *stream)
{
	return point->stream == stream->number &&
	       (stream->number || point->device == stream->key.device);
}

static void wait_for_event(uintptr_t handle, uintptr_t in, uint32_t device)
{
	const struct event *event = find_event(handle);
	struct stream *stream = find(in, device);

	if (!event || !stream || is_in(&event->point, stream))
		return;
	if (stream->order_count == ORDERS_MAX)
		stream->order_count--;
	if (stream->order_count == stream->order_capacity) {
		uint32_t capacity = stream->order_capacity ? 2 * stream->order_capacity : 4;
		struct stream_point *more = reallocarray(stream->orders, capacity, sizeof(*more));

		if (!more)
			return;
		stream->orders = more;
		stream->order_capacity = capacity;
	}
	stream->orders[stream->order_count++] = event->point;
}

/* Its handle may be that of another one from now on. */
static void forget_event(uintptr_t handle)
{
	struct event *event = find_event(handle);

	if (!event)
		return;
	HASH_DEL(events, event);
	free(event);
}

enum kind { UNKNOWN, OTHER, RECORD, WAIT, DESTROY_EVENT, DESTROY_STREAM };

static enum kind look_up(const char *function)
{
	if (api_is(function, "cuEventRecord") || api_is(function, "cuEventRecordWithFlags"))
		return RECORD;
	if (api_is(function, "cuStreamWaitEvent"))
		return WAIT;
	if (api_is(function, "cuEventDestroy"))
		return DESTROY_EVENT;
	return api_is(function, "cuStreamDestroy") ? DESTROY_STREAM : OTHER;
}

static enum kind kind_of(uint32_t id, const char *function)
{
	static uint8_t kinds[2048];
	enum kind kind;

	if (id >= sizeof(kinds))
		return look_up(function);
	kind = (enum kind)__atomic_load_n(&kinds[id], __ATOMIC_RELAXED);
	if (kind == UNKNOWN) {
		kind = look_up(function);
		__atomic_store_n(&kinds[id], (uint8_t)kind, __ATOMIC_RELAXED);
	}
	return kind;
}

void streams_begin_capture(void)
{
	__atomic_store_n(&captures, true, __ATOMIC_RELAXED);
}

bool streams_is_captured(uintptr_t stream)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

	if (!stream || !__atomic_load_n(&captures, __ATOMIC_RELAXED))
		return false;
	return driver.cuStreamIsCapturing((CUstream)stream, &status) == CUDA_SUCCESS &&
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void streams_note(uint32_t id, const char *function, const void *parameters, uint32_t device)
{
	enum kind kind = kind_of(id, function);
	const uint64_t *words = parameters;
	struct stream *stream;

	if (kind == OTHER || !words ||
	    (kind == RECORD && streams_is_captured(operation_stream(function, words[1]))) ||
	    (kind == WAIT && streams_is_captured(operation_stream(function, words[0]))))
		return;
	pthread_mutex_lock(&lock);
	switch (kind) {
	case RECORD:
		record((uintptr_t)words[0], operation_stream(function, words[1]), device, now_ns());
		break;
	case WAIT:
		wait_for_event((uintptr_t)words[1], operation_stream(function, words[0]), device);
		break;
	case DESTROY_EVENT:
		forget_event((uintptr_t)words[0]);
		break;
	case DESTROY_STREAM:
		stream = find((uintptr_t)words[0], device);
		if (stream)
			stream->known = false, stream->order_count = 0;
		break;
	case UNKNOWN:
	case OTHER:
		break;
	}
	pthread_mutex_unlock(&lock);
}

struct stream_point streams_event(uintptr_t handle)
{
	struct stream_point point = {0};
	const struct event *event;

	pthread_mutex_lock(&lock);
	event = find_event(handle);
	if (event)
		point = event->point;
	pthread_mutex_unlock(&lock);
	return point;
}

uint32_t streams_take_orders(uintptr_t handle, uint32_t device, struct stream_point **points)
{
	struct stream *stream;
	uint32_t count;

	*points = NULL;
	pthread_mutex_lock(&lock);
	stream = find(handle, device);
	count = stream ? stream->order_count : 0;
	if (count) {
		*points = stream->orders;
		stream->orders = NULL;
		stream->order_count = stream->order_capacity = 0;
	}
	pthread_mutex_unlock(&lock);
	return count;
}

bool streams_is_nonblocking(uintptr_t handle, uint32_t device, bool *first)
{
	struct stream *stream;
	unsigned flags = 0;
	bool nonblocking;

	pthread_mutex_lock(&lock);
	stream = find(handle, device);
	*first = stream && !stream->known;
	if (*first) {
		stream->known = true;
		if (driver.cuStreamGetFlags((CUstream)handle, &flags) == CUDA_SUCCESS)
			stream->nonblocking = flags & CU_STREAM_NON_BLOCKING;
	}
	nonblocking = stream && stream->nonblocking;
	pthread_mutex_unlock(&lock);
	return nonblocking;
}
