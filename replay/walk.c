/*
 * replay/walk.c: the run once more, with changes.
 *
 * The calls of a process are made in the order in which they come about: of the threads' next calls
 * always the earliest, unless it depends on one of another thread that has not been made yet.
 */
#include <stdlib.h>

#include "gpu/records.h"
#include "replay/heap.h"
#include "replay/replay_internal.h"
#include "util/memory.h"

/* ns: a wait of a GPU that ended so long after what it waited for, waited for something else. */
enum { LATE_WAKE = 1000000 };

/*
 * No run has so many threads that wait for each other that each step needs more than some looks at
 * them; beyond this calls are made in the order in which they come about.
 */
#define LOOKS_MOST (UINT64_C(1) << 28)

struct thread_state {
	uint64_t time, own; /* now; its own time until now */
	uint64_t next_at;   /* its next call's start, but for threads that this comes after */
	uint32_t next;      /* call, as index into thread_calls of the thread */
	bool begun, over;
	struct heap by_time, by_call; /* calls whose waits come later */
};

struct walk {
	const struct replay *replay;
	const struct walk_options *options;
	const struct process *process;
	struct state state;
	struct thread_state *threads;
	struct heap next;        /* threads by their next calls */
	struct heap parked;      /* those whose calls depend on others that are still to come */
	uint64_t *targets;       /* by wait */
	uint32_t changed, quiet; /* how many of edits->changed, process->quiet are behind */
	uint32_t rank;           /* no call of a lower rank is still to be made */
	uint64_t looks;          /* at what calls of several threads depend on: see LOOKS_MOST */
	bool overlaps;
	uint64_t last; /* the end of the last operation, or of the last wait for one */
	struct replay_result *result;
};

static const struct edit *edit_of(const struct walk *walk, uint32_t call)
{
	static const struct edit none;

	return walk->options->edits ? &walk->options->edits->of[call] : &none;
}

/* The one stream that the call waits for; NONE: those that it waited for in the run. */
static uint32_t only_stream(const struct walk *walk, uint32_t call)
{
	const struct edit *edit = edit_of(walk, call);

	return edit->flags & EDIT_NARROW ? edit->narrow : NONE;
}

/* Where the call's operations are: what was in the default stream may be in another one. */
static uint32_t stream_of(const struct walk *walk, uint32_t call)
{
	const struct replay *replay = walk->replay;
	const uint32_t stream = replay->calls[call].stream, only = only_stream(walk, call);

	return only != NONE && !replay->streams[stream].number ? only : stream;
}

/* -- what a thread does -- */

static void use(struct walk *walk, uint32_t call, uint64_t busy, uint64_t waited)
{
	struct replay_use *lane;

	if (!walk->result)
		return;
	lane = &walk->result->lanes[walk->replay->calls[call].thread].after;
	lane->busy += busy;
	lane->wait += waited;
}

/* In the walk that checks the model, waits end when it says. */
static uint64_t end_of_wait(const struct walk *walk, const struct wait *wait, uint64_t now,
			    uint64_t target)
{
	int64_t lag = wait->lag;
	uint64_t end = time_add(now, wait->fixed_ns);

	if (walk->options->medians) {
		const struct lags *lags = &walk->process->lags;

		if (lag > lags->wake + LATE_WAKE)
			lag = lags->wake;
		if (wait->fixed_ns > LATE_WAKE && wait->scope <= GPU_WAIT_EVENT)
			end = now;
	}
	return target > now ? time_max(end, time_shift(target, lag)) : end;
}

static void wait_for(struct walk *walk, struct thread_state *thread, uint32_t call, uint32_t index,
		     uint64_t target)
{
	const struct wait *wait = &walk->replay->waits[index];
	uint64_t start = thread->time;

	if (wait->own)
		target = time_max(target, state_own(&walk->state, call));
	thread->time = end_of_wait(walk, wait, start, target);
	if (target && thread->time > start)
		walk->last = time_max(walk->last, thread->time);
	use(walk, call, 0, thread->time - start);
	if (walk->result)
		walk->result->waits[index] = (struct replay_span){start, thread->time};
}

/* A call whose waits have come later, or that comes later, as it does nothing else. */
static void make_moved(struct walk *walk, struct thread_state *thread, uint32_t index)
{
	const struct call *call = &walk->replay->calls[index];
	uint64_t start = thread->time, own = call->only_waits ? call->rest : 0;

	for (uint32_t i = call->wait; i < call[1].wait; i++) {
		const struct wait *wait = &walk->replay->waits[i];

		if (call->only_waits) {
			thread->time = time_add(thread->time, wait->own_ns);
			own += wait->own_ns;
		}
		wait_for(walk, thread, index, i,
			 state_target(&walk->state, call, wait, only_stream(walk, index)));
	}
	if (!call->only_waits)
		return;
	thread->time = time_add(thread->time, call->rest);
	use(walk, index, own, 0);
	if (walk->result)
		walk->result->calls[index] = (struct replay_span){start, thread->time};
}

/* The thread's own time goes on by `ns`, with the waits that were moved into it. */
static void pass_own(struct walk *walk, struct thread_state *thread, uint64_t ns)
{
	while (thread->by_time.count && thread->by_time.items[0].key <= time_add(thread->own, ns)) {
		const struct heap_item item = heap_pop(&thread->by_time);
		uint64_t part = time_sub(item.key, thread->own);

		thread->time = time_add(thread->time, part);
		thread->own = time_add(thread->own, part);
		ns -= part;
		make_moved(walk, thread, item.value);
	}
	thread->time = time_add(thread->time, ns);
	thread->own = time_add(thread->own, ns);
}

/* -- calls -- */

static uint64_t shortened(const struct replay_change *change, uint64_t ns, uint64_t of)
{
	double part;

	if (!of)
		return 0;
	if (!change->scaled && ns == of)
		return change->ns < TIME_MAX ? change->ns : TIME_MAX;
	part = change->scaled ? change->fraction : (double)change->ns / (double)of;
	part *= (double)ns;
	return part < (double)TIME_MAX ? (uint64_t)(part + 0.5) : TIME_MAX;
}

/* Of the call's operations together, if they are to be shortened. */
static uint64_t duration_of_all(const struct walk *walk, uint32_t call)
{
	const struct operation *operations = walk->replay->operations;
	const struct call *of = &walk->replay->calls[call];
	uint64_t all = 0;

	if (edit_of(walk, call)->flags & EDIT_SHORTEN)
		for (uint32_t i = of->operation; i < of[1].operation; i++)
			all = time_add(all, operations[i].end - operations[i].start);
	return all;
}

static uint64_t duration(const struct walk *walk, uint32_t call, uint32_t index, uint64_t all)
{
	const struct operation *operation = &walk->replay->operations[index];
	const struct edit *edit = edit_of(walk, call);
	uint64_t ns = operation->end - operation->start;

	if (!(edit->flags & EDIT_SHORTEN))
		return ns;
	return shortened(&walk->options->edits->changes[edit->shorten], ns, all);
}

/* The last operation before this one that is there, if it has been placed. */
static uint64_t end_before(const struct walk *walk, const struct operation *operation)
{
	enum { REMOVED_MAX = 64 };

	for (uint32_t i = operation->before, step = 0; i != NONE && step < REMOVED_MAX; step++) {
		const struct operation *before = &walk->replay->operations[i];

		if (!(edit_of(walk, before->call)->flags & EDIT_REMOVE))
			return walk->state.ends[i];
		i = before->before;
	}
	return 0;
}

static int64_t min_lag(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static uint64_t start_of(struct walk *walk, const struct operation *operation, uint32_t index,
			 uint64_t issue)
{
	const struct lags *lags = &walk->process->lags;
	uint64_t ready = state_ready(&walk->state, index, stream_of(walk, operation->call)),
		 beside = end_before(walk, operation);
	uint64_t by_issue =
		time_sub(time_shift(issue, lags->latency[operation->kernel]), operation->lead);
	uint64_t by_ready = ready ? time_sub(time_shift(ready, lags->gap), operation->lead) : 0;
	uint64_t start;

	if (operation->bound == BOUND_ISSUE && (!walk->options->medians || !operation->kernel))
		by_issue = time_shift(issue, operation->lag);
	if (edit_of(walk, operation->call)->flags & EDIT_ASYNC) /* it is not staged */
		by_issue = time_shift(issue, min_lag(operation->lag, lags->latency[1]));
	if (operation->bound == BOUND_READY && ready && !walk->options->medians)
		by_ready = time_shift(ready, operation->lag);
	start = time_max(by_issue, by_ready);
	if (operation->bound == BOUND_DEVICE && beside)
		start = time_max(start, time_shift(beside, operation->lag));
	if (beside > start) {
		walk->overlaps = true;
		if (walk->options->beside)
			walk->options->beside[index] = true;
		if (walk->options->no_overlap)
			start = beside;
	}
	return start;
}

static void operate(struct walk *walk, uint32_t call, uint64_t issue)
{
	const struct call *of = &walk->replay->calls[call];
	const bool removed = edit_of(walk, call)->flags & EDIT_REMOVE;
	const uint32_t stream = stream_of(walk, call);
	const uint64_t all = duration_of_all(walk, call);

	for (uint32_t i = of->operation; i < of[1].operation; i++) {
		const struct operation *operation = &walk->replay->operations[i];
		uint64_t start = removed ? 0 : start_of(walk, operation, i, issue);
		uint64_t end = removed ? 0 : time_add(start, duration(walk, call, i, all));

		if (walk->result && !removed) {
			const uint32_t in = walk->replay->thread_count + stream;
			struct replay_lane *lane = &walk->result->lanes[in];
			uint64_t past = walk->state.streams[stream].end;

			walk->result->operation_lanes[i] = in;
			walk->result->operations[i] = (struct replay_span){start, end};
			lane->after.busy += time_sub(end, time_max(start, past));
		}
		walk->last = time_max(walk->last, end);
		state_place(&walk->state, i, stream, end, removed);
	}
}

static uint64_t own_time(const struct walk *walk, const struct call *call)
{
	uint64_t all = call->rest;

	for (uint32_t i = call->wait; i < call[1].wait; i++)
		all = time_add(all, walk->replay->waits[i].own_ns);
	return all;
}

/* A part of the call's own time, of which there is so much in all. */
static uint64_t own_part(const struct walk *walk, uint32_t index, uint64_t ns, uint64_t all)
{
	const struct call *call = &walk->replay->calls[index];
	const struct edit *edit = edit_of(walk, index);
	const bool has_operation = call->operation < call[1].operation;
	uint64_t least = time_add((uint64_t)walk->process->lags.own, call->once);

	if (edit->flags & EDIT_SHORTEN && !has_operation)
		return shortened(&walk->options->edits->changes[edit->shorten], ns, all);
	if (!has_operation || !(edit->flags & (EDIT_ASYNC | EDIT_SHORTEN)) || all <= least)
		return ns;
	if (!(edit->flags & EDIT_ASYNC)) {
		if (!call->copies)
			return ns;
		/* what is beyond that is the host's own copying of pageable memory */
		least = time_add(least, shortened(&walk->options->edits->changes[edit->shorten],
						  all - least, duration_of_all(walk, index)));
	}
	return least < all ? (uint64_t)((double)ns * (double)least / (double)all) : ns;
}

/* The call's own time, with its waits in between. */
static void spend(struct walk *walk, struct thread_state *thread, uint32_t index, bool waits)
{
	const struct call *call = &walk->replay->calls[index];
	const uint64_t all = own_time(walk, call);
	uint64_t part;

	for (uint32_t i = call->wait; i < call[1].wait; i++) {
		part = own_part(walk, index, walk->replay->waits[i].own_ns, all);
		pass_own(walk, thread, part);
		use(walk, index, part, 0);
		if (waits)
			wait_for(walk, thread, index, i, walk->targets[i]);
	}
	part = own_part(walk, index, call->rest, all);
	pass_own(walk, thread, part);
	use(walk, index, part, 0);
}

static void put_off(struct walk *walk, struct thread_state *thread, uint32_t index)
{
	const struct replay_change *change =
		&walk->options->edits->changes[edit_of(walk, index)->move];

	if (change->at_call)
		heap_push(&thread->by_call, change->call, index);
	else
		heap_push(&thread->by_time, time_add(thread->own, change->ns), index);
}

static void make_call(struct walk *walk, struct thread_state *thread, uint32_t index)
{
	const struct call *call = &walk->replay->calls[index];
	const uint8_t flags = edit_of(walk, index)->flags;
	const bool waits = !(flags & (EDIT_REMOVE | EDIT_NO_WAIT | EDIT_MOVE));
	uint64_t start = thread->time, issue = time_add(start, call->prepares);

	walk->state.streams[call->stream].blocking = !call->nonblocking;
	state_take_orders(&walk->state, call, stream_of(walk, index));
	for (uint32_t i = call->wait; waits && i < call[1].wait; i++) {
		walk->targets[i] = state_target(&walk->state, call, &walk->replay->waits[i],
						only_stream(walk, index));
		issue = time_max(issue, walk->targets[i]);
	}
	operate(walk, index, issue);
	if (flags & EDIT_REMOVE) {
		/* the next call would pay for that */
		pass_own(walk, thread, call->once);
		use(walk, index, call->once, 0);
		return;
	}
	if (flags & EDIT_MOVE) {
		put_off(walk, thread, index);
		if (call->only_waits)
			return;
	}
	spend(walk, thread, index, waits);
	if (walk->result)
		walk->result->calls[index] = (struct replay_span){start, thread->time};
}

/* -- threads -- */

static uint32_t next_call(const struct walk *walk, uint32_t thread)
{
	const struct thread *of = &walk->replay->threads[thread];

	return walk->replay->thread_calls[of->first + walk->threads[thread].next];
}

/* At the end of the thread: what would come later still. */
static void make_overdue(struct walk *walk, struct thread_state *thread)
{
	while (thread->by_time.count)
		make_moved(walk, thread, heap_pop(&thread->by_time).value);
	while (thread->by_call.count)
		make_moved(walk, thread, heap_pop(&thread->by_call).value);
}

/* The thread has come to its next call, or to its end. */
static void schedule(struct walk *walk, uint32_t index)
{
	struct thread_state *thread = &walk->threads[index];
	uint32_t call;

	if (thread->next == walk->replay->threads[index].count) {
		thread->over = true;
		if (!walk->replay->threads[index].is_main)
			make_overdue(walk, thread);
		return;
	}
	call = next_call(walk, index);
	if (walk->replay->calls[call].joined == NONE)
		pass_own(walk, thread, walk->replay->calls[call].gap);
	while (thread->by_call.count && thread->by_call.items[0].key <= call)
		make_moved(walk, thread, heap_pop(&thread->by_call).value);
	thread->next_at = thread->time;
	heap_push(&walk->next, thread->next_at, index);
}

static void begin_thread(struct walk *walk, uint32_t index, uint64_t time)
{
	walk->threads[index].begun = true;
	walk->threads[index].time = time;
	schedule(walk, index);
}

/* Whether all that the call depends on has been made. */
static bool is_due(struct walk *walk, uint32_t index)
{
	const struct call *call = &walk->replay->calls[index];

	if (walk->looks > LOOKS_MOST)
		return true;
	for (uint32_t i = call->joined; i != NONE;
	     i = walk->replay->threads[i].next_joined, walk->looks++)
		if (!walk->threads[i].over)
			return false;
	for (uint32_t i = call->order; i < call[1].order; i++, walk->looks++)
		if (!state_has(&walk->state, &walk->replay->orders[i].position))
			return false;
	for (uint32_t i = call->wait; i < call[1].wait; i++, walk->looks++)
		if (!state_has(&walk->state, &walk->replay->waits[i].event))
			return false;
	return true;
}

/* The latest of the threads that end before this. */
static uint64_t joined_end(const struct walk *walk, uint32_t joined)
{
	uint64_t end = 0;

	for (uint32_t i = joined; i != NONE; i = walk->replay->threads[i].next_joined)
		end = time_max(end, walk->threads[i].time);
	return end;
}

static void step_thread(struct walk *walk, uint32_t index)
{
	struct thread_state *thread = &walk->threads[index];
	uint32_t call = next_call(walk, index);
	const struct call *of = &walk->replay->calls[call];

	if (of->joined != NONE) {
		thread->time = time_max(thread->time, joined_end(walk, of->joined));
		pass_own(walk, thread, of->gap);
	}
	if (walk->options->starts)
		walk->options->starts[call] = (struct walk_start){
			thread->time, state_is_quiet(&walk->state, walk->process, thread->time)};
	make_call(walk, thread, call);
	thread->next++;
	for (uint32_t i = of->spawned; i != NONE; i = walk->replay->threads[i].next_spawned)
		begin_thread(walk, i, thread->time);
	schedule(walk, index);
}

/* The thread whose next call has the lowest rank: it depends on none that is still to come. */
static uint32_t lowest(struct walk *walk)
{
	const struct replay *replay = walk->replay;
	const uint32_t *ranked = &replay->ranked[walk->process->first_call];

	for (;; walk->rank++) {
		uint32_t call = ranked[walk->rank], thread = replay->calls[call].thread;

		if (!walk->threads[thread].over && walk->threads[thread].begun &&
		    next_call(walk, thread) == call)
			return thread;
	}
}

/* -- what does not change -- */

static uint32_t last_quiet(const struct process *process, uint32_t call)
{
	uint32_t low = 0, high = process->quiet_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (process->quiet[middle] <= call)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? process->quiet[low - 1] : 0;
}

/* With one thread, when nothing is under way: goes on to the next change.  True: there is none. */
static bool skip(struct walk *walk, struct thread_state *thread)
{
	const struct edits *edits = walk->options->edits;
	const struct process *process = walk->process;
	const struct call *calls = walk->replay->calls;
	uint32_t now = process->first_call + thread->next;
	uint32_t past = process->first_call + process->call_count, to;

	while (walk->quiet < process->quiet_count && process->quiet[walk->quiet] < now)
		walk->quiet++;
	if (walk->quiet == process->quiet_count || process->quiet[walk->quiet] != now)
		return false; /* something was under way in the run */
	if (thread->by_time.count || thread->by_call.count ||
	    !state_is_quiet(&walk->state, process, thread->next_at))
		return false;
	while (walk->changed < edits->changed_count && edits->changed[walk->changed] < now)
		walk->changed++;
	if (walk->changed == edits->changed_count || edits->changed[walk->changed] >= past) {
		/* the rest is as it was, to the end of the process */
		thread->time = time_add(thread->next_at, process->base_end - calls[now].base);
		return true;
	}
	to = last_quiet(process, edits->changed[walk->changed]);
	if (to > now) {
		thread->time = time_add(thread->next_at, calls[to].base - calls[now].base);
		thread->next_at = thread->time;
		thread->next = to - process->first_call;
	}
	return false;
}

static uint64_t end_process(struct walk *walk)
{
	const struct process *process = walk->process;
	uint64_t end = 0;

	for (uint32_t i = process->first_thread; i < process->first_thread + process->thread_count;
	     i++) {
		struct thread_state *thread = &walk->threads[i];

		if (walk->replay->threads[i].is_main) {
			thread->time = time_max(thread->time, joined_end(walk, process->joined));
			pass_own(walk, thread, process->tail);
			make_overdue(walk, thread);
		}
		end = time_max(end, thread->time);
	}
	return time_max(end, walk->state.all);
}

/* What threads came to may depend on the call that was made. */
static void unpark(struct walk *walk)
{
	walk->looks += walk->parked.count;
	for (uint32_t i = 0; i < walk->parked.count; i++)
		heap_push(&walk->next, walk->parked.items[i].key, walk->parked.items[i].value);
	walk->parked.count = 0;
}

static uint64_t run_process(struct walk *walk)
{
	const struct process *process = walk->process;
	const bool alone = process->thread_count == 1;

	if (!process->call_count)
		return process->end;
	walk->state.all = 0;
	walk->rank = walk->quiet = 0;
	for (uint32_t i = process->first_thread; i < process->first_thread + process->thread_count;
	     i++)
		if (walk->replay->threads[i].parent == NONE)
			begin_thread(walk, i, process->start);
	while (walk->next.count) {
		const struct heap_item item = heap_pop(&walk->next);
		struct thread_state *thread = &walk->threads[item.value];

		if (thread->over || thread->next_at != item.key)
			continue; /* it was made out of turn */
		if (alone && walk->options->skip && skip(walk, thread)) {
			walk->next.count = 0;
			return thread->time;
		}
		if (alone || is_due(walk, next_call(walk, item.value))) {
			step_thread(walk, item.value);
			unpark(walk);
			continue;
		}
		heap_push(&walk->parked, item.key, item.value);
		if (!walk->next.count) {
			uint32_t due = lowest(walk);

			unpark(walk);
			step_thread(walk, due);
		}
	}
	return end_process(walk);
}

uint64_t replay_walk(const struct replay *replay, const struct walk_options *options,
		     bool *overlaps)
{
	struct walk walk = {
		.replay = replay,
		.options = options,
		.threads = xcalloc(replay->thread_count + 1, sizeof(*walk.threads)),
		.targets = xcalloc(replay->wait_count + 1, sizeof(*walk.targets)),
		.result = options->result,
	};
	uint64_t end = 0;

	state_new(&walk.state, replay);
	for (uint32_t i = 0; i < replay->profile->process_count; i++) {
		uint64_t process_end;

		walk.process = &replay->processes[i];
		if (walk.process->left_out)
			continue;
		process_end = run_process(&walk);
		if (options->process_ends)
			options->process_ends[i] = process_end;
		end = time_max(end, process_end);
	}
	for (uint32_t i = 0; i < replay->thread_count; i++) {
		heap_release(&walk.threads[i].by_time);
		heap_release(&walk.threads[i].by_call);
	}
	heap_release(&walk.next);
	heap_release(&walk.parked);
	free(walk.threads);
	free(walk.targets);
	state_release(&walk.state);
	if (overlaps)
		*overlaps = walk.overlaps;
	if (options->last)
		*options->last = walk.last;
	if (options->entangled)
		*options->entangled = walk.looks > LOOKS_MOST;
	return end;
}
