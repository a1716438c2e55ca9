/* replay/diogenes.c: see replay/diogenes.h. */
#include "replay/diogenes.h"

#include <stdlib.h>

#include "replay/replay_internal.h"
#include "util/memory.h"

/* A call that synchronizes, and does nothing else that removing it would save. */
static bool is_wait(const struct call *call)
{
	return call->wait < call[1].wait;
}

/* A synchronous copy is removed as a transfer; everything else that waits as a wait. */
static bool is_transfer(const struct call *call)
{
	return call->operation < call[1].operation || !is_wait(call);
}

/* durations[]: of the thread's calls. */
static uint64_t remove_wait(const struct replay *replay, const struct thread *thread,
			    uint64_t *durations, uint32_t at)
{
	const uint32_t *calls = &replay->thread_calls[thread->first];
	uint64_t idle = 0, benefit;
	uint32_t next;

	for (next = at + 1; next < thread->count; next++) {
		idle = time_add(idle, replay->calls[calls[next]].gap);
		if (is_wait(&replay->calls[calls[next]]))
			break;
		idle = time_add(idle, durations[next]);
	}
	benefit = idle < durations[at] ? idle : durations[at];
	if (next < thread->count)
		durations[next] = time_add(durations[next], durations[at] - benefit);
	durations[at] = 0;
	return benefit;
}

static uint64_t benefit_of(const struct replay *replay, const struct thread *thread,
			   const struct edits *edits, uint64_t *durations)
{
	const uint32_t *calls = &replay->thread_calls[thread->first];
	uint64_t benefit = 0;

	for (uint32_t i = 0; i < thread->count; i++)
		durations[i] = replay->calls[calls[i]].end - replay->calls[calls[i]].start;
	for (uint32_t i = 0; i < thread->count; i++) {
		const struct edit *edit = &edits->of[calls[i]];
		const struct call *call = &replay->calls[calls[i]];

		if (edit->flags & EDIT_MOVE) {
			uint64_t later = edits->changes[edit->move].ns;

			benefit = time_add(benefit, later);
			durations[i] = time_sub(durations[i], later);
		} else if (edit->flags & EDIT_REMOVE && is_transfer(call)) {
			benefit = time_add(benefit, durations[i]);
			durations[i] = 0;
		} else if (edit->flags && is_wait(call)) {
			benefit = time_add(benefit, remove_wait(replay, thread, durations, i));
		}
	}
	return benefit;
}

int diogenes_estimate(const struct replay *replay, const struct replay_change *changes,
		      uint32_t count, struct replay_times *times, struct error *error)
{
	uint64_t *durations, benefit = 0;
	struct edits edits;

	for (uint32_t i = 0; i < count; i++)
		if (changes[i].kind == REPLAY_SHORTEN || changes[i].kind == REPLAY_NARROW ||
		    (changes[i].kind == REPLAY_MOVE && changes[i].at_call))
			return error_set(error,
					 "the formula of Diogenes has no operations that take less "
					 "time, no streams, and no calls to move to");
	if (replay_estimate(replay, NULL, 0, times, error) != 0 ||
	    edits_make(&edits, replay, changes, count, error) != 0)
		return -1;
	durations = xcalloc(replay->call_count + 1, sizeof(*durations));
	for (uint32_t i = 0; i < replay->thread_count; i++)
		benefit = time_add(benefit,
				   benefit_of(replay, &replay->threads[i], &edits, durations));
	times->changed = edits.changed_count;
	times->after_ns = times->after_most_ns = time_sub(times->before_ns, benefit);
	free(durations);
	edits_release(&edits);
	return 0;
}
