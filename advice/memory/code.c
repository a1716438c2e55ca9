/* advice/memory/code.c: see code.h. */
#include "advice/memory/code.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/records.h"
#include "util/memory.h"

static int compare_paths(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int by_path(const void *left, const void *right)
{
	const struct memory_code *a = left, *b = right;

	return compare_paths(a->path, b->path);
}

static int by_unused(const void *left, const void *right)
{
	const struct memory_code *a = left, *b = right;

	if (a->unused_bytes != b->unused_bytes)
		return a->unused_bytes < b->unused_bytes ? 1 : -1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return compare_paths(a->path, b->path);
}

static bool is_larger(const struct profile_gpu_function *a, const struct profile_gpu_function *b)
{
	return a && (!b || a->bytes > b->bytes);
}

/* The largest kernel of each module that was never launched. */
static const struct profile_gpu_function **largest_unused(const struct profile *profile)
{
	const struct profile_gpu_function **largest =
		xcalloc((size_t)profile->gpu_module_count + 1, sizeof(*largest));

	for (uint32_t i = 0; i < profile->gpu_function_count; i++) {
		const struct profile_gpu_function *function = &profile->gpu_functions[i];

		if (!function->launched && is_larger(function, largest[function->module]))
			largest[function->module] = function;
	}
	return largest;
}

static void join(struct memory_code *to, const struct memory_code *from)
{
	to->modules += from->modules;
	profile_add(&to->loads, from->loads);
	profile_add(&to->bytes, from->bytes);
	profile_add(&to->kernels, from->kernels);
	profile_add(&to->launched, from->launched);
	profile_add(&to->kernel_bytes, from->kernel_bytes);
	profile_add(&to->unused_bytes, from->unused_bytes);
	to->lazy |= from->lazy;
	if (is_larger(from->unused, to->unused))
		to->unused = from->unused;
}

static struct memory_code code_of(const struct profile_gpu_module *module)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(module->bytes, module->loads, &bytes) ||
	    bytes > PROFILE_NUMBER_MAX)
		bytes = PROFILE_NUMBER_MAX;
	return (struct memory_code){.path = module->library,
				    .modules = 1,
				    .loads = module->loads,
				    .bytes = bytes,
				    .kernels = module->kernels,
				    .launched = module->launched,
				    .kernel_bytes = module->kernel_bytes,
				    .unused_bytes = module->kernel_bytes - module->launched_bytes,
				    .lazy = module->loading == GPU_CODE_LAZY};
}

uint32_t memory_code(const struct profile *profile, uint32_t process, struct memory_code **made)
{
	const struct profile_gpu_function **largest = largest_unused(profile);
	struct memory_code *list = xcalloc((size_t)profile->gpu_module_count + 1, sizeof(*list));
	uint32_t modules = 0, count = 0;

	for (uint32_t i = 0; i < profile->gpu_module_count; i++) {
		if (profile->gpu_modules[i].process != process)
			continue;
		list[modules] = code_of(&profile->gpu_modules[i]);
		list[modules++].unused = largest[i];
	}
	free(largest);
	if (modules)
		qsort(list, modules, sizeof(*list), by_path);
	for (uint32_t i = 0; i < modules; i++) {
		if (count && !compare_paths(list[count - 1].path, list[i].path))
			join(&list[count - 1], &list[i]);
		else
			list[count++] = list[i];
	}
	if (count)
		qsort(list, count, sizeof(*list), by_unused);
	*made = list;
	return count;
}
