/* advice/stall/optimizer/block_increase.c: GPA's block increase: multiprocessors without a block.
 */
#include "advice/stall/optimizer.h"

/* What one multiprocessor does in a time stays the same. */
static double speedup(const struct stall_kernel *kernel)
{
	uint64_t blocks = stall_blocks(kernel);

	if (!blocks || !kernel->device || blocks >= kernel->device->multiprocessors)
		return 0;
	return (double)kernel->device->multiprocessors / (double)blocks;
}

const struct stall_optimizer optimizer_block_increase = {
	.name = "block_increase",
	.title = "fewer blocks than multiprocessors",
	.advice = "Launch more blocks that each do less, at least as many as there are "
		  "multiprocessors: smaller blocks, or fewer elements for a thread.",
	.limits = "the estimate is of one block for each multiprocessor and takes it that the work "
		  "can "
		  "be parted so, and that memory keeps up",
	.estimate = STALL_MORE_BLOCKS,
	.bound = STALL_AT_MOST,
	.speedup = speedup,
};
