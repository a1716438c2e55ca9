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

void order_needs(const struct order *order, unsigned char **needs, unsigned char **late)
{
	static const struct question_kind kind = {
		.need = judge_need, .wait = take_wait, .end = end_process};
	struct judge judges[2];
	struct question *questions[] = {&judges[0].question, &judges[1].question};
	struct walk walk = {.order = order, .questions = questions, .question_count = late ? 2 : 1};

	for (uint32_t q = 0; q < walk.question_count; q++)
		judge_new(&judges[q], order, &kind);
	judges[1].downloads_aside = true;
	order_walk(&walk);
	for (uint32_t q = 0; q < walk.question_count; q++)
		judge_release(&judges[q]);
	*needs = judges[0].needs;
	if (late)
		*late = judges[1].needs;
}
