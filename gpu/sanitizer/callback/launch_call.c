/* gpu/sanitizer/callback/launch_call.c: see launch_call.h. */
#include "gpu/sanitizer/callback/launch_call.h"

#include <string.h>

#include "gpu/sanitizer/callback/apis.h"

/* The operands of the driver's functions. */
struct plain_launch {
	CUfunction function;
	unsigned shape[7];
	CUstream stream;
	void **values, **extra; /* without `extra` for cooperative ones */
};

struct configured_launch {
	const CUlaunchConfig *configuration;
	CUfunction function;
	void **values, **extra;
};

static bool starts(const char *name, const char *part)
{
	return !strncmp(name, part, strlen(part));
}

bool launch_call_read(struct launch_call *call, const char *api, const void *parameters)
{
	const struct plain_launch *plain = parameters;
	const struct configured_launch *configured = parameters;

	*call = (struct launch_call){0};
	if (starts(api, "cuLaunchKernelEx")) {
		call->function = configured->function;
		if (configured->configuration)
			call->stream = configured->configuration->hStream;
		call->values = configured->values;
		call->extra = configured->extra;
	} else if (starts(api, "cuLaunchKernel") ||
		   (starts(api, "cuLaunchCooperativeKernel") && !strstr(api, "MultiDevice"))) {
		call->function = plain->function;
		call->stream = plain->stream;
		call->values = plain->values;
		call->extra = starts(api, "cuLaunchCooperative") ? NULL : plain->extra;
	} else {
		return false;
	}
	call->stream = api_stream(api, call->stream);
	return true;
}
