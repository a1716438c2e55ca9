/*
 * collect/passes/time.c: the pass `time`: when the device was at each operation.  On the emulated
 * device these are times of a model (gpu/emulator/device/clock.c).
 */
#include "collect/pass/pass.h"

#include <stddef.h>

const struct pass pass_time = {
	.name = "time",
	.gives = "when the GPU was at each operation, and for how long",
	.role = PASS_JOINS_GRAPH,
	.run = "time",
	.providers =
		(const struct pass_provider[]){
			{.device = &device_emulated, .variable = "VFLOW_CLOCK", .value = "virtual"},
			{0}},
};
