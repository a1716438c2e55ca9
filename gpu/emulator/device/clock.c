/*
 * gpu/emulator/device/clock.c: the model of a GPU's times.
 *
 * What calls cost and what they wait for was measured on an H200 (driver 580) and rounded.  Not in
 * the model: operations of several streams slow each other down, a stream is full, the branches of
 * a graph run side by side (they follow one another).
 */
#include "gpu/emulator/device/clock.h"
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

struct cost {
	uint64_t host, device; /* ns; device 0: no operation */
	enum gpu_wait_scope scope;
	bool own; /* waits for its own operation */
};

struct stream {
	uint64_t end;               /* of the last operation */
	bool blocking;              /* ordered with the default stream */
	bool called;                /* since it was made */
	struct clock_event *orders; /* that it waits for since its last operation */
	uint32_t order_count, order_capacity;
};

static bool is_virtual;
static uint64_t latest;        /* of all threads */
static uint32_t thread_count;  /* that have a time */
static __thread uint64_t host; /* the thread's time; 0: it has none yet */
static __thread bool by_device_now;

static struct stream *streams; /* by number; [0] is the default stream */
static uint32_t stream_count;
static uint64_t blocking_end, all_end; /* of the default stream and those ordered with it; of all */
static struct clock_event awaited;     /* by the running call; recorded_ns 0: none */

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
	latest = monotonic();
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
		host = __atomic_load_n(&latest, __ATOMIC_RELAXED);
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

/* The program's own work on the host; libcuda's only symbol of that kind, for tests. */
__attribute__((visibility("default"))) void vflow_emulator_work(uint64_t ns)
{
	if (is_virtual)
		pass_until(clock_now() + ns);
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
	free(streams[stream].orders);
	streams[stream] = (struct stream){.blocking = blocking};
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

struct clock_event clock_record(uint32_t stream)
{
	uint64_t now = clock_now();

	return (struct clock_event){.recorded_ns = now,
				    .done_ns = is_virtual ? max(now, ready(stream)) : now,
				    .stream = stream};
}

void clock_wait_event(uint32_t number, const struct clock_event *event)
{
	struct stream *stream;

	if (!streams || !event->recorded_ns)
		return;
	stream = find(number);
	stream->end = max(stream->end, event->done_ns);
	if (event->stream == number)
		return;
	if (stream->order_count == stream->order_capacity) {
		uint32_t capacity = stream->order_capacity ? 2 * stream->order_capacity : 4;
		struct clock_event *more = realloc(stream->orders, capacity * sizeof(*more));

		if (!more)
			return; /* times are right, records lack it */
		stream->orders = more;
		stream->order_capacity = capacity;
	}
	stream->orders[stream->order_count++] = *event;
}

bool clock_next_order(uint32_t number, struct clock_event *event)
{
	struct stream *stream = streams ? find(number) : NULL;

	if (!stream || !stream->order_count)
		return false;
	*event = stream->orders[--stream->order_count];
	return true;
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
		return awaited.done_ns;
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
	return strstr(call->name, "Async") != NULL;
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
		cost.scope = GPU_WAIT_DEFAULT, cost.own = true;
	else if (work->way == CLOCK_FROM_GPU ||
		 (work->way == CLOCK_TO_GPU && work->amount > STAGED))
		cost.scope = GPU_WAIT_STREAM, cost.own = true;
	return cost;
}

static enum gpu_wait_scope sync_scope(const struct gpu_call *call)
{
	if (strstr(call->name, "Event"))
		return awaited.recorded_ns ? GPU_WAIT_EVENT : NOTHING;
	return strstr(call->name, "Stream") ? GPU_WAIT_STREAM : GPU_WAIT_ALL;
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
				     work->shared && !is_asynchronous(call) ? GPU_WAIT_DEFAULT
									    : NOTHING,
				     work->shared && !is_asynchronous(call)};
	case GPU_ALLOC:
		return (struct cost){ALLOCATE, 0, NOTHING, false};
	case GPU_FREE:
		if (is_asynchronous(call))
			return (struct cost){LAUNCH, 0, NOTHING, false};
		return (struct cost){RELEASE, 0, GPU_WAIT_ALL, false};
	case GPU_SYNC:
		if (work && work->way == CLOCK_ON_HOST)
			return (struct cost){work->amount / PAGEABLE_RATE, 0, GPU_WAIT_DEFAULT,
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
		.scope = by_device_now ? NOTHING : cost->scope,
		.own = cost->own,
		.stream = cost->scope == GPU_WAIT_EVENT ? awaited.stream : call->stream,
		.recorded_ns = awaited.recorded_ns,
		.first = stream != streams && !stream->called,
		.nonblocking = !stream->blocking,
	};

	stream->called = true;
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
	if (!is_virtual) {
		awaited.recorded_ns = 0;
		return made;
	}
	called = clock_now();
	if (by_device_now) {
		if (cost.device)
			made.operation = run(call->stream, called, cost.device);
		return made;
	}
	end = end_of(cost.scope, call->stream);
	if (cost.device) {
		made.operation = run(call->stream, max(called, end), cost.device);
		end = cost.own ? made.operation.end_ns : end;
	}
	made.wait_ns = wait_until(called, end);
	pass_until(clock_now() + cost.host);
	awaited.recorded_ns = 0;
	return made;
}

void clock_by_device(bool by_device)
{
	by_device_now = by_device;
}

void clock_graph(void)
{
	if (is_virtual)
		pass_until(clock_now() + LAUNCH);
}

void clock_synchronize_event(const struct clock_event *event)
{
	awaited = *event;
}
