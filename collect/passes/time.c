/*
 * collect/passes/time.c: the pass `time`: when the device was at each operation.  On the emulated
 * device these are times of a model (gpu/emulator/device/clock.c).
 */
#include "collect/pass/pass.h"

#include <stddef.h>

static const char *const cupti_places[] = {
	"/usr/local/cuda/lib64/libcupti.so",
	"/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so",
	"/usr/local/cuda-*/lib64/libcupti.so",
	"/opt/cuda/extras/CUPTI/lib64/libcupti.so",
	"/usr/lib/*/libcupti.so",
	NULL,
};

const struct pass_library pass_library_cupti = {
	.name = "libvflow-cupti.so",
	.install = "the CUDA toolkit with CUPTI",
	.needs = "libcupti.so",
	.needs_title = "CUPTI",
	.needs_places = cupti_places,
};

const struct pass pass_time = {
	.name = "time",
	.gives = "when the GPU was at each operation, and for how long",
	.role = PASS_JOINS_GRAPH,
	.run = "time",
	.order = 0,
	.cost = 1,
	.providers =
		(const struct pass_provider[]){
			{.device = &device_gpu, .library = &pass_library_cupti},
			{.device = &device_emulated, .variables = {{"VFLOW_CLOCK", "virtual"}}},
			{0}},
};
