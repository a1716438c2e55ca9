/*
 * collect/passes/stalls.c: the pass `stalls`: where in their code kernels wait, and for what.
 * Kernels run as fast as without it, but starting the sampling takes a while: the run is one of its
 * own, so that the times of others are those of the program.
 */
#include "collect/pass/pass.h"

#include <stddef.h>

enum { LEAST_PERIOD = 5, MOST_PERIOD = 31 }; /* those that CUPTI takes */

static int check_period(const union pass_value *value, struct error *error)
{
	return value->number >= LEAST_PERIOD && value->number <= MOST_PERIOD
		       ? 0
		       : error_set(error, "--stalls-period is %d to %d", LEAST_PERIOD, MOST_PERIOD);
}

static const struct pass_option period = {
	.option = {.name = "stalls-period",
		   .argument = "N",
		   .help = "sample each multiprocessor every 2^N cycles (default 16); a larger N "
			   "where samples are lost",
		   .kind = OPTION_NUMBER},
	.standard = 16,
	.variable = "VFLOW_STALLS_PERIOD",
	.check = check_period,
};

const struct pass pass_stalls = {
	.name = "stalls",
	.gives = "where kernels wait, for what, and what mending it would give",
	.none = "there is nothing to sample",
	.role = PASS_JOINS_GRAPH,
	.order = 1,
	.cost = 2,
	.providers = (const struct pass_provider[]){{.device = &device_gpu,
						     .library = &pass_library_cupti,
						     .variables = {{"VFLOW_STALLS", "1"}}},
						    {0}},
	.options = (const struct pass_option *const[]){&period, NULL},
};
