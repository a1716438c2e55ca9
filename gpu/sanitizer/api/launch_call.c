/* gpu/sanitizer/api/launch_call.c: see launch_call.h. */
#include "gpu/sanitizer/api/launch_call.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/nvidia/apis.h"
#include "gpu/sanitizer/driver.h"

#define PARAMETERS_MAX 32768 /* bytes; 4096 before CUDA 12.1 */
#define PARAMETERS_FEW 256   /* of most kernels */

/* The operands of the driver's functions. */
struct plain_launch {
	CUfunction function;
	unsigned shape[7];
	CUstream stream;
	void **values, **extra; /* cooperative launches have no `extra` */
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

/* The parameters that the driver describes, one by one.  NULL: they are not known. */
static char *join_values(CUfunction function, void **values, size_t *size)
{
	size_t offset, bytes, room = PARAMETERS_FEW;
	char *block = calloc(1, room), *more;

	*size = 0;
	for (size_t i = 0;
	     block && driver.cuFuncGetParamInfo(function, i, &offset, &bytes) == CUDA_SUCCESS;
	     i++) {
		bool known = values && values[i] && bytes <= PARAMETERS_MAX &&
			     offset <= PARAMETERS_MAX - bytes;

		if (known && offset + bytes > room) {
			more = realloc(block, PARAMETERS_MAX);
			if (more)
				memset(more + room, 0, PARAMETERS_MAX - room);
			block = more ? more : block;
			known = more;
			room = PARAMETERS_MAX;
		}
		if (!known) {
			free(block);
			return NULL;
		}
		memcpy(block + offset, values[i], bytes);
		if (offset + bytes > *size)
			*size = offset + bytes;
	}
	return block;
}

void *launch_call_block(CUfunction function, void **values, void **extra, size_t *size)
{
	const void *packed = NULL;
	char *block;

	*size = 0;
	for (size_t i = 0; !values && extra && extra[i] != CU_LAUNCH_PARAM_END; i += 2)
		if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
			packed = extra[i + 1];
		else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
			*size = *(const size_t *)extra[i + 1];
		else
			return NULL;
	if (!driver.cuFuncGetParamInfo || *size > PARAMETERS_MAX)
		return NULL;
	if (!packed)
		return join_values(function, values, size);
	block = malloc(*size + 1);
	return block ? memcpy(block, packed, *size) : NULL;
}

void *launch_call_parameters(CUfunction function, const char *api, const void *parameters,
			     size_t *size)
{
	struct launch_call call;

	*size = 0;
	if (!launch_call_read(&call, api, parameters))
		return NULL;
	return launch_call_block(function, call.values, call.extra, size);
}
