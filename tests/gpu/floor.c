/*
 * What the Sanitizer itself costs, for tests/gpu/overhead: a library for CUDA_INJECTION64_PATH that
 * subscribes and watches nothing.  FLOOR says how far it goes:
 *   subscribed  all callbacks are asked for
 *   empty       each instruction that vflow patches calls a patch that does nothing (FLOOR_PATCH)
 *   data        ... and each launch is given data, as a tool that looks at them must
 *   function    ... and each kernel is given data once
 * With VFLOW_KERNEL_TIMES=FILE the kernels are timed: see kernel_times.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sanitizer.h>

#include "gpu/sanitizer/driver.h"
#include "tests/gpu/kernel_times.h"

static enum { SUBSCRIBED, EMPTY, DATA, FUNCTION } mode;
static CUcontext ready;
static CUfunction known[64];

static void patch(const Sanitizer_ResourceModuleData *module)
{
	/* as in gpu/sanitizer/code/patching.c; the headers of CUDA 12 end at 29 */
	static const struct {
		int instruction;
		const char *function;
	} patches[] = {
		{SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS, "floor_patch"},
		{SANITIZER_INSTRUCTION_MEMCPY_ASYNC, "floor_copy_async"},
		{30, "floor_bulk_read"},
		{35, "floor_bulk_write"},
		{37, "floor_bulk_write"},
	};

	if (ready != module->context &&
	    sanitizerAddPatchesFromFile(getenv("FLOOR_PATCH"), module->context) !=
		    SANITIZER_SUCCESS)
		return;
	ready = module->context;
	for (size_t i = 0; i < sizeof(patches) / sizeof(*patches); i++)
		sanitizerPatchInstructions((Sanitizer_InstructionId)patches[i].instruction,
					   module->module, patches[i].function);
	sanitizerPatchModule(module->module);
}

static void launch(const Sanitizer_LaunchData *data)
{
	if (mode == DATA)
		sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream, &mode);
	if (mode != FUNCTION)
		return;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (known[i] == data->function)
			return;
		if (!known[i]) {
			known[i] = data->function;
			break;
		}
	}
	sanitizerSetCallbackData(data->function, &mode);
}

static void callback(void *unused, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
		     const void *data)
{
	(void)unused;
	if (mode != SUBSCRIBED && domain == SANITIZER_CB_DOMAIN_RESOURCE &&
	    id == SANITIZER_CBID_RESOURCE_MODULE_LOADED)
		patch(data);
	if (domain == SANITIZER_CB_DOMAIN_LAUNCH && id == SANITIZER_CBID_LAUNCH_BEGIN)
		launch(data);
	if (times_wanted && domain == SANITIZER_CB_DOMAIN_DRIVER_API)
		times_call(data);
}

__attribute__((visibility("default"))) int InitializeInjection(void)
{
	static const char *const names[] = {"subscribed", "empty", "data", "function"};
	const char *wanted = getenv("FLOOR");
	Sanitizer_SubscriberHandle subscriber;

	for (unsigned i = 0; wanted && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(wanted, names[i]))
			mode = i;
	if (driver_load() == 0)
		times_start();
	if (sanitizerSubscribe(&subscriber, callback, NULL) != SANITIZER_SUCCESS ||
	    sanitizerEnableAllDomains(1, subscriber) != SANITIZER_SUCCESS)
		fprintf(stderr, "floor: cannot subscribe\n");
	return 1;
}
