/* advice/stall/optimizer/memory_transactions.c: GPA's memory transaction reduction: requests to
 * global memory that find the queue full. */
#include "advice/stall/optimizer.h"
#include "gpu/stalls/opcodes.h"

static double matches(const struct stall_kernel *kernel, const struct stall_blame *blame)
{
	const struct sass_instruction *source = stall_source(kernel, blame);

	return blame->reason == STALL_LG_THROTTLE && !stall_is_atomic(source) &&
	       stall_opcode_of(source) != OPCODE_LOCAL;
}

const struct stall_optimizer optimizer_memory_transactions = {
	.name = "memory_transactions",
	.title = "more requests to global memory than it takes",
	.advice = "Ask for more bytes at a time (float4 instead of float), keep what is used again "
		  "in "
		  "shared memory or registers, and let constants be read as such (__constant__).",
	.limits = "how many requests there will be is not known",
	.estimate = STALL_REMOVED,
	.share = matches,
};
