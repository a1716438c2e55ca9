/* advice/stall/optimizer/atomics.c: waits for atomic operations. */
#include "advice/stall/optimizer.h"
#include "gpu/stalls/opcodes.h"

enum { WARP = 32 };

/*
 * Threads of a warp that want the same address are served one after the other; when they have added
 * up before, one request of 32 is left, which takes as long as one does now.
 */
static double matches(const struct stall_kernel *kernel, const struct stall_blame *blame)
{
	return stall_is_atomic(stall_source(kernel, blame)) ? 1 - 1.0 / WARP : 0;
}

static bool is_certain(const struct stall_kernel *kernel, const struct stall_blame *blame)
{
	const struct stride *stride = &kernel->strides[blame->source];

	return stride->kind == STRIDE_KNOWN && stride->bytes == 0;
}

const struct stall_optimizer optimizer_atomics = {
	.name = "atomics",
	.title = "atomic operations that wait for each other",
	.advice =
		"Add up in registers first, then in the warp (__reduce_add_sync, __shfl_down_sync, "
		"cooperative groups), then in shared memory, and let one thread of a block do one "
		"atomic operation.",
	.limits = "the estimate is of one operation for a warp in place of 32, which takes threads "
		  "of "
		  "a warp that want the same address; one for a block gives more",
	.estimate = STALL_REMOVED,
	.bound = STALL_AT_LEAST,
	.share = matches,
	.certain = is_certain,
};
