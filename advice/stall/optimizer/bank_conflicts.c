/*
 * advice/stall/optimizer/bank_conflicts.c: waits for shared memory whose banks several threads want
 * at a time, as the machine code says: HPCToolkit's coalescing of shared memory, which does not
 * know.
 */
#include <stdlib.h>

#include "advice/stall/optimizer.h"
#include "gpu/stalls/opcodes.h"

static double matches(const struct stall_kernel *kernel, const struct stall_blame *blame)
{
	struct stride stride;
	unsigned ways;

	if (stall_opcode_of(stall_source(kernel, blame)) == OPCODE_SHARED &&
	    !stall_is_atomic(stall_source(kernel, blame))) {
		stride = kernel->strides[blame->source];
		ways = stride_conflicts(&stride);
		if (ways > 1)
			return 1 - 1.0 / ways;
	}
	/* the queue is full of other warps' requests, of which those with conflicts take longer */
	return blame->reason == STALL_MIO_THROTTLE ? kernel->needless_turns : 0;
}

const struct stall_optimizer optimizer_bank_conflicts = {
	.name = "bank_conflicts",
	.title = "threads of a warp that want the same bank of shared memory",
	.advice =
		"Make rows of the array in shared memory one element longer ([32][33]), or swap "
		"its "
		"indices: threads whose addresses differ by a multiple of 128 bytes are served one "
		"after the other.",
	.limits = "strides are those of threadIdx.x, in a warp of one row",
	.estimate = STALL_REMOVED,
	.bound = STALL_AT_LEAST, /* results of requests behind them come earlier, too */
	.share = matches,
};
