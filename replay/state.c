/*
 * replay/state.c: what streams have to do still, while a run is walked.
 */
#include <stdlib.h>

#include "gpu/records.h"
#include "replay/replay_internal.h"
#include "util/memory.h"

void state_new(struct state *state, const struct replay *replay)
{
	*state = (struct state){
		.replay = replay,
		.streams = xcalloc(replay->stream_count + 1, sizeof(*state->streams)),
		.devices = xcalloc(replay->device_count + 1, sizeof(*state->devices)),
		.ends = xcalloc(replay->operation_count + 1, sizeof(*state->ends)),
		.stream_ends = xcalloc(replay->operation_count + 1, sizeof(*state->stream_ends)),
		.blocking_ends =
			xcalloc(replay->operation_count + 1, sizeof(*state->blocking_ends)),
	};
	for (uint32_t i = 0; i < replay->stream_count; i++)
		state->streams[i].blocking = replay->streams[i].blocking;
}

void state_release(struct state *state)
{
	free(state->streams);
	free(state->devices);
	free(state->ends);
	free(state->stream_ends);
	free(state->blocking_ends);
}

/* All that is in the stream, and what that comes after. */
static uint64_t stream_ready(const struct state *state, uint32_t index)
{
	const struct stream *stream = &state->replay->streams[index];
	const struct stream_state *now = &state->streams[index];
	const struct device_state *device = &state->devices[stream->device];
	uint64_t end = time_max(now->end, now->order);

	if (!stream->number)
		return time_max(end, device->blocking);
	return now->blocking ? time_max(end, device->default_) : end;
}

uint64_t state_ready(const struct state *state, uint32_t index, uint32_t in)
{
	const struct operation *operation = &state->replay->operations[index];
	const struct stream *stream = &state->replay->streams[operation->stream];
	uint64_t end = state->streams[operation->stream].order;

	if (!operation->parallel || in != operation->stream)
		return stream_ready(state, in);
	if (operation->follows != NONE)
		end = time_max(end, state->ends[operation->follows]);
	if (stream->number && operation->blocking)
		end = time_max(end, state->devices[stream->device].default_);
	return end;
}

void state_place(struct state *state, uint32_t index, uint32_t in, uint64_t end, bool removed)
{
	const struct operation *operation = &state->replay->operations[index];
	struct stream_state *stream = &state->streams[in];
	uint32_t of_device = state->replay->streams[operation->stream].device;
	struct device_state *device = &state->devices[of_device];

	if (removed) {
		end = state_ready(state, index, in);
	} else {
		stream->end = time_max(stream->end, end);
		device->all = time_max(device->all, end);
		state->all = time_max(state->all, end);
		if (in == operation->stream ? operation->blocking : stream->blocking)
			device->blocking = time_max(device->blocking, end);
		if (!state->replay->streams[in].number)
			device->default_ = time_max(device->default_, end);
	}
	state->ends[index] = end ? end : 1;
	state->stream_ends[index] = time_max(stream->end, stream->order);
	if (in != operation->stream) /* what was recorded behind it there waits for both */
		state->stream_ends[index] =
			time_max(state->stream_ends[index], stream_ready(state, operation->stream));
	state->blocking_ends[index] = device->blocking;
}

bool state_has(const struct state *state, const struct position *position)
{
	return (position->last == NONE || state->ends[position->last]) &&
	       (position->default_ == NONE || state->ends[position->default_]);
}

uint64_t state_position(const struct state *state, const struct position *position)
{
	uint64_t end = 0;

	if (position->last != NONE)
		end = position->all_blocking ? state->blocking_ends[position->last]
					     : state->stream_ends[position->last];
	if (position->default_ != NONE)
		end = time_max(end, state->stream_ends[position->default_]);
	return end;
}

void state_take_orders(struct state *state, const struct call *call, uint32_t stream)
{
	struct stream_state *now = &state->streams[call->stream], *in = &state->streams[stream];

	for (uint32_t i = call->order; !call->only_waits && i < call[1].order; i++) {
		uint64_t end = state_position(state, &state->replay->orders[i].position);

		now->order = time_max(now->order, end);
		in->order = time_max(in->order, end);
	}
}

static uint64_t scope_end(const struct state *state, const struct wait *wait)
{
	const struct device_state *device = &state->devices[wait->device];

	switch (wait->scope) {
	case GPU_WAIT_ALL:
		return device->all;
	case GPU_WAIT_DEFAULT:
		return device->blocking;
	case GPU_WAIT_STREAM:
		return stream_ready(state, wait->stream);
	case GPU_WAIT_EVENT:
	case GPU_WAIT_QUEUE:
		return state_position(state, &wait->event);
	default:
		return 0;
	}
}

uint64_t state_target(const struct state *state, const struct call *call, const struct wait *wait,
		      uint32_t only)
{
	const bool narrow = only != NONE && wait->scope <= GPU_WAIT_STREAM &&
			    wait->device == state->replay->streams[only].device;
	uint64_t end = narrow ? stream_ready(state, only) : scope_end(state, wait);

	for (uint32_t i = call->order;
	     call->only_waits && wait->scope < GPU_WAIT_NEEDS && i < call[1].order; i++)
		end = time_max(end, state_position(state, &state->replay->orders[i].position));
	return end;
}

bool state_is_quiet(const struct state *state, const struct process *process, uint64_t time)
{
	int64_t gap = process->lags.gap;

	return !state->all || time_add(state->all, gap > 0 ? (uint64_t)gap : 0) <= time;
}

uint64_t state_own(const struct state *state, uint32_t call)
{
	const struct call *of = &state->replay->calls[call];
	uint64_t end = 0;

	for (uint32_t i = of->operation; i < of[1].operation; i++)
		end = time_max(end, state->ends[i]);
	return end;
}
