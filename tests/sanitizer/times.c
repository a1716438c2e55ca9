/*
 * The kernels' own times (tests/gpu/kernel_times.h) with a driver of our own: each event is a
 * number of its clock, which a kernel moves on by its length, and any call of the host by 100
 * unless the stream is held.  Says what was put on the stream; the sums are in the file.
 *
 * With HOOKED the calls go to a provider (made up in times.sh), into which kernel_times_hook.c is
 * linked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/sanitizer/driver.h"
#include "tests/gpu/kernel_times.h"

#define CAPTURED ((CUstream)1)

static const uint32_t *word;
static uint32_t number;
static float now, events[64];
static unsigned event_count, finished = 1;

static bool held(void)
{
	return word && *(volatile const uint32_t *)word < number;
}

static void host_works(void)
{
	if (!held())
		now += 100;
}

static CUresult wait_value(CUstream stream, CUdeviceptr at, uint32_t value, unsigned flags)
{
	(void)stream;
	word = (const uint32_t *)at;
	number = value;
	printf("%s", held() && flags == CU_STREAM_WAIT_VALUE_GEQ ? "held" : "not held");
	return CUDA_SUCCESS;
}

static CUresult record(CUevent event, CUstream stream)
{
	(void)stream;
	host_works();
	printf(" event");
	events[(uintptr_t)event] = now;
	return CUDA_SUCCESS;
}

static void kernel(float length)
{
	host_works();
	printf(held() ? " held" : " free");
	now += length;
}

static CUresult launch(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
		       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
		       CUstream stream, void **parameters, void **extra)
{
	(void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z;
	(void)function, (void)shared, (void)stream, (void)parameters, (void)extra;
	kernel(7);
	return CUDA_SUCCESS;
}

static CUresult create(CUevent *event, unsigned flags)
{
	(void)flags;
	*event = (CUevent)(uintptr_t)event_count++;
	return CUDA_SUCCESS;
}

static CUresult query(CUevent event)
{
	(void)event;
	return finished ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

static CUresult elapsed(float *milliseconds, CUevent before, CUevent after)
{
	*milliseconds = events[(uintptr_t)after] - events[(uintptr_t)before];
	return CUDA_SUCCESS;
}

static CUresult is_capturing(CUstream stream, CUstreamCaptureStatus *status)
{
	*status = stream == CAPTURED ? CU_STREAM_CAPTURE_STATUS_ACTIVE
				     : CU_STREAM_CAPTURE_STATUS_NONE;
	return CUDA_SUCCESS;
}

static CUresult exchange(CUstreamCaptureMode *mode)
{
	(void)mode;
	return CUDA_SUCCESS;
}

static CUresult current(CUcontext *context)
{
	*context = (CUcontext)(uintptr_t)1;
	return CUDA_SUCCESS;
}

static CUresult attribute(int *value, CUfunction_attribute which, CUfunction function)
{
	(void)which, (void)function;
	*value = 1;
	return CUDA_SUCCESS;
}

static CUresult register_host(void *host, size_t size, unsigned flags)
{
	(void)host, (void)size, (void)flags;
	return CUDA_SUCCESS;
}

static CUresult device_pointer(CUdeviceptr *device, void *host, unsigned flags)
{
	(void)flags;
	*device = (CUdeviceptr)host;
	return CUDA_SUCCESS;
}

struct driver driver = {.cuEventRecord = record,
			.cuLaunchKernel = launch,
			.cuEventCreate = create,
			.cuEventQuery = query,
			.cuStreamIsCapturing = is_capturing,
			.cuThreadExchangeStreamCaptureMode = exchange,
			.cuCtxGetCurrent = current,
			.cuFuncGetAttribute = attribute,
			.cuMemHostRegister = register_host,
			.cuMemHostGetDevicePointer = device_pointer};

#ifdef HOOKED
#include "gpu/sanitizer/callback/calls.h"
#include "gpu/sanitizer/callback/thread.h"

static void start(void)
{
	driver_load();
}

static void callback(const Sanitizer_CallbackData *data)
{
	calls_api(SANITIZER_CB_DOMAIN_RUNTIME_API, 1, data);
	{
		OWN_CALLS(CALLS_OF_PROVIDER);
		calls_api(SANITIZER_CB_DOMAIN_DRIVER_API, 2, data);
	}
	calls_api(SANITIZER_CB_DOMAIN_DRIVER_API, 3, data);
}
#else
static void start(void)
{
	times_start();
}

static void callback(const Sanitizer_CallbackData *data)
{
	times_call(data);
}
#endif

/* The program calls the driver, which launches a kernel of this length, if any. */
static void call(const char *name, CUstream stream, int result, float length, unsigned naps)
{
	const struct timespec interval = {.tv_nsec = 5000000};
	struct {
		CUfunction function;
		unsigned shape[7];
		CUstream stream;
		void **values, **extra;
	} parameters = {.stream = stream};
	Sanitizer_CallbackData data = {.functionName = name,
				       .functionParams = &parameters,
				       .functionReturnValue = &result,
				       .callbackSite = SANITIZER_API_ENTER};

	printf("%s:", name);
	callback(&data);
	while (naps-- && held())
		nanosleep(&interval, NULL);
	if (length > 0)
		kernel(length);
	data.callbackSite = SANITIZER_API_EXIT;
	callback(&data);
	printf(held() ? " left held\n" : "\n");
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	times_driver = (struct times_driver){elapsed, wait_value};
	start();
	if (!strcmp(kind, "off")) {
		printf("%s\n", times_wanted || driver.cuLaunchKernel != launch ? "on" : "off");
	} else if (!strcmp(kind, "waits")) { /* the launch itself, for the device */
		call("cuLaunchKernel", NULL, 0, 5, 2000);
	} else if (!strcmp(kind, "once")) {
		call("cuLaunchKernel", NULL, 0, 5, 0);
		call("cuStreamSynchronize", NULL, 0, 0, 0);
	} else {
		finished = 0;
		call("cuLaunchKernel", NULL, 0, 5, 0);
		call("cuLaunchKernel_ptsz", NULL, 0, 30, 0);
		driver.cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
		printf("\n");
		call("cuLaunchKernel", NULL, CUDA_ERROR_INVALID_VALUE, 0, 0);
		call("cuLaunchCooperativeKernel", CAPTURED, 0, 0, 0);
		call("cuGraphLaunch", NULL, 0, 1000, 0);
		finished = 1;
		call("cuStreamSynchronize", NULL, 0, 0, 0);
		call("cuLaunchKernel", NULL, 0, 200, 0);
		finished = 0; /* it is still at work when the process ends */
	}
	return 0;
}
