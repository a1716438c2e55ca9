/* gpu/cupti/calls.c: see calls.h. */
#include "gpu/cupti/calls.h"

#include <stdbool.h>
#include <string.h>

#include "collect/coverage/coverage.h"
#include "gpu/cupti/activity.h"
#include "gpu/cupti/clock.h"
#include "gpu/cupti/driver.h"
#include "gpu/cupti/operations.h"
#include "gpu/cupti/pending.h"
#include "gpu/nvidia/apis.h"

enum { NOTED_MAX = 64, NAME_BYTES = 128 };

/* What one call of the driver did. */
struct noted {
	struct operation operation;
	uint32_t correlation;
	uint32_t device;
	bool may_be_known;
	const char *kernel;
};

/* Where a thread is in its running call of the API. */
static __thread struct {
	unsigned depth;
	bool own; /* it calls the driver or CUPTI for the provider */
	const char *name;
	uint32_t correlation;
	uint64_t start_ns;
	struct noted noted[NOTED_MAX];
	unsigned count;
	/* the last context that was asked about */
	CUcontext context;
	uint32_t device;
} thread;

static const struct gpu_sink *sink;
static bool active;
static bool captures; /* a stream was captured: streams are asked from then on */

int calls_start(const struct gpu_sink *to)
{
	sink = to;
	if (pending_start(to) != 0)
		return -1;
	__atomic_store_n(&active, true, __ATOMIC_RELEASE);
	return 0;
}

static void flush(bool all)
{
	bool before = thread.own;

	thread.own = true;
	activity_flush(all);
	thread.own = before;
}

void calls_finish(void)
{
	/* exit() in a signal handler: this thread may have locks of ours and CUPTI's */
	if (thread.depth || thread.own || !__atomic_load_n(&active, __ATOMIC_ACQUIRE))
		return;
	flush(true);
	pending_finish();
}

void calls_stop(void)
{
	calls_finish();
	__atomic_store_n(&active, false, __ATOMIC_RELEASE);
}

/* -- inside of a call -- */

static bool is_captured(uintptr_t stream)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

	if (!stream || !__atomic_load_n(&captures, __ATOMIC_RELAXED))
		return false;
	return driver.cuStreamIsCapturing((CUstream)stream, &status) == CUDA_SUCCESS &&
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}

static uint32_t device_of(CUcontext context)
{
	if (context && context != thread.context) {
		thread.device = 0;
		if (cuptiGetDeviceId(context, &thread.device) == CUPTI_SUCCESS)
			thread.context = context;
	}
	return context ? thread.device : 0;
}

/* The mangled name of the kernel that was launched; NULL: it is not known. */
static const char *kernel_name(const CUpti_CallbackData *data, const struct operation *operation)
{
	const char *name = data->symbolName;

	if (operation->api != GPU_KERNEL || name)
		return name;
	if (driver.cuKernelGetName &&
	    driver.cuKernelGetName(&name, (void *)(uintptr_t)operation->kernel) == CUDA_SUCCESS)
		return name;
	if (driver.cuFuncGetName &&
	    driver.cuFuncGetName(&name, (CUfunction)(uintptr_t)operation->kernel) == CUDA_SUCCESS)
		return name;
	return NULL;
}

static void note(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	const char *name = data->functionName;
	struct operation operation = operation_of(id, name, data->functionParams);
	const char *kernel;

	if (!operation.count || is_captured(operation.stream))
		return;
	kernel = kernel_name(data, &operation);
	if (thread.count == NOTED_MAX || (operation.api == GPU_KERNEL && !kernel)) {
		sink->coverage(COVERAGE_TIMES_NOT_RECORDED, NULL, operation.count, 0);
		return;
	}
	thread.noted[thread.count++] = (struct noted){
		.operation = operation,
		.correlation = data->correlationId,
		.device = device_of(data->context),
		/* mappings are told of each time that their access is set */
		.may_be_known = operation.api == GPU_ALLOC && api_is(name, "cuMemSetAccess"),
		.kernel = kernel,
	};
}

/* Records of a context that goes are asked for before. */
static bool ends_context(const char *name)
{
	return api_is(name, "cuCtxDestroy") || api_is(name, "cuCtxDetach") ||
	       api_is(name, "cuDevicePrimaryCtxReset") ||
	       api_is(name, "cuDevicePrimaryCtxRelease") || api_is(name, "cuGreenCtxDestroy");
}

static void exit_driver(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	enum api_effect effect = api_effect(id, data->functionName);
	bool before = thread.own;

	thread.own = true;
	if (effect == API_CLOSE && strstr(data->functionName, "BeginCapture"))
		__atomic_store_n(&captures, true, __ATOMIC_RELAXED);
	else if (effect == API_LAUNCH && api_is(data->functionName, "cuGraphLaunch"))
		sink->coverage(COVERAGE_TIMES_OF_GRAPHS, NULL, 1, 0);
	else if (effect == API_ALLOC || effect == API_FREE || effect == API_COPY ||
		 effect == API_SET || effect == API_LAUNCH)
		note(id, data);
	thread.own = before;
}

/* -- its end -- */

/* The result of a call; see api_returns_error(). */
static int result_of(const CUpti_CallbackData *data)
{
	return data->functionReturnValue ? *(const int *)data->functionReturnValue : 0;
}

/* `name` without its suffix, as the program spells it. */
static const char *public_name(const char *name, char plain[NAME_BYTES])
{
	size_t length = api_plain_length(name);

	if (length >= NAME_BYTES)
		return name;
	memcpy(plain, name, length);
	plain[length] = '\0';
	return plain;
}

static void begin(const struct noted *noted, const char *name, uint64_t end_ns)
{
	const struct operation *operation = &noted->operation;
	struct pending_call call = {
		.api = operation->api,
		.name = operation->api == GPU_KERNEL ? noted->kernel : name,
		.device = noted->device,
		.stream = operation->stream,
		.start_ns = thread.start_ns,
		.end_ns = end_ns,
		.correlation = {thread.correlation, noted->correlation},
		.records = operation->timed,
		.address = operation->address,
		.size = operation->size,
		.memory = operation->memory,
		.may_be_known = noted->may_be_known,
	};

	for (uint32_t i = 0; i < operation->count; i++)
		pending_add(&call);
}

static void begin_synchronization(const CUpti_CallbackData *data, const char *name, uint64_t end_ns)
{
	struct pending_call call = {.api = GPU_SYNC,
				    .name = name,
				    .device = device_of(data->context),
				    .start_ns = thread.start_ns,
				    .end_ns = end_ns};

	if (data->functionParams && strstr(name, "StreamSynchronize"))
		call.stream =
			operation_stream(thread.name, *(const uint64_t *)data->functionParams);
	pending_add(&call);
}

/* Makes the events of a call that has succeeded.  `synchronizes`: it waits for the device. */
static void begin_all(const CUpti_CallbackData *data, bool synchronizes)
{
	uint64_t end_ns = clock_ns();
	char plain[NAME_BYTES];
	const char *name = public_name(thread.name, plain);

	for (unsigned i = 0; i < thread.count; i++)
		begin(&thread.noted[i], name, end_ns);
	if (synchronizes)
		begin_synchronization(data, name, end_ns);
	if (pending_wants_records(end_ns))
		flush(false);
}

static void finish(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	int result = result_of(data);
	bool synchronizes =
		api_synchronizes(domain == CUPTI_CB_DOMAIN_RUNTIME_API, id, thread.name);

	if (result && api_returns_error(thread.name))
		sink->failed(thread.name, (uint32_t)result);
	else if (!result && (thread.count || synchronizes))
		begin_all(data, synchronizes);
	thread.count = 0;
}

static void enter(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	if (thread.depth++ == 0) {
		thread.name = data->functionName;
		thread.correlation = data->correlationId;
		thread.count = 0;
		thread.start_ns = clock_ns();
	}
	if (domain == CUPTI_CB_DOMAIN_DRIVER_API &&
	    api_effect(id, data->functionName) == API_FREE && ends_context(data->functionName))
		flush(false);
}

void CUPTIAPI calls_callback(void *unused, CUpti_CallbackDomain domain, CUpti_CallbackId id,
			     const void *details)
{
	const CUpti_CallbackData *data = details;

	(void)unused;
	if ((domain != CUPTI_CB_DOMAIN_DRIVER_API && domain != CUPTI_CB_DOMAIN_RUNTIME_API) ||
	    thread.own || !__atomic_load_n(&active, __ATOMIC_ACQUIRE))
		return;
	if (data->callbackSite == CUPTI_API_ENTER) {
		enter(domain, id, data);
		return;
	}
	if (!thread.depth) /* the call was entered before the provider was started */
		return;
	if (domain == CUPTI_CB_DOMAIN_DRIVER_API && !result_of(data))
		exit_driver(id, data);
	if (--thread.depth == 0) {
		thread.own = true;
		finish(domain, id, data);
		thread.own = false;
	}
}
