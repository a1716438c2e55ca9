#include "advice/order/walk.h"

#include <string.h>

#include "gpu/nvidia/apis.h"
#include "gpu/records.h"

/* known: how many operations of the stream come before that anyway */
static void need(struct walk *walk, uint32_t stream, uint32_t known, uint32_t to,
		 enum wait_need why, struct stream *by, const struct clock *clock)
{
	struct question *question = walk->question;

	question->kind->need(walk, question, stream,
			     clocks_most(question->needed.done[stream], known), to, why, by, clock);
}

/* The operations that are neither done nor come before what begins after `clock`. */
static void need_all(struct walk *walk, const struct clock *clock, struct stream *by)
{
	for (uint32_t s = 0; s < walk->clocks.stream_count; s++)
		need(walk, s, clock->done[s], walk->clocks.streams[s].count, WAIT_NEEDED, by,
		     by ? clock : NULL);
}

/* Of the operation that comes next: what it needs of other streams' operations. */
static void need_touched(struct walk *walk, const struct clock *clock,
			 const struct effects *effects, struct stream *by)
{
	const struct question *question = walk->question;

	for (uint32_t s = 0; s < walk->clocks.stream_count && question->asks; s++)
		if (clocks_most(question->needed.done[s], clock->done[s]) <
		    walk->clocks.streams[s].count)
			need(walk, s, clock->done[s],
			     clocks_last_touched(&walk->clocks, s, effects), WAIT_ORDERS, by,
			     clock);
}

static void take_operation(struct walk *walk, const struct profile_gpu_time *time)
{
	const struct order *order = walk->order;
	const struct graph *graph = order->profile->graph;
	struct clocks *clocks = &walk->clocks;
	struct stream *stream = &clocks->streams[order->of_call[time->call]];
	uint32_t v =
		time->vertex == PROFILE_NO_VERTEX ? UINT32_MAX : graph_find(graph, time->vertex);
	const struct effects *effects = v == UINT32_MAX ? NULL : &order->touches->effects[v];
	const bool gone = clocks->gone && v != UINT32_MAX && clocks->gone[v] &&
			  !order->profile->timeline[time->call].stream;
	struct question *question = walk->question;
	struct clock clock;

	if (question->kind->move && question->kind->move(walk, question, time, effects))
		return;
	clocks_order(clocks, stream, time->call, gone);
	clock = stream->clock;
	if (gone) /* streams may be in order only because it is between them */
		clocks_join_ordered(clocks, &clock, clocks_index(clocks, stream));
	if (!effects || effects->unknown)
		need_all(walk, &clock, stream);
	else
		need_touched(walk, &clock, effects, stream);
	if (gone && question->kind->left_out)
		question->kind->left_out(walk, question, time->call, stream, &clock);
	clocks_add(clocks, stream, time->call, effects);
	if (gone)
		clocks_add_left_out(stream);
}

/* The call does not wait: what it asks about has to be done. */
static void take_need(struct walk *walk, uint32_t w)
{
	const struct profile_wait *wait = &walk->order->profile->waits[w];
	struct clock clock = {0};

	clocks_join_by(&walk->clocks, &clock, walk->order->of_wait[w], wait->recorded_ns);
	clocks_join_orders(&walk->clocks, &clock, wait->call);
	for (uint32_t s = 0; s < walk->clocks.stream_count; s++)
		need(walk, s, 0, clock.done[s], WAIT_NEEDED, NULL, NULL);
}

/* The host does something in the stream, which any wait may protect. */
static void take_host_function(struct walk *walk, uint32_t w)
{
	const uint32_t call = walk->order->profile->waits[w].call;
	struct stream *stream = &walk->clocks.streams[walk->order->of_wait[w]];

	clocks_order(&walk->clocks, stream, call, false);
	clocks_add(&walk->clocks, stream, call, NULL);
}

/* What the call takes away is not to be used any more, and nobody promises that it waits. */
static void need_users(struct walk *walk, bool of_host)
{
	for (uint32_t s = 0; s < walk->clocks.stream_count; s++) {
		const struct stream *stream = &walk->clocks.streams[s];

		need(walk, s, 0, of_host ? stream->last_host : stream->count, WAIT_NEEDED, NULL,
		     NULL);
	}
}

/* Memory that comes in the order of a stream: there is none for others before. */
static void take_allocation(struct walk *walk, uint32_t call)
{
	const struct profile *profile = walk->order->profile;
	struct stream *stream = &walk->clocks.streams[walk->order->of_call[call]];

	clocks_order(&walk->clocks, stream, call, false);
	clocks_allocate(
		&walk->clocks, stream, call,
		graph_find(profile->graph, profile->apis[profile->timeline[call].api].vertex));
}

/*
 * A copy that is asynchronous by its name waits where the memory of the host is pageable.  Nothing
 * is to rest on that: pinned, as another finding advises, the same call does not wait.
 */
static bool waits_by_contract(const struct profile *profile, const struct profile_api *api)
{
	uint32_t v = graph_find(profile->graph, api->vertex);

	return v == UINT32_MAX || !graph_vertex_is(&profile->graph->vertices[v], "memcpy") ||
	       api_is_synchronous_copy(api->name);
}

static bool is_spared(const struct walk *walk, uint32_t call)
{
	return walk->spared && walk->spared >> walk->needs[call] & 1;
}

static void take_waits(struct walk *walk, uint32_t call, const struct profile_api *api)
{
	const struct order *order = walk->order;
	const struct timing *timing = order->timing;
	const bool is_free = !strcmp(api->kind, "free");
	const enum api_needs needs = is_free ? api_needs(api->name) : API_NEEDS_NOTHING;
	struct clock clock = {0}, likely = {0};
	bool known = false;

	for (uint32_t w = timing->waits[call]; w < timing->waits[call + 1]; w++)
		if (order->profile->waits[w].scope == GPU_WAIT_NEEDS)
			take_need(walk, w);
		else if (order->profile->waits[w].scope == GPU_WAIT_HOST)
			take_host_function(walk, w);
		else if (clocks_join_wait(&walk->clocks, &clock, &order->profile->waits[w], false))
			known = clocks_join_wait(&walk->clocks, &likely, &order->profile->waits[w],
						 true);
	if (needs == API_NEEDS_MEMORY || needs == API_NEEDS_HOST_MEMORY)
		need_users(walk, needs == API_NEEDS_HOST_MEMORY);
	if (needs == API_NEEDS_MEMORY ||
	    (known && (!waits_by_contract(order->profile, api) || is_spared(walk, call))))
		return;
	if (known) {
		clocks_join_orders(&walk->clocks, &clock, call);
		clock_join(&likely, &clock);
		walk->question->kind->wait(walk, walk->question, call, &clock, &likely);
	} else if (is_free) {
		/* others may get the memory at once: what uses it has to be done */
		need_all(walk, &walk->clocks.streams[order->of_call[call]].clock, NULL);
	}
}

static void take_call(struct walk *walk, uint32_t call)
{
	const struct timing *timing = walk->order->timing;
	const struct profile *profile = walk->order->profile;
	const struct profile_api *api = &profile->apis[profile->timeline[call].api];

	if (!strcmp(api->kind, "alloc") && api_is_asynchronous(api->name))
		take_allocation(walk, call);
	for (uint32_t o = timing->operations[call]; o < timing->operations[call + 1]; o++)
		take_operation(walk, &profile->gpu_times[o]);
	take_waits(walk, call, api);
}

void order_walk(struct walk *walk)
{
	const struct order *order = walk->order;
	struct question *question = walk->question;

	walk->clocks.order = order;
	for (uint32_t p = 0; p < order->process_count; p++) {
		const struct process *process = &order->processes[p];

		clocks_begin(&walk->clocks, process);
		question->needed = (struct clock){0};
		if (question->kind->begin)
			question->kind->begin(walk, question, process);
		for (uint32_t c = process->first; process->fits && c < process->end; c++)
			take_call(walk, c);
		question->kind->end(walk, question, process);
		clocks_end(&walk->clocks);
	}
}
