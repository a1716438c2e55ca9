/* advice/stall/optimizer/code_reordering.c: GPA's code reordering: latency that other instructions
 * could hide. */
#include "advice/stall/optimizer.h"
#include "gpu/stalls/opcodes.h"

static double matches(const struct stall_kernel *kernel, const struct stall_blame *blame)
{
	return stall_waits_for_result(blame) &&
	       stall_opcode_of(stall_source(kernel, blame)) != OPCODE_LOCAL;
}

const struct stall_optimizer optimizer_code_reordering = {
	.name = "code_reordering",
	.title = "a value is used too soon after it is asked for",
	.advice =
		"Ask for it earlier: move the load up, before what does not need it, or fetch the "
		"next iteration's values in this one.",
	.limits = "whether it can be asked for earlier is not known; it takes registers",
	.estimate = STALL_HIDDEN,
	.share = matches,
};
