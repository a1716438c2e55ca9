/*
 * gpu/emulator/device/clock.c: the model of a GPU's times.
 *
 * What calls cost and what they wait for was measured on an H200 (driver 580) and rounded.  Not in
 * the model: operations of several streams slow each other down, a stream is full, the branches of
 * a graph run side by side (they follow one another).
 */
#include "gpu/emulator/device/clock.h"

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

/* What a call waits for before it returns. */
enum scope { NOTHING, OWN_STREAM, DEFAULT_STREAM, ALL_STREAMS };

struct cost {
	uint64_t host, device; /* ns; device 0: no operation */
	enum scope scope;
	bool own; /* waits for its own operation */
};

struct stream {
	uint64_t end;  /* of the last operation */
	bool blocking; /* ordered with the default stream */
};

static bool is_virtual;
static uint64_t started, latest; /* of all threads */
static __thread uint64_t host;   /* the thread's time; 0: it has none yet */
static __thread bool by_device_now;

static struct stream *streams; /* by number; [0] is the default stream */
static uint32_t stream_count;
static uint64_t blocking_end, all_end; /* of the default stream and those ordered with it; of all */

static uint64_t monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void clock_start(void)
{
	const char *wanted = secure_getenv("VFLOW_CLOCK");

	is_virtual = wanted && !strcmp(wanted, "virtual");
	started = latest = monotonic();
	clock_stream(0, true);
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
	if (!host)
		host = __atomic_load_n(&latest, __ATOMIC_RELAXED);
	return host;
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
	if (!is_virtual)
		return;
	if (stream >= stream_count) {
		uint32_t count = stream_count ? 2 * stream : 16;
		struct stream *more = realloc(streams, count * sizeof(*more));

		if (!more)
			return; /* its operations count as the default stream's */
		memset(more + stream_count, 0, (count - stream_count) * sizeof(*more));
		streams = more;
		stream_count = count;
	}
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

uint64_t clock_record(uint32_t stream)
{
	return is_virtual ? max(clock_now(), ready(stream)) : monotonic();
}

void clock_wait_event(uint32_t stream, uint64_t time)
{
	if (!is_virtual)
		return;
	find(stream)->end = max(find(stream)->end, time);
}

static uint64_t end_of(enum scope scope, uint32_t stream)
{
	switch (scope) {
	case OWN_STREAM:
		return ready(stream);
	case DEFAULT_STREAM:
		return blocking_end;
	case ALL_STREAMS:
		return all_end;
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
		cost.scope = DEFAULT_STREAM, cost.own = true;
	else if (work->way == CLOCK_FROM_GPU ||
		 (work->way == CLOCK_TO_GPU && work->amount > STAGED))
		cost.scope = OWN_STREAM, cost.own = true;
	return cost;
}

static enum scope sync_scope(const struct gpu_call *call)
{
	if (strstr(call->name, "Event")) /* clock_synchronize_event() */
		return NOTHING;
	return strstr(call->name, "Stream") ? OWN_STREAM : ALL_STREAMS;
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
				     work->shared && !is_asynchronous(call) ? DEFAULT_STREAM
									    : NOTHING,
				     work->shared && !is_asynchronous(call)};
	case GPU_ALLOC:
		return (struct cost){ALLOCATE, 0, NOTHING, false};
	case GPU_FREE:
		if (is_asynchronous(call))
			return (struct cost){LAUNCH, 0, NOTHING, false};
		return (struct cost){RELEASE, 0, ALL_STREAMS, false};
	case GPU_SYNC:
		return (struct cost){SYNCHRONIZE, 0, sync_scope(call), false};
	}
	return (struct cost){0, 0, NOTHING, false};
}

/* A wait of the calling thread, from `since` on. */
static void wait_until(uint64_t since, uint64_t end)
{
	if (end > since)
		pass_until(end + WAKE);
}

bool clock_call(const struct gpu_call *call, const struct clock_work *work, struct clock_span *span)
{
	struct cost cost;
	uint64_t called, end;

	if (!is_virtual || call->no_path)
		return false;
	called = clock_now();
	cost = cost_of(call, work);
	if (by_device_now) {
		if (cost.device)
			*span = run(call->stream, called, cost.device);
		return cost.device;
	}
	end = end_of(cost.scope, call->stream);
	if (cost.device) {
		*span = run(call->stream, max(called, end), cost.device);
		end = cost.own ? span->end_ns : end;
	}
	wait_until(called, end);
	pass_until(clock_now() + cost.host);
	return cost.device;
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

void clock_synchronize_event(uint64_t time)
{
	if (is_virtual)
		wait_until(clock_now(), time);
}

void clock_host_copy(uint64_t bytes)
{
	if (!is_virtual)
		return;
	wait_until(clock_now(), blocking_end);
	pass_until(clock_now() + bytes / PAGEABLE_RATE);
}
