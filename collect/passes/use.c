/*
 * collect/passes/use.c: the pass `use`: when and where the program first uses what a wait has put
 * into its memory.  The guest watches that memory (collect/guest/uses.c), on all devices; it slows
 * the program, so that the run is one of its own.
 */
#include "collect/pass/pass.h"

#include <stddef.h>

const struct pass pass_use = {
	.name = "use",
	.gives = "when and where the program first uses what it has waited for",
	.role = PASS_JOINS_GRAPH,
	.order = 2,
	.cost = 3,
	.providers =
		(const struct pass_provider[]){
			{.device = &device_gpu,
			 .library = &pass_library_cupti,
			 .variable = "VFLOW_USE",
			 .value = "1"},
			{.device = &device_emulated, .variable = "VFLOW_USE", .value = "1"},
			{0}},
};
