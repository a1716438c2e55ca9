/* gpu/sanitizer/api/launch_call.c: see launch_call.h. */
#include "gpu/sanitizer/api/launch_call.h"

#include <pthread.h>
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

/* Where the parameters of a function lie. */
#define LAYOUT_MAX 16 /* of those that are kept */

struct layout {
	CUfunction function;
	unsigned count;
	struct {
		uint16_t offset, bytes;
	} parameters[LAYOUT_MAX];
};

/* Those that were asked for last: the driver takes longer to say. */
static struct layout layouts[256];
static pthread_mutex_t layout_lock = PTHREAD_MUTEX_INITIALIZER;

static struct layout *place_of(CUfunction function)
{
	return &layouts[((uintptr_t)function >> 4) % (sizeof(layouts) / sizeof(*layouts))];
}

void launch_call_functions_gone(void)
{
	pthread_mutex_lock(&layout_lock);
	memset(layouts, 0, sizeof(layouts));
	pthread_mutex_unlock(&layout_lock);
}

static bool find_layout(struct layout *layout, CUfunction function)
{
	bool found;

	pthread_mutex_lock(&layout_lock);
	*layout = *place_of(function);
	found = layout->function == function;
	pthread_mutex_unlock(&layout_lock);
	return found;
}

static void keep_layout(const struct layout *layout)
{
	pthread_mutex_lock(&layout_lock);
	*place_of(layout->function) = *layout;
	pthread_mutex_unlock(&layout_lock);
}

/* Copies one parameter into the block of *room bytes, which may move.  False: it cannot. */
static bool put_value(char **block, size_t *room, const void *value, size_t offset, size_t bytes)
{
	char *more;

	if (!value || bytes > PARAMETERS_MAX || offset > PARAMETERS_MAX - bytes)
		return false;
	if (offset + bytes > *room) {
		more = realloc(*block, PARAMETERS_MAX);
		if (!more)
			return false;
		memset(more + *room, 0, PARAMETERS_MAX - *room);
		*block = more;
		*room = PARAMETERS_MAX;
	}
	memcpy(*block + offset, value, bytes);
	return true;
}

/* The parameters that the driver describes, one by one.  NULL: they are not known. */
static char *join_values(CUfunction function, void **values, size_t *size)
{
	size_t offset, bytes, room = PARAMETERS_FEW;
	char *block = calloc(1, room);
	struct layout layout;
	bool kept = find_layout(&layout, function);
	unsigned i;

	*size = 0;
	layout.function = function;
	for (i = 0; block; i++) {
		if (kept && i == layout.count)
			return block;
		if (kept) {
			offset = layout.parameters[i].offset;
			bytes = layout.parameters[i].bytes;
		} else if (driver.cuFuncGetParamInfo(function, i, &offset, &bytes) !=
			   CUDA_SUCCESS) {
			break;
		}
		if (!values || !put_value(&block, &room, values[i], offset, bytes)) {
			free(block);
			return NULL;
		}
		if (i < LAYOUT_MAX) {
			layout.parameters[i].offset = (uint16_t)offset;
			layout.parameters[i].bytes = (uint16_t)bytes;
		}
		if (offset + bytes > *size)
			*size = offset + bytes;
	}
	layout.count = i;
	if (block && i <= LAYOUT_MAX)
		keep_layout(&layout);
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
