/* advice/stall/optimizer/function_inlining.c: GPA's function inlining: latency in functions that
 * are called. */
#include <string.h>

#include "advice/stall/optimizer.h"
#include "gpu/stalls/opcodes.h"

static double matches(const struct stall_kernel *kernel, const struct stall_blame *blame)
{
	const char *function = stall_function_of(kernel, blame->stalled);
	bool called = strcmp(function, kernel->name) != 0 || !kernel->launched;

	if (stall_fetches_much(kernel) || stall_is_of_compiler(function))
		return 0;
	return sass_is(stall_source(kernel, blame), "CALL") ||
	       sass_is(stall_source(kernel, blame), "RET") ||
	       (called && stall_waits_for_result(blame));
}

const struct stall_optimizer optimizer_function_inlining = {
	.name = "function_inlining",
	.title = "functions that are called",
	.advice = "Inline the function (__forceinline__, its body in the header, or -dlto): its "
		  "instructions and those around the call can then hide each other's latency.",
	.limits = "the code becomes longer",
	.estimate = STALL_HIDDEN,
	.share = matches,
};
