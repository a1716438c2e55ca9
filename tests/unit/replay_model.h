/*
 * tests/unit/replay_model.h: programs of a few steps, run on the model of a device that
 * gpu/emulator/README.md describes, as rows of a profile; written apart from the emulator and from
 * replay/, to hold them against it.
 */
#ifndef TESTS_UNIT_REPLAY_MODEL_H
#define TESTS_UNIT_REPLAY_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/records.h"
#include "graph/profile/profile.h"
#include "util/memory.h"

enum {
	STREAMS = 5,
	EVENTS = 4,
	THREADS = 4
}; /* stream 0 is the default one; from 3 on nonblocking */

enum what {
	WORK,        /* of the host, ns */
	KERNEL,      /* of ns */
	ASYNC_COPY,  /* ... from pinned memory */
	STAGED_COPY, /* asynchronous, from pageable memory */
	COPY,
	SYNC_STREAM,
	SYNC_DEVICE,
	SYNC_EVENT,
	FREE,
	ALLOC,
	RECORD,
	WAIT_EVENT,
	WHATS
};

struct step {
	enum what what;
	uint32_t stream, event;
	uint64_t ns;
	uint32_t thread;
	bool removed, no_wait; /* in the mended program */
	bool narrow;           /* ... it waits for stream `to` only, and what it does is in that */
	uint32_t to;
};

/* A profiler that works after each call, for up to so long; 0: there is none. */
static uint64_t model_overhead;

/* What a stream waits for with no operation since: its next one says it, and what waits for it. */
struct pending {
	struct profile_stream_order rows[STREAMS]; /* the last of each stream */
	uint32_t count;
};

struct model {
	struct profile *profile;
	uint64_t overhead[THREADS];            /* after the last call */
	uint64_t host[THREADS], last[THREADS]; /* last: at its last call, made or removed */
	uint64_t stream[STREAMS], default_end, blocking, all;
	uint64_t event[EVENTS], recorded[EVENTS];
	uint32_t event_stream[EVENTS];
	uint64_t default_ns; /* when the last call with an operation of the default stream returned
			      */
	bool is_recorded[EVENTS],
		called[STREAMS]; /* called: what streams are ordered with is known */
	struct pending pending[STREAMS], before[EVENTS]; /* before: of its stream when recorded */
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline bool is_blocking(uint32_t stream)
{
	return stream < 3;
}

static inline uint64_t ready(const struct model *model, uint32_t stream)
{
	if (!stream)
		return model->blocking;
	return is_blocking(stream) ? later(model->stream[stream], model->default_end)
				   : model->stream[stream];
}

static inline const char *step_kind(enum what what)
{
	switch (what) {
	case KERNEL:
		return "kernel";
	case ASYNC_COPY:
	case STAGED_COPY:
	case COPY:
		return "memcpy";
	case FREE:
		return "free";
	case ALLOC:
		return "alloc";
	default:
		return "sync";
	}
}

static inline uint32_t scope_of(enum what what)
{
	switch (what) {
	case COPY:
		return GPU_WAIT_DEFAULT;
	case STAGED_COPY:
	case SYNC_STREAM:
		return GPU_WAIT_STREAM;
	case SYNC_EVENT:
		return GPU_WAIT_EVENT;
	case SYNC_DEVICE:
	case FREE:
		return GPU_WAIT_ALL;
	default:
		return 0;
	}
}

static inline uint64_t own_time(enum what what)
{
	switch (what) {
	case SYNC_STREAM:
	case SYNC_DEVICE:
	case SYNC_EVENT:
		return 1000;
	case FREE:
		return 30000;
	default:
		return 5000;
	}
}

static inline uint64_t scope_end(const struct model *model, const struct step *step)
{
	switch (step->narrow && scope_of(step->what) ? GPU_WAIT_STREAM : scope_of(step->what)) {
	case GPU_WAIT_DEFAULT:
		return model->blocking;
	case GPU_WAIT_STREAM:
		return ready(model, step->stream);
	case GPU_WAIT_EVENT:
		return model->event[step->event];
	case GPU_WAIT_ALL:
		return model->all;
	default:
		return 0;
	}
}

static inline void add_orders(struct model *model, const struct pending *pending)
{
	struct profile *profile = model->profile;

	for (uint32_t i = 0; i < pending->count; i++) {
		ARRAY_RESERVE(profile->stream_orders, profile->stream_order_count,
			      profile->stream_order_capacity);
		profile->stream_orders[profile->stream_order_count] = pending->rows[i];
		profile->stream_orders[profile->stream_order_count++].call =
			profile->timeline_count;
	}
}

/* Of several points of a stream the last is enough. */
static inline void add_pending(struct pending *pending, const struct profile_stream_order *order)
{
	uint32_t i = 0;

	while (i < pending->count && pending->rows[i].stream != order->stream)
		i++;
	if (i == pending->count)
		pending->rows[pending->count++] = *order;
	else if (pending->rows[i].recorded_ns < order->recorded_ns)
		pending->rows[i] = *order;
}

static inline void wait_in_stream(struct model *model, uint32_t stream, uint32_t event)
{
	if (!model->is_recorded[event])
		return;
	model->stream[stream] = later(model->stream[stream], model->event[event]);
	for (uint32_t i = 0; i < model->before[event].count; i++)
		add_pending(&model->pending[stream], &model->before[event].rows[i]);
	add_pending(&model->pending[stream], &(struct profile_stream_order){
						     .stream = model->event_stream[event],
						     .recorded_ns = model->recorded[event],
					     });
}

static inline void add_call(struct model *model, uint32_t api, const struct step *step,
			    uint64_t start, uint64_t waited, uint64_t begun, uint64_t ended)
{
	struct profile *profile = model->profile;
	uint32_t scope = scope_of(step->what), call = profile->timeline_count;

	if (ended || step->what == SYNC_STREAM)
		add_orders(model, &model->pending[step->stream]);
	if (step->what == SYNC_EVENT)
		add_orders(model, &model->before[step->event]);
	if (ended)
		model->pending[step->stream].count = 0;
	model->called[step->stream] = true;
	if (ended && !step->stream)
		model->default_ns = model->host[step->thread];
	ARRAY_RESERVE(profile->timeline, profile->timeline_count, profile->timeline_capacity);
	profile->timeline[profile->timeline_count++] = (struct profile_timed_call){
		.api = api,
		.thread = step->thread,
		.stream = step->stream,
		.nonblocking = !is_blocking(step->stream),
		.start_ns = start,
		.end_ns = model->host[step->thread],
		.overhead_ns = model->overhead[step->thread],
	};
	if (ended) {
		ARRAY_RESERVE(profile->gpu_times, profile->gpu_time_count,
			      profile->gpu_time_capacity);
		profile->gpu_times[profile->gpu_time_count++] = (struct profile_gpu_time){
			.call = call,
			.thread = step->thread,
			.stream = step->stream,
			.start_ns = begun,
			.end_ns = ended,
		};
	}
	if (scope) {
		ARRAY_RESERVE(profile->waits, profile->wait_count, profile->wait_capacity);
		profile->waits[profile->wait_count++] = (struct profile_wait){
			.call = call,
			.scope = scope,
			.own = ended != 0,
			.stream = scope == GPU_WAIT_EVENT ? model->event_stream[step->event]
							  : step->stream,
			.start_ns = start,
			.wait_ns = waited,
			.recorded_ns = scope == GPU_WAIT_EVENT ? model->recorded[step->event]
							       : PROFILE_UNKNOWN,
		};
	}
}

static inline void make_step(struct model *model, uint32_t api, const struct step *step)
{
	uint64_t *host = &model->host[step->thread], start = *host, end, begun = 0, ended = 0;

	if (step->what == WORK) {
		*host += step->ns;
		return;
	}
	if (step->what == RECORD) {
		model->event[step->event] = ready(model, step->stream);
		model->event_stream[step->event] = step->stream;
		model->recorded[step->event] = *host;
		model->is_recorded[step->event] = true;
		model->before[step->event] = model->pending[step->stream];
		if (step->stream && is_blocking(step->stream) && !model->called[step->stream] &&
		    model->default_ns)
			add_pending(
				&model->before[step->event],
				&(struct profile_stream_order){.recorded_ns = model->default_ns});
		return;
	}
	if (step->what == WAIT_EVENT) {
		wait_in_stream(model, step->stream, step->event);
		return;
	}
	end = step->no_wait ? 0 : scope_end(model, step);
	if (step->what >= KERNEL && step->what <= COPY) {
		begun = later(later(start, end) + 6000, ready(model, step->stream));
		ended = begun + step->ns;
		model->stream[step->stream] = ended;
		model->all = later(model->all, ended);
		if (is_blocking(step->stream))
			model->blocking = later(model->blocking, ended);
		if (!step->stream)
			model->default_end = ended;
		if (scope_of(step->what) && !step->no_wait)
			end = ended;
	}
	if (end > *host)
		*host = end + 2000;
	*host += own_time(step->what);
	model->last[step->thread] = *host;
	add_call(model, api, step, start, *host - own_time(step->what) - start, begun, ended);
	model->overhead[step->thread] =
		model_overhead ? model->profile->timeline_count * 377 % model_overhead : 0;
	*host += model->overhead[step->thread];
}

/* Of the first thread all is seen, of the others what is before their last calls. */
static inline uint64_t model_end(const struct model *model)
{
	uint64_t end = later(model->all, model->host[0]);

	for (uint32_t i = 0; i < THREADS; i++)
		end = later(end, model->last[i]);
	return end;
}

static inline void add_api(struct profile *profile, const char *kind, uint32_t vertex)
{
	ARRAY_RESERVE(profile->apis, profile->api_count, profile->api_capacity);
	profile->apis[profile->api_count++] =
		(struct profile_api){.kind = xstrdup(kind), .name = xstrdup("f"), .vertex = vertex};
}

static inline void add_pass(struct profile *profile, const char *name)
{
	ARRAY_RESERVE(profile->passes, profile->pass_count, profile->pass_capacity);
	profile->passes[profile->pass_count++] = (struct profile_pass){
		.name = xstrdup(name), .provider = xstrdup(""), .device = xstrdup("")};
}

static inline struct profile_process *add_process(struct profile *profile, uint64_t start,
						  uint64_t end)
{
	struct profile_process *process;

	ARRAY_RESERVE(profile->processes, profile->process_count, profile->process_capacity);
	process = &profile->processes[profile->process_count++];
	*process = (struct profile_process){
		.provider = xstrdup("emulated"), .time_start_ns = start, .time_end_ns = end};
	return process;
}

static inline struct profile *model_profile(void)
{
	struct profile *profile = profile_new();

	add_pass(profile, "time");
	add_pass(profile, "waits");
	return profile;
}

/* Does all up to the next call of the thread; false: there is none. */
static inline bool next_call(struct model *model, const struct step *steps, uint32_t count,
			     uint32_t times, bool mended, uint32_t thread, uint64_t *next)
{
	for (; *next < (uint64_t)count * times; ++*next) {
		const struct step *step = &steps[*next % count];

		if (step->thread != thread)
			continue;
		if (step->removed && mended) {
			model->last[thread] = model->host[thread];
			continue;
		}
		if (step->what != WORK && step->what != RECORD && step->what != WAIT_EVENT)
			return true;
		make_step(model, (uint32_t)(*next % count), step);
	}
	return false;
}

/*
 * Runs the program `times` times over; api i is step i.  Each thread makes its own steps; of their
 * calls the one that begins first comes first.  With `mended`, without what is removed.  The
 * profile belongs to the caller; *end: when the run ended.
 */
static inline struct profile *model_run(const struct step *steps, uint32_t count, uint32_t times,
					bool mended, uint64_t *end)
{
	struct model model = {.profile = model_profile()};
	uint64_t next[THREADS] = {0};

	for (uint32_t i = 0; i < count; i++)
		add_api(model.profile, step_kind(steps[i].what), i);
	for (;;) {
		uint32_t first = THREADS;
		struct step step;

		for (uint32_t t = 0; t < THREADS; t++)
			if (next_call(&model, steps, count, times, mended, t, &next[t]) &&
			    (first == THREADS || model.host[t] < model.host[first]))
				first = t;
		if (first == THREADS)
			break;
		step = steps[next[first] % count];
		step.no_wait = step.no_wait && mended;
		step.narrow = step.narrow && mended;
		if (step.narrow)
			step.stream = step.to;
		make_step(&model, (uint32_t)(next[first]++ % count), &step);
	}
	*end = model_end(&model);
	add_process(model.profile, 0, later(model.host[0], 1));
	return model.profile;
}

#endif
