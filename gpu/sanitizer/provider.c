/*
 * gpu/sanitizer/provider.c: the provider "gpu": subscribes to the Sanitizer and hands its callbacks
 * on.
 */
#include <stdio.h>
#include <string.h>

#include "gpu/nvidia/device_name.h"
#include "gpu/sanitizer/callback/calls.h"
#include "gpu/sanitizer/device/device_state.h"
#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/code/images.h"
#include "gpu/sanitizer/code/loaded.h"
#include "gpu/sanitizer/code/patching.h"

static Sanitizer_SubscriberHandle subscriber;

static void callback(void *data, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
		     const void *details)
{
	(void)data;
	switch (domain) {
	case SANITIZER_CB_DOMAIN_DRIVER_API:
	case SANITIZER_CB_DOMAIN_RUNTIME_API:
		calls_api(domain, id, details);
		break;
	case SANITIZER_CB_DOMAIN_RESOURCE:
		calls_resource(id, details);
		break;
	case SANITIZER_CB_DOMAIN_LAUNCH:
		calls_launch(id, details);
		break;
	case SANITIZER_CB_DOMAIN_MEMCPY:
		if (id == SANITIZER_CBID_MEMCPY_STARTING)
			calls_copy(details);
		break;
	case SANITIZER_CB_DOMAIN_MEMSET:
		if (id == SANITIZER_CBID_MEMSET_STARTING)
			calls_set(details);
		break;
	case SANITIZER_CB_DOMAIN_BATCH_MEMOP:
		if (id == SANITIZER_CBID_BATCH_MEMOP_WRITE)
			calls_word(details);
		break;
	case SANITIZER_CB_DOMAIN_EXTERNAL_MEMORY:
		if (id == SANITIZER_CBID_EXTERNAL_MEMORY_MAPPED)
			calls_mapped(details);
		break;
	case SANITIZER_CB_DOMAIN_GRAPHS:
		calls_graph(id, details);
		break;
	default:
		break;
	}
}

static struct gpu_provider provider;

static int failed(const char *what, SanitizerResult result, const char *remedy)
{
	static char text[512];
	const char *reason = "unknown error";

	sanitizerGetResultString(result, &reason);
	snprintf(text, sizeof(text), "%s: %s: %s", what, reason, remedy);
	provider.failure = text;
	return -1;
}

static int start(const struct gpu_sink *sink, const struct gpu_options *options)
{
	static const Sanitizer_CallbackDomain domains[] = {
		SANITIZER_CB_DOMAIN_DRIVER_API,  SANITIZER_CB_DOMAIN_RUNTIME_API,
		SANITIZER_CB_DOMAIN_RESOURCE,    SANITIZER_CB_DOMAIN_LAUNCH,
		SANITIZER_CB_DOMAIN_MEMCPY,      SANITIZER_CB_DOMAIN_MEMSET,
		SANITIZER_CB_DOMAIN_BATCH_MEMOP, SANITIZER_CB_DOMAIN_EXTERNAL_MEMORY,
		SANITIZER_CB_DOMAIN_GRAPHS};

	SanitizerResult result;

	if (driver_load() != 0) {
		provider.failure = "libcuda.so.1 lacks functions that vflow needs: it takes a "
				   "driver of CUDA 12 or newer";
		return -1;
	}
	patching_start(sink->wanted && driver.cuFuncGetName && driver.cuFuncGetModule,
		       options->value_blocks ? PATCHING_VALUES
		       : options->accesses   ? PATCHING_COUNTS
					     : PATCHING_MARKS);
	if (options->value_blocks)
		images_start(sink);
	loaded_start(sink);
	calls_start(sink, options);
	result = sanitizerSubscribe(&subscriber, callback, NULL);
	if (result != SANITIZER_SUCCESS)
		return failed("the Sanitizer does not start", result,
			      "only one tool can observe a process: run it without "
			      "compute-sanitizer, nsys, ncu or a profiler inside the program");
	for (size_t i = 0; i < sizeof(domains) / sizeof(*domains); i++)
		if ((result = sanitizerEnableDomain(1, subscriber, domains[i])) !=
		    SANITIZER_SUCCESS) {
			sanitizerUnsubscribe(subscriber);
			return failed("the Sanitizer lacks callbacks", result,
				      "it is older than CUDA 12's, or than the driver");
		}
	return 0;
}

static void stop(void)
{
	calls_stop();
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
	return &provider;
}
