/*
 * collect/passes/waits.c: the pass `waits`: which calls wait for the device, for what, and how long
 * they did.  It shares the run of the pass `time`, whose provider knows.
 */
#include "collect/pass/pass.h"

#include <stddef.h>

const struct pass pass_waits = {
	.name = "waits",
	.gives = "which calls waited for the GPU, for what, and how long",
	.role = PASS_JOINS_GRAPH,
	.run = "time",
	.needs = "time",
	.order = 0,
	.cost = 1,
	.providers = (const struct pass_provider[]){{.device = &device_gpu,
						     .library = &pass_library_cupti,
						     .variables = {{"VFLOW_WAITS", "1"}}},
						    {.device = &device_emulated,
						     .variables = {{"VFLOW_CLOCK", "virtual"}}},
						    {0}},
};
