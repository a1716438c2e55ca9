/*
 * gpu/emulator/device/clock.c: the model of a GPU's times.
 *
 * What calls cost and what they wait for was measured on an H200 (driver 580) and rounded.  Not in
 * the model: operations of several streams slow each other down, a stream is full, the branches of
 * a graph run side by side (they follow one another).
 */
#include "gpu/emulator/device/clock.h"
#include "gpu/nvidia/apis.h"
#include "util/start_environment.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of the host, ns. */
enum {
	LAUNCH = 5000, /* a kernel, a set, an asynchronous copy, a graph */
	ALLOCATE = 5000,
	RELEASE = 30000, /* what waits for the device, too: unmapping */
	SYNCHRONIZE = 1000,
	WAKE = 2000, /* from the end of what a call waits for to its return */
	LATENCY =
		6000, /* from the beginning of a call to that of its operation on an idle stream */
};

/* Of the device. */
enum {
	OPERATION = 2000,   /* ns, each */
	DEVICE_RATE = 1000, /* bytes a ns */
	PINNED_RATE = 55,
	PAGEABLE_RATE = 20,
	/* a warp's instruction takes 1 ns: the device runs one at a time */
};

/* Larger asynchronous copies from pageable memory wait for what is in their stream. */
enum { STAGED = 65536 };

#define NOTHING ((enum gpu_wait_scope)0) /* that a call waits for */
#define NO_STREAM UINT32_MAX

struct cost {
	uint64_t host, device; /* ns; device 0: no operation */
	enum gpu_wait_scope scope;
	bool own; /* waits for its own operation */
};

struct stream {
	uint64_t end;               /* of the last operation */
	bool blocking;              /* ordered with the default stream */
	bool called;                /* since it was made */
	struct clock_points orders; /* that it waits for since its last operation */
};

static bool is_virtual;
static uint64_t first;               /* when the clock began */
static uint64_t latest;              /* of all threads */
static uint32_t thread_count;        /* that have a time */
static __thread uint64_t host;       /* the thread's time; 0: it has none yet */
static __thread bool is_known;       /* when it was created; else it begins at the latest of all */
static __thread uint64_t created_ns; /* then: 0 is before the clock began */
static __thread bool by_device_now;
static __thread uint64_t launching; /* time of a graph's launch that no call of a node has taken */

static struct stream *streams; /* by number; [0] is the default stream */
static uint32_t stream_count;
static uint64_t blocking_end, all_end; /* of the default stream and those ordered with it; of all */
static enum gpu_wait_scope no_wait;    /* what the running call does instead; 0: it may wait */
static const struct clock_event *awaited; /* by the running call; NULL: none */
/* What streams that are made now wait for if they are ordered with the default stream, which has
 * waited for that and had no operation since. */
static struct clock_points default_orders;
static uint64_t default_operated; /* when the default stream last had an operation */

static uint64_t monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void clock_start(void)
{
	const char *wanted = start_variable("VFLOW_CLOCK");

	is_virtual = wanted && !strcmp(wanted, "virtual");
	latest = first = monotonic();
	clock_stream(0, true);
	is_virtual = is_virtual && streams;
}

bool clock_is_virtual(void)
{
	return is_virtual;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t clock_now(void)
{
	if (!is_virtual)
		return monotonic();
	if (!host) {
		host = is_known ? max(created_ns, first)
				: __atomic_load_n(&latest, __ATOMIC_RELAXED);
		__atomic_add_fetch(&thread_count, 1, __ATOMIC_RELAXED);
	}
	return host;
}

uint64_t clock_common(void)
{
	return __atomic_load_n(&thread_count, __ATOMIC_RELAXED) > 1
		       ? 0
		       : __atomic_load_n(&latest, __ATOMIC_RELAXED);
}

/* The calling thread's time is now this. */
static void pass_until(uint64_t time)
{
	uint64_t last = __atomic_load_n(&latest, __ATOMIC_RELAXED);

	host = max(clock_now(), time);
	while (last < host && !__atomic_compare_exchange_n(&latest, &last, host, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

uint64_t clock_of_child(void)
{
	return host ? host : is_known ? created_ns : __atomic_load_n(&latest, __ATOMIC_RELAXED);
}

void clock_thread(uint64_t begin_ns)
{
	is_known = true;
	created_ns = begin_ns;
}

uint64_t clock_own(void)
{
	return host;
}

void clock_joined(uint64_t end_ns)
{
	if (is_virtual)
		pass_until(end_ns);
}

/* The program's own work on the host; libcuda's only symbol of that kind, for tests. */
__attribute__((visibility("default"))) void vflow_emulator_work(uint64_t ns)
{
	if (is_virtual)
		pass_until(clock_now() + ns);
}

/* `number`: of the stream that waits for the point. */
static void add_point(struct clock_points *points, uint32_t number, const struct clock_point *point)
{
	if (!point->recorded_ns || point->stream == number)
		return;
	for (uint32_t i = 0; i < points->count; i++)
		if (points->list[i].stream == point->stream) {
			if (points->list[i].recorded_ns < point->recorded_ns)
				points->list[i] = *point;
			return;
		}
	if (points->count == points->capacity) {
		uint32_t capacity = points->capacity ? 2 * points->capacity : 4;
		struct clock_point *more = realloc(points->list, capacity * sizeof(*more));

		if (!more)
			return; /* times are right, records lack it */
		points->list = more;
		points->capacity = capacity;
	}
	points->list[points->count++] = *point;
}

static void add_points(struct clock_points *points, uint32_t number,
		       const struct clock_points *more)
{
	for (uint32_t i = 0; i < more->count; i++)
		add_point(points, number, &more->list[i]);
}

void clock_stream(uint32_t stream, bool blocking)
{
	if (stream >= stream_count) {
		uint32_t count = stream_count ? 2 * stream : 16;
		struct stream *more = realloc(streams, count * sizeof(*more));

		if (!more)
			return; /* its operations count as the default stream's */
		memset(more + stream_count, 0, (count - stream_count) * sizeof(*more));
		streams = more;
		stream_count = count;
	}
	free(streams[stream].orders.list);
	streams[stream] = (struct stream){.blocking = blocking};
	if (stream && blocking)
		add_points(&streams[stream].orders, stream, &default_orders);
}

void clock_stream_gone(uint32_t stream)
{
	clock_stream(stream, false);
}

static struct stream *find(uint32_t stream)
{
	return &streams[stream < stream_count ? stream : 0];
}

/* When what the stream has by now is done, and what it has to come after. */
static uint64_t ready(uint32_t number)
{
	const struct stream *stream = find(number);

	if (stream == streams)
		return blocking_end;
	return stream->blocking ? max(stream->end, streams->end) : stream->end;
}

/*
 * A command of the default stream that is no operation comes after all that is in the streams that
 * are ordered with it, and before all that comes into them.
 */
static void default_command(const struct clock_point *at)
{
	streams->end = max(streams->end, blocking_end);
	add_point(&default_orders, NO_STREAM, at);
	add_points(&default_orders, NO_STREAM, &streams->orders);
	for (uint32_t i = 1; i < stream_count; i++)
		if (streams[i].blocking) {
			add_point(&streams[i].orders, i, at);
			add_points(&streams[i].orders, i, &streams->orders);
		}
}

static struct clock_point point_now(uint32_t stream)
{
	uint64_t now = clock_now();

	return (struct clock_point){.recorded_ns = now,
				    .done_ns = is_virtual ? max(now, ready(stream)) : now,
				    .stream = stream};
}

void clock_record(uint32_t number, struct clock_event *event)
{
	const struct stream *stream;

	event->at = point_now(number);
	event->before.count = 0;
	if (!streams)
		return;
	stream = find(number);
	add_points(&event->before, number, &stream->orders);
	if (!number)
		default_command(&event->at);
	/* no record says that it comes after operations of the default stream */
	if (number && stream->blocking && !stream->called)
		add_point(&event->before, number,
			  &(struct clock_point){.recorded_ns = default_operated});
}

void clock_event_release(struct clock_event *event)
{
	free(event->before.list);
	*event = (struct clock_event){0};
}

void clock_wait_event(uint32_t number, const struct clock_event *event)
{
	struct stream *stream;
	struct clock_point at;

	if (!streams || !event->at.recorded_ns)
		return;
	stream = find(number);
	stream->end = max(stream->end, event->at.done_ns);
	add_point(&stream->orders, number, &event->at);
	add_points(&stream->orders, number, &event->before);
	if (!stream->blocking)
		return;
	blocking_end = max(blocking_end, stream->end);
	at = point_now(0);
	if (!number)
		default_command(&at);
	add_points(&streams->orders, 0, &stream->orders);
}

/* They come after an operation that comes after `points`. */
static void remove_points(struct clock_points *from, const struct clock_points *points)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < from->count; i++) {
		const struct clock_point *point = &from->list[i];
		bool settled = false;

		for (uint32_t k = 0; k < points->count && !settled; k++)
			settled = points->list[k].stream == point->stream &&
				  points->list[k].recorded_ns >= point->recorded_ns;
		if (!settled)
			from->list[kept++] = *point;
	}
	from->count = kept;
}

void clock_told(uint32_t number)
{
	struct stream *stream;

	if (!streams)
		return;
	stream = find(number);
	for (uint32_t i = 1; stream == streams && stream->orders.count && i < stream_count; i++)
		if (streams[i].blocking)
			remove_points(&streams[i].orders, &stream->orders);
	if (stream == streams)
		default_orders.count = 0, default_operated = clock_now();
	else if (stream->blocking)
		remove_points(&streams->orders, &stream->orders);
	stream->orders.count = 0;
}

static uint64_t end_of(enum gpu_wait_scope scope, uint32_t stream)
{
	switch (scope) {
	case GPU_WAIT_STREAM:
		return ready(stream);
	case GPU_WAIT_DEFAULT:
		return blocking_end;
	case GPU_WAIT_ALL:
		return all_end;
	case GPU_WAIT_EVENT:
		return awaited ? awaited->at.done_ns : 0;
	default:
		return 0;
	}
}

/* The operation comes into the stream. */
static struct clock_span run(uint32_t number, uint64_t called, uint64_t duration)
{
	struct clock_span span = {.start_ns = max(called + LATENCY, ready(number))};
	struct stream *stream = find(number);

	span.end_ns = span.start_ns + duration;
	stream->end = max(stream->end, span.end_ns);
	if (stream->blocking)
		blocking_end = max(blocking_end, span.end_ns);
	all_end = max(all_end, span.end_ns);
	return span;
}

static bool is_asynchronous(const struct gpu_call *call)
{
	return api_is_asynchronous(call->name);
}

/* What a call waits for that is not asynchronous: all, if its stream is the default one. */
static enum gpu_wait_scope own_scope(const struct gpu_call *call)
{
	return call->stream ? GPU_WAIT_STREAM : GPU_WAIT_DEFAULT;
}

static struct cost copy_cost(const struct gpu_call *call, const struct clock_work *work)
{
	const bool asynchronous = is_asynchronous(call);
	const unsigned rate = work->way == CLOCK_ON_DEVICE ? DEVICE_RATE
			      : work->way == CLOCK_PINNED  ? PINNED_RATE
							   : PAGEABLE_RATE;
	struct cost cost = {.host = LAUNCH, .device = OPERATION + work->amount / rate};

	if (work->way == CLOCK_ON_DEVICE)
		return cost;
	if (!asynchronous)
		cost.scope = own_scope(call), cost.own = true;
	else if (work->way == CLOCK_FROM_GPU ||
		 (work->way == CLOCK_TO_GPU && work->amount > STAGED))
		cost.scope = GPU_WAIT_STREAM, cost.own = true;
	return cost;
}

static enum gpu_wait_scope sync_scope(const struct gpu_call *call)
{
	const enum api_waits waits = api_waits_for(call->name);

	if (waits == API_WAITS_EVENT)
		return awaited && awaited->at.recorded_ns ? GPU_WAIT_EVENT : NOTHING;
	return waits == API_WAITS_STREAM ? GPU_WAIT_STREAM : GPU_WAIT_ALL;
}

static struct cost cost_of(const struct gpu_call *call, const struct clock_work *work)
{
	switch (call->api) {
	case GPU_KERNEL:
		return (struct cost){LAUNCH, OPERATION + work->amount, NOTHING, false};
	case GPU_COPY:
		return copy_cost(call, work);
	case GPU_SET:
		return (struct cost){LAUNCH, OPERATION + work->amount / DEVICE_RATE,
				     work->shared && !is_asynchronous(call) ? own_scope(call)
									    : NOTHING,
				     work->shared && !is_asynchronous(call)};
	case GPU_ALLOC:
		return (struct cost){ALLOCATE, 0, NOTHING, false};
	case GPU_FREE:
		if (is_asynchronous(call))
			return (struct cost){LAUNCH, 0, NOTHING, false};
		return (struct cost){RELEASE, 0, GPU_WAIT_ALL, false};
	case GPU_SYNC:
		if (no_wait)
			return (struct cost){0, 0, no_wait, false};
		if (work && work->way == CLOCK_ON_HOST)
			return (struct cost){work->amount / PAGEABLE_RATE, 0, own_scope(call),
					     false};
		return (struct cost){SYNCHRONIZE, 0, sync_scope(call), false};
	}
	return (struct cost){0, 0, NOTHING, false};
}

/* For records; the host's time has not passed yet. */
static struct clock_call describe(const struct gpu_call *call, const struct cost *cost)
{
	struct stream *stream = find(call->stream);
	struct clock_call made = {
		.has_operation = cost->device,
		.in_stream = cost->device || ((call->api == GPU_ALLOC || call->api == GPU_FREE) &&
					      is_asynchronous(call)),
		.scope = by_device_now ? NOTHING : cost->scope,
		.own = cost->own,
		.stream = call->stream,
		.first = stream != streams && !stream->called,
		.nonblocking = !stream->blocking,
	};

	stream->called = true;
	if (made.in_stream || cost->scope == GPU_WAIT_STREAM || cost->scope == GPU_WAIT_DEFAULT)
		made.orders = &stream->orders;
	if (cost->scope == GPU_WAIT_NEEDS && !awaited) {
		made.recorded_ns = clock_now();
		made.orders = &stream->orders;
	} else if (cost->scope == GPU_WAIT_EVENT || cost->scope == GPU_WAIT_NEEDS) {
		made.stream = awaited->at.stream;
		made.recorded_ns = awaited->at.recorded_ns;
		made.orders = &awaited->before;
	}
	return made;
}

/* The calling thread waits for what ends then, from its call at `called` on. */
static uint64_t wait_until(uint64_t called, uint64_t end)
{
	if (end <= called)
		return 0;
	pass_until(end + WAKE);
	return end + WAKE - called;
}

struct clock_call clock_call(const struct gpu_call *call, const struct clock_work *work)
{
	struct clock_call made = {0};
	uint64_t called, end;
	struct cost cost;

	if (!streams || call->no_path)
		return made;
	cost = cost_of(call, work);
	made = describe(call, &cost);
	no_wait = NOTHING;
	if (!is_virtual) {
		awaited = NULL;
		return made;
	}
	called = clock_now();
	if (by_device_now) {
		clock_graph_launched();
		if (cost.device)
			made.operation = run(call->stream, clock_now(), cost.device);
		return made;
	}
	end = end_of(cost.scope, call->stream);
	if (cost.device) {
		made.operation = run(call->stream, max(called, end), cost.device);
		end = cost.own ? made.operation.end_ns : end;
	}
	made.wait_ns = wait_until(called, end);
	pass_until(clock_now() + cost.host);
	awaited = NULL;
	return made;
}

void clock_by_device(bool by_device)
{
	by_device_now = by_device;
}

void clock_graph(void)
{
	launching = is_virtual ? LAUNCH : 0;
}

void clock_graph_launched(void)
{
	if (launching)
		pass_until(clock_now() + launching);
	launching = 0;
}

void clock_synchronize_event(const struct clock_event *event)
{
	awaited = event;
}

void clock_does_not_wait(enum gpu_wait_scope scope, const struct clock_event *event)
{
	no_wait = scope;
	awaited = event;
}
