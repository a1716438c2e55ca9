/*
 * gpu/cupti/provider.c: the provider of GPU times and samples: subscribes to CUPTI and hands its
 * callbacks on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/coverage/coverage.h"
#include "gpu/cupti/activity.h"
#include "gpu/cupti/calls.h"
#include "gpu/cupti/driver.h"
#include "gpu/cupti/hooks.h"
#include "gpu/cupti/named_memory.h"
#include "gpu/cupti/samples.h"
#include "gpu/cupti/touches.h"
#include "gpu/cupti/waits.h"
#include "gpu/nvidia/device_name.h"
#include "util/start_environment.h"

static struct gpu_provider provider;
static CUpti_SubscriberHandle subscriber;
static pid_t owner; /* a child of fork() has no device */

static const char *remedy(CUptiResult result)
{
	switch (result) {
	case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
	case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
		return "the driver lets only administrators profile: run it as root, or load the "
		       "kernel module with NVreg_RestrictProfilingToAdminUsers=0";
	case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
	case CUPTI_ERROR_MAX_LIMIT_REACHED:
		return "only one tool can observe a process: run it without nsys, ncu, "
		       "compute-sanitizer or a profiler inside the program";
	default:
		return "it may be older than the driver, or another tool observes the process";
	}
}

static int failed(const char *what, CUptiResult result)
{
	static char text[512];
	const char *reason = NULL;

	if (cuptiGetResultString(result, &reason) != CUPTI_SUCCESS || !reason)
		reason = "unknown error";
	snprintf(text, sizeof(text), "%s: %s: %s", what, reason, remedy(result));
	provider.failure = text;
	return -1;
}

/* The last calls of the program are pending. */
static void at_exit(void)
{
	if (getpid() == owner)
		calls_finish();
}

static void CUPTIAPI callback(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id,
			      const void *details)
{
	if (domain == CUPTI_CB_DOMAIN_RESOURCE)
		samples_resource(id, details);
	else
		calls_callback(data, domain, id, details);
}

/* Wanted by VFLOW_WAITS; VFLOW_NO_HOOKS: libcuda is left alone, as where its imports are others. */
static void start_waits(const struct gpu_sink *sink)
{
	const char *wanted = start_variable("VFLOW_WAITS");

	if (wanted && *wanted)
		waits_start(sink, !start_variable("VFLOW_NO_HOOKS") && hooks_install() == 0);
}

static int start(const struct gpu_sink *sink, const struct gpu_options *options)
{
	const bool by_calls = named_memory_start();
	const char *what = "";
	CUptiResult result;

	(void)options;
	if (driver_load() != 0) {
		provider.failure = "libcuda.so.1 lacks functions that vflow needs: it takes a "
				   "driver of CUDA 12 or newer";
		return -1;
	}
	result = cuptiSubscribe(&subscriber, callback, NULL);
	if (result != CUPTI_SUCCESS)
		return failed("CUPTI does not start", result);
	if (calls_start(sink) != 0) {
		cuptiUnsubscribe(subscriber);
		provider.failure = "there is no memory for the calls whose times are to come";
		return -1;
	}
	/* the pass `calls` has nothing run on the device, not even to tell times */
	result = by_calls ? CUPTI_SUCCESS : activity_start(sink, &what);
	if (result == CUPTI_SUCCESS) {
		what = "CUPTI does not tell of calls";
		result = cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
	}
	if (result == CUPTI_SUCCESS)
		result = cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
	if (result == CUPTI_SUCCESS && samples_wanted()) {
		what = "CUPTI does not tell of contexts and modules";
		result = samples_start(subscriber, sink);
	}
	if (result != CUPTI_SUCCESS) {
		calls_stop();
		cuptiUnsubscribe(subscriber);
		return failed(what, result);
	}
	if (by_calls) {
		sink->coverage(COVERAGE_CONTENTS_NOT_COMPARED, NULL, 1, 0);
		provider.metrics = 0;
	} else {
		start_waits(sink);
		if (sink->touched)
			touches_start(sink);
	}
	owner = getpid();
	atexit(at_exit);
	return 0;
}

static void stop(void)
{
	calls_stop();
	cuptiUnsubscribe(subscriber);
	hooks_remove();
}

__attribute__((visibility("default"))) gpu_provider_get vflow_gpu_provider;

const struct gpu_provider *vflow_gpu_provider(void)
{
	provider.version = GPU_PROVIDER_VERSION;
	provider.name = "gpu";
	provider.start = start;
	provider.stop = stop;
	provider.device_name = device_name();
	provider.metrics = GPU_METRICS;
	provider.touches = touches_known;
	return &provider;
}
