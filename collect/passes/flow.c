/*
 * collect/passes/flow.c: the pass `flow`: which operation gives which bytes to which other one, and
 * how long objects live.
 */
#include "collect/pass/pass.h"

#include <stddef.h>

#include "collect/kernel_filter.h"

static int check_regex(const char *option, const char *all, const union pass_value *value,
		       struct error *error)
{
	struct kernel_filter *filter;

	if (!value->text)
		return 0;
	if (!*value->text)
		return error_set(error, "--%s is empty; '.' means every %s", option, all);
	filter = kernel_filter_new(value->text, error);
	if (!filter)
		return error_prefix(error, "--%s", option);
	kernel_filter_free(filter);
	return 0;
}

static int check_kernel(const union pass_value *value, struct error *error)
{
	return check_regex("kernel", "kernel", value, error);
}

static int check_capture_range(const union pass_value *value, struct error *error)
{
	return check_regex("capture-range", "range", value, error);
}

static int check_sample_kernels(const union pass_value *value, struct error *error)
{
	return value->number ? 0 : error_set(error, "--sample-kernels is 1 or more");
}

static int check_sample_blocks(const union pass_value *value, struct error *error)
{
	return value->number ? 0 : error_set(error, "--sample-blocks is 1 or more");
}

static const struct pass_option no_duplicates = {
	.option = {.name = "no-duplicates",
		   .help = "do not compare the contents of objects: faster, no duplicate values",
		   .kind = OPTION_FLAG},
	.variable = "VFLOW_DIGESTS",
	.flag_value = "0",
};

const struct pass_option pass_option_kernel = {
	.option = {.name = "kernel",
		   .argument = "REGEX",
		   .help = "analyse only kernels whose name matches (default all)",
		   .kind = OPTION_TEXT},
	.variable = "VFLOW_KERNEL",
	.check = check_kernel,
};

static const struct pass_option capture_range = {
	.option = {.name = "capture-range",
		   .argument = "REGEX",
		   .help = "analyse only launches while a thread is in an NVTX range whose name "
			   "matches",
		   .kind = OPTION_TEXT},
	.variable = "VFLOW_CAPTURE_RANGE",
	.check = check_capture_range,
};

static const struct pass_option sample_kernels = {
	.option = {.name = "sample-kernels",
		   .argument = "N",
		   .help = "of each kernel and call path analyse the first launch, then every Nth "
			   "(default 1)",
		   .kind = OPTION_NUMBER},
	.standard = 1,
	.variable = "VFLOW_SAMPLE_KERNELS",
	.check = check_sample_kernels,
};

static const struct pass_option sample_blocks = {
	.option = {.name = "sample-blocks",
		   .argument = "N",
		   .help = "run the analysis on every Nth block only; for the graph such launches "
			   "are not analysed (default 1: all)",
		   .kind = OPTION_NUMBER},
	.standard = 1,
	.variable = "VFLOW_SAMPLE_BLOCKS",
	.check = check_sample_blocks,
};

static const struct pass_option memory_limit = {
	.option = {.name = "memory-limit",
		   .argument = "SIZE",
		   .help = "most GPU memory for shadow memory; what does not fit lies on the host "
			   "(default all that is free); on the emulated device: its memory",
		   .kind = OPTION_SIZE},
	.variable = "VFLOW_MEMORY_LIMIT",
};

static const char *const sanitizer_places[] = {
	"/usr/local/cuda/compute-sanitizer/libsanitizer-public.so",
	"/usr/local/cuda*/extras/Sanitizer/libsanitizer-public.so",
	"/opt/cuda/extras/compute-sanitizer/libsanitizer-public.so",
	"/usr/lib/*/compute-sanitizer/libsanitizer-public.so",
	"/usr/lib/nvidia-cuda-toolkit/compute-sanitizer/libsanitizer-public.so",
	NULL,
};

const struct pass_library pass_library_sanitizer = {
	.name = "libvflow-sanitizer.so",
	.install = "the CUDA toolkit with compute-sanitizer",
	.needs = "libsanitizer-public.so",
	.needs_title = "Sanitizer",
	.needs_places = sanitizer_places,
};

const struct pass pass_flow = {
	.name = "flow",
	.gives = "how values flow between operations, and the lifetimes of objects",
	.role = PASS_MAKES_GRAPH,
	.run = "flow",
	.order = 1,
	.cost = 5,
	.sampling = &sample_kernels,
	.providers = (const struct pass_provider[]){{.device = &device_gpu,
						     .library = &pass_library_sanitizer},
						    {.device = &device_emulated},
						    {0}},
	.options = (const struct pass_option *const[]){&no_duplicates, &pass_option_kernel,
						       &capture_range, &sample_kernels,
						       &sample_blocks, &memory_limit, NULL},
};
