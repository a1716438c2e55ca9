/*
 * collect/passes/calls.c: the pass `calls`: the operations, and which objects each is given: what
 * `flow` says of lifetimes and dependencies, at little more than the program's own time.
 */
#include "collect/pass/pass.h"

#include <stddef.h>

const struct pass pass_calls = {
	.name = "calls",
	.gives = "which operations are given which objects: lifetimes, without a look into kernels",
	.role = PASS_MAKES_GRAPH,
	.order = 1,
	.cost = 1,
	.providers = (const struct pass_provider[]){{.device = &device_gpu,
						     .library = &pass_library_cupti,
						     .variables = {{"VFLOW_CALLS", "1"}}},
						    {.device = &device_emulated,
						     .variables = {{"VFLOW_CALLS", "1"}}},
						    {0}},
};
