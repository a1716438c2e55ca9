/*
 * replay/lags.c: what held each operation and wait of the measured run up, and for how long.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/records.h"
#include "replay/replay_internal.h"
#include "util/memory.h"

/* ns: that an operation is later than usual, and begins after the end of one of another stream. */
enum { HELD_UP = 20000 };
/* An operation that was issued so long before the end of the one before it began right after it. */
enum { QUEUED = 8000 };
/* Operations that overlap are looked back through so far. */
enum { PARALLEL_MAX = 256, BESIDE_MAX = 16 };

/* Of the device that gpu/emulator/README.md describes. */
static const struct lags model = {
	.latency = {6000, 6000}, .own = 5000, .gap = 0, .wake = 2000, .own_wake = 2000};
/* Where the run has no example: as on an H200. */
static const struct lags usual = {
	.latency = {6000, 6000}, .own = 5000, .gap = 1500, .wake = 3000, .own_wake = 3000};

/* -- medians -- */

struct samples {
	int64_t *values; /* the last SAMPLES_MAX */
	size_t capacity;
	uint64_t count;
};
enum { SAMPLES_MAX = 65536 };

static void sample(struct samples *samples, int64_t value)
{
	if (samples->count == samples->capacity && samples->count < SAMPLES_MAX) {
		samples->capacity = samples->capacity ? samples->capacity * 2 : 64;
		samples->values =
			xreallocarray(samples->values, samples->capacity, sizeof(*samples->values));
	}
	samples->values[samples->count++ % SAMPLES_MAX] = value;
}

static int compare_lags(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int64_t median(struct samples *samples, int64_t without)
{
	size_t count = samples->count < SAMPLES_MAX ? samples->count : SAMPLES_MAX;
	int64_t value = without;

	if (count) {
		qsort(samples->values, count, sizeof(*samples->values), compare_lags);
		value = samples->values[(count - 1) / 2];
	}
	free(samples->values);
	*samples = (struct samples){NULL, 0, 0};
	return value;
}

/* -- the operations of a stream, and of all that are ordered with the default stream -- */

struct list {
	uint32_t *operations; /* in the order of their calls */
	uint32_t count, capacity;
};

struct learner {
	struct replay *replay;
	struct process *process;
	struct state state;
	struct list *streams, *blocking; /* by stream; by device */
	bool have_medians;
	uint64_t *targets; /* by wait: when what it is for was done */
	struct samples latency[2], own, gap, wake, own_wake;
};

static void append(struct list *list, uint32_t operation)
{
	ARRAY_RESERVE(list->operations, list->count, list->capacity);
	list->operations[list->count++] = operation;
}

/* The last whose call was over by then. */
static uint32_t last_by(const struct learner *learner, const struct list *list, uint64_t time)
{
	const struct replay *replay = learner->replay;
	uint32_t low = 0, high = list->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t call = replay->operations[list->operations[middle]].call;

		if (replay->calls[call].start <= time)
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t step = 0; low && step < PARALLEL_MAX; step++, low--)
		if (replay->calls[replay->operations[list->operations[low - 1]].call].end <= time)
			return list->operations[low - 1];
	return NONE;
}

static struct position find_position(const struct learner *learner, uint32_t stream, uint64_t time)
{
	const struct replay *replay = learner->replay;
	uint32_t device = replay->streams[stream].device;
	uint32_t default_stream = replay->devices[device].default_stream;
	struct position position = {NONE, NONE, false};

	if (!replay->streams[stream].number) {
		position.all_blocking = true;
		position.last = last_by(learner, &learner->blocking[device], time);
		return position;
	}
	position.last = last_by(learner, &learner->streams[stream], time);
	if (default_stream != NONE && learner->state.streams[stream].blocking)
		position.default_ = last_by(learner, &learner->streams[default_stream], time);
	return position;
}

/* -- operations -- */

/* Of an operation that overlaps earlier ones of its stream: which it comes after. */
static uint32_t find_followed(const struct learner *learner, const struct operation *operation)
{
	const struct list *list = &learner->streams[operation->stream];

	for (uint32_t i = list->count, step = 0; i && step < PARALLEL_MAX; i--, step++)
		if (learner->replay->operations[list->operations[i - 1]].end <= operation->start)
			return list->operations[i - 1];
	return NONE;
}

static void learn_operation(struct learner *learner, uint32_t index, uint64_t issue)
{
	struct operation *operation = &learner->replay->operations[index];
	const struct lags *lags = &learner->process->lags;
	uint64_t start = operation->start, ready, by_issue, by_ready, other;

	if (!learner->have_medians && start < learner->state.streams[operation->stream].end) {
		operation->parallel = true;
		operation->follows = find_followed(learner, operation);
	}
	ready = state_ready(&learner->state, index, operation->stream);
	if (!learner->have_medians) {
		if (ready <= issue)
			sample(&learner->latency[operation->kernel], time_lag(issue, start));
		else if (ready > issue + QUEUED)
			sample(&learner->gap, time_lag(ready, start));
	} else {
		by_issue = time_shift(issue, lags->latency[operation->kernel]);
		by_ready = ready ? time_shift(ready, lags->gap) : 0;
		operation->bound = by_ready > by_issue ? BOUND_READY : BOUND_ISSUE;
		operation->lag = time_lag(operation->bound == BOUND_READY ? ready : issue, start);
		other = operation->bound == BOUND_READY ? by_issue : by_ready;
		operation->lead = time_sub(other, start);
		if (operation->before != NONE && start > time_max(by_issue, by_ready) + HELD_UP) {
			uint64_t end = learner->replay->operations[operation->before].end;

			if (start - end < HELD_UP) {
				operation->bound = BOUND_DEVICE;
				operation->lag = time_lag(end, start);
			}
		}
	}
	append(&learner->streams[operation->stream], index);
	if (operation->blocking)
		append(&learner->blocking[learner->replay->streams[operation->stream].device],
		       index);
	state_place(&learner->state, index, operation->stream, operation->end, false);
}

/* -- waits -- */

static void learn_wait(struct learner *learner, struct wait *wait, uint64_t target, uint64_t start,
		       bool of_own)
{
	const struct lags *lags = &learner->process->lags;
	int64_t lag = time_lag(target, start + wait->fixed_ns);

	if (!learner->have_medians) {
		if (target > start)
			sample(of_own ? &learner->own_wake : &learner->wake, lag);
	} else if (target > start) {
		wait->fixed_ns = 0;
		wait->lag = lag;
	} else { /* what it waited for, if it did, is not known */
		wait->lag = of_own ? lags->own_wake : lags->wake;
	}
}

/* Of a full queue: the operation after whose end the call went on. */
static void find_room(const struct learner *learner, struct wait *wait, uint64_t start)
{
	const struct list *list = &learner->streams[wait->stream];
	const struct operation *operations = learner->replay->operations;
	uint64_t end = start + wait->fixed_ns;
	uint32_t low = 0, high = list->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (operations[list->operations[middle]].end <= end)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && operations[list->operations[low - 1]].end > start)
		wait->event.last = list->operations[low - 1];
}

static void learn_orders(struct learner *learner, const struct call *call)
{
	struct replay *replay = learner->replay;

	for (uint32_t i = call->order; !learner->have_medians && i < call[1].order; i++)
		replay->orders[i].position =
			find_position(learner, replay->orders[i].stream,
				      replay->profile->stream_orders[i].recorded_ns);
	state_take_orders(&learner->state, call, call->stream);
}

static void learn_call(struct learner *learner, uint32_t index)
{
	struct replay *replay = learner->replay;
	struct call *call = &replay->calls[index];
	uint64_t issue = call->start + call->prepares, past = call->start;

	learner->state.streams[call->stream].blocking = !call->nonblocking;
	learn_orders(learner, call);
	for (uint32_t i = call->wait; i < call[1].wait; i++) {
		struct wait *wait = &replay->waits[i];

		if (!learner->have_medians && wait->scope == GPU_WAIT_EVENT)
			wait->event = find_position(learner, wait->stream,
						    replay->profile->waits[i].recorded_ns);
		if (!learner->have_medians && wait->scope == GPU_WAIT_QUEUE)
			find_room(learner, wait, learner->replay->profile->waits[i].start_ns);
		learner->targets[i] = state_target(&learner->state, call, wait, NONE);
		issue = time_max(issue, learner->targets[i]);
	}
	/* a copy that is over when its call returns has been copied by the host, from or to
	 * pageable memory */
	if (!learner->have_medians && call->operation < call[1].operation &&
	    call->wait == call[1].wait &&
	    !(call->copies && replay->operations[call[1].operation - 1].end <= call->end))
		sample(&learner->own, time_lag(call->start, call->end));
	for (uint32_t i = call->operation; i < call[1].operation; i++)
		learn_operation(learner, i, issue);
	for (uint32_t i = call->wait; i < call[1].wait; i++) {
		struct wait *wait = &replay->waits[i];
		bool of_own = wait->own && call->operation < call[1].operation;
		uint64_t start = past + wait->own_ns;

		past = start + wait->fixed_ns;
		if (of_own)
			learner->targets[i] =
				time_max(learner->targets[i], state_own(&learner->state, index));
		learn_wait(learner, wait, learner->targets[i], start, of_own);
	}
}

/* -- a process -- */

/* By device and class, then by their ends. */
struct ended {
	uint64_t end;
	uint32_t class, operation;
};

static int compare_ended(const void *a, const void *b)
{
	const struct ended *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->operation > y->operation) - (x->operation < y->operation);
}

static uint32_t class_of(const struct replay *replay, const struct operation *operation)
{
	return 2 * replay->streams[operation->stream].device + operation->kernel;
}

/* The last one that had ended, of another stream. */
static uint32_t find_before(const struct replay *replay, const struct ended *ended, uint32_t count,
			    const struct operation *operation)
{
	const struct ended wanted = {operation->start, class_of(replay, operation), NONE};
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (compare_ended(&ended[middle], &wanted) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t step = 0; low && step < BESIDE_MAX; step++, low--) {
		if (ended[low - 1].class != wanted.class)
			break;
		if (replay->operations[ended[low - 1].operation].stream != operation->stream)
			return ended[low - 1].operation;
	}
	return NONE;
}

static void find_all_before(struct replay *replay, uint32_t first, uint32_t past)
{
	struct ended *ended;
	bool several = false;

	for (uint32_t i = first; i < past; i++)
		several |= replay->operations[i].stream != replay->operations[first].stream;
	if (!several)
		return;
	ended = xcalloc(past - first, sizeof(*ended));
	for (uint32_t i = first; i < past; i++)
		ended[i - first] = (struct ended){replay->operations[i].end,
						  class_of(replay, &replay->operations[i]), i};
	qsort(ended, past - first, sizeof(*ended), compare_ended);
	for (uint32_t i = first; i < past; i++)
		replay->operations[i].before =
			find_before(replay, ended, past - first, &replay->operations[i]);
	free(ended);
}

static void pass(struct learner *learner)
{
	struct replay *replay = learner->replay;
	struct process *process = learner->process;
	const bool quiet = learner->have_medians && process->thread_count == 1;

	for (uint32_t i = 0; i < process->call_count; i++) {
		uint32_t call = replay->ranked[process->first_call + i];

		if (quiet && state_is_quiet(&learner->state, process, replay->calls[call].start))
			process->quiet[process->quiet_count++] = call;
		learn_call(learner, call);
	}
}

static void take_medians(struct learner *learner, const struct profile_process *from)
{
	struct process *process = learner->process;
	const bool emulated = from->provider && !strcmp(from->provider, "emulated");
	const struct lags measured = {
		.latency = {median(&learner->latency[0], usual.latency[0]),
			    median(&learner->latency[1], usual.latency[1])},
		.own = median(&learner->own, usual.own),
		.gap = median(&learner->gap, usual.gap),
		.wake = median(&learner->wake, usual.wake),
		.own_wake = median(&learner->own_wake, usual.own_wake),
	};

	process->lags = emulated ? model : measured;
	if (process->thread_count == 1)
		process->quiet = xcalloc(process->call_count, sizeof(*process->quiet));
}

static void pass_all(struct learner *learner)
{
	struct replay *replay = learner->replay;

	state_new(&learner->state, replay);
	learner->streams = xcalloc(replay->stream_count + 1, sizeof(*learner->streams));
	learner->blocking = xcalloc(replay->device_count + 1, sizeof(*learner->blocking));
	for (uint32_t i = 0; i < replay->profile->process_count; i++) {
		learner->process = &replay->processes[i];
		if (!learner->process->call_count)
			continue;
		learner->state.all = 0;
		pass(learner);
		if (!learner->have_medians)
			take_medians(learner, &replay->profile->processes[i]);
	}
	for (uint32_t i = 0; i < replay->stream_count; i++)
		free(learner->streams[i].operations);
	for (uint32_t i = 0; i < replay->device_count; i++)
		free(learner->blocking[i].operations);
	free(learner->streams);
	free(learner->blocking);
	state_release(&learner->state);
}

void lags_learn(struct replay *replay)
{
	struct learner learner = {
		.replay = replay,
		.targets = xcalloc(replay->wait_count + 1, sizeof(*learner.targets)),
	};

	for (uint32_t i = 0; i < replay->profile->process_count; i++)
		if (replay->processes[i].call_count) {
			const struct call *first = &replay->calls[replay->processes[i].first_call];
			uint32_t count = replay->processes[i].call_count;

			find_all_before(replay, first->operation, first[count].operation);
		}
	pass_all(&learner);
	learner.have_medians = true;
	pass_all(&learner);
	free(learner.targets);
}
