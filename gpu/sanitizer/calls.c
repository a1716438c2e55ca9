/*
 * gpu/sanitizer/calls.c: API calls: what happens inside them is noted here, see events.c for what
 * becomes of it.
 */
#include "gpu/sanitizer/calls.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "gpu/sanitizer/events.h"
#include "gpu/sanitizer/modules.h"

#define LOCK_SECONDS 5

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool active;
static __thread struct thread thread;

void calls_start(const struct gpu_sink *sink, const struct gpu_options *options)
{
	events_start(sink, options);
	__atomic_store_n(&active, true, __ATOMIC_RELEASE);
}

void calls_stop(void)
{
	__atomic_store_n(&active, false, __ATOMIC_RELEASE);
	pthread_mutex_lock(&lock);
	events_stop();
	pthread_mutex_unlock(&lock);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * A thread may wait inside a call for what another thread is about to do; then the other goes on
 * without the lock, unobserved.
 */
static bool take_lock(void)
{
	struct timespec until;

	if (thread.locked)
		return true;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LOCK_SECONDS;
	thread.locked = pthread_mutex_timedlock(&lock, &until) == 0;
	return thread.locked;
}

static void drop_lock(void)
{
	if (thread.locked)
		pthread_mutex_unlock(&lock);
	thread.locked = false;
}

/* Whether a call of this name can move values or make memory. */
static bool moves_values(const char *name)
{
	static const char *const parts[] = {"Mem",    "Launch", "lloc",  "Free",
					    "Module", "Librar", "Array", "Destroy"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

/* Room for one more; what does not fit is not seen. */
static struct operation *add(enum operation_kind kind, CUcontext context)
{
	struct operation *operation;

	if (!context) /* memory of pools belongs to none */
		context = thread.context;
	if (thread.count == OPERATIONS_MAX) {
		operation = &thread.operations[OPERATIONS_MAX - 1];
		*operation = (struct operation){.kind = OPERATION_UNSEEN,
						.context = context,
						.name = "calls that do very many things"};
		return NULL;
	}
	operation = &thread.operations[thread.count++];
	*operation = (struct operation){.kind = kind, .context = context};
	return operation;
}

/* The kernel of a launch, from the parameters of the driver's function; NULL: another function. */
static CUfunction launched_function(const char *name, const void *parameters)
{
	const CUfunction *words = parameters;

	if (!strncmp(name, "cuLaunchKernelEx", strlen("cuLaunchKernelEx")))
		return words[1];
	if (!strncmp(name, "cuLaunchKernel", strlen("cuLaunchKernel")) ||
	    (!strncmp(name, "cuLaunchCooperativeKernel", strlen("cuLaunchCooperativeKernel")) &&
	     !strstr(name, "MultiDevice")))
		return words[0];
	return NULL;
}

/*
 * A call of the driver begins.  Kernels are loaded when they are launched first; that is done now,
 * so that their module's variables are known before they run.
 */
static void prepare(const Sanitizer_CallbackData *data)
{
	CUfunction function = launched_function(data->functionName, data->functionParams);
	uint64_t wanted = 0;
	int value;

	if (!data->context || !thread.locked)
		return;
	if (function) {
		thread.inside = thread.loading = true;
		driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
		thread.inside = thread.loading = false;
	}
	if (!strncmp(data->functionName, "cuMemAlloc", strlen("cuMemAlloc")) &&
	    !strstr(data->functionName, "Host")) {
		const uint64_t *words = data->functionParams;

		wanted = strstr(data->functionName, "Pitch") ? words[2] * words[3] + words[3] * 512
							     : words[1];
	}
	thread.inside = true;
	events_prepare(data->context, function != NULL, wanted);
	thread.inside = false;
}

static void finish(const Sanitizer_CallbackData *data)
{
	bool failed = *(const int *)data->functionReturnValue != 0;

	if (thread.count) {
		thread.inside = true;
		if (!take_lock())
			events_missed();
		else
			events_finish(&thread, failed);
		thread.inside = false;
	}
	thread.count = 0;
	drop_lock();
}

void calls_api(Sanitizer_CallbackDomain domain, const Sanitizer_CallbackData *data)
{
	if (thread.inside || !__atomic_load_n(&active, __ATOMIC_ACQUIRE))
		return;
	if (data->callbackSite == SANITIZER_API_ENTER) {
		if (thread.depth++ == 0) {
			thread.name = data->functionName;
			thread.count = 0;
			thread.start_ns = now_ns();
			if (moves_values(thread.name))
				take_lock();
		}
		if (domain == SANITIZER_CB_DOMAIN_DRIVER_API) {
			thread.inner = data->functionName;
			thread.parameters = data->functionParams;
			thread.context = data->context;
			if (moves_values(data->functionName))
				prepare(data);
		}
		return;
	}
	/* the first exits may be of calls that were entered before we were here */
	if (thread.depth && --thread.depth == 0)
		finish(data);
}

/* -- what happens inside a call ----------------------------------------------------------- */

static bool noting(void)
{
	return thread.depth && !thread.inside && __atomic_load_n(&active, __ATOMIC_ACQUIRE);
}

static void allocated(const Sanitizer_ResourceMemoryData *data)
{
	const uint32_t not_the_programs = SANITIZER_MEMORY_FLAG_MODULE |
					  SANITIZER_MEMORY_FLAG_CG_RUNTIME |
					  SANITIZER_MEMORY_FLAG_CNP;
	struct operation *operation;

	/* the driver allocates for itself, too, in other calls */
	if (data->flags & not_the_programs || !thread.inner || !strstr(thread.inner, "lloc"))
		return;
	operation = add(OPERATION_ALLOC, data->context);
	if (!operation)
		return;
	operation->address = data->address;
	operation->size = data->size;
	operation->memory = data->flags & SANITIZER_MEMORY_FLAG_MANAGED ? GPU_MEMORY_MANAGED
			    : data->flags & (SANITIZER_MEMORY_FLAG_HOST_MAPPED |
					     SANITIZER_MEMORY_FLAG_HOST_PINNED)
				    ? GPU_MEMORY_MAPPED_HOST
				    : GPU_MEMORY_DEVICE;
}

static void freed(const Sanitizer_ResourceMemoryData *data)
{
	struct operation *operation = add(OPERATION_FREE, data->context);

	if (operation)
		operation->address = data->address;
}

void calls_resource(Sanitizer_CallbackId id, const void *data)
{
	const Sanitizer_ResourceModuleData *module = data;
	struct operation *operation;

	if (!__atomic_load_n(&active, __ATOMIC_ACQUIRE))
		return;
	if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED && (!thread.inside || thread.loading)) {
		if (!module_loaded(module))
			events_unpatched();
		return;
	}
	if (id == SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
		const Sanitizer_ResourceContextData *context = data;

		modules_context_gone(context->context);
		if (take_lock()) {
			events_context_gone(context->context);
			if (!thread.depth)
				drop_lock();
		}
		return;
	}
	if (!noting())
		return;
	switch (id) {
	case SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC:
	case SANITIZER_CBID_RESOURCE_MEMORY_ALLOC_ASYNC:
		allocated(data);
		break;
	case SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE:
	case SANITIZER_CBID_RESOURCE_MEMORY_FREE_ASYNC:
		freed(data);
		break;
	case SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
		module_unloading(module->context, module->module);
		operation = add(OPERATION_UNLOAD, module->context);
		if (operation)
			operation->module = module->module;
		break;
	default:
		break;
	}
}

/* Patches would take anything for their data in a launch that was given none. */
static void unfollow(const Sanitizer_LaunchData *data)
{
	sanitizerSetCallbackData(data->function, NULL);
	sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream, NULL);
}

void calls_launch(Sanitizer_CallbackId id, const Sanitizer_LaunchData *data)
{
	struct operation *operation;
	void *state;

	if (id != SANITIZER_CBID_LAUNCH_BEGIN || thread.inside)
		return;
	operation = noting() ? add(OPERATION_KERNEL, data->context) : NULL;
	if (!operation) {
		unfollow(data);
		return;
	}
	operation->stream = data->stream;
	operation->name = data->functionName;
	/* without the lock, or with a table that is out of date, the launch is not followed */
	state = thread.locked ? events_callback_data(data->context) : NULL;
	operation->patched =
		sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream,
					       state) == SANITIZER_SUCCESS &&
		state;
}

/* The height of a slice, which only the parameters of the call know. */
static void find_slices(struct operation *operation)
{
	const CUDA_MEMCPY3D *copy;

	operation->slice = operation->pitch * operation->height;
	operation->from_slice = operation->from_pitch * operation->height;
	if (!thread.inner || strncmp(thread.inner, "cuMemcpy3D", strlen("cuMemcpy3D")) ||
	    !strncmp(thread.inner, "cuMemcpy3DBatch", strlen("cuMemcpy3DBatch")))
		return;
	copy = *(const CUDA_MEMCPY3D *const *)thread.parameters;
	if (copy->dstHeight)
		operation->slice = operation->pitch * copy->dstHeight;
	if (copy->srcHeight)
		operation->from_slice = operation->from_pitch * copy->srcHeight;
}

void calls_copy(const Sanitizer_MemcpyData *data)
{
	struct operation *operation;

	if (!noting())
		return;
	operation = add(OPERATION_COPY, data->dstContext ? data->dstContext : data->apiContext);
	if (!operation)
		return;
	operation->from_context = data->srcContext ? data->srcContext : data->apiContext;
	operation->stream = data->apiStream;
	operation->address = data->dstAddress;
	operation->from_address = data->srcAddress;
	operation->width = data->width;
	operation->height = data->height ? data->height : 1;
	operation->depth = data->depth ? data->depth : 1;
	operation->pitch = data->dstPitch;
	operation->from_pitch = data->srcPitch;
	operation->to_device = data->direction == SANITIZER_MEMCPY_DIRECTION_HOST_TO_DEVICE ||
			       data->direction == SANITIZER_MEMCPY_DIRECTION_DEVICE_TO_DEVICE;
	operation->from_device = data->direction == SANITIZER_MEMCPY_DIRECTION_DEVICE_TO_HOST ||
				 data->direction == SANITIZER_MEMCPY_DIRECTION_DEVICE_TO_DEVICE;
	if (operation->height == 1 && operation->depth == 1)
		operation->width = operation->pitch = operation->from_pitch = data->size;
	find_slices(operation);
}

void calls_set(const Sanitizer_MemsetData *data)
{
	struct operation *operation;

	if (!noting())
		return;
	operation = add(OPERATION_SET, data->context);
	if (!operation)
		return;
	operation->stream = data->stream;
	operation->address = data->address;
	operation->width = data->width * data->elementSize;
	operation->height = data->height ? data->height : 1;
	operation->depth = 1;
	operation->pitch = data->pitch;
}

void calls_graph(Sanitizer_CallbackId id, const void *data)
{
	const Sanitizer_GraphLaunchData *launch = data;
	const Sanitizer_GraphNodeLaunchData *node = data;
	struct operation *operation;

	if (id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN &&
	    node->nodeType == CU_GRAPH_NODE_TYPE_KERNEL)
		unfollow(&node->launchData);
	if (id != SANITIZER_CBID_GRAPHS_LAUNCH_BEGIN || !noting() || launch->isGraphUpload)
		return;
	operation = add(OPERATION_UNSEEN, launch->context);
	if (!operation)
		return;
	operation->stream = launch->stream;
	operation->name = "CUDA graphs";
}
