/*
 * advice/wait_needs.c: the calls in order, with a vector clock for each stream: how many operations
 * of each stream are done before its next one begins.  A wait covers what the clock of the streams
 * that it waits for says.
 */
#include "advice/wait_needs.h"

#include <stdlib.h>
#include <string.h>

#include "advice/touches.h"
#include "gpu/nvidia/apis.h"
#include "gpu/records.h"
#include "util/memory.h"
#include "util/pair_map.h"

enum {
	STREAMS = 32,     /* of a process; with more its waits are not judged */
	MOVED = 1 << 30,  /* more than the number of any stream: see struct wide */
	OPEN_MOST = 1024, /* waits that may protect nothing; with more the first one is needed */
};

struct clock {
	uint32_t done[STREAMS];
};

struct snapshot { /* a stream's clock from its operation number `from` on, but for itself */
	uint32_t from;
	struct clock clock;
};

struct stream {
	uint32_t device, number;
	bool moved;       /* no stream: what a function does in the default one, see struct wide */
	bool called;      /* else it is not known whether it is ordered with the default stream */
	bool nonblocking; /* ... and it is not */
	struct clock clock;
	uint64_t *issued; /* when the calls of its operations had returned */
	uint32_t count, capacity;
	uint32_t *calls; /* of its operations */
	uint32_t calls_capacity;
	uint32_t *guarded; /* numbers, from 1, of operations that any wait may protect */
	uint32_t guarded_count, guarded_capacity;
	struct snapshot *history;
	uint32_t history_count, history_capacity;
	uint32_t *last_touch, *last_write; /* per vertex of a site: numbers of operations; 0 */
	uint32_t last_unknown;             /* of an operation that may have written anything */
	uint32_t last_host;                /* of one that may use memory of the host */
};

struct open_wait { /* that protects nothing so far */
	uint32_t call;
	enum wait_need otherwise; /* what is said of it then */
	bool on_device; /* only what comes after operation `number` of this stream waits */
	uint32_t stream, number;
	struct clock covers;
};

/*
 * A wait for several streams, or an operation of the default stream, which other streams wait for:
 * is one stream enough?  What a function does in the default stream counts as a stream of its own,
 * which nothing is in order with but what needs it.
 */
struct wide {
	uint32_t call, api;
	bool on_device;  /* the host does not wait */
	uint32_t enough; /* bits: streams that would be */
	struct clock covers;
	struct clock *of; /* by stream: what it covers if it waits for that one, or is in it */
};

struct narrow_api {
	bool out;                 /* one stream is not enough */
	uint32_t enough, less;    /* less: streams with which some call waits for less */
	uint32_t last, last_call; /* the stream, and call, of what was needed last */
	uint64_t calls;
};

struct narrow {
	struct narrow_api *apis;
	struct wide wides[64];
	uint32_t count;
	bool off;     /* nothing is said of the process */
	bool dropped; /* a function was found to need more: the first one */
	uint32_t first;
	struct wait_breadth *found;
};

struct thread {
	struct clock needed; /* what those of its waits cover that are needed */
	struct clock all;    /* ... and all of them */
	struct clock likely; /* ... and what they do on a GPU, without a promise */
	bool waited;
};

struct judge {
	const struct run *run;
	const struct timing *timing;
	const struct profile *profile;
	unsigned char *needs;
	const struct touches *touches;
	bool downloads_aside;
	const bool *gone;      /* per vertex; NULL: of which waits are needed, not of what relies on
				  copies */
	struct narrow *narrow; /* NULL: it is not asked whether one stream is enough */
	/* of the process */
	struct pair_map stream_map, thread_map;
	struct stream streams[STREAMS];
	uint32_t stream_count;
	struct thread *threads;
	uint32_t thread_count, thread_capacity;
	struct clock needed; /* of all threads */
	struct open_wait *open;
	uint32_t open_count, open_capacity;
};

static void join(struct clock *clock, const struct clock *other)
{
	for (int s = 0; s < STREAMS; s++)
		if (other->done[s] > clock->done[s])
			clock->done[s] = other->done[s];
}

/* Whether all that `part` says is done is done by `whole`. */
static bool covers(const struct clock *whole, const struct clock *part)
{
	for (int s = 0; s < STREAMS; s++)
		if (part->done[s] > whole->done[s])
			return false;
	return true;
}

/* -- streams -- */

static struct stream *stream_of(struct judge *judge, uint32_t device, uint32_t number)
{
	uint32_t index = pair_map_get(&judge->stream_map, device, number);

	return index < judge->stream_count ? &judge->streams[index] : NULL;
}

/* NULL: there are too many. */
static struct stream *add_stream(struct judge *judge, uint32_t device, uint32_t number)
{
	uint32_t index;

	if (pair_map_find(&judge->stream_map, device, number, judge->stream_count, &index))
		return index < STREAMS ? &judge->streams[index] : NULL;
	if (index == STREAMS)
		return NULL;
	judge->streams[judge->stream_count] =
		(struct stream){.device = device, .number = number, .nonblocking = number};
	return &judge->streams[judge->stream_count++];
}

static bool add_called(struct judge *judge, const struct profile_timed_call *call)
{
	struct stream *stream = add_stream(judge, call->device, call->stream);

	if (!stream)
		return false;
	stream->nonblocking = call->nonblocking || (stream->called && stream->nonblocking);
	stream->called = true;
	return true;
}

static bool has_stream(const struct profile_wait *wait)
{
	return wait->scope == GPU_WAIT_STREAM || wait->scope == GPU_WAIT_EVENT ||
	       wait->scope == GPU_WAIT_NEEDS || wait->scope == GPU_WAIT_HOST;
}

/* The streams of the calls from `first` on; false: there are too many. */
static bool find_streams(struct judge *judge, uint32_t first, uint32_t end)
{
	const struct profile *profile = judge->profile;
	bool fits = true;

	for (uint32_t c = first; c < end && fits; c++) {
		const struct profile_timed_call *call = &profile->timeline[c];

		fits = add_called(judge, call);
		for (uint32_t w = judge->timing->waits[c]; w < judge->timing->waits[c + 1]; w++)
			if (has_stream(&profile->waits[w]))
				fits = fits && add_stream(judge, profile->waits[w].device,
							  profile->waits[w].stream);
		for (uint32_t o = judge->timing->orders[c]; o < judge->timing->orders[c + 1]; o++)
			fits = fits && add_stream(judge, profile->stream_orders[o].device,
						  profile->stream_orders[o].stream);
	}
	return fits;
}

static void release_process(struct judge *judge)
{
	for (uint32_t s = 0; s < judge->stream_count; s++) {
		struct stream *stream = &judge->streams[s];

		free(stream->issued);
		free(stream->calls);
		free(stream->guarded);
		free(stream->history);
		free(stream->last_touch);
		free(stream->last_write);
	}
	pair_map_release(&judge->stream_map);
	pair_map_release(&judge->thread_map);
	judge->stream_count = judge->thread_count = judge->open_count = 0;
	judge->needed = (struct clock){0};
}

static struct thread *thread_of(struct judge *judge, uint32_t number)
{
	uint32_t index;

	if (!pair_map_find(&judge->thread_map, number, 0, judge->thread_count, &index)) {
		ARRAY_RESERVE(judge->threads, judge->thread_count, judge->thread_capacity);
		judge->threads[judge->thread_count++] = (struct thread){0};
	}
	return &judge->threads[index];
}

/* How many operations had come into the stream by then. */
static uint32_t issued_by(const struct stream *stream, uint64_t time)
{
	uint32_t low = 0, high = stream->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (stream->issued[middle] <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Adds what is done when the stream's first `count` operations are. */
static void join_stream(struct judge *judge, struct clock *clock, const struct stream *stream,
			uint32_t count)
{
	const size_t self = (size_t)(stream - judge->streams);
	uint32_t low = 0, high = stream->history_count;

	if (!count)
		return;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (stream->history[middle].from <= count)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		join(clock, &stream->history[low - 1].clock);
	if (count > clock->done[self])
		clock->done[self] = count;
}

static bool are_ordered(const struct stream *a, const struct stream *b)
{
	return a == b || (a->device == b->device && !a->nonblocking && !b->nonblocking &&
			  (!a->number || !b->number));
}

/* Whether it is the default stream of the other one's device. */
static bool is_default(const struct stream *stream, const struct stream *other)
{
	return !stream->number && stream->device == other->device;
}

/* Adds what is done when all is that was in the stream by then, and that it comes after. */
static void join_by(struct judge *judge, struct clock *clock, const struct stream *stream,
		    uint64_t time)
{
	for (uint32_t s = 0; s < judge->stream_count; s++)
		if (are_ordered(&judge->streams[s], stream) ||
		    (judge->streams[s].moved && is_default(stream, &judge->streams[s])))
			join_stream(judge, clock, &judge->streams[s],
				    issued_by(&judge->streams[s], time));
}

/* -- open waits -- */

static void judge_call(struct judge *judge, uint32_t call, enum wait_need need)
{
	/* what one is relied on for is enough */
	if (judge->gone && (judge->needs[call] == WAIT_NEEDED || judge->needs[call] == WAIT_ORDERS))
		return;
	judge->needs[call] = (unsigned char)need;
}

static void open_wait(struct judge *judge, struct open_wait wait)
{
	if (judge->open_count == OPEN_MOST) {
		judge_call(judge, judge->open[0].call, WAIT_NEEDED);
		join(&judge->needed, &judge->open[0].covers);
		memmove(judge->open, judge->open + 1, --judge->open_count * sizeof(*judge->open));
	}
	ARRAY_RESERVE(judge->open, judge->open_count, judge->open_capacity);
	judge->open[judge->open_count++] = wait;
}

/* Those that are covered protect nothing: what covers them does. */
static void close_covered(struct judge *judge, const struct clock *by)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < judge->open_count; i++) {
		if (covers(by, &judge->open[i].covers))
			judge_call(judge, judge->open[i].call, judge->open[i].otherwise);
		else
			judge->open[kept++] = judge->open[i];
	}
	judge->open_count = kept;
}

/* -- whether one stream is enough -- */

static void give_up(struct judge *judge, uint32_t api)
{
	struct narrow *narrow = judge->narrow;

	if (!narrow->dropped && !narrow->apis[api].out)
		narrow->first = api;
	narrow->dropped |= !narrow->apis[api].out;
	narrow->apis[api].out = true;
}

static void close_wide(struct judge *judge, uint32_t index)
{
	struct narrow *narrow = judge->narrow;

	free(narrow->wides[index].of);
	narrow->count--;
	memmove(&narrow->wides[index], &narrow->wides[index + 1],
		(narrow->count - index) * sizeof(*narrow->wides));
}

/* It stays as it is. */
static void keep_wide(struct judge *judge, uint32_t index)
{
	const struct wide *wide = &judge->narrow->wides[index];

	give_up(judge, wide->api);
	if (!wide->on_device)
		join(&judge->needed, &wide->covers);
	close_wide(judge, index);
}

/*
 * What a later wait covers, that one is needed for first; of the operations of a function the last
 * one, as they are in order.
 */
static void open_wide(struct judge *judge, const struct wide *wide)
{
	struct narrow *narrow = judge->narrow;

	for (uint32_t i = narrow->count; i--;)
		if (covers(&wide->covers, &narrow->wides[i].covers) &&
		    (!wide->on_device ||
		     (narrow->wides[i].on_device && narrow->wides[i].api == wide->api)))
			close_wide(judge, i);
	if (narrow->count == sizeof(narrow->wides) / sizeof(*narrow->wides))
		keep_wide(judge, 0);
	narrow->wides[narrow->count++] = *wide;
}

/* It is needed for the stream's operations up to that number; what needs them may be in `by`. */
static void need_of(struct judge *judge, uint32_t index, size_t stream, uint32_t to,
		    const struct stream *by)
{
	struct wide *wide = &judge->narrow->wides[index];
	struct narrow_api *api = &judge->narrow->apis[wide->api];

	for (uint32_t s = 0; s < judge->stream_count; s++)
		if (wide->of[s].done[stream] < to)
			wide->enough &= ~(1u << s);
	if (wide->on_device && by)
		wide->enough &= 1u << (by - judge->streams);
	if (!judge->streams[stream].moved) {
		api->last = (uint32_t)stream;
		api->last_call = judge->streams[stream].calls[to - 1];
	}
	api->enough &= wide->enough;
	if (!api->enough || api->out)
		keep_wide(judge, index);
}

static void remember(struct stream *stream)
{
	ARRAY_RESERVE(stream->history, stream->history_count, stream->history_capacity);
	stream->history[stream->history_count++] =
		(struct snapshot){stream->count + 1, stream->clock};
}

/*
 * As need(): of the latest that covers it, only so much is kept.  Of what a function does in the
 * default stream, it is that itself.  Returns an index beside 1; 0: there is none.
 */
static uint32_t find_wide(const struct judge *judge, size_t stream, uint32_t from, bool ordered)
{
	const struct narrow *narrow = judge->narrow;
	const uint32_t self =
		judge->streams[stream].moved ? judge->streams[stream].number - MOVED : UINT32_MAX;
	uint32_t found = 0;

	for (uint32_t i = narrow->count; i; i--) {
		const struct wide *wide = &narrow->wides[i - 1];

		if (wide->covers.done[stream] <= from || (wide->on_device && !ordered))
			continue;
		if (wide->api == self || !wide->on_device)
			return i;
		if (!found)
			found = i;
		if (self == UINT32_MAX)
			return found;
	}
	return found;
}

static void narrow_need(struct judge *judge, size_t stream, uint32_t from, uint32_t to,
			struct stream *by)
{
	const struct narrow *narrow = judge->narrow;
	const bool ordered = by && !by->nonblocking;

	while (from < to) {
		uint32_t i = find_wide(judge, stream, from, ordered), done;
		bool on_device;

		if (!i) {
			if (judge->streams[stream].moved)
				give_up(judge, judge->streams[stream].number - MOVED);
			return;
		}
		done = narrow->wides[i - 1].covers.done[stream];
		done = done < to ? done : to;
		on_device = narrow->wides[i - 1].on_device;
		need_of(judge, i - 1, stream, done, by);
		if (!on_device) {
			join_stream(judge, &judge->needed, &judge->streams[stream], done);
		} else {
			join_stream(judge, &by->clock, &judge->streams[stream], done);
			remember(by);
		}
		from = done;
	}
}

/* Whether it makes what begins now wait, on the device after `clock`, or, NULL, on the host. */
static bool makes_wait(const struct judge *judge, const struct open_wait *wait,
		       const struct clock *clock)
{
	const uint32_t done = judge->needed.done[wait->stream];

	return !wait->on_device || done >= wait->number ||
	       (clock && clock->done[wait->stream] >= wait->number);
}

/*
 * Operations of the stream after the first `from` ones, up to number `to`, have to be done before
 * what comes now, after `clock` in stream `by` or, both NULL, on the host: the latest wait that
 * covers the first of them is needed.
 */
static void need(struct judge *judge, size_t stream, uint32_t from, uint32_t to, enum wait_need why,
		 struct stream *by, const struct clock *clock)
{
	if (judge->narrow)
		narrow_need(judge, stream, from, to, by);
	while (from < to) {
		struct open_wait found;
		uint32_t i = judge->open_count;

		while (i && (judge->open[i - 1].covers.done[stream] <= from ||
			     !makes_wait(judge, &judge->open[i - 1], clock)))
			i--;
		if (!i)
			return;
		found = judge->open[i - 1];
		memmove(&judge->open[i - 1], &judge->open[i],
			(judge->open_count - i) * sizeof(*judge->open));
		judge->open_count--;
		judge_call(judge, found.call, why);
		if (!found.on_device)
			join(&judge->needed, &found.covers);
		close_covered(judge, &judge->needed);
		from = found.covers.done[stream];
	}
}

static uint32_t most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* The operations that are neither done nor come before what begins after `clock`. */
static void need_all(struct judge *judge, const struct clock *clock, enum wait_need why,
		     struct stream *by)
{
	for (uint32_t s = 0; s < judge->stream_count; s++)
		need(judge, s, most(judge->needed.done[s], clock->done[s]), judge->streams[s].count,
		     why, by, by ? clock : NULL);
}

/* The last operation of the stream that one with these effects has to come after; 0: none. */
static uint32_t last_touched(const struct judge *judge, const struct stream *stream,
			     const struct effects *effects)
{
	uint32_t last = stream->last_unknown;

	if (!stream->last_touch)
		return 0;
	for (uint32_t t = effects->first; t < effects->end; t++) {
		const struct touch *touch = &judge->touches->rows[t];

		last = most(last, touch->writes ? stream->last_touch[touch->site]
						: stream->last_write[touch->site]);
	}
	return last;
}

/* Of the operation that comes next: what it needs of other streams' operations. */
static void need_touched(struct judge *judge, const struct clock *clock,
			 const struct effects *effects, struct stream *by)
{
	const bool open = judge->open_count || judge->narrow;

	for (uint32_t s = 0; s < judge->stream_count && open; s++) {
		const struct stream *stream = &judge->streams[s];
		uint32_t from = most(judge->needed.done[s], clock->done[s]);

		if (from < stream->count)
			need(judge, s, from, last_touched(judge, stream, effects), WAIT_ORDERS, by,
			     clock);
	}
}

/* -- calls -- */

/* Whether it is a call of a synchronous copy that is to be left out. */
static bool is_gone(const struct judge *judge, const struct profile_api *api)
{
	uint32_t v = judge->gone ? graph_find(judge->profile->graph, api->vertex) : UINT32_MAX;

	return v != UINT32_MAX && judge->gone[v] && api_is_synchronous_copy(api->name);
}

static void make_lasts(const struct judge *judge, struct stream *stream)
{
	const uint32_t vertices = judge->profile->graph->vertex_count;

	if (stream->last_touch)
		return;
	stream->last_touch = xcalloc(vertices, sizeof(*stream->last_touch));
	stream->last_write = xcalloc(vertices, sizeof(*stream->last_write));
}

static void note_touches(struct judge *judge, struct stream *stream, const struct effects *effects,
			 bool gone)
{
	make_lasts(judge, stream);
	if (!effects || effects->guarded || effects->downloads)
		stream->last_host = stream->count;
	if (!effects || effects->unknown)
		stream->last_unknown = stream->count;
	for (uint32_t t = effects ? effects->first : 0; effects && t < effects->end; t++) {
		stream->last_touch[judge->touches->rows[t].site] = stream->count;
		if (judge->touches->rows[t].writes)
			stream->last_write[judge->touches->rows[t].site] = stream->count;
	}
	if (!effects || effects->guarded ||
	    (effects->downloads && !judge->downloads_aside && !gone)) {
		ARRAY_RESERVE(stream->guarded, stream->guarded_count, stream->guarded_capacity);
		stream->guarded[stream->guarded_count++] = stream->count;
	}
}

/* Adds what the call's stream, or the host in it, waits for by events. */
static void join_orders(struct judge *judge, struct clock *clock, uint32_t call)
{
	for (uint32_t o = judge->timing->orders[call]; o < judge->timing->orders[call + 1]; o++) {
		const struct profile_stream_order *order = &judge->profile->stream_orders[o];
		const struct stream *other = stream_of(judge, order->device, order->stream);

		if (other)
			join_by(judge, clock, other, order->recorded_ns);
	}
}

/* Adds what the streams have that are ordered with this one. */
static void join_ordered(struct judge *judge, struct clock *clock, const struct stream *stream)
{
	for (uint32_t s = 0; s < judge->stream_count; s++) {
		const struct stream *other = &judge->streams[s];

		if (other != stream && are_ordered(other, stream))
			join_stream(judge, clock, other, other->count);
	}
}

/* What is done before the next operation of the stream begins, apart from what the call says. */
static void order_stream(struct judge *judge, struct stream *stream, uint32_t call, bool gone)
{
	const struct clock before = stream->clock;

	join_orders(judge, &stream->clock, call);
	if (!gone)
		join_ordered(judge, &stream->clock, stream);
	if (memcmp(&before, &stream->clock, sizeof(before)) != 0) {
		ARRAY_RESERVE(stream->history, stream->history_count, stream->history_capacity);
		stream->history[stream->history_count++] =
			(struct snapshot){stream->count + 1, stream->clock};
	}
}

/* effects: NULL: it may do anything. */
static void add_operation(struct judge *judge, struct stream *stream, uint32_t call,
			  const struct effects *effects)
{
	ARRAY_RESERVE(stream->issued, stream->count, stream->capacity);
	ARRAY_RESERVE(stream->calls, stream->count, stream->calls_capacity);
	stream->calls[stream->count] = call;
	stream->issued[stream->count++] = judge->profile->timeline[call].end_ns;
	stream->clock.done[stream - judge->streams] = stream->count;
	note_touches(judge, stream, effects,
		     is_gone(judge, &judge->profile->apis[judge->profile->timeline[call].api]));
}

/* Adds what the device's streams, or those that are ordered with the default one, had by then. */
static void join_streams(struct judge *judge, struct clock *clock, uint32_t device, bool all,
			 uint64_t time)
{
	for (uint32_t s = 0; s < judge->stream_count; s++) {
		const struct stream *stream = &judge->streams[s];

		if (stream->device == device && (all || stream->moved || !stream->nonblocking))
			join_stream(judge, clock, stream, issued_by(stream, time));
	}
}

/* NULL: the operation stays in its stream, whatever is found. */
static struct stream *moved_stream(struct judge *judge, const struct profile_gpu_time *time,
				   const struct effects *effects)
{
	const struct profile_timed_call *call = &judge->profile->timeline[time->call];
	const struct timing *timing = judge->timing;
	struct stream *stream;

	if (!judge->narrow || judge->narrow->off || call->stream || !effects || effects->unknown ||
	    ((effects->guarded || effects->downloads) &&
	     !api_is_synchronous_copy(judge->profile->apis[call->api].name)) ||
	    judge->narrow->apis[call->api].out ||
	    timing->operations[time->call] + 1 != timing->operations[time->call + 1])
		return NULL;
	stream = add_stream(judge, call->device, MOVED + call->api);
	if (stream)
		stream->moved = true;
	return stream;
}

/* The streams that it could be in, with what comes before it there. */
static struct wide wide_operation(struct judge *judge, const struct stream *moved, uint32_t call)
{
	const struct profile_timed_call *timed = &judge->profile->timeline[call];
	const uint32_t self = (uint32_t)(moved - judge->streams), number = moved->count + 1;
	struct wide wide = {.call = call, .api = timed->api, .on_device = true};

	wide.of = xcalloc(STREAMS, sizeof(*wide.of));
	join_streams(judge, &wide.covers, timed->device, false, timed->start_ns);
	wide.covers.done[self] = number;
	for (uint32_t s = 0; s < judge->stream_count; s++) {
		const struct stream *stream = &judge->streams[s];

		if (stream->device != timed->device || !stream->number || stream->moved ||
		    !stream->called || stream->nonblocking)
			continue;
		wide.enough |= 1u << s;
		wide.of[s] = stream->clock;
		wide.of[s].done[s] = stream->count;
		join_ordered(judge, &wide.of[s], stream);
		join(&wide.of[s], &moved->clock);
		wide.of[s].done[self] = number;
	}
	return wide;
}

/* Takes note of streams with which the call would wait for less. */
static void count_wide(struct judge *judge, const struct wide *wide)
{
	struct narrow_api *api = &judge->narrow->apis[wide->api];

	api->calls++;
	for (uint32_t s = 0; s < judge->stream_count; s++)
		for (uint32_t t = 0; t < judge->stream_count; t++)
			if (wide->covers.done[t] > most(judge->needed.done[t], wide->of[s].done[t]))
				api->less |= 1u << s;
}

/* False: it is an operation like others. */
static bool narrow_operation(struct judge *judge, const struct profile_gpu_time *time,
			     const struct effects *effects)
{
	const uint32_t call = time->call;
	struct stream *moved = moved_stream(judge, time, effects);
	struct narrow *narrow = judge->narrow;
	struct wide wide;

	if (!moved)
		return false;
	order_stream(judge, moved, call, true);
	wide = wide_operation(judge, moved, call);
	/* what the default stream is not in order with, the host has waited for */
	for (uint32_t s = 0; s < judge->stream_count; s++)
		if (&judge->streams[s] != moved && !wide.covers.done[s] && !judge->streams[s].moved)
			narrow_need(judge, s, most(judge->needed.done[s], moved->clock.done[s]),
				    last_touched(judge, &judge->streams[s], effects), moved);
	count_wide(judge, &wide);
	open_wide(judge, &wide);
	for (uint32_t s = 0; s < judge->stream_count; s++) {
		uint32_t to = last_touched(judge, &judge->streams[s], effects);

		if (&judge->streams[s] != moved && narrow->count &&
		    narrow->wides[narrow->count - 1].call == call &&
		    to > most(judge->needed.done[s], moved->clock.done[s]))
			need_of(judge, narrow->count - 1, s, to, NULL);
	}
	add_operation(judge, moved, call, effects);
	return true;
}

static void take_operation(struct judge *judge, const struct profile_gpu_time *time)
{
	const struct profile *profile = judge->profile;
	const struct profile_timed_call *call = &profile->timeline[time->call];
	struct stream *stream = stream_of(judge, call->device, call->stream);
	uint32_t v = time->vertex == PROFILE_NO_VERTEX ? UINT32_MAX
						       : graph_find(profile->graph, time->vertex);
	const struct effects *effects = v == UINT32_MAX ? NULL : &judge->touches->effects[v];
	const bool gone = judge->gone && v != UINT32_MAX && judge->gone[v] && !call->stream;
	struct clock clock;

	if (narrow_operation(judge, time, effects))
		return;
	order_stream(judge, stream, time->call, gone);
	clock = stream->clock;
	if (gone) /* streams may be in order only because it is between them */
		join_ordered(judge, &clock, stream);
	if (!effects || effects->unknown)
		need_all(judge, &clock, WAIT_NEEDED, stream);
	else
		need_touched(judge, &clock, effects, stream);
	if (gone)
		open_wait(judge, (struct open_wait){time->call, WAIT_UNNEEDED, true,
						    (uint32_t)(stream - judge->streams),
						    stream->count + 1, clock});
	add_operation(judge, stream, time->call, effects);
}

/*
 * Whether a copy that waits is done on the device when it returns.  One from pageable memory to the
 * device need not be, only its source has been read; which memory it was is not known.
 */
static bool is_done(const struct judge *judge, const struct profile_timed_call *call)
{
	uint32_t v = graph_find(judge->profile->graph, judge->profile->apis[call->api].vertex);

	return v == UINT32_MAX || judge->run->operations[v] != OPERATION_UPLOAD;
}

/* Adds what the wait covers; false: that is not known.  likely: and what no one promises. */
static bool join_wait(struct judge *judge, struct clock *clock, const struct profile_wait *wait,
		      bool likely)
{
	const struct profile_timed_call *call = &judge->profile->timeline[wait->call];
	const struct stream *own = stream_of(judge, call->device, call->stream), *stream;
	bool operations =
		judge->timing->operations[wait->call] < judge->timing->operations[wait->call + 1];
	uint64_t by;

	if (wait->own && operations && (likely || is_done(judge, call)) &&
	    !is_gone(judge, &judge->profile->apis[call->api]))
		join_stream(judge, clock, own, own->count);
	switch (wait->scope) {
	case GPU_WAIT_ALL:
	case GPU_WAIT_DEFAULT:
		join_streams(judge, clock, call->device, wait->scope == GPU_WAIT_ALL,
			     call->start_ns);
		return true;
	case GPU_WAIT_STREAM:
	case GPU_WAIT_EVENT:
		by = wait->scope == GPU_WAIT_EVENT ? wait->recorded_ns : call->start_ns;
		stream = stream_of(judge, wait->device, wait->stream);
		if (stream)
			join_by(judge, clock, stream, by);
		return stream != NULL;
	case GPU_WAIT_OWN:
		return wait->own && operations;
	default:
		return false;
	}
}

/* Whether an operation in the clock, and not in `known`, is one that any wait may protect. */
static bool has_guarded(const struct judge *judge, const struct clock *clock,
			const struct clock *known)
{
	for (uint32_t s = 0; s < judge->stream_count; s++) {
		const struct stream *stream = &judge->streams[s];
		uint32_t low = 0, high = stream->guarded_count;

		while (low < high) {
			uint32_t middle = low + (high - low) / 2;

			if (stream->guarded[middle] <= known->done[s])
				low = middle + 1;
			else
				high = middle;
		}
		if (low < stream->guarded_count && stream->guarded[low] <= clock->done[s])
			return true;
	}
	return false;
}

/* Whether the wait is one of those that could be spared. */
static bool is_candidate(const struct judge *judge, const struct profile_api *api)
{
	uint32_t v;

	if (judge->gone)
		return is_gone(judge, api);
	if (!strcmp(api->kind, "free"))
		return true;
	if (!strcmp(api->kind, "sync"))
		return api_is_synchronization(api->name) || api_is_synchronous_copy(api->name);
	v = graph_find(judge->profile->graph, api->vertex);
	return v != UINT32_MAX && api_is_synchronous_copy(api->name) &&
	       (judge->run->operations[v] == OPERATION_UPLOAD ||
		(judge->downloads_aside && judge->touches->effects[v].downloads));
}

/* It stands for nothing: the one before it stays. */
static void take_repeated(struct judge *judge, uint32_t call, const struct profile_api *api)
{
	/* one that did wait, for what is not seen, is needed */
	if (!strcmp(api->kind, "sync") && is_candidate(judge, api))
		judge_call(judge, call,
			   timing_wait_ns(judge->timing, call) ? WAIT_NEEDED : WAIT_REPEATED);
}

/* A wait for all streams that does nothing else. */
static bool is_wide_wait(const struct judge *judge, uint32_t call)
{
	const struct timing *timing = judge->timing;
	const uint32_t w = timing->waits[call];
	const struct profile_api *api = &judge->profile->apis[judge->profile->timeline[call].api];

	return !strcmp(api->kind, "sync") && api_is_synchronization(api->name) &&
	       timing->operations[call] == timing->operations[call + 1] &&
	       w + 1 == timing->waits[call + 1] &&
	       (judge->profile->waits[w].scope == GPU_WAIT_ALL ||
		judge->profile->waits[w].scope == GPU_WAIT_DEFAULT);
}

/* The same for each stream of its device. */
static void open_wide_wait(struct judge *judge, uint32_t call, const struct clock *clock)
{
	const struct profile_timed_call *timed = &judge->profile->timeline[call];
	struct wide wide = {.call = call, .api = timed->api, .covers = *clock};

	wide.of = xcalloc(STREAMS, sizeof(*wide.of));
	for (uint32_t s = 0; s < judge->stream_count; s++)
		if (judge->streams[s].device == timed->device && !judge->streams[s].moved) {
			wide.enough |= 1u << s;
			join_by(judge, &wide.of[s], &judge->streams[s], timed->start_ns);
		}
	count_wide(judge, &wide);
	open_wide(judge, &wide);
}

/* The host may see at once what is done then. */
static void need_guarded(struct judge *judge, const struct clock *clock)
{
	for (uint32_t s = 0; s < judge->stream_count; s++) {
		const struct stream *stream = &judge->streams[s];
		uint32_t i = stream->guarded_count;

		while (i && stream->guarded[i - 1] > clock->done[s])
			i--;
		if (i)
			narrow_need(judge, s, judge->needed.done[s], stream->guarded[i - 1], NULL);
	}
}

static void narrow_wait(struct judge *judge, uint32_t call, const struct clock *clock)
{
	const struct timing *timing = judge->timing;
	struct narrow *narrow = judge->narrow;
	const uint32_t api = judge->profile->timeline[call].api;
	struct wide *last = narrow->count ? &narrow->wides[narrow->count - 1] : NULL;
	struct stream *moved = NULL;

	if (timing->operations[call] < timing->operations[call + 1])
		moved = stream_of(judge, judge->profile->timeline[call].device, MOVED + api);
	if (moved && (!moved->count || moved->calls[moved->count - 1] != call))
		moved = NULL;
	if (moved && last && last->call == call) {
		/* in another stream it waits, too, for what comes before it there, and for itself
		 */
		last->on_device = false;
		join(&last->covers, clock);
		for (uint32_t i = narrow->count - 1; i--;)
			if (covers(&last->covers, &narrow->wides[i].covers))
				close_wide(judge, i);
		need_guarded(judge, clock);
	} else if (!narrow->off && !narrow->apis[api].out && is_wide_wait(judge, call)) {
		open_wide_wait(judge, call, clock);
		need_guarded(judge, clock);
	} else {
		join(&judge->needed, clock);
		for (uint32_t i = narrow->count; i--;)
			if (covers(&judge->needed, &narrow->wides[i].covers))
				close_wide(judge, i);
	}
	if (moved && !narrow->apis[api].out)
		join_stream(judge, &judge->needed, moved, moved->count);
}

/*
 * The host may look, after the wait, at what is done only because an operation that goes stands
 * between that and what the wait is for.
 */
static void need_order(struct judge *judge, const struct thread *thread, const struct clock *clock)
{
	struct clock known = thread->needed;
	uint32_t kept = 0;

	join(&known, clock);
	for (uint32_t i = 0; i < judge->open_count; i++) {
		const struct open_wait *wait = &judge->open[i];

		if (wait->on_device && makes_wait(judge, wait, clock) &&
		    has_guarded(judge, &wait->covers, &known))
			judge_call(judge, wait->call, WAIT_NEEDED);
		else
			judge->open[kept++] = *wait;
	}
	judge->open_count = kept;
}

static void take_wait(struct judge *judge, uint32_t call, const struct clock *clock,
		      const struct clock *likely)
{
	const struct profile_timed_call *timed = &judge->profile->timeline[call];
	const struct profile_api *api = &judge->profile->apis[timed->api];
	struct thread *thread = thread_of(judge, timed->thread);
	const bool repeated = thread->waited && covers(&thread->all, clock);
	const bool likely_repeated = thread->waited && covers(&thread->likely, clock) &&
				     !strcmp(api->kind, "sync") &&
				     !timing_wait_ns(judge->timing, call);

	if (judge->gone)
		need_order(judge, thread, clock);
	join(&thread->all, clock);
	join(&thread->likely, likely);
	thread->waited = true;
	if (repeated) {
		take_repeated(judge, call, api);
		return;
	}
	if (!is_candidate(judge, api) || has_guarded(judge, clock, &thread->needed)) {
		if (is_candidate(judge, api))
			judge_call(judge, call, WAIT_NEEDED);
		join(&thread->needed, clock);
		join(&judge->needed, clock);
		close_covered(judge, &judge->needed);
		return;
	}
	if (!likely_repeated)
		close_covered(judge, clock);
	open_wait(judge,
		  (struct open_wait){.call = call,
				     .otherwise = likely_repeated ? WAIT_REPEATED : WAIT_UNNEEDED,
				     .covers = *clock});
}

/* The call does not wait: what it asks about has to be done. */
static void take_need(struct judge *judge, const struct profile_wait *wait)
{
	const struct stream *stream = stream_of(judge, wait->device, wait->stream);
	struct clock clock = {0};

	join_by(judge, &clock, stream, wait->recorded_ns);
	join_orders(judge, &clock, wait->call);
	for (uint32_t s = 0; s < judge->stream_count; s++)
		need(judge, s, judge->needed.done[s], clock.done[s], WAIT_NEEDED, NULL, NULL);
}

/* The host does something in the stream, which any wait may protect. */
static void take_host_function(struct judge *judge, const struct profile_wait *wait)
{
	struct stream *stream = stream_of(judge, wait->device, wait->stream);

	order_stream(judge, stream, wait->call, false);
	add_operation(judge, stream, wait->call, NULL);
}

/* What the call takes away is not to be used any more, and nobody promises that it waits. */
static void need_users(struct judge *judge, bool of_host)
{
	for (uint32_t s = 0; s < judge->stream_count; s++)
		need(judge, s, judge->needed.done[s],
		     of_host ? judge->streams[s].last_host : judge->streams[s].count, WAIT_NEEDED,
		     NULL, NULL);
}

/* Memory that comes in the order of a stream: there is none for others before. */
static void take_allocation(struct judge *judge, uint32_t call)
{
	const struct profile_timed_call *timed = &judge->profile->timeline[call];
	struct stream *stream = stream_of(judge, timed->device, timed->stream);
	uint32_t site = graph_find(judge->profile->graph, judge->profile->apis[timed->api].vertex);

	order_stream(judge, stream, call, false);
	add_operation(judge, stream, call, &(struct effects){.unknown = site == UINT32_MAX});
	if (site != UINT32_MAX)
		stream->last_touch[site] = stream->last_write[site] = stream->count;
}

/*
 * A copy that is asynchronous by its name waits where the memory of the host is pageable.  Nothing
 * is to rest on that: pinned, as another finding advises, the same call does not wait.
 */
static bool waits_by_contract(const struct judge *judge, const struct profile_api *api)
{
	uint32_t v = graph_find(judge->profile->graph, api->vertex);

	return v == UINT32_MAX || !graph_vertex_is(&judge->profile->graph->vertices[v], "memcpy") ||
	       api_is_synchronous_copy(api->name);
}

/* Whether the wait is told to be superfluous. */
static bool is_spared(const struct judge *judge, uint32_t call)
{
	const unsigned char need = judge->run->wait_needs[call];

	return need == WAIT_UNNEEDED || need == WAIT_REPEATED ||
	       (judge->narrow && need == WAIT_ORDERS);
}

static void take_call(struct judge *judge, uint32_t call)
{
	const struct timing *timing = judge->timing;
	const struct profile_timed_call *timed = &judge->profile->timeline[call];
	const struct profile_api *api = &judge->profile->apis[timed->api];
	const bool is_free = !strcmp(api->kind, "free");
	const enum api_needs needs = is_free ? api_needs(api->name) : API_NEEDS_NOTHING;
	struct clock clock = {0}, likely = {0};
	bool known = false;

	if (!strcmp(api->kind, "alloc") && api_is_asynchronous(api->name))
		take_allocation(judge, call);
	for (uint32_t o = timing->operations[call]; o < timing->operations[call + 1]; o++)
		take_operation(judge, &judge->profile->gpu_times[o]);
	for (uint32_t w = timing->waits[call]; w < timing->waits[call + 1]; w++)
		if (judge->profile->waits[w].scope == GPU_WAIT_NEEDS)
			take_need(judge, &judge->profile->waits[w]);
		else if (judge->profile->waits[w].scope == GPU_WAIT_HOST)
			take_host_function(judge, &judge->profile->waits[w]);
		else if (join_wait(judge, &clock, &judge->profile->waits[w], false))
			known = join_wait(judge, &likely, &judge->profile->waits[w], true);
	if (needs == API_NEEDS_MEMORY || needs == API_NEEDS_HOST_MEMORY)
		need_users(judge, needs == API_NEEDS_HOST_MEMORY);
	if (needs == API_NEEDS_MEMORY ||
	    (known && (!waits_by_contract(judge, api) ||
		       ((judge->gone || judge->narrow) && is_spared(judge, call)))))
		return;
	if (known) {
		join_orders(judge, &clock, call);
		join(&likely, &clock);
		if (judge->narrow)
			narrow_wait(judge, call, &clock);
		else
			take_wait(judge, call, &clock, &likely);
	} else if (is_free) {
		/* others may get the memory at once: what uses it has to be done */
		const struct stream *stream = stream_of(judge, timed->device, timed->stream);

		need_all(judge, &stream->clock, WAIT_NEEDED, NULL);
	}
}

/* Of processes with several threads nothing is said, nor with a default stream for each. */
static void narrow_begin(struct judge *judge, uint32_t first, uint32_t end, bool fits)
{
	const struct profile *profile = judge->profile;
	struct narrow *narrow = judge->narrow;

	narrow->off = !fits;
	for (uint32_t c = first; c < end; c++) {
		const char *name = profile->apis[profile->timeline[c].api].name;

		narrow->off |= profile->timeline[c].thread != profile->timeline[first].thread ||
			       (name && (strstr(name, "_ptsz") || strstr(name, "_ptds")));
	}
	for (uint32_t c = first; c < end; c++) {
		struct narrow_api *api = &narrow->apis[profile->timeline[c].api];

		*api = (struct narrow_api){
			.out = api->out || narrow->off, .enough = UINT32_MAX, .last = UINT32_MAX};
	}
}

static void find_breadth(struct judge *judge, uint32_t index)
{
	const struct narrow_api *api = &judge->narrow->apis[index];
	struct wait_breadth *found = &judge->narrow->found[index];
	const struct stream *stream;
	uint32_t s = 0, enough = api->enough & api->less;

	if (api->out || !api->calls || !enough)
		return;
	while (!(enough >> s & 1))
		s++;
	if (api->last < STREAMS && enough >> api->last & 1)
		s = api->last;
	stream = &judge->streams[s];
	if (found->calls && (found->stream != stream->number || found->device != stream->device)) {
		give_up(judge, index);
		return;
	}
	found->calls += api->calls;
	found->device = stream->device;
	found->stream = stream->number;
	found->vertex =
		api->last < STREAMS
			? judge->profile->apis[judge->profile->timeline[api->last_call].api].vertex
			: PROFILE_NO_VERTEX;
}

/* The process ends when all is done. */
static void narrow_end(struct judge *judge, bool fits)
{
	struct narrow *narrow = judge->narrow;

	for (uint32_t s = 0; fits && s < judge->stream_count; s++)
		if (!judge->streams[s].moved)
			narrow_need(judge, s, judge->needed.done[s], judge->streams[s].count, NULL);
	while (narrow->count)
		close_wide(judge, narrow->count - 1);
	for (uint32_t a = 0; a < judge->profile->api_count; a++) {
		find_breadth(judge, a);
		narrow->apis[a] = (struct narrow_api){.out = narrow->apis[a].out};
	}
}

static void take_process(struct judge *judge, uint32_t first, uint32_t end)
{
	bool fits = find_streams(judge, first, end);

	if (judge->narrow)
		narrow_begin(judge, first, end, fits);
	if (fits) {
		for (uint32_t c = first; c < end; c++)
			take_call(judge, c);
		/* the last one before the process ends: that would end its operations */
		for (uint32_t i = 0; i < judge->open_count; i++)
			judge_call(judge, judge->open[i].call,
				   judge->downloads_aside || judge->gone ||
						   judge->open[i].otherwise == WAIT_REPEATED
					   ? judge->open[i].otherwise
					   : WAIT_NEEDED);
	}
	if (judge->narrow)
		narrow_end(judge, fits);
	release_process(judge);
}

static unsigned char *judge_all(const struct run *run, const struct timing *timing,
				bool downloads_aside, const bool *gone, struct narrow *narrow)
{
	const struct profile *profile = timing->profile;
	struct touches *touches;
	struct judge *judge;
	unsigned char *needs;

	if (run->reads_unseen || run->writes_unseen)
		return NULL;
	judge = xcalloc(1, sizeof(*judge));
	judge->run = run;
	judge->timing = timing;
	judge->profile = profile;
	judge->downloads_aside = downloads_aside;
	judge->gone = gone;
	judge->narrow = narrow;
	judge->needs = needs = xcalloc(profile->timeline_count, 1);
	judge->touches = touches = touches_new(run);
	for (uint32_t first = 0, end; first < profile->timeline_count; first = end) {
		for (end = first;
		     end < profile->timeline_count &&
		     profile->timeline[end].process == profile->timeline[first].process;)
			end++;
		take_process(judge, first, end);
	}
	touches_free(touches);
	free(judge->threads);
	free(judge->open);
	free(judge);
	return needs;
}

unsigned char *wait_needs(const struct run *run, const struct timing *timing, bool downloads_aside)
{
	return judge_all(run, timing, downloads_aside, NULL, NULL);
}

bool *wait_needs_of_gone(const struct run *run, const bool *gone)
{
	const struct profile *profile = run->profile;
	bool *relied = xcalloc((size_t)profile->graph->vertex_count + 1, sizeof(*relied));
	unsigned char *needs =
		run->wait_needs ? judge_all(run, run->timing, false, gone, NULL) : NULL;

	for (uint32_t c = 0; needs && c < profile->timeline_count; c++) {
		uint32_t v =
			graph_find(profile->graph, profile->apis[profile->timeline[c].api].vertex);

		if (v != UINT32_MAX && gone[v])
			relied[v] |= needs[c] == WAIT_NEEDED || needs[c] == WAIT_ORDERS;
	}
	free(needs);
	return relied;
}

struct wait_breadth *wait_breadths(const struct run *run)
{
	/* each leaves out what the one before found first to need more; the last ones, all of it */
	enum { PASSES = 6, FIRST_ONLY = 4 };
	const uint32_t count = run->profile->api_count;
	struct narrow *narrow = xcalloc(1, sizeof(*narrow));
	struct wait_breadth *found = NULL;
	bool *settled = xcalloc((size_t)count + 1, sizeof(*settled));

	narrow->apis = xcalloc((size_t)count + 1, sizeof(*narrow->apis));
	narrow->dropped = run->wait_needs != NULL;
	for (int pass = 0; pass < PASSES && narrow->dropped; pass++) {
		free(found);
		found = xcalloc((size_t)count + 1, sizeof(*found));
		narrow->found = found;
		narrow->dropped = false;
		free(judge_all(run, run->timing, false, NULL, narrow));
		for (uint32_t a = 0; narrow->dropped && pass < FIRST_ONLY && a < count; a++)
			narrow->apis[a].out = settled[a] || a == narrow->first;
		for (uint32_t a = 0; a < count; a++)
			settled[a] = narrow->apis[a].out;
	}
	for (uint32_t a = 0; found && a < count; a++)
		if (narrow->apis[a].out)
			found[a].calls = 0;
	free(settled);
	free(narrow->apis);
	free(narrow);
	return found;
}
