#include "advice/order/streams.h"

#include <stdlib.h>

#include "gpu/records.h"
#include "util/memory.h"

uint32_t order_add_stream(struct stream_name *streams, uint32_t *count, uint32_t device,
			  uint32_t number)
{
	for (uint32_t s = 0; s < *count; s++)
		if (streams[s].device == device && streams[s].number == number)
			return s;
	if (*count == STREAMS)
		return NO_STREAM;
	streams[*count] =
		(struct stream_name){.device = device, .number = number, .nonblocking = number};
	return (*count)++;
}

static bool add(struct process *process, unsigned char *index, uint32_t device, uint32_t number)
{
	*index = (unsigned char)order_add_stream(process->streams, &process->stream_count, device,
						 number);
	return *index != NO_STREAM;
}

static bool add_called(struct order *order, struct process *process, uint32_t c)
{
	const struct profile_timed_call *call = &order->profile->timeline[c];
	struct stream_name *stream;

	if (!add(process, &order->of_call[c], call->device, call->stream))
		return false;
	stream = &process->streams[order->of_call[c]];
	stream->nonblocking = call->nonblocking || (stream->called && stream->nonblocking);
	stream->called = true;
	return true;
}

static bool has_stream(const struct profile_wait *wait)
{
	return wait->scope == GPU_WAIT_STREAM || wait->scope == GPU_WAIT_EVENT ||
	       wait->scope == GPU_WAIT_NEEDS || wait->scope == GPU_WAIT_HOST;
}

static void find_streams(struct order *order, struct process *process)
{
	const struct profile *profile = order->profile;
	const struct timing *timing = order->timing;
	bool fits = true;

	for (uint32_t c = process->first; c < process->end && fits; c++) {
		fits = add_called(order, process, c);
		for (uint32_t w = timing->waits[c]; w < timing->waits[c + 1]; w++)
			if (has_stream(&profile->waits[w]))
				fits = fits &&
				       add(process, &order->of_wait[w], profile->waits[w].device,
					   profile->waits[w].stream);
		for (uint32_t o = timing->orders[c]; o < timing->orders[c + 1]; o++)
			fits = fits &&
			       add(process, &order->of_order[o], profile->stream_orders[o].device,
				   profile->stream_orders[o].stream);
	}
	process->fits = fits;
}

struct order *order_new(const struct run *run)
{
	const struct profile *profile = run->profile;
	struct order *order;

	if (run->reads_unseen || run->writes_unseen)
		return NULL;
	order = xcalloc(1, sizeof(*order));
	order->profile = profile;
	order->timing = run->timing;
	order->operations = run->operations;
	order->touches = touches_new(run);
	order->of_call = xcalloc((size_t)profile->timeline_count + 1, 1);
	order->of_wait = xcalloc((size_t)profile->wait_count + 1, 1);
	order->of_order = xcalloc((size_t)profile->stream_order_count + 1, 1);
	for (uint32_t first = 0, end; first < profile->timeline_count; first = end) {
		for (end = first;
		     end < profile->timeline_count &&
		     profile->timeline[end].process == profile->timeline[first].process;)
			end++;
		ARRAY_RESERVE(order->processes, order->process_count, order->process_capacity);
		order->processes[order->process_count] =
			(struct process){.first = first, .end = end};
		find_streams(order, &order->processes[order->process_count++]);
	}
	return order;
}

void order_free(struct order *order)
{
	if (!order)
		return;
	touches_free(order->touches);
	free(order->processes);
	free(order->of_call);
	free(order->of_wait);
	free(order->of_order);
	free(order);
}
