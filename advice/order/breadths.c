/*
 * advice/order/breadths.c: how broad waits have to be.  All calls of a function that wait for
 * several streams are taken to wait for one; a function that is found to need more stays as it is,
 * and all is asked again.
 */
#include <stdlib.h>
#include <string.h>

#include "advice/order/walk.h"
#include "gpu/nvidia/apis.h"
#include "gpu/records.h"
#include "util/memory.h"

/*
 * A wait for several streams, or an operation of the default stream, which other streams wait for:
 * is one stream enough?
 */
struct wide {
	uint32_t call, api;
	bool on_device;  /* the host does not wait */
	uint32_t enough; /* bits: streams that would be */
	struct clock covers;
	struct clock *of; /* by stream: what it covers if it waits for that one, or is in it */
};

struct breadth {
	bool out;                 /* one stream is not enough */
	uint32_t enough, less;    /* less: streams with which some call waits for less */
	uint32_t last, last_call; /* the stream, and call, of what was needed last */
	uint64_t calls;
};

struct breadths {
	struct question question;
	struct breadth *apis;
	struct wide wides[64];
	uint32_t count;
	bool off;     /* nothing is said of the process */
	bool dropped; /* a function was found to need more: the first one */
	uint32_t first;
	struct wait_breadth *found;
};

static struct breadths *breadths_of(struct question *question)
{
	return (struct breadths *)question;
}

/* How many of the stream's operations are done before what comes after `clock`, at least. */
static uint32_t known(const struct breadths *breadths, const struct clock *clock, uint32_t stream)
{
	return clocks_most(breadths->question.needed.done[stream], clock->done[stream]);
}

/* -- waits that are wide -- */

static void give_up(struct breadths *breadths, uint32_t api)
{
	if (!breadths->dropped && !breadths->apis[api].out)
		breadths->first = api;
	breadths->dropped |= !breadths->apis[api].out;
	breadths->apis[api].out = true;
}

static void close_wide(struct breadths *breadths, uint32_t index)
{
	free(breadths->wides[index].of);
	breadths->count--;
	memmove(&breadths->wides[index], &breadths->wides[index + 1],
		(breadths->count - index) * sizeof(*breadths->wides));
}

/* It stays as it is. */
static void keep_wide(struct breadths *breadths, uint32_t index)
{
	const struct wide *wide = &breadths->wides[index];

	give_up(breadths, wide->api);
	if (!wide->on_device)
		clock_join(&breadths->question.needed, &wide->covers);
	close_wide(breadths, index);
}

/*
 * What a later wait covers, that one is needed for first; of the operations of a function the last
 * one, as they are in order.
 */
static void open_wide(struct breadths *breadths, const struct wide *wide)
{
	for (uint32_t i = breadths->count; i--;)
		if (clock_covers(&wide->covers, &breadths->wides[i].covers) &&
		    (!wide->on_device ||
		     (breadths->wides[i].on_device && breadths->wides[i].api == wide->api)))
			close_wide(breadths, i);
	if (breadths->count == sizeof(breadths->wides) / sizeof(*breadths->wides))
		keep_wide(breadths, 0);
	breadths->wides[breadths->count++] = *wide;
}

/* Those that are covered, but for the last `kept` ones, are not needed. */
static void close_covered(struct breadths *breadths, const struct clock *by, uint32_t kept)
{
	for (uint32_t i = breadths->count - kept; i--;)
		if (clock_covers(by, &breadths->wides[i].covers))
			close_wide(breadths, i);
}

/* It is needed for the stream's operations up to that number; what needs them may be in `by`. */
static void need_of(const struct clocks *clocks, struct breadths *breadths, uint32_t index,
		    uint32_t stream, uint32_t to, const struct stream *by)
{
	struct wide *wide = &breadths->wides[index];
	struct breadth *api = &breadths->apis[wide->api];

	for (uint32_t s = 0; s < clocks->stream_count; s++)
		if (wide->of[s].done[stream] < to)
			wide->enough &= ~(1u << s);
	if (wide->on_device && by)
		wide->enough &= 1u << clocks_index(clocks, by);
	if (!clocks_is_moved(clocks, stream)) {
		api->last = stream;
		api->last_call = clocks->streams[stream].calls[to - 1];
	}
	api->enough &= wide->enough;
	if (!api->enough || api->out)
		keep_wide(breadths, index);
}

/*
 * The latest that covers the first operation after `from`.  Of what a function does in the default
 * stream, it is that itself.  Returns an index beside 1; 0: there is none.
 */
static uint32_t find_wide(const struct clocks *clocks, const struct breadths *breadths,
			  uint32_t stream, uint32_t from, bool ordered)
{
	const uint32_t self =
		clocks_is_moved(clocks, stream) ? clocks->names[stream].number - MOVED : UINT32_MAX;
	uint32_t found = 0;

	for (uint32_t i = breadths->count; i; i--) {
		const struct wide *wide = &breadths->wides[i - 1];

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

/* Of the one that is needed only so much is kept. */
static void need(struct clocks *clocks, struct breadths *breadths, uint32_t stream, uint32_t from,
		 uint32_t to, struct stream *by)
{
	const bool ordered = by && !clocks->names[clocks_index(clocks, by)].nonblocking;

	while (from < to) {
		uint32_t i = find_wide(clocks, breadths, stream, from, ordered), done;
		bool on_device;

		if (!i) {
			if (clocks_is_moved(clocks, stream))
				give_up(breadths, clocks->names[stream].number - MOVED);
			return;
		}
		done = breadths->wides[i - 1].covers.done[stream];
		done = done < to ? done : to;
		on_device = breadths->wides[i - 1].on_device;
		need_of(clocks, breadths, i - 1, stream, done, by);
		if (!on_device) {
			clocks_join(clocks, &breadths->question.needed, stream, done);
		} else {
			clocks_join(clocks, &by->clock, stream, done);
			clocks_remember(by);
		}
		from = done;
	}
}

static void take_need(struct walk *walk, struct question *question, uint32_t stream, uint32_t from,
		      uint32_t to, enum wait_need why, struct stream *by, const struct clock *clock)
{
	(void)why;
	(void)clock;
	need(&walk->clocks, breadths_of(question), stream, from, to, by);
}

/* Takes note of streams with which the call would wait for less. */
static void count_wide(const struct clocks *clocks, struct breadths *breadths,
		       const struct wide *wide)
{
	struct breadth *api = &breadths->apis[wide->api];

	api->calls++;
	for (uint32_t s = 0; s < clocks->stream_count; s++)
		for (uint32_t t = 0; t < clocks->stream_count; t++)
			if (wide->covers.done[t] > known(breadths, &wide->of[s], t))
				api->less |= 1u << s;
}

/* -- operations of the default stream -- */

/* NULL: the operation stays in its stream, whatever is found. */
static struct stream *moved_stream(struct walk *walk, const struct breadths *breadths,
				   const struct profile_gpu_time *time,
				   const struct effects *effects)
{
	const struct profile *profile = walk->order->profile;
	const struct profile_timed_call *call = &profile->timeline[time->call];
	const uint32_t *operations = &walk->order->timing->operations[time->call];

	if (breadths->off || call->stream || !effects || effects->unknown ||
	    ((effects->guarded || effects->downloads) &&
	     !api_is_synchronous_copy(profile->apis[call->api].name)) ||
	    breadths->apis[call->api].out || operations[0] + 1 != operations[1])
		return NULL;
	return clocks_move(&walk->clocks, call->device, call->api);
}

/* The streams that it could be in, with what comes before it there. */
static struct wide wide_operation(const struct walk *walk, const struct stream *moved,
				  uint32_t call)
{
	const struct clocks *clocks = &walk->clocks;
	const struct profile_timed_call *timed = &walk->order->profile->timeline[call];
	const uint32_t self = clocks_index(clocks, moved), number = moved->count + 1;
	struct wide wide = {.call = call, .api = timed->api, .on_device = true};

	wide.of = xcalloc(STREAMS, sizeof(*wide.of));
	clocks_join_device(clocks, &wide.covers, timed->device, false, timed->start_ns);
	wide.covers.done[self] = number;
	for (uint32_t s = 0; s < clocks->stream_count; s++) {
		const struct stream_name *name = &clocks->names[s];

		if (name->device != timed->device || !name->number || clocks_is_moved(clocks, s) ||
		    !name->called || name->nonblocking)
			continue;
		wide.enough |= 1u << s;
		wide.of[s] = clocks->streams[s].clock;
		wide.of[s].done[s] = clocks->streams[s].count;
		clocks_join_ordered(clocks, &wide.of[s], s);
		clock_join(&wide.of[s], &moved->clock);
		wide.of[s].done[self] = number;
	}
	return wide;
}

static bool take_operation(struct walk *walk, struct question *question,
			   const struct profile_gpu_time *time, const struct effects *effects)
{
	struct breadths *breadths = breadths_of(question);
	struct clocks *clocks = &walk->clocks;
	struct stream *moved = moved_stream(walk, breadths, time, effects);
	uint32_t self, last;
	struct wide wide;

	if (!moved)
		return false;
	self = clocks_index(clocks, moved);
	clocks_order(clocks, moved, time->call, true);
	wide = wide_operation(walk, moved, time->call);
	/* what the default stream is not in order with, the host has waited for */
	for (uint32_t s = 0; s < clocks->stream_count; s++)
		if (s != self && !wide.covers.done[s] && !clocks_is_moved(clocks, s))
			need(clocks, breadths, s, known(breadths, &moved->clock, s),
			     clocks_last_touched(clocks, s, effects), moved);
	count_wide(clocks, breadths, &wide);
	open_wide(breadths, &wide);
	for (uint32_t s = 0; s < clocks->stream_count; s++) {
		last = clocks_last_touched(clocks, s, effects);
		if (s != self && breadths->count &&
		    breadths->wides[breadths->count - 1].call == time->call &&
		    last > known(breadths, &moved->clock, s))
			need_of(clocks, breadths, breadths->count - 1, s, last, NULL);
	}
	clocks_add(clocks, moved, time->call, effects);
	return true;
}

/* -- waits of the host -- */

/* A wait for all streams that does nothing else. */
static bool is_wide_wait(const struct order *order, uint32_t call)
{
	const struct timing *timing = order->timing;
	const uint32_t w = timing->waits[call];
	const struct profile_api *api = &order->profile->apis[order->profile->timeline[call].api];

	return !strcmp(api->kind, "sync") && api_is_synchronization(api->name) &&
	       timing->operations[call] == timing->operations[call + 1] &&
	       w + 1 == timing->waits[call + 1] &&
	       (order->profile->waits[w].scope == GPU_WAIT_ALL ||
		order->profile->waits[w].scope == GPU_WAIT_DEFAULT);
}

/* The same for each stream of its device. */
static void open_wide_wait(const struct walk *walk, struct breadths *breadths, uint32_t call,
			   const struct clock *clock)
{
	const struct clocks *clocks = &walk->clocks;
	const struct profile_timed_call *timed = &walk->order->profile->timeline[call];
	struct wide wide = {.call = call, .api = timed->api, .covers = *clock};

	wide.of = xcalloc(STREAMS, sizeof(*wide.of));
	for (uint32_t s = 0; s < clocks->stream_count; s++)
		if (clocks->names[s].device == timed->device && !clocks_is_moved(clocks, s)) {
			wide.enough |= 1u << s;
			clocks_join_by(clocks, &wide.of[s], s, timed->start_ns);
		}
	count_wide(clocks, breadths, &wide);
	open_wide(breadths, &wide);
}

/* The host may see at once what is done then. */
static void need_seen(struct clocks *clocks, struct breadths *breadths, const struct clock *clock)
{
	for (uint32_t s = 0; s < clocks->stream_count; s++) {
		const struct numbers *seen = &clocks->streams[s].seen;
		const uint32_t count = numbers_up_to(seen, clock->done[s]);

		if (count)
			need(clocks, breadths, s, breadths->question.needed.done[s],
			     seen->items[count - 1], NULL);
	}
}

static void take_wait(struct walk *walk, struct question *question, uint32_t call,
		      const struct clock *clock, const struct clock *likely)
{
	const struct timing *timing = walk->order->timing;
	const struct profile_timed_call *timed = &walk->order->profile->timeline[call];
	struct clocks *clocks = &walk->clocks;
	struct breadths *breadths = breadths_of(question);
	struct wide *last = breadths->count ? &breadths->wides[breadths->count - 1] : NULL;
	struct stream *moved = NULL;

	(void)likely;
	if (timing->operations[call] < timing->operations[call + 1])
		moved = clocks_moved(clocks, timed->device, timed->api);
	if (moved && (!moved->count || moved->calls[moved->count - 1] != call))
		moved = NULL;
	if (moved && last && last->call == call) {
		/* in another stream it waits, too, for what comes before it there, and for itself
		 */
		last->on_device = false;
		clock_join(&last->covers, clock);
		close_covered(breadths, &last->covers, 1);
		need_seen(clocks, breadths, clock);
	} else if (!breadths->off && !breadths->apis[timed->api].out &&
		   is_wide_wait(walk->order, call)) {
		open_wide_wait(walk, breadths, call, clock);
		need_seen(clocks, breadths, clock);
	} else {
		clock_join(&question->needed, clock);
		close_covered(breadths, &question->needed, 0);
	}
	if (moved && !breadths->apis[timed->api].out)
		clocks_join(clocks, &question->needed, clocks_index(clocks, moved), moved->count);
}

/* -- a process -- */

/* Of processes with several threads nothing is said, nor with a default stream for each. */
static void begin_process(struct walk *walk, struct question *question,
			  const struct process *process)
{
	const struct profile *profile = walk->order->profile;
	const struct profile_timed_call *timeline = profile->timeline;
	struct breadths *breadths = breadths_of(question);

	breadths->off = !process->fits;
	for (uint32_t c = process->first; c < process->end; c++) {
		const char *name = profile->apis[timeline[c].api].name;

		breadths->off |= timeline[c].thread != timeline[process->first].thread ||
				 (name && (strstr(name, "_ptsz") || strstr(name, "_ptds")));
	}
	for (uint32_t c = process->first; c < process->end; c++) {
		struct breadth *api = &breadths->apis[timeline[c].api];

		*api = (struct breadth){
			.out = api->out || breadths->off, .enough = UINT32_MAX, .last = UINT32_MAX};
	}
}

static void find_breadth(const struct walk *walk, struct breadths *breadths, uint32_t index)
{
	const struct profile *profile = walk->order->profile;
	const struct breadth *api = &breadths->apis[index];
	struct wait_breadth *found = &breadths->found[index];
	const struct stream_name *stream;
	uint32_t s = 0, enough = api->enough & api->less;

	if (api->out || !api->calls || !enough)
		return;
	while (!(enough >> s & 1))
		s++;
	if (api->last < STREAMS && enough >> api->last & 1)
		s = api->last;
	stream = &walk->clocks.names[s];
	if (found->calls && (found->stream != stream->number || found->device != stream->device)) {
		give_up(breadths, index);
		return;
	}
	found->calls += api->calls;
	found->device = stream->device;
	found->stream = stream->number;
	found->vertex = api->last < STREAMS
				? profile->apis[profile->timeline[api->last_call].api].vertex
				: PROFILE_NO_VERTEX;
}

/* The process ends when all is done. */
static void end_process(struct walk *walk, struct question *question, const struct process *process)
{
	struct clocks *clocks = &walk->clocks;
	struct breadths *breadths = breadths_of(question);

	for (uint32_t s = 0; process->fits && s < clocks->stream_count; s++)
		if (!clocks_is_moved(clocks, s))
			need(clocks, breadths, s, question->needed.done[s],
			     clocks->streams[s].count, NULL);
	while (breadths->count)
		close_wide(breadths, breadths->count - 1);
	for (uint32_t a = 0; a < walk->order->profile->api_count; a++) {
		find_breadth(walk, breadths, a);
		breadths->apis[a] = (struct breadth){.out = breadths->apis[a].out};
	}
}

struct wait_breadth *order_breadths(const struct order *order, const unsigned char *needs)
{
	/* each leaves out what the one before found first to need more; the last ones, all of it */
	enum { PASSES = 6, FIRST_ONLY = 4 };
	static const struct question_kind kind = {.begin = begin_process,
						  .end = end_process,
						  .need = take_need,
						  .wait = take_wait,
						  .move = take_operation};
	const uint32_t count = order->profile->api_count;
	struct breadths *breadths = xcalloc(1, sizeof(*breadths));
	struct walk walk = {.order = order,
			    .needs = needs,
			    .spared = 1u << WAIT_UNNEEDED | 1u << WAIT_REPEATED | 1u << WAIT_ORDERS,
			    .question = &breadths->question};
	struct wait_breadth *found = NULL;
	bool *settled = xcalloc((size_t)count + 1, sizeof(*settled));

	breadths->question = (struct question){.kind = &kind, .asks = true};
	breadths->apis = xcalloc((size_t)count + 1, sizeof(*breadths->apis));
	breadths->dropped = true;
	for (int pass = 0; pass < PASSES && breadths->dropped; pass++) {
		free(found);
		found = xcalloc((size_t)count + 1, sizeof(*found));
		breadths->found = found;
		breadths->dropped = false;
		order_walk(&walk);
		for (uint32_t a = 0; breadths->dropped && pass < FIRST_ONLY && a < count; a++)
			breadths->apis[a].out = settled[a] || a == breadths->first;
		for (uint32_t a = 0; a < count; a++)
			settled[a] = breadths->apis[a].out;
	}
	for (uint32_t a = 0; found && a < count; a++)
		if (breadths->apis[a].out)
			found[a].calls = 0;
	free(settled);
	free(breadths->apis);
	free(breadths);
	return found;
}
