/*
 * collect/passes/values.c: the pass `values`: with which values kernels access objects, and from
 * which lines.  Each access is looked at, which takes far longer than the graph does: the run is
 * one of its own, and may look at some launches and blocks only.
 */
#include "collect/pass/pass.h"

#include <stddef.h>

static int check_launches(const union pass_value *value, struct error *error)
{
	return value->number ? 0 : error_set(error, "--value-launches is 1 or more");
}

static int check_blocks(const union pass_value *value, struct error *error)
{
	return value->number ? 0 : error_set(error, "--value-blocks is 1 or more");
}

static const struct pass_option value_launches = {
	.option = {.name = "value-launches",
		   .argument = "N",
		   .help = "look at the values of the first launch of each kernel and call path, "
			   "then "
			   "of every Nth (default 1)",
		   .kind = OPTION_NUMBER},
	.standard = 1,
	.variable = "VFLOW_VALUE_LAUNCHES",
	.check = check_launches,
};

static const struct pass_option value_blocks = {
	.option = {.name = "value-blocks",
		   .argument = "N",
		   .help = "... and there at those of every Nth block (default 1: all)",
		   .kind = OPTION_NUMBER},
	.standard = 1,
	.variable = "VFLOW_VALUE_BLOCKS",
	.check = check_blocks,
};

const struct pass pass_values = {
	.name = "values",
	.gives = "which values kernels load and store, and where",
	.role = PASS_JOINS_GRAPH,
	.order = 3,
	.cost = 20,
	.sampling = &value_launches,
	.providers =
		(const struct pass_provider[]){
			{.device = &device_gpu,
			 .library = &pass_library_sanitizer,
			 .variables = {{"VFLOW_VALUES", "1"}, {"VFLOW_DIGESTS", "0"}}},
			{.device = &device_emulated,
			 .variables = {{"VFLOW_VALUES", "1"}, {"VFLOW_DIGESTS", "0"}}},
			{0}},
	.options = (const struct pass_option *const[]){&pass_option_kernel, &value_launches,
						       &value_blocks, NULL},
};
