/* advice/order/relied.c: what relies on the order that operations make which are to be left out. */
#include <stdlib.h>
#include <string.h>

#include "advice/order/judge.h"
#include "util/memory.h"

/*
 * The host may look, after the wait, at what is done only because an operation that goes stands
 * between that and what the wait is for.
 */
static void need_order(struct walk *walk, struct judge *judge, const struct judge_thread *thread,
		       const struct clock *clock)
{
	struct clock known = thread->needed;
	uint32_t kept = 0;

	clock_join(&known, clock);
	for (uint32_t i = 0; i < judge->open_count; i++) {
		const struct open_wait *wait = &judge->open[i];

		if (wait->on_device && judge_makes_wait(judge, wait, clock) &&
		    judge_protects(walk, judge, &wait->covers, &known))
			judge_call(judge, wait->call, WAIT_NEEDED);
		else
			judge->open[kept++] = *wait;
	}
	judge->open_count = kept;
	judge->question.asks = kept > 0;
}

static void take_wait(struct walk *walk, struct question *question, uint32_t call,
		      const struct clock *clock, const struct clock *likely)
{
	const struct profile *profile = walk->order->profile;
	const struct profile_timed_call *timed = &profile->timeline[call];
	struct judge *judge = (struct judge *)question;

	need_order(walk, judge, judge_thread(judge, timed->thread), clock);
	judge_wait(walk, judge, call, clocks_leave_out(&walk->clocks, &profile->apis[timed->api]),
		   clock, likely);
}

static void left_out(struct walk *walk, struct question *question, uint32_t call,
		     struct stream *stream, const struct clock *clock)
{
	judge_open((struct judge *)question,
		   &(struct open_wait){call, WAIT_UNNEEDED, true,
				       clocks_index(&walk->clocks, stream), stream->count + 1,
				       *clock});
}

static void end_process(struct walk *walk, struct question *question, const struct process *process)
{
	(void)walk;
	(void)process;
	judge_end((struct judge *)question, WAIT_NOT_JUDGED);
}

bool *order_relied(const struct order *order, const unsigned char *needs, const bool *gone)
{
	static const struct question_kind kind = {
		.need = judge_need, .wait = take_wait, .end = end_process, .left_out = left_out};
	const struct profile *profile = order->profile;
	bool *relied = xcalloc((size_t)profile->graph->vertex_count + 1, sizeof(*relied));
	struct judge judge;
	struct walk walk = {.order = order,
			    .needs = needs,
			    .spared = 1u << WAIT_UNNEEDED | 1u << WAIT_REPEATED,
			    .question = &judge.question,
			    .clocks.gone = gone};

	judge_new(&judge, order, &kind);
	judge.once = true;
	order_walk(&walk);
	judge_release(&judge);
	for (uint32_t c = 0; c < profile->timeline_count; c++) {
		uint32_t v =
			graph_find(profile->graph, profile->apis[profile->timeline[c].api].vertex);

		if (v != UINT32_MAX && gone[v])
			relied[v] |= judge.needs[c] == WAIT_NEEDED || judge.needs[c] == WAIT_ORDERS;
	}
	free(judge.needs);
	return relied;
}
