/* advice/stall/optimizer/loop_unrolling.c: GPA's loop unrolling: latency inside of a loop. */
#include "advice/stall/optimizer.h"
#include "gpu/stalls/opcodes.h"

static double matches(const struct stall_kernel *kernel, const struct stall_blame *blame)
{
	return stall_waits_for_result(blame) &&
	       stall_opcode_of(stall_source(kernel, blame)) != OPCODE_LOCAL &&
	       stall_loops_common(&kernel->loops, kernel->flow, blame->source, blame->stalled) !=
		       SASS_NONE;
}

const struct stall_optimizer optimizer_loop_unrolling = {
	.name = "loop_unrolling",
	.title = "one iteration of a loop waits at a time",
	.advice = "Unroll the loop (#pragma unroll 4), with loads of several iterations before the "
		  "first use, and with several sums instead of one.",
	.limits = "whether iterations depend on each other is not known; it takes registers",
	.estimate = STALL_HIDDEN_IN_LOOP,
	.share = matches,
};
