/*
 * replay/timeline.c: the measured run, from the tables of a profile.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/records.h"
#include "replay/once.h"
#include "replay/replay_internal.h"
#include "util/memory.h"
#include "util/pair_map.h"

/* ns: a launch that takes longer loads its module, or the like, before it is issued. */
enum { LONG_LAUNCH = 20000 };

#define REMEDY "vflow collect --passes flow,time,waits"

static bool has_pass(const struct profile *profile, const char *name)
{
	for (uint32_t i = 0; i < profile->pass_count; i++)
		if (!strcmp(profile->passes[i].name, name))
			return true;
	return false;
}

static int check_passes(const struct profile *profile, struct error *error)
{
	if (!has_pass(profile, "time"))
		return error_set(error, "the profile has no pass time: " REMEDY);
	if (!has_pass(profile, "waits"))
		return error_set(error, "the profile has no pass waits: " REMEDY);
	if (!profile->timeline_count)
		return error_set(error, "the run of the pass time made no CUDA call that is timed");
	return 0;
}

/* How many calls are there with all that belongs to them. */
static uint32_t complete_calls(const struct profile *profile, bool *truncated)
{
	uint32_t count = profile->timeline_count;

	*truncated = count >= PROFILE_TIMELINE_MAX;
#define LIMIT(rows, row_count)                                                                     \
	if (profile->row_count >= PROFILE_TIMELINE_MAX) {                                          \
		uint32_t last = profile->rows[profile->row_count - 1].call;                        \
                                                                                                   \
		*truncated = true;                                                                 \
		count = last < count ? last : count;                                               \
	}
	LIMIT(gpu_times, gpu_time_count)
	LIMIT(waits, wait_count)
	LIMIT(stream_orders, stream_order_count)
#undef LIMIT
	return count;
}

static int check_times(const struct replay *replay, struct error *error)
{
	const struct profile *profile = replay->profile;

	for (uint32_t i = 0; i < replay->call_count; i++)
		if (profile->timeline[i].end_ns > TIME_MAX / 4 ||
		    profile->timeline[i].start_ns > profile->timeline[i].end_ns)
			return error_set(error,
					 "row %u of table timeline ends at %llu ns: the "
					 "profile is damaged",
					 i, (unsigned long long)profile->timeline[i].end_ns);
	for (uint32_t i = 0; i < replay->operation_count; i++)
		if (profile->gpu_times[i].end_ns > TIME_MAX / 4 ||
		    profile->gpu_times[i].start_ns > profile->gpu_times[i].end_ns)
			return error_set(error,
					 "row %u of table gpu_time ends at %llu ns: the "
					 "profile is damaged",
					 i, (unsigned long long)profile->gpu_times[i].end_ns);
	return 0;
}

/* -- calls, threads, streams -- */

static uint32_t find_device(struct replay *replay, struct pair_map *map, uint32_t process,
			    uint32_t number)
{
	uint32_t index;

	if (!pair_map_find(map, process, number, replay->device_count, &index)) {
		ARRAY_RESERVE(replay->devices, replay->device_count, replay->device_capacity);
		replay->devices[replay->device_count++] = (struct device){process, number, NONE};
	}
	return index;
}

static uint32_t find_stream(struct replay *replay, struct pair_map *map, uint32_t device,
			    uint32_t number)
{
	uint32_t index;

	if (!pair_map_find(map, device, number, replay->stream_count, &index)) {
		ARRAY_RESERVE(replay->streams, replay->stream_count, replay->stream_capacity);
		replay->streams[replay->stream_count++] =
			(struct stream){replay->devices[device].process, number, device, !number};
		if (!number)
			replay->devices[device].default_stream = index;
	}
	return index;
}

static uint32_t find_thread(struct replay *replay, struct pair_map *map, uint32_t process,
			    uint32_t number)
{
	uint32_t index;

	if (!pair_map_find(map, process, number, replay->thread_count, &index)) {
		struct process *of = &replay->processes[process];

		ARRAY_RESERVE(replay->threads, replay->thread_count, replay->thread_capacity);
		replay->threads[replay->thread_count] =
			(struct thread){.process = process, .number = number, .parent = NONE};
		if (!of->thread_count++)
			of->first_thread = replay->thread_count;
		replay->thread_count++;
	}
	return index;
}

struct maps {
	struct pair_map devices, streams, threads;
};

static void take_calls(struct replay *replay, struct maps *maps)
{
	const struct profile *profile = replay->profile;

	replay->calls = xcalloc(replay->call_count + 1, sizeof(*replay->calls));
	for (uint32_t i = 0; i < replay->call_count; i++) {
		const struct profile_timed_call *from = &profile->timeline[i];
		uint32_t device = find_device(replay, &maps->devices, from->process, from->device);
		struct process *process = &replay->processes[from->process];
		uint32_t known = replay->stream_count;
		uint32_t stream = find_stream(replay, &maps->streams, device, from->stream);

		if (stream == known)
			replay->streams[stream].blocking = !from->nonblocking;
		replay->calls[i] = (struct call){
			.start = from->start_ns,
			.end = from->end_ns,
			.overhead = from->overhead_ns == PROFILE_UNKNOWN ? 0 : from->overhead_ns,
			.thread = find_thread(replay, &maps->threads, from->process, from->thread),
			.device = device,
			.stream = stream,
			.spawned = NONE,
			.joined = NONE,
			.nonblocking = from->nonblocking,
		};
		if (!process->call_count++)
			process->first_call = i;
	}
}

/* The calls of each thread; one begins when the one before it has ended. */
static void take_threads(struct replay *replay)
{
	uint32_t place = 0;

	for (uint32_t i = 0; i < replay->call_count; i++)
		replay->threads[replay->calls[i].thread].count++;
	for (uint32_t i = 0; i < replay->thread_count; i++) {
		replay->threads[i].first = place;
		place += replay->threads[i].count;
		replay->threads[i].count = 0;
	}
	replay->thread_calls = xcalloc(replay->call_count, sizeof(*replay->thread_calls));
	for (uint32_t i = 0; i < replay->call_count; i++) {
		struct call *call = &replay->calls[i];
		struct thread *thread = &replay->threads[call->thread];
		uint32_t at = thread->first + thread->count;

		if (thread->count++) {
			uint64_t before = replay->calls[replay->thread_calls[at - 1]].end;

			call->start = time_max(call->start, before);
			call->end = time_max(call->end, call->start);
			call->gap = call->start - before;
		}
		replay->thread_calls[at] = i;
	}
}

struct ranked {
	uint64_t start;
	uint32_t call;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->call > y->call) - (x->call < y->call);
}

static void rank_calls(struct replay *replay, const struct process *process)
{
	struct ranked *ranked = xcalloc(process->call_count + 1, sizeof(*ranked));
	bool sorted = true;

	for (uint32_t i = 0; i < process->call_count; i++) {
		uint32_t call = process->first_call + i;

		ranked[i] = (struct ranked){replay->calls[call].start, call};
		sorted = sorted && (!i || ranked[i - 1].start <= ranked[i].start);
	}
	if (!sorted)
		qsort(ranked, process->call_count, sizeof(*ranked), compare_ranked);
	for (uint32_t i = 0; i < process->call_count; i++) {
		replay->ranked[process->first_call + i] = ranked[i].call;
		replay->calls[ranked[i].call].rank = i;
	}
	free(ranked);
}

/* -- what threads come after -- */

static struct call *first_of(const struct replay *replay, const struct thread *thread)
{
	return &replay->calls[replay->thread_calls[thread->first]];
}

static struct call *last_of(const struct replay *replay, const struct thread *thread)
{
	return &replay->calls[replay->thread_calls[thread->first + thread->count - 1]];
}

/* How many calls of the thread have ended by then. */
static uint32_t ended_by(const struct replay *replay, const struct thread *thread, uint64_t time)
{
	uint32_t low = 0, high = thread->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (replay->calls[replay->thread_calls[thread->first + middle]].end <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct thread_time {
	uint64_t time;
	uint32_t thread;
};

static int compare_times(const void *a, const void *b)
{
	const struct thread_time *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* The thread begins after `parent`, or with its process. */
static void spawn(struct replay *replay, uint32_t index, const struct call *parent,
		  const struct process *process)
{
	struct thread *thread = &replay->threads[index];
	struct call *first = first_of(replay, thread), *after = NULL;

	if (parent && parent->rank < first->rank && parent->end <= first->start)
		after = &replay->calls[parent - replay->calls];
	if (after) {
		thread->parent = (uint32_t)(after - replay->calls);
		thread->next_spawned = after->spawned;
		after->spawned = index;
	}
	first->gap = first->start - (after ? after->end : process->start);
}

/* Where the first thread waits for another one. */
static void join(struct replay *replay, struct process *process, const struct thread *main_thread,
		 uint32_t index)
{
	struct thread *thread = &replay->threads[index];
	const struct call *first = first_of(replay, thread), *last = last_of(replay, thread);
	uint32_t before = ended_by(replay, main_thread, first->start), *list = NULL;
	uint64_t *gap = NULL, start;

	thread->next_joined = NONE;
	if (before < main_thread->count) {
		struct call *next =
			&replay->calls[replay->thread_calls[main_thread->first + before]];

		if (next->start >= last->end && next->rank > last->rank && before)
			list = &next->joined, gap = &next->gap, start = next->start;
	}
	if (!list && last->end >= last_of(replay, main_thread)->end)
		list = &process->joined, gap = &process->tail, start = process->end;
	if (!list)
		return;
	if (start - last->end < *gap)
		*gap = start - last->end;
	thread->next_joined = *list;
	*list = index;
}

static void connect_threads(struct replay *replay, struct process *process)
{
	uint32_t count = process->thread_count, over = 0, main_index = process->first_thread;
	struct thread_time *begins = xcalloc(count, sizeof(*begins));
	struct thread_time *ends = xcalloc(count, sizeof(*ends));
	const struct thread *main_thread;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = process->first_thread + i;

		begins[i] = (struct thread_time){first_of(replay, &replay->threads[index])->start,
						 index};
		ends[i] =
			(struct thread_time){last_of(replay, &replay->threads[index])->end, index};
		if (first_of(replay, &replay->threads[index])->rank <
		    first_of(replay, &replay->threads[main_index])->rank)
			main_index = index;
	}
	qsort(begins, count, sizeof(*begins), compare_times);
	qsort(ends, count, sizeof(*ends), compare_times);
	main_thread = &replay->threads[main_index];
	replay->threads[main_index].is_main = true;
	process->tail = process->end - last_of(replay, main_thread)->end;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = begins[i].thread, ended;
		const struct call *parent = NULL;

		if (index == main_index) {
			spawn(replay, index, NULL, process);
			continue;
		}
		ended = ended_by(replay, main_thread, begins[i].time);
		if (ended)
			parent = &replay->calls[replay->thread_calls[main_thread->first + ended -
								     1]];
		while (over < count && ends[over].time <= begins[i].time)
			over++;
		if (over && (!parent || ends[over - 1].time > parent->end))
			parent = last_of(replay, &replay->threads[ends[over - 1].thread]);
		spawn(replay, index, parent, process);
		join(replay, process, main_thread, index);
	}
	free(begins);
	free(ends);
}

/* -- rows of calls -- */

static void take_operations(struct replay *replay)
{
	const struct profile *profile = replay->profile;
	uint32_t row = 0;

	replay->operations = xcalloc(replay->operation_count + 1, sizeof(*replay->operations));
	for (uint32_t i = 0; i < replay->call_count; i++) {
		struct call *call = &replay->calls[i];
		uint32_t api = profile->timeline[i].api;

		call->operation = row;
		for (; row < replay->operation_count && profile->gpu_times[row].call == i; row++)
			replay->operations[row] = (struct operation){
				.start = profile->gpu_times[row].start_ns,
				.end = profile->gpu_times[row].end_ns,
				.call = i,
				.stream = call->stream,
				.follows = NONE,
				.before = NONE,
				.kernel = !strcmp(profile->apis[api].kind, "kernel"),
				.blocking =
					!call->nonblocking || !replay->streams[call->stream].number,
			};
	}
	replay->calls[replay->call_count].operation = row;
}

static void take_waits(struct replay *replay, struct maps *maps)
{
	const struct profile *profile = replay->profile;
	uint64_t *once = replay_once(profile);
	uint32_t row = 0;

	replay->waits = xcalloc(replay->wait_count + 1, sizeof(*replay->waits));
	for (uint32_t i = 0; i < replay->call_count; i++) {
		struct call *call = &replay->calls[i];
		uint64_t past = call->start, own = 0;

		call->wait = row;
		for (; row < replay->wait_count && profile->waits[row].call == i; row++) {
			const struct profile_wait *from = &profile->waits[row];
			uint64_t start = time_max(past, from->start_ns), end;
			uint32_t device =
				find_device(replay, &maps->devices,
					    replay->threads[call->thread].process, from->device);

			start = start > call->end ? call->end : start;
			end = time_add(start, from->wait_ns);
			end = end > call->end ? call->end : end;
			replay->waits[row] = (struct wait){
				.own_ns = start - past,
				.fixed_ns = end - start, /* until more is known */
				.event = {NONE, NONE, false},
				.stream = find_stream(replay, &maps->streams, device, from->stream),
				.device = device,
				.scope = (uint8_t)from->scope,
				.own = from->own || from->scope == GPU_WAIT_OWN,
			};
			own += start - past;
			past = end;
		}
		call->rest = call->end - past;
		if (call->operation < call[1].operation &&
		    replay->operations[call->operation].kernel)
			call->prepares = time_sub(own + call->rest, LONG_LAUNCH);
		call->once = once[i] < own + call->rest ? once[i] : own + call->rest;
		if (call->operation < call[1].operation)
			call->prepares = time_max(call->prepares, call->once);
		call->only_waits = row > call->wait && call->operation == call[1].operation;
		call->copies = !strcmp(profile->apis[profile->timeline[i].api].kind, "memcpy");
	}
	replay->calls[replay->call_count].wait = row;
	free(once);
}

static void take_orders(struct replay *replay, struct maps *maps)
{
	const struct profile *profile = replay->profile;
	uint32_t row = 0;

	replay->orders = xcalloc(replay->order_count + 1, sizeof(*replay->orders));
	for (uint32_t i = 0; i < replay->call_count; i++) {
		replay->calls[i].order = row;
		for (; row < replay->order_count && profile->stream_orders[row].call == i; row++) {
			const struct profile_stream_order *from = &profile->stream_orders[row];
			uint32_t process = replay->threads[replay->calls[i].thread].process;
			uint32_t device =
				find_device(replay, &maps->devices, process, from->device);

			replay->orders[row].stream =
				find_stream(replay, &maps->streams, device, from->stream);
		}
	}
	replay->calls[replay->call_count].order = row;
}

static void take_processes(struct replay *replay)
{
	const struct profile *profile = replay->profile;

	replay->ranked = xcalloc(replay->call_count, sizeof(*replay->ranked));
	for (uint32_t i = 0; i < profile->process_count; i++) {
		struct process *process = &replay->processes[i];
		const struct profile_process *from = &profile->processes[i];
		const struct call *calls = replay->calls + process->first_call;
		uint32_t count = process->call_count, last;

		process->joined = NONE;
		process->left_out = replay->truncated && !count;
		process->start = from->time_start_ns <= TIME_MAX / 4 ? from->time_start_ns : 0;
		process->end = process->start;
		if (from->time_end_ns <= TIME_MAX / 4)
			process->end = time_max(process->end, from->time_end_ns);
		if (!count)
			continue;
		last = process->first_call + count;
		if (from->time_start_ns > TIME_MAX / 4)
			process->start = calls[0].start;
		if (replay->truncated && last == replay->call_count)
			process->end = 0; /* the rest of it is not known */
		for (uint32_t c = 0; c < count; c++) {
			if (calls[c].start < process->start)
				process->start = calls[c].start;
			process->end = time_max(process->end, calls[c].end);
		}
		rank_calls(replay, process);
		connect_threads(replay, process);
		/* the host's time ends before the device's */
		for (uint32_t o = calls[0].operation; o < calls[count].operation; o++)
			process->end = time_max(process->end, replay->operations[o].end);
	}
}

/* Rows of no call, and of calls that are left out, are the last. */
static uint32_t rows_of(uint32_t calls, uint32_t count, const void *rows, size_t size,
			size_t call_at)
{
	for (; count; count--) {
		uint32_t call;

		memcpy(&call, (const char *)rows + (count - 1) * size + call_at, sizeof(call));
		if (call < calls)
			break;
	}
	return count;
}

int timeline_take(struct replay *replay, struct error *error)
{
	const struct profile *profile = replay->profile;
	struct maps maps = {.devices = {0}};

	if (check_passes(profile, error) != 0)
		return -1;
	replay->call_count = complete_calls(profile, &replay->truncated);
#define ROWS(rows, count, type)                                                                    \
	rows_of(replay->call_count, profile->count, profile->rows, sizeof(struct type),            \
		offsetof(struct type, call))
	replay->operation_count = ROWS(gpu_times, gpu_time_count, profile_gpu_time);
	replay->wait_count = ROWS(waits, wait_count, profile_wait);
	replay->order_count = ROWS(stream_orders, stream_order_count, profile_stream_order);
#undef ROWS
	if (check_times(replay, error) != 0)
		return -1;
	replay->processes = xcalloc(profile->process_count + 1, sizeof(*replay->processes));
	take_calls(replay, &maps);
	take_threads(replay);
	take_operations(replay);
	take_waits(replay, &maps);
	take_orders(replay, &maps);
	take_processes(replay);
	pair_map_release(&maps.devices);
	pair_map_release(&maps.streams);
	pair_map_release(&maps.threads);
	return 0;
}
