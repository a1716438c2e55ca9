/* advice/stall/optimizer/warp_balance.c: GPA's warp balance: waits at barriers. */
#include "advice/stall/optimizer.h"

static double matches(const struct stall_kernel *kernel, const struct stall_blame *blame)
{
	(void)kernel;
	return blame->reason == STALL_BARRIER;
}

const struct stall_optimizer optimizer_warp_balance = {
	.name = "warp_balance",
	.title = "warps that wait for others at a barrier",
	.advice = "Give all warps of a block as much to do before the barrier, or wait for fewer: "
		  "__syncwarp() where only a warp shares data, smaller blocks, or no barrier where "
		  "nothing is shared.",
	.limits =
		"which warp comes last is not known; work that is only moved still takes its time",
	.estimate = STALL_REMOVED,
	.share = matches,
};
