/*
 * tests/gpu/kernel_times_hook.c: times the kernels of a program that vflow collects.
 *
 * Linked with the provider's objects and -Wl,--wrap=driver_load,--wrap=calls_api (tests/tests.mk),
 * so that the provider itself knows nothing of it.
 */
#include "gpu/sanitizer/callback/calls.h"
#include "gpu/sanitizer/callback/thread.h"
#include "gpu/sanitizer/driver.h"
#include "tests/gpu/kernel_times.h"

int __real_driver_load(void);
int __wrap_driver_load(void);
__typeof__(calls_api) __real_calls_api, __wrap_calls_api;

int __wrap_driver_load(void)
{
	int result = __real_driver_load();

	if (result == 0)
		times_start();
	return result;
}

/* What it calls of the driver is not the program's; modules that this loads are. */
static void time_call(const Sanitizer_CallbackData *data)
{
	OWN_CALLS(CALLS_THAT_LOAD);

	times_call(data);
}

void __wrap_calls_api(Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
		      const Sanitizer_CallbackData *data)
{
	bool timed = times_wanted && domain == SANITIZER_CB_DOMAIN_DRIVER_API &&
		     this_thread.calls == CALLS_OF_PROGRAM;

	if (timed && data->callbackSite == SANITIZER_API_EXIT)
		time_call(data);
	__real_calls_api(domain, id, data);
	if (timed && data->callbackSite == SANITIZER_API_ENTER)
		time_call(data);
}
