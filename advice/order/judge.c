#include "advice/order/judge.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum { OPEN_MOST = 1024 }; /* waits that may protect nothing; with more the first one is needed */

void judge_new(struct judge *judge, const struct order *order, const struct question_kind *kind)
{
	*judge = (struct judge){.question.kind = kind};
	judge->needs = xcalloc((size_t)order->profile->timeline_count + 1, 1);
}

void judge_release(struct judge *judge)
{
	free(judge->threads);
	free(judge->open);
}

struct judge_thread *judge_thread(struct judge *judge, uint32_t number)
{
	uint32_t index;

	if (!pair_map_find(&judge->thread_map, number, 0, judge->thread_count, &index)) {
		ARRAY_RESERVE(judge->threads, judge->thread_count, judge->thread_capacity);
		judge->threads[judge->thread_count++] = (struct judge_thread){0};
	}
	return &judge->threads[index];
}

void judge_call(struct judge *judge, uint32_t call, enum wait_need need)
{
	if (judge->once && (judge->needs[call] == WAIT_NEEDED || judge->needs[call] == WAIT_ORDERS))
		return;
	judge->needs[call] = (unsigned char)need;
}

static void remove_open(struct judge *judge, uint32_t index)
{
	judge->open_count--;
	memmove(&judge->open[index], &judge->open[index + 1],
		(judge->open_count - index) * sizeof(*judge->open));
	judge->question.asks = judge->open_count > 0;
}

void judge_open(struct judge *judge, const struct open_wait *wait)
{
	if (judge->open_count == OPEN_MOST) {
		judge_call(judge, judge->open[0].call, WAIT_NEEDED);
		clock_join(&judge->question.needed, &judge->open[0].covers);
		remove_open(judge, 0);
	}
	ARRAY_RESERVE(judge->open, judge->open_count, judge->open_capacity);
	judge->open[judge->open_count++] = *wait;
	judge->question.asks = true;
}

/* Those that are covered protect nothing: what covers them does. */
static void close_covered(struct judge *judge, const struct clock *by)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < judge->open_count; i++) {
		if (clock_covers(by, &judge->open[i].covers))
			judge_call(judge, judge->open[i].call, judge->open[i].otherwise);
		else
			judge->open[kept++] = judge->open[i];
	}
	judge->open_count = kept;
	judge->question.asks = kept > 0;
}

bool judge_makes_wait(const struct judge *judge, const struct open_wait *wait,
		      const struct clock *clock)
{
	const uint32_t done = judge->question.needed.done[wait->stream];

	return !wait->on_device || done >= wait->number ||
	       (clock && clock->done[wait->stream] >= wait->number);
}

/* The latest wait that covers the first of the operations is needed. */
void judge_need(struct walk *walk, struct question *question, uint32_t stream, uint32_t from,
		uint32_t to, enum wait_need why, struct stream *by, const struct clock *clock)
{
	struct judge *judge = (struct judge *)question;

	(void)walk;
	(void)by;
	while (from < to) {
		struct open_wait found;
		uint32_t i = judge->open_count;

		while (i && (judge->open[i - 1].covers.done[stream] <= from ||
			     !judge_makes_wait(judge, &judge->open[i - 1], clock)))
			i--;
		if (!i)
			return;
		found = judge->open[i - 1];
		remove_open(judge, i - 1);
		judge_call(judge, found.call, why);
		if (!found.on_device)
			clock_join(&question->needed, &found.covers);
		close_covered(judge, &question->needed);
		from = found.covers.done[stream];
	}
}

bool judge_protects(const struct walk *walk, const struct judge *judge, const struct clock *clock,
		    const struct clock *known)
{
	for (uint32_t s = 0; s < walk->clocks.stream_count; s++) {
		const struct stream *stream = &walk->clocks.streams[s];
		const struct numbers *numbers =
			judge->downloads_aside ? &stream->guarded : &stream->seen;
		const uint32_t next = numbers_up_to(numbers, known->done[s]);

		if (next < numbers->count && numbers->items[next] <= clock->done[s])
			return true;
	}
	return false;
}

void judge_wait(struct walk *walk, struct judge *judge, uint32_t call, bool candidate,
		const struct clock *clock, const struct clock *likely)
{
	const struct timing *timing = walk->order->timing;
	const struct profile_timed_call *timed = &walk->order->profile->timeline[call];
	const bool is_sync = !strcmp(walk->order->profile->apis[timed->api].kind, "sync");
	struct judge_thread *thread = judge_thread(judge, timed->thread);
	const bool repeated = thread->waited && clock_covers(&thread->all, clock);
	const bool likely_repeated = thread->waited && clock_covers(&thread->likely, clock) &&
				     is_sync && !timing_wait_ns(timing, call);

	clock_join(&thread->all, clock);
	clock_join(&thread->likely, likely);
	thread->waited = true;
	if (repeated) {
		/* the one before it stays; one that did wait, for what is not seen, is needed */
		if (is_sync && candidate)
			judge_call(judge, call,
				   timing_wait_ns(timing, call) ? WAIT_NEEDED : WAIT_REPEATED);
		return;
	}
	if (!candidate || judge_protects(walk, judge, clock, &thread->needed)) {
		if (candidate)
			judge_call(judge, call, WAIT_NEEDED);
		clock_join(&thread->needed, clock);
		clock_join(&judge->question.needed, clock);
		close_covered(judge, &judge->question.needed);
		return;
	}
	if (!likely_repeated)
		close_covered(judge, clock);
	judge_open(judge,
		   &(struct open_wait){.call = call,
				       .otherwise = likely_repeated ? WAIT_REPEATED : WAIT_UNNEEDED,
				       .covers = *clock});
}

void judge_end(struct judge *judge, enum wait_need last)
{
	for (uint32_t i = 0; i < judge->open_count; i++) {
		const struct open_wait *wait = &judge->open[i];

		judge_call(judge, wait->call,
			   last && wait->otherwise != WAIT_REPEATED ? last : wait->otherwise);
	}
	pair_map_release(&judge->thread_map);
	judge->thread_count = judge->open_count = 0;
	judge->question.asks = false;
}
