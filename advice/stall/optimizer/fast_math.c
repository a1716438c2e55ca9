/* advice/stall/optimizer/fast_math.c: GPA's fast math: time in functions that the compiler calls
 * for precise division, roots and the like. */
#include "advice/stall/optimizer.h"

static double matches(const struct stall_kernel *kernel, const struct stall_blame *blame)
{
	return !stall_fetches_much(kernel) &&
	       stall_is_of_compiler(stall_function_of(kernel, blame->stalled));
}

const struct stall_optimizer optimizer_fast_math = {
	.name = "fast_math",
	.title = "precise division, roots or functions by subroutines",
	.advice =
		"Use what the hardware has: --use_fast_math or __fdividef, __fsqrt_rn, __sinf and "
		"the like for float; of integers a division of 32 bits instead of 64.",
	.limits = "results differ in their last bits; what replaces it takes time, too",
	.estimate = STALL_REPLACED,
	.share = matches,
};
