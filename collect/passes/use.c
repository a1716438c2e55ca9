/*
 * collect/passes/use.c: the pass `use`: when and where the program first uses what a wait has put
 * into its memory.  The guest watches that memory (collect/guest/uses.c), on all devices; it slows
 * the program, so that the run is one of its own.  On the emulated device it is in model time, as
 * the pass `time`.
 */
#include "collect/pass/pass.h"

#include <stddef.h>

const struct pass pass_use = {
	.name = "use",
	.gives = "when and where the program first uses what it has waited for",
	.role = PASS_JOINS_GRAPH,
	.order = 2,
	.cost = 3,
	.providers = (const struct pass_provider[]){{.device = &device_gpu,
						     .library = &pass_library_cupti,
						     .variables = {{"VFLOW_USE", "1"}}},
						    {.device = &device_emulated,
						     .variables = {{"VFLOW_USE", "1"},
								   {"VFLOW_CLOCK", "virtual"}}},
						    {0}},
};
