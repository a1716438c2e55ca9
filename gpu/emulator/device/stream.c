/*
 * gpu/emulator/device/stream.c: streams and events.
 *
 * Everything is done when its call returns, so a stream is a number and an event a time.
 */
#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "gpu/emulator/device/capture.h"
#include "gpu/emulator/device/observe.h"

struct emulator_stream {
	const void *handle; /* itself: the key */
	uint32_t number;
	unsigned flags;
	int priority;
	struct capture_point captured;
	bool origin; /* the capture began here */
	UT_hash_handle hh;
};

struct emulator_event {
	const void *handle;
	unsigned flags;
	struct clock_event recorded;   /* at last */
	struct capture_point captured; /* recorded while its stream was */
	UT_hash_handle hh;
};

#define EVENT_DISABLE_TIMING 2u
#define STREAM_NON_BLOCKING 1u

static struct emulator_stream *streams;
static struct emulator_event *events;
static uint32_t last_number;
static uint64_t generation; /* counts the resets */

#define STREAM_LEGACY 1u
#define STREAM_PER_THREAD 2u

/* The thread's own default stream, once it was used; as long as no reset came. */
static __thread struct emulator_stream *own;
static __thread uint64_t own_generation;
static __thread bool per_thread; /* 0 is that stream */

static bool is_own(const void *stream)
{
	return (uintptr_t)stream == STREAM_PER_THREAD || (!stream && per_thread);
}

/* NULL and legacy (1) name the default stream, where they do not name the thread's own. */
static bool is_default(const void *stream)
{
	return (uintptr_t)stream <= STREAM_LEGACY && !is_own(stream);
}

static struct emulator_stream *add_stream(unsigned flags, int priority)
{
	struct emulator_stream *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->handle = made;
	made->number = ++last_number;
	made->flags = flags;
	made->priority = priority < -5 ? -5 : priority > 0 ? 0 : priority;
	HASH_ADD_PTR(streams, handle, made);
	clock_stream(made->number, !(flags & STREAM_NON_BLOCKING));
	return made;
}

static struct emulator_stream *find_stream(const void *stream)
{
	struct emulator_stream *found;

	if (is_own(stream)) {
		if (!own || own_generation != generation)
			own = add_stream(0, 0);
		own_generation = generation;
		return own;
	}
	HASH_FIND_PTR(streams, &stream, found);
	return found;
}

bool vflow_emulator_per_thread(bool is)
{
	bool before = per_thread;

	per_thread = is;
	return before;
}

static struct emulator_event *find_event(const void *event)
{
	struct emulator_event *found;

	HASH_FIND_PTR(events, &event, found);
	return found;
}

int64_t stream_number(const void *stream)
{
	const struct emulator_stream *found;

	if (is_default(stream))
		return 0;
	found = find_stream(stream);
	return found ? (int64_t)found->number : -1;
}

int vflow_emulator_stream_create(struct emulator_stream **stream, unsigned flags, int priority)
{
	struct emulator_stream *made;
	int error = flags > 1 ? INVALID_VALUE : device_enter(true);

	if (error)
		return error;
	made = add_stream(flags, priority);
	if (made)
		*stream = made;
	device_leave();
	return made ? 0 : OUT_OF_MEMORY;
}

static struct capture_point *point_of(const void *stream)
{
	struct emulator_stream *found = is_default(stream) ? NULL : find_stream(stream);

	return found && found->captured.capture ? &found->captured : NULL;
}

int stream_takes(const void *stream)
{
	const struct capture_point *point = point_of(stream);

	if (stream_number(stream) < 0)
		return INVALID_HANDLE;
	if (is_default(stream))
		return capture_forbids_legacy();
	return point && !capture_is_valid(point->capture) ? CAPTURE_INVALIDATED : 0;
}

int stream_capture(const void *stream, const struct emulator_node *node)
{
	struct capture_point *point = point_of(stream);
	int error = graph_record(capture_graph(point->capture), node);

	return error ? error : capture_add(point);
}

int stream_capture_memory(const void *stream, uint64_t size, uint64_t *address)
{
	struct capture_point *point = point_of(stream);
	int error = capture_is_valid(point->capture) ? 0 : CAPTURE_INVALIDATED;

	if (!error)
		error = graph_record_memory(capture_graph(point->capture), size, address);
	return error ? error : capture_add(point);
}

/* Whether the host may wait for, or ask, the event, or, NULL, the stream: 0 or an error. */
static int check_wait(const void *stream, const void *event)
{
	const struct emulator_event *found = event ? find_event(event) : NULL;
	const struct capture_point *point = event ? NULL : point_of(stream);
	int error = 0;

	if (event ? !found : stream_number(stream) < 0)
		return INVALID_HANDLE;
	if (found && found->captured.capture)
		return capture_invalidate(found->captured.capture, CAPTURED_EVENT);
	if (point)
		return capture_invalidate(point->capture, CAPTURE_UNSUPPORTED);
	if (!event && is_default(stream))
		error = capture_forbids_legacy();
	return error ? error : capture_forbids_unsafe();
}

/* A call that does not wait: of what is recorded, or of all that is in the stream. */
static void observe(const char *name, int64_t stream, enum gpu_wait_scope scope,
		    const struct clock_event *recorded)
{
	struct gpu_call call;

	if (recorded && !recorded->at.recorded_ns)
		return;
	observe_begin(&call, GPU_SYNC, name, stream);
	clock_does_not_wait(scope, recorded);
	observe_end(&call);
}

int vflow_emulator_host_function(const char *name, void *stream)
{
	int error = device_enter(true);

	if (error)
		return error;
	error = stream_takes(stream);
	if (!error && stream_captures(stream))
		error = capture_invalidate(point_of(stream)->capture, CAPTURE_UNSUPPORTED);
	if (!error) {
		observe(name, stream_number(stream), GPU_WAIT_HOST, NULL);
		observe_reached(GPU_REACH_HOST);
	}
	device_leave();
	return error;
}

int vflow_emulator_query(const char *name, void *stream, void *event)
{
	const struct clock_event *recorded = NULL;
	int error = device_enter(true);

	if (error)
		return error;
	error = check_wait(stream, event);
	if (!error && event)
		recorded = &find_event(event)->recorded;
	if (!error && name)
		observe(name, event ? 0 : stream_number(stream), GPU_WAIT_NEEDS, recorded);
	if (!error)
		observe_reached(GPU_REACH_HOST);
	device_leave();
	return error;
}

/* It has ended: streams and events are in none any more. */
static void leave_capture(struct capture *capture)
{
	for (struct emulator_stream *each = streams; each; each = each->hh.next)
		if (each->captured.capture == capture)
			capture_leave(&each->captured), each->origin = false;
	for (struct emulator_event *each = events; each; each = each->hh.next)
		if (each->captured.capture == capture)
			capture_leave(&each->captured);
	capture_free(capture);
}

/* Of the stream that it began in. */
static int end_capture(struct emulator_stream *stream, void **graph)
{
	int error = capture_end(stream->captured.capture, &stream->captured, graph);

	if (stream->captured.capture) /* else its graph, which has gone, took it along */
		leave_capture(stream->captured.capture);
	return error;
}

int vflow_emulator_stream_destroy(void *stream)
{
	struct emulator_stream *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = (uintptr_t)stream <= STREAM_PER_THREAD ? NULL : find_stream(stream);
	if (found) {
		void *graph;

		if (found->origin) { /* nobody can end it any more */
			capture_invalidate(found->captured.capture, 0);
			end_capture(found, &graph);
		}
		capture_leave(&found->captured);
		HASH_DEL(streams, found);
		clock_stream_gone(found->number);
		free(found);
	}
	device_leave();
	return found ? 0 : INVALID_HANDLE;
}

int vflow_emulator_stream_check(void *stream, unsigned *flags, int *priority)
{
	const struct emulator_stream *found = NULL;
	int error = device_enter(true);

	if (error)
		return error;
	if (!is_default(stream)) {
		found = find_stream(stream);
		error = found ? 0 : INVALID_HANDLE;
	}
	if (flags)
		*flags = found ? found->flags : 0;
	if (priority)
		*priority = found ? found->priority : 0;
	device_leave();
	return error;
}

int vflow_emulator_event_create(struct emulator_event **event, unsigned flags)
{
	struct emulator_event *made;
	int error = flags > 7 ? INVALID_VALUE : device_enter(true);

	if (error)
		return error;
	made = calloc(1, sizeof(*made));
	if (made) {
		made->handle = made;
		made->flags = flags;
		HASH_ADD_PTR(events, handle, made);
		*event = made;
	}
	device_leave();
	return made ? 0 : OUT_OF_MEMORY;
}

int vflow_emulator_event_destroy(void *event)
{
	struct emulator_event *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = find_event(event);
	if (found) {
		HASH_DEL(events, found);
		capture_leave(&found->captured);
		clock_event_release(&found->recorded);
		free(found);
	}
	device_leave();
	return found ? 0 : INVALID_HANDLE;
}

/* In a stream that is captured it is an edge of the graph, and nothing comes before it there. */
static int record(struct emulator_event *event, const void *stream)
{
	const struct capture_point *point = point_of(stream);

	capture_leave(&event->captured);
	if (!point) {
		clock_record((uint32_t)stream_number(stream), &event->recorded);
		return 0;
	}
	clock_event_release(&event->recorded);
	return capture_follow(&event->captured, point);
}

int vflow_emulator_event_record(void *event, void *stream, bool external)
{
	struct emulator_event *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = find_event(event);
	error = found ? stream_takes(stream) : INVALID_HANDLE;
	if (!error && external && stream_captures(stream))
		error = stream_capture(
			stream, &(struct emulator_node){.kind = NODE_RECORD, .event = event});
	else if (!error)
		error = record(found, stream);
	device_leave();
	return error;
}

void *stream_captures(const void *stream)
{
	const struct capture_point *point = point_of(stream);

	return point ? capture_graph(point->capture) : NULL;
}

void streams_forget_graph(const void *graph)
{
	struct emulator_stream *each = streams;

	while (each && !(each->captured.capture && capture_graph(each->captured.capture) == graph))
		each = each->hh.next;
	if (each)
		leave_capture(each->captured.capture);
}

int vflow_emulator_capture_begin(void *stream, void *graph, int mode)
{
	struct emulator_stream *found;
	int error = mode < 0 || mode > 2 ? INVALID_VALUE : device_enter(true);

	if (error)
		return error;
	found = is_default(stream) ? NULL : find_stream(stream);
	if (!found)
		error = is_default(stream) ? CAPTURE_UNSUPPORTED : INVALID_HANDLE;
	else if (found->captured.capture)
		error = ILLEGAL_STATE;
	else if (graph && !graph_is_known(graph))
		error = INVALID_VALUE;
	else
		found->captured.capture = capture_begin(graph, mode);
	if (!error && !found->captured.capture)
		error = OUT_OF_MEMORY;
	if (!error) {
		found->origin = true;
		if (!(found->flags & STREAM_NON_BLOCKING))
			capture_is_blocking(found->captured.capture);
	}
	device_leave();
	return error;
}

int vflow_emulator_capture_end(void *stream, void **graph)
{
	struct emulator_stream *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = is_default(stream) ? NULL : find_stream(stream);
	if (!found || !found->captured.capture) {
		error = ILLEGAL_STATE;
	} else if (!found->origin) {
		error = CAPTURE_UNMATCHED;
	} else {
		error = end_capture(found, graph);
	}
	device_leave();
	return error;
}

int vflow_emulator_capture_graph(void *stream, void **graph, bool *valid)
{
	const struct capture_point *point;
	int error = device_enter(true);

	if (error)
		return error;
	error = stream_number(stream) < 0                       ? INVALID_HANDLE
		: is_default(stream) && capture_blocks_legacy() ? CAPTURE_IMPLICIT
								: 0;
	point = point_of(stream);
	*graph = point ? capture_graph(point->capture) : NULL;
	*valid = point && capture_is_valid(point->capture);
	device_leave();
	return error;
}

int vflow_emulator_capture_host(void *stream, void (*host)(void *), void *data, bool *captured)
{
	int error = device_enter(true);

	if (error)
		return error;
	*captured = stream_captures(stream);
	error = *captured ? stream_takes(stream) : 0;
	if (!error && *captured)
		error = stream_capture(stream, &(struct emulator_node){.kind = NODE_HOST,
								       .host = host,
								       .host_data = data});
	device_leave();
	return error;
}

/* The stream, of a capture or not, waits for an event of one. */
static int join_capture(struct emulator_stream *waiting, const struct emulator_event *event)
{
	struct capture *capture = event->captured.capture;

	if (!capture_is_valid(capture))
		return CAPTURE_INVALIDATED;
	if (!waiting)
		return capture_invalidate(capture, CAPTURE_IMPLICIT);
	if (waiting->captured.capture && waiting->captured.capture != capture) {
		capture_invalidate(waiting->captured.capture, 0);
		return capture_invalidate(capture, CAPTURE_MERGE);
	}
	if (!(waiting->flags & STREAM_NON_BLOCKING))
		capture_is_blocking(capture);
	return capture_follow(&waiting->captured, &event->captured);
}

/* waiting: NULL is the legacy default stream. */
static int wait_event(struct emulator_stream *waiting, struct emulator_event *event, bool external)
{
	struct capture *capture = waiting ? waiting->captured.capture : NULL;

	if (external && capture)
		return stream_capture(waiting,
				      &(struct emulator_node){.kind = NODE_WAIT, .event = event});
	if (event->captured.capture)
		return join_capture(waiting, event);
	if (capture)
		return event->recorded.at.recorded_ns
			       ? capture_invalidate(capture, CAPTURE_ISOLATION)
			       : 0;
	clock_wait_event(waiting ? waiting->number : 0, &event->recorded);
	return 0;
}

int vflow_emulator_stream_wait(void *stream, void *event, bool external)
{
	struct emulator_stream *waiting;
	struct emulator_event *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = find_event(event);
	waiting = is_default(stream) ? NULL : find_stream(stream);
	error = found ? stream_takes(stream) : INVALID_HANDLE;
	if (!error)
		error = wait_event(waiting, found, external);
	if (!error)
		observe_reached(GPU_REACH_STREAMS);
	device_leave();
	return error;
}

int vflow_emulator_event_check(void *event)
{
	int error = device_enter(true);

	if (error)
		return error;
	error = find_event(event) ? 0 : INVALID_HANDLE;
	device_leave();
	return error;
}

int vflow_emulator_event_elapsed(const char *name, void *start, void *end, float *milliseconds)
{
	const struct emulator_event *first, *last;
	int error = device_enter(true);

	if (error)
		return error;
	first = find_event(start);
	last = find_event(end);
	if (!first || !last || !first->recorded.at.recorded_ns || !last->recorded.at.recorded_ns ||
	    (first->flags | last->flags) & EVENT_DISABLE_TIMING)
		error = INVALID_HANDLE;
	else
		*milliseconds = (float)((double)(int64_t)(last->recorded.at.done_ns -
							  first->recorded.at.done_ns) /
					1e6);
	if (!error) {
		observe(name, 0, GPU_WAIT_NEEDS, &first->recorded);
		observe(name, 0, GPU_WAIT_NEEDS, &last->recorded);
	}
	device_leave();
	return error;
}

static int synchronize(const char *name, void *stream, void *event, bool is_device)
{
	struct gpu_call call;
	int64_t number;
	int error = device_enter(true);

	if (error)
		return error;
	error = is_device ? capture_forbids_all() : check_wait(stream, event);
	if (error) {
		device_leave();
		return error;
	}
	number = is_device ? 0 : stream_number(stream);
	print_flush();
	observe_begin(&call, GPU_SYNC, name, number);
	if (event)
		clock_synchronize_event(&find_event(event)->recorded);
	observe_end(&call);
	observe_returned(&call);
	device_leave();
	return 0;
}

int vflow_emulator_synchronize(const char *name, void *stream, void *event)
{
	return synchronize(name, stream, event, false);
}

int vflow_emulator_synchronize_device(const char *name)
{
	return synchronize(name, NULL, NULL, true);
}

void streams_release(void)
{
	struct emulator_stream *stream, *next_stream;
	struct emulator_event *event, *next_event;

	generation++;
	HASH_ITER(hh, streams, stream, next_stream)
	{
		if (stream->origin)
			leave_capture(stream->captured.capture);
		HASH_DEL(streams, stream);
		clock_stream_gone(stream->number);
		free(stream);
	}
	HASH_ITER(hh, events, event, next_event)
	{
		HASH_DEL(events, event);
		clock_event_release(&event->recorded);
		free(event);
	}
}
