/* advice/stall/optimizer/double_precision.c: GPA's strength reduction, of arithmetic in double
 * precision. */
#include "advice/stall/optimizer.h"
#include "gpu/stalls/opcodes.h"

static double matches(const struct stall_kernel *kernel, const struct stall_blame *blame)
{
	const struct sass_instruction *source = stall_source(kernel, blame);
	enum stall_opcode opcode = stall_opcode_of(source);

	return opcode == OPCODE_DOUBLE ||
	       ((opcode == OPCODE_CONVERSION || opcode == OPCODE_TRANSCENDENTAL) &&
		!stall_is_slow(source)); /* which are those of single precision */
}

/* What converts; the arithmetic stays, in float, and takes as many instructions. */
static bool goes(const struct sass_instruction *instruction)
{
	return stall_opcode_of(instruction) == OPCODE_CONVERSION;
}

const struct stall_optimizer optimizer_double_precision = {
	.name = "double_precision",
	.title = "arithmetic in double precision",
	.advice = "Compute in float if that is precise enough: a constant without f (2.0) and a "
		  "function without f (sin) make the whole expression double.",
	.limits = "whether single precision is enough is for you to judge",
	.estimate = STALL_REPLACED,
	.share = matches,
	.goes = goes,
};
