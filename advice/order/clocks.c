#include "advice/order/clocks.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/nvidia/apis.h"
#include "gpu/records.h"
#include "util/memory.h"

void clocks_begin(struct clocks *clocks, const struct process *process)
{
	memcpy(clocks->names, process->streams, sizeof(clocks->names));
	memset(clocks->streams, 0, sizeof(clocks->streams));
	clocks->stream_count = process->stream_count;
}

void clocks_end(struct clocks *clocks)
{
	for (uint32_t s = 0; s < clocks->stream_count; s++) {
		struct stream *stream = &clocks->streams[s];

		free(stream->issued);
		free(stream->calls);
		free(stream->guarded.items);
		free(stream->seen.items);
		free(stream->left_out.items);
		free(stream->history);
		free(stream->last_touch);
		free(stream->last_write);
	}
	clocks->stream_count = 0;
}

struct stream *clocks_move(struct clocks *clocks, uint32_t device, uint32_t api)
{
	uint32_t s = order_add_stream(clocks->names, &clocks->stream_count, device, MOVED + api);

	return s == NO_STREAM ? NULL : &clocks->streams[s];
}

struct stream *clocks_moved(struct clocks *clocks, uint32_t device, uint32_t api)
{
	for (uint32_t s = 0; s < clocks->stream_count; s++)
		if (clocks->names[s].number == MOVED + api && clocks->names[s].device == device)
			return &clocks->streams[s];
	return NULL;
}

bool clocks_is_moved(const struct clocks *clocks, uint32_t stream)
{
	return clocks->names[stream].number >= MOVED;
}

uint32_t clocks_index(const struct clocks *clocks, const struct stream *stream)
{
	return (uint32_t)(stream - clocks->streams);
}

void clock_join(struct clock *clock, const struct clock *other)
{
	for (int s = 0; s < STREAMS; s++)
		if (other->done[s] > clock->done[s])
			clock->done[s] = other->done[s];
}

bool clock_covers(const struct clock *whole, const struct clock *part)
{
	for (int s = 0; s < STREAMS; s++)
		if (part->done[s] > whole->done[s])
			return false;
	return true;
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

void clocks_join(const struct clocks *clocks, struct clock *clock, uint32_t index, uint32_t count)
{
	const struct stream *stream = &clocks->streams[index];
	uint32_t low = 0, high = stream->history_count;

	/* who knows an operation to be done knows all that it came after */
	if (count <= clock->done[index])
		return;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (stream->history[middle].from <= count)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		clock_join(clock, &stream->history[low - 1].clock);
	if (count > clock->done[index])
		clock->done[index] = count;
}

static void join_issued(const struct clocks *clocks, struct clock *clock, uint32_t stream,
			uint64_t time)
{
	if (clocks->streams[stream].count > clock->done[stream])
		clocks_join(clocks, clock, stream, issued_by(&clocks->streams[stream], time));
}

static bool are_ordered(const struct stream_name *a, const struct stream_name *b)
{
	return a == b || (a->device == b->device && !a->nonblocking && !b->nonblocking &&
			  (!a->number || !b->number));
}

/* Whether it is the default stream of the other one's device. */
static bool is_default(const struct stream_name *stream, const struct stream_name *other)
{
	return !stream->number && stream->device == other->device;
}

void clocks_join_by(const struct clocks *clocks, struct clock *clock, uint32_t stream,
		    uint64_t time)
{
	const struct stream_name *name = &clocks->names[stream];

	for (uint32_t s = 0; s < clocks->stream_count; s++)
		if (are_ordered(&clocks->names[s], name) ||
		    (clocks_is_moved(clocks, s) && is_default(name, &clocks->names[s])))
			join_issued(clocks, clock, s, time);
}

void clocks_join_device(const struct clocks *clocks, struct clock *clock, uint32_t device, bool all,
			uint64_t time)
{
	for (uint32_t s = 0; s < clocks->stream_count; s++) {
		const struct stream_name *name = &clocks->names[s];

		if (name->device == device &&
		    (all || clocks_is_moved(clocks, s) || !name->nonblocking))
			join_issued(clocks, clock, s, time);
	}
}

void clocks_join_ordered(const struct clocks *clocks, struct clock *clock, uint32_t stream)
{
	for (uint32_t s = 0; s < clocks->stream_count; s++)
		if (s != stream && are_ordered(&clocks->names[s], &clocks->names[stream]))
			clocks_join(clocks, clock, s, clocks->streams[s].count);
}

/* Whether the stream's last operation by then is left out. */
static bool ends_left_out(const struct stream *stream, uint64_t time)
{
	const uint32_t last = issued_by(stream, time);
	const uint32_t count = numbers_up_to(&stream->left_out, last);

	return count && stream->left_out.items[count - 1] == last;
}

/*
 * An event of a stream that is ordered with the default one is told as coming after that one's last
 * operation, too.  Without the operation it does not come after what that came after.
 */
void clocks_join_orders(const struct clocks *clocks, struct clock *clock, uint32_t call)
{
	const struct order *order = clocks->order;

	for (uint32_t o = order->timing->orders[call]; o < order->timing->orders[call + 1]; o++) {
		const uint32_t s = order->of_order[o];
		const uint64_t time = order->profile->stream_orders[o].recorded_ns;

		if (ends_left_out(&clocks->streams[s], time))
			join_issued(clocks, clock, s, time);
		else
			clocks_join_by(clocks, clock, s, time);
	}
}

bool clocks_leave_out(const struct clocks *clocks, const struct profile_api *api)
{
	uint32_t v =
		clocks->gone ? graph_find(clocks->order->profile->graph, api->vertex) : UINT32_MAX;

	return v != UINT32_MAX && clocks->gone[v] && api_is_synchronous_copy(api->name);
}

/*
 * Whether a copy that waits is done on the device when it returns.  One from pageable memory to the
 * device need not be, only its source has been read; which memory it was is not known.
 */
static bool is_done(const struct order *order, const struct profile_timed_call *call)
{
	uint32_t v = graph_find(order->profile->graph, order->profile->apis[call->api].vertex);

	return v == UINT32_MAX || order->operations[v] != OPERATION_UPLOAD;
}

bool clocks_join_wait(const struct clocks *clocks, struct clock *clock,
		      const struct profile_wait *wait, bool likely)
{
	const struct order *order = clocks->order;
	const struct profile_timed_call *call = &order->profile->timeline[wait->call];
	const uint32_t own = order->of_call[wait->call];
	const bool operations =
		order->timing->operations[wait->call] < order->timing->operations[wait->call + 1];

	if (wait->own && operations && (likely || is_done(order, call)) &&
	    !clocks_leave_out(clocks, &order->profile->apis[call->api]))
		clocks_join(clocks, clock, own, clocks->streams[own].count);
	switch (wait->scope) {
	case GPU_WAIT_ALL:
	case GPU_WAIT_DEFAULT:
		clocks_join_device(clocks, clock, call->device, wait->scope == GPU_WAIT_ALL,
				   call->start_ns);
		return true;
	case GPU_WAIT_STREAM:
	case GPU_WAIT_EVENT:
		clocks_join_by(clocks, clock, order->of_wait[wait - order->profile->waits],
			       wait->scope == GPU_WAIT_EVENT ? wait->recorded_ns : call->start_ns);
		return true;
	case GPU_WAIT_OWN:
		return wait->own && operations;
	default:
		return false;
	}
}

void clocks_remember(struct stream *stream)
{
	ARRAY_RESERVE(stream->history, stream->history_count, stream->history_capacity);
	stream->history[stream->history_count++] =
		(struct snapshot){stream->count + 1, stream->clock};
}

void clocks_order(struct clocks *clocks, struct stream *stream, uint32_t call, bool alone)
{
	const struct clock before = stream->clock;

	clocks_join_orders(clocks, &stream->clock, call);
	if (!alone)
		clocks_join_ordered(clocks, &stream->clock, clocks_index(clocks, stream));
	if (memcmp(&before, &stream->clock, sizeof(before)) != 0)
		clocks_remember(stream);
}

static void make_lasts(const struct clocks *clocks, struct stream *stream)
{
	const uint32_t vertices = clocks->order->profile->graph->vertex_count;

	if (stream->last_touch)
		return;
	stream->last_touch = xcalloc(vertices, sizeof(*stream->last_touch));
	stream->last_write = xcalloc(vertices, sizeof(*stream->last_write));
}

static void add_number(struct numbers *numbers, uint32_t number)
{
	ARRAY_RESERVE(numbers->items, numbers->count, numbers->capacity);
	numbers->items[numbers->count++] = number;
}

static void note_touches(struct clocks *clocks, struct stream *stream,
			 const struct effects *effects, bool gone)
{
	const struct touch *rows = clocks->order->touches->rows;

	make_lasts(clocks, stream);
	if (!effects || effects->guarded || effects->downloads)
		stream->last_host = stream->count;
	if (effects && effects->downloads)
		stream->last_download = stream->count;
	if (!effects || effects->unknown)
		stream->last_unknown = stream->count;
	for (uint32_t t = effects ? effects->first : 0; effects && t < effects->end; t++) {
		stream->last_touch[rows[t].site] = stream->count;
		if (rows[t].writes)
			stream->last_write[rows[t].site] = stream->count;
	}
	if (!effects || effects->guarded)
		add_number(&stream->guarded, stream->count);
	if (!effects || effects->guarded || (effects->downloads && !gone))
		add_number(&stream->seen, stream->count);
}

void clocks_add(struct clocks *clocks, struct stream *stream, uint32_t call,
		const struct effects *effects)
{
	const struct profile *profile = clocks->order->profile;
	const struct profile_timed_call *timed = &profile->timeline[call];

	ARRAY_RESERVE(stream->issued, stream->count, stream->capacity);
	ARRAY_RESERVE(stream->calls, stream->count, stream->calls_capacity);
	stream->calls[stream->count] = call;
	stream->issued[stream->count++] = timed->end_ns;
	stream->clock.done[clocks_index(clocks, stream)] = stream->count;
	note_touches(clocks, stream, effects, clocks_leave_out(clocks, &profile->apis[timed->api]));
}

void clocks_add_left_out(struct stream *stream)
{
	add_number(&stream->left_out, stream->count);
}

void clocks_allocate(struct clocks *clocks, struct stream *stream, uint32_t call, uint32_t site)
{
	clocks_add(clocks, stream, call, &(struct effects){.unknown = site == UINT32_MAX});
	if (site != UINT32_MAX)
		stream->last_touch[site] = stream->last_write[site] = stream->count;
}

uint32_t clocks_last_touched(const struct clocks *clocks, uint32_t index,
			     const struct effects *effects)
{
	const struct stream *stream = &clocks->streams[index];
	uint32_t last = stream->last_unknown;

	if (!stream->last_touch)
		return 0;
	/* which memory of the host a copy is about is not known */
	if (effects->downloads)
		last = clocks_most(last, stream->last_host);
	else if (effects->uploads)
		last = clocks_most(last, stream->last_download);
	for (uint32_t t = effects->first; t < effects->end; t++) {
		const struct touch *touch = &clocks->order->touches->rows[t];

		last = clocks_most(last, touch->writes ? stream->last_touch[touch->site]
						       : stream->last_write[touch->site]);
	}
	return last;
}

uint32_t numbers_up_to(const struct numbers *numbers, uint32_t limit)
{
	uint32_t low = 0, high = numbers->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (numbers->items[middle] <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
