/* advice/stall/optimizer/function_split.c: GPA's function split: waits for instructions in inlined
 * code. */
#include "advice/stall/optimizer.h"

static double matches(const struct stall_kernel *kernel, const struct stall_blame *blame)
{
	struct sass_line lines[SASS_LINES_DEPTH];

	return (blame->reason == STALL_NO_INSTRUCTIONS ||
		blame->reason == STALL_BRANCH_RESOLVING) &&
	       stall_lines_of(kernel, blame->stalled, lines) > 1;
}

const struct stall_optimizer optimizer_function_split = {
	.name = "function_split",
	.title = "code that is too long for the instruction cache",
	.advice = "Keep a function that is inlined many times out of line (__noinline__), unroll "
		  "loops less (#pragma unroll 1), or part the kernel.",
	.limits = "a call takes time, too",
	.estimate = STALL_REMOVED,
	.share = matches,
};
