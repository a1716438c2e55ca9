/* gpu/sanitizer/schedule/launches.c: see launches.h. */
#include "gpu/sanitizer/schedule/launches.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/sanitizer/schedule/events_internal.h"
#include "gpu/sanitizer/api/launch_call.h"
#include "gpu/sanitizer/code/patching.h"

static void *excluded; /* tree of names: see launch_exclude() */

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

void launch_exclude(const char *kernel)
{
	char *name = strdup(kernel), **node;

	node = name ? tsearch(name, &excluded, by_text) : NULL;
	if (!node || *node != name)
		free(name);
}

/* The last results of launch_function(), by hash: most launches need not ask the driver. */
static struct {
	CUcontext context;
	CUfunction given, loaded;
} loaded_functions[4096];

/* The same of find_kernel(). */
static struct kernel {
	CUfunction function;
	const char *name;
	CUmodule module;
} known_kernels[1024];

void launch_functions_gone(void)
{
	memset(loaded_functions, 0, sizeof(loaded_functions));
	memset(known_kernels, 0, sizeof(known_kernels));
	launch_call_functions_gone();
}

/* The name and module of a function.  NULL: the driver does not say. */
static const struct kernel *find_kernel(CUfunction function)
{
	struct kernel *kernel = &known_kernels[((uintptr_t)function >> 4) %
					       (sizeof(known_kernels) / sizeof(*known_kernels))];

	if (kernel->function == function)
		return kernel;
	*kernel = (struct kernel){0};
	if (!driver.cuFuncGetName || !driver.cuFuncGetModule ||
	    driver.cuFuncGetName(&kernel->name, function) != CUDA_SUCCESS ||
	    driver.cuFuncGetModule(&kernel->module, function) != CUDA_SUCCESS)
		return NULL;
	kernel->function = function;
	return kernel;
}

/*
 * The driver makes local memory for all threads that fit on the device when a kernel wants more per
 * thread than those before it.
 */
static uint64_t local_bytes;

static void note_local_memory(CUfunction function)
{
	static int most;
	int each = 0, processors = 0, threads = 0;
	CUdevice device;

	if (driver.cuFuncGetAttribute(&each, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function) !=
		    CUDA_SUCCESS ||
	    each <= most || driver.cuCtxGetDevice(&device) != CUDA_SUCCESS)
		return;
	driver.cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
	driver.cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
				    device);
	most = each;
	local_bytes = (uint64_t)each * (uint64_t)processors * (uint64_t)threads;
}

uint64_t launch_local_memory(void)
{
	uint64_t bytes = local_bytes;

	local_bytes = 0;
	return bytes;
}

CUfunction launch_function(CUcontext context, const char *api, const void *parameters)
{
	CUfunction function, given, loaded;
	struct launch_call call;
	size_t place;
	int value;

	if (!launch_call_read(&call, api, parameters))
		return NULL;
	function = given = call.function;
	place = ((uintptr_t)given >> 4) % (sizeof(loaded_functions) / sizeof(*loaded_functions));
	if (loaded_functions[place].given == given && loaded_functions[place].context == context)
		return loaded_functions[place].loaded;
	events_release_cached(EVENTS_CALL_MAY_TAKE); /* the driver may load the kernel now */
	/* the runtime launches a CUkernel, which stands for a function per context */
	if (driver.cuKernelGetFunction &&
	    driver.cuKernelGetFunction(&loaded, function) == CUDA_SUCCESS)
		function = loaded;
	if (driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function) ==
	    CUDA_SUCCESS) {
		loaded_functions[place].context = context;
		loaded_functions[place].given = given;
		loaded_functions[place].loaded = function;
		note_local_memory(function);
	}
	return function;
}

bool launch_stream(const char *api, const void *parameters, CUstream *stream)
{
	struct launch_call call;

	if (!launch_call_read(&call, api, parameters))
		return false;
	*stream = call.stream;
	return *stream != CU_STREAM_PER_THREAD;
}

bool launch_is_collective(CUfunction function)
{
	const char *name;

	return driver.cuFuncGetName && driver.cuFuncGetName(&name, function) == CUDA_SUCCESS &&
	       (strstr(name, "ncclDevKernel") || strstr(name, "ncclKernel"));
}

static bool is_wanted(const char *kernel, const struct gpu_node *node)
{
	if (tfind(kernel, &excluded, by_text)) {
		events_sink->coverage(COVERAGE_SKIPPED_AFTER_TIME_OUT, NULL, 1, 0);
		return false;
	}
	return !events_sink->wanted || events_sink->wanted(kernel, node);
}

/* Patches or unpatches the module.  False: it stays as it was. */
static bool prepare_module(CUmodule module, bool patched)
{
	if (patching_is_on(module) == patched)
		return true;
	if (patching_is_frozen(module)) {
		events_sink->coverage(patched ? COVERAGE_SKIPPED_FIXED_CODE
					      : COVERAGE_SLOW_FIXED_CODE,
				      NULL, 1, 0);
		return false;
	}
	/* code must not change under a running kernel */
	if (!queues_drain(NULL) || !skipped_drain()) {
		events_sink->coverage(COVERAGE_SKIPPED_WITH_MODULE, NULL, 1, 0);
		return false;
	}
	if (patching_set(module, patched))
		return true;
	if (patched)
		events_unpatched();
	return false;
}

void launch_in_graph(CUfunction function)
{
	CUmodule module;

	if (driver.cuFuncGetModule(&module, function) != CUDA_SUCCESS) {
		launch_freeze();
		return;
	}
	prepare_module(module, true);
	patching_freeze(module);
}

void launch_freeze(void)
{
	patching_freeze(NULL);
}

void launch_select(struct launch *launch, CUfunction function, const struct gpu_node *node)
{
	const struct kernel *kernel = NULL;

	free(launch->parameters);
	*launch = (struct launch){0};
	if (events_sink && (events_sink->wanted || excluded || queues_timed_out()))
		kernel = find_kernel(function);
	if (!kernel)
		return;
	launch->kernel = kernel->name;
	if (!queues_recover()) {
		events_sink->coverage(COVERAGE_SKIPPED_BESIDE_TIMED_OUT, NULL, 1, 0);
	} else {
		launch->wanted = is_wanted(launch->kernel, node);
		/* with all kernels but a few analysed, code stays patched */
		if ((launch->wanted || events_sink->wanted) &&
		    !prepare_module(kernel->module, launch->wanted))
			launch->wanted = false;
	}
}

bool launch_begins(struct launch *launch, const Sanitizer_LaunchData *data,
		   struct operation *operation)
{
	bool chosen = launch->kernel && !strcmp(launch->kernel, data->functionName);
	bool wanted = chosen && launch->wanted;

	if (!chosen && events_sink->wanted && driver.cuFuncGetName)
		events_sink->coverage(COVERAGE_SKIPPED_NOT_IN_GRAPHS, NULL, 1, 0);
	else if (!chosen)
		wanted = is_wanted(data->functionName, operation_node(operation));
	operation->module = data->module;
	if (!wanted && chosen) {
		operation->parameters = launch->parameters;
		operation->parameters_size = launch->size;
		launch->parameters = NULL;
	}
	launch->kernel = NULL;
	operation->skipped = !wanted;
	return wanted;
}
