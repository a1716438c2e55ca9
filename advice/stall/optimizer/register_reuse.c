/* advice/stall/optimizer/register_reuse.c: GPA's register reuse: waits for local memory. */
#include "advice/stall/optimizer.h"
#include "gpu/stalls/opcodes.h"

static double matches(const struct stall_kernel *kernel, const struct stall_blame *blame)
{
	return stall_opcode_of(stall_source(kernel, blame)) == OPCODE_LOCAL;
}

/* The access itself, as the value is in a register already. */
static bool goes(const struct sass_instruction *instruction)
{
	return stall_opcode_of(instruction) == OPCODE_LOCAL;
}

const struct stall_optimizer optimizer_register_reuse = {
	.name = "register_reuse",
	.title = "values that do not fit into registers",
	.advice =
		"Threads wait for local memory: registers that were spilled, or an array that is "
		"indexed by variables. Allow more registers (no -maxrregcount, a smaller bound in "
		"__launch_bounds__), keep fewer values alive at a time, or unroll the loops that "
		"index the array.",
	.limits = "more registers may leave room for fewer warps",
	.estimate = STALL_REPLACED,
	.share = matches,
	.goes = goes,
};
