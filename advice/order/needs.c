/* advice/order/needs.c: what each wait is needed for. */
#include <string.h>

#include "advice/order/judge.h"
#include "gpu/nvidia/apis.h"

static bool is_candidate(const struct order *order, const struct profile_api *api,
			 bool downloads_aside)
{
	uint32_t v;

	if (!strcmp(api->kind, "free"))
		return true;
	if (!strcmp(api->kind, "sync"))
		return api_is_synchronization(api->name) || api_is_synchronous_copy(api->name);
	v = graph_find(order->profile->graph, api->vertex);
	return v != UINT32_MAX && api_is_synchronous_copy(api->name) &&
	       (order->operations[v] == OPERATION_UPLOAD ||
		(downloads_aside && order->touches->effects[v].downloads));
}

static void take_wait(struct walk *walk, struct question *question, uint32_t call,
		      const struct clock *clock, const struct clock *likely)
{
	const struct profile *profile = walk->order->profile;
	struct judge *judge = (struct judge *)question;

	judge_wait(walk, judge, call,
		   is_candidate(walk->order, &profile->apis[profile->timeline[call].api],
				judge->downloads_aside),
		   clock, likely);
}

/* The last wait before the process ends is needed: that would end its operations. */
static void end_process(struct walk *walk, struct question *question, const struct process *process)
{
	struct judge *judge = (struct judge *)question;

	(void)walk;
	(void)process;
	judge_end(judge, judge->downloads_aside ? WAIT_NOT_JUDGED : WAIT_NEEDED);
}

static unsigned char *judge_all(const struct order *order, bool downloads_aside,
				const unsigned char *gone)
{
	static const struct question_kind kind = {
		.need = judge_need, .wait = take_wait, .end = end_process};
	struct judge judge;
	struct walk walk = {.order = order,
			    .needs = gone,
			    .spared = gone ? 1u << WAIT_UNNEEDED | 1u << WAIT_REPEATED : 0,
			    .question = &judge.question};

	judge_new(&judge, order, &kind);
	judge.downloads_aside = downloads_aside;
	order_walk(&walk);
	judge_release(&judge);
	return judge.needs;
}

unsigned char *order_needs(const struct order *order)
{
	return judge_all(order, false, NULL);
}

unsigned char *order_late(const struct order *order, const unsigned char *needs)
{
	return judge_all(order, true, needs);
}
