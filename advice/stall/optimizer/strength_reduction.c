/* advice/stall/optimizer/strength_reduction.c: GPA's strength reduction: waits for what is slow and
 * no memory, but for double precision. */
#include "advice/stall/optimizer.h"
#include "gpu/stalls/opcodes.h"

static double matches(const struct stall_kernel *kernel, const struct stall_blame *blame)
{
	return stall_is_slow(stall_source(kernel, blame));
}

/* One that is cheap comes at least in place of each that is slow; what was around those may go. */
static bool goes(const struct sass_instruction *instruction)
{
	return stall_may_go(instruction) && !stall_is_slow(instruction);
}

const struct stall_optimizer optimizer_strength_reduction = {
	.name = "strength_reduction",
	.title = "slow arithmetic",
	.advice =
		"Do with cheaper operations: a division or remainder by a power of two is a shift "
		"or a mask (use unsigned, or a constant that the compiler sees), one by a value "
		"that stays the same a multiplication by its inverse; move conversions of types "
		"out of the loop.",
	.limits = "what replaces it takes time, too",
	.estimate = STALL_REPLACED,
	.share = matches,
	.goes = goes,
};
