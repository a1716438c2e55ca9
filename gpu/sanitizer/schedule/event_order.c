/* gpu/sanitizer/schedule/event_order.c: see event_order.h. */
#include "gpu/sanitizer/schedule/event_order.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "gpu/nvidia/apis.h"
#include "gpu/nvidia/now.h"
#include "gpu/sanitizer/api/launch_call.h"
#include "gpu/sanitizer/schedule/events_internal.h"

enum {
	ORDERS_MAX = 1024, /* that a stream has pending; of more the first are known */
	STAGED = 65536,    /* smaller uploads from pageable memory do not wait */
};

/* What had been put into a stream by then. */
struct point {
	CUstream stream;
	uint64_t ns; /* 0: nothing was recorded */
};

struct stream {
	CUstream handle;
	bool made;        /* seen to be made; since then: */
	bool nonblocking; /* it is not ordered with the default stream */
	bool told;        /* a call has said so */
	bool called;      /* a call was put into it */
	struct point *orders;
	uint32_t order_count, order_capacity;
	UT_hash_handle hh;
};

struct event {
	CUevent handle;
	struct point point;
	UT_hash_handle hh;
};

/* What is to be said of a call when it has ended. */
struct note {
	struct note_key {
		uint64_t context, invocation;
	} key;
	bool first, nonblocking;  /* of its stream */
	bool waits, asynchronous; /* waits: it may wait for its copy */
	struct gpu_wait wait;     /* scope 0: it is not known to */
	struct gpu_order *orders; /* ours */
	uint32_t order_count;
	UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of streams and events */
static struct stream *streams;
static struct event *events;

static const struct gpu_sink *sink;
static struct note *notes; /* of calls that have begun */

/* -- streams and events -- */

static CUstream plain(CUstream stream)
{
	return stream == CU_STREAM_LEGACY ? NULL : stream;
}

/* NULL: no memory. */
static struct stream *find_stream(CUstream handle)
{
	struct stream *stream;

	HASH_FIND_PTR(streams, &handle, stream);
	if (stream)
		return stream;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream->handle = handle;
	HASH_ADD_PTR(streams, handle, stream);
	if (!stream->hh.tbl) { /* no memory: it is not in the table */
		free(stream);
		return NULL;
	}
	return stream;
}

static struct event *find_event(CUevent handle)
{
	struct event *event;

	HASH_FIND_PTR(events, &handle, event);
	return event;
}

static void record(CUevent handle, CUstream stream)
{
	struct event *event = find_event(handle);

	if (!event) {
		event = calloc(1, sizeof(*event));
		if (!event)
			return;
		event->handle = handle;
		HASH_ADD_PTR(events, handle, event);
		if (!event->hh.tbl) {
			free(event);
			return;
		}
	}
	event->point = (struct point){stream, now_ns()};
}

static void wait_for_event(CUstream in, CUevent handle)
{
	const struct event *event = find_event(handle);
	struct stream *stream = event ? find_stream(in) : NULL;

	if (!stream || event->point.stream == in || stream->order_count == ORDERS_MAX)
		return;
	if (stream->order_count == stream->order_capacity) {
		uint32_t capacity = stream->order_capacity ? 2 * stream->order_capacity : 4;
		struct point *more = reallocarray(stream->orders, capacity, sizeof(*more));

		if (!more)
			return;
		stream->orders = more;
		stream->order_capacity = capacity;
	}
	stream->orders[stream->order_count++] = event->point;
}

/* Its handle may be that of another one from now on. */
static void forget_event(CUevent handle)
{
	struct event *event = find_event(handle);

	if (!event)
		return;
	HASH_DEL(events, event);
	free(event);
}

static void made_stream(CUstream handle, unsigned flags)
{
	struct stream *stream = find_stream(handle);

	if (!stream)
		return;
	stream->made = true;
	stream->nonblocking = flags & CU_STREAM_NON_BLOCKING;
	stream->told = stream->called = false;
	stream->order_count = 0;
}

static void forget_stream(CUstream handle)
{
	struct stream *stream = find_stream(handle);

	if (stream)
		stream->made = stream->called = false, stream->order_count = 0;
}

/* -- functions of the driver -- */

enum concern {
	UNKNOWN,
	NOTHING,
	RECORD,
	WAIT,
	DESTROY_EVENT,
	CREATE_STREAM,
	CREATE_GREEN_STREAM,
	DESTROY_STREAM,
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
		{"cuEventDestroy", DESTROY_EVENT},
		{"cuStreamCreate", CREATE_STREAM},
		{"cuStreamCreateWithPriority", CREATE_STREAM},
		{"cuGreenCtxStreamCreate", CREATE_GREEN_STREAM},
		{"cuStreamDestroy", DESTROY_STREAM},
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

bool order_concerns(uint32_t id, const char *function)
{
	return concern_of(id, function) != NOTHING;
}

static void note_function(enum concern concern, const char *function, const uint64_t *words)
{
	switch (concern) {
	case RECORD:
		record((CUevent)(uintptr_t)words[0],
		       plain(api_stream(function, (CUstream)(uintptr_t)words[1])));
		break;
	case WAIT:
		wait_for_event(plain(api_stream(function, (CUstream)(uintptr_t)words[0])),
			       (CUevent)(uintptr_t)words[1]);
		break;
	case DESTROY_EVENT:
		forget_event((CUevent)(uintptr_t)words[0]);
		break;
	case CREATE_STREAM: /* flags have 32 bits, and so may have what follows */
		made_stream(*(const CUstream *)(uintptr_t)words[0], (unsigned)words[1]);
		break;
	case CREATE_GREEN_STREAM:
		made_stream(*(const CUstream *)(uintptr_t)words[0], (unsigned)words[2]);
		break;
	case DESTROY_STREAM:
		forget_stream((CUstream)(uintptr_t)words[0]);
		break;
	case UNKNOWN:
	case NOTHING:
		break;
	}
}

void order_note(uint32_t id, const char *function, const void *parameters)
{
	const uint64_t *words = parameters;
	enum concern concern = concern_of(id, function);
	CUstream stream = NULL;

	if (!words)
		return;
	if (concern == RECORD || concern == WAIT)
		stream = plain(api_stream(function, (CUstream)(uintptr_t)words[concern == RECORD]));
	if (stream && stream_is_captured(stream))
		return;
	pthread_mutex_lock(&lock);
	note_function(concern, function, words);
	pthread_mutex_unlock(&lock);
}

/* -- calls -- */

static bool is_asynchronous(const char *name)
{
	return strstr(name, "Async") != NULL;
}

/* Whether a call was put into it since it was made: it has a number then. */
static bool has_calls(CUstream handle)
{
	struct stream *stream;

	if (!handle)
		return true;
	HASH_FIND_PTR(streams, &handle, stream);
	return stream && stream->called;
}

static void take_orders(struct note *note, struct stream *stream, uint64_t start_ns)
{
	note->orders =
		stream->order_count ? calloc(stream->order_count, sizeof(*note->orders)) : NULL;
	for (uint32_t i = 0; note->orders && i < stream->order_count; i++) {
		const struct point *point = &stream->orders[i];

		if (has_calls(point->stream) && point->ns <= start_ns)
			note->orders[note->order_count++] = (struct gpu_order){
				.recorded_ns = start_ns - point->ns,
				.stream = events_stream_number(point->stream),
			};
	}
	stream->order_count = 0;
}

static void find_synchronization(struct note *note, const struct gpu_call *call, CUevent handle)
{
	const struct event *event = find_event(handle);

	if (!strstr(call->name, "Event")) {
		note->wait.scope = strstr(call->name, "Stream") ? GPU_WAIT_STREAM : GPU_WAIT_ALL;
		note->wait.stream = call->stream;
	} else if (event && has_calls(event->point.stream) && event->point.ns <= call->start_ns) {
		note->wait.scope = GPU_WAIT_EVENT;
		note->wait.recorded_ns = call->start_ns - event->point.ns;
		note->wait.stream = events_stream_number(event->point.stream);
	}
}

static void look_at_call(struct note *note, const struct gpu_call *call, struct stream *stream,
			 const struct api_call *api_call)
{
	if (stream && stream->made && !stream->told) {
		note->first = stream->told = true;
		note->nonblocking = stream->nonblocking;
	}
	if (stream && call->api != GPU_SYNC)
		stream->called = true;
	note->asynchronous = is_asynchronous(call->name);
	switch (call->api) {
	case GPU_COPY:
		note->waits = !note->asynchronous || api_call->host_waited;
		break;
	case GPU_SYNC:
		find_synchronization(note, call, api_call->event);
		break;
	case GPU_FREE:
		note->wait.scope = note->asynchronous ? 0 : GPU_WAIT_ALL;
		break;
	default:
		break;
	}
	if (stream && (call->api == GPU_COPY || call->api == GPU_SET || call->api == GPU_KERNEL))
		take_orders(note, stream, call->start_ns);
}

static void add_note(const struct note *from)
{
	struct note *note = malloc(sizeof(*note));

	if (note) {
		*note = *from;
		HASH_ADD(hh, notes, key, sizeof(note->key), note);
		if (note->hh.tbl)
			return;
		free(note); /* no memory: it is not in the table */
	}
	free(from->orders);
}

void order_begun(const struct gpu_call *call, CUstream handle, const struct api_call *api_call)
{
	struct note note = {.key = {call->context, call->invocation}};

	if (!call->start_ns)
		return;
	pthread_mutex_lock(&lock);
	look_at_call(&note, call, find_stream(plain(handle)), api_call);
	pthread_mutex_unlock(&lock);
	if (note.first || note.order_count || note.waits || note.wait.scope)
		add_note(&note);
	else
		free(note.orders);
}

/* Of the call, for the caller to free; NULL: there is none. */
static struct note *take_note(const struct gpu_call *call)
{
	const struct note_key key = {call->context, call->invocation};
	struct note *note;

	HASH_FIND(hh, notes, &key, sizeof(key), note);
	if (note)
		HASH_DEL(notes, note);
	return note;
}

static void free_note(struct note *note)
{
	if (note)
		free(note->orders);
	free(note);
}

static void tell(const struct gpu_call *call, uint32_t kind, const void *payload, size_t size)
{
	sink->record(call, &(struct gpu_record){.kind = kind, .payload = payload, .size = size});
}

/* A copy between the device and the host waits for itself, if it does. */
static void find_copy(struct note *note, const struct gpu_call *call, const struct gpu_row *rows,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].access == GPU_TO_HOST ||
		    (rows[i].access == GPU_FROM_HOST &&
		     (!note->asynchronous || rows[i].bytes > STAGED)))
			note->wait = (struct gpu_wait){
				.scope = note->asynchronous ? GPU_WAIT_STREAM : GPU_WAIT_DEFAULT,
				.own = 1,
				.stream = call->stream,
			};
}

static void end(const struct gpu_call *call, const struct gpu_row *rows, size_t count)
{
	struct note *note = take_note(call);

	sink->end(call, rows, count);
	if (!note)
		return;
	if (note->first)
		tell(call, GPU_RECORD_STREAM, &(struct gpu_stream){note->nonblocking},
		     sizeof(struct gpu_stream));
	for (uint32_t i = 0; i < note->order_count; i++)
		tell(call, GPU_RECORD_ORDER, &note->orders[i], sizeof(note->orders[i]));
	if (note->waits)
		find_copy(note, call, rows, count);
	if (note->wait.scope)
		tell(call, GPU_RECORD_WAIT, &note->wait, sizeof(note->wait));
	free_note(note);
}

static void abandon(const struct gpu_call *call)
{
	free_note(take_note(call));
	sink->abandon(call);
}

const struct gpu_sink *order_start(const struct gpu_sink *to)
{
	static struct gpu_sink telling;

	sink = to;
	telling = *to;
	telling.end = end;
	telling.abandon = abandon;
	return &telling;
}
