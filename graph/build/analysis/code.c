/*
 * graph/build/analysis/code.c: the analysis of GPU code: which modules were loaded, and which of
 * their kernels were launched.
 *
 * A program may load one module many times: rows are of modules that are alike.  What is launched
 * of a module is counted by the names of its kernels, which are those in table gpu_function.
 */
#include "graph/build/analysis.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "graph/build/process.h"
#include "graph/symbols.h"
#include "util/memory.h"
#include "util/pair_map.h"

enum { MOST_MODULES = 100000, MOST_FUNCTIONS = 50000 }; /* rows */

/* Of a record and its place, with no bytes in between. */
struct module_key {
	uint64_t bytes, code_bytes, kernel_bytes, names;
	uint32_t kernels, loading, process, frame;
};

struct module {
	struct module_key key;
	uint32_t index; /* into profile->gpu_modules */
	UT_hash_handle hh;
};

struct function {       /* key: index of the module, then the name */
	uint32_t index; /* into profile->gpu_functions */
	UT_hash_handle hh;
	char key[];
};

struct code {
	struct profile *profile;
	struct pair_map numbers; /* (number in the trace, process): index of the module */
	struct module *modules;
	struct function *functions;
	uint64_t modules_left, functions_left; /* out, for there were too many */
};

static void *begin(struct profile *profile)
{
	struct code *code = xcalloc(1, sizeof(*code));

	code->profile = profile;
	return code;
}

/* The row for a module like this one; UINT32_MAX: there is no room. */
static uint32_t find_module(struct code *code, const struct module_key *key)
{
	struct profile *profile = code->profile;
	struct module *module;

	HASH_FIND(hh, code->modules, key, sizeof(*key), module);
	if (module)
		return module->index;
	if (profile->gpu_module_count == MOST_MODULES) {
		code->modules_left++;
		return UINT32_MAX;
	}
	module = xcalloc(1, sizeof(*module));
	module->key = *key;
	module->index = profile->gpu_module_count;
	HASH_ADD(hh, code->modules, key, sizeof(module->key), module);
	ARRAY_RESERVE(profile->gpu_modules, profile->gpu_module_count,
		      profile->gpu_module_capacity);
	profile->gpu_modules[profile->gpu_module_count++] =
		(struct profile_gpu_module){.process = key->process,
					    .bytes = key->bytes,
					    .code_bytes = key->code_bytes,
					    .kernel_bytes = key->kernel_bytes,
					    .kernels = key->kernels,
					    .loading = key->loading,
					    .place.frame = key->frame};
	return module->index;
}

static int take_module(struct code *code, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	const struct gpu_code *payload = record->payload;
	const struct module_key key = {.bytes = payload->bytes,
				       .code_bytes = payload->code_bytes,
				       .kernel_bytes = payload->kernel_bytes,
				       .names = payload->names,
				       .kernels = payload->kernels,
				       .loading = payload->loading,
				       .process = event->process,
				       .frame = record->frame};
	uint32_t index, number;

	if (payload->bytes > PROFILE_NUMBER_MAX || payload->code_bytes > PROFILE_NUMBER_MAX ||
	    payload->kernel_bytes > payload->code_bytes || payload->loading > GPU_CODE_LAZY)
		return error_set(error, "a module of GPU code that cannot be");
	index = find_module(code, &key);
	if (index == UINT32_MAX)
		return 0;
	if (pair_map_find(&code->numbers, payload->code, event->process, index, &number))
		return error_set(error, "module %u of GPU code comes twice", payload->code);
	code->profile->gpu_modules[index].loads++;
	return 0;
}

/* NULL: there is no room. */
static struct profile_gpu_function *find_function(struct code *code, uint32_t module,
						  const char *name, uint64_t bytes)
{
	struct profile *profile = code->profile;
	size_t size = sizeof(module) + strlen(name);
	struct function *function = xcalloc(1, sizeof(*function) + size), *found;
	char *mangled;

	memcpy(function->key, &module, sizeof(module));
	memcpy(function->key + sizeof(module), name, size - sizeof(module));
	HASH_FIND(hh, code->functions, function->key, size, found);
	if (found || profile->gpu_function_count == MOST_FUNCTIONS) {
		free(function);
		code->functions_left += !found;
		return found ? &profile->gpu_functions[found->index] : NULL;
	}
	function->index = profile->gpu_function_count;
	HASH_ADD_KEYPTR(hh, code->functions, function->key, size, function);
	mangled = process_clean_name(name);
	ARRAY_RESERVE(profile->gpu_functions, profile->gpu_function_count,
		      profile->gpu_function_capacity);
	profile->gpu_functions[profile->gpu_function_count++] = (struct profile_gpu_function){
		.module = module, .name = symbols_demangle(mangled), .bytes = bytes};
	free(mangled);
	return &profile->gpu_functions[function->index];
}

static int take_kernel(struct code *code, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	const struct gpu_code_kernel *payload = record->payload;
	const char *name = (const char *)record->payload + offsetof(struct gpu_code_kernel, name);
	uint32_t index = pair_map_get(&code->numbers, payload->code, event->process);
	struct profile_gpu_function *function;
	struct profile_gpu_module *module;

	if (index == UINT32_MAX)
		return code->modules_left ? 0
					  : error_set(error,
						      "a kernel of module %u, which is "
						      "not there",
						      payload->code);
	module = &code->profile->gpu_modules[index];
	if (payload->bytes > module->kernel_bytes)
		return error_set(error, "a kernel that is larger than those of its module");
	function = find_function(code, index, name, payload->bytes);
	if (!function || !payload->launched || function->launched)
		return 0;
	if (module->launched == module->kernels ||
	    payload->bytes > module->kernel_bytes - module->launched_bytes)
		return error_set(error, "more kernels launched than their module has");
	function->launched = true;
	module->launched++;
	module->launched_bytes += payload->bytes;
	return 0;
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	return record->kind == GPU_RECORD_CODE ? take_module(state, event, record, error)
					       : take_kernel(state, event, record, error);
}

static void end(void *state)
{
	struct code *code = state;
	struct module *module, *next_module;
	struct function *function, *next;

	if (code->modules_left)
		profile_add_coverage(code->profile, COVERAGE_CODE_MODULES_TOO_MANY, NULL,
				     code->modules_left, 0);
	if (code->functions_left)
		profile_add_coverage(code->profile, COVERAGE_CODE_KERNELS_TOO_MANY, NULL,
				     code->functions_left, 0);
	HASH_ITER(hh, code->modules, module, next_module)
	{
		HASH_DEL(code->modules, module);
		free(module);
	}
	HASH_ITER(hh, code->functions, function, next)
	{
		HASH_DEL(code->functions, function);
		free(function);
	}
	pair_map_release(&code->numbers);
	free(code);
}

const struct build_analysis build_code = {
	.name = "code",
	.kinds = (const uint32_t[]){GPU_RECORD_CODE, GPU_RECORD_CODE_KERNEL, 0},
	.begin = begin,
	.record = take_record,
	.end = end,
};
