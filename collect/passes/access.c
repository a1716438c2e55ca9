/*
 * collect/passes/access.c: the pass `access`: which bytes of objects are accessed at all, and what
 * each launch of a kernel accesses of them, and how often.  It shares the run of the pass `flow`,
 * whose provider knows.
 */
#include "collect/pass/pass.h"

#include <stddef.h>

const struct pass pass_access = {
	.name = "access",
	.gives = "which parts of objects are accessed",
	.role = PASS_JOINS_GRAPH,
	.run = "flow",
	.needs = "flow",
	.order = 1,
	.cost = 5,
	.providers = (const struct pass_provider[]){{.device = &device_gpu,
						     .library = &pass_library_sanitizer,
						     .variables = {{"VFLOW_ACCESS", "1"}}},
						    {.device = &device_emulated,
						     .variables = {{"VFLOW_ACCESS", "1"}}},
						    {0}},
};
