/* advice/stall/optimizer/thread_increase.c: GPA's thread increase: multiprocessors with few warps.
 */
#include "advice/stall/optimizer.h"

enum { SCHEDULERS = 4 };

static double speedup(const struct stall_kernel *kernel)
{
	double warps = stall_active_warps(kernel), most, issue, share, seen;
	uint32_t threads = stall_threads(kernel);

	if (warps == 0 || stall_blocks(kernel) < kernel->device->multiprocessors ||
	    kernel->all.samples == 0)
		return 0;
	most = kernel->device->warps;
	issue = kernel->issued / kernel->all.samples;
	if (warps >= most || issue <= 0)
		return 0;
	/* threads that fill up the last warp of a block do nothing */
	share = ((threads + 31) / 32 * 32) / (double)threads;
	if (warps < SCHEDULERS)
		return SCHEDULERS / warps * share;
	/*
	 * GPA divides by what the same formula says of the warps that there are; here that was
	 * seen: the share of samples in which the scheduler issued.
	 */
	seen = (kernel->all.samples - kernel->all.latency) / kernel->all.samples;
	return seen > 0 ? stall_issue_share(issue, most / SCHEDULERS) / seen * share : 0;
}

const struct stall_optimizer optimizer_thread_increase = {
	.name = "thread_increase",
	.title = "few warps on a multiprocessor",
	.advice = "Let more warps run at a time, so that some can go on while others wait: more "
		  "blocks, "
		  "larger blocks, fewer registers (__launch_bounds__) or less shared memory, "
		  "whichever "
		  "is the limit, and blocks of a multiple of 32 threads.",
	.limits = "the estimate is of as many warps as fit, and takes it that memory keeps up",
	.estimate = STALL_MORE_WARPS,
	.bound = STALL_AT_MOST,
	.speedup = speedup,
};
