/*
 * gpu/emulator/device/stream.c: streams and events.
 *
 * Everything is done when its call returns, so a stream is a number and an event a time.
 */
#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "gpu/emulator/device/graph.h"
#include "gpu/emulator/device/observe.h"

struct emulator_stream {
	const void *handle; /* itself: the key */
	uint32_t number;
	unsigned flags;
	int priority;
	void *graph; /* captured into it */
	bool origin; /* the capture began here */
	UT_hash_handle hh;
};

struct emulator_event {
	const void *handle;
	unsigned flags;
	struct clock_event recorded; /* at last */
	void *graph;                 /* recorded while its stream was captured into it */
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
	error = stream_number(stream) < 0 ? INVALID_HANDLE : 0;
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
	if (event ? !find_event(event) : stream_number(stream) < 0)
		error = INVALID_HANDLE;
	if (!error && event)
		recorded = &find_event(event)->recorded;
	if (!error && name)
		observe(name, event ? 0 : stream_number(stream), GPU_WAIT_NEEDS, recorded);
	if (!error)
		observe_reached(GPU_REACH_HOST);
	device_leave();
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
		clock_event_release(&found->recorded);
		free(found);
	}
	device_leave();
	return found ? 0 : INVALID_HANDLE;
}

/* In a stream that is captured it is an edge of the graph, and nothing comes before it there. */
static void record(struct emulator_event *event, const void *stream)
{
	event->graph = stream_captures(stream);
	if (event->graph)
		clock_event_release(&event->recorded);
	else
		clock_record((uint32_t)stream_number(stream), &event->recorded);
}

int vflow_emulator_event_record(void *event, void *stream, bool external)
{
	struct emulator_event *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = find_event(event);
	if (!found || stream_number(stream) < 0)
		error = INVALID_HANDLE;
	else if (external && stream_captures(stream))
		error = graph_record(stream_captures(stream),
				     &(struct emulator_node){.kind = NODE_RECORD, .event = event});
	else
		record(found, stream);
	device_leave();
	return error;
}

void *stream_captures(const void *stream)
{
	const struct emulator_stream *found = is_default(stream) ? NULL : find_stream(stream);

	return found ? found->graph : NULL;
}

void streams_forget_graph(const void *graph)
{
	for (struct emulator_stream *each = streams; each; each = each->hh.next)
		if (each->graph == graph)
			each->graph = NULL, each->origin = false;
	for (struct emulator_event *each = events; each; each = each->hh.next)
		if (each->graph == graph)
			each->graph = NULL;
}

int vflow_emulator_capture_begin(void *stream, void *graph)
{
	struct emulator_stream *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = is_default(stream) ? NULL : find_stream(stream);
	if (!found)
		error = is_default(stream) ? CAPTURE_UNSUPPORTED : INVALID_HANDLE;
	else if (found->graph)
		error = ILLEGAL_STATE;
	else if (graph && !graph_is_known(graph))
		error = INVALID_VALUE;
	else
		found->graph = graph ? graph : graph_new();
	if (!error && !found->graph)
		error = OUT_OF_MEMORY;
	if (!error)
		found->origin = true;
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
	if (!found || !found->graph || !found->origin) {
		error = found && found->graph ? CAPTURE_UNMATCHED : ILLEGAL_STATE;
	} else {
		*graph = found->graph;
		streams_forget_graph(*graph);
	}
	device_leave();
	return error;
}

int vflow_emulator_capture_graph(void *stream, void **graph)
{
	int error = device_enter(true);

	if (error)
		return error;
	error = stream_number(stream) < 0 ? INVALID_HANDLE : 0;
	*graph = stream_captures(stream);
	device_leave();
	return error;
}

int vflow_emulator_stream_wait(void *stream, void *event, bool external)
{
	struct emulator_stream *waiting;
	const struct emulator_event *found;
	int error = device_enter(true);

	if (error)
		return error;
	found = find_event(event);
	waiting = is_default(stream) ? NULL : find_stream(stream);
	if (!found || (!is_default(stream) && !waiting))
		error = INVALID_HANDLE;
	else if (external && waiting && waiting->graph)
		error = graph_record(waiting->graph,
				     &(struct emulator_node){.kind = NODE_WAIT, .event = event});
	else if (waiting && found->graph && !waiting->graph)
		waiting->graph = found->graph;
	else if (!found->graph && !(waiting && waiting->graph))
		clock_wait_event(waiting ? waiting->number : 0, &found->recorded);
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

int vflow_emulator_synchronize(const char *name, void *stream, void *event)
{
	struct gpu_call call;
	int64_t number;
	int error = device_enter(true);

	if (error)
		return error;
	number = stream_number(stream);
	if (number < 0 || (event && !find_event(event))) {
		device_leave();
		return INVALID_HANDLE;
	}
	print_flush();
	observe_begin(&call, GPU_SYNC, name, number);
	if (event)
		clock_synchronize_event(&find_event(event)->recorded);
	observe_end(&call);
	observe_returned(&call);
	device_leave();
	return 0;
}

void streams_release(void)
{
	struct emulator_stream *stream, *next_stream;
	struct emulator_event *event, *next_event;

	generation++;
	HASH_ITER(hh, streams, stream, next_stream)
	{
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
