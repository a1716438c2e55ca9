/* gpu/cupti/arguments.c: see arguments.h. */
#include "gpu/cupti/arguments.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "gpu/cupti/driver.h"

enum {
	PARAMETERS_MAX = 32768, /* bytes */
	LAYOUT_MAX = 16,        /* parameters of a function that are remembered */
	LAYOUTS = 256,
	WORD = sizeof(uint64_t)
};

struct parameter {
	uint16_t offset, bytes;
};

/* Where the parameters of a function lie: the driver takes longer to say. */
struct layout {
	uint64_t kernel;
	unsigned count;
	struct parameter parameters[LAYOUT_MAX];
};

static struct layout layouts[LAYOUTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void arguments_functions_gone(void)
{
	pthread_mutex_lock(&lock);
	memset(layouts, 0, sizeof(layouts));
	pthread_mutex_unlock(&lock);
}

static struct layout *place_of(uint64_t kernel)
{
	return &layouts[(kernel >> 4) % LAYOUTS];
}

static bool find(struct layout *layout, uint64_t kernel)
{
	bool found;

	pthread_mutex_lock(&lock);
	*layout = *place_of(kernel);
	found = layout->kernel == kernel;
	pthread_mutex_unlock(&lock);
	return found;
}

static void keep(const struct layout *layout)
{
	pthread_mutex_lock(&lock);
	*place_of(layout->kernel) = *layout;
	pthread_mutex_unlock(&lock);
}

/* Launches take the handle of a kernel of a library, too. */
static bool is_kernel(uint64_t handle)
{
	const char *name;

	return driver.cuKernelGetName &&
	       driver.cuKernelGetName(&name, (void *)(uintptr_t)handle) == CUDA_SUCCESS;
}

/* 1: there is such a parameter, 0: there are fewer, -1: nothing is known. */
static int ask(uint64_t kernel, unsigned index, struct parameter *parameter)
{
	CUresult (*get)(void *, size_t, size_t *, size_t *) =
		is_kernel(kernel) ? driver.cuKernelGetParamInfo : driver.cuFuncGetParamInfo;
	size_t offset = 0, bytes = 0;
	CUresult result = get ? get((void *)(uintptr_t)kernel, index, &offset, &bytes)
			      : CUDA_ERROR_NOT_SUPPORTED;

	if (result != CUDA_SUCCESS)
		return result == CUDA_ERROR_INVALID_VALUE ? 0 : -1;
	if (offset > PARAMETERS_MAX || bytes > PARAMETERS_MAX - offset)
		return -1;
	*parameter = (struct parameter){(uint16_t)offset, (uint16_t)bytes};
	return 1;
}

static void look(const void *value, struct parameter parameter,
		 void (*word)(void *data, uint64_t word), void *data)
{
	uint64_t bits;

	for (size_t at = -(size_t)parameter.offset % WORD; at + WORD <= parameter.bytes;
	     at += WORD) {
		memcpy(&bits, (const char *)value + at, WORD);
		if (bits)
			word(data, bits);
	}
}

/* The block of parameters that `extra` names; NULL: none. */
static const void *packed(const void *const *extra, size_t *size)
{
	const void *block = NULL;

	*size = 0;
	for (size_t i = 0; extra && extra[i] != CU_LAUNCH_PARAM_END; i += 2)
		if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
			block = extra[i + 1];
		else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
			*size = *(const size_t *)extra[i + 1];
		else
			return NULL;
	return *size <= PARAMETERS_MAX ? block : NULL;
}

int arguments_each(uint64_t kernel, const void *values, const void *extra,
		   void (*word)(void *data, uint64_t word), void *data)
{
	const void *const *each = values;
	struct layout layout;
	size_t size;
	const void *block = values ? NULL : packed(extra, &size);
	const bool kept = find(&layout, kernel);
	struct parameter parameter;
	int known = 1;
	unsigned i;

	if (!values && extra && !block)
		return -1;
	layout.kernel = kernel;
	for (i = 0;; i++) {
		if (kept) {
			known = i < layout.count;
			parameter = layout.parameters[known ? i : 0];
		} else {
			known = ask(kernel, i, &parameter);
		}
		if (known <= 0)
			break;
		if (!kept && i < LAYOUT_MAX)
			layout.parameters[i] = parameter;
		if (block && (size_t)parameter.offset + parameter.bytes <= size)
			look((const char *)block + parameter.offset, parameter, word, data);
		else if (block || !each || !each[i])
			return -1;
		else
			look(each[i], parameter, word, data);
	}
	if (!known && !kept && i <= LAYOUT_MAX) {
		layout.count = i;
		keep(&layout);
	}
	if (known < 0 && block) { /* an older driver: any word of the block */
		look(block, (struct parameter){0, (uint16_t)size}, word, data);
		return 0;
	}
	return known;
}
